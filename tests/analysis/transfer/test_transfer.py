"""Cells, asymmetries and clusters, worked out by hand from small counts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.analysis.transfer.small_transfer import analyse, effect_of

from priscian.analysis.transfer.cells import cell_of, cluster
from priscian.analysis.transfer.record import (
    LEARNERS,
    WORDS,
    OwnChoice,
    ParadigmPlace,
    Tally,
    TransferRecord,
    is_record,
    read_record,
)
from priscian.analysis.transfer.train import count, count_own
from priscian.analysis.transfer.transfer import Transfer, read_transfer
from priscian.errors import DataError
from priscian.stats.proportions import wilson
from priscian.stats.sets import shares_interval

PLACES = (
    ParadigmPlace("a1", "a", "syntax"),
    ParadigmPlace("a2", "a", "syntax"),
    ParadigmPlace("b1", "b", "syntax"),
    ParadigmPlace("c1", "c", "morphology"),
)
ACCURACY = {
    "a": {"a1": 10, "a2": 8, "b1": 7, "c1": 5},
    "b": {"a1": 4, "a2": 6, "b1": 9, "c1": 5},
    "c": {"a1": 5, "a2": 5, "b1": 4, "c1": 10},
}
"""Right pairs of ten, by training phenomenon and paradigm tested."""


def tally(
    right: float, target: str, source: str = "a", trained: str = "matrix", **other: object
) -> Tally:
    facts: dict[str, object] = {"learner": "probe", "words": "same", "draws": 1} | other
    good, wrong = int(right), 10 * int(str(facts["draws"])) - int(right)
    return Tally(
        trained, facts["learner"], facts["words"], source, 10, target, facts["draws"], 10, right,
        0, good, good, wrong, wrong,
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.fixture
def found() -> Transfer:
    """Probe and equal sizes have the counts above; the bag 6, shuffled labels 5 everywhere."""
    own = {"bag": 6, "shuffled": 5}
    tallies = [
        tally(own.get(learner, right), uid, source, learner=learner, words=words)
        for source, row in ACCURACY.items()
        for uid, right in row.items()
        for learner in LEARNERS
        for words in WORDS
    ]
    return Transfer.of(
        TransferRecord(
            encoder="tiny", view="1-mean", chosen_by="", c=1.0, pairs=10, test_pairs=10, seed=1,
            test_seed=2, draws=1, sizes=(), model="lm", paradigms=PLACES, tallies=tuple(tallies),
            own=tuple(OwnChoice(w, p.uid, 10, 9.0, 0) for w in WORDS for p in PLACES),
        )
    )  # fmt: skip


def test_a_cell_is_the_mean_over_the_paradigms_of_the_column(found: Transfer) -> None:
    assert found.cell("a", "a").accuracy == pytest.approx(0.9)  # (10 + 8) / 20
    assert found.cell("b", "a").accuracy == pytest.approx(0.5)
    assert found.cell("a", "a").ci == shares_interval([1.0, 0.8], [10, 10])
    assert found.cell("a", "b").ci == wilson(0.7, 10)
    assert found.cell("a", "a").paradigms == 2
    assert found.cell("a", "a").pairs == 20


def test_the_correlation_counts_single_sentences() -> None:
    # 8 of 10 good and 8 of 10 bad sentences right: (64 - 4) / 100
    assert cell_of([tally(8, "a1")]).mcc == pytest.approx(0.6)
    low, high = cell_of([tally(8, "a1")]).mcc_ci or (math.nan, math.nan)
    assert 0.1 < low < 0.6 < high < 0.9
    assert cell_of([tally(0, "a1")]).mcc == -1.0


def test_draws_are_averaged_and_do_not_count_as_more_pairs() -> None:
    one, many = cell_of([tally(7, "a1")]), cell_of([tally(14, "a1", draws=2)])
    assert (one.accuracy, one.ci, one.pairs) == (many.accuracy, many.ci, many.pairs)


def test_a_tie_is_half_right() -> None:
    logits = np.array([[1.0, -1.0], [0.2, 0.2], [-1.0, 1.0], [2.0, 1.0]])
    assert count(logits).tolist() == [2.5, 1, 3, 1, 3, 1]
    (own,) = count_own({"g": -3.0, "b": -3.0}, {"same": {"a1": [("g", "b")]}}, 1e-6)
    assert (own.right, own.ties) == (0.5, 1)


def test_overall_scores_are_means_over_paradigms(found: Transfer) -> None:
    assert found.overall("own").accuracy == pytest.approx((1.0 + 0.8 + 0.9 + 1.0) / 4)
    # a1 from b, c; a2 from b, c; b1 from a, c; c1 from a, b
    assert found.overall("others").accuracy == pytest.approx((0.45 + 0.55 + 0.55 + 0.5) / 4)
    own = found.own("a")
    assert own is not None
    assert own.accuracy == pytest.approx(0.9)
    assert own.paradigms == 2


def test_a_cell_is_above_its_controls_by_more_than_its_interval(found: Transfer) -> None:
    assert not found.is_above("a", "b")  # 7 of 10, from .40
    assert found.is_above("c", "c")  # 10 of 10, from .72


def test_the_asymmetry_of_two_phenomena_is_one_direction_less_the_other(found: Transfer) -> None:
    gaps = {frozenset((a.source, a.target)): a for a in found.asymmetries}
    assert (gaps[frozenset("ab")].source, gaps[frozenset("bc")].source) == ("a", "b")
    assert gaps[frozenset("ab")].difference == pytest.approx(0.2)  # .7 − .5
    assert gaps[frozenset("bc")].difference == pytest.approx(0.1)  # .5 − .4
    assert gaps[frozenset("ac")].difference == pytest.approx(0.0)  # .5 − .5
    assert all(a.ci[0] <= a.difference <= a.ci[1] for a in found.asymmetries)


def test_phenomena_that_help_each_other_are_joined_first() -> None:
    names, fields = ["a", "b", "c", "d"], dict(zip("abcd", ["x", "x", "y", "y"], strict=True))
    accuracy = np.full((4, 4), 0.5)
    accuracy[0, 1] = accuracy[1, 0] = 0.9
    accuracy[2, 3], accuracy[3, 2] = 0.9, 0.7
    made = cluster(names, fields, accuracy)
    assert set(made.merges[0].left + made.merges[0].right) == {"a", "b"}
    assert made.merges[0].distance == pytest.approx(0.1)
    assert made.merges[1].distance == pytest.approx(0.2)
    assert made.merges[2].distance == pytest.approx(0.5)
    assert (made.same_field, made.other_field) == (pytest.approx(0.85), pytest.approx(0.5))
    # of the 24 orders of four things, 8 leave the two pairs as they are
    assert made.taxonomy.r > 0.9
    assert made.taxonomy.p == pytest.approx(8 / 24, abs=0.02)


def test_a_saved_analysis_is_read_back_unchanged(tmp_path: Path) -> None:
    found = analyse(effect_of(0, 0, 1))
    file = found.save(tmp_path / "out")
    assert is_record(tmp_path / "out")
    assert is_record(file)
    assert not is_record(tmp_path)
    for path in (tmp_path / "out", file):
        again = read_transfer(path)
        assert again.record == found.record


def test_files_of_another_kind_are_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="give the folder of a saved transfer analysis"):
        read_record(tmp_path)
    (tmp_path / "transfer.json").write_text('{"kind": "pairs"}')
    with pytest.raises(DataError, match=r"transfer\.json"):
        read_record(tmp_path)


def test_every_figure_has_a_chart_and_its_data() -> None:
    found = analyse(effect_of(0, 1, 2))
    figures = {figure.name: figure for figure in found.figures}
    assert list(figures) == [
        "transfer", "transfer-controls", "transfer-left-out", "transfer-left-out-paradigms",
        "transfer-size", "transfer-asymmetry", "transfer-clusters",
    ]  # fmt: skip
    assert len(figures["transfer"].rows) == 9
    assert len(figures["transfer-controls"].rows) == 4 * 9
    assert len(figures["transfer-left-out"].rows) == 3 * 6  # the model itself among them
    assert {row["pairs"] for row in figures["transfer-size"].rows} == {10, 30, 60}
    assert len(found.findings) >= 6


def test_any_number_of_processes_gives_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for cores in (1, 3):
        monkeypatch.setattr("priscian.analysis.transfer.train.cores", lambda cores=cores: cores)
        found.append(analyse(effect_of(0, 1), draws=1).record)
    assert found[0] == found[1]
