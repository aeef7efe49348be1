"""Regressions on trained models: simulated scores whose truth is known, cards, bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from tests.scored_runs import rights, scored_suites, write_run

from priscian import analyse
from priscian.analysis.sg.mixed_models import Observation, fit_models, ratio_tests
from priscian.errors import DataError, PriscianWarning
from priscian.runs import ModelFacts, Result

SIZES = (0.25, 1.0, 4.0)
GAIN = {"lstm": 0.0, "ngram": -0.15, "rnng": 0.12}


def simulated(size_slope: float, *, seed: int = 1, seeds: int = 2) -> list[Observation]:
    """Scores with known effects of architecture and log size, and random suites and models."""
    draw = np.random.default_rng(seed)
    suites = {f"suite{n}": draw.normal(0, 0.1) for n in range(14)}
    rows = []
    for architecture, gain in GAIN.items():
        for size in SIZES:
            for number in range(seeds):
                model = draw.normal(0, 0.01)
                for n, (suite, level) in enumerate(suites.items()):
                    mean = 0.5 + gain + size_slope * np.log(size) + level + model
                    rows.append(
                        Observation(
                            suite, f"circuit{n % 2}", mean + draw.normal(0, 0.05), architecture,
                            size, f"{architecture}-{size}-{number}", 100 - 10 * size,
                        )
                    )  # fmt: skip
    return rows


def test_an_architecture_that_matters_and_a_size_that_does_not() -> None:
    fits = fit_models(simulated(0.0), ["full", "no_size", "no_arch"])
    tests = ratio_tests(fits)
    assert list(tests) == ["size", "architecture"]
    assert (tests["size"].df, tests["architecture"].df) == (1, 2)
    assert tests["architecture"].p < 1e-4
    assert tests["size"].p > 0.05
    full = fits["full"]
    truth = {"ngram": GAIN["ngram"], "rnng": GAIN["rnng"], "log size": 0.0}
    for name, value in truth.items():
        assert abs(full.coefficients[name] - value) < 3 * full.standard_errors[name]
    assert full.standard_errors["rnng"] < 0.03


def test_a_slope_of_size_is_found() -> None:
    fits = fit_models(simulated(0.05), ["full", "no_size"])
    assert ratio_tests(fits)["size"].p < 1e-4
    full = fits["full"]
    assert abs(full.coefficients["log size"] - 0.05) < 3 * full.standard_errors["log size"]


def test_perplexity_is_tested_beyond_size_and_architecture() -> None:
    rows = simulated(0.0)
    nothing = fit_models(rows, ["full", "perplexity"])
    assert ratio_tests(nothing)["perplexity"].df == 1
    fit = nothing["perplexity"]
    assert abs(fit.coefficients["log perplexity"]) < 3 * fit.standard_errors["log perplexity"]
    slope = -0.8
    rows = [
        replace(row, score=row.score + slope * np.log(row.perplexity)) for row in rows
    ]  # 97.5, 90 and 60: not a line on log size
    fits = fit_models(rows, ["full", "perplexity"])
    assert ratio_tests(fits)["perplexity"].p < 1e-3
    fit = fits["perplexity"]
    error = fit.standard_errors["log perplexity"]
    assert abs(fit.coefficients["log perplexity"] - slope) < 3 * error


def test_without_perplexities_there_is_no_such_model() -> None:
    rows = [replace(row, perplexity=None) for row in simulated(0.0)]
    with pytest.raises(KeyError):
        fit_models(rows, ["perplexity"])


def test_effects_that_cannot_be_told_apart_are_left_out_unless_asked_for() -> None:
    rows = [
        replace(row, perplexity=50 / row.size, circuit=f"circuit {row.size}")
        for row in simulated(0.0, seeds=1)
    ]
    assert list(fit_models(rows)) == ["full", "no_size", "no_arch"]
    with pytest.raises(DataError, match="log perplexity are collinear"):
        fit_models(rows, ["perplexity"])


def test_an_effect_that_does_not_vary_is_left_out() -> None:
    rows = [row for row in simulated(0.0) if row.size == 1.0]
    fits = fit_models(rows, ["full", "no_size", "no_arch"])
    assert list(ratio_tests(fits)) == ["architecture"]
    assert "log size" not in fits["full"].coefficients


def test_models_that_differ_in_nothing_are_refused() -> None:
    rows = [r for r in simulated(0.0) if r.size == 1.0 and r.architecture == "lstm"]
    with pytest.raises(DataError, match="score models of other sizes or architectures"):
        fit_models(rows)


def carded(folder: Path, model: str, architecture: str, size: str, right: int) -> Result:
    """A result of a model whose card says what it was trained on."""
    place = folder / model
    place.mkdir(parents=True)
    card = {"architecture": architecture, "corpus": {"size": size, "words": 1}}
    (place / "card.json").write_text(json.dumps(card))
    draw = np.random.default_rng(crc32(model.encode()))
    suites = {
        f"suite{n}": ("one" if n % 2 else "two", rights(right + int(draw.integers(0, 4)), 20))
        for n in range(6)
    }
    result = scored_suites(model, suites)
    return replace(result, about=ModelFacts(string=f"lstm:{place}?name={model}", folder=model))


def test_facts_come_from_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from priscian.cli import run

    results = [
        carded(tmp_path, f"{kind}-{size}-{seed}", kind, size, right)
        for kind, right in (("lstm", 6), ("gpt2", 12))
        for size in ("250k", "1M", "4M")
        for seed in (1, 2)
    ]
    folder = write_run(tmp_path / "run", *results)
    found = analyse.sg(folder, mixed_effects=True)
    assert found.mixed is not None
    assert found.mixed.tests["architecture"].p < 1e-3
    assert set(found.mixed.fits["full"].coefficients) == {"intercept", "log size", "lstm"}
    assert run(["analyse", "sg", str(folder), "--mixed-effects"]) == 0
    shown = capsys.readouterr().out
    for line in ("Linear mixed models", "Likelihood-ratio tests", "Fixed effects of the full"):
        assert line in shown
    tests = found.as_dict()["mixed_effects"]["tests"]
    assert tests["architecture"]["df"] == 1


def test_models_without_a_card_are_named_and_left_out(tmp_path: Path) -> None:
    results = [scored_suites("unknown", {"cleft": ("one", rights(1, 2))})]
    with (
        pytest.warns(PriscianWarning, match=r"unknown is left out: it has no card\.json"),
        pytest.raises(DataError, match="name the folder of a priscian curve"),
    ):
        analyse.sg(results, mixed_effects=True)
