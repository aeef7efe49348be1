"""Accuracy tables: means of paradigms, intervals, ties, and the paper's systems."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.scored_runs import rights, scored_pairs, scored_suites

from priscian.analysis.blimp.accuracy_table import tables
from priscian.analysis.charts import share_domain
from priscian.analysis.named_results import name_results
from priscian.datasets.reference import REFERENCE, blimp_taxonomy, published, published_means
from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.runs import Result
from priscian.stats.proportions import wilson

TAXONOMY = {
    "wh_island": ("syntax", "island_effects"),
    "adjunct_island": ("syntax", "island_effects"),
    "passive_1": ("syntax", "argument_structure"),
}
SETS = {
    "wh_island": rights(30, 40),
    "adjunct_island": rights(10, 20, ties=2),
    "passive_1": rights(9, 10),
}
ONE = scored_pairs("one", SETS, TAXONOMY, data="seed1")


def test_classes_are_unweighted_means_of_paradigms() -> None:
    table = tables([ONE])
    rows = {row.name: row.cells[0] for row in table.rows}
    assert list(rows) == ["argument_structure", "island_effects", "overall"]
    islands, overall = rows["island_effects"], rows["overall"]
    assert islands is not None
    assert overall is not None
    assert islands.accuracy == pytest.approx((30 / 40 + 11 / 20) / 2)
    assert overall.accuracy == pytest.approx((30 / 40 + 11 / 20 + 9 / 10) / 3)
    assert (overall.n, overall.ties, overall.paradigms) == (70, 2, 3)


def test_a_paradigm_has_wilson_s_interval_and_its_phenomenon() -> None:
    table = tables([ONE], "paradigm")
    row = next(row for row in table.rows if row.name == "passive_1")
    assert row.group == "argument_structure"
    assert row.cells[0] is not None
    assert row.cells[0].ci == pytest.approx(wilson(0.9, 10))


@pytest.mark.parametrize("how", ["items", "sets", "both"])
def test_bootstrap_intervals_hold_the_mean_and_say_what_is_drawn(how: str) -> None:
    table = tables([ONE], interval=how)  # type: ignore[arg-type]
    for row in table.rows:
        cell = row.cells[0]
        assert cell is not None
        assert cell.ci is not None
        assert cell.ci[0] < cell.accuracy < cell.ci[1]
    assert "bootstrap samples of" in table.as_dict()["interval"]
    assert table.as_dict() == tables([ONE], interval=how).as_dict()  # type: ignore[arg-type]


def test_drawing_items_alone_agrees_with_wilson() -> None:
    big = scored_pairs("big", {"wh_island": rights(700, 1000)}, {})
    (wide,) = tables([big], interval="items").rows[-1].cells[:1]
    (plain,) = tables([big]).rows[-1].cells[:1]
    assert wide
    assert plain
    assert wide.ci
    assert plain.ci
    assert wide.ci == pytest.approx(plain.ci, abs=0.003)


class TestPublished:
    def test_the_paper_s_means_over_67_paradigms_are_beside(self) -> None:
        sets = {uid: [1.0, 0.0] for uid in published()["human"]}
        whole = scored_pairs("m", sets, blimp_taxonomy())
        table = tables([whole])
        overall = dict(zip([c.name for c in table.columns], table.rows[-1].cells, strict=True))
        shown = {name: round(100 * cell.accuracy, 1) for name, cell in overall.items() if cell}
        assert shown == {
            "m": 50.0, "People*": 88.6, "5-gram*": 61.2, "LSTM*": 69.8, "Transformer-XL*": 69.6,
            "GPT-2*": 83.0,
        }  # fmt: skip
        for row in table.rows[:-1]:
            gpt2 = row.cells[-1]
            assert gpt2 is not None
            assert gpt2.accuracy == pytest.approx(published_means("GPT-2")[row.name])

    def test_which_means_are_over_69_is_said(self) -> None:
        notes = "\n".join(tables([ONE]).notes)
        for system, printed in (("5-gram", 60.5), ("LSTM", 68.9), ("Transformer-XL", 68.7)):
            line = next(x for x in notes.splitlines() if x.startswith(f"{system}*"))
            assert "67 paradigms" in line
            assert f"prints {printed} overall, over 69 paradigms" in line
        assert "GPT-2*: released models_summary.jsonl, recomputed in 2021, 67 paradigms" in notes

    def test_whether_the_scored_sentences_are_blimps_is_said(self) -> None:
        def first_note(*results: Result) -> str:
            return next(n for n in tables(results).notes if n.startswith("* published"))

        def cited(result: Result, **changes: Any) -> Result:
            sets = {
                name: msgspec.structs.replace(facts, **changes)
                for name, facts in result.facts.sets.items()
            }
            return replace(result, facts=msgspec.structs.replace(result.facts, sets=sets))

        uid = "adjunct_island"
        other = scored_pairs("other", {uid: [1.0, 0.0]}, blimp_taxonomy())
        official = cited(replace(other, model="m", label="m"), reference=REFERENCE, n=1_000)
        part = cited(official, n=50)
        assert first_note(other).endswith("(Warstadt et al. 2020), not on those scored")
        assert first_note(official).endswith("(Warstadt et al. 2020), as those scored")
        assert first_note(part).endswith("all 1,000 pairs of a paradigm; here fewer were scored")
        assert first_note(official, other).endswith("(Warstadt et al. 2020), not on those of other")

    def test_a_class_with_a_paradigm_of_one_s_own_has_no_published_cell(self) -> None:
        sets = {**SETS, "my_island": rights(5, 10)}
        mine = scored_pairs("m", sets, {**TAXONOMY, "my_island": ("syntax", "island_effects")})
        table = tables([mine], baselines=["human"])
        cells = {row.name: row.cells[1] for row in table.rows}
        assert cells["island_effects"] is None
        assert cells["overall"] is None
        assert cells["argument_structure"] is not None

    def test_data_that_are_not_blimp_have_no_published_column(self) -> None:
        other = scored_pairs("m", {"mine": rights(5, 10)}, {})
        table = tables([other])
        assert [c.name for c in table.columns] == ["m"]
        assert table.by == "paradigm"

    def test_an_unknown_system_is_refused(self) -> None:
        with pytest.raises(UnknownNameError, match="no published system 'GPT-9'"):
            tables([ONE], baselines=["GPT-9"])


def test_models_on_different_data_are_told_apart_and_said_to_be() -> None:
    other = scored_pairs("one", SETS, TAXONOMY, data="seed2")
    table = tables([ONE, other], baselines=[])
    assert [c.name for c in table.columns] == ["one on seed1", "one on seed2"]
    assert any("share 0 of 3 paradigms" in note for note in table.notes)
    assert [r.label for r in name_results([ONE, ONE])] == ["one on seed1 (1)", "one on seed1 (2)"]


def test_a_model_without_a_paradigm_has_an_empty_cell() -> None:
    less = scored_pairs("less", {"passive_1": rights(5, 10)}, TAXONOMY, data="seed1")
    table = tables([ONE, less], baselines=[])
    islands = next(row for row in table.rows if row.name == "island_effects")
    assert islands.cells[1] is None
    assert "island_effects" in table.as_dict()["rows"]
    assert "less" not in table.as_dict()["rows"]["island_effects"]


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(DataError, match="no result on minimal pairs"):
        tables([scored_suites("m", {"s": ("C", rights(1, 2))})])
    with pytest.raises(DataError, match="method one_prefix"):
        tables([ONE], method="one_prefix")
    flat = scored_pairs("m", {"mine": rights(5, 10)}, {})
    with pytest.raises(UsageError, match="no field; use `by=paradigm`"):
        tables([flat], "field")


class TestFormats:
    def test_markdown_has_a_row_for_each_class(self) -> None:
        text = tables([ONE], baselines=["human"]).formatted("md")
        assert "| phenomenon | one | People\\* |".replace("\\", "") in text
        low, high = (100 * x for x in wilson(0.9, 10))
        assert f"| argument structure | 90.0 ({low:.1f}–{high:.1f}) | " in text
        assert ", 2 tied" in text

    def test_latex_escapes_names(self) -> None:
        odd = scored_pairs("a_b&c", {"x%y": rights(5, 10)}, {})
        text = tables([odd]).formatted("tex")
        assert r"a\_b\&c" in text
        assert r"x\%y" in text
        assert text.count(r"\midrule") == 2
        assert r"\caption{Accuracy by paradigm." in text
        assert r"\label{tab:accuracy-paradigm}" in text
        assert text.rstrip().endswith(r"\end{table}")

    def test_csv_has_a_row_for_each_cell(self) -> None:
        table = tables([ONE], "paradigm", baselines=["human"])
        rows = list(csv.DictReader(io.StringIO(table.formatted("csv"))))
        assert len(rows) == 8
        first = next(r for r in rows if r["model"] == "one" and r["name"] == "wh_island")
        assert (float(first["accuracy"]), first["group"]) == (0.75, "island_effects")
        person = next(r for r in rows if r["model"] == "People*" and r["name"] == "wh_island")
        assert (person["kind"], person["low"]) == ("published", "")


def test_the_figure_plots_every_cell_and_says_how_many_pairs() -> None:
    table = tables([ONE], baselines=["human"])
    (figure,) = table.figures
    assert len(figure.rows) == len(table.records())
    assert "n = 70 pairs in 3 paradigms" in figure.caption
    assert "Wilson's" in figure.caption
    for layer in figure.chart["layer"]:
        assert layer["encoding"]["tooltip"]


def test_chance_is_always_in_view() -> None:
    assert share_domain([0.9, 0.95]) == [0.4, 1.0]
    assert share_domain([0.27, None]) == [0.2, 1.0]
