"""What reaches the command line, and what leaves it: bytes, closed streams, escape sequences."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from priscian.cli import run
from priscian.cli.edge import Printed, as_it_is, printable
from priscian.cli.screen import Screen

Command = Callable[..., Any]
SCRIPT = "from priscian.cli import main; main()"
HOSTILE = "a\x1b[2J\x9bb\x07"
SHOWN = "a\\u001b[2J\\u009bb\\u0007"


def started(
    arguments: Sequence[str | bytes], closed: Sequence[int] = (), **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own, with some of its standard files closed."""

    def close() -> None:
        for number in closed:
            os.close(number)

    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        capture_output=True,
        env=os.environ | environment,
        preexec_fn=close,
        check=False,
    )


class TestBytes:
    @pytest.mark.parametrize(
        "arguments",
        [
            ("surprisal", "builtin:ngram", "caf\udce9"),
            ("surprisal", "builtin:ngram", "--file", "\udcff.txt"),
            ("surprisal", "hf:model\udcff", "a"),
            ("score", "builtin:ngram", "--on", "generated:7,2,wh_island", "--out", "o\udcff"),
            ("score", "builtin:ngram?name=\udcff", "--on", "generated:7,2,wh_island"),
            ("score", "builtin:ngram", "--on", "pairs:a\udcff.csv"),
            ("report", "run", "--title", "\udcff"),
            ("\udcff",),
        ],
    )
    def test_an_argument_that_is_not_utf_8_is_refused(
        self, arguments: tuple[str, ...], priscian: Command
    ) -> None:
        done = priscian(*arguments)
        (line,) = done.err.splitlines()
        assert (done.code, done.out) == (2, "")
        number = next(n for n, a in enumerate(arguments, 1) if not a.isascii())
        assert line.startswith(f"priscian: argument {number}, '")
        assert "is not UTF-8; rename the file or folder, or convert the text" in line
        assert not any(Path().iterdir())

    def test_a_text_in_another_locale_says_what_to_set(self) -> None:
        plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = started(["surprisal", "builtin:ngram", "café".encode()], **plain)
        (line,) = done.stderr.decode().splitlines()
        assert (done.returncode, done.stdout) == (2, b"")
        assert "is UTF-8, but the locale is not; set LANG=C.UTF-8 or PYTHONUTF8=1" in line

    def test_an_odd_folder_to_work_in_is_refused(self, priscian: Command, in_folder: Path) -> None:
        odd = Path(os.fsdecode(os.fsencode(in_folder) + b"/odd\xff"))
        odd.mkdir()
        os.chdir(odd)
        done = priscian("list", "paradigms")
        os.chdir(in_folder)
        assert done.code == 2
        assert "the current folder, " in done.err
        assert "odd\\udcff', is not UTF-8" in done.err

    def test_a_data_file_with_an_odd_name_is_named(self, priscian: Command) -> None:
        Path("data").mkdir()
        Path("data/good.csv").write_text("good,bad\nIt rains.,It rain.\n")
        Path("data/b\udcff.csv").write_text("good,bad\nIt rains.,It rain.\n")
        done = priscian("score", "builtin:ngram", "--on", "pairs:data", "--out", "run")
        assert (done.code, len(done.complaints)) == (1, 1)
        assert r"data: the name 'b\udcff.csv' is not UTF-8; rename the file" in done.err


class TestClosed:
    def test_no_standard_output_is_silence(self) -> None:
        done = started(["list", "paradigms"], [1])
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def test_no_standard_input_is_one_line(self) -> None:
        done = started(["surprisal", "builtin:ngram", "--file", "-"], [0])
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == (
            "priscian: standard input is closed; name a file, or send the text through a pipe\n"
        )

    def test_no_standard_error_puts_no_error_into_the_output(self) -> None:
        done = started(["surprisal", "builtin:no-such", "a"], [2])
        assert (done.returncode, done.stdout) == (2, b"")

    def test_files_never_take_the_place_of_a_closed_stream(self, tmp_path: Path) -> None:
        code = (
            "import os, sys; os.closerange(0, 3); sys.stdin = sys.stdout = sys.stderr = None\n"
            "from priscian.cli.edge import set_up_streams; set_up_streams()\n"
            "file = open(sys.argv[1], 'w'); print('no'); file.write(str(file.fileno()))"
        )
        subprocess.run([sys.executable, "-c", code, tmp_path / "x"], check=True)
        assert int((tmp_path / "x").read_text()) > 2


