"""What all backends share: identity, canary, key, and a model that is checked before use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from priscian.errors import BackendError, UsageError
from priscian.models.key import ModelKey
from priscian.models.protocol import TorchModel
from priscian.models.remote.backend import Backend, Encoder
from priscian.models.remote.canary import (
    ROUNDING,
    Canary,
    Probes,
    changed,
    check_sentinel,
    run_canary,
    sentinel,
)
from priscian.models.remote.fingerprints import key_of, saved_canaries, settle
from priscian.models.remote.model import (
    REFERENCE_TEXTS,
    SHARED_OPTIONS,
    BackendModel,
    check_reference,
    limits_of,
)
from priscian.models.spec import ModelSpec
from priscian.models.traits import Traits
from priscian.records import Text


class BackendProvider:
    """Opens backends, at most one at a time, and runs the canary on each."""

    options: frozenset[str] = SHARED_OPTIONS
    may_change = False
    """Whether the model behind the same identity may change, as on a server."""

    def __init__(self) -> None:
        self._open: tuple[ModelSpec, BackendModel] | None = None

    def identity(self, spec: ModelSpec) -> dict[str, str]:
        """Fields of the key that are known without the model."""
        raise NotImplementedError

    def connect(self, spec: ModelSpec) -> tuple[Backend, Encoder]:
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
        limit = max(limits_of(spec).tolerance, model.error)
        if not self.may_change and known and known[0].distance(model.canary) > limit:
            raise changed(spec.label)
        if "reference" in spec.options:
            self._compare(spec, model)
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
        if self._open is not None and self._open[0] == spec:
            model = self._open[1]
            if not self.may_change or self._is_same(spec, model):
                return model
        self._open = None
        identity = self.identity(spec)
        backend, encoder = self.connect(spec)
        probes = Probes.encode(encoder)
        canary = run_canary(spec.label, probes, backend.logprobs, limits_of(spec))
        kept = settle(identity, canary)
        model = BackendModel(spec, backend, encoder, probes, replace(kept, notes=canary.notes))
        self._open = (spec, model)
        return model

    def _is_same(self, spec: ModelSpec, model: BackendModel) -> bool:
        try:
            answer = model.backend.logprobs([sentinel(model.probes)])[0]
            check_sentinel(spec.label, model.canary, answer, ROUNDING)
        except BackendError:
            return False
        return True

    def _compare(self, spec: ModelSpec, model: BackendModel) -> None:
        """With local weights: some texts of the canary against `hf:`."""
        from priscian.models.resolved import load

        reference = load(spec.options["reference"])
        if not isinstance(reference, TorchModel):
            raise UsageError(f"{spec}: reference= must be a causal Transformers model (hf:PATH)")
        texts = _texts(model.probes)[:REFERENCE_TEXTS]
        worst = check_reference(model, reference, texts, limits_of(spec).tolerance)
        notes = {**model.canary.notes, "difference from reference": f"{worst:.2g} nats"}
        model.canary = Canary(model.canary.logps, model.canary.error, notes)


def _texts(probes: Probes) -> Sequence[Text]:
    return [Text(row.text[row.opening :]) for row in probes.rows()]
