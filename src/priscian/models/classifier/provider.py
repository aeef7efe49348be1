"""`classifier:` — acceptability classifiers that `priscian train classifier` has written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError, UnknownNameError
from priscian.models.classifier.encoder import View, load_encoder
from priscian.models.classifier.folder import (
    HEAD,
    MAJORITY,
    NGRAMS,
    ON_STATES,
    THRESHOLDS,
    WEIGHTS,
    ClassifierCard,
    RestartCard,
    find_restart,
    read_card,
)
from priscian.models.classifier.heads import read_bag, read_head
from priscian.models.classifier.states import pooled_states
from priscian.models.fingerprint import hash_file
from priscian.models.protocol import Traits, no_tokens
from priscian.models.spec import ModelKey, ModelSpec
from priscian.records import Text, TokenScores

Floats = npt.NDArray[np.float64]

CONFIDENCE, LOGIT, CALIBRATED = "confidence", "logit", "calibrated"
KINDS = (CONFIDENCE, LOGIT, CALIBRATED)

PROVIDER = "classifier"
OPTIONS = frozenset({"score", "name"})
PARTS = (HEAD, WEIGHTS, "vocabulary.json")

Logits = Callable[[Sequence[str]], Floats]


def probabilities(logits: Sequence[float] | npt.NDArray[Any], temperature: float = 1.0) -> Floats:
    """The probability of `acceptable`: 1 / (1 + exp(−logit / temperature))."""
    x = np.asarray(logits, np.float64) / temperature
    return np.where(x >= 0, 1.0, np.exp(np.minimum(x, 0.0))) / (1.0 + np.exp(-np.abs(x)))


def confidences(logits: Sequence[float] | npt.NDArray[Any]) -> Floats:
    """The likelier label, −1 or +1, times its probability (Vázquez Martínez 2021, Equation 5).

    An even split counts as −1, as in `priscian.metrics.adc.label_confidence`.

    >>> [round(float(c), 3) for c in confidences([2.0, -2.0, 0.0])]
    [0.881, -0.881, -0.5]
    """
    x = np.asarray(logits, np.float64)
    return np.where(x > 0, 1.0, -1.0) * probabilities(np.abs(x))


def grade(logits: npt.NDArray[Any], kind: str, temperature: float = 1.0) -> Floats:
    """One number for each text: higher is better."""
    if kind == CONFIDENCE:
        return confidences(logits)
    if kind == LOGIT:
        return np.asarray(logits, np.float64)
    if kind == CALIBRATED:
        return probabilities(logits, temperature)
    raise UnknownNameError("score of a classifier", kind, KINDS)


class ClassifierProvider:
    """Acceptability classifiers of `priscian train classifier`: one number for each text."""

    example = "classifier:my-classifier?score=logit"

    def key(self, spec: ModelSpec) -> ModelKey:
        """Encoder, weights, training data, seed, method and kind of score; nothing is loaded."""
        spec.check_options(OPTIONS)
        kind = _kind(spec)
        card, restart = find_restart(spec.path, spec.revision)
        _refuse_thresholds(spec, card)
        fields = {
            "provider": PROVIDER,
            "method": card.method,
            "encoder": card.encoder_key,
            "data": card.data_digest,
            "seed": str(restart.seed),
            "view": restart.view,
            "score": kind,
            "intercept": repr(restart.intercept),
        }
        if kind == CALIBRATED:
            fields["temperature"] = repr(restart.temperature)
        folder = spec.path / restart.folder
        files = {name: hash_file(folder / name) for name in PARTS if (folder / name).is_file()}
        return ModelKey(fields | files)

    def load(self, spec: ModelSpec) -> Classifier:
        """The classifier; its encoder is loaded when the first text is graded."""
        spec.check_options(OPTIONS)
        card, restart = find_restart(spec.path, spec.revision)
        _refuse_thresholds(spec, card)
        return Classifier(spec, card, restart)

    def traits(self, spec: ModelSpec) -> Traits:
        """Grades whole texts; has no tokens."""
        return Traits(options=OPTIONS, grades=True, references=("adc", "cola"))

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Every restart whose name matches."""
        found = [r.folder for r in read_card(spec.path).restarts]
        return [spec.at(name) for name in found if fnmatch(name, pattern)]


class Classifier:
    """One restart of a classifier."""

    def __init__(self, spec: ModelSpec, card: ClassifierCard, restart: RestartCard) -> None:
        self.spec = spec
        self.card = card
        self.restart = restart
        self.kind = _kind(spec)
        folder = spec.path / restart.folder
        self._logits: Logits
        if card.method == MAJORITY:
            self._logits = lambda texts: np.full(len(texts), restart.intercept)
        elif card.method == NGRAMS:
            self._logits = read_bag(folder).logits
        elif card.method in ON_STATES:
            self._logits = _on_states(folder, card, restart)
        else:
            self._logits = _tuned(folder, card, restart)

    def grade(self, texts: Sequence[Text]) -> list[float]:
        """One number for each text, higher is better."""
        for text in texts:
            if text.context:
                raise ModelError(
                    f"{self.spec.label} was trained on single sentences and cannot read a context "
                    f"({text.context[:40]!r}); use data without contexts, or a language model"
                )
        logits = self._logits([text.text for text in texts])
        return [float(g) for g in grade(logits, self.kind, self.restart.temperature)]

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """An error: there are no tokens."""
        raise ModelError(no_tokens(self.spec.label))


def _kind(spec: ModelSpec) -> str:
    kind = spec.options.get("score", CONFIDENCE)
    if kind not in KINDS:
        raise UnknownNameError("score of a classifier", kind, KINDS)
    return kind


def _refuse_thresholds(spec: ModelSpec, card: ClassifierCard) -> None:
    if card.method in THRESHOLDS:
        raise ModelError(
            f"{spec.label} is {card.encoder} with a threshold; score {card.encoder} itself"
        )


def _on_states(folder: Path, card: ClassifierCard, restart: RestartCard) -> Logits:
    head = read_head(folder / HEAD)
    view = View.parse(restart.view)

    def logits(texts: Sequence[str]) -> Floats:
        states = pooled_states(card.encoder, texts, [view], digest=card.encoder_key)[view]
        if len(texts) and states.shape[1] != len(head.mean):
            raise ModelError(
                f"{folder / HEAD} is a head for vectors of width {len(head.mean)}, but "
                f"{card.encoder} has {states.shape[1]}; put its own file back or train it again"
            )
        return head.logits(states)

    return logits


def _tuned(folder: Path, card: ClassifierCard, restart: RestartCard) -> Logits:
    from priscian.models.classifier.tuned import TunedEncoder

    made: list[TunedEncoder] = []

    def logits(texts: Sequence[str]) -> Floats:
        if not made:
            encoder = load_encoder(card.encoder, card.encoder_key)
            net = TunedEncoder(encoder, restart.view, lora=card.method == "lora")
            net.restore(folder / WEIGHTS)
            made.append(net)
        return made[0].logits(texts)

    return logits
