"""Scores that were made elsewhere, looked up as they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from priscian.models import PrecomputedScores
from priscian.models.surprisals.provider import SurprisalsProvider as SurprisalsProvider  # old home
from priscian.records import Text, TokenScores


class LookedUp(Mapping[Text, TokenScores]):
    """Precomputed scores of some texts as a mapping; each is looked up when it is asked for."""

    def __init__(self, model: PrecomputedScores, texts: Sequence[Text]) -> None:
        self._model = model
        self._texts = dict.fromkeys(texts)

    def __getitem__(self, text: Text) -> TokenScores:
        return self._model.look_up(text)

    def __iter__(self) -> Iterator[Text]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
