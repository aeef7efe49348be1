"""`priscian analyse` on runs: tables, shallow, distance, methods, training-size, sg."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.cli.conftest import Command
from tests.scored_runs import rights, save_run, scored_pairs, scored_suites
from tests.small_curve import write_curve

from priscian.analysis.curves.curve import CurveAnalysis
from priscian.analysis.curves.table import read_curve
from priscian.cli.tables import table
from priscian.datasets.reference import blimp_taxonomy

SETS = {uid: rights(14, 20, ties=1) for uid in blimp_taxonomy()}
PREFIXES = {"one_prefix": {"anaphor_number_agreement": rights(11, 20)}}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two models on all of BLiMP's paradigms."""
    rows = {
        uid: [(" ".join("w" * (3 + i % 5)), -20.0 - i, -21.0 - (i * 7) % 11) for i in range(20)]
        for uid in SETS
    }
    return save_run(
        tmp_path / "run",
        *(
            scored_pairs(name, SETS, blimp_taxonomy(), prefixes=PREFIXES, rows=rows, data="blimp")
            for name in ("a", "b")
        ),
    )


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """Two models on a suite and its version with a modifier."""
    made = {"mvrr": ("Garden", rights(12, 20)), "mvrr_mod": ("Garden", rights(8, 20))}
    models = [scored_suites(name, made, {"mvrr_mod": "mvrr"}) for name in ("a", "b")]
    return save_run(tmp_path / "suites", *models)


@pytest.mark.parametrize("name", ["tables", "shallow", "distance", "methods"])
def test_analyses_print_tables_and_json_and_write_figures(
    priscian: Command, run: Path, name: str
) -> None:
    done = priscian("analyse", name, run, "--figures", "pictures")
    assert (done.code, done.complaints) == (0, [])
    assert "a" in done.out
    assert "Figures written to pictures" in done.out
    endings = {path.suffix for path in Path("pictures").iterdir()}
    assert endings == {".svg", ".png", ".pdf", ".csv", ".tex"}
    assert json.loads(priscian("analyse", name, run, "--json").out)


def test_tables_in_every_format(priscian: Command, run: Path) -> None:
    found = json.loads(priscian("analyse", "tables", run, "--by", "field", "--json").out)
    assert found["rows"]["overall"]["a"]["accuracy"] == pytest.approx(14.5 / 20)
    assert found["rows"]["overall"]["People*"]["accuracy"] == pytest.approx(0.886, abs=5e-4)
    assert priscian("analyse", "tables", run, "--format", "md").out.startswith("| phenomenon | a |")
    assert r"\toprule" in priscian("analyse", "tables", run, "--format", "tex").out
    csv = priscian("analyse", "tables", run, "--format", "csv", "--baselines", "none").out
    assert csv.count("\n") == 1 + 2 * 13


def test_distance_beside_published_systems(priscian: Command, run: Path) -> None:
    done = priscian("analyse", "distance", run, "--baselines", "GPT-2,human")
    assert "GPT-2*" in done.out
    assert "People*" in done.out
    wrong = priscian("analyse", "distance", run, "--baselines", "GTP-2")
    assert wrong.code == 2
    assert "did you mean GPT-2" in wrong.err


