"""The table of surprisals: one row per token or word, ready for a regression on reading times."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from priscian.errors import UsageError
from priscian.files import delimited_text, write_parquet, write_text
from priscian.runs.show import to_pandas

if TYPE_CHECKING:
    import polars

Kind = Literal["token", "word"]
Row = dict[str, Any]
FORMATS = (".tsv", ".csv", ".jsonl", ".parquet")
DIGITS = 6
PLACES = ("passage", "text", "line", "index", "word", "start", "end", "length")
INTEGERS = frozenset(PLACES) - {"word"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A token or word, where it is, and its scores.

    `passage` and `text` count from 1, `line` is the number in the file, `index` counts within the
    text, `start` and `end` are character offsets in the text. `surprisal` and `entropy` are in
    bits, `log_frequency` is log2 of the word's unigram probability. NaN: not known.
    """

    model: str
    passage: int
    text: int
    line: int
    index: int
    word: str
    start: int
    end: int
    surprisal: float
    entropy: float = math.nan
    log_frequency: float = math.nan

    @property
    def length(self) -> int:
        """Number of characters, without white space at the ends."""
        return len(self.word.strip())


@dataclass(frozen=True, slots=True, repr=False)
class SurprisalTable(Sequence[Unit]):
    """Units of all models, model by model; `rows`, `frame` and `write` lay them out as a table.

    `values` names the requested columns: surprisal, entropy, log_frequency. Words of
    several models share a row; tokens differ, so every model has rows of its own.
    """

    units: tuple[Unit, ...]
    kind: Kind
    models: tuple[str, ...]
    values: tuple[str, ...] = ("surprisal",)
    previous: int = 0

    @overload
    def __getitem__(self, index: int) -> Unit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Unit, ...]: ...
    def __getitem__(self, index: int | slice) -> Unit | tuple[Unit, ...]:
        return self.units[index]

    def __len__(self) -> int:
        return len(self.units)

    def __repr__(self) -> str:
        return f"<{len(self):,} {self.kind}s of {', '.join(self.models)}>"

    def _repr_html_(self) -> str:
        html: str = self.frame()._repr_html_()
        return html

    def of(self, model: str) -> tuple[Unit, ...]:
        """The units of one model."""
        return tuple(unit for unit in self.units if unit.model == model)

    @property
    def columns(self) -> list[str]:
        """The columns of `rows`."""
        places = [name for name in PLACES if name != "passage" or self._has_passages]
        if not self._wide:
            head = ["model"] if len(self.models) > 1 else []
            return [*head, *places, *self._value_names()]
        shared = [n for n in self._value_names() if _is_shared(n)]
        return [
            *places,
            *shared,
            *(
                f"{name}_{short}"
                for short in short_names(self.models).values()
                for name in self._value_names()
                if name not in shared
            ),
        ]

    @property
    def _wide(self) -> bool:
        return self.kind == "word" and len(self.models) > 1

    @property
    def _has_passages(self) -> bool:
        return any(unit.passage != unit.text for unit in self.units)

    def _value_names(self) -> list[str]:
        names = list(self.values)
        for back in range(1, self.previous + 1):
            before = f"prev{back if back > 1 else ''}"
            names += [f"{before}_{name}" for name in ("length", *self.values)]
        return names

    def rows(self) -> list[Row]:
        """One dict per row, with `columns` as keys; None where a value is not known."""
        long = [self._long_rows(self.of(model)) for model in self.models]
        if not self._wide:
            head = len(self.models) > 1
            return [
                {"model": model, **row} if head else row
                for model, rows in zip(self.models, long, strict=True)
                for row in rows
            ]
        names, order = self._value_names(), self.columns
        made = [{k: row[k] for k in row if k not in names or _is_shared(k)} for row in long[0]]
        for short, rows in zip(short_names(self.models).values(), long, strict=True):
            for row, wide in zip(rows, made, strict=True):
                wide |= {f"{name}_{short}": row[name] for name in names if not _is_shared(name)}
        return [{name: row[name] for name in order} for row in made]

    def _long_rows(self, units: Sequence[Unit]) -> list[Row]:
        places = [name for name in PLACES if name != "passage" or self._has_passages]
        rows = []
        for number, unit in enumerate(units):
            row: Row = {name: getattr(unit, name) for name in places}
            row |= {name: _known(getattr(unit, name)) for name in self.values}
            for back in range(1, self.previous + 1):
                before = f"prev{back if back > 1 else ''}"
                other = units[number - back] if number >= back else None
                if other is not None and other.passage != unit.passage:
                    other = None
                for name in ("length", *self.values):
                    value = None if other is None else getattr(other, name)
                    row[f"{before}_{name}"] = None if value is None else _known(value)
            rows.append(row)
        return rows

    def frame(self) -> polars.DataFrame:
        """The table as a polars data frame, in full precision."""
        import polars

        rows = self.rows()
        types = {name: _type(name) for name in self.columns}
        return polars.DataFrame({n: [row[n] for row in rows] for n in types}, schema=types)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame; pandas must be installed."""
        return to_pandas(self.frame())

    def text(self, delimiter: str = "\t") -> str:
        """The table as TSV or CSV, quoted where a cell needs it."""
        cells = ({name: _cell(value) for name, value in row.items()} for row in self.rows())
        return delimited_text(cells, self.columns, delimiter)

    def json_lines(self) -> Iterator[str]:
        """One JSON object per row."""
        for row in self.rows():
            rounded = {k: round(v, DIGITS) if isinstance(v, float) else v for k, v in row.items()}
            yield json.dumps(rounded, ensure_ascii=False)

    def write(self, file: Path | str) -> None:
        """Write the table; the extension sets the format: .tsv, .csv, .jsonl or .parquet."""
        file = Path(file)
        ending = file.suffix.lower()
        if ending not in FORMATS:
            raise UsageError(f"{file}: the name must end in {', '.join(FORMATS)}")
        if ending == ".parquet":
            write_parquet(file, self.frame())
        elif ending == ".jsonl":
            write_text(file, "".join(f"{line}\n" for line in self.json_lines()))
        else:
            write_text(file, self.text("," if ending == ".csv" else "\t"))


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Models' names as parts of column names: letters, digits and _, all different.

    >>> short_names(["builtin:lstm", "hf:gpt2", "hf-gpt2"])
    {'builtin:lstm': 'builtin_lstm', 'hf:gpt2': 'hf_gpt2', 'hf-gpt2': 'hf_gpt2_3'}
    """
    made: dict[str, str] = {}
    for number, model in enumerate(models, 1):
        short = re.sub(r"\W+", "_", model).strip("_")
        made[model] = f"{short}_{number}" if short in made.values() else short
    return made


def _is_shared(name: str) -> bool:
    """Whether a column is the same for all models."""
    return name.endswith(("length", "log_frequency"))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value + 0.0:.{DIGITS}f}" if isinstance(value, float) else value


def _type(name: str) -> Any:
    import polars

    if name in {"model", "word"}:
        return polars.String
    return polars.Int64 if name in INTEGERS or name.endswith("length") else polars.Float64
