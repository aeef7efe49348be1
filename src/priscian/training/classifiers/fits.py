"""One restart of every method, baselines included: from a seed to the logits of texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian.metrics import find_measure
from priscian.metrics.labels import best_threshold
from priscian.models import parse_model
from priscian.models.classifier.folder import (
    HEAD,
    LORA,
    MAJORITY,
    NGRAMS,
    ON_STATES,
    PROBE,
    SLOR,
    THRESHOLDS,
    WEIGHTS,
)
from priscian.models.classifier.heads import LONGEST, Bag, LinearHead, MlpHead, count_ngrams, ngrams
from priscian.models.classifier.states import pooled_states
from priscian.models.safetensors_file import write_safetensors
from priscian.records import Sentence, Text, TokenScores
from priscian.scoring import ScoreStore, score_texts
from priscian.stats.logistic import fit_ridge
from priscian.stats.matthews import matthews
from priscian.training.classifiers.data import ClassifierData
from priscian.training.classifiers.probe import (
    FOLDS,
    ROUGH,
    Bound,
    ProbeChoice,
    choose_view,
    fit_probe,
    folds_of,
)
from priscian.training.classifiers.settings import ClassifierSettings
from priscian.workers import Progress, Say

BAG_CS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
OFTEN = 2
"""An n-gram must occur in this many sentences."""


UNIGRAMS = "builtin:ngram?order=1"
"""Word frequencies for SLOR: those of the built-in n-gram model."""


def majority_logit(labels: Sequence[bool]) -> float:
    """The log-odds of the labels: every sentence gets the more frequent one."""
    good = sum(map(bool, labels))
    return math.log((good + 0.5) / (len(labels) - good + 0.5))


def bag_vocabulary(
    texts: Sequence[str], longest: int = LONGEST, often: int = OFTEN
) -> dict[str, int]:
    """Every n-gram that enough sentences have, in alphabetical order."""
    counts = Counter(gram for text in texts for gram in set(ngrams(text, longest)))
    return {g: n for n, g in enumerate(sorted(g for g, count in counts.items() if count >= often))}


def fit_bag(
    texts: Sequence[str],
    labels: Sequence[bool],
    c: float = 1.0,
    longest: int = LONGEST,
    often: int = OFTEN,
) -> Bag:
    """Logistic regression on counts of n-grams."""
    vocabulary = bag_vocabulary(texts, longest, often)
    fit = fit_ridge(count_ngrams(texts, vocabulary, longest), list(labels), c)
    return Bag(
        vocabulary, fit.weights.astype(np.float32), float(np.float32(fit.intercept)), longest
    )


def choose_bag_c(
    texts: Sequence[str], labels: Sequence[bool], seed: int = 1, cs: Sequence[float] = BAG_CS
) -> dict[float, float]:
    """Matthews' correlation of held-out predictions in 5 folds, for each inverse penalty."""
    truth = np.asarray(labels, bool)
    folds = folds_of(labels, FOLDS, seed)
    guesses = {c: np.zeros(len(truth), bool) for c in cs}
    for fold in range(FOLDS):
        inside, outside = folds != fold, folds == fold
        known = list(compress(texts, inside))
        vocabulary = bag_vocabulary(known)
        x = count_ngrams(known, vocabulary, LONGEST)
        held = count_ngrams(list(compress(texts, outside)), vocabulary, LONGEST)
        for c in cs:
            fit = fit_ridge(x, truth[inside].tolist(), c, None, ROUGH)
            guesses[c][outside] = fit.logits(held) > 0
    return {c: matthews(truth.tolist(), guess.tolist()) for c, guess in guesses.items()}


