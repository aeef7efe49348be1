"""A run in the file formats of other tools, and what it is based on."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars
import pytest
from msgspec.structs import replace
from tests.run_folders import write_run
from tests.small_results import pairs_result

from priscian import generate, score
from priscian.bridges.exports import export
from priscian.errors import RunError, UnknownNameError
from priscian.files import file_names
from priscian.runs import Run, keys_of, load_run, references

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing")

RESULT_KEYS = {
    "results", "groups", "group_subtasks", "configs", "versions", "n-shot", "higher_is_better",
    "n-samples", "config", "git_hash", "date", "model_source", "model_name",
    "model_name_sanitized", "task_hashes", "total_evaluation_time_seconds",
}  # fmt: skip
SAMPLE_KEYS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash", "acc",
}  # fmt: skip


@pytest.fixture
def run(causal: Callable[..., Path], blimp: Path, pairs: Path, tmp_path: Path) -> Run:
    """One model on two data sets."""
    string = f"hf:{causal('gpt2')}?name=tiny"
    score(string, [f"blimp:{blimp}", f"pairs:{pairs}"], out=tmp_path / "run")
    return load_run(tmp_path / "run")


def summary(run: Run, data: str) -> dict[str, Any]:
    assert run.path is not None
    path = run.path / "tiny" / data / "summary.json"
    found: dict[str, Any] = json.loads(path.read_text())["methods"]["full"]
    return found


def full(run: Run, data: str) -> polars.DataFrame:
    assert run.path is not None
    frame = polars.read_parquet(run.path / "tiny" / data / "items.parquet")
    return frame.filter(polars.col("method") == "full")


class TestLmEval:
    def test_one_results_file_holds_every_data_set(self, run: Run, tmp_path: Path) -> None:
        made = export(run, "lm-eval", tmp_path / "out")
        (path,) = (tmp_path / "out").glob("*/results_*.json")
        assert made[0] == path
        assert re.fullmatch(r"results_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.json", path.name)
        found = json.loads(path.read_text())
        assert set(found) >= RESULT_KEYS
        assert found["model_name_sanitized"] == path.parent.name
        assert found["group_subtasks"] == {
            "pairs": ["blimp_pairs"],
            "tiny-blimp": ["blimp_odd_one", "blimp_odd_plain", "blimp_odd_two"],
        }
        assert set(found["groups"]) == {"pairs", "tiny-blimp"}
        for data, tasks in found["group_subtasks"].items():
            accuracies = summary(run, data)["paradigms"]
            for task in tasks:
                cell = accuracies[task.removeprefix("blimp_")]
                n, p = cell["n"], cell["accuracy"]
                assert found["results"][task] == {
                    "alias": f" - {task}",
                    "acc,none": p,
                    "acc_stderr,none": pytest.approx(math.sqrt(p * (1 - p) / (n - 1))),
                }
                assert found["n-samples"][task] == {"original": n, "effective": n}
            mean = sum(found["results"][t]["acc,none"] for t in tasks) / len(tasks)
            assert found["groups"][data]["acc,none"] == pytest.approx(mean)
        tasks = {t for group in found["group_subtasks"].values() for t in group}
        for key in ("configs", "versions", "n-shot", "higher_is_better", "task_hashes"):
            assert set(found[key]) == tasks

    def test_samples_hold_every_item(self, run: Run, tmp_path: Path) -> None:
        export(run, "lm-eval", tmp_path / "out")
        files = sorted((tmp_path / "out").glob("*/samples_*.jsonl"))
        assert [re.sub(r"_\d{4}-.*", "", f.name) for f in files] == [
            "samples_blimp_odd_one", "samples_blimp_odd_plain", "samples_blimp_odd_two",
            "samples_blimp_pairs",
        ]  # fmt: skip
        samples = [json.loads(line) for line in files[0].read_text().splitlines()]
        rows = full(run, "tiny-blimp").filter(polars.col("set") == "odd_one")
        assert [s["doc_id"] for s in samples] == [0, 1, 2, 3]
        for sample, row in zip(samples, rows.iter_rows(named=True), strict=True):
            assert set(sample) == SAMPLE_KEYS
            assert sample["doc"]["sentence_good"] == row["text_good"]
            assert sample["arguments"] == {
                "gen_args_0": {"arg_0": "", "arg_1": row["text_good"]},
                "gen_args_1": {"arg_0": "", "arg_1": row["text_bad"]},
            }
            assert [float(r[0][0]) for r in sample["resps"]] == [
                row["score_good"],
                row["score_bad"],
            ]
            assert sample["filtered_resps"] == [r[0] for r in sample["resps"]]
            assert (sample["acc"], sample["target"]) == (row["correct"], "0")
            assert sample["target_hash"] == hashlib.sha256(b"0").hexdigest()

    def test_paradigms_of_one_name_in_two_data_sets_are_both_kept(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(blimp, tmp_path / "again")
        data = [f"blimp:{blimp}", f"blimp:{tmp_path / 'again'}"]
        score(f"hf:{causal('gpt2')}", data, out=tmp_path / "run")
        export(load_run(tmp_path / "run"), "lm-eval", tmp_path / "out")
        assert len(list((tmp_path / "out").glob("*/samples_*.jsonl"))) == 6
        (path,) = (tmp_path / "out").glob("*/results_*.json")
        assert len(json.loads(path.read_text())["n-samples"]) == 6

    def test_uids_that_look_alike_as_file_names_are_all_kept(self, tmp_path: Path) -> None:
        judged = {"a/b": [1.0, 0.0], "a b": [1.0, 1.0], "a-b": [0.0, 0.0], "../../a": [1.0, 0.0]}
        run = load_run(write_run(tmp_path / "run", pairs_result("m", judged)))
        made = export(run, "lm-eval", tmp_path / "out")
        assert len(set(made)) == 5
        assert all(path.resolve().is_relative_to(tmp_path / "out") for path in made)
        found = {
            json.loads(line)["doc"]["UID"]: path
            for path in made[1:]
            for line in path.read_text().splitlines()
        }
        assert found.keys() == judged.keys()
        assert len(set(found.values())) == 4
        result = json.loads(made[0].read_text())
        assert len(result["n-samples"]) == 4

    def test_a_date_that_leads_out_of_the_folder_is_refused(self, tmp_path: Path) -> None:
        folder = write_run(tmp_path / "run", pairs_result("m", {"a": [1.0]}))
        info = json.loads((folder / "run.json").read_text())
        for created in ("../../../evil", "2026-01-02T03:04:05/../x", "now"):
            (folder / "run.json").write_text(json.dumps(info | {"created": created}))
            with pytest.raises(RunError, match="not a date and time"):
                load_run(folder)

    @pytest.mark.parametrize(
        ("string", "model", "folder"),
        [
            ("hf:EleutherAI/pythia-70m@step1000", "pythia-70m@step1000",
             "EleutherAI-pythia-70m@step1000"),
            ("hf:/data/models/my-gpt2", "my-gpt2", "my-gpt2"),
            ("hf:./my-gpt2?name=mine", "mine", "mine"),
            ("builtin:lstm", "builtin:lstm", "builtin-lstm"),
        ],
    )  # fmt: skip
    def test_results_are_named_after_the_model_and_not_after_its_path(
        self, string: str, model: str, folder: str, tmp_path: Path
    ) -> None:
        result = pairs_result(model, {"a": [1.0, 0.0]})
        about = msgspec.structs.replace(result.about, string=string, folder="m")
        write_run(tmp_path / "run", dataclasses.replace(result, about=about))
        made = export(load_run(tmp_path / "run"), "lm-eval", tmp_path / "out")
        assert made[0].parent.name == folder
        found = json.loads(made[0].read_text())
        assert found["model_name_sanitized"] == folder
        assert "/data/models" not in found["model_name"]


class TestBabyLM:
    def test_predictions_are_the_chosen_sentences(self, run: Run, tmp_path: Path) -> None:
        made = export(run, "babylm", tmp_path / "out")
        base = tmp_path / "out/tiny/main/zero_shot/causal/blimp"
        assert sorted(made) == [base / n / "predictions.json" for n in ("pairs", "tiny-blimp")]
        found = json.loads((base / "tiny-blimp/predictions.json").read_text())
        frame = full(run, "tiny-blimp")
        assert set(found) == {"odd_plain", "odd_one", "odd_two"}
        for uid, content in found.items():
            rows = frame.filter(polars.col("set") == uid)
            assert content == {
                "predictions": [
                    {"id": f"{uid}_{i}", "pred": r["text_good" if r["delta"] > 0 else "text_bad"]}
                    for i, r in enumerate(rows.iter_rows(named=True))
                ]
            }

    def test_checkpoints_stand_side_by_side_under_their_model(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        for name in ("chck_1M", "chck_10M"):
            shutil.copytree(causal("gpt2"), tmp_path / "baby" / name)
        score(f"hf:{tmp_path}/baby", f"pairs:{pairs}", revisions="chck_*", out=tmp_path / "run")
        made = export(load_run(tmp_path / "run"), "babylm", tmp_path / "out")
        assert sorted(p.relative_to(tmp_path / "out").as_posix() for p in made) == [
            f"baby/{name}/zero_shot/causal/blimp/pairs/predictions.json"
            for name in ("chck_10M", "chck_1M")
        ]

    def test_masked_models_have_their_own_backend(
        self, masked: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        score(f"mlm:{masked()}?name=bert", f"pairs:{pairs}", out=tmp_path / "run")
        (path,) = export(load_run(tmp_path / "run"), "babylm", tmp_path / "out")
        assert path.parts[-6:-1] == ("main", "zero_shot", "mlm", "blimp", "pairs")


class TestCsv:
    def test_one_file_a_data_set_with_every_row(self, run: Run, tmp_path: Path) -> None:
        made = export(run, "csv", tmp_path / "out")
        assert [p.name for p in made] == ["tiny_pairs.csv", "tiny_tiny-blimp.csv"]
        with made[0].open(newline="") as file:
            rows = list(csv.DictReader(file))
        frame = run["tiny", "pairs"].frame()
        assert [r["model"] for r in rows] == ["tiny"] * 2
        assert [r["text_good"] for r in rows] == frame["text_good"].to_list()
        assert [float(r["delta"]) for r in rows] == pytest.approx(frame["delta"].to_list())


def under_names(tmp_path: Path, *names: tuple[str, str]) -> Run:
    """Models of those names on data of those names; each chose other sentences than the others."""
    folders = file_names(model for model, _ in names)
    results = [
        dataclasses.replace(result, about=replace(result.about, folder=folders[model]))
        for number, (model, data) in enumerate(names)
        if (result := pairs_result(model, {"a": [1.0] * number + [0.0] * (5 - number)}, data=data))
    ]
    return load_run(write_run(tmp_path / "run", *results))


class TestNamesThatLookAlike:
    """Whatever models and data are called, no file of one replaces a file of another."""

    def test_lm_eval_has_a_folder_for_each_model(self, tmp_path: Path) -> None:
        run = under_names(tmp_path, ("a/b", "d"), ("a b", "d"), ("A-B", "d"))
        made = export(run, "lm-eval", tmp_path / "out")
        assert len(set(made)) == len(made) == 6
        found = [json.loads(p.read_text()) for p in made if p.name.startswith("results")]
        assert [f["model_name"] for f in found] == ["a/b", "a b", "A-B"]
        assert [f["groups"]["d"]["acc,none"] for f in found] == [0.0, 0.2, 0.4]
        folders = {p.parent.name for p in made}
        assert {f["model_name_sanitized"] for f in found} == folders
        assert len({name.casefold() for name in folders}) == 3

    def test_models_that_share_a_public_name_have_folders_of_their_own(
        self, tmp_path: Path
    ) -> None:
        one, two = (
            dataclasses.replace(r, about=msgspec.structs.replace(r.about, string=string))
            for r, string in (
                (pairs_result("gpt2", {"a": [1.0]}), "hf:gpt2"),
                (pairs_result("gpt2,dtype=float16", {"a": [0.0]}), "hf:gpt2?dtype=float16"),
            )
        )
        run = load_run(write_run(tmp_path / "run", one, two))
        made = export(run, "lm-eval", tmp_path / "out")
        assert len(set(made)) == 4
        assert len({p.parent for p in made}) == 2

    def test_babylm_keeps_z_and_z_at_main_apart(self, tmp_path: Path) -> None:
        run = under_names(tmp_path, ("z", "d"), ("z@main", "d"))
        made = export(run, "babylm", tmp_path / "out")
        assert len(set(made)) == 2
        chosen = [json.loads(p.read_text())["a"]["predictions"][0]["pred"] for p in made]
        assert chosen == ["Bad a 0.", "Good a 0."]

    def test_babylm_keeps_a_model_and_its_own_main_apart(self, tmp_path: Path) -> None:
        run = under_names(tmp_path, ("hf:z", "d"), ("hf:z@main", "d"))
        made = export(run, "babylm", tmp_path / "out")
        assert len(set(made)) == 2
        assert {p.parts[-6] for p in made} == {"main"}

    def test_babylm_takes_only_the_whole_revision_from_a_name(self, tmp_path: Path) -> None:
        result = pairs_result("mine@step10", {"a": [1.0]})
        about = msgspec.structs.replace(result.about, string="hf:x@step1?name=mine%40step10")
        run = load_run(write_run(tmp_path / "run", dataclasses.replace(result, about=about)))
        (made,) = export(run, "babylm", tmp_path / "out")
        assert made.relative_to(tmp_path / "out").parts[:2] == ("mine@step10", "step1")

    def test_csv_has_a_file_for_each_model_and_data_set(self, tmp_path: Path) -> None:
        results = [
            pairs_result(model, {"x": [float(n == 0)]}, data=data)
            for n, (model, data) in enumerate([("a", "b_c"), ("a", "c"), ("a_b", "c")])
        ]
        run = load_run(write_run(tmp_path / "run", *results))
        made = export(run, "csv", tmp_path / "out")
        assert len(set(made)) == 3
        assert [polars.read_csv(p)["model"][0] for p in made] == ["a", "a", "a_b"]

    def test_the_same_run_gets_the_same_names_again(self, tmp_path: Path) -> None:
        run = under_names(tmp_path, ("a/b", "d"), ("a b", "d"))
        for form in ("lm-eval", "babylm", "csv"):
            made = [export(run, form, tmp_path / out / form) for out in ("one", "two")]
            assert [p.relative_to(tmp_path / "one") for p in made[0]] == [
                p.relative_to(tmp_path / "two") for p in made[1]
            ]


@pytest.mark.parametrize("form", ["lm-eval", "babylm", "csv"])
@pytest.mark.parametrize("folder", [".@main.", "@main..@main", "..@main"])
def test_no_folder_of_a_forged_run_leads_an_export_out_of_its_place(
    form: str, folder: str, tmp_path: Path
) -> None:
    path = write_run(tmp_path / "run", pairs_result("m", {"a": [1.0, 0.0]}))
    info = json.loads((path / "run.json").read_text())
    info["models"]["m"] |= {"folder": folder, "string": "hf:x@main"}
    (path / "run.json").write_text(json.dumps(info))
    (path / "m").rename(path / folder)
    out = tmp_path / "deep" / "er" / "out"
    made = export(load_run(path), form, out)
    assert made
    written = [p for p in tmp_path.rglob("*") if p.is_file() and not p.is_relative_to(path)]
    assert sorted(written) == sorted(made)
    assert all(p.resolve().is_relative_to(out) for p in made)


def test_suites_are_exported_though_another_model_has_none(tmp_path: Path) -> None:
    score("builtin:ngram", "generated-sg:7,2,number_src", out=tmp_path / "run")
    info = load_run(tmp_path / "run")
    with_pairs = pairs_result("m", {"a": [1.0]})
    both = dataclasses.replace(info, results=(with_pairs, *info.results))
    made = export(both, "syntaxgym", tmp_path / "out")
    assert [p.name for p in made] == ["number_src.json"]


def test_an_unknown_format_suggests_one(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no export format 'lmeval'; did you mean lm-eval"):
        export(run, "lmeval", tmp_path)


def test_a_run_without_results_says_so(tmp_path: Path) -> None:
    run = load_run(write_run(tmp_path / "run", missing=["hf:x"]))
    with pytest.raises(RunError, match="no finished result to export; run score with `resume="):
        export(run, "csv", tmp_path / "out")


class TestCite:
    def test_a_run_cites_what_it_rests_on(
        self, run: Run, masked: Callable[..., Path], blimp: Path, pairs: Path, tmp_path: Path
    ) -> None:
        base = ["priscian", "blimp", "transformers", "wilson", "mover"]
        assert keys_of(run.info) == base
        models = [f"mlm:{masked()}?pll={p}" for p in ("word-l2r", "original")]
        score(models, f"pairs:{pairs}", out=tmp_path / "masked")
        keys = keys_of(load_run(tmp_path / "masked").info)
        assert keys == ["priscian", "transformers", "pll-word-l2r", "pll", "wilson", "mover"]

    def test_the_statistics_of_suites_and_of_half_ties_are_cited(self, run: Run) -> None:
        data = {
            n: replace(d, levels=("field", "circuit")) for n, d in run.info.request.data.items()
        }
        request = replace(run.info.request, data=data, tie="half")
        keys = keys_of(replace(run.info, request=request))
        assert keys[-4:] == ["wilson", "mover", "effective-items", "tango"]
        assert {"effective-items", "tango"} <= references().keys()

    def test_blimp_is_cited_even_when_given_as_a_bare_path(
        self, causal: Callable[..., Path], tmp_path: Path
    ) -> None:
        path = tmp_path / "adjunct_island.jsonl"
        row = {"sentence_good": "Go now.", "sentence_bad": "Now the go.", "UID": "adjunct_island"}
        path.write_text(json.dumps(row))
        score(f"hf:{causal('gpt2')}", str(path), out=tmp_path / "run")
        assert "blimp" in keys_of(load_run(tmp_path / "run").info)

    @pytest.mark.parametrize("from_file", [False, True], ids=["in memory", "from a file"])
    def test_pairs_of_ours_rest_on_blimps_paradigms_wherever_they_are(
        self, causal: Callable[..., Path], tmp_path: Path, from_file: bool
    ) -> None:
        data = "generated:7,2,adjunct_island"
        if from_file:
            generate(seed=7, n=2, only=["adjunct_island"], out=tmp_path / "ours")
            data = f"blimp:{tmp_path / 'ours'}"
        score(f"hf:{causal('gpt2')}", data, out=tmp_path / "run")
        assert "blimp" in keys_of(load_run(tmp_path / "run").info)

    def test_a_table_that_is_called_blimp_is_not_blimp(
        self, causal: Callable[..., Path], pairs: Path, in_folder: Path
    ) -> None:
        shutil.move(pairs, in_folder / "blimp_like.csv")
        score(f"hf:{causal('gpt2')}", "blimp_like.csv", out=in_folder / "run")
        assert "blimp" not in keys_of(load_run(in_folder / "run").info)

    def test_every_key_has_an_entry_that_names_author_title_and_year(self) -> None:
        known = references()
        keys = {"priscian", "blimp", "transformers", "pll", "pll-word-l2r", "wilson", "mover"}
        assert keys | {"smollm2"} <= set(known)
        for key, entry in known.items():
            assert re.match(rf"@\w+\{{{key},", entry)
            assert entry.count("{") == entry.count("}")
            for field in ("title", "author", "year"):
                assert re.search(rf"^\s*{field}\s*=", entry, re.MULTILINE), (key, field)

    def test_published_work_has_its_doi(self) -> None:
        known = references()
        without = {key for key, entry in known.items() if "doi = {10." not in entry}
        # a journal without DOIs, and one that could not be looked up
        assert without == {"priscian", "effective-items", "adc"}
        assert "doi = {10.1162/tacl_a_00321}" in known["blimp"]
