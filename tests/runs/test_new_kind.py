"""A new kind of data takes one reader and one kind: a choice among three continuations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pytest

from priscian.cli.tables import print_run
from priscian.datasets import Dataset, data_format, registry
from priscian.records import Item, ItemSet, Sentence, Text
from priscian.reporting import build_page
from priscian.runs import Summary, load_run, score
from priscian.runs.kinds import Evaluated, Kind, KindJob, kind
from priscian.runs.kinds.registry import KINDS
from priscian.runs.sources import Scores
from priscian.stats.proportions import Accuracy, accuracy_of

if TYPE_CHECKING:
    pass

ENDINGS = ("right", "near", "far")

# ---------------------------------------------------------------- the reader


def read_choices(target: str) -> list[ItemSet]:
    """One JSON object a line: the beginning and three endings, the right one first."""
    items = []
    for number, line in enumerate(Path(target).read_text("utf-8").splitlines()):
        row = json.loads(line)
        sides = dict(zip(ENDINGS, row["endings"], strict=True))
        conditions = {name: Sentence(f"{row['start']} {end}") for name, end in sides.items()}
        items.append(Item(f"{Path(target).stem}/{number}", conditions))
    return [ItemSet(Path(target).stem, tuple(items), chance=1 / 3)]


# ---------------------------------------------------------------- the kind


class ChoiceSummary(Summary, frozen=True, kw_only=True, tag="choice"):
    """The share of items whose right ending is the most probable."""

    overall: Accuracy
    sets: dict[str, Accuracy]

    @property
    def headline(self) -> Accuracy:
        return self.overall

    def by_set(self, method: str | None = None) -> Mapping[str, Accuracy]:
        return self.sets


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """Three endings; the most probable is chosen."""

    data: Dataset
    job: KindJob

    summary: ClassVar[type[Summary]] = ChoiceSummary
    columns: ClassVar[Mapping[str, Sequence[str]]] = {"items": ("set", "item", "chosen", "correct")}

    @classmethod
    def prepare(cls, data: Dataset, job: KindJob) -> Self:
        return cls(data, job)

    def texts(self) -> list[Text]:
        return [Text(s.text) for itemset in self.data.sets for s in itemset.sentences()]

    def evaluate(self, scores: Scores) -> Evaluated:
        import polars

        rows: list[dict[str, Any]] = []
        for itemset in self.data.sets:
            for item in itemset.items:
                totals = {c: scores(s).total for c, s in item.conditions.items()}
                chosen = max(totals, key=totals.__getitem__)
                texts = {f"text_{c}": s.text for c, s in item.conditions.items()}
                rows.append(
                    {"set": itemset.name, "item": item.id, "chosen": chosen,
                     "correct": float(chosen == ENDINGS[0]), **texts}
                )  # fmt: skip
        sets = {
            s.name: accuracy_of([r["correct"] for r in rows if r["set"] == s.name], 0)
            for s in self.data.sets
        }
        overall = accuracy_of([r["correct"] for r in rows], 0)
        summary = ChoiceSummary(
            model=self.job.model, data=self.data.name, overall=overall, sets=sets
        )
        return Evaluated(summary, {"items": polars.DataFrame(rows)})


# ---------------------------------------------------------------- the tests


@pytest.fixture
def data(tmp_path: Path) -> Iterator[str]:
    """The kind, its format and a file; all gone after the test."""
    rows = [
        {"start": "The dogs in the garden", "endings": ["are here.", "is here.", "here are is."]},
        {"start": "The dog in the gardens", "endings": ["is here.", "are here.", "here are is."]},
        {"start": "She saw", "endings": ["him.", "he.", "she he him the."]},
    ]
    (tmp_path / "ends.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    kind("choice")(Choice)
    data_format("choice", "three endings", kind="choice")(read_choices)
    yield f"choice:{tmp_path / 'ends.jsonl'}"
    del KINDS.entries["choice"], registry._FORMATS["choice"]


def test_it_is_scored_written_and_loaded_back(data: str, tmp_path: Path) -> None:
    made = score(["builtin:ngram", "builtin:lstm"], data, out=tmp_path / "run")
    run = load_run(tmp_path / "run")
    assert [(r.model, r.data, r.kind) for r in run] == [
        ("builtin:ngram", "ends", "choice"), ("builtin:lstm", "ends", "choice"),
    ]  # fmt: skip
    for before, after in zip(made, run, strict=True):
        assert after.summary == before.summary
        assert after.frame().equals(before.frame())
        assert after.overall == after.frame()["correct"].mean()
        assert after.summary.headline.n == 3
    assert set(run.frame()["chosen"]) <= set(ENDINGS)


def test_it_stands_beside_other_kinds_in_tables_and_on_the_page(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = score("builtin:ngram", [data, "graded:textbook"], limit=3, out=tmp_path / "run")
    assert {r.kind for r in run} == {"choice", "graded"}
    print_run(run)
    assert "ends: choice" in capsys.readouterr().out
    page = build_page([load_run(tmp_path / "run")])
    assert [b.title for b in page.boards][-1] == "Choice"
    assert "ends" in repr(run)
    assert "ends" in run._repr_html_()


def test_without_its_kind_the_folder_is_refused_by_name(data: str, tmp_path: Path) -> None:
    from priscian.errors import RunError

    score("builtin:ngram", data, out=tmp_path / "run")
    found = KINDS.entries.pop("choice")
    try:
        with pytest.raises(RunError, match="no kind of data 'choice'"):
            load_run(tmp_path / "run")
    finally:
        KINDS.entries["choice"] = found


def test_pairs_of_a_reader_that_says_not_what_is_compared_are_refused(tmp_path: Path) -> None:
    from priscian.errors import DataError

    def read_bare(target: str) -> list[ItemSet]:
        item = Item("bare/0", {"good": Sentence("She sleeps."), "bad": Sentence("She sleep.")})
        return [ItemSet("bare", (item,))]

    data_format("bare", "pairs without a comparison", needs_path=False)(read_bare)
    try:
        with pytest.raises(DataError, match=r"the set 'bare' does not say what is compared; .*CON"):
            score("builtin:ngram", "bare", out=tmp_path / "run")
    finally:
        del registry._FORMATS["bare"]
