"""`surprisals:` — scores from elsewhere, in a table of sentence, token, surprisal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from priscian.errors import ModelError, UnknownNameError
from priscian.models.fingerprint import hash_file
from priscian.models.key import ModelKey
from priscian.models.spec import ModelSpec, files_beside
from priscian.models.surprisals.table import UNITS, SurprisalTable, read_surprisals
from priscian.models.traits import Traits
from priscian.records import Text, TokenScores

PROVIDER = "surprisals"
OPTIONS = frozenset({"name", "unit"})


class SurprisalsProvider:
    """Surprisals, or reading times, from a TSV of sentence, token, surprisal."""

    example = "surprisals:external.tsv?unit=nats"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The file's contents and unit."""
        spec.check_options(OPTIONS)
        path = _file(spec)
        return ModelKey({"provider": PROVIDER, "table": hash_file(path), "unit": _unit(spec)})

    def load(self, spec: ModelSpec) -> PrecomputedModel:
        """The table, read and checked."""
        return PrecomputedModel(read_table(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """Scores are looked up."""
        return Traits(options=OPTIONS, precomputed=True)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Tables in the same folder whose names match."""
        return files_beside(spec, pattern)


class PrecomputedModel:
    """Looks sentences up instead of scoring them."""

    def __init__(self, table: SurprisalTable) -> None:
        self.table = table

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        return [self.look_up(text) for text in texts]

    def look_up(self, text: Text) -> TokenScores:
        """The text's rows; a missing text, or a cell that is not a number, is a DataError."""
        return self.table.scores(text)


def read_table(spec: ModelSpec) -> SurprisalTable:
    """The table that a model string names."""
    spec.check_options(OPTIONS)
    return read_surprisals(_file(spec), _unit(spec))


def _unit(spec: ModelSpec) -> str:
    unit = spec.options.get("unit", "bits")
    if unit not in UNITS:
        raise UnknownNameError("unit of surprisal", unit, UNITS)
    return unit


def _file(spec: ModelSpec) -> Path:
    path = spec.path
    if not path.is_file():
        raise ModelError(f"no table {path} (in {spec}); give a TSV of sentence, token, surprisal")
    return path
