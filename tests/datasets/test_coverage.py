"""The map from our paradigms, suites and textbook phenomena to a textbook's topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.datasets import coverage as module
from priscian.datasets.coverage import (
    MAP,
    coverage,
    coverage_page,
    covered_line,
    mapped,
    outside,
    topics,
)
from priscian.datasets.graded_read import read_textbook
from priscian.errors import DataError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"


def existing() -> dict[str, set[str]]:
    """The names in the registries, by kind."""
    from priscian.paradigms import paradigms
    from priscian.suites import suites

    both = read_textbook().sentences + read_textbook(contested=True).sentences
    return {
        "paradigm": set(paradigms()),
        "suite": set(suites()),
        "textbook": {s.phenomenon for s in both},
    }


@pytest.mark.parametrize("kind", ["paradigm", "suite", "textbook"])
def test_everything_that_exists_is_mapped_and_nothing_else(kind: str) -> None:
    names = existing()[kind]
    rows = {m.name for m in mapped() if m.kind == kind}
    place = f"src/priscian/datasets/data/{MAP.name}"
    missing = sorted(names - rows)
    assert not missing, (
        f"add a row to {place} for each of: {', '.join(missing)} "
        f"(tabs between: {kind}, the name, keys of coverage_topics.tsv or 'outside'), "
        "then run scripts/coverage_page.py"
    )
    gone = sorted(rows - names)
    assert not gone, f"no {kind} has these names; correct or delete their rows in {place}: {gone}"


def test_the_page_is_what_the_map_says() -> None:
    assert PAGE.read_text("utf-8") == coverage_page(), "run scripts/coverage_page.py"


def test_the_topics_are_those_of_table_5() -> None:
    assert {t.chapter for t in topics()} == set(range(1, 16))
    assert len({t.key for t in topics()}) == len(topics()) == 46  # 47 with the row "Clausal"
    ticked = [t for t in topics() if t.hu2020]
    assert len(ticked) == 16  # the paper: 16 phenomena in 11 of 15 chapters
    assert len({t.chapter for t in ticked}) == 11
    assert {t.name for t in ticked if t.chapter == 2} == {
        "Parts of Speech", "Plurality", "Argument Structure of Verbs",
    }  # fmt: skip


def test_a_topic_lists_its_tests_and_the_rest_is_outside() -> None:
    found = {c.topic.key: c for c in coverage()}
    assert "adjunct_island" in found["islands"].paradigms
    assert "reflexive_orc_fem" in found["binding_a_b"].suites
    assert "do_so_object" in found["do_so_replacement"].textbook
    assert "npz_ambig" in outside("suite")
    assert not found["government"]
    assert "Not covered: Government." in covered_line()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("suit\tcleft\tislands", "2: cleft: unknown kind 'suit'; use paradigm, suite, textbook"),
        ("suite\tcleft\tisland", "2: cleft: topics 'island'; use keys of coverage_topics.tsv"),
        ("suite\tcleft\toutside islands", "2: cleft: topics 'outside islands'"),
        ("suite\tcleft\t", "2: cleft: topics ''"),
        ("suite\tcleft\tislands\nsuite\tcleft\tpassive", "3: cleft: listed twice"),
    ],
)
def test_a_wrong_row_is_named(
    row: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "map.tsv"
    file.write_text(f"kind\tname\ttopics\n{row}\n", "utf-8")
    monkeypatch.setattr(module, "MAP", file)
    with pytest.raises(DataError, match=message):
        module.mapped.__wrapped__()
