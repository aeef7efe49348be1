"""Columns that every table of a run has: model, data, and the classes of each set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from priscian.runs.facts import DataFacts

if TYPE_CHECKING:
    import polars


def name_columns(
    model: str, data: str, facts: DataFacts, usual: Sequence[str]
) -> list[polars.Expr]:
    """Model, data and one column for each level of the taxonomy, for a table with a column `set`.

    The levels in `usual` are always included, so that tables can be stacked.
    """
    import polars

    sets = list(facts.sets)
    classes = [
        polars.col("set")
        .replace_strict(
            sets,
            [facts.node(name, level) or None for name in sets],
            default=None,
            return_dtype=polars.String,
        )
        .alias(level)
        for level in dict.fromkeys((*usual, *facts.levels))
    ]
    return [polars.lit(model).alias("model"), polars.lit(data).alias("data"), *classes]


def with_names(
    table: polars.DataFrame, model: str, data: str, facts: DataFacts, usual: Sequence[str]
) -> polars.DataFrame:
    """The table with these columns first, unless it has them already or has no sets."""
    if "set" not in table.columns or "model" in table.columns:
        return table
    first = name_columns(model, data, facts, usual)
    names = {expression.meta.output_name() for expression in first}
    return table.select(*first, *(column for column in table.columns if column not in names))
