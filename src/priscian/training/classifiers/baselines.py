"""Baselines: the majority label, a bag of n-grams, a language model's score and a threshold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import compress

import numpy as np

from priscian.metrics import find_measure
from priscian.models import parse_model
from priscian.models.classifier.folder import SLOR
from priscian.models.classifier.heads import LONGEST, Bag, count_ngrams, ngrams
from priscian.records import Sentence, Text, TokenScores
from priscian.scoring import ScoreStore, score_texts
from priscian.stats.logistic import fit_ridge
from priscian.stats.matthews import matthews
from priscian.training.classifiers.probe import FOLDS, ROUGH, folds_of
from priscian.workers import Progress

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
