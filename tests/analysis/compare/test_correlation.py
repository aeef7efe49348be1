"""Correlations over paradigms, with each other and with what the paper published."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_results import pairs_result, suites_result

from priscian.analysis.blimp.published_rows import starred
from priscian.analysis.compare.correlation import correlate, system_names
from priscian.datasets.reference import published
from priscian.errors import DataError, UsageError
from priscian.runs import Result

NAMES = ("wh_island", "adjunct_island", "passive_1", "causative", "inchoative")


def result(model: str, rights: tuple[int, ...], data: str = "small") -> Result:
    shares = {n: [1.0] * r + [0.0] * (10 - r) for n, r in zip(NAMES, rights, strict=False)}
    return pairs_result(model, shares, data=data)


def test_it_agrees_with_numpy_and_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    a, b = (3, 5, 7, 9, 2), (4, 4, 8, 6, 3)
    cell = correlate([result("a", a), result("b", b)], baselines=()).between("b", "a")
    assert cell.n == 5
    assert cell.pearson is not None
    assert cell.spearman is not None
    assert cell.pearson.r == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert cell.spearman.r == pytest.approx(stats.spearmanr(a, b).statistic)
    low, high = stats.pearsonr(a, b).confidence_interval()
    assert cell.pearson.ci == pytest.approx((low, high))


def test_people_and_the_papers_models_stand_beside() -> None:
    found = correlate([result("a", (3, 5, 7, 9, 2))])
    assert found.published == ("People*", "5-gram*", "LSTM*", "Transformer-XL*", "GPT-2*")
    cell = found.between("a", "People*")
    people = [published()["human"][n] for n in NAMES]
    assert cell.n == 5
    assert cell.pearson is not None
    assert cell.pearson.r == pytest.approx(np.corrcoef([3, 5, 7, 9, 2], people)[0, 1])
    assert found.between("LSTM*", "Transformer-XL*").n == 67


def test_the_papers_own_rows() -> None:
    """Not in the paper's figure with these digits; NumPy on the released accuracies says so."""
    known = published()
    found = correlate([result("a", (3, 5, 7, 9, 2))]).matrix()
    for a, b in (("LSTM", "Transformer-XL"), ("human", "GPT-2")):
        names = list(known[a])
        expected = np.corrcoef([known[a][n] for n in names], [known[b][n] for n in names])[0, 1]
        assert found[starred(a)][starred(b)] == pytest.approx(expected)


def test_what_cannot_be_computed_says_why() -> None:
    flat = result("flat", (5, 5, 5, 5, 5))
    few = result("few", (5, 4, 3))
    found = correlate([result("a", (3, 5, 7, 9, 2)), flat, few], baselines=())
    assert found.between("a", "flat").why == "flat has the same accuracy everywhere"
    assert found.between("a", "few").why == "3 sets in both; 4 are needed"
    assert found.matrix()["a"]["few"] is None
    assert found.as_dict()["pairs"][0]["pearson"] is None


def test_names_are_told_apart() -> None:
    rights = (3, 5, 7, 9, 2)
    results = [result("a", rights), result("b", rights), result("a", rights, data="other")]
    assert system_names(results) == ["a on small", "b", "a on other"]
    assert system_names([results[0], results[0]]) == ["a on small", "a on small (2)"]


def test_suites_have_no_published_rows() -> None:
    judged = {f"suite_{n}": [1.0] * n + [0.0] * (6 - n) for n in range(5)}
    a, b = suites_result("a", judged), suites_result("b", judged)
    found = correlate([a, b])
    assert found.published == ()
    assert found.matrix("spearman")["a"]["b"] == pytest.approx(1.0)
    with pytest.raises(DataError, match="nothing to be correlated with"):
        correlate([a])


def test_a_method_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no method 'two_prefix'; it has full"):
        correlate([result("a", (1, 2, 3, 4, 5))], method="two_prefix")


def test_the_figure_shows_every_cell_with_its_interval() -> None:
    found = correlate([result("a", (3, 5, 7, 9, 2)), result("b", (4, 4, 8, 6, 3))])
    _, figure = found.figures
    assert len(figure.rows) == 7 * 7
    row = next(r for r in figure.rows if (r["a"], r["b"]) == ("a", "b"))
    cell = found.between("a", "b")
    assert cell.spearman is not None
    assert row["r"] == pytest.approx(cell.spearman.r, abs=1e-4)
    assert (row["low"], row["high"]) == pytest.approx(cell.spearman.ci, abs=1e-4)
    assert "over 5 to 67 sets" in figure.caption
    assert "Bonett and Wright" in figure.caption
    assert "published" in figure.caption
