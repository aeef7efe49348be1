"""People's agreement: BLiMP's released file to the paper's digits, and a file made by hand."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest

from priscian.analysis.blimp.model_summary import published as read_published
from priscian.analysis.people.agreement import Inclusion, human_agreement
from priscian.cli import run
from priscian.datasets.choices import Choices, read_choices
from priscian.datasets.reference import published, published_means
from priscian.errors import DataError, UsageError
from priscian.files import plain as as_plain

TABLE_3 = {
    "anaphor_agreement": 97.5,
    "argument_structure": 90.0,
    "binding": 87.3,
    "control_raising": 83.9,
    "determiner_noun_agreement": 92.2,
    "ellipsis": 85.0,
    "filler_gap_dependency": 86.9,
    "irregular_forms": 97.0,
    "island_effects": 84.9,
    "npi_licensing": 88.1,
    "quantifiers": 86.6,
    "subject_verb_agreement": 90.9,
}
"""The human row of Warstadt et al. (2020), Table 3."""
REJECTED = {
    "coordinate_structure_constraint_subject_extraction",
    "wh_questions_object_gap_long_distance",
}
MEANS = """\
overall                    61.2 69.8 69.6 83.0
anaphor_agreement          47.9 91.7 94.1 99.3
argument_structure         71.9 73.2 72.2 81.8
binding                    64.4 73.5 74.7 80.9
control_raising            68.5 67.0 71.5 81.9
determiner_noun_agreement  70.1 85.4 83.0 95.8
ellipsis                   36.9 67.6 77.2 89.3
filler_gap_dependency      60.2 73.9 66.6 81.3
irregular_forms            79.5 89.1 78.2 91.9
island_effects             57.2 46.6 48.3 72.7
npi_licensing              45.5 51.7 55.2 76.8
quantifiers                53.5 64.5 69.3 79.0
subject_verb_agreement     60.3 80.1 75.9 86.4
"""
SYSTEMS = {"ngram": "5-gram", "lstm": "LSTM", "txl": "Transformer-XL", "gpt2": "GPT-2"}


@pytest.fixture(scope="module")
def choices(shared: Path) -> Choices:
    """What the authors released."""
    return read_choices(shared / "data" / "blimp" / "human_responses.csv")


@pytest.mark.shared
class TestReleasedJudgements:
    def test_individual_and_majority_agreement(self, choices: Choices) -> None:
        found = human_agreement(choices)
        assert round(100 * found.individual, 2) == 88.56
        assert (found.majority_pairs, found.pairs) == (323, 335)
        assert round(100 * found.majority, 2) == 96.42
        assert sum(s.ties for s in found.included) == 5

    def test_table_3(self, choices: Choices) -> None:
        found = {
            k: round(100 * v, 1) for k, v in human_agreement(choices).as_dict()["phenomena"].items()
        }
        different = {name for name in TABLE_3 if found[name] != TABLE_3[name]}
        assert found.keys() == TABLE_3.keys()
        assert different == {"subject_verb_agreement"}
        assert found["subject_verb_agreement"] == 91.0

    def test_the_inclusion_rule_finds_the_67_paradigms(self, choices: Choices) -> None:
        found = human_agreement(choices)
        assert {s.name for s in found.included} == published()["human"].keys()
        excluded = {s.name for s in found.sets if not s.included}
        assert excluded == REJECTED | {"subject_island"}  # of the last only 3 pairs were judged

    def test_paradigms_are_those_that_we_ship(self, choices: Choices) -> None:
        paradigms = human_agreement(choices).as_dict()["paradigms"]
        for name, value in published()["human"].items():
            assert paradigms[name] == pytest.approx(value, abs=0.006)

    def test_attention_checks_and_what_was_left_out(self, choices: Choices) -> None:
        found = human_agreement(choices)
        assert (found.attention.checks, found.attention.passed) == (1734, 1734)
        assert found.attention.failed == ()
        assert found.left_out == {"assignments not approved": 10, "questions not answered": 1}

    def test_the_authors_summary(self, choices: Choices, shared: Path) -> None:
        """Their summary has the same majorities; it lacks one worker, who moves few means."""
        lines = (shared / "data" / "blimp" / "human_validation_summary.csv").read_text("utf-8")
        rows = [line.replace('"', "").split(",") for line in lines.splitlines()[1:]]
        sets = {s.name: s for s in human_agreement(choices, rule="none").sets}
        for name, accepted, mean, _ in rows:
            assert sets[name].agreed == int(accepted)
            assert sets[name].individual == pytest.approx(float(mean), abs=0.011)

    def test_two_people_agree_in_four_of_five_pairs(self, choices: Choices) -> None:
        found = human_agreement(choices, rule="none", keep_failed=True)
        said: dict[str, list[float]] = {}
        for j in choices.judgements:
            if not j.attention_check:
                said.setdefault(j.target, []).append(float(j.response))
        agreed = [
            sum(a == b for a, b in combinations(answers, 2)) / math.comb(len(answers), 2)
            for answers in said.values()
            if len(answers) > 1
        ]
        assert found.between.raw == pytest.approx(sum(agreed) / len(agreed))
        # people of 88.6 % accuracy would agree in a² + (1 − a)² = 79.8 %; pairs differ, so more
        assert 0.798 < found.between.raw < 0.83
        assert found.between.fleiss_kappa == pytest.approx(2 * found.between.raw - 1)


@pytest.mark.shared
class TestReleasedSummary:
    def test_means_over_67_paradigms(self, shared: Path) -> None:
        found = read_published(shared / "data" / "blimp" / "models_summary.jsonl")
        assert len(found.phenomena) == 67
        assert found.accuracies.keys() == SYSTEMS.keys()
        for line in MEANS.splitlines():
            group, *values = line.split()
            for system, value in zip(SYSTEMS, values, strict=True):
                # a mean of 75.95 may be rounded either way
                assert 100 * found.means(system)[group] == pytest.approx(float(value), abs=0.0501)

    def test_they_are_those_that_we_ship(self, shared: Path) -> None:
        found = read_published(shared / "data" / "blimp" / "models_summary.jsonl")
        for system, ours in SYSTEMS.items():
            assert found.accuracies[system] == pytest.approx(published()[ours], abs=0.0006)
            assert found.means(system)["overall"] == pytest.approx(
                published_means(ours)["overall"], abs=0.0006
            )


HEADER = "set,item,rater,response,attention_check,phenomenon\n"


def rows(name: str, item: str, answers: str, phenomenon: str = "") -> str:
    """One row a person: g for good, b for bad, - for none."""
    return "".join(
        f"{name},{item},p{n},{'good' if said == 'g' else 'bad'},0,{phenomenon}\n"
        for n, said in enumerate(answers)
        if said != "-"
    )


def checks(answers: str) -> str:
    return "".join(
        f",check,p{n},{'good' if said == 'g' else 'bad'},1,\n" for n, said in enumerate(answers)
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Four raters; `wh_island` has a majority on 4 of 5 pairs and a tie, `ours` on 1 of 2."""
    path = tmp_path / "judged.csv"
    said = ("gggg", "gggb", "gggb", "ggg-", "ggbb")
    path.write_text(
        HEADER
        + "".join(rows("wh_island", str(n), answers) for n, answers in enumerate(said))
        + rows("ours", "a", "gggg", "word_order")
        + rows("ours", "b", "gbbb", "word_order")
        + checks("gggb")
    )
    return path


