"""Agreement against published and hand-worked values."""

from __future__ import annotations

import math

import pytest

from priscian.stats.agreement import fleiss_kappa, icc2k, krippendorff_alpha, split_half


def test_fleiss_kappa_of_the_textbook_table() -> None:
    # 10 subjects, 14 raters, 5 categories; the well-known worked example gives 0.210
    rows = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    counts = [{k: n for k, n in enumerate(row) if n} for row in rows]
    assert fleiss_kappa(counts) == pytest.approx(0.20993, abs=1e-5)


def test_fleiss_kappa_by_hand() -> None:
    # P1 = 1, P2 = 1/3; shares 4/6 and 2/6: Pe = 5/9; (2/3 − 5/9) / (4/9) = 1/4
    assert fleiss_kappa([{"a": 3}, {"a": 1, "b": 2}]) == pytest.approx(0.25, abs=1e-12)
    assert math.isnan(fleiss_kappa([{"a": 3}]))


# Krippendorff (2011): 4 observers, 12 units, missing data
_ROWS = (
    "1 2 3 3 2 1 4 1 2 - - -",
    "1 2 3 3 2 2 4 1 2 5 - 3",
    "- 3 3 3 2 3 4 2 2 5 1 -",
    "1 2 3 3 2 4 4 1 2 5 1 -",
)
UNITS = {
    str(u): {
        str(o): float(cell)
        for o, row in enumerate(_ROWS)
        for cell in [row.split()[u]]
        if cell != "-"
    }
    for u in range(12)
}


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorffs_alpha_of_his_own_example(level: str, value: float) -> None:
    found = krippendorff_alpha(UNITS, level)  # type: ignore[arg-type]
    assert round(found, 3) == value


def test_icc_of_shrout_and_fleiss() -> None:
    # their table 2: ICC(2,4) = .62
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    assert round(icc2k(table), 2) == 0.62
    assert math.isnan(icc2k([[1, 2]]))


def test_split_half_of_raters_who_agree_is_one() -> None:
    units = {str(u): {str(r): float(u + 10 * r) for r in range(4)} for u in range(5)}
    assert split_half(units, 20) == pytest.approx(1, abs=1e-12)
    # two raters: one split, r = 0.5 by hand, stepped up to 2/3
    two = {"a": {"x": 1.0, "y": 1.0}, "b": {"x": 2.0, "y": 3.0}, "c": {"x": 3.0, "y": 2.0}}
    assert split_half(two, 5) == pytest.approx(2 / 3, abs=1e-12)
