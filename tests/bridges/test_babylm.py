"""Predictions in the form that BabyLM's pipeline collates."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.run_folders import write_run
from tests.small_results import pairs_result

from priscian import score
from priscian.bridges.babylm import collate_sizes
from priscian.bridges.exports import export
from priscian.errors import PriscianWarning, RunError
from priscian.runs import load_run

SUPPLEMENT = {
    "hypernym": 842, "qa_congruence_easy": 64, "qa_congruence_tricky": 165,
    "subject_aux_inversion": 3867, "turn_taking": 280,
}  # fmt: skip


def test_the_sizes_are_those_of_the_collate_step() -> None:
    sizes = collate_sizes()
    assert sizes["supplement_filtered"] == SUPPLEMENT
    filtered = sizes["blimp_filtered"]
    assert (len(filtered), min(filtered.values()), max(filtered.values())) == (67, 681, 986)
    assert (len(sizes["ewok_filtered"]), sizes["ewok_filtered"]["agent-properties"]) == (11, 2210)
    assert sizes["comps"]["base"] == 49_340
    assert {n: set(sizes[n].values()) for n in sizes if n.endswith("_fast")} == {
        "blimp_fast": {200}, "supplement_fast": {50}, "ewok_fast": {100},
    }  # fmt: skip


def exported(tmp_path: Path, counts: dict[str, int], data: str) -> Path:
    judged = {name: [1.0] * n for name, n in counts.items()}
    run = load_run(write_run(tmp_path / "run", pairs_result("m", judged, data=data)))
    (made,) = export(run, "babylm", tmp_path / "out")
    return made


def test_a_whole_set_is_exported_without_a_word(tmp_path: Path) -> None:
    made = exported(tmp_path, SUPPLEMENT, "supplement_filtered")
    assert made.parts[-4:] == ("causal", "blimp", "supplement_filtered", "predictions.json")
    found = json.loads(made.read_text())
    assert {name: len(p["predictions"]) for name, p in found.items()} == SUPPLEMENT


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"turn_taking": 279}, "turn_taking has 279 predictions, not 280; score all"),
        ({"hypernym": 0}, "hypernym is missing; score all"),
        ({"own": 3, "turn_taking": 1}, "own is not one of its sets and 1 more; score all"),
    ],
)
def test_another_number_than_the_collate_step_expects_is_warned_of(
    tmp_path: Path, change: dict[str, int], reason: str
) -> None:
    counts = {name: n for name, n in (SUPPLEMENT | change).items() if n}
    with pytest.warns(PriscianWarning, match=f"collate step will leave it out: {reason}"):
        exported(tmp_path, counts, "supplement_filtered")


def test_names_are_compared_without_case(tmp_path: Path) -> None:
    small = {name: 200 for name in collate_sizes()["blimp_fast"] if name != "complex_np_island"}
    exported(tmp_path, {**small, "complex_NP_island": 200}, "blimp_fast")


def test_two_sets_of_one_name_in_the_pipeline_are_refused(tmp_path: Path) -> None:
    result = pairs_result("m", {"one": [1.0], "two": [0.0]}, data="comps", method="two_prefix")
    facts = replace(result.facts, spec="comps:own")
    run = load_run(write_run(tmp_path / "run", dataclasses.replace(result, facts=facts)))
    with pytest.raises(RunError, match="two of its sets are wugs_dist_in_between in BabyLM's"):
        export(run, "babylm", tmp_path / "out")


@pytest.mark.filterwarnings("ignore:.*worse than guessing")
def test_ewok_and_comps_have_tasks_of_their_own(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    ewok, comps = tmp_path / "ewok_own", tmp_path / "comps_own"
    ewok.mkdir()
    comps.mkdir()
    row = {"Domain": "places", "Context1": "It is up.", "Context2": "It is down."}
    row |= {"Target1": "It is high.", "Target2": "It is low."}
    (ewok / "places.jsonl").write_text(json.dumps(row))
    pair = {"prefix_acceptable": "an owl", "prefix_unacceptable": "a barn"}
    for name in ("comps_base", "comps_wugs_dist-in-between"):
        (comps / f"{name}.jsonl").write_text(json.dumps({**pair, "property_phrase": "can fly."}))
    data = [f"ewok:{ewok}", f"comps:{comps}"]
    run = score(f"hf:{causal('gpt2')}?name=m", data, out=tmp_path / "run")
    made = export(load_run(tmp_path / "run"), "babylm", tmp_path / "out")
    assert [p.parts[-4:-1] for p in made] == [
        ("causal", "comps", "comps_own"), ("causal", "ewok", "ewok_own"),
    ]  # fmt: skip
    found = [json.loads(p.read_text()) for p in made]
    assert found[0].keys() == {"base", "wugs_dist_in_between"}
    assert found[0]["base"]["predictions"][0]["pred"] in ("an owl can fly.", "a barn can fly.")
    alone = run["m", "comps_own"].choices("two_prefix").to_dicts()[0]
    side = "good" if alone["correct"] else "bad"
    assert found[0]["base"]["predictions"][0]["pred"] == alone[f"text_{side}"]
    assert found[1]["places"]["predictions"][0]["pred"] in ("It is high.", "It is low.")
