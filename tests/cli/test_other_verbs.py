"""`priscian cache`, `list`, `show`, `generate`, `check`, `demo` and the help."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian import __version__
from priscian.cli.app import VERBS

Command = Callable[..., Any]


class TestHelp:
    def test_it_names_every_verb(self, priscian: Command) -> None:
        done = priscian("--help")
        assert (done.code, done.err) == (0, "")
        assert all(re.search(rf"^  {verb} ", done.out, re.MULTILINE) for verb in VERBS)

    def test_no_verb_is_wrong_usage(self, priscian: Command) -> None:
        done = priscian()
        assert done.code == 2
        assert done.out.startswith("Usage: priscian VERB")

    def test_the_version(self, priscian: Command) -> None:
        assert priscian("--version").out == f"{__version__}\n"

    @pytest.mark.parametrize("verb", VERBS)
    def test_every_verb_explains_itself(self, verb: str, priscian: Command) -> None:
        done = priscian(verb, "--help")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"Usage: priscian {verb}")

    def test_an_unknown_verb_suggests_one(self, priscian: Command) -> None:
        done = priscian("scroe", "x")
        assert done.code == 2
        assert done.err.startswith("priscian: no verb 'scroe'; did you mean score")


class TestCache:
    @pytest.fixture
    def filled(self, priscian: Command, model: str, causal: Callable[..., Path]) -> list[str]:
        """Two models, three texts; their keys."""
        priscian("surprisal", model, "Go now.", "Rain.")
        priscian("surprisal", f"hf:{causal('llama')}?name=other", "Go now.")
        models = json.loads(priscian("cache", "list", "--json").out)["models"]
        assert {(m["label"], m["texts"]) for m in models} == {("tiny", 2), ("other", 1)}
        return [m["key"] for m in sorted(models, key=lambda m: m["label"], reverse=True)]

    def test_list_shows_models_and_texts(
        self, priscian: Command, filled: list[str], cache: Path
    ) -> None:
        done = priscian("cache", "list")
        assert done.code == 0
        for name in ("tiny", "other", filled[0][:12], filled[1][:12]):
            assert name in done.out
        assert done.out.splitlines()[-1].startswith("2 models, ")
        shown = json.loads(priscian("cache", "list", "--json").out)
        assert shown["store"] == str(cache / "scores.sqlite")
        assert 0 < sum(m["bytes"] for m in shown["models"]) < shown["bytes"]

    def test_size_is_that_of_the_files(
        self, priscian: Command, filled: list[str], cache: Path
    ) -> None:
        size, path = priscian("cache", "size").out.rstrip("\n").split("\t")
        assert path == str(cache / "scores.sqlite")
        number, unit = size.split()
        told = float(number) * {"B": 1, "kB": 1e3, "MB": 1e6}[unit]
        assert told >= 0.9 * Path(path).stat().st_size

    def test_one_model_is_forgotten_by_label_or_key(
        self, priscian: Command, filled: list[str]
    ) -> None:
        told = priscian("cache", "prune", "tiny").out
        assert told.startswith("removed 1 model with scores of 2 texts; the store takes ")
        told = priscian("cache", "prune", filled[1][:10]).out
        assert told.startswith("removed 1 model with scores of 1 text; the store takes ")
        assert json.loads(priscian("cache", "list", "--json").out)["models"] == []

    def test_all_are_forgotten_only_when_that_is_said(
        self, priscian: Command, filled: list[str]
    ) -> None:
        for unclear, code in ((("",), 2), ((), 2), (("nobody",), 2)):
            done = priscian("cache", "prune", *unclear)
            assert (done.code, len(done.complaints)) == (code, 1)
        assert len(json.loads(priscian("cache", "list", "--json").out)["models"]) == 2
        told = priscian("cache", "prune", "--all").out
        assert told.startswith("removed 2 models with scores of 3 texts; the store takes ")
        told = priscian("cache", "prune", "--all").out
        assert told.startswith("removed 0 models with scores of 0 texts; the store takes ")

    def test_a_damaged_row_is_one_line_with_the_command_that_mends_it(
        self, priscian: Command, filled: list[str], cache: Path, model: str
    ) -> None:
        with sqlite3.connect(cache / "scores.sqlite") as db:
            db.execute("UPDATE scores SET data = zeroblob(length(data))")
        db.close()
        done = priscian("surprisal", model, "Go now.", "Rain.")
        assert (done.code, len(done.complaints)) == (1, 1)
        remedy = done.err.split("`")[1]
        assert remedy == f"priscian cache prune {filled[0][:12]}"
        assert priscian(*remedy.split()[1:]).code == 0
        assert priscian("surprisal", model, "Go now.", "Rain.").code == 0

    def test_a_beginning_that_two_keys_share_is_refused(
        self, priscian: Command, cache: Path
    ) -> None:
        from priscian.models import ModelKey
        from priscian.records import Text, TokenScores
        from priscian.scoring import ScoreStore

        keys = [ModelKey({"n": str(i)}) for i in range(17)]  # two of them begin alike
        with ScoreStore.default() as store:
            for i, key in enumerate(keys):
                store.write(key, f"model {i}", [(Text("x"), TokenScores((0,), (1,), (-1.0,)))])
        begins = [key.digest[0] for key in keys]
        shared = next(b for b in begins if begins.count(b) > 1)
        done = priscian("cache", "prune", shared)
        assert done.code == 2
        assert f"keys begin with '{shared}'; write more" in done.err
        assert len(json.loads(priscian("cache", "list", "--json").out)["models"]) == 17


class TestList:
    @pytest.mark.parametrize(
        ("what", "column", "some"),
        [
            ("models", "model", {"hf:…", "mlm:…", "smollm2"}),
            ("datasets", "data", {"blimp:…", "pairs:…"}),
            ("measures", "measure", {"surprisal", "surprisal_per_token", "surprisal_per_char"}),
            ("paradigms", "paradigm", {"anaphor_number_agreement", "adjunct_island"}),
        ],
    )
    def test_json_and_table_hold_the_same(
        self, what: str, column: str, some: set[str], priscian: Command
    ) -> None:
        done = priscian("list", what, "--json")
        assert done.code == 0
        rows = json.loads(done.out)
        assert some <= {row[column] for row in rows}
        assert all(all(isinstance(cell, str) for cell in row.values()) for row in rows)
        shown = priscian("list", what).out
        assert all(name in shown for name in some)

    def test_coverage_counts_what_tests_a_topic_and_names_it_in_json(
        self, priscian: Command
    ) -> None:
        shown = priscian("list", "coverage")
        assert shown.code == 0
        assert "Not covered: Government." in shown.out
        found = json.loads(priscian("list", "coverage", "--json").out)
        by_name = {topic["topic"]: topic for topic in found["topics"]}
        assert by_name["Pseudogapping"]["textbook"] == ["pseudogapping"]
        assert by_name["Wh-Movement"]["hu2020"]
        assert "npz_ambig" in found["outside"]["suite"]

    def test_something_else_is_wrong_usage(self, priscian: Command) -> None:
        done = priscian("list", "birds")
        assert (done.code, len(done.complaints)) == (2, 1)
        assert "see priscian list --help" in done.err

    def test_a_broken_plug_in_is_a_note_and_the_rest_is_listed(
        self, priscian: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from importlib.metadata import EntryPoint

        from priscian.models import registry

        points = dict(registry._entry_points())
        points["gone"] = EntryPoint("gone", "no_such_module:Provider", "priscian.models")
        monkeypatch.setattr(registry, "_entry_points", lambda: points)
        done = priscian("list", "models", "--json")
        assert done.code == 0
        assert done.err.startswith("priscian: note: model provider 'gone'")
        names = {row["model"] for row in json.loads(done.out)}
        assert {"hf:…", "mlm:…"} <= names
        assert "gone:…" not in names


class TestPairs:
    def test_show_takes_the_names_that_list_suites_prints(self, priscian: Command) -> None:
        bare, full = (priscian("show", name, "-n", "1") for name in ("npz_obj", "sg/npz_obj"))
        assert bare.code == 0
        assert bare.out == full.out
        assert "npz_obj (Garden-Path Effects)" in bare.out

    def test_show_prints_pairs_good_above_bad(self, priscian: Command) -> None:
        done = priscian("show", "anaphor_number_agreement", "-n", "3", "--seed", "2")
        assert done.code == 0
        lines = done.out.splitlines()
        good = [x.strip() for x in lines if x.startswith("  ")]
        bad = [x.strip().lstrip("*") for x in lines if x.startswith(" *")]
        rows = [
            json.loads(line)
            for line in priscian(
                "show", "anaphor_number_agreement", "-n", "3", "--seed", "2", "--json"
            ).out.splitlines()
        ]
        assert good == [row["sentence_good"] for row in rows]
        assert bad == [row["sentence_bad"] for row in rows]
        assert len(rows) == 3

    def test_generate_writes_files_that_score_can_read(self, priscian: Command, model: str) -> None:
        only = "anaphor_number_agreement,determiner_noun_agreement_1"
        done = priscian("generate", "blimp", "--seed", "5", "--only", only, "-n", "4",
                        "--out", "data")  # fmt: skip
        assert (done.code, done.complaints) == (0, [])
        assert done.out.startswith("8 pairs of 2 paradigms are in data")
        scored = priscian("score", model, "--on", "blimp:data", "--out", "run", "--json")
        (summary,) = json.loads(scored.out)
        assert set(summary["methods"]["full"]["paradigms"]) == set(only.split(","))
        assert summary["methods"]["full"]["overall"]["n"] == 8

    def test_fresh_pairs_and_their_file_are_the_same_items_to_compare(
        self, priscian: Command, model: str
    ) -> None:
        words = ("--seed", "7", "--only", "wh_island", "-n", "4", "--out", "data")
        assert priscian("generate", "blimp", *words).code == 0
        assert priscian("score", model, "--on", "generated:7,4,wh_island", "--out", "a").code == 0
        assert priscian("score", model, "--on", "blimp:data", "--out", "b").code == 0
        done = priscian("compare", "a", "b")
        assert done.code == 0, done.err
        assert "the same 4 items in 1 set" in done.out

    def test_check_finds_what_is_wrong_and_says_so_by_its_exit_code(
        self, priscian: Command
    ) -> None:
        Path("odd.csv").write_text("good,bad\nA apple fell.,A apple fall.\n")
        done = priscian("check", "pairs:odd.csv", "--json")
        assert done.code == 1
        found = json.loads(done.out)
        assert found["pairs"] == 1
        assert "article" in {f["check"] for f in found["findings"]}
        assert len(done.complaints) == 1
        shown = priscian("check", "pairs:odd.csv", "--show", "1")
        assert shown.code == 1
        assert re.search(r"^odd/0: article: ", shown.out, re.MULTILINE)
        assert "1 pair in 1 set: " in shown.out
        clean = priscian("check", "pairs:odd.csv", "--skip", ",".join(sorted(
            {f["check"] for f in found["findings"]})))  # fmt: skip
        assert (clean.code, clean.complaints) == (0, [])
        assert "nothing found" in clean.out
        unknown = priscian("check", "pairs:odd.csv", "--skip", "articel")
        assert unknown.code == 2
        assert "did you mean article" in unknown.err

    @pytest.mark.parametrize(
        ("arguments", "code", "told"),
        [
            (("show", "adjunct_iland"), 2, "did you mean adjunct_island"),
            (("show", "adjunct_island", "-n", "0"), 2, "-n takes a whole number from 1"),
            (("generate", "limp", "--seed", "1", "--out", "x"), 2, "did you mean blimp"),
            (("generate", "--out", "x"), 2, "--seed"),
            (("generate", "--seed", "1", "--out", "x", "--jobs", "0"), 2, "jobs takes"),
            (("demo", "mml:x"), 2, "did you mean mlm"),
        ],
    )
    def test_mistakes_are_one_line(
        self, arguments: tuple[str, ...], code: int, told: str, priscian: Command
    ) -> None:
        done = priscian(*arguments)
        assert (done.code, len(done.complaints)) == (code, 1)
        assert told in done.err

    def test_demo_shows_pairs_and_a_table(
        self, priscian: Command, model: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("priscian.datasets.generation.ITEMS", 2)
        monkeypatch.setattr(sys, "prefix", str(Path("env").absolute()))
        monkeypatch.setenv("PATH", "")  # as after `make demo`
        Path("env/bin").mkdir(parents=True)
        Path("env/bin/activate").touch()
        done = priscian("demo", model, "-n", "1", "--out", "here")
        assert (done.code, done.complaints) == (0, [])
        assert Path("here/run/tiny/seed1/summary.json").is_file()
        assert "overall (mean of paradigms)" in done.out
        assert "What to type next, after `. env/bin/activate`:" in done.out
