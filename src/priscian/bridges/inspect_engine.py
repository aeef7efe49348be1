"""Token log-probabilities for inspect_ai: texts of many requests are scored together.

Needs nothing of inspect_ai, so that it can be tested alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from priscian.errors import ScoreError
from priscian.models import LoadedModel, parse_model
from priscian.records import Text, TokenScores
from priscian.scoring import Options, ScoreStore, score_texts

GATHER = 0.05
"""Seconds to wait for further requests before a batch is scored."""

Sleep = Callable[[float], Awaitable[None]]
InThread = Callable[[Callable[[], None]], Awaitable[None]]


class BatchScorer:
    """Scores texts that are asked for one by one, as many as are waiting at a time.

    `sleep` and `in_thread` are those of the event loop; scoring runs in a thread, in one process:
    worker processes are not forked from a running loop.
    """

    def __init__(self, model: str, sleep: Sleep, in_thread: InThread) -> None:
        self.spec = parse_model(model)
        self.batches = 0
        self._sleep, self._in_thread = sleep, in_thread
        self._waiting: dict[Text, None] = {}
        self._found: dict[Text, TokenScores] = {}
        self._lost: set[Text] = set()
        self._busy = False
        self._loaded: LoadedModel | None = None

    async def tokens(self, text: str) -> list[tuple[str, float]]:
        """Each scored token of a text with its natural-log probability."""
        asked = Text(text)
        if asked not in self._found:
            self._lost.discard(asked)
            self._waiting[asked] = None
        while asked not in self._found:
            await self._sleep(GATHER)
            if asked in self._lost:
                raise ScoreError(
                    f"{self.spec.label} failed on a batch with {text!r}; another request has the "
                    "reason"
                )
            if not self._busy and self._waiting:
                await self._work()
        found = self._found[asked]
        return [
            (text[start:end], logp)
            for start, end, logp in zip(found.starts, found.ends, found.logps, strict=True)
            if logp == logp  # the first token of a model without BOS has no score
        ]

    async def _work(self) -> None:
        self._busy = True
        texts, self._waiting = list(self._waiting), {}
        try:
            await self._in_thread(lambda: self._score(texts))
        finally:  # whatever happens, no request waits for a text that is not scored
            self._busy = False
            self._lost |= {text for text in texts if text not in self._found}

    def _score(self, texts: list[Text]) -> None:
        with ScoreStore.default() as store:
            scored = score_texts(
                self.spec, texts, store, loaded=self._loaded, options=Options(workers=1)
            )
        self._loaded = scored.loaded
        self._found.update(scored.scores)
        self.batches += 1
