"""Layer, pooling and penalty of logistic regression on frozen states, by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from priscian.errors import DataError, UsageError
from priscian.files import read_json, write_json
from priscian.models.classifier.encoder import Floats32, View, load_encoder
from priscian.models.classifier.folder import Sealed
from priscian.models.classifier.heads import LinearHead, spread, standardise
from priscian.models.classifier.states import pooled_states
from priscian.stats.logistic import GRADIENT, RidgeFit, fit_ridge
from priscian.stats.matthews import matthews
from priscian.training.classifiers.data import ClassifierData
from priscian.training.classifiers.settings import ClassifierSettings
from priscian.workers import Say

CS = (1e-3, 1e-2, 1e-1, 1.0)
"""Inverse penalties that are tried."""
FIRST_C = 1e-2
"""The penalty under which views are compared."""
FINALISTS = 3
"""Views for which every penalty is tried."""
FOLDS = 5
ROUGH = 1e-5
"""Gradient at which a fit of the cross-validation ends: near enough to count labels."""
FILE = "views.json"


@dataclass(frozen=True, slots=True)
class ProbeChoice:
    """The chosen view and penalty; correlations in cross-validation by view and by penalty."""

    view: View
    c: float
    views: Mapping[View, float]
    penalties: Mapping[float, float]


def folds_of(labels: Sequence[bool], folds: int, seed: int) -> npt.NDArray[np.int64]:
    """A fold for each example, drawn by seed, with both labels spread evenly."""
    truth = np.asarray(labels, bool)
    rng = np.random.default_rng(seed)
    found = np.empty(len(truth), np.int64)
    for label in (False, True):
        where = rng.permutation(np.flatnonzero(truth == label))
        found[where] = np.arange(len(where)) % folds
    return found


def cross_validate(
    states: Floats32,
    labels: Sequence[bool],
    cs: Sequence[float],
    folds: npt.NDArray[np.int64],
) -> dict[float, float]:
    """Matthews' correlation of held-out predictions, for each inverse penalty."""
    truth = np.asarray(labels, bool)
    guesses = {c: np.zeros(len(truth), bool) for c in cs}
    for fold in range(int(folds.max()) + 1):
        inside, outside = folds != fold, folds == fold
        mean, scale = spread(states[inside])
        x = standardise(states[inside], mean, scale)
        held = standardise(states[outside], mean, scale)
        fit: RidgeFit | None = None
        for c in sorted(cs):  # each fit begins where the one before ended
            fit = fit_ridge(x, truth[inside].tolist(), c, fit, ROUGH)
            guesses[c][outside] = fit.logits(held) > 0
    return {c: matthews(truth.tolist(), guess.tolist()) for c, guess in guesses.items()}


def choose_probe(
    states: Mapping[View, Floats32],
    labels: Sequence[bool],
    *,
    cs: Sequence[float] = CS,
    seed: int = 1,
    say: Say = lambda line: None,
) -> ProbeChoice:
    """The best layer and pooling under one penalty; then, of the best three, the best penalty."""
    folds = folds_of(labels, FOLDS, seed)
    views: dict[View, float] = {}
    for number, (view, vectors) in enumerate(states.items(), 1):
        views[view] = cross_validate(vectors, labels, [FIRST_C], folds)[FIRST_C]
        say(f"view {number} of {len(states)}: {view}, MCC {views[view]:.3f}")
    best = sorted(views, key=lambda v: (-views[v], v))[:FINALISTS]
    found = {
        (view, c): value
        for view in best
        for c, value in cross_validate(states[view], labels, cs, folds).items()
    }
    view, c = max(found, key=lambda at: (found[at], -at[1]))
    return ProbeChoice(view, c, views, {c: found[view, c] for c in cs})


def fit_probe(
    states: Floats32,
    labels: Sequence[bool],
    c: float,
    *,
    gradient: float = GRADIENT,
) -> LinearHead:
    """A logistic regression on standardised vectors."""
    mean, scale = spread(states)
    fit = fit_ridge(standardise(states, mean, scale), list(labels), c, gradient=gradient)
    return LinearHead(mean, scale, fit.weights.astype(np.float32), float(np.float32(fit.intercept)))


@dataclass(frozen=True, slots=True)
class Bound:
    """What all restarts of a classifier have in common, as hashes."""

    job: str
    """Of data, encoder, method and settings."""
    encoder: str = ""
    """The encoder's key."""


class _Kept(Sealed, frozen=True, kw_only=True):
    view: str
    c: float
    views: dict[str, float]
    penalties: dict[str, float]


def choose_view(
    settings: ClassifierSettings, data: ClassifierData, out: Path, say: Say, bound: Bound
) -> ProbeChoice:
    """Layer, pooling and penalty by cross-validation on the training sentences.

    The result is kept in OUT/views.json, so that a resumed training has the same.
    """
    file = out / FILE
    if file.is_file():
        return _read(file, bound.job)
    encoder = load_encoder(settings.encoder, bound.encoder)
    views = [
        view
        for view in encoder.views()
        if settings.layer in (None, view.layer) and settings.pooling in ("", view.pooling)
    ]
    if not views:
        encoder.check([View(settings.layer or 0, settings.pooling or encoder.poolings[0])])
    say(f"hidden states of {len(data.train.texts):,} sentences, {len(views)} views …")
    told = [0.0]

    def progress(done: int, total: int) -> None:
        if done >= told[0] + total / 10 or done == total:
            told[0] = done
            say(f"hidden states: {done:,} of {total:,} sentences")

    states = pooled_states(encoder, data.train.texts, views, progress=progress)
    choice = choose_probe(states, data.train.labels, seed=settings.seed, say=say)
    kept = _Kept(
        view=str(choice.view),
        c=choice.c,
        views={str(view): value for view, value in choice.views.items()},
        penalties={repr(c): value for c, value in choice.penalties.items()},
        job=bound.job,
    )
    write_json(file, msgspec.to_builtins(kept.sealed()))
    return choice


def _read(file: Path, job: str) -> ProbeChoice:
    try:
        found = read_json(file, _Kept)
        if found.job not in ("", job):
            raise DataError("it is of another training")
        if not found.is_whole:
            raise DataError("it is not as it was written")
        return ProbeChoice(
            View.parse(found.view),
            found.c,
            {View.parse(view): value for view, value in found.views.items()},
            {float(c): value for c, value in found.penalties.items()},
        )
    except (DataError, UsageError, ValueError) as error:
        raise DataError(
            f"{file} does not hold a layer and a pooling ({error}); delete it, and it is made "
            "again with `resume=True`"
        ) from None
