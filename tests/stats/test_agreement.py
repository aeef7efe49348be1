"""Agreement against published and hand-worked values."""

from __future__ import annotations

import math
import random

import pytest

from priscian.stats.agreement import (
    double_entry,
    fleiss_kappa,
    icc2k,
    krippendorff_alpha,
    measure_agreement,
    raw_agreement,
    split_half,
)


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


def test_fleiss_kappa_of_his_own_diagnoses() -> None:
    # Fleiss (1971), table 1: 30 patients, 6 raters, 5 diagnoses; κ = 0.430, as in R's irr
    rows = """
        444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444
        222333 144444 224445 333335 111455 111112 224444 133555 555555 244444 224555 114444
        144445 222224 111155 224444 133333 555555
    """
    counts = [{d: row.count(d) for d in set(row)} for row in rows.split()]
    assert round(fleiss_kappa(counts), 3) == 0.430
    assert round(raw_agreement(counts), 3) == 0.556  # P̄ of the paper


# Krippendorff (2011), examples A and B: two observers, no missing data
@pytest.mark.parametrize(
    ("one", "two", "value"),
    [("0100000010", "1110010000", 0.095), ("aabbdcccedda", "babbbccceddd", 0.692)],
)
def test_krippendorffs_alpha_of_two_observers(one: str, two: str, value: float) -> None:
    units = {
        str(u): {"meg": float(ord(a)), "owen": float(ord(b))}
        for u, (a, b) in enumerate(zip(one, two, strict=True))
    }
    assert round(krippendorff_alpha(units), 3) == value


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


class TestForcedChoices:
    def test_what_is_called_good_changes_nothing(self) -> None:
        rng = random.Random(1)
        units = {str(u): {str(r): float(rng.random() < 0.9) for r in range(6)} for u in range(30)}
        other = {
            u: {r: 1 - v for r, v in ratings.items()} if int(u) % 3 else ratings
            for u, ratings in units.items()
        }
        one, two = (measure_agreement(given, "choices", draws=5) for given in (units, other))
        for name in ("raw", "fleiss_kappa", "krippendorff_alpha", "icc2k", "split_half"):
            assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-12)

    def test_a_table_by_hand(self) -> None:
        # 3 people, pairs 3:0, 3:0, 2:1. P = (1 + 1 + 1/3)/3 = 7/9; κ = 2P − 1 = 5/9.
        # α = 1 − Do/De with Do = 2/9 and, of 18 values, De = 2·9·9/(18·17) = 9/17: 1 − 34/81.
        # ICC, six rows: squares of all values 18·¼ = 9/2, of rows 3·(4·¼ + 2·(1/6)²) = 19/6, of
        # people 0, since under both namings everybody's mean is ½; MSR = 19/30, MSE = 4/30;
        # (19/30 − 4/30) / (19/30 − (4/30)/6) = 9/11
        units = {
            "a": {"x": 1.0, "y": 1.0, "z": 1.0},
            "b": {"x": 1.0, "y": 1.0, "z": 1.0},
            "c": {"x": 1.0, "y": 1.0, "z": 0.0},
        }
        found = measure_agreement(units, "choices")
        assert (found.raters, found.units) == (3, 3)
        assert found.raw == pytest.approx(7 / 9, abs=1e-12)
        assert found.fleiss_kappa == pytest.approx(5 / 9, abs=1e-12)
        assert found.krippendorff_alpha == pytest.approx(1 - 34 / 81, abs=1e-12)
        assert found.icc2k == pytest.approx(9 / 11, abs=1e-12)
        assert len(double_entry(units)) == 6

    @pytest.mark.parametrize("bias", [0.0, 0.3, 0.6])
    @pytest.mark.parametrize("accuracy", [0.5, 0.6, 0.75, 0.9, 0.98])
    def test_agreement_is_where_theory_puts_it(self, accuracy: float, bias: float) -> None:
        """People press left with probability `bias` whatever they see; else they are so accurate.

        Half of them see the good sentence on the left, and choose it with probability l; the others
        choose it with probability r. Two of one half agree with l² + (1 − l)² or r² + (1 − r)², two
        of different halves with lr + (1 − l)(1 − r). Without bias P = a² + (1 − a)², κ = (2a − 1)².
        """
        k, pairs = 20, 300
        left, right = bias + (1 - bias) * accuracy, (1 - bias) * accuracy
        same = (left**2 + (1 - left) ** 2 + right**2 + (1 - right) ** 2) / 2
        different = left * right + (1 - left) * (1 - right)
        raw = (same * (k / 2 - 1) + different * k / 2) / (k - 1)
        kappa = 2 * raw - 1
        if not bias:
            assert kappa == pytest.approx((2 * accuracy - 1) ** 2, abs=1e-12)
        error = 2 * _deviation(k, left, right, raw) / math.sqrt(pairs)

        rng = random.Random(f"{accuracy}/{bias}")
        units = {}
        for u in range(pairs):
            on_left = set(rng.sample(range(k), k // 2))
            chances = [left if r in on_left else right for r in range(k)]
            units[str(u)] = {str(r): float(rng.random() < p) for r, p in enumerate(chances)}
        found = measure_agreement(units, "choices", draws=20)
        assert abs(found.raw - raw) < 4 * error / 2
        assert abs(found.fleiss_kappa - kappa) < 4 * error
        n = k * pairs
        assert found.krippendorff_alpha == pytest.approx(
            found.fleiss_kappa + (1 - found.fleiss_kappa) / (2 * n), abs=1e-12
        )

        def reliability(of_one: float) -> float:  # Spearman and Brown
            return k * of_one / (1 + (k - 1) * of_one)

        low, high = reliability(kappa - 4 * error), reliability(kappa + 4 * error)
        assert low - 0.002 < found.icc2k < high + 0.002
        if kappa > 0.02:  # halves of people who agree by chance only have wild correlations
            assert low - 0.02 < found.split_half < high + 0.02


def _deviation(k: int, left: float, right: float, mean: float) -> float:
    """Standard deviation of the share of pairs of people who agree on one item, exactly."""

    def binomial(n: int, p: float) -> list[float]:
        return [math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]

    first = second = 0.0
    for x, p in enumerate(binomial(k // 2, left)):
        for y, q in enumerate(binomial(k // 2, right)):
            s = x + y
            share = (s * (s - 1) + (k - s) * (k - s - 1)) / (k * (k - 1))
            first, second = first + p * q * share, second + p * q * share**2
    assert first == pytest.approx(mean, abs=1e-9)  # the formula of the test, worked out again
    return math.sqrt(max(0.0, second - first**2))
