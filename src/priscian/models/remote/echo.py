"""What completion servers answer, checked token by token: from an echo to log-probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from priscian.errors import BackendError, brief
from priscian.models.remote.backend import Prompt, PromptScores
from priscian.models.remote.canary import EXCESS

LogProb = Annotated[float, Meta(ge=-1e6, le=EXCESS)]
"""Finite, and a logarithm of a probability but for rounding."""
Table = dict[str, LogProb] | None

_ID = re.compile(r"token_id:([0-9]{1,9})")
_BYTES = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")


class Served(Struct, frozen=True):
    """A model that a server has."""

    id: Annotated[str, Meta(min_length=1, max_length=1000)]


class Models(Struct, frozen=True):
    """The answer to GET /models."""

    data: tuple[Served, ...]


class TokenEntry(Struct, frozen=True):
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
    prompt_logprobs: tuple[dict[str, TokenEntry] | None, ...] | None = None


class Completion(Struct, frozen=True):
    """The answer to POST /completions."""

    choices: tuple[Choice, ...]


def read_choice(url: str, row: Prompt, choice: Choice) -> PromptScores:
    """The answer to one row; anything that is not exactly its tokens is refused."""
    if choice.prompt_logprobs:
        return _read_prompt_logprobs(url, row, choice.prompt_logprobs)
    found = choice.logprobs
    if found is None or found.tokens is None:
        raise no_echo(url)
    logps = found.token_logprobs
    if logps is None or len(logps) != len(found.tokens):
        raise BackendError(
            f"{url} gave {len(found.tokens)} tokens without as many log-probabilities; update the "
            f"server"
        )
    check_tokens(url, row, found.tokens)
    count = len(row.ids)
    return _answer(url, row, logps[:count], (found.top_logprobs or ())[:count])


def no_echo(url: str) -> BackendError:
    """The error for servers that score only what they generate."""
    return BackendError(
        f"{url} gives no log-probabilities of the prompt (echo), only of generated tokens, as "
        f"llama-server and hosted APIs do; serve the model with vLLM or llama-cpp-python, or score "
        f"the file itself: llamacpp:FILE.gguf"
    )


def check_tokens(url: str, row: Prompt, tokens: Sequence[str]) -> None:
    """Refuse tokens that are not those of the row, up to one generated token at the end."""
    count = len(row.ids)
    wrong = _first_wrong(row, tokens)
    if wrong is None and len(tokens) <= count + 1:
        return
    if len(tokens) <= 1 < count:
        raise no_echo(url)
    if _first_wrong(row, tokens[1:]) is None and row.opening:
        raise BackendError(
            f"{url} puts a BOS of its own before ours: turn that off on the server "
            f"(add_bos_token=false in the model's tokenizer), or write bos=none"
        )
    if wrong is not None and len(tokens) <= count and wrong >= len(tokens) - 1:
        raise BackendError(
            f"{url} echoed {wrong} of {count} tokens: the echo is truncated; raise the "
            f"server's context length and turn off truncation"
        )
    if wrong is None:
        raise BackendError(f"{url} echoed {len(tokens)} tokens for the {count} that were sent")
    raise BackendError(
        f"{url} splits the text in another way than tokenizer=: token {wrong + 1} is "
        f"{brief(repr(tokens[wrong]))} there and {_spelled(row, wrong)!r} here; give the "
        f"tokenizer of the served model"
    )


def _first_wrong(row: Prompt, tokens: Sequence[str]) -> int | None:
    """The first place where returned tokens are not those of the row; None if all are."""
    count = len(row.ids)
    if tokens and all(_ID.fullmatch(token) for token in tokens[:count]):
        ids = [int(token.removeprefix("token_id:")) for token in tokens[:count]]
        wrong = (i for i, (a, b) in enumerate(zip(ids, row.ids, strict=False)) if a != b)
        return next(wrong, None if len(ids) == count else len(ids))
    whole, reach, said, began = row.text.encode(), 0, b"", 0
    for i, end in enumerate(row.ends):
        if i >= len(tokens):
            return i
        split = _BYTES.fullmatch(tokens[i])  # a part of a character may be written bytes:\xe2
        said += (
            bytes.fromhex(split[1].replace("\\x", ""))
            if split
            else tokens[i].encode("utf-8", "replace")
        )
        if i + 1 < count and row.ends[i + 1] == end:  # a character in several tokens
            continue
        stop = len(row.text[:end].encode())
        wanted = whole[reach:stop]
        hidden_bos = i == 0 and row.opening and not said
        spaced = reach == len(row.text[: row.opening].encode()) and said == b" " + wanted
        if said != wanted and not hidden_bos and not spaced:
            return began
        reach, said, began = stop, b"", i + 1
    return None


def _spelled(row: Prompt, number: int) -> str:
    return row.text[row.ends[number - 1] if number else 0 : row.ends[number]]


def _read_prompt_logprobs(
    url: str, row: Prompt, found: Sequence[dict[str, TokenEntry] | None]
) -> PromptScores:
    """vLLM's own form: for each place a table from token ids to log-probabilities."""
    if len(found) != len(row.ids):
        raise BackendError(
            f"{url} gave log-probabilities of {len(found)} prompt tokens for the "
            f"{len(row.ids)} that were sent: the echo is truncated, or the server adds a BOS"
        )
    logps: list[LogProb | None] = []
    tops: list[Table] = []
    for number, (token, table) in enumerate(zip(row.ids, found, strict=True)):
        if table is None:
            logps.append(None)
            tops.append(None)
            continue
        if str(token) not in table:
            raise BackendError(
                f"{url} splits the text in another way than tokenizer=: it gives no value for "
                f"token {number + 1} ({_spelled(row, number)!r}, id {token}); give the tokenizer "
                f"of the served model"
            )
        logps.append(table[str(token)].logprob)
        tops.append({name: entry.logprob for name, entry in table.items()})
    return _answer(url, row, logps, tops)


def _answer(
    url: str, row: Prompt, logps: Sequence[LogProb | None], tops: Sequence[Table]
) -> PromptScores:
    if logps[0] is not None:
        raise BackendError(
            f"{url} gives the first token a log-probability, although nothing precedes it: it puts "
            f"a BOS of its own before ours; turn that off on the server"
        )
    own = [logp for logp in logps[1:] if logp is not None]
    if len(own) < len(logps) - 1:
        raise BackendError(
            f"{url} gives token {logps.index(None, 1) + 1} of {len(row.ids)} no log-probability; "
            f"update the server"
        )
    best, mass = [math.nan], [math.nan]
    for logp, top in zip(own, tops[1:], strict=False):
        values = list((top or {}).values())
        if not any(abs(value - logp) < 1e-9 for value in values):  # own token is not among them
            values.append(logp)
        best.append(max(values))
        mass.append(sum(map(math.exp, values)))
    known = len(tops) == len(logps) and any(tops)
    return PromptScores(
        (math.nan, *own), tuple(best) if known else (), tuple(mass) if known else ()
    )
