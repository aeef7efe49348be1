"""What all backends share: identity, canary, key, and a model that is checked while it is used.

Canaries that were seen before are kept, so that rounding noise does not give a model two keys: a
file in the cache folder for each identity (URL and served model, or the contents of a file). A
canary that agrees with a saved one is the same model and gets the same key; any other is new.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from priscian.errors import BackendError, UsageError
from priscian.files import regular, write_json
from priscian.models.fingerprint import cache_folder
from priscian.models.hf.encoding import Tokenizer
from priscian.models.hf.locate import Location, import_transformers
from priscian.models.protocol import TorchModel, Traits
from priscian.models.remote.backend import ALONE, PromptEncoder, PromptScorer
from priscian.models.remote.canary import (
    ROUNDING,
    TOLERANCE,
    Canary,
    CanaryLimits,
    CanaryTexts,
    changed,
    check_mass,
    check_sentinel,
    difference,
    run_canary,
    sentinel,
)
from priscian.models.resolved import load
from priscian.models.spec import ModelKey, ModelSpec
from priscian.models.text_offsets import check_length, shorten
from priscian.records import Text, TokenScores

FIELD = "canary"

EVERY = 10_000
"""Texts after which the whole canary runs again."""
AT_ONCE = 64
"""Texts of a batch: what is lost at most if a server fails."""
REFERENCE_TEXTS = 16
SHARED_OPTIONS = frozenset(
    {"name", "bos", "tokenizer", "remote_code", "tolerance", "calibration", "reference"}
)


def number(spec: ModelSpec, name: str, default: str, least: float, most: float) -> float:
    """The value of an option; anything but a number in the range is refused."""
    given = spec.options.get(name, default)
    try:
        value = float(given)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise UsageError(f"{spec}: {name}={given} must be a number from {least:g} to {most:g}")
    return value


def saved_canaries(identity: Mapping[str, str]) -> list[Canary]:
    """Every canary that this identity has given, the oldest first."""
    try:
        rows = json.loads(regular(_file(identity)).read_text("utf-8"))["canaries"]
        return [Canary(tuple(map(float, row["logps"])), float(row["error"])) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return []


def settle(identity: Mapping[str, str], canary: Canary) -> Canary:
    """The saved canary of the same model; a canary unlike all saved ones is saved.

    Two are the same if no log-probability differs by more than rounding, or than batching does.
    """
    known = saved_canaries(identity)
    for old in known:
        if old.distance(canary) <= max(ROUNDING, old.error, canary.error):
            return old
    rows = [{"logps": list(c.logps), "error": c.error} for c in (*known, canary)]
    path = _file(identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"identity": dict(identity), "canaries": rows})
    return canary


def key_of(identity: Mapping[str, str], canary: Canary) -> ModelKey:
    """The model key: the identity and the rounded log-probabilities of the canary."""
    digest = hashlib.sha256(canary.rounded.encode()).hexdigest()[:32]
    return ModelKey({**identity, FIELD: digest})


def _file(identity: Mapping[str, str]) -> Path:
    return cache_folder() / "canaries" / f"{ModelKey(identity).digest}.json"


def limits_of(spec: ModelSpec) -> CanaryLimits:
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
    return CanaryLimits(tolerance, calibration == "check")


def make_encoder(spec: ModelSpec, place: Location) -> PromptEncoder:
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
    return PromptEncoder(tokenizer, bos)


@dataclass(slots=True)
class BackendModel:
    """A model with `score(texts)` whose log-probabilities come from a backend.

    Every batch contains one text of the canary, so that a swapped model is noticed before
    anything it said is stored.
    """

    spec: ModelSpec
    backend: PromptScorer
    encoder: PromptEncoder
    probes: CanaryTexts
    canary: Canary
    limits: CanaryLimits
    texts_at_once: int = AT_ONCE
    scored: int = 0

    @property
    def error(self) -> float:
        """How much scoring texts together changes a log-probability."""
        return self.canary.error

    @property
    def notes(self) -> dict[str, str]:
        """For the record of a run."""
        said = self.encoder.tokenizer.bos_note(self.encoder.bos)
        return {"bos": said, **self.backend.notes, **self.canary.notes}

    def score(self, texts: Sequence[Text]) -> list[TokenScores]:
        """Token scores of the texts' own tokens; ids are made here."""
        encodings = self.encoder.encode(texts)
        check_length(texts, encodings, self.backend.context_length)
        name, tolerance = self.spec.label, self.limits.tolerance
        if self.scored // EVERY != (self.scored + len(texts)) // EVERY:
            again = run_canary(name, self.probes, self.backend.logprobs, self.limits)
            if again.distance(self.canary) > max(tolerance, self.error):
                raise changed(name)
        self.scored += len(texts)
        rows = self.encoder.rows(texts, encodings)
        watched, *answers = self.backend.logprobs([sentinel(self.probes), *rows])
        check_sentinel(name, self.canary, watched, tolerance)
        check_mass(name, answers)
        return [
            TokenScores(e.starts, e.ends, answer.logps[e.first : e.first + len(e.starts)])
            for e, answer in zip(encodings, answers, strict=True)
        ]

    def compare(self, reference: TorchModel) -> None:
        """Compare some texts of the canary with the same weights under `hf:`."""
        rows = self.probes.rows()[:REFERENCE_TEXTS]
        texts = [Text(row.text[row.opening :]) for row in rows]
        encodings = self.encoder.encode(texts)
        theirs = self.backend.logprobs(self.encoder.rows(texts, encodings), ALONE)
        worst = 0.0
        for text, encoding, answer in zip(texts, encodings, theirs, strict=True):
            own = slice(encoding.first, encoding.first + len(encoding.starts))
            both = answer.logps[own], reference.reference(encoding)
            off = difference(*([0.0 if math.isnan(p) else p for p in logps] for logps in both))
            if off > self.limits.tolerance:
                raise BackendError(
                    f"{self.spec.label} differs from reference= by {off:.2g} nats in "
                    f"{shorten(text.text)!r}, more than {self.limits.tolerance:g}: it is another "
                    f"model, revision or precision; correct one of them, or raise tolerance="
                )
            worst = max(worst, off)
        notes = {**self.canary.notes, "difference from reference": f"{worst:.2g} nats"}
        self.canary = replace(self.canary, notes=notes)


