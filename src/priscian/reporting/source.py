"""What a report is made of: runs, and each result with the name that it goes by on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.scored import Scored
from priscian.analysis.tokens import TokenTable

TokenReader = Callable[[Sequence[str]], TokenTable | None]


@dataclass(frozen=True, slots=True)
class Source:
    """A run as a report needs it."""

    path: str
    info: Mapping[str, Any]
    """`run.json`."""
    results: tuple[Scored, ...]
    missing: tuple[str, ...] = ()
    tokens: Mapping[str, TokenReader] | None = None
    """How the tokens of texts are read, by model."""

    @property
    def finished(self) -> bool:
        """Whether everything that was asked for is there."""
        return not self.missing and self.info.get("status") == "finished"


@dataclass(frozen=True, slots=True)
class Entry:
    """One result, and what it is called in the table that it stands in."""

    label: str
    scored: Scored
    source: Source

    def tokens(self, texts: Sequence[str]) -> TokenTable | None:
        """The tokens of some texts, where the store still has them."""
        reader = (self.source.tokens or {}).get(self.scored.model)
        return reader(texts) if reader else None


def list_entries(sources: Sequence[Source]) -> list[Entry]:
    """Every result under its model's name; a board gives other names where that is not enough."""
    return [Entry(scored.model, scored, source) for source in sources for scored in source.results]
