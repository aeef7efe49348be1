"""Table 1 and Figure 1 from the released scores, and a small set worked out by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from priscian.analysis.graded.adc import (
    AdcAnalysis,
    adc_json,
    against_experts,
    analyse_adc,
    blimp_not_adc,
    disagreements,
    pair_lists,
    write_list,
)
from priscian.datasets.graded import GradedPair, GradedSentence, GradedSet, SentenceScores
from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.files import plain
from priscian.metrics.adc import PAPER, STRICT, AdcRule

RATINGS = {"g1": 1.0, "b1": -1.0, "g2": 0.0, "b2": 0.5, "rest": -0.5}
SENTENCES = tuple(GradedSentence(i, f"Text {i}.", rating=r) for i, r in RATINGS.items())
PAIRS = (GradedPair("g1", "b1", group="one"), GradedPair("g2", "b2", group="two"))
GRADED = GradedSet("small", SENTENCES, PAIRS)
# mean 0, squares 4+4+1+1+0 = 10 over 5: z is the score over √2
GOOD = SentenceScores("good", {"g1": 2.0, "b1": -2.0, "g2": 1.0, "b2": -1.0, "rest": 0.0})
FLAT = SentenceScores("flat", {"g1": 1.0, "b1": -1.0, "g2": 1.0, "b2": 2.0, "rest": -3.0})


class TestByHand:
    def test_differences_and_criteria(self) -> None:
        found = analyse_adc(GRADED, [GOOD, FLAT], deltas=(0.5, 1.0))
        good, flat = found.models
        assert found.human == (2.0, -0.5)
        assert good.deltas == pytest.approx((4 / 2**0.5, 2**0.5))  # 2.83 and 1.41
        assert good.blimp.accuracy == 1.0
        assert {d: a.accuracy for d, a in good.adc.items()} == {0.5: 0.0, 1.0: 0.5}
        # flat: squares 1+1+1+4+9 = 16 over 5, so z is the score over 1.789
        assert flat.deltas == pytest.approx((1.1180, -0.5590), abs=1e-4)
        assert flat.blimp.accuracy == 0.5
        assert {d: a.accuracy for d, a in flat.adc.items()} == {0.5: 0.5, 1.0: 1.0}

    def test_lists_of_pairs(self) -> None:
        found = analyse_adc(GRADED, [GOOD, FLAT], deltas=(1.0,))
        good, flat = found.models
        assert against_experts(found) == [PAIRS[1]]
        assert blimp_not_adc(found, good, 1.0) == [PAIRS[1]]
        assert disagreements(found, flat, good, 1.0) == [PAIRS[1]]
        assert disagreements(found, good, flat, 1.0) == []

    def test_the_population_may_be_the_pairs_alone(self) -> None:
        over = analyse_adc(GRADED, [GOOD], rule=AdcRule("pairs")).models[0]
        assert over.z_from == "4 sentences"
        assert over.deltas[0] == pytest.approx(4 / 2.5**0.5)

    def test_partial_scores_use_the_released_z(self) -> None:
        values = {i: v for i, v in GOOD.values.items() if i != "rest"}
        z = {"g1": 0.5, "b1": 0.0, "g2": 0.0, "b2": 0.1}
        model = analyse_adc(GRADED, [SentenceScores("part", values, z)]).models[0]
        assert model.released
        assert model.deltas == (0.5, -0.1)

    def test_partial_scores_without_z_are_refused(self) -> None:
        values = {i: v for i, v in GOOD.values.items() if i != "rest"}
        with pytest.raises(DataError, match=r"no score for 1 of 5 sentences \(rest\)"):
            analyse_adc(GRADED, [SentenceScores("part", values)])

    def test_groups_and_correlations(self) -> None:
        found = analyse_adc(GRADED, [FLAT], deltas=(1.0,))
        model = found.models[0]
        groups = found.groups(model)
        one = {"pairs": 1, "blimp": 1.0, "adc": {1.0: 1.0}, "pearson": None}
        assert plain(groups["one"]) == one
        assert groups["two"].blimp.accuracy == 0.0
        assert found.with_people(model)["sentences"]["pearson"].n == 5
        assert found.matrix()["human"]["flat"] == pytest.approx(1.0)  # two points

    def test_correlations_by_source_are_those_of_its_own_pairs(self) -> None:
        rated = {"a": (1.0, 2.0, 3.0, 5.0), "b": (1.0, 2.0, 3.0, 4.0)}
        scored = {"a": (2.0, 4.0, 6.0, 10.0), "b": (4.0, 3.0, 2.0, 1.0)}
        pairs = [GradedPair(f"{s}{n}g", f"{s}{n}b", group=s) for s in rated for n in range(4)]
        ratings = {p.bad: 0.0 for p in pairs} | {
            f"{s}{n}g": r for s, row in rated.items() for n, r in enumerate(row)
        }
        scores = {p.bad: 0.0 for p in pairs} | {
            f"{s}{n}g": x for s, row in scored.items() for n, x in enumerate(row)
        }
        sentences = tuple(GradedSentence(i, f"Text {i}.", rating=r) for i, r in ratings.items())
        graded = GradedSet("two sources", sentences, tuple(pairs))
        found = analyse_adc(graded, [SentenceScores("m", scores)])
        groups = found.groups(found.models[0])
        assert [round(g.pearson.r, 9) for g in groups.values() if g.pearson] == [1.0, -1.0]

    def test_json_has_the_documented_keys(self) -> None:
        found = adc_json(analyse_adc(GRADED, [GOOD], deltas=(0.5, 1, 5)))
        assert list(found) == ["pairs", "models", "pearson"]
        assert list(found["models"]["good"]["adc"]) == ["0.5", "1.0", "5.0"]
        full = adc_json(analyse_adc(GRADED, [GOOD]), full=True)
        assert full["rule"] == {"population": "sentences", "ddof": 0, "sign": "positive"}
        assert full["models"]["good"]["curve"][0] == (0.0, 0.0)
        json.dumps(full)

    def test_a_list_is_written_with_both_sentences(self, tmp_path: Path) -> None:
        found = analyse_adc(GRADED, [GOOD, FLAT])
        pairs = pair_lists(found, 0.5, ("good", "flat"))["people-against-experts"]
        write_list(found, pairs, tmp_path / "lists" / "a.csv")
        text = (tmp_path / "lists" / "a.csv").read_text("utf-8")
        (row,) = csv.DictReader(text.splitlines())
        assert (row["good"], row["bad"], row["delta_human"]) == (
            "Text g2.",
            "Text b2.",
            "-0.500000",
        )


class TestRefusals:
    def test_constant_scores(self) -> None:
        scores = SentenceScores("dull", dict.fromkeys(RATINGS, 3.0))
        with pytest.raises(DataError, match="dull: all 5 scores are 3"):
            analyse_adc(GRADED, [scores])

    def test_a_pair_without_a_score(self) -> None:
        scores = SentenceScores("m", {"g1": 1.0, "b1": 2.0}, source="m.csv")
        with pytest.raises(DataError, match=r"m.csv: m has no score for g2, b2"):
            analyse_adc(GRADED, [scores])

    def test_two_models_of_one_name(self) -> None:
        with pytest.raises(DataError, match="two sets of scores are called 'good'"):
            analyse_adc(GRADED, [GOOD, GOOD])

    def test_no_scores_no_pairs_no_delta(self) -> None:
        with pytest.raises(DataError, match="no model's scores; add them with `scores="):
            analyse_adc(GRADED, [])
        with pytest.raises(DataError, match="no pairs"):
            analyse_adc(GradedSet("bare", SENTENCES, ()), [GOOD])
        with pytest.raises(UsageError, match="δ = 0: the allowed deviation must be above 0"):
            analyse_adc(GRADED, [GOOD], deltas=(0.0,))

    def test_an_unknown_model(self) -> None:
        with pytest.raises(UnknownNameError, match="no model 'god'; did you mean good"):
            analyse_adc(GRADED, [GOOD]).model("god")


def test_pictures_are_drawn(tmp_path: Path) -> None:
    written = analyse_adc(GRADED, [GOOD, FLAT]).write_figures(tmp_path / "pictures")
    assert {p.name for p in written} == {
        f"{name}.{kind}"
        for name in ("correlations", "scatter", "adc-curve")
        for kind in ("svg", "png", "pdf", "csv")
    } | {"figures.tex"}
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".csv": b"", ".tex": b"%"}
    for path in written:
        assert path.read_bytes().startswith(starts[path.suffix])
    rows = list(csv.DictReader((tmp_path / "pictures" / "scatter.csv").read_text().splitlines()))
    assert len(rows) == 4  # two pairs, two models
    assert (float(rows[0]["h"]), rows[0]["met"]) == (2.0, "False")  # 2.83 is .83 away
    assert "δ" in (tmp_path / "pictures" / "adc-curve.svg").read_text("utf-8")


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    text = (shared / "spec/li_adger/adc_expected.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def paper(shared: Path) -> AdcAnalysis:
    from priscian.datasets.li_adger import read_li_adger

    release = read_li_adger(shared / "data/li_adger")
    return analyse_adc(release.graded, release.scores, rule=PAPER)


class TestPublished:
    def test_table_1_has_all_32_cells(self, paper: AdcAnalysis, expected: dict[str, Any]) -> None:
        cells = 0
        for name, row in expected["models"].items():
            model, printed = paper.model(name), row["paper_table1"]
            assert round(model.blimp.accuracy, 3) == printed["blimp"]
            for delta, found in model.adc.items():
                assert round(found.accuracy, 3) == printed[f"adc_{delta:g}"]
                exact = row["paper_compat_boolean_sign"][str(delta)]
                assert round(found.accuracy * found.n) == exact["correct"]
            cells += 1 + len(model.adc)
            assert model.blimp.ties == row["ties"]
        assert cells == 32
        assert len(paper.graded.pairs) == expected["n_pairs"]

    def test_only_the_trigram_needs_released_z_scores(self, paper: AdcAnalysis) -> None:
        assert [m.name for m in paper.models if m.released] == ["slor", "logProb"]

    def test_strict_is_equation_one(self, paper: AdcAnalysis, expected: dict[str, Any]) -> None:
        strict = analyse_adc(paper.graded, paper.scores, rule=STRICT)
        for name, row in expected["models"].items():
            for delta, found in strict.model(name).adc.items():
                exact = row["strict_sign_eq1"][str(delta)]
                assert round(found.accuracy * found.n) == exact["correct"]

    def test_figure_1(self, paper: AdcAnalysis, expected: dict[str, Any]) -> None:
        order = expected["pearson_delta_matrix"]["order"]
        matrix = paper.matrix()
        for a, row in zip(order, expected["pearson_delta_matrix"]["values"], strict=True):
            assert [matrix[a][b] for b in order] == pytest.approx(row, abs=1e-4)

    def test_correlations_on_sentences(self, paper: AdcAnalysis, expected: dict[str, Any]) -> None:
        for name, r in expected["pearson_sentence_level_vs_human"].items():
            found = paper.with_people(paper.model(name))["sentences"]["pearson"]
            assert found.r == pytest.approx(r)

    def test_z_over_the_pairs_changes_the_trigram(
        self, paper: AdcAnalysis, expected: dict[str, Any]
    ) -> None:
        over = analyse_adc(paper.graded, paper.scores, rule=AdcRule("pairs"))
        for name, row in expected["trigram_if_z_over_li_adger_pair_sentences_only"].items():
            found = [a.accuracy for a in over.model(name).adc.values()]
            assert found == pytest.approx(row["adc_boolean_sign"])

    def test_groups(self, paper: AdcAnalysis, expected: dict[str, Any]) -> None:
        for name in expected["models"]:
            groups = paper.groups(paper.model(name))
            for group, row in expected["by_dataset"].items():
                assert groups[group].blimp.n == row["n"]
                assert groups[group].blimp.accuracy == pytest.approx(row["blimp"][name])

    def test_people_disagree_with_experts_on_92(self, paper: AdcAnalysis) -> None:
        assert len(against_experts(paper)) == 92