class BackendProvider:
    """Opens backends, at most one at a time, and runs the canary on each."""

    options: frozenset[str] = SHARED_OPTIONS
    may_change = False
    """Whether the model behind the same identity may change, as on a server."""

    def __init__(self) -> None:
        self._open: BackendModel | None = None

    def identity(self, spec: ModelSpec) -> dict[str, str]:
        """Fields of the key that are known without the model."""
        raise NotImplementedError

    def connect(self, spec: ModelSpec) -> tuple[PromptScorer, PromptEncoder]:
        """The engine with its model, and the tokenizer."""
        raise NotImplementedError

    def key(self, spec: ModelSpec) -> ModelKey:
        """Identity and canary; a server is asked each time, a file only the first time."""
        self._check(spec)
        identity = self.identity(spec)
        if not self.may_change:
            known = saved_canaries(identity)
            if known:
                return key_of(identity, known[0])
        return key_of(identity, self._session(spec).canary)

    def load(self, spec: ModelSpec) -> BackendModel:
        """The model; its canary has passed in this process."""
        self._check(spec)
        model = self._session(spec)
        known = saved_canaries(self.identity(spec))
        limit = max(model.limits.tolerance, model.error)
        if not self.may_change and known and known[0].distance(model.canary) > limit:
            raise changed(spec.label)
        if "reference" in spec.options:
            reference = load(spec.options["reference"])
            if not isinstance(reference, TorchModel):
                raise UsageError(
                    f"{spec}: reference= must be a causal Transformers model (hf:PATH)"
                )
            model.compare(reference)
        return model

    def traits(self, spec: ModelSpec) -> Traits:
        """Left to right, token by token."""
        return Traits(options=self.options, scores_first=spec.options.get("bos") != "none")

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """None: an engine holds one model."""
        return []

    def _check(self, spec: ModelSpec) -> None:
        spec.check_options(self.options)
        limits_of(spec)

    def _session(self, spec: ModelSpec) -> BackendModel:
        """The open model if it still answers as it did, else a new one with its canary."""
        if self._open is not None and self._open.spec == spec:
            model = self._open
            if not self.may_change:
                return model
            with contextlib.suppress(BackendError):
                answer = model.backend.logprobs([sentinel(model.probes)])[0]
                check_sentinel(spec.label, model.canary, answer, ROUNDING)
                return model
        self._open = None
        identity = self.identity(spec)
        backend, encoder = self.connect(spec)
        probes = CanaryTexts.encode(encoder)
        limits = limits_of(spec)
        canary = run_canary(spec.label, probes, backend.logprobs, limits)
        kept = replace(settle(identity, canary), notes=canary.notes)
        self._open = BackendModel(spec, backend, encoder, probes, kept, limits)
        return self._open