class TestEscapeSequences:
    def test_control_characters_are_shown_and_tabs_and_line_ends_kept(self) -> None:
        assert printable(HOSTILE) == SHOWN
        assert printable("é\tü\n𝄞 \u202e\r") == "é\tü\n𝄞 \\u202e\\u000d"

    def test_what_is_printed_is_cleaned_and_data_are_not(self) -> None:
        raw = io.StringIO()
        stream: Any = Printed(raw)
        print(HOSTILE, file=stream)
        as_it_is(stream).write(HOSTILE)
        assert raw.getvalue() == f"{SHOWN}\n{HOSTILE}"

    def test_json_that_is_printed_is_the_same_json(self) -> None:
        raw = io.StringIO()
        found = {HOSTILE: "\x7f\x85\x9f\x00é"}
        print(json.dumps(found, ensure_ascii=False), file=Printed(raw))  # type: ignore[call-overload]
        assert json.loads(raw.getvalue()) == found
        assert "\x9b" not in raw.getvalue()

    def test_a_table_of_rich_is_cleaned_and_keeps_its_own_colours(self) -> None:
        from rich.table import Table
        from rich.text import Text

        raw = io.StringIO()
        made = Table(title=HOSTILE)
        made.add_column(HOSTILE)
        made.add_row(Text(HOSTILE, style="red"))
        Screen(file=raw, force_terminal=True, width=60, color_system="standard").print(made)
        assert "\x1b[31m" in raw.getvalue()
        assert "\x1b[2J" not in raw.getvalue()
        assert "\x9b" not in raw.getvalue()
        assert "\\u001b" in raw.getvalue()
        lines = raw.getvalue().splitlines()[1:]
        assert len({len(Text.from_ansi(line).plain) for line in lines}) == 1  # aligned

    @pytest.mark.parametrize("terminal", [True, False])
    def test_no_name_or_sentence_commands_the_terminal(
        self, terminal: bool, in_folder: Path
    ) -> None:
        row = {"sentence_good": f"The {HOSTILE} sat.", "sentence_bad": f"The {HOSTILE} sit."}
        Path("e.jsonl").write_text(json.dumps(row | {"UID": HOSTILE}) + "\n")
        Path("e.csv").write_text("good,bad\nIt \x1b[2J rains.,It \x1b[2J rains.\n")
        commands = [
            ["check", "e.jsonl"],
            ["check", "e.csv"],
            ["score", f"builtin:ngram?name={HOSTILE}", "--on", "blimp:e.jsonl", "--out", "run"],
            ["surprisal", f"builtin:{HOSTILE}", "a"],
            [HOSTILE],
        ]
        shown = _shown(commands, terminal)
        assert shown.count(b"\\u001b") >= 3
        for sequence in (b"\x1b[2J", b"\x9b", b"\x07"):
            assert sequence not in shown


MANY = """
import json, sys
from priscian.cli.edge import set_up_streams
set_up_streams()
from priscian.cli import run
for arguments in json.loads(sys.argv[1]):
    run(arguments)
"""


def _shown(commands: list[list[str]], terminal: bool) -> bytes:
    """What some commands, run in one process, send to a pipe or a terminal."""
    line = [sys.executable, "-c", MANY, json.dumps(commands)]
    if not terminal:
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        return done.stdout
    main, side = pty.openpty()
    child = subprocess.Popen(line, stdout=side, stderr=side)
    os.close(side)
    found = b""
    try:
        while piece := os.read(main, 1 << 16):
            found += piece
    except OSError:  # the other side has closed
        pass
    os.close(main)
    assert child.wait() == 0
    return found


