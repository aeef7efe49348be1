"""A model in another engine: encoded here, scored there, watched by the canary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from priscian.errors import BackendError, UsageError
from priscian.models.hf.encoding import Tokenizer
from priscian.models.hf.loading import import_transformers
from priscian.models.hf.locate import Place
from priscian.models.protocol import TorchModel
from priscian.models.remote.backend import ALONE, Backend, Encoder
from priscian.models.remote.canary import (
    TOLERANCE,
    Canary,
    Limits,
    Probes,
    changed,
    check_mass,
    check_sentinel,
    difference,
    run_canary,
    sentinel,
)
from priscian.models.spec import ModelSpec
from priscian.models.text_offsets import check_length, shorten
from priscian.records import Text, TokenScores

EVERY = 10_000
"""Texts after which the whole canary runs again."""
AT_ONCE = 64
"""Texts of a batch: what is lost at most if a server fails."""
REFERENCE_TEXTS = 16
SHARED_OPTIONS = frozenset(
    {"name", "bos", "tokenizer", "remote_code", "tolerance", "calibration", "reference"}
)


def limits_of(spec: ModelSpec) -> Limits:
    """What the canary may let pass, as the model string says."""
    given = spec.options.get("tolerance", str(TOLERANCE))
    try:
        tolerance = float(given)
    except ValueError:
        tolerance = math.nan
    if not 0 < tolerance < 10:
        raise UsageError(f"{spec}: tolerance={given} is not a positive number of nats, e.g. 0.02")
    calibration = spec.options.get("calibration", "check")
    if calibration not in ("check", "ignore"):
        raise UsageError(f"{spec}: calibration={calibration} must be check or ignore")
    return Limits(tolerance, calibration == "check")


def make_encoder(spec: ModelSpec, place: Place) -> Encoder:
    """The local tokenizer, and BOS as the policy says; a missing BOS must be said."""
    import_transformers()
    tokenizer = Tokenizer(spec, place)
    policy = spec.options.get("bos", "auto")
    bos = tokenizer.bos(policy)
    if bos is None and policy != "none":
        raise BackendError(
            f"the tokenizer of {spec} has no BOS: name the token that opens a text with bos=TOKEN, "
            f"or write bos=none, and the first token of a text is not scored"
        )
    return Encoder(tokenizer, bos)


@dataclass(slots=True)
class BackendModel:
    """A model with `score(texts)` whose log-probabilities come from a backend.

    Every batch contains one text of the canary, so that a swapped model is noticed before
    anything it said is stored.
    """

    spec: ModelSpec
    backend: Backend
    encoder: Encoder
    probes: Probes
    canary: Canary
    texts_at_once: int = AT_ONCE
    scored: int = 0

    @property
    def error(self) -> float:
        """How much scoring texts together changes a log-probability."""
        return self.canary.error

    @property
    def notes(self) -> dict[str, str]:
        """For the record of a run."""
        bos = self.encoder.bos
        said = "none: the first token of a text is not scored"
        if bos is not None:
            said = f"{self.encoder.tokenizer.hf.convert_ids_to_tokens(bos)} (id {bos})"
        return {"bos": said, **self.backend.notes, **self.canary.notes}

    def score(self, texts: Sequence[Text]) -> list[TokenScores]:
        """Token scores of the texts' own tokens; ids are made here."""
        encodings = self.encoder.encode(texts)
        check_length(texts, encodings, self.backend.context_length)
        self._watch(len(texts))
        rows = self.encoder.rows(texts, encodings)
        watched, *answers = self.backend.logprobs([sentinel(self.probes), *rows])
        limits = limits_of(self.spec)
        check_sentinel(self.spec.label, self.canary, watched, limits.tolerance)
        check_mass(self.spec.label, answers)
        return [
            TokenScores(e.starts, e.ends, answer.logps[e.first : e.first + len(e.starts)])
            for e, answer in zip(encodings, answers, strict=True)
        ]

    def _watch(self, texts: int) -> None:
        """Run the whole canary again after every 10,000 texts."""
        if self.scored // EVERY != (self.scored + texts) // EVERY:
            limits = limits_of(self.spec)
            again = run_canary(self.spec.label, self.probes, self.backend.logprobs, limits)
            if again.distance(self.canary) > max(limits.tolerance, self.error):
                raise changed(self.spec.label)
        self.scored += texts


def check_reference(
    model: BackendModel, reference: TorchModel, texts: Sequence[Text], tolerance: float
) -> float:
    """Compare a backend with the same weights under `hf:`; the largest difference in nats."""
    encodings = model.encoder.encode(texts)
    theirs = model.backend.logprobs(model.encoder.rows(texts, encodings), ALONE)
    worst = 0.0
    for text, encoding, answer in zip(texts, encodings, theirs, strict=True):
        own = slice(encoding.first, encoding.first + len(encoding.starts))
        off = difference(_scored(answer.logps[own]), _scored(reference.reference(encoding)))
        if off > tolerance:
            raise BackendError(
                f"{model.spec.label} differs from reference= by {off:.2g} nats in "
                f"{shorten(text.text)!r}, more than {tolerance:g}: it is another model, revision "
                f"or precision; correct one of them, or raise tolerance="
            )
        worst = max(worst, off)
    return worst


def _scored(logps: Sequence[float]) -> list[float]:
    return [0.0 if math.isnan(p) else p for p in logps]
