"""Tables of a file as records: bounds, choices and names are in the types."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec
import pytest

from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.files.convert import Count, Finite, Share, check_table, convert_table, renamed_keys


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Some keys of each kind."""

    layers: Count = 2
    dropout: Share = 0.0
    weight: Finite = 1.0
    betas: tuple[Share, Share] = (0.9, 0.95)
    softmax: Literal["full", "adaptive"] = "full"
    size: str | int = "all"
    limit: Count | None = None


def test_a_table_becomes_a_record() -> None:
    values = {"layers": 3, "dropout": 0, "betas": [0.5, 0], "size": 4, "limit": None}
    found = convert_table(Network, values, "network", "r.toml")
    assert found == Network(layers=3, dropout=0.0, betas=(0.5, 0.0), size=4)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"layers": 0}, r"r\.toml: network\.layers = 0; it takes a number from 1 to 2,147,483,647"),
        ({"limit": -1}, r"network\.limit = -1; it takes a number from 1 to"),
        ({"dropout": 1}, r"network\.dropout = 1; it takes a number from 0 to below 1$"),
        ({"dropout": math.nan}, r"network\.dropout = nan; it takes"),
        ({"weight": math.inf}, r"network\.weight = inf; it takes a number from 0$"),
        ({"betas": [0.1, 2.0]}, r"network\.betas = \[0\.1, 2\.0\]; it takes a number from 0 to"),
    ],
)  # fmt: skip
def test_a_number_out_of_its_range_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        convert_table(Network, values, "network", "r.toml", refusal=UsageError)
    with pytest.raises(DataError, match=said):
        check_table(Network, values, "network", "r.toml")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"layers": True}, r"r\.toml, \[network\]: Expected `int`, got `bool` - at `\$\.layers`;"),
        ({"layers": 1.0}, r"Expected `int`, got `float` - at `\$\.layers`; correct the value$"),
        ({"betas": [0.1, "x"]}, r"got `str` - at `\$\.betas\[1\]`; correct"),
        ({"size": []}, r"got `array` - at `\$\.size`"),
        ([1], r"r\.toml: \[network\] must be a table of keys and values"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_named_with_its_place(values: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        convert_table(Network, values, "network", "r.toml", refusal=UsageError)


def test_unknown_keys_and_choices_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"key in \[network\] of r\.toml .*mean layers"):
        convert_table(Network, {"layer": 1}, "network", "r.toml")
    with pytest.raises(UnknownNameError, match=r"network\.softmax in r\.toml .*mean full"):
        convert_table(Network, {"softmax": "ful"}, "network", "r.toml")
    with pytest.raises(UnknownNameError, match="known: dropout"):
        check_table(Network, {"layers": 1}, "network", "r.toml", reserved={"layers"})


def test_an_old_key_is_read_and_its_new_name_is_said() -> None:
    names = {"rate": "learning_rate"}
    with pytest.warns(
        PriscianWarning, match=r"^r: training\.rate is now called training\.learning"
    ):
        found = renamed_keys({"rate": 1, "seed": 2}, names, "training", "r", warn=True)
    assert found == {"learning_rate": 1, "seed": 2}
    assert renamed_keys({"rate": 1}, names, "training", "r", warn=False) == {"learning_rate": 1}
    with pytest.raises(
        DataError, match=r"training\.rate is the old name of training\.learning_rate"
    ):
        renamed_keys({"rate": 1, "learning_rate": 1}, names, "training", "r", warn=False)
