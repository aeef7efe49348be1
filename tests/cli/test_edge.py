"""The edge of the command line: one line for every error, whatever the terminal can show."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian.cli.app import reflow
from priscian.cli.edge import Notes, guard
from priscian.errors import DataWarning, PriscianWarning, UsageError

Command = Callable[..., Any]


def raising(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


ERRORS = {
    "memory": (MemoryError(), 1, "priscian: out of memory; use a smaller model"),
    "recursion": (RecursionError("maximum depth"), 1, "priscian: the input is nested too deeply"),
    "a bug": (KeyError("x\ny"), 1, "priscian: unexpected KeyError: "),
    "a file": (PermissionError(13, "Permission denied", "x.txt"), 1,
               "priscian: Permission denied: x.txt"),
    "a link": (RuntimeError("Symlink loop from 'x'"), 1,
               "priscian: Symlink loop from 'x'; check where its links lead"),
    "Ctrl-C": (KeyboardInterrupt(), 130, "priscian: stopped"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_every_error_is_one_line(
    case: str, priscian: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    error, code, told = ERRORS[case]
    monkeypatch.delenv("PRISCIAN_DEBUG", raising=False)
    monkeypatch.setattr("priscian.cli.cite.references", raising(error))
    done = priscian("cite")
    assert done.code == code
    (line,) = done.err.splitlines()
    assert line.startswith(told)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("surprisal", "--no-such"), "priscian: Unknown option: --no-such; see priscian surprisal"),
        (("srprisal",), "priscian: no verb 'srprisal'; did you mean surprisal?"),
        (("analyse", "acd"), "priscian: Unknown command"),
    ],
)
def test_wrong_usage_is_one_line_without_a_stray_full_stop(
    arguments: tuple[str, ...], told: str, priscian: Command
) -> None:
    done = priscian(*arguments)
    (line,) = done.err.splitlines()
    assert (done.code, done.out) == (2, "")
    assert line.startswith(told)
    assert ".;" not in line


def command_line(code: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """The command line in a process of its own, after some code has been run."""
    script = f"{code}\nfrom priscian.cli import main\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | environment,
    )


def test_files_and_pipes_get_utf_8_in_any_locale() -> None:
    child = command_line("", "--help", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    out, err = child.communicate()
    assert (child.returncode, err) == (0, b"")
    assert "VERB …" in out.decode("utf-8")


def test_a_terminal_shows_what_it_does_not_have_as_an_escape() -> None:
    import pty

    main, side = pty.openpty()
    script = "from priscian.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "--help"],
        stdout=side,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        check=False,
    )
    os.close(side)
    shown = os.read(main, 100)
    os.close(main)
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown.startswith(b"Usage: priscian VERB \\u2026")


def test_a_lone_surrogate_in_a_name_is_printed_as_an_escape() -> None:
    child = command_line("import sys; sys.argv.append('\\udce9')", "list")
    _, err = child.communicate()
    assert child.returncode == 2
    (line,) = err.decode().splitlines()
    assert "\\udce9" in line


def test_ctrl_c_ends_with_one_line_and_130() -> None:
    wait = (
        "import priscian.cli.cite, time\n"
        "def stay():\n    print('ready', flush=True)\n    time.sleep(1000)\n"
        "priscian.cli.cite.references = stay"
    )
    child = command_line(wait, "cite")
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()
    assert child.returncode == 130
    assert err == b"priscian: stopped\n"


def test_a_reader_that_goes_away_before_the_end_is_silent() -> None:
    child = command_line("", "list", "paradigms")
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait() == 1


def test_warnings_of_other_libraries_are_silent_unless_debugging(
    priscian: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warn() -> dict[str, str]:
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        warnings.warn("ours", PriscianWarning, stacklevel=2)
        return {"priscian": "@misc{}"}

    monkeypatch.setattr("priscian.cli.cite.references", warn)
    monkeypatch.delenv("PRISCIAN_DEBUG", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        done = priscian("cite")
    assert (done.code, done.err) == (0, "priscian: note: ours\n")


class TestNotes:
    def said(self, *messages: str, category: type[Warning] = DataWarning) -> list[str]:
        lines: list[str] = []
        notes = Notes(lines.append)
        for message in messages:
            notes.add(message, category)
        notes.flush()
        notes.flush()
        return lines

    def test_the_same_of_several_files_is_one_line_with_a_count(self) -> None:
        assert self.said(
            "a.jsonl: 1 value of UID had stray spaces; stripped",
            "a.jsonl: 2 pairs have identical sentences (3, 4); kept",
            "b.jsonl: 7 values of UID had stray spaces; stripped",
            "b.jsonl: 1 pair has identical sentences (9); kept",
        ) == [
            "note: a.jsonl: 1 value of UID had stray spaces; stripped "
            "(the same in 1 more file: b.jsonl)",
            "note: a.jsonl: 2 pairs have identical sentences (3, 4); kept "
            "(the same in 1 more file: b.jsonl)",
        ]

    def test_many_files_are_counted_and_some_named(self) -> None:
        (line,) = self.said(*(f"f{n}.csv: 1 pair has identical sentences" for n in range(67)))
        assert line.endswith("(the same in 66 more files: f1.csv, f2.csv, f3.csv, …)")

    def test_rows_of_one_file_are_counted(self) -> None:
        lines = self.said("skipped x.csv:3: 'good' is empty; fix", "skipped x.csv:9: 'good' is "
                          "empty; fix")  # fmt: skip
        assert lines == ["note: skipped x.csv:3: 'good' is empty; fix (2 times)"]

    def test_other_notes_are_alike_only_if_they_are_equal(self) -> None:
        lines = self.said("gpt2: mean 3", "gpt2: mean 4", "gpt2: mean 3", category=PriscianWarning)
        assert lines == ["note: gpt2: mean 3 (2 times)", "note: gpt2: mean 4"]


def test_two_files_with_the_same_fault_are_one_note(priscian: Command) -> None:
    Path("two").mkdir()
    for name in ("one", "other"):
        Path(f"two/{name}.csv").write_text("good,bad\nGo now.,Now go.\nRain.,Rain.\n")
    done = priscian("score", "builtin:ngram", "--on", "pairs:two", "--out", "run")
    (note,) = done.err.splitlines()
    assert "identical sentences" in note
    assert note.endswith("(the same in 1 more file: two/other.csv)")


def test_help_fills_the_line_and_keeps_examples() -> None:
    doc = """Do a thing.

    A paragraph that is
    cut in two.

    Examples:
      priscian do it
      priscian do that

    Parameters
    ----------
    name
        What it is
        called.
    other
        More.
    """
    assert reflow(doc).splitlines() == [
        "Do a thing.", "", "A paragraph that is cut in two.", "", "Examples:",
        "  priscian do it", "  priscian do that", "", "Parameters", "----------", "name",
        "    What it is called.", "other", "    More.",
    ]  # fmt: skip


def test_an_example_in_a_docstring_stays_as_it_is() -> None:
    doc = "What it is.\n\n>>> f(1)\n2\n>>> g(\n...     1)\n(3,\n 4)\n\nMore\nwords."
    assert reflow(doc) == doc.replace("More\nwords", "More words")


def test_parameters_of_the_library_are_shown_as_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def act() -> None:
        raise UsageError("give `out=`, or `resume=True`; see `batch_tokens=64` and `x = y`")

    assert guard("score", act) == 2
    told = "priscian: give --out, or --resume; see --batch-tokens 64 and `x = y`\n"
    assert capsys.readouterr().err == told
