"""One restart of every method: from a seed to a function that gives texts their logits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian.metrics.labels import best_threshold
from priscian.models.classifier.folder import (
    HEAD,
    LORA,
    MAJORITY,
    NGRAMS,
    ON_STATES,
    PROBE,
    THRESHOLDS,
    WEIGHTS,
)
from priscian.models.classifier.heads import LinearHead, MlpHead
from priscian.models.classifier.states import pooled_states
from priscian.models.safetensors_file import write_safetensors
from priscian.training.classifiers.baselines import (
    choose_bag_c,
    fit_bag,
    language_model_scores,
    majority_logit,
)
from priscian.training.classifiers.data import ClassifierData
from priscian.training.classifiers.probe import Bound, ProbeChoice, choose_view, fit_probe
from priscian.training.classifiers.settings import ClassifierSettings
from priscian.workers import Say

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