class TestTrainingSize:
    @pytest.fixture
    def curve(self, tmp_path: Path) -> list[Path]:
        """The same model's name in three runs of different sizes."""
        uid = "wh_island"
        return [
            save_run(
                tmp_path / f"size{k}",
                scored_pairs("lstm", {uid: rights(2 * k, 100)}, blimp_taxonomy(), data="blimp"),
            )
            for k in (18, 20, 22)
        ]

    def test_sizes_come_from_a_table_by_run(self, priscian: Command, curve: list[Path]) -> None:
        Path("sizes.csv").write_text(
            "run,model,tokens\nsize18,lstm,262144\nsize20,lstm,1048576\nsize22,lstm,4194304\n"
        )
        out = priscian(
            "analyse", "training-size", *curve, "--sizes", "sizes.csv", "--json", "--figures", "p"
        ).out
        found = json.loads(out)[""]["island_effects"]
        assert found["slope"] == pytest.approx(0.02)
        assert found["extrapolated"] is True
        assert Path("p/training-size.svg").is_file()
        said = priscian("analyse", "training-size", *curve, "--sizes", "sizes.csv").out
        assert "points per doubling" in said
        assert "+2.00 " in said
        assert "extrapolated" in said
        assert "the line may not continue that far" in said

    def test_sizes_come_from_the_command_line(self, priscian: Command, tmp_path: Path) -> None:
        models = [
            scored_pairs(name, {"wh_island": rights(n, 100)}, blimp_taxonomy(), data="blimp")
            for name, n in (("s", 50), ("m", 55), ("l", 60))
        ]
        run = save_run(tmp_path / "three", *models)
        sizes = ["--tokens", "s=1/4M", "--tokens", "m=500k", "--tokens", "l=1M"]
        found = json.loads(priscian("analyse", "training-size", run, *sizes, "--json").out)
        assert found[""]["overall"]["slope"] == pytest.approx(0.05)
        two = priscian("analyse", "training-size", run, *sizes[:4])
        assert two.code == 1
        assert "has 2 models of 2 training sizes" in two.err
        assert "l of" in two.err
        assert "left out" in two.err

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            ([], "add --sizes FILE or --tokens"),
            (["--tokens", "lstm"], "MODEL=1M"),
            (["--tokens", "lstm=lots"], "'lots' is not a number of tokens"),
            (["--tokens", "gpt=1M"], "no result of 'gpt' on minimal pairs; the runs have lstm"),
            (["--sizes", "no.csv"], "no file 'no.csv'"),
        ],
    )
    def test_bad_sizes_are_one_line(
        self, priscian: Command, curve: list[Path], more: list[str], told: str
    ) -> None:
        done = priscian("analyse", "training-size", *curve, *more)
        assert done.code in (1, 2)
        assert told in done.complaints[-1]

    def test_a_run_on_suites_has_no_pairs(self, priscian: Command, suites: Path) -> None:
        done = priscian("analyse", "training-size", suites, "--tokens", "a=1M", "--tokens", "b=2M")
        assert done.code == 1
        assert done.complaints == [
            "priscian: no result on minimal pairs; score models with --on blimp:DIR"
        ]

    def test_a_model_scored_on_suites_alone_is_not_listed_as_one_with_pairs(
        self, priscian: Command, curve: list[Path], suites: Path
    ) -> None:
        sizes = ("--tokens", "lstm=1M", "--tokens", "a=1M")
        done = priscian("analyse", "training-size", *curve, suites, *sizes)
        told = "priscian: no result of 'a' on minimal pairs; the runs have lstm"
        assert (done.code, done.complaints[-1]) == (1, told)

    def test_a_table_without_sizes_names_its_column(
        self, priscian: Command, curve: list[Path]
    ) -> None:
        Path("sizes.csv").write_text("model,size\nlstm,1M\n")
        done = priscian("analyse", "training-size", *curve, "--sizes", "sizes.csv")
        assert "no column tokens" in done.err


class TestSg:
    def test_circuits_suites_modifiers_and_perplexity(
        self, priscian: Command, suites: Path
    ) -> None:
        Path("ppl.csv").write_text("model,perplexity\na,50\nb,80.5\n")
        args = ("analyse", "sg", suites, "--perplexity", "ppl.csv")
        found = json.loads(priscian(*args, "--json").out)
        assert found["models"]["a"]["sg"]["accuracy"] == pytest.approx(0.5)
        assert found["modifiers"]["a"]["mvrr"]["change"] == pytest.approx(-0.2)
        assert found["perplexity"]["models"]["b"]["perplexity"] == 80.5
        done = priscian(*args, "--figures", "p")
        assert "needs 4 models" in done.out
        assert {p.stem for p in Path("p").glob("*.svg")} == {
            "sg-by-circuit", "sg-by-suite", "stability-to-modifiers", "sg-perplexity",
        }  # fmt: skip

    @pytest.mark.parametrize("cell", ["0.5", "many", "-", "nan"])
    def test_a_perplexity_is_a_number_from_1(
        self, priscian: Command, suites: Path, cell: str
    ) -> None:
        Path("ppl.csv").write_text(f"model,perplexity\na,{cell}\n")
        done = priscian("analyse", "sg", suites, "--perplexity", "ppl.csv")
        assert done.code == 1
        assert "ppl.csv:2:" in done.err
        assert "is not a perplexity" in done.err

    @pytest.mark.parametrize("cell", ["", " "])
    def test_an_empty_cell_is_a_perplexity_that_is_not_known(
        self, priscian: Command, suites: Path, cell: str
    ) -> None:
        Path("ppl.csv").write_text(f"model,perplexity\na,50\nb,{cell}\n")
        done = priscian("analyse", "sg", suites, "--perplexity", "ppl.csv")
        assert (done.code, done.complaints) == (0, [])
        assert "No perplexity of b" in done.out
        assert "No perplexity of a" not in done.out

    def test_a_table_of_empty_cells_is_one_line(self, priscian: Command, suites: Path) -> None:
        Path("ppl.csv").write_text("model,perplexity\na,\nb,\n")
        done = priscian("analyse", "sg", suites, "--perplexity", "ppl.csv")
        assert done.code == 1
        assert done.complaints == [
            "priscian: ppl.csv: no perplexities; write at least one number in the column perplexity"
        ]


