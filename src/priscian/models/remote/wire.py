"""What completion servers answer: all that is read of it, with the bounds that it must keep to."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from priscian.models.remote.canary import EXCESS

LogProb = Annotated[float, Meta(ge=-1e6, le=EXCESS)]
"""Finite, and a logarithm of a probability but for rounding."""
Table = dict[str, LogProb] | None


class Served(Struct, frozen=True):
    """A model that a server has."""

    id: Annotated[str, Meta(min_length=1, max_length=1000)]


class Models(Struct, frozen=True):
    """The answer to GET /models."""

    data: tuple[Served, ...]


class Entry(Struct, frozen=True):
    """One token at one place, in vLLM's own form."""

    logprob: LogProb


class Logprobs(Struct, frozen=True):
    """Tokens of prompt and completion, in OpenAI's form."""

    tokens: tuple[str, ...] | None = None
    token_logprobs: tuple[LogProb | None, ...] | None = None
    top_logprobs: tuple[Table, ...] | None = None


class Choice(Struct, frozen=True):
    """The answer to one prompt."""

    index: Annotated[int, Meta(ge=0, lt=1 << 20)] = 0
    logprobs: Logprobs | None = None
    prompt_logprobs: tuple[dict[str, Entry] | None, ...] | None = None


class Completion(Struct, frozen=True):
    """The answer to POST /completions."""

    choices: tuple[Choice, ...]
