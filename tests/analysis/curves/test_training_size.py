"""Training size: the fitted line of each phenomenon, and where it reaches people's level."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import pytest
from tests.scored_runs import rights, scored_pairs

from priscian.analysis.curves.sizes import TrainedResult
from priscian.analysis.curves.training_size import analyse_training_size, reached
from priscian.datasets.reference import published
from priscian.errors import DataError

TAXONOMY = {"wh_island": ("syntax", "island_effects"), "passive_1": ("syntax", "arguments")}


def model(tokens: float, islands: int, passives: int, curve: str = "") -> TrainedResult:
    sets = {"wh_island": rights(islands, 100), "passive_1": rights(passives, 100)}
    return TrainedResult(scored_pairs(f"m{tokens:g}", sets, TAXONOMY), tokens, curve)


def test_accuracy_that_doubles_evenly_reaches_people_where_the_line_says() -> None:
    found = analyse_training_size([model(2**k, 2 * k, 50) for k in (18, 20, 22, 24)])
    islands = next(c for c in found.curves if c.name == "island_effects")
    assert islands.line.slope == pytest.approx(0.02)
    assert islands.reach is not None
    assert islands.reach.human == published()["human"]["wh_island"]
    assert islands.reach.log2_tokens == pytest.approx(islands.reach.human / 0.02)
    assert islands.reach.tokens == pytest.approx(2 ** (islands.reach.human / 0.02))
    assert islands.reach.extrapolated


def test_a_level_within_the_sizes_is_no_extrapolation() -> None:
    found = analyse_training_size([model(2**k, 50 + 8 * (k - 17), 50) for k in range(17, 23)])
    islands = next(c for c in found.curves if c.name == "island_effects")
    assert islands.reach is not None
    assert not islands.reach.extrapolated


def test_a_line_that_hardly_rises_arrives_beyond_any_number() -> None:
    found = analyse_training_size([model(2**k, 50 + (k == 22), 50) for k in (18, 20, 22)])
    slow = next(c for c in found.curves if c.name == "island_effects")
    assert slow.reach is not None
    assert slow.reach.log2_tokens is not None
    far = reached(slow.reach.human, 5000.0, None, extrapolated=True)
    assert far.tokens is None
    assert slow.reach.ci is None


def test_a_curve_that_does_not_rise_never_arrives() -> None:
    found = analyse_training_size([model(2**k, 80 - k, 50) for k in (18, 20, 22)])
    islands = next(c for c in found.curves if c.name == "island_effects")
    assert islands.reach is not None
    assert (islands.reach.log2_tokens, islands.reach.tokens) == (None, None)


def test_people_are_not_known_of_one_s_own_paradigms() -> None:
    made = [
        TrainedResult(scored_pairs(f"m{k}", {"mine": rights(k, 40)}, {}), 2.0**k)
        for k in (18, 20, 22)
    ]
    (curve,) = analyse_training_size(made).curves
    assert (curve.name, curve.reach) == ("overall", None)


def test_two_sizes_with_seeds_have_a_slope_but_are_not_extrapolated() -> None:
    # means .50 and .55 two doublings apart; residuals ±.01: s² = 4 · .0001 / 2, Sxx = 4 · 1²
    four = [model(2**k, n, 50) for k, n in ((18, 49), (18, 51), (20, 54), (20, 56))]
    found = analyse_training_size(four)
    islands = next(c for c in found.curves if c.name == "island_effects")
    assert islands.line.slope == pytest.approx(0.025)
    half = 4.302653 * math.sqrt(0.0002 / 4)
    assert islands.line.ci == pytest.approx((0.025 - half, 0.025 + half))
    assert islands.reach is None


def test_a_line_needs_two_sizes_and_three_models() -> None:
    two = [model(2**18, 50, 50), model(2**20, 55, 50)]
    with pytest.raises(DataError, match=r"2 models of 2 training sizes; .* 2 sizes and 3 models"):
        analyse_training_size(two)
    one = [model(2**18, 50 + n, 50) for n in range(4)]
    with pytest.raises(DataError, match="has 4 models of 1 training size;"):
        analyse_training_size(one)
    with pytest.raises(DataError, match="no model has a training size"):
        analyse_training_size([])


def test_curves_are_kept_apart() -> None:
    made = [model(2**k, 2 * k, 50, "lstm") for k in (18, 20, 22)]
    made += [model(2**k, 3 * k, 50, "gpt") for k in (18, 20, 22)]
    found = analyse_training_size(made).as_dict()
    assert found["lstm"]["island_effects"]["slope"] == pytest.approx(0.02)
    assert found["gpt"]["island_effects"]["slope"] == pytest.approx(0.03)


def test_models_that_share_no_paradigm_are_refused() -> None:
    made = [
        TrainedResult(scored_pairs(f"m{k}", {f"s{k}": rights(1, 2)}, {}), 2.0**k)
        for k in (18, 20, 22)
    ]
    with pytest.raises(DataError, match="share no paradigm"):
        analyse_training_size(made)


def test_the_figure_has_a_panel_for_each_phenomenon_and_people_in_it() -> None:
    found = analyse_training_size([model(2**k, 2 * k, 50) for k in (18, 20, 22)])
    (figure,) = found.figures
    panels = figure.chart["concat"]
    assert [p["title"] for p in panels] == ["arguments", "island effects", "overall"]
    assert all(len(p["layer"]) == 4 for p in panels)
    assert "3 models" in figure.caption
    assert "Student's" in figure.caption
    assert figure.caption.count("Chance is 50 %; ties count half.") == 1
    assert len(figure.rows) == 9


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("half", "Chance is 50 %; ties count half; one model has 38 % ties."),
        ("vote:51", "ties are decided by vote of 51; one"),
    ],
)
def test_the_figure_says_how_ties_count(rule: str, said: str) -> None:
    made = [model(2**k, 2 * k, 50) for k in (18, 20, 22)]
    found = analyse_training_size(made)
    found = msgspec.structs.replace(found, ties=(rule,), most_ties=0.376)
    assert said in found.figures[0].caption


def test_the_rule_for_ties_and_the_largest_share_of_them_are_known() -> None:
    tied = {"wh_island": [1.0, 0.5, 0.5, 0.0], "passive_1": [1.0, 1.0, 0.0, 0.0]}
    made = [model(2**k, 2 * k, 50) for k in (18, 20, 22)]
    result = scored_pairs("tied", tied, TAXONOMY)
    result = replace(result, summary=msgspec.structs.replace(result.summary, tie="wrong"))
    found = analyse_training_size([*made, TrainedResult(result, 2.0**24)])
    assert found.ties == ("half", "wrong")
    assert found.most_ties == 0.25
