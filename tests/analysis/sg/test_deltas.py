"""ΔSG by architecture and size: values worked out by hand."""

from __future__ import annotations

import pytest

from priscian.analysis.sg.deltas import analyse_deltas
from priscian.analysis.sg.released import Instance, InstanceScore
from priscian.errors import DataError
from priscian.stats.interval import student_t

SCORES = {  # architecture, size: score on suite a and on suite b
    ("lstm", "1M"): (0.4, 0.6),
    ("lstm", "4M"): (0.6, 0.8),
    ("gpt2", "1M"): (0.2, 0.4),
    ("gpt2", "4M"): (0.8, 1.0),
    ("rnng", "1M"): (0.9, 0.5),
}


def scores(*, rnng: bool = True) -> list[InstanceScore]:
    return [
        InstanceScore(Instance(model, size, "1"), suite, value, circuit)
        for (model, size), values in SCORES.items()
        for suite, circuit, value in zip("ab", ("one", "two"), values, strict=True)
        if rnng or model != "rnng"
    ]


def test_a_difference_is_from_the_mean_of_the_same_suite() -> None:
    found = analyse_deltas(scores(rnng=False), ["1M", "4M"])
    # means: suite a .5, suite b .7
    whole = {(d.by, d.name): d.mean for d in found.rows if not d.circuit}
    assert whole == {
        ("architecture", "lstm"): pytest.approx(0.0),
        ("architecture", "gpt2"): pytest.approx(0.0),
        ("size", "1M"): pytest.approx(-0.2),
        ("size", "4M"): pytest.approx(0.2),
    }


def test_a_kind_without_all_sizes_is_compared_where_all_are_and_shifts_no_size() -> None:
    found = analyse_deltas(scores(), ["1M", "4M"])
    assert found.sizes == ("1M",)
    assert found.architectures == ("lstm", "gpt2")
    whole = {(d.by, d.name): d for d in found.rows if not d.circuit}
    # at 1M: suite a .4 .2 .9, mean .5; suite b .6 .4 .5, mean .5
    assert whole["architecture", "rnng"].mean == pytest.approx((0.4 + 0.0) / 2)
    assert whole["size", "4M"].mean == pytest.approx(0.2)
    circuit = {(d.name, d.circuit): d for d in found.rows if d.by == "architecture"}
    assert circuit["rnng", "one"].mean == pytest.approx(0.4)
    assert circuit["rnng", "one"].ci is None


def test_kinds_with_more_seeds_weigh_no_more_so_that_no_size_effect_appears() -> None:
    """Scores do not depend on size; only the number of seeds does."""
    level = {"5-gram": 0.2, "lstm": 0.6}
    seeds = {("5-gram", "1M"): 1, ("5-gram", "4M"): 1, ("lstm", "1M"): 5, ("lstm", "4M"): 1}
    found = analyse_deltas(
        [
            InstanceScore(Instance(kind, size, str(seed)), suite, level[kind], "one")
            for (kind, size), number in seeds.items()
            for seed in range(number)
            for suite in "ab"
        ],
        ["1M", "4M"],
    )
    whole = {(d.by, d.name): d.mean for d in found.rows if not d.circuit}
    assert whole == {
        ("architecture", "5-gram"): pytest.approx(-0.2),
        ("architecture", "lstm"): pytest.approx(0.2),
        ("size", "1M"): pytest.approx(0.0),
        ("size", "4M"): pytest.approx(0.0),
    }


def test_architectures_without_a_common_size_are_not_compared() -> None:
    apart = [s for s in scores() if (s.instance.model, s.instance.corpus) != ("lstm", "1M")]
    found = analyse_deltas(apart, ["1M", "4M"])
    assert {d.by for d in found.rows} == {"size"}
    assert found.sizes == ()
    assert found.left_out == (
        "architectures are not compared: lstm, gpt2, rnng have no common size",
    )
    assert "Sizes are compared with gpt2." in found.figures[0].caption
    assert "rchitectures are" not in found.figures[0].caption


def test_sizes_that_no_kind_has_all_of_are_not_compared() -> None:
    kept = {("lstm", "4M"), ("rnng", "1M")}
    apart = [s for s in scores() if (s.instance.model, s.instance.corpus) in kept]
    with pytest.raises(DataError, match=r"no common size; sizes are not compared: no kind"):
        analyse_deltas(apart, ["1M", "4M"])


def test_intervals_are_students_over_suites_and_within_what_is_possible() -> None:
    found = analyse_deltas(scores(), ["1M", "4M"])
    (rnng,) = [d for d in found.rows if d.name == "rnng" and not d.circuit]
    half = student_t(1) * 0.2  # deltas .4 and 0: standard error .2
    assert half > 1
    assert rnng.ci == (-1.0, 1.0)
    (lstm,) = [d for d in found.rows if (d.name, d.circuit) == ("lstm", "")]
    # deltas −.1 and .1: standard error .1
    assert lstm.ci == (pytest.approx(max(-1, -student_t(1) * 0.1)), pytest.approx(1.0))


def test_one_cell_has_no_difference() -> None:
    with pytest.raises(DataError, match="two kinds of models or sizes"):
        analyse_deltas([s for s in scores() if s.instance.model == "rnng"], ["1M"])


def test_a_suite_without_a_circuit_has_no_row_by_circuit() -> None:
    plain = [InstanceScore(s.instance, s.suite, s.score, s.own_circuit * (s.suite == "a"))
             for s in scores(rnng=False)]  # fmt: skip
    assert {s.circuit for s in plain} == {"one", ""}
    found = analyse_deltas(plain, ["1M", "4M"])
    rows = [(d.name, d.circuit, d.suites) for d in found.rows if d.by == "size"]
    assert rows == [("1M", "", 2), ("4M", "", 2), ("1M", "one", 1), ("4M", "one", 1)]


def test_figures_name_the_grid() -> None:
    first, second = analyse_deltas(scores(), ["1M", "4M"]).figures
    assert (first.name, second.name) == ("delta-sg", "delta-sg-by-circuit")
    assert "Architectures are compared at 1M; sizes are compared with lstm and gpt2." in (
        first.caption
    )
    assert {row["circuit"] for row in second.rows} == {"one", "two"}


def test_every_panel_names_its_rows_since_a_page_may_put_one_below_the_other() -> None:
    _, figure = analyse_deltas(scores(), ["1M", "4M"]).figures
    panels = figure.chart["hconcat"]
    assert len(panels) == 2
    for panel in panels:
        axes = [layer["encoding"]["y"].get("axis") for layer in panel["layer"][1:]]
        assert all(axis is None or axis.get("labels", True) for axis in axes)
