"""Public BLiMP against fresh pairs: the mean over paradigms, its test, a reference model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import msgspec
import pytest
from tests.run_folders import write_run
from tests.scored_runs import rights, scored_pairs

from priscian import analyse
from priscian.analysis.blimp.contamination import contamination, has_both
from priscian.cli import run
from priscian.datasets.reference import REFERENCE, blimp_taxonomy
from priscian.errors import DataError, UnknownNameError
from priscian.runs import Result

NAMES = ("wh_island", "causative", "inchoative", "passive_1")
SCORES = {"public": (9, 8, 10, 7), "fresh": (8, 6, 7, 5)}


def scored(model: str, data: str, right: Sequence[int], names: Sequence[str] = NAMES) -> Result:
    """A result on ten pairs of each paradigm; those of `public` are BLiMP's own."""
    sets = {name: rights(k, 10) for name, k in zip(names, right, strict=True)}
    made = scored_pairs(model, sets, {n: blimp_taxonomy()[n] for n in names}, data=data)
    reference = REFERENCE if data == "public" else "Priscian 1, seed 7"
    facts: Mapping[str, object] = {
        name: msgspec.structs.replace(about, reference=reference)
        for name, about in made.facts.sets.items()
    }
    return replace(made, facts=msgspec.structs.replace(made.facts, sets=facts))


def both(model: str, public: Sequence[int], fresh: Sequence[int]) -> list[Result]:
    return [scored(model, "public", public), scored(model, "fresh", fresh)]


READER = both("reader", *SCORES.values())


def test_the_mean_over_paradigms_is_tested_by_students_t() -> None:
    (model,) = contamination(READER).models
    gaps = [0.1, 0.2, 0.3, 0.2]
    assert (model.public, model.fresh) == (pytest.approx(0.85), pytest.approx(0.65))
    assert model.overall.difference == pytest.approx(mean(gaps))
    half = 3.182446 * stdev(gaps) / 2  # the 97.5 % quantile of t with 3 degrees of freedom
    assert model.overall.ci == (pytest.approx(0.2 - half, abs=1e-6), pytest.approx(0.2 + half))
    assert model.overall.p == pytest.approx(0.0163, abs=1e-4)  # t = 4.899, from a table
    assert "higher than chance explains" in model.words
    assert {p.name: round(p.difference, 9) for p in model.paradigms} == dict(
        zip(NAMES, gaps, strict=True)
    )


def test_phenomena_average_their_paradigms() -> None:
    (model,) = contamination(READER).models
    phenomena = {name: round(gap.difference, 9) for name, gap in model.phenomena.items()}
    assert phenomena == {
        "argument_structure": round((0.2 + 0.3 + 0.2) / 3, 9),
        "island_effects": 0.1,
    }


def test_the_difference_that_a_reference_shows_too_is_no_sign_of_inflation() -> None:
    naive = both("naive", (8, 7, 9, 6), (7, 5, 6, 5))
    found = contamination([*READER, *naive], reference="naive")
    reader, other = found.models
    assert reader.overall.p < 0.05
    assert reader.beyond is not None
    assert reader.beyond.difference == pytest.approx((0 + 0 + 0 + 0.1) / 4)
    assert reader.beyond.p == pytest.approx(0.391, abs=1e-3)  # t = 1 with 3 degrees of freedom
    assert reader.words == "reader: no sign that the public score is inflated, judged by naive"
    assert other.beyond is None


def test_equal_differences_have_no_spread() -> None:
    (same,) = contamination(both("m", (5, 5, 5, 5), (5, 5, 5, 5))).models
    assert (same.overall.p, same.overall.ci) == (1.0, (0.0, 0.0))


def test_only_paradigms_in_both_versions_count() -> None:
    fresh = scored("reader", "fresh", (8, 6), NAMES[:2])
    (model,) = contamination([READER[0], fresh]).models
    assert [p.name for p in model.paradigms] == list(NAMES[:2])


@pytest.mark.parametrize(
    "results",
    [READER[:1], READER[1:], [READER[0], scored("reader", "fresh", (8,), NAMES[:1])],
     [READER[0], scored("other", "fresh", (8, 6, 7, 5))]],
    ids=["public only", "fresh only", "one paradigm", "two models"],
)  # fmt: skip
def test_one_version_is_not_enough(results: list[Result]) -> None:
    assert not has_both(results)
    with pytest.raises(DataError, match="score both: `on=blimp:DIR` `on=generated:7`"):
        contamination(results)


def test_an_unknown_reference_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'raeder'; did you mean reader"):
        contamination(READER, reference="raeder")


def test_the_command_says_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path / "run", *READER)
    assert run(["analyse", "contamination", str(folder), "--figures", str(tmp_path / "f")]) == 0
    said = capsys.readouterr().out
    assert "reader: the public score is higher than chance explains." in said
    assert (tmp_path / "f" / "public-and-fresh.svg").is_file()
    assert analyse.contamination(folder).as_dict()["models"]["reader"]["fresh"] == 0.65