class TestByHand:
    def test_all_people(self, plain: Path) -> None:
        found = human_agreement(read_choices(plain), rule="none", keep_failed=True)
        island, ours = sorted(found.sets, key=lambda s: s.name, reverse=True)
        assert island.means == (1.0, 0.75, 0.75, 1.0, 0.5)
        assert (island.individual, island.agreed, island.ties) == (0.8, 4, 1)
        assert (island.phenomenon, ours.phenomenon) == ("island_effects", "word_order")
        assert (ours.individual, ours.agreed) == (0.625, 1)
        assert found.individual == pytest.approx((0.8 + 0.625) / 2)
        assert (found.majority_pairs, found.pairs, found.raters) == (5, 7, 4)
        assert found.as_dict()["phenomena"] == {"island_effects": 0.8, "word_order": 0.625}

    def test_people_with_each_other(self, plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
        # of gggg, gggb, gggb, ggg, ggbb, gggg, gbbb two people agree in 1, ½, ½, 1, ⅓, 1, ½
        found = human_agreement(read_choices(plain), rule="none", keep_failed=True).between
        assert found.raw == pytest.approx(29 / 42)
        assert found.fleiss_kappa == pytest.approx(2 * 29 / 42 - 1)
        assert run(["analyse", "human", str(plain), "--rule", "none", "--keep-failed"]) == 0
        said = capsys.readouterr().out
        assert "two agree in 69.0 %, Fleiss’ κ 0.381, Krippendorff’s α" in said
        assert "by which of the two sentences was chosen" in said

    def test_the_four_of_five_rule(self, plain: Path) -> None:
        found = human_agreement(read_choices(plain), keep_failed=True).as_dict()
        assert found["excluded"] == ["ours"]
        assert found["individual"] == 0.8
        assert (found["majority"], found["majority_pairs"], found["pairs"]) == (0.8, 4, 5)
        assert found["paradigms"] == {"wh_island": 0.8}
        assert found["majority_ci"][0] < 0.8 < found["majority_ci"][1]
        assert found["individual_ci"][0] < 0.8 < found["individual_ci"][1]

    def test_what_the_rule_leaves_out_is_said_with_the_figures_that_it_changes(
        self, plain: Path
    ) -> None:
        assert human_agreement(read_choices(plain), keep_failed=True).exclusion == (
            "The rule 4/5 leaves out sets where most people agree with the label of fewer than 4 "
            "pairs or 80 % of them, in all 2 of 7 pairs: ours (1 of 2). With them, individual "
            "agreement is 71.25 % and majority agreement 71.43 %."
        )
        assert human_agreement(read_choices(plain), rule="none").exclusion == ""

    def test_who_fails_a_check_is_left_out(self, plain: Path) -> None:
        found = human_agreement(read_choices(plain), rule="none")
        assert as_plain(found.attention) == {
            "checks": 4,
            "passed": 3,
            "failed_raters": ["p3"],
            "judgements_dropped": 6,
        }
        assert found.raters == 3
        means = {s.name: s.means for s in found.sets}
        assert means["wh_island"] == (1.0, 1.0, 1.0, 1.0, pytest.approx(2 / 3))

    def test_the_figure(self, plain: Path) -> None:
        found = human_agreement(read_choices(plain), rule="none", keep_failed=True)
        (figure,) = found.figures
        shown = {(r["phenomenon"], r["agreement"]): r["per_cent"] for r in figure.rows}
        assert shown["island_effects", "individual"] == 80.0
        assert shown["overall", "majority"] == pytest.approx(100 * 5 / 7, abs=0.01)
        assert "2 sets, 7 pairs, 27 judgements of 4 people" in figure.caption


class TestInclusion:
    @pytest.mark.parametrize(
        ("agreed", "pairs", "admitted"),
        [(4, 5, True), (3, 5, False), (3, 3, False), (8, 10, True), (7, 10, False)],
    )
    def test_four_of_five(self, agreed: int, pairs: int, admitted: bool) -> None:
        assert Inclusion.parse("4/5").admits(agreed, pairs) is admitted

    @pytest.mark.parametrize("rule", ["5/4", "0/5", "most", "4"])
    def test_what_is_no_rule(self, rule: str) -> None:
        with pytest.raises(UsageError, match="is neither K/N, such as 4/5, nor none"):
            Inclusion.parse(rule)

    def test_no_set_passes(self, tmp_path: Path) -> None:
        path = tmp_path / "few.csv"
        path.write_text(HEADER + rows("ours", "a", "gg"))
        with pytest.raises(DataError, match=r"the largest has 1 pairs\); give another `rule=`"):
            human_agreement(read_choices(path))

    def test_everybody_failed(self, tmp_path: Path) -> None:
        path = tmp_path / "failed.csv"
        path.write_text(HEADER + rows("ours", "a", "gg") + checks("bb"))
        with pytest.raises(DataError, match="every rater failed a check; see `keep_failed=True`"):
            human_agreement(read_choices(path))


class TestBadFiles:
    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("set,item,rater\na,1,p\n", r":1: no column response; it needs set, item"),
            (HEADER + "a,1,p,maybe,0,\n", r":2: the response is 'maybe'; write good or bad"),
            (HEADER + "a,,p,good,0,\n", r":2: set, item and rater may not be empty"),
            (HEADER + "a,1,p,good,perhaps,\n", r":2: attention_check is 'perhaps'"),
            (HEADER + "a,1,p,good,0,\na,1,p,bad,0,\n", r"p judged a 1 twice"),
        ],
    )
    def test_plain(self, tmp_path: Path, text: str, complaint: str) -> None:
        path = tmp_path / "bad.csv"
        path.write_text(text)
        with pytest.raises(DataError, match=complaint):
            read_choices(path)

    def test_mturk(self, tmp_path: Path) -> None:
        path = tmp_path / "mturk.csv"
        columns = {"AssignmentStatus": "Approved", "anonCode": "1"}
        for n in range(1, 6):
            columns |= {
                f"Input.item_{n}_condition": "wh_island",
                f"Input.field_{n}_1": "Yes",
                f"Input.field_{n}_2": "No",
                f"Answer.Choice{n}": "1. Yes",
            }
        path.write_text(f"{','.join(columns)}\n{','.join(columns.values())}\n")
        with pytest.raises(DataError, match="not a UID and ans1 or ans2"):
            read_choices(path)
        columns["AssignmentStatus"] = "Rejected"
        path.write_text(f"{','.join(columns)}\n{','.join(columns.values())}\n")
        with pytest.raises(DataError, match="no approved assignment"):
            read_choices(path)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="no file"):
            read_choices(tmp_path / "none.csv")

    @pytest.mark.parametrize(
        ("row", "complaint"),
        [
            ('{"UID":"a"}', "no UID and linguistics_term"),
            ('{"UID":"a","linguistics_term":"b","m":61.2}', "write a share, 0 to 1"),
            ('{"UID":"a","linguistics_term":"b"}', "no accuracies"),
        ],
    )
    def test_summaries(self, tmp_path: Path, row: str, complaint: str) -> None:
        path = tmp_path / "summary.jsonl"
        path.write_text(row + "\n")
        with pytest.raises(DataError, match=complaint):
            read_published(path)
