"""Atomic writing and file names."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import OutputError
from priscian.files import (
    delimited_text,
    file_names,
    replacing,
    write_delimited,
    write_json,
    write_text,
)


def test_the_old_file_stays_when_writing_fails(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_text(file, "old")

    def fill_the_disk() -> None:
        with replacing(file) as temporary:
            temporary.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match=r"report\.html: No space left on device; free"):
        fill_the_disk()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_folders_are_created_and_files_readable_by_others(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.json"
    write_json(file, {"ø": 1})
    assert file.read_text("utf-8") == '{\n "ø": 1\n}\n'
    assert file.stat().st_mode & 0o044


@given(st.lists(st.text(), unique=True))
def test_different_names_are_different_files_inside_the_folder(names: list[str]) -> None:
    made = file_names(names)
    assert list(made) == names
    assert len({short.casefold() for short in made.values()}) == len(names)
    for short in made.values():
        assert short == Path(short).name
        assert short not in {"", ".", ".."}
        assert "\0" not in short
        assert len(short.encode()) < 200


CELLS = st.text(st.sampled_from("ab \"'\t,;\r\n#é"), max_size=6)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.sampled_from(",\t"))
def test_any_cell_is_read_back_as_it_was(rows: list[tuple[str, str]], delimiter: str) -> None:
    text = delimited_text([{"a": a, "b": b} for a, b in rows], ["a", "b"], delimiter)
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert read == [["a", "b"], *map(list, rows)]


class TestFullDisk:
    """A full disk, in the form of a limit on file sizes, while large files are written."""

    @pytest.mark.parametrize("kind", ["parquet", "text", "delimited", "json"])
    def test_the_old_file_stays_and_the_error_is_one_line(self, tmp_path: Path, kind: str) -> None:
        script = (
            "import sys, resource, signal; from pathlib import Path\n"
            "import polars as pl\n"
            "from priscian import files\n"
            "from priscian.errors import OutputError\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
            "path, kind = Path(sys.argv[1]), sys.argv[2]\n"
            "texts = [str(n * 7919) for n in range(50_000)]\n"
            "try:\n"
            "    if kind == 'parquet':\n"
            "        files.write_parquet(path, pl.DataFrame({'text': texts}))\n"
            "    elif kind == 'text':\n"
            "        files.write_text(path, ''.join(texts))\n"
            "    elif kind == 'delimited':\n"
            "        files.write_delimited(path, [{'text': text} for text in texts])\n"
            "    else:\n"
            "        files.write_json(path, texts)\n"
            "except OutputError as error:\n"
            "    print(error)\n"
        )
        file = tmp_path / "items.file"
        file.write_text("old")
        done = subprocess.run(
            [sys.executable, "-c", script, str(file), kind],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"cannot write {file}: ")
        assert done.stdout.count("\n") == 1
        assert file.read_text() == "old"
        assert list(tmp_path.iterdir()) == [file]


def test_cells_are_quoted_so_that_any_program_reads_them(tmp_path: Path) -> None:
    rows = [{"a": 'say "no"', "b": "x,y\nz"}, {"a": "t\tab", "c": 1}]
    for name in ("t.csv", "t.tsv"):
        write_delimited(tmp_path / name, rows)
        mark = "," if name == "t.csv" else "\t"
        found = pl.read_csv(tmp_path / name, separator=mark).rows()
        assert found == [('say "no"', "x,y\nz", None), ("t\tab", None, 1)]
