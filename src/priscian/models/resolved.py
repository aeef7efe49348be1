"""A model string resolved once: what it names, by which provider, under which key, with what.

A model is resolved where its string comes in, and passed on: nothing below parses a string.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from priscian.errors import ModelError, UsageError
from priscian.models.fingerprint import Files, changed_files, files_hashed, hashed_again
from priscian.models.protocol import (
    PLAIN,
    BoundaryModel,
    ClosedVocabulary,
    EndScorer,
    GradingModel,
    LanguageModel,
    PrecomputedScores,
    Provider,
    TorchModel,
    Traits,
    TreeModel,
)
from priscian.models.registry import find_provider, parse_model
from priscian.models.spec import ModelKey, ModelSpec

PROMISES: dict[str, Any] = {
    "boundary": BoundaryModel,
    "closed_vocabulary": ClosedVocabulary,
    "scores_end": EndScorer,
    "precomputed": PrecomputedScores,
    "trees": TreeModel,
    "grades": GradingModel,
}
"""Traits, and the methods that a model with them has."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedModel:
    """A model that exists, before it is loaded; `files` are those that were hashed for its key."""

    spec: ModelSpec
    provider: Provider
    key: ModelKey
    traits: Traits
    files: Files = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.spec)

    @property
    def label(self) -> str:
        """A short name for tables."""
        return self.spec.label

    def check(self) -> None:
        """Refuse a model whose files have changed since its key was computed."""
        refuse_changed(self.spec, self.files)

    def load(self) -> LoadedModel:
        """Load it; key and files must be the same before and afterwards."""
        before = hashed_again(self.files)
        if any(before[path].digest != hashed.digest for path, hashed in self.files.items()):
            raise other_key(self.spec)
        model, files = load_unchanged(
            self.spec,
            lambda: self.provider.key(self.spec),
            lambda: self.provider.load(self.spec),
            self.key,
            before,
        )
        for name, protocol in PROMISES.items():
            if getattr(self.traits, name) and not isinstance(model, protocol):
                methods = [m for m in vars(protocol) if m[0] != "_" and not hasattr(model, m)]
                raise ModelError(
                    f"the traits of {self.label} say {name}, but the model has no "
                    f"{', '.join(methods)}; correct the plug-in (docs/plugins.md)"
                )
        return LoadedModel(self, model, files)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in memory; its scores belong to its key, whatever its files hold by now."""

    resolved: ResolvedModel
    model: LanguageModel | TorchModel
    files: Files = field(default_factory=dict)

    @property
    def spec(self) -> ModelSpec:
        """The parsed model string."""
        return self.resolved.spec

    @property
    def key(self) -> ModelKey:
        """Everything that can change its scores, as it was when the model was loaded."""
        return self.resolved.key

    @property
    def traits(self) -> Traits:
        """What the model offers."""
        return self.resolved.traits

    def check(self) -> None:
        """Refuse a model whose files have changed: they may be mapped, or read when needed."""
        refuse_changed(self.spec, self.files)


AnyModel = str | ModelSpec | ResolvedModel | LanguageModel
"""What functions take for a model: a model string, parsed or resolved, or an object."""


def resolve(model: AnyModel, default: str = "hf") -> ResolvedModel:
    """A model by its string, or an object that has `score(texts)`, without loading it.

    >>> model = resolve("builtin:lstm")
    >>> model.label, model.traits.closed_vocabulary, len(model.key.digest)
    ('builtin:lstm', False, 32)
    """
    if isinstance(model, ResolvedModel):
        return model
    spec = model if isinstance(model, ModelSpec) else parse_model(model, default)
    provider = find_provider(spec.provider)
    traits = _traits(provider, spec)
    with files_hashed() as files:
        key = provider.key(spec)
    return ResolvedModel(spec, provider, key, traits, files)


def agreed(model: AnyModel, loaded: LoadedModel | None) -> ResolvedModel:
    """The model under whose key scores are kept; one in memory must have been loaded from it."""
    if loaded is None:
        return resolve(model)
    if isinstance(model, ResolvedModel) and model.key != loaded.key:
        raise other_key(model.spec)
    return loaded.resolved


def open_model(model: AnyModel) -> LoadedModel:
    """Load a model; its files must stay what they are meanwhile."""
    return resolve(model).load()


def load(model: AnyModel) -> LanguageModel | TorchModel:
    """The model itself."""
    return open_model(model).model


def model_key(model: str | ModelSpec | LanguageModel) -> ModelKey:
    """The key of a model, without loading it."""
    spec = parse_model(model)
    return find_provider(spec.provider).key(spec)


def traits_of(model: str | ModelSpec | LanguageModel) -> Traits:
    """What a model offers, without loading it."""
    spec = parse_model(model)
    return _traits(find_provider(spec.provider), spec)


def recorded_traits(model: str) -> Traits:
    """The same for a model in a finished run; default traits if its plug-in is gone."""
    try:
        return traits_of(model)
    except (ModelError, UsageError):
        return PLAIN


def _traits(provider: Provider, spec: ModelSpec) -> Traits:
    find: Callable[[ModelSpec], Traits] | None = getattr(provider, "traits", None)
    return PLAIN if find is None else find(spec)


def load_unchanged(
    spec: ModelSpec,
    find_key: Callable[[], ModelKey],
    load: Callable[[], T],
    key: ModelKey,
    before: Files | None = None,
) -> tuple[T, Files]:
    """Load something that has this key before and after, and the same files.

    With `before`, the files that were just hashed for `key`, they are not hashed once more.
    """
    if before is None:
        with files_hashed() as before:
            if find_key() != key:
                raise other_key(spec)
    with files_hashed() as during:
        loaded = load()
    with files_hashed() as after:
        again = find_key()
    if (
        again != key
        or any(after.get(p) != h for p, h in before.items())
        or any(after.get(p, h) != h for p, h in during.items())
    ):
        raise other_key(spec)
    return loaded, before | during


def refuse_changed(spec: ModelSpec, files: Files) -> None:
    """Refuse a model one of whose files has other contents than when it was hashed."""
    if changed := changed_files(files):
        raise ModelError(
            f"{changed[0]} has changed since {spec.label} was loaded; what was scored before is "
            "kept; run again when the model's files are complete"
        )


def other_key(spec: ModelSpec) -> ModelError:
    """The error for a model that is not the one whose key was computed."""
    return ModelError(
        f"{spec.label} changed while it was being loaded, so nothing of it was kept; run the same "
        "command again when its files are complete"
    )
