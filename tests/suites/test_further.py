"""Suites beyond the published ones: made only if they are named, and never part of the SG score."""

from __future__ import annotations

import json

import pytest
from tests.scored_runs import scored_suites

from priscian.catalogue import FURTHER
from priscian.cli.list import _suites
from priscian.cli.tables import suites_table
from priscian.datasets.generation import choose_suites, generate, generate_suite_set, read_generated
from priscian.datasets.reference import published_suites, selection
from priscian.datasets.syntaxgym import read_suite
from priscian.datasets.syntaxgym_write import suite_csv
from priscian.lexicon import load_lexicon
from priscian.metrics.generalization import ItemOutcome, SuiteOutcome, summarise_suites
from priscian.suites import further_suites, generate_suite, read_rows, suites

PUBLISHED = set(published_suites())
CIRCUITS = {suite.circuit for suite in published_suites().values() if suite.circuit}


def outcome(name, circuit, right, n=10):
    items = tuple(ItemOutcome(f"{name}/{i}", float(i < right), False, (), {}) for i in range(n))
    return SuiteOutcome(name, circuit, 0.25, items)


def test_what_is_not_published_is_further_and_stands_in_no_circuit_of_the_paper():
    for name, suite in suites().items():
        assert suite.further == (name not in PUBLISHED), name
        assert (suite.circuit in CIRCUITS) == (name in PUBLISHED), name
    assert "degree_complement" in further_suites()


def test_all_of_ours_are_the_33_published_ones_with_a_circuit():
    assert set(choose_suites()) == selection("33") == selection("ours")
    assert choose_suites(["further"]) == further_suites()
    assert choose_suites(["further", "cleft", "degree_complement"]) == [*further_suites(), "cleft"]


def test_further_suites_are_generated_by_name(tmp_path):
    made = generate("sg", seed=2, n=2, only=["further"], out=tmp_path / "further")
    assert list(made.names) == further_suites()
    sets, refused = read_generated("sg", "2,2,degree_complement")
    assert [s.name for s in sets] == ["degree_complement"]
    assert refused == []


def test_a_file_says_that_its_suite_is_further(tmp_path):
    made = generate_suite_set("degree_complement", 2, 1)
    assert made.taxonomy == (FURTHER,)
    for name, text in (
        ("d.json", json.dumps(made.meta["meta"])),
        ("d.csv", suite_csv(made)),
    ):
        assert FURTHER in text, name
    file = tmp_path / "d.csv"
    file.write_text(suite_csv(made))
    assert read_suite(file).taxonomy == (FURTHER,)


def test_further_suites_change_neither_the_sg_score_nor_a_circuit():
    published = [outcome("a", "Licensing", 5), outcome("b", "Agreement", 9)]
    more = [outcome("c", FURTHER, 0), outcome("d", FURTHER, 2)]
    alone, both = summarise_suites(published), summarise_suites([*published, *more])
    assert both["sg"] == alone["sg"]
    assert both["sg"]["score"] == pytest.approx(0.7)
    further = both["circuits"].pop(FURTHER)
    assert both["circuits"] == alone["circuits"]
    assert further["accuracy"] == pytest.approx(0.1)
    assert both["suites"]["c"]["accuracy"] == 0


def test_a_run_of_further_suites_alone_has_a_mean_and_no_sg_score():
    def last(*suites):
        made = suites_table("sg", [scored_suites("m", dict(suites))])
        return str(list(made.columns[0].cells)[-1])

    further, known = ("c", (FURTHER, [1, 0])), ("a", ("Licensing", [1, 1]))
    assert last(further) == "mean of 1 suite"
    assert last(known, further) == "SG score (mean of 1 suite)"


def test_the_list_tells_them_apart():
    rows = {row["suite"]: row for row in _suites()}
    assert rows["degree_complement"]["ours"] == "further"
    assert rows["degree_complement"]["published"] == "no"
    assert rows["cleft"]["ours"] == "yes"
    assert rows["nn-nv-rpl"]["ours"] == "no"


# ---------------------------------------------------------------- what makes their contrasts hold


def sentences(name, n=100, seed=7):
    for item in generate_suite(name, n, seed)["items"]:
        yield {
            c["condition_name"]: [r["content"] for r in c["regions"]] for c in item["conditions"]
        }


@pytest.mark.parametrize(
    ("table", "columns"),
    [("parasitic_gaps", ("verb", "adjunct")), ("coordinated_gaps", ("verb", "other_verb"))],
)
def test_the_verbs_before_a_gap_need_their_object(table, columns):
    verbs = {verb.lemma: verb for verb in load_lexicon().all_verbs}
    for row in read_rows(table, *columns):
        for column in columns:
            if " " in row[column]:  # a preposition needs an object: *listening to*
                continue
            frames = verbs[row[column]].frames.keys()
            assert not {"drop", "optobj", "alt", "inch", "unerg", "unacc"} & frames, row[column]


def test_no_verb_of_an_adjunct_lets_its_object_be_understood():
    """*He served the soup without tasting first* is good."""
    loose = {"check", "examine", "inspect", "measure", "review", "rinse", "taste", "test", "weigh"}
    assert not {row["adjunct"] for row in read_rows("parasitic_gaps", "adjunct")} & loose


def test_a_parasitic_gap_loses_its_filler_or_its_host():
    for item in sentences("parasitic_gap"):
        good, no_filler, island = item["parasitic"], item["no_filler"], item["island"]
        assert good[4] == ""
        assert island == [*good[:4], island[4], *good[5:]]
        assert no_filler == [island[0], "that", *island[2:]]
        assert good[1] == "what"


def test_coordinated_gaps_come_together():
    for item in sentences("coordinated_gap"):
        assert [bool(item["what_gap"][at]) for at in (2, 5)] == [False, False]
        assert [bool(item["that_gap"][at]) for at in (2, 5)] == [True, False]
        assert item["what_nogap"][5] == item["that_nogap"][5] != item["that_nogap"][2]
        # *I know what he peeled, and the maid sliced the pears* would be good.
        assert item["what_gap"][0] == "What"


def test_a_sluice_agrees_with_its_correlate():
    for item in sentences("sluice"):
        for name, contents in item.items():
            assert f"{contents[1]}_{contents[4]}" == name
            assert contents[5] == "."
