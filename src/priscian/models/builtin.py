"""`builtin:` — models that ship inside the package and need nothing but NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from priscian.errors import ModelError, UnknownNameError
from priscian.models.fingerprint import hash_file
from priscian.models.key import ModelKey
from priscian.models.protocol import LanguageModel
from priscian.models.spec import ModelSpec

FOLDER = Path(__file__).with_suffix("")
OPTIONS = frozenset({"name"})


def _lstm(path: Path) -> LanguageModel:
    from priscian.models.lstm import LstmModel

    return LstmModel(path)


def _ngram(path: Path) -> LanguageModel:
    from priscian.models.ngram import load_ngram

    return load_ngram(path)


@dataclass(frozen=True, slots=True)
class Builtin:
    """A model's file in the package, and what reads it."""

    file: str
    load: Callable[[Path], LanguageModel]

    @property
    def here(self) -> bool:
        """Whether this installation has it."""
        return (FOLDER / self.file).is_file()

    @property
    def path(self) -> Path:
        """Where the file is."""
        path = FOLDER / self.file
        if not path.is_file():
            raise ModelError(f"this installation lacks {path.name}; pip install --force priscian")
        return path


MODELS: dict[str, Builtin] = {
    "ngram": Builtin("ngram.pngm", _ngram),
    "lstm": Builtin("lstm.plstm", _lstm),
}


class BuiltinProvider:
    """Models that ship with Priscian."""

    example = "builtin:lstm"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents of the model's file."""
        return ModelKey(
            {"provider": "builtin", "model": spec.id, "weights": hash_file(_find(spec).path)}
        )

    def load(self, spec: ModelSpec) -> LanguageModel:
        """The model, its file verified."""
        model = _find(spec)
        return model.load(model.path)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Embedded models whose names match."""
        return [ModelSpec("builtin", name) for name in MODELS if fnmatchcase(name, pattern)]


def _find(spec: ModelSpec) -> Builtin:
    spec.check_options(OPTIONS)
    if spec.id not in MODELS:
        raise UnknownNameError("embedded model", spec.id, MODELS)
    return MODELS[spec.id]
