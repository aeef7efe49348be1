"""Score texts of any length: those that do not fit a model's context with a sliding window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from priscian.models import (
    LanguageModel,
    LoadedModel,
    ModelKey,
    ModelSpec,
    TorchModel,
    agreed_key,
    open_model,
)
from priscian.records import Text, TokenScores
from priscian.scoring.engine import score_texts
from priscian.scoring.entropy import CHANNEL as ENTROPY
from priscian.scoring.entropy import missing_entropies, read_entropies, store_entropies
from priscian.scoring.scored import Progress
from priscian.scoring.store import ScoreStore
from priscian.scoring.windows import Window, cut_windows, join_windows

Settle = Callable[[Text, TokenScores], TokenScores]


@dataclass(frozen=True, slots=True)
class LongOptions:
    """How long texts are read, and what is computed besides log-probabilities.

    `stride` is the number of tokens that a window scores: half of what the model reads by default.
    `boundary` and `entropy` request these channels; `settle` is applied to the scores of every
    window before they are joined, with its channels.
    """

    stride: int | None = None
    boundary: bool = False
    entropy: bool = False
    settle: Settle = lambda text, scores: scores


@dataclass(frozen=True, slots=True)
class LongScores:
    """Scores of every text; the windows of those that did not fit; how many tokens fit."""

    scores: dict[Text, TokenScores]
    windows: dict[Text, int]
    limit: int | None = None


def score_long_texts(
    spec: ModelSpec,
    texts: Sequence[Text],
    store: ScoreStore,
    options: LongOptions,
    *,
    loaded: LoadedModel | None = None,
    progress: Progress = lambda done, total: None,
) -> LongScores:
    """Every text's token scores; the model is loaded only if a text is not in the store."""
    texts = list(dict.fromkeys(texts))
    key = agreed_key(spec, None, loaded)
    missing = _missing(key, texts, store, options)
    parts = {text: [Window(text, 0)] for text in texts}
    limit = None
    if any(missing):
        loaded = loaded or open_model(spec, key)
        model = loaded.model
        limit = _limit(model, options)
        if limit is not None and isinstance(model, TorchModel):
            for text, gone in zip(texts, missing, strict=True):
                if gone:
                    parts[text] = cut_windows(text, model.encode, limit, options.stride)
    asked = [window.text for windows in parts.values() for window in windows]
    entropies: dict[Text, tuple[float, ...]] = {}
    if options.entropy:
        entropies = read_entropies(key, asked, store)
        if lacking := [text for text in dict.fromkeys(asked) if text not in entropies]:
            loaded = loaded or open_model(spec, key)
            entropies |= store_entropies(loaded, lacking, store)
    found = score_texts(
        spec,
        asked,
        store,
        key=key,
        loaded=loaded,
        boundary=asked if options.boundary else (),
        progress=progress,
    ).scores
    settled = {text: options.settle(text, scores) for text, scores in found.items()}
    for text, values in entropies.items():
        settled[text] = replace(settled[text], channels={ENTROPY: values})
    whole = {
        text: join_windows(windows, [settled[w.text] for w in windows])
        for text, windows in parts.items()
    }
    return LongScores(whole, {t: len(w) for t, w in parts.items() if len(w) > 1}, limit)


def _missing(
    key: ModelKey, texts: Sequence[Text], store: ScoreStore, options: LongOptions
) -> list[bool]:
    missing = store.missing(key, texts)
    if not options.entropy:
        return missing
    without = frozenset(missing_entropies(key, texts, store))
    return [gone or text in without for text, gone in zip(texts, missing, strict=True)]


def _limit(model: LanguageModel | TorchModel, options: LongOptions) -> int | None:
    """How many tokens a window may have; the boundary channel reads one more."""
    if not isinstance(model, TorchModel) or model.context_length is None:
        return None
    return model.context_length - (1 if options.boundary else 0)
