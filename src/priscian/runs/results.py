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
from priscian.records import Item, Sentence, Text, TokenScores
from priscian.runs.folder import write_json, write_text
from priscian.runs.graded import grade
from priscian.runs.labelled import judge_labels
from priscian.runs.unigrams import Unigrams
from priscian.runs.unknown import Unknown, summarise_unknown, unknown_in

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
    unknown: Unknown | None = None

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
                        **({"label": item.meta["label"]} if "label" in item.meta else {}),
                        **self._unknown(item),
                        **{f"text_{name}": s.text for name, s in item.conditions.items()},
                    }
                )
        return polars.DataFrame(rows, infer_schema_length=None)

    def _unknown(self, item: Item) -> dict[str, int]:
        if self.unknown is None:
            return {}
        return {f"oov_{name}": count for name, count in unknown_in(item, self.unknown).items()}

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
    unigrams: Unigrams | None = None,
    unknown: Unknown | None = None,
    tie: str = "wrong",
    seed: int = 0,
) -> Result:
    """Judge every item of every set, and sum up."""
    if data.kind == "suites":
        raise UsageError(
            f"{data.name} holds suites, whose regions need the surprisals of tokens; give a model, "
            "or a table of tokens: surprisals:FILE"
        )

    def lookup(sentence: Sentence) -> TokenScores:
        return scores[Text(sentence.text, sentence.context)]

    rank = find_measure(measure, unigrams)

    def score(sentence: Sentence) -> float:
        return -rank(lookup(sentence), sentence, "*")

    labelled = judge_labels(model, data, score) if data.kind == "labels" else None
    outcomes = (
        labelled.outcomes
        if labelled is not None
        else {s.name: judge(s, lookup, rank, tie, seed) for s in data.sets}
    )
    taxonomy = {s.name: s.taxonomy for s in data.sets}
    methods = summarise(outcomes, taxonomy, data.taxonomy_levels)
    summary = {
        "model": model,
        "data": data.name,
        "measure": measure,
        "tie": tie,
        "methods": methods,
    }
    if unigrams is not None:
        summary["unigram"] = unigrams.to_dict()
    if unknown is not None:
        summary["unknown_words"] = summarise_unknown(data, unknown, outcomes)
    if labelled is not None:
        summary["labels"] = labelled.summary
        return Result(model, data, summary, outcomes, labelled.scores, unknown)
    graded = grade(model, data, score)
    if graded is None:
        return Result(model, data, summary, outcomes, unknown=unknown)
    summary["graded"] = graded.summary
    return Result(model, data, summary, outcomes, graded.scores, unknown)
