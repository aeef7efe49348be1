"""The published figures that are shipped give the published means."""

from __future__ import annotations

import pytest

from priscian.datasets.reference import published, published_means


@pytest.mark.parametrize(
    ("system", "overall"),
    [("5-gram", 61.2), ("LSTM", 69.8), ("Transformer-XL", 69.6), ("GPT-2", 83.0), ("human", 88.6)],
)
def test_overall_means_are_those_of_the_released_files(system: str, overall: float) -> None:
    assert 100 * published_means(system)["overall"] == pytest.approx(overall, abs=0.06)


def test_phenomenon_means_are_those_of_the_released_files() -> None:
    means = published_means("GPT-2")
    assert 100 * means["anaphor_agreement"] == pytest.approx(99.3, abs=0.06)
    assert 100 * means["island_effects"] == pytest.approx(72.7, abs=0.06)
    assert 100 * published_means("5-gram")["ellipsis"] == pytest.approx(36.9, abs=0.06)


def test_every_system_has_all_67_paradigms() -> None:
    assert {len(rows) for rows in published().values()} == {67}