class TestPerplexityOfASweep:
    def test_a_note_says_that_different_vocabularies_are_not_comparable(
        self, priscian: Command, tmp_path: Path
    ) -> None:
        folder = write_curve(tmp_path / "curve", {"lstm": 0.4, "gpt2": 0.5}, seeds=2)
        table = read_curve(folder)
        models = [  # otherwise perplexity follows from size and architecture
            msgspec.structs.replace(m, perplexity=50.0 + 7 * n**2 % 40)
            for n, m in enumerate(table.models)
        ]
        msgspec.structs.replace(table, models=tuple(models)).write(folder)
        out = priscian("analyse", "sg", folder, "--mixed-effects").out
        (line,) = [x for x in out.splitlines() if "not comparable" in x]
        assert line.endswith("they are still pooled in the correlation and the test on perplexity")
        found = json.loads(priscian("analyse", "sg", folder, "--json").out)
        assert found["perplexity"]["comparable"] is False
        given = priscian("analyse", "sg", folder, "--perplexity", folder / "curve.csv").out
        assert "Perplexities are not comparable" in given

    def test_equal_vocabularies_have_no_note(self, priscian: Command, tmp_path: Path) -> None:
        folder = write_curve(tmp_path / "curve", {"lstm": 0.4, "5-gram": 0.3})
        assert "not comparable" not in priscian("analyse", "sg", folder).out

    def test_the_table_of_a_sweep_marks_vocabularies_and_bounds(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from priscian.cli.curve import _print
        from priscian.sweeps.curve import Curve

        folder = write_curve(tmp_path / "curve", {"lstm": 0.4, "gpt2": 0.5, "rnng": 0.5})
        _print(Curve(folder, read_curve(folder), CurveAnalysis()))
        lines = capsys.readouterr().out.splitlines()
        shown = {
            kind: next(x for x in lines if f" {kind}-250k-seed1 " in x)
            for kind in ("lstm", "gpt2", "rnng")
        }
        assert " 240.0* " in shown["lstm"]
        assert " 200.0 " in shown["gpt2"]
        assert " ≤200.0* " in shown["rnng"]
        assert any("* closed vocabulary: comparable only if" in x for x in lines)
        _print(Curve(folder, read_curve(write_curve(tmp_path / "b", {"gpt2": 0.5})),
                     CurveAnalysis()))  # fmt: skip
        assert "closed vocabulary" not in capsys.readouterr().out


class TestBadRuns:
    @pytest.mark.parametrize("name", ["tables", "shallow", "distance", "methods", "sg"])
    def test_no_run_is_wrong_usage(self, priscian: Command, name: str) -> None:
        done = priscian("analyse", name)
        assert done.code == 2
        assert len(done.complaints) == 1
        assert "name at least one run folder" in done.err

    @pytest.mark.parametrize("name", ["tables", "shallow", "distance", "methods"])
    def test_a_run_on_suites_has_no_pairs(self, priscian: Command, suites: Path, name: str) -> None:
        done = priscian("analyse", name, suites)
        assert done.code == 1
        assert done.complaints == [
            "priscian: no result on minimal pairs; score models with --on blimp:DIR"
        ]

    def test_an_unfinished_run_is_shown_with_a_note(self, priscian: Command, run: Path) -> None:
        info = json.loads((run / "run.json").read_text())
        info["request"]["models"].append("c")
        info["status"] = "running"
        (run / "run.json").write_text(json.dumps(info))
        done = priscian("analyse", "tables", run)
        assert done.code == 0
        assert "1 of 3 models missing" in done.err


def test_the_published_row_of_people_has_one_name_on_the_screen_too() -> None:
    result = scored_pairs("a", SETS, blimp_taxonomy(), data="blimp")
    shown = table("blimp", "full", [result], ("GPT-2", "human"))
    assert [column.header for column in shown.columns][-2:] == ["GPT-2*", "People*"]
