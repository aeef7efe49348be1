"""From token scores to a model's result on a data set: outcomes, summary, table of items."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.datasets import Dataset
from priscian.errors import RunError, UsageError
from priscian.metrics import Outcome, find_measure, judge, summarise
from priscian.records import Sentence, Text, TokenScores
from priscian.runs.folder import write_json, write_text
from priscian.runs.graded import grade

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class Result:
    """What one model did on one data set."""

    model: str
    data: Dataset
    summary: dict[str, Any]
    outcomes: Mapping[str, list[Outcome]]
    sentences: Mapping[str, tuple[str, float]] | None = None

    @property
    def overall(self) -> float:
        """Accuracy by full-sentence choice, or by the first method there is."""
        methods = self.summary["methods"]
        return float(next(iter(methods.values()))["overall"]["accuracy"])

    def frame(self) -> polars.DataFrame:
        """One row for each item and method, with the log-probability of every condition."""
        import polars

        rows = []
        for itemset in self.data.sets:
            items = {item.id: item for item in itemset.items}
            for outcome in self.outcomes[itemset.name]:
                item = items[outcome.item]
                rows.append(
                    {
                        "set": itemset.name,
                        "item": outcome.item,
                        "method": outcome.method,
                        **{f"score_{name}": -value for name, value in outcome.values.items()},
                        "delta": outcome.delta,
                        "correct": outcome.correct,
                        "tie": outcome.tie,
                        **{f"text_{name}": s.text for name, s in item.conditions.items()},
                    }
                )
        return polars.DataFrame(rows, infer_schema_length=None)

    def write(self, folder: Path) -> None:
        """`items.parquet` first, then `summary.json`: a summary means that all is there."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            temporary = folder / ".items.parquet"
            self.frame().write_parquet(temporary)
            temporary.replace(folder / "items.parquet")
        except OSError as error:
            raise RunError(
                f"cannot write to {folder}: {error}; free space or change --out"
            ) from None
        if self.sentences is not None:
            write_text(folder / "scores.csv", self._scores_csv())
        write_json(folder / "summary.json", self.summary)

    def _scores_csv(self) -> str:
        """Every sentence's score by id, as `priscian analyse adc --scores` reads it."""
        table = io.StringIO(newline="")
        out = csv.writer(table, lineterminator="\n")
        out.writerow(["id", "sentence", self.model])
        for name, (text, value) in (self.sentences or {}).items():
            out.writerow([name, text, repr(value)])
        return table.getvalue()


def evaluate(
    model: str,
    data: Dataset,
    scores: Mapping[Text, TokenScores],
    *,
    measure: str = "surprisal",
    tie: str = "wrong",
    seed: int = 0,
) -> Result:
    """Judge every item of every set, and sum up."""
    if data.metric != "forced_choice":
        raise UsageError(
            f"{data.name} holds suites, whose regions need the surprisals of tokens; give a model, "
            "or a table of tokens: surprisals:FILE"
        )

    def lookup(sentence: Sentence) -> TokenScores:
        return scores[Text(sentence.text, sentence.context)]

    outcomes = {s.name: judge(s, lookup, measure, tie, seed) for s in data.sets}
    taxonomy = {s.name: s.taxonomy for s in data.sets}
    methods = summarise(outcomes, taxonomy, data.taxonomy_levels)
    summary = {
        "model": model,
        "data": data.name,
        "measure": measure,
        "tie": tie,
        "methods": methods,
    }
    rank = find_measure(measure)
    graded = grade(model, data, lambda s: -rank(lookup(s), s, "*"))
    if graded is None:
        return Result(model, data, summary, outcomes)
    summary["graded"] = graded.summary
    return Result(model, data, summary, outcomes, graded.scores)
