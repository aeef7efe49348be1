"""`builtin:` — models that ship inside the package and need nothing but NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from priscian.errors import ModelError, UnknownNameError
from priscian.models.fingerprint import hash_file
from priscian.models.lstm import LstmModel
from priscian.models.ngram import load_ngram
from priscian.models.protocol import LanguageModel, Traits
from priscian.models.spec import ModelKey, ModelSpec

FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Builtin:
    """A model's file in the package, and the function that reads it."""

    file: str
    load: Callable[[Path, ModelSpec], LanguageModel]
    traits: Traits

    @property
    def here(self) -> bool:
        """Whether this installation has the file."""
        return (FOLDER / self.file).is_file()

    @property
    def path(self) -> Path:
        """Where the file is."""
        path = FOLDER / self.file
        if not path.is_file():
            raise ModelError(
                f"this installation lacks {path.name}; install it again: "
                f"pip install . in the folder of Priscian's source"
            )
        return path


MODELS: dict[str, Builtin] = {
    "ngram": Builtin(
        "ngram.pngm",
        load_ngram,
        Traits(
            options=frozenset({"name", "order"}),
            closed_vocabulary=True,
            scores_end=True,
            unigrams=True,
        ),
    ),
    "lstm": Builtin(
        "lstm.plstm", lambda path, spec: LstmModel(path), Traits(options=frozenset({"name"}))
    ),
}


class BuiltinProvider:
    """Models that ship with Priscian."""

    example = "builtin:lstm"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents of the model's file."""
        fields = {"provider": "builtin", "model": spec.id, "weights": hash_file(_find(spec).path)}
        if "order" in spec.options:
            fields["order"] = spec.options["order"]
        return ModelKey(fields)

    def load(self, spec: ModelSpec) -> LanguageModel:
        """The model, after its checksum was verified."""
        model = _find(spec)
        return model.load(model.path, spec)

    def traits(self, spec: ModelSpec) -> Traits:
        """The traits of the built-in model."""
        return _find(spec).traits

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Built-in models whose names match."""
        return [ModelSpec("builtin", name) for name in MODELS if fnmatchcase(name, pattern)]


def _find(spec: ModelSpec) -> Builtin:
    if spec.id not in MODELS:
        raise UnknownNameError("embedded model", spec.id, MODELS)
    spec.check_options(MODELS[spec.id].traits.options)
    return MODELS[spec.id]
