"""Models that are a Python class with one method, `score(texts)`: registered by name, or passed in.

A class cannot be hashed like a file, so its author defines the key: its name and, if it
has one, its `version`. Without a version the source text of the class is part of the key.
"""

from __future__ import annotations

import hashlib
import inspect
import warnings
from dataclasses import dataclass, replace
from typing import Any, cast

from priscian.errors import ModelError, PriscianWarning, UsageError
from priscian.models.key import ModelKey
from priscian.models.protocol import LanguageModel, Provider
from priscian.models.spec import HARMLESS, ModelSpec
from priscian.models.traits import PLAIN, Traits

OBJECTS = "python"
"""The provider of models that were passed in as objects."""
DEFAULT = "default"
"""The id if only the name of a registered class is given."""


def as_provider(name: str, thing: Any) -> Provider:
    """A provider, from a provider or its class, or from a model or class with `score`."""
    if _is_provider(thing):
        return cast(Provider, thing() if inspect.isclass(thing) else thing)
    if callable(getattr(thing, "score", None)):
        return SimpleProvider(name, thing)
    raise ModelError(
        f"{name!r} cannot be registered as a model: {thing!r} has no method score(texts), "
        f"nor key(spec) and load(spec) of a provider; see docs/plugins.md"
    )


def _is_provider(thing: Any) -> bool:
    return callable(getattr(thing, "key", None)) and callable(getattr(thing, "load", None))


@dataclass(frozen=True, slots=True)
class SimpleProvider:
    """A class, or an object, that has `score(texts)`, under a name for model strings.

    If the constructor of a class takes an argument, it gets the id of the model string; options
    become keyword arguments, as text: `toy:big?smooth=0.1` is `Toy("big", smooth="0.1")`.
    """

    name: str
    model: Any

    @property
    def about(self) -> str:
        """The first line of the class's docstring."""
        return (inspect.getdoc(self._type) or f"{self._type.__name__}, from Python").splitlines()[0]

    @property
    def example(self) -> str:
        """The shortest model string."""
        return self.name

    @property
    def _type(self) -> type:
        return self.model if inspect.isclass(self.model) else type(self.model)

    def key(self, spec: ModelSpec) -> ModelKey:
        """Name, id, options and version, as the author defines them."""
        self._check(spec)
        options = {f"option {k}": v for k, v in spec.options.items() if k not in HARMLESS}
        fields = {"provider": self.name, "model": spec.id, "method": "simple"} | options
        return ModelKey(fields | _identity(self.model))

    def load(self, spec: ModelSpec) -> LanguageModel:
        """The object, or a new instance of the class."""
        self._check(spec)
        if not inspect.isclass(self.model):
            return cast(LanguageModel, self.model)
        first, _ = self._parameters()
        options = {k: v for k, v in spec.options.items() if k not in HARMLESS}
        made = self.model(*([spec.id] if first else []), **options)
        return cast(LanguageModel, made)

    def traits(self, spec: ModelSpec) -> Traits:
        """The declared traits, and those that its methods imply."""
        found = traits_of_class(self.model)
        return replace(found, options=found.options | HARMLESS | self._parameters()[1])

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """None: a class has no checkpoints that we know of."""
        return []

    def _check(self, spec: ModelSpec) -> None:
        spec.check_options(HARMLESS | self._parameters()[1])

    def _parameters(self) -> tuple[bool, frozenset[str]]:
        """Whether the constructor takes the id, and the names of its other arguments."""
        if not inspect.isclass(self.model) or self.model.__init__ is object.__init__:
            return False, frozenset()
        found = list(inspect.signature(self.model).parameters.values())
        plain = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        named = [p.name for p in found if p.kind is p.KEYWORD_ONLY]
        return bool(plain), frozenset([*(p.name for p in plain[1:]), *named])


def traits_of_class(model: Any) -> Traits:
    """The attribute `traits`, with the traits that the methods of the class imply."""
    declared = getattr(model, "traits", PLAIN)
    if not isinstance(declared, Traits):
        raise ModelError(f"the attribute traits of {model!r} must be priscian.models.Traits(…)")
    return replace(
        declared,
        closed_vocabulary=declared.closed_vocabulary or hasattr(model, "oov_counts"),
        scores_end=declared.scores_end or hasattr(model, "score_ends"),
        precomputed=declared.precomputed or hasattr(model, "look_up"),
    )


def _identity(model: Any) -> dict[str, str]:
    """The part of a class or object that goes into its key."""
    kind = model if inspect.isclass(model) else type(model)
    fields = {"class": f"{kind.__module__}.{kind.__qualname__}"}
    version = getattr(model, "version", None)
    if version is not None:
        return fields | {"version": str(version)}
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):  # defined at a prompt
        return fields
    return fields | {"source": hashlib.sha256(source.encode()).hexdigest()}


class ObjectProvider:
    """Model objects that were passed to Priscian's functions in this Python process."""

    example = "score(MyModel(), …)"

    def __init__(self) -> None:
        self._models: dict[tuple[str, str], SimpleProvider] = {}

    def adopt(self, model: Any) -> ModelSpec:
        """The spec of an object; the same object always has the same one."""
        if inspect.isclass(model):
            name = model.__name__
            raise UsageError(f"{name} is a class; pass an object of it: {name}()")
        fields = _identity(model)
        name, version = fields["class"], fields.get("version", "")
        known = self._models.get((name, version))
        if known is None and not version:
            warnings.warn(
                f"{name} has no `version`: its scores are kept under its name and the source of "
                f"its class; if they depend on anything else, give it one",
                PriscianWarning,
                stacklevel=3,
            )
        if known is not None and not version and known.model is not model and _has_state(model):
            raise UsageError(
                f"two objects of {name} would share their scores; give each a `version` of its "
                f"own that says what it depends on"
            )
        self._models[name, version] = SimpleProvider(OBJECTS, model)
        label = str(getattr(model, "name", type(model).__name__))
        label += f"@{version}" if version else ""
        return ModelSpec(OBJECTS, name, version, {"name": label})

    def key(self, spec: ModelSpec) -> ModelKey:
        """The key that the author defines."""
        return self._find(spec).key(spec)

    def load(self, spec: ModelSpec) -> LanguageModel:
        """The object."""
        return self._find(spec).load(spec)

    def traits(self, spec: ModelSpec) -> Traits:
        """The traits of its class."""
        return self._find(spec).traits(spec)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """None."""
        return []

    def _find(self, spec: ModelSpec) -> SimpleProvider:
        found = self._models.get((spec.id, spec.revision))
        if found is None:
            raise ModelError(
                f"{spec.id} is an object from another Python process; pass it to priscian.score() "
                f"again, or register its class (docs/plugins.md)"
            )
        return found


def _has_state(model: Any) -> bool:
    """Whether two objects of a class may differ."""
    return bool(getattr(model, "__dict__", True))
