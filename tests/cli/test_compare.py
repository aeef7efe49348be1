"""`priscian compare` and the analyses of people and correlations, as they are typed."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tests.cli.conftest import Command
from tests.small_results import pairs_result, suites_result, write_run

A = {"wh_island": [1, 1, 0, 0, 0, 0, 0, 0], "passive_1": [1, 1, 1, 0]}
B = {"wh_island": [1, 0, 1, 1, 1, 1, 1, 0], "passive_1": [1, 1, 1, 0]}


@pytest.fixture
def two(in_folder: Path) -> Path:
    """A run of two models whose names have colons."""
    return write_run(in_folder / "two", pairs_result("builtin:a", A), pairs_result("builtin:b", B))


class TestCompare:
    def test_two_models_of_one_run(self, priscian: Command, two: Path) -> None:
        done = priscian("compare", "two", "--flips", "2")
        assert done.code == 0, done.err
        assert "small, full: the same 12 items in 2 sets" in done.out
        assert "draws of items within each set; it covers other items of the same sets" in done.out
        assert "95 %, other items" in done.out
        assert "they cover other items of the same sets\n" in done.out
        assert "6 items flipped: builtin:a is better on 1, builtin:b on 5\n" in done.out
        assert "Differences are builtin:a − builtin:b, in points: positive where" in done.out
        assert "builtin:a − builtin:b ┃" in done.out
        assert "wh_island wh_island/1: builtin:a is right, builtin:b is wrong" in done.out
        assert "good: Good wh_island 1." in done.out
        assert "wh_island/3" not in done.out

    def test_a_tie_is_not_called_right(self, priscian: Command, in_folder: Path) -> None:
        a = pairs_result("a", {"wh_island": [0.5, 0.5, 1, 1]})
        write_run(in_folder / "ties", a, pairs_result("b", {"wh_island": [0, 1, 0, 1]}))
        done = priscian("compare", "ties", "--flips", "3")
        assert (
            "3 items flipped: a is better on 2, b on 1; in 2 of them a model has a tie" in done.out
        )
        assert "wh_island/0: a has a tie, b is wrong" in done.out
        assert "wh_island/1: b is right, a has a tie" in done.out

    @pytest.mark.parametrize("width", [80, 100])
    def test_nothing_is_cut_off_in_a_narrow_terminal(
        self, width: int, priscian: Command, in_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        names = [f"determiner_noun_agreement_with_adj_irregular_{n}" for n in (1, 2)]
        rows = {"first": [0, 1] * 300 + [1] * 400, "second": [1, 0] * 300 + [0] * 400}
        results = [pairs_result(m, dict.fromkeys(names, row)) for m, row in rows.items()]
        write_run(in_folder / "long", *results)
        monkeypatch.setattr(
            "priscian.cli.screen.out", lambda: Console(markup=False, width=width, file=sys.stdout)
        )
        done = priscian("compare", "long")
        cells = [line.strip().split(" ")[0] for line in done.out.splitlines()]
        assert all(name in "".join(cells) for name in names)
        assert "…" not in done.out
        assert done.out.count("700 : 300") == done.out.count("<0.001 *") == len(names)

    def test_names_with_colons_and_json(self, priscian: Command, two: Path) -> None:
        done = priscian("compare", "two:builtin:b", "two:builtin:a", "--resample", "both", "--json")
        assert done.code == 0, done.err
        (found,) = json.loads(done.out)
        assert (found["a"], found["b"]) == ("builtin:b", "builtin:a")
        assert found["overall"]["difference"] == 0.25
        assert found["overall"]["resample"] == "both"
        assert len(found["flips"]) == 6

    def test_flips_and_figures_as_files(self, priscian: Command, two: Path) -> None:
        done = priscian("compare", "two", "--csv", "out/flips.csv", "--figures", "pictures")
        assert done.code == 0, done.err
        with Path("out/flips.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 6
        assert rows[0]["text_bad"] == "Bad wh_island 1."
        endings = {p.suffix for p in Path("pictures").iterdir()}
        assert endings == {".svg", ".png", ".pdf", ".csv", ".tex"}
        assert "wh_island" in Path("pictures/differences.svg").read_text("utf-8")

    def test_two_runs_on_different_data(self, priscian: Command, in_folder: Path) -> None:
        write_run(in_folder / "x", pairs_result("m", A, data="one"))
        write_run(in_folder / "y", pairs_result("m", {"wh_island": [1, 1]}, data="other"))
        done = priscian("compare", "x", "y")
        assert done.code == 0, done.err
        assert "one and other, full: the 2 items in 1 set that both have (of 12 and 2)" in done.out
        assert "sets without a shared item: passive_1" in done.out
        assert "m (x)" in done.out

    def test_suites_and_pairs_of_one_run(self, priscian: Command, in_folder: Path) -> None:
        write_run(
            in_folder / "both",
            pairs_result("a", A), suites_result("a", {"cleft": [1, 0], "mvrr": [1, 1]}),
            pairs_result("b", B), suites_result("b", {"cleft": [1, 1], "mvrr": [1, 1]}),
        )  # fmt: skip
        found = json.loads(priscian("compare", "both", "--json").out)
        assert [c["data"] for c in found] == ["small", "sg"]
        assert found[1]["flips"][0]["text_odd"] == "The odd one 2."
        (one,) = json.loads(priscian("compare", "both", "--data", "sg", "--json").out)
        assert one["data"] == "sg"
        assert priscian("compare", "both", "--figures", "p").code == 0
        assert Path("p/differences-sg.svg").is_file()

    def test_of_suites_the_table_names_what_intervals_cover(
        self, priscian: Command, in_folder: Path
    ) -> None:
        judged = {"cleft": [1, 0], "mvrr": [1, 1]}
        write_run(in_folder / "s", *(suites_result(m, judged) for m in ("a", "b")))
        done = priscian("compare", "s")
        assert "95 %, other sets" in done.out
        assert "overall: 95 % interval by Student's t over the sets' means; it covers" in done.out
        assert "groups: 95 % intervals by Student's t over their sets; they cover other" in done.out

    def test_an_unfinished_run_is_noted(self, priscian: Command, in_folder: Path) -> None:
        results = pairs_result("a", A), pairs_result("b", B)
        write_run(in_folder / "half", *results, missing=["c"])
        done = priscian("compare", "half")
        assert done.code == 0
        assert "half is not finished: 1 of 3 models missing" in done.err

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["one"], "one has 1 model (m), not two; name two results"),
            (["two", "one"], "two has 2 models, builtin:a, builtin:b; name one: two:builtin:a"),
            (["two:builtin:c", "one"], "no model 'builtin:c'; did you mean builtin:"),
            (["one", "one"], "one and one are the same result"),
            (["one", "other"], "share no items: wh_island is in both, but with other sentences"),
            (["one", "nowhere"], "nowhere is not a run folder"),
            (["two", "--resample", "all"], "no way to resample 'all'"),
            (["two", "--data", "smal"], "no data set 'smal'; did you mean small?"),
            (["two", "--draws", "3"], "--draws is 100 or more"),
            ([], "see priscian compare --help"),
        ],
    )
    def test_bad_input_is_one_line(
        self, priscian: Command, two: Path, arguments: list[str], complaint: str
    ) -> None:
        write_run(two.parent / "one", pairs_result("m", {"wh_island": [1, 0]}))
        write_run(two.parent / "other", pairs_result("m", {"wh_island": [1, 0]}, words="Oh! "))
        done = priscian("compare", *arguments)
        assert done.code in (1, 2)
        assert len(done.complaints) == 1
        assert complaint in done.complaints[0]

    def test_a_run_of_a_newer_version(self, priscian: Command, two: Path) -> None:
        info = json.loads((two / "run.json").read_text())
        (two / "run.json").write_text(json.dumps(info | {"format": 99}))
        done = priscian("compare", "two")
        assert done.code == 1
        assert "another version of Priscian" in done.complaints[0]


class TestCorrelation:
    @pytest.fixture
    def run(self, in_folder: Path) -> Path:
        names = ("wh_island", "adjunct_island", "passive_1", "causative")
        shares = {n: [1.0] * (i + 1) + [0.0] * (5 - i) for i, n in enumerate(names)}
        suites = {f"suite_{n}": [1.0] * n + [0.0] * (6 - n) for n in range(5)}
        return write_run(
            in_folder / "run",
            pairs_result("a", shares), suites_result("a", suites), suites_result("b", suites),
        )  # fmt: skip

    def test_tables_json_and_pictures(self, priscian: Command, run: Path) -> None:
        done = priscian("analyse", "correlation", "run", "--figures", "p")
        assert done.code == 0, done.err
        assert "pairs: Pearson's r" in done.out
        assert "suites: Spearman's ρ" in done.out
        assert "published, on BLiMP's own data" in done.out
        assert Path("p/correlation-spearman-suites.svg").is_file()
        found = json.loads(priscian("analyse", "correlation", "run", "--json").out)
        assert found["suites"]["pearson"]["a"]["b"] == pytest.approx(1.0)
        assert found["pairs"]["sets"]["People*"] == 67

    def test_nothing_to_correlate_with(self, priscian: Command, two: Path) -> None:
        assert "no runs" in priscian("analyse", "correlation").complaints[0]
        write_run(two.parent / "one", pairs_result("m", A))
        done = priscian("analyse", "correlation", "one", "--no-published")
        assert done.code == 1
        assert "nothing to be correlated with" in done.complaints[0]


class TestPeople:
    def test_a_plain_file(self, priscian: Command, in_folder: Path) -> None:
        answers = "".join(f"wh_island,{n},p,{'bad' if n == 4 else 'good'}\n" for n in range(5))
        Path("judged.csv").write_text("set,item,rater,response\n" + answers)
        done = priscian("analyse", "human", "judged.csv", "--figures", "p", "--paradigms")
        assert done.code == 0, done.err
        assert "4 of 5 pairs, 0 ties against" in done.out
        assert "no attention checks in the file" in done.out
        assert Path("p/people.png").is_file()

    @pytest.mark.shared
    def test_the_released_files(self, priscian: Command, shared: Path) -> None:
        folder = shared / "data" / "blimp"
        found = json.loads(
            priscian("analyse", "human", folder / "human_responses.csv", "--json").out
        )
        assert round(100 * found["individual"], 2) == 88.56
        assert round(100 * found["majority"], 2) == 96.42
        assert (found["majority_pairs"], found["pairs"]) == (323, 335)
        assert (len(found["phenomena"]), len(found["paradigms"])) == (12, 67)
        shown = priscian("analyse", "human", folder / "human_responses.csv").out
        assert "individual 88.56 %" in shown
        assert "assignments not approved: 10, left out" in shown
        summary = folder / "models_summary.jsonl"
        means = json.loads(priscian("analyse", "published", summary, "--json").out)
        assert round(100 * means["gpt2"]["overall"], 1) == 83.0
        assert "overall" in priscian("analyse", "published", summary).out

    def test_no_such_file(self, priscian: Command) -> None:
        done = priscian("analyse", "human", "nothing.csv")
        assert done.code == 1
        assert len(done.complaints) == 1
        assert "no file 'nothing.csv'" in done.complaints[0]
