"""Chance levels against published fractions, orderings counted out, and a simulation."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from priscian.datasets.reference import published_suites
from priscian.formulas import chance, chance_of, parse_formula, values_of
from priscian.metrics.contrasts import evaluate

EXACT = {
    "center_embed": 1 / 2, "cleft": 1 / 2, "fgd_object": 1 / 4, "mvrr": 7 / 24, "npz_obj": 7 / 24,
    "npi_src_any": 5 / 24, "number_prep": 1 / 4, "reflexive_orc_fem": 1 / 4,
    "subordination": 1 / 4, "nn-nv-rpl": 1 / 2,
}  # fmt: skip


@pytest.mark.parametrize(("name", "level"), EXACT.items())
def test_published_suites_have_their_exact_level(name: str, level: float) -> None:
    formula = published_suites()[name].formulas[0]
    assert chance_of(parse_formula(formula)) == pytest.approx(level, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "((1;%a%)<(1;%b%))&((1;%b%)<(1;%c%))",
        "((1;%a%)<(1;%b%))&((1;%c%)<(1;%b%))&((1;%d%)<(1;%b%))",
        "((1;%a%)<(1;%b%))&((1;%b%)<(1;%a%))",
        "((1;%a%)<(1;%b%))&((1;%c%)<(1;%d%))&((1;%a%)<(1;%d%))",
    ],
)
def test_comparisons_of_single_regions_agree_with_counting_orders(text: str) -> None:
    tree = parse_formula(text)
    places = list(dict.fromkeys(v.condition for v in values_of(tree)))
    orders = list(permutations(range(len(places))))
    true = sum(
        evaluate(tree, lambda c, _, r=ranks: float(r[places.index(c)])).true for ranks in orders
    )
    assert chance_of(tree) == pytest.approx(true / len(orders), abs=1e-12)


def test_an_equality_never_holds_and_neither_does_a_region_beat_itself() -> None:
    assert chance_of(parse_formula("((1;%a%)=(1;%b%))&((1;%a%)<(1;%c%))")) == 0
    assert chance_of(parse_formula("(1;%a%)<(1;%a%)")) == 0


def test_the_closed_form_agrees_with_a_simulation() -> None:
    tree = parse_formula(published_suites()["mvrr"].formulas[0])
    assert chance._simulated(tree) == pytest.approx(chance_of(tree), abs=0.004)


def test_what_has_no_closed_form_is_simulated() -> None:
    either = parse_formula("((1;%a%)<(1;%b%))|((1;%c%)<(1;%d%))")
    assert chance_of(either) == pytest.approx(0.75, abs=0.004)
    four = parse_formula("&".join(f"((1;%a{i}%)<(1;%b{i}%))" for i in range(4)))
    assert chance_of(four) == pytest.approx(1 / 16, abs=0.003)
    draws = np.random.default_rng(1).normal(0, chance.SPREAD, 10**6)
    assert chance_of(parse_formula("(1;%a%)>2")) == pytest.approx((draws > 2).mean(), abs=0.004)
