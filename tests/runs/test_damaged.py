"""Run folders that were edited or damaged: every reader ends in one RunError, never otherwise."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import PriscianError, RunError
from priscian.runs import load_run

STORED = Path(__file__).parent / "data" / "v2"
ODD: tuple[Any, ...] = (
    None, True, -1, 10**30, 1.5, float("nan"), "", "../../x", "\x00", "\ud800", [], {}, ["x"],
    {"x": 1},
)  # fmt: skip


def places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key of nested objects and lists."""
    pairs = found.items() if isinstance(found, dict) else enumerate(found)
    for key, value in pairs:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def damaged(whole: Any, draw: random.Random) -> tuple[Any, str]:
    """A copy with one entry deleted or replaced, and what was done."""
    copy = json.loads(json.dumps(whole))
    path = draw.choice(list(places(copy)))
    at = copy
    for key in path[:-1]:
        at = at[key]
    if draw.random() < 0.4:
        del at[path[-1]]
        return copy, f"without {path}"
    value = draw.choice(ODD)
    at[path[-1]] = value
    return copy, f"{path} = {value!r}"


def read_everything(folder: Path, out: Path) -> None:
    """All that reads a run, but for the drawing of figures."""
    from priscian.analysis.blimp.accuracy_table import tables
    from priscian.analysis.blimp.methods import methods
    from priscian.analysis.compare.comparison import CompareOptions, compare_results
    from priscian.analysis.sg.circuits import analyse_sg_runs
    from priscian.analysis.sg.stability import analyse_stability
    from priscian.bridges.exports import FORMATS, export
    from priscian.cli.tables import print_run
    from priscian.reporting.boards import make_boards
    from priscian.reporting.provenance import describe_run
    from priscian.reporting.standings import headlines
    from priscian.runs import keys_of

    run = load_run(folder)
    repr(run), run._repr_html_(), run.missing, run.failures
    describe_run(run)
    keys_of(run.info)
    if not run.results:
        return
    run.frame(), run.plot()
    print_run(run)
    headlines(make_boards(run.results))
    for analyse in (tables, methods, analyse_sg_runs, analyse_stability):
        tolerate(lambda analyse=analyse: analyse(run.results))
    for data in run.info.request.data:
        both = [r for r in run if r.data == data]
        if len(both) == 2:
            tolerate(lambda both=both: compare_results(*both, CompareOptions(draws=100)))
    for form in sorted(set(FORMATS) - {"syntaxgym"}):
        tolerate(lambda form=form: export(run, form, out / form))


def tolerate(work: Callable[[], Any]) -> None:
    """Run something that may refuse in words: nothing in common, a method that is not there."""
    with contextlib.suppress(PriscianError):
        work()


@pytest.fixture(params=["with-hashes", "without"])
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Priscian 0.2; the first runs of that version had no hashes of their files."""
    if request.param == "with-hashes":
        return STORED
    folder = tmp_path_factory.mktemp("stored") / "run"
    shutil.copytree(STORED, folder)
    info = json.loads((folder / "run.json").read_text("utf-8"))
    for facts in info["models"].values():
        del facts["files"]
    (folder / "run.json").write_text(json.dumps(info), "utf-8")
    return folder


@pytest.mark.parametrize("seed", range(3))
def test_any_damage_is_a_run_error_or_harmless(
    stored: Path, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw, around = random.Random(seed), set(tmp_path.parent.iterdir())
    shutil.copytree(stored, tmp_path / "run")
    files = ["run.json", *(str(p.relative_to(stored)) for p in stored.glob("*/*/summary.json"))]
    for _ in range(10):
        name = draw.choice([files[0], draw.choice(sorted(files[1:]))])
        target = tmp_path / "run" / name
        before = target.read_text("utf-8")
        content, what = damaged(json.loads(before), draw)
        target.write_text(json.dumps(content), "utf-8")
        try:
            with contextlib.suppress(RunError):
                read_everything(tmp_path / "run", tmp_path / "out")
        except Exception as error:
            raise AssertionError(f"{name}, {what}: {type(error).__name__}: {error}") from error
        target.write_text(before, "utf-8")
    read_everything(tmp_path / "run", tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"run", "out"}
    assert set(tmp_path.parent.iterdir()) == around


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_much_damage(
    stored: Path, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test_any_damage_is_a_run_error_or_harmless(stored, seed, tmp_path, capsys)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"kind": "poems", "format": 2}', b"[" * 200_000]
)
def test_a_summary_that_is_none(stored: Path, tmp_path: Path, content: bytes) -> None:
    shutil.copytree(stored, tmp_path / "run")
    (tmp_path / "run/builtin-lstm/pairs/summary.json").write_bytes(content)
    with pytest.raises(RunError, match=r"summary\.json"):
        load_run(tmp_path / "run")


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "text", "other table"])
def test_a_table_of_items_that_is_none(stored: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(stored, tmp_path / "run")
    place = tmp_path / "run/builtin-lstm/suites"
    whole = (place / "items.parquet").read_bytes()
    if damage == "gone":
        (place / "items.parquet").unlink()
    elif damage == "other table":
        shutil.copy(place / "regions.parquet", place / "items.parquet")
    else:
        content = {"empty": b"", "cut": whole[: len(whole) // 2], "text": b"set,item\na,b\n"}
        (place / "items.parquet").write_bytes(content[damage])
    with pytest.raises(RunError, match=r"items\.parquet .*; score it again"):
        load_run(tmp_path / "run")


def test_results_of_another_model_are_not_taken_for_its_own(stored: Path, tmp_path: Path) -> None:
    shutil.copytree(stored, tmp_path / "run")
    shutil.rmtree(tmp_path / "run/builtin-lstm")
    shutil.copytree(tmp_path / "run/builtin-ngram", tmp_path / "run/builtin-lstm")
    with pytest.raises(RunError, match=r"its model is 'builtin:ngram'|is not the one"):
        load_run(tmp_path / "run")
