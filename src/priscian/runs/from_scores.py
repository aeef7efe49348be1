"""A run from scores computed elsewhere: the same outcomes, summaries and folder, and no model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from priscian.datasets import Dataset
from priscian.datasets.graded import SentenceScores
from priscian.datasets.graded_scores import read_scores
from priscian.errors import DataError, UsageError
from priscian.metrics import TieRule
from priscian.records import Text, TokenScores
from priscian.runs.folder import RunFolder, safe_name
from priscian.runs.results import Result, evaluate
from priscian.runs.run import Run, describe, read_data


def score_table(
    path: str | Path,
    on: str | Dataset | Sequence[str | Dataset],
    *,
    out: str | Path | None = None,
    limit: int | None = None,
    good: str | None = None,
    bad: str | None = None,
    tie: str = "wrong",
    seed: int = 0,
) -> Run:
    """Judge data sets by a table of sentence scores, one column a model, higher being better."""
    TieRule.parse(tie)
    data = read_data(on, limit, good, bad)
    tables = read_scores(path)
    folder = None
    if out is not None:
        request = {
            "models": [t.name for t in tables],
            "from_scores": Path(path).name,
            "data": {d.name: describe(d) for d in data},
            "limit": limit,
            "measure": "score",
            "tie": tie,
            "seed": seed,
        }
        folder = RunFolder.create(Path(out), request)
    results: list[Result] = []
    for table in tables:
        for d in data:
            result = evaluate(table.name, d, _by_text(table, d), tie=tie, seed=seed)
            result.summary["measure"] = "score"
            results.append(result)
            if folder is not None:
                result.write(folder.path / safe_name(table.name) / safe_name(d.name))
        if folder is not None:
            folder.update_model(
                table.name,
                string=f"{table.source}:{table.name}",
                folder=safe_name(table.name),
                status="finished",
            )
    if folder is not None:
        folder.update(status="finished")
    return Run(tuple(results), folder.path if folder else None)


def _by_text(table: SentenceScores, data: Dataset) -> dict[Text, TokenScores]:
    """Each text as one token with the sentence's score."""
    names: dict[Text, str] = {}
    known = table.values
    for itemset in data.sets:
        for item in itemset.items:
            for condition, sentence in item.conditions.items():
                text = Text(sentence.text, sentence.context)
                own = str(item.meta.get(f"{condition}_id", item.id))
                name = own if own in known else sentence.text
                first = names.setdefault(text, name)
                if known.get(first) != known.get(name):
                    raise DataError(
                        f"{table.source}: {table.name} scores {sentence.text!r} as {first!r} and "
                        f"as {name!r} differently; give one text one score"
                    )
    found: dict[Text, TokenScores] = {}
    for text, name in names.items():
        if name not in table.values:
            raise DataError(
                f"{table.source}: {table.name} has no score for {text.text!r}; score it too"
            )
        if text.context:
            raise UsageError("scores by sentence cannot be used for data with contexts")
        found[text] = TokenScores((0,), (len(text.text),), (table.values[name],))
    return found