class TestNumbers:
    LONG = "9" * 5000

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("score", "builtin:ngram", "--on", "pairs:p.csv", "--workers", "²"), "not '²'"),
            (("score", "builtin:ngram", "--on", "pairs:p.csv", "--workers", LONG), "not '9999"),
            (("score", "builtin:ngram", "--on", "pairs:p.csv", "--threads", "٣"), "not '٣'"),
            (("score", "builtin:ngram", "--on", "generated:²"), "'generated:²' should be"),
            (("score", "builtin:ngram", "--on", "generated:7,²"), "'generated:7,²' should be"),
            (("score", "builtin:ngram", "--on", "generated:7,0"), "'generated:7,0' should be"),
            (("score", "builtin:ngram", "--on", "pairs:p.csv", "--tie", "vote:³"), "no tie rule"),
            (("score", "builtin:ngram", "--on", "pairs:p.csv", "--tie", f"vote:{LONG}"), "no tie"),
            (("surprisal", "builtin:ngram?order=²", "a"), "order must be a whole number from 1"),
            (("surprisal", f"builtin:ngram?order={LONG}", "a"), "order must be a whole number"),
        ],
    )
    def test_digits_that_are_no_numbers_are_wrong_usage(
        self, arguments: tuple[str, ...], says: str, priscian: Command
    ) -> None:
        Path("p.csv").write_text("good,bad\nIt rains.,It rain.\n")
        done = priscian(*arguments)
        (line,) = done.complaints
        assert (done.code, done.out) == (2, "")
        assert says in line
        assert len(line) < 1600

    @pytest.mark.parametrize(
        "arguments",
        [
            ("score", "builtin:ngram", "--on", f"generated:{LONG}"),
            ("score", "builtin:ngram", "--on", "generated:7,2,wh_island", "--out", LONG),
            ("surprisal", LONG, "a"),
            ("surprisal", f"lstm:{LONG}", "a"),
            ("check", LONG),
        ],
    )
    def test_a_name_that_is_too_long_for_a_file_is_one_line(
        self, arguments: tuple[str, ...], priscian: Command
    ) -> None:
        done = priscian(*arguments)
        (line,) = done.complaints
        assert done.code == 1
        assert line.startswith("priscian: a name of 5,0")
        assert line.endswith("…; give a shorter one")
        assert len(line) < 300


class TestRemedies:
    @pytest.mark.parametrize(
        ("error", "line"),
        [
            (PermissionError(13, "Permission denied", "lm/x"), "lm/x; check its permissions (ls"),
            (FileNotFoundError(2, "No such file or directory", "x"), "x; check the path"),
            (OSError(30, "Read-only file system", "x"), "x; choose another place"),
            (OSError(36, "File name too long", "x" * 300), "a name of 300 characters is too long"),
        ],
    )
    def test_an_error_of_the_system_says_what_to_do(
        self, error: OSError, line: str, priscian: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail() -> None:
            raise error

        monkeypatch.setattr("priscian.cli.cite.references", fail)
        done = priscian("cite")
        assert (done.code, len(done.err.splitlines())) == (1, 1)
        assert line in done.err

    def test_a_place_where_no_trees_can_be_written_is_named_before_parsing(
        self, priscian: Command
    ) -> None:
        from tests.fuzz.folder_samples import parser

        Path("model").mkdir()
        parser(Path("model"))
        Path("text.txt").write_text("The dog sleeps.\n")
        done = priscian("parse", "text.txt", "--model", "model", "--out", "text.txt/p.txt")
        assert (done.code, done.complaints) == (
            1,
            ["priscian: cannot write to the folder text.txt: text.txt is a file; choose another "
             "place"],
        )  # fmt: skip


def test_the_command_line_in_this_process_leaves_the_streams_alone() -> None:
    before = sys.stdout, sys.stderr
    run(["--version"])
    assert (sys.stdout, sys.stderr) == before
