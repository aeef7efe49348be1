"""Design columns by hand."""

from __future__ import annotations

import numpy as np

from priscian.stats.mixed_effects import columns, treatment


def test_the_first_level_by_name_is_the_baseline() -> None:
    assert list(treatment(["c", "a", "b", "a"])) == ["b", "c"]
    assert treatment(["c", "a", "b", "a"])["c"].tolist() == [1, 0, 0, 0]


def test_an_interaction_has_the_products_of_all_columns() -> None:
    effects = {"size": {"log size": np.array([1.0, 2.0, 3.0])}, "arch": treatment(["a", "b", "c"])}
    found = columns("size:arch", effects)
    assert {name: column.tolist() for name, column in found.items()} == {
        "log size:b": [0, 2, 0],
        "log size:c": [0, 0, 3],
    }
    assert columns("size", effects) is effects["size"]
