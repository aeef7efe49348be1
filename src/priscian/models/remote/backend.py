"""What an engine must offer: log-probabilities of given token ids, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from priscian.models.hf.encoding import Tokenizer
from priscian.models.protocol import Encoding
from priscian.records import Text

TOP = 5
"""How many of the most probable tokens the canary asks for: the most that servers grant."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids, BOS and context included, and the text that they spell.

    `ends[i]` is where token i ends in `text`. Servers that take no ids are sent the text.
    """

    ids: tuple[int, ...]
    text: str
    ends: tuple[int, ...]
    opening: int = 0  # length of the BOS that `text` begins with


@dataclass(frozen=True, slots=True)
class Ask:
    """How rows are requested: the run's way, or as the canary needs it."""

    together: bool = True
    temperature: float = 1.0
    top: int = 1


PLAIN = Ask()
ALONE = Ask(together=False, top=TOP)


@dataclass(frozen=True, slots=True)
class PromptScores:
    """Natural-log probabilities, one for each id of a row; the first has none: NaN.

    `best` is the log-probability of the most probable token at each place, `mass` the probability
    of all different tokens that were returned there; both are empty if unknown.
    """

    logps: tuple[float, ...]
    best: tuple[float, ...] = ()
    mass: tuple[float, ...] = ()


class PromptScorer(Protocol):
    """An engine with a model in it."""

    context_length: int | None
    notes: Mapping[str, str]

    def logprobs(self, rows: Sequence[Prompt], ask: Ask = PLAIN) -> list[PromptScores]:
        """An answer for each row, in order; ids that do not match are an error."""
        ...


@dataclass(frozen=True, slots=True)
class PromptEncoder:
    """A local tokenizer with a BOS policy: makes the ids, wherever the model runs."""

    tokenizer: Tokenizer
    bos: int | None

    def encode(self, texts: Sequence[Text]) -> list[Encoding]:
        """Token ids and offsets of the texts' own tokens."""
        return self.tokenizer.encode(texts, self.bos)

    def rows(self, texts: Sequence[Text], encodings: Sequence[Encoding]) -> list[Prompt]:
        """The same as rows for a backend."""
        whole = [Text(t.context + t.text) for t in texts]
        if any(t.context for t in texts):  # offsets of the context's tokens are needed too
            encodings = self.tokenizer.encode(whole, self.bos)
        return [self._row(t.text, e) for t, e in zip(whole, encodings, strict=True)]

    def row(self, text: str) -> Prompt:
        """One text as a row."""
        return self.rows([Text(text)], self.encode([Text(text)]))[0]

    def bare_row(self, text: str) -> Prompt:
        """One text as a row without BOS."""
        return self._row(text, self.tokenizer.encode([Text(text)], None)[0])

    def _row(self, text: str, encoding: Encoding) -> Prompt:
        opening = ""
        if encoding.first:  # BOS is not part of the text
            opening = str(self.tokenizer.hf.convert_ids_to_tokens(encoding.ids[0]))
        ends = [len(opening)] * encoding.first + [len(opening) + e for e in encoding.ends]
        return Prompt(encoding.ids, opening + text, tuple(ends), len(opening))