def language_model_scores(
    model: str,
    measure: str,
    texts: Sequence[str],
    progress: Progress = lambda done, total: None,
) -> dict[str, float]:
    """log p or SLOR of each text; token scores are kept in the store."""
    spec = parse_model(model)
    asked = [Text(text) for text in dict.fromkeys(texts)]
    with ScoreStore.default() as store:
        scores = score_texts(spec, asked, store, progress=progress).scores
        if measure != SLOR:
            return {text.text: scores[text].total for text in asked}
        words = score_texts(UNIGRAMS, asked, store).scores

    def unigrams(sentence: Sentence) -> TokenScores:
        return words[Text(sentence.text)]

    rank = find_measure(SLOR, unigrams)
    return {t.text: -rank(scores[t], Sentence(t.text), "*") for t in asked}


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A restart: logits of texts, how its weights are saved, and what its card says of it."""

    logits: Callable[[Sequence[str]], Floats]
    save: Callable[[Path], None] = lambda folder: None
    view: str = ""
    intercept: float = 0.0
    log: Mapping[str, object] = field(default_factory=dict)


Fit = Callable[[int], Fitted]  # from a seed


def fitter(
    settings: ClassifierSettings, data: ClassifierData, out: Path, say: Say, bound: Bound
) -> Fit:
    """A function that fits one restart; what restarts share is computed on the first one."""
    method = settings.method
    if method == MAJORITY:
        return lambda seed: _majority(data)
    if method == NGRAMS:
        return lambda seed: _ngrams(data, seed)
    if method in THRESHOLDS:
        return lambda seed: _threshold(settings, data)
    if method in ON_STATES:
        chosen: list[ProbeChoice] = []

        def on_states(seed: int) -> Fitted:
            if not chosen:
                chosen.append(choose_view(settings, data, out, say, bound))
            return _on_states(settings, data, chosen[0], seed, bound.encoder)

        return on_states
    return lambda seed: _tuned(settings, data, seed, say, bound.encoder)


def _majority(data: ClassifierData) -> Fitted:
    logit = majority_logit(data.train.labels)
    return Fitted(lambda texts: np.full(len(texts), logit), intercept=logit)


def _ngrams(data: ClassifierData, seed: int) -> Fitted:
    tried = choose_bag_c(data.train.texts, data.train.labels, seed)
    best = max(tried, key=lambda c: (tried[c], -c))
    bag = fit_bag(data.train.texts, data.train.labels, best)
    log: dict[str, object] = {"c": best, "cross_validated": {f"{c:g}": v for c, v in tried.items()}}
    return Fitted(bag.logits, bag.save, log=log | {"ngrams": len(bag.vocabulary)})


def _threshold(settings: ClassifierSettings, data: ClassifierData) -> Fitted:
    scores = language_model_scores(settings.encoder, settings.method, data.all_texts())
    own = [scores[text] for text in data.train.texts]
    threshold = best_threshold(own, list(data.train.labels))
    return Fitted(  # a score less the threshold counts as a logit
        lambda texts: np.asarray([scores[text] for text in texts], np.float64) - threshold,
        intercept=-threshold,
        log={"threshold": threshold},
    )


def _on_states(
    settings: ClassifierSettings,
    data: ClassifierData,
    choice: ProbeChoice,
    seed: int,
    encoder: str,
) -> Fitted:
    view = choice.view

    def states(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return pooled_states(settings.encoder, texts, [view], digest=encoder)[view]

    own = states(data.train.texts)
    log: dict[str, object] = {"cross_validated": choice.views.get(view)}
    head: LinearHead | MlpHead
    if settings.method == PROBE:
        head = fit_probe(own, data.train.labels, choice.c)
        log["c"] = choice.c
    else:
        from priscian.training.classifiers.networks import fit_mlp

        head = fit_mlp(own, data.train.labels, seed, settings.steps)
    return Fitted(
        lambda texts: head.logits(states(texts)),
        lambda folder: head.save(folder / HEAD),
        str(view),
        log=log,
    )


def _tuned(
    settings: ClassifierSettings, data: ClassifierData, seed: int, say: Say, encoder: str
) -> Fitted:
    from priscian.training.classifiers.networks import tune

    net, losses = tune(
        settings.encoder, data.train, seed, settings.steps, pooling=settings.pooling,
        lora=settings.method == LORA, say=say, digest=encoder,
    )  # fmt: skip
    return Fitted(
        net.logits,
        lambda folder: write_safetensors(folder / WEIGHTS, net.trained()),
        net.pooling,
        log={"losses": losses},
    )
