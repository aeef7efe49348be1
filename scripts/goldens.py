"""Record what every command prints and writes, and compare two such recordings.

    python scripts/goldens.py record FOLDER [--packages DIR] [--commands FILE]
    python scripts/goldens.py compare BEFORE AFTER

`record` runs the commands of tests/goldens/commands.txt, one after the other, in a new folder that
begins as a copy of tests/goldens/data, and writes FOLDER/NAME/ for each: the command, its exit
code, what it printed, and under files/ each file that it made, changed or deleted, as text. It
exits with 1 if a command fails that should not, or the reverse. `compare` prints every difference,
and exits with 1 unless tests/goldens/changed.md lists each.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import csv
import difflib
import fnmatch
import gzip
import hashlib
import json
import lzma
import os
import re
import runpy
import shlex
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
GOLDENS = ROOT / "tests" / "goldens"
HEAVY = "cyclopts jinja2 msgspec numpy polars rich.progress rich.table scipy.stats"
"""What most commands import. Not torch: Priscian looks whether it is imported."""
SETTINGS = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "TZ": "UTC", "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1"}  # fmt: skip
LIMIT = 600
"""Seconds after which a command is stopped."""
SHOWN, WIDTH = 12, 160
"""Lines of a difference that are printed, and characters of a line."""
PARQUET, SQLITE = b"PAR1", b"SQLite format 3"
NORMALISED = [
    (re.compile(row.split("\t")[0]), row.split("\t")[1])
    for row in (GOLDENS / "normalised.tsv").read_text("utf-8").splitlines()[1:]
]
"""What may differ between two recordings of one version, and what is written in its place."""
MISSING, NEW = "(no such file)\n", "a new file"
TIMED = re.compile("seconds|minutes")
"""Columns of CSV files whose values are not compared."""
STORED = (
    "SELECT key, label, fields, texts, bytes FROM models",
    "SELECT key, hex(hash), channel, hex(o.data), hex(s.data) FROM scores s "
    "JOIN models m ON m.id = model JOIN texts t ON t.id = s.text "
    "JOIN offsets o ON o.text = s.text AND o.number = s.offsets",
)
"""What is compared of a score store: models, and every bit by model key and text."""


class Command(NamedTuple):
    """One command: the name of its recording, the line, and whether it must fail."""

    name: str
    line: str
    fails: bool


def read_commands(file: Path) -> list[Command]:
    """The commands of a list; those of one name are numbered."""
    found: list[Command] = []
    names: Counter[str] = Counter()
    lines = [x for x in file.read_text("utf-8").splitlines() if x and not x.startswith("#")]
    for line, words in [(x, words) for x in lines for words in expand(x.lstrip("! "))]:
        name = re.sub(r"[^\w.]+", "-", words).strip("-")[:120] or "nothing"
        names[name] += 1
        name += f"-{names[name]}" if names[name] > 1 else ""
        found.append(Command(name, words, line.startswith("!")))
    return found


def expand(line: str) -> Iterator[str]:
    """A line for each choice in braces; % becomes the choice."""
    found = re.search(r"\{([^{}]*)\}", line)
    if not found:
        yield line
        return
    for choice in found[1].split(","):
        made = line[: found.start()] + choice + line[found.end() :]
        yield from expand(made.replace("%", re.sub(r"[^\w.]+", "-", choice)))


def record(folder: Path, packages: Path, commands: list[Command]) -> int:
    """Run all commands; 1 if one succeeds that must fail, or the reverse."""
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty; give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "commands.txt").write_text("".join(f"{c.name}\n" for c in commands), "utf-8")
    begun, odd = used(), []
    with tempfile.TemporaryDirectory(prefix="goldens-") as place:
        recorder = Recorder(Path(place).resolve(), packages.resolve())
        for number, command in enumerate(commands, 1):
            since = used()
            code = recorder.run(command, folder / command.name)
            if (code != 0) != command.fails:
                odd.append(f"exit {code}: {command.line}")
            print(f"{number:4}/{len(commands)} {used() - since:5.1f} s  {command.line}")
    fail = sum(c.fails for c in commands)
    seconds = used() - begun
    print(f"{len(commands) - fail} commands, {fail} refusals, {seconds:.0f} s of processor time")
    print(*odd, sep="\n", end="\n" if odd else "")
    return 1 if odd else 0


def used() -> float:
    """Seconds of processor time of this process and its children so far."""
    return sum(os.times()[:4])


class Recorder:
    """A working folder, and what is known of its files."""

    def __init__(self, place: Path, packages: Path) -> None:
        self.place, self.work = place, place / "work"
        shutil.copytree(GOLDENS / "data", self.work, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("home", "tmp"):
            (place / name).mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PRISCIAN_", "PYTHON"))}
        self.path = [str(packages), str(ROOT)]
        self.env = kept | SETTINGS | {
            "PYTHONPATH": os.pathsep.join(self.path), "PRISCIAN_CACHE": str(self.work / "cache"),
            "HOME": str(place / "home"), "TMPDIR": str(place / "tmp"),
        }  # fmt: skip
        os.environ.update(SETTINGS)  # before NumPy counts its threads
        for name in HEAVY.split():
            import_module(name)
        self.names = {str(place): "PLACE", str(packages): "PACKAGES", str(ROOT): "ROOT",
                      sys.executable: "PYTHON"}  # fmt: skip
        self._python(["-m", "priscian", "--version"])
        self.names[(place / "stdout").read_text("utf-8").strip()] = "VERSION"
        self.rows: dict[Path, set[str]] = {}
        self.files = self._files()

    def run(self, command: Command, out: Path) -> int:
        """Run a command and write down all that came of it; its exit code."""
        line, _, stdin = command.line.partition(" < ")
        words = shlex.split(line)
        words = words[1:] if words[:1] == ["python"] else ["-m", "priscian", *words]
        code = self._python(words, stdin)
        before, self.files = self.files, self._files()
        made = {"command": f"{command.line}\n".encode(), "exit": f"{code}\n".encode()}
        made |= {name: (self.place / name).read_bytes() for name in ("stdout", "stderr")}
        for path in before.keys() | self.files.keys():
            if before.get(path) != self.files.get(path):
                made[f"files/{path.relative_to(self.work)}"] = self._content(path)
        if not any(data.startswith(PARQUET) for data in made.values()):
            self._write(out, made)
        elif in_fork(lambda: self._write(out, made)):  # a process that has used Polars cannot fork
            sys.exit(f"{command.line}: what it made cannot be recorded")
        return code

    def _python(self, words: list[str], stdin: str = "") -> int:
        """Do what `python WORDS` does, in a fork of this process, which has imported much."""

        def become() -> None:
            for number, name in enumerate((stdin or os.devnull, "../stdout", "../stderr")):
                mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
                os.dup2(os.open(self.work / name, mode, 0o644), number)
            os.chdir(self.work)
            os.environ.clear()
            os.environ.update(self.env)
            tempfile.tempdir = None
            sys.path[:1] = self.path
            sys.argv[:] = words[words[0] == "-m" :]
            run = runpy.run_module if words[0] == "-m" else runpy.run_path
            run(sys.argv[0], run_name="__main__")

        return in_fork(become)

    def _files(self) -> dict[Path, tuple[int, int, int]]:
        """Every file, and by what a change is noticed."""
        paths = [p for p in self.work.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
        facts = {p: p.stat() for p in sorted(paths) if not p.name.endswith(("-wal", "-shm"))}
        return {p: (f.st_mtime_ns, f.st_size, f.st_ino) for p, f in facts.items()}

    def _content(self, path: Path) -> bytes:
        """What a file holds; of a database the rows that are new since the last command."""
        if not path.exists():
            return b"(deleted)\n"
        data = path.read_bytes()
        if not data.startswith(SQLITE):
            return data
        rows, known = store_rows(path), self.rows.get(path, set())
        self.rows[path] = rows
        lines = [*sorted(rows - known), *(f"gone: {row}" for row in sorted(known - rows))]
        return "".join(f"{line}\n" for line in lines).encode()

    def _write(self, out: Path, made: dict[str, bytes]) -> None:
        for name, data in made.items():
            path = out / self._normal(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._normal(text_of(name, data)), "utf-8", newline="")

    def _normal(self, text: str) -> str:
        """A text without what may differ between two recordings."""
        for what, name in self.names.items():
            text = text.replace(what, name)
        for pattern, name in NORMALISED:
            text = pattern.sub(name, text)
        return text


def in_fork(action: Callable[[], object]) -> int:
    """Do something in a fork of this process; its exit code."""
    sys.stdout.flush()
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        signal.alarm(LIMIT)
        action()
        code = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def text_of(name: str, data: bytes) -> str:
    """A file as text: what is text as it is, the rest by value or by hash."""
    if name.endswith((".gz", ".xz")):
        return text_of(name[:-3], (gzip if name.endswith(".gz") else lzma).decompress(data))
    if data.startswith(PARQUET):
        return table_text(data)
    if name.endswith(".safetensors"):
        size = 8 + int.from_bytes(data[:8], "little")
        return f"{json.dumps(json.loads(data[8:size]), indent=1)}\n{digest(data[size:])}\n"
    if name.endswith((".pdf", ".pt")):
        return "not compared: its parts have no fixed order, or hold times\n"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"{digest(data)}\n"
    if name.endswith(".html"):
        return re.sub(r"(?s)(<(?:script|style)[^>]*>)(.*?)(?=</(?:script|style)>)", script, text)
    return timeless(text) if name.endswith(".csv") else text


def digest(data: bytes) -> str:
    """Length and hash of what is not shown."""
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}"


def table_text(data: bytes) -> str:
    """Columns and their types, then a JSON list for each row, with every digit."""
    import polars

    table = polars.read_parquet(data)
    lines = [[f"{name}: {kind}" for name, kind in table.schema.items()], *table.iter_rows()]
    return "".join(f"{json.dumps(line, ensure_ascii=False, default=str)}\n" for line in lines)


def timeless(text: str) -> str:
    """A CSV file without the values of columns that measure time."""
    rows = list(csv.reader(text.splitlines(keepends=True)))
    timed = {n for n, name in enumerate(rows[0] if rows else []) if TIMED.search(name)}
    cut = [["TIME" if n in timed else cell for n, cell in enumerate(row)] for row in rows[1:]]
    return "".join(f"{json.dumps(row)}\n" for row in [rows[0], *cut]) if timed else text


def store_rows(path: Path) -> set[str]:
    """The rows of a score store; of another database only its tables."""
    with tempfile.TemporaryDirectory() as folder:
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, folder)
        base = sqlite3.connect(Path(folder) / path.name)
        rows = {str(sql) for (sql,) in base.execute("SELECT sql FROM sqlite_master")}
        for query in STORED if any("TABLE scores" in sql for sql in rows) else ():
            rows |= {" ".join(map(str, row)) for row in base.execute(query)}
        base.close()
    return rows


def script(found: re.Match[str]) -> str:
    """A script of a page: JSON line by line, packed data as far as they are JSON, else a hash."""
    head, data, rest = found[1], found[2].encode(), b""
    if "text/plain" in head:
        data = gzip.decompress(base64.b64decode(data))
        if (size := 4 + int.from_bytes(data[:4], "little")) <= len(data):  # JSON, then columns
            data, rest = data[4:size], data[size:]
    with contextlib.suppress(ValueError):
        text = json.dumps(json.loads(data), indent=1, ensure_ascii=False)
        return f"{head}{text}\n{digest(rest)}\n"
    return f"{head}{digest(data)}\n"


@dataclass
class Change:
    """A row of changed.md: in which files of which commands, and what became of what."""

    command: str
    file: str
    before: str
    after: str
    used: bool = False


def read_changes(file: Path) -> list[Change]:
    """The rows of the table; their cells but the reason are code."""
    found = []
    for line in file.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0].startswith("`"):
            if not cells[4]:
                sys.exit(f"{file}: a row without a reason: {line}")
            code = (c[1:-1].replace(r"\|", "|").replace(r"\n", "\n") for c in cells[:4])
            command, path, before, after = code
            found.append(Change(command, path, before, after))
    return found


def compare(before: Path, after: Path, changes: list[Change]) -> int:
    """Print what differs; 1 if something is not in the table of changes."""
    found = listed = 0
    sides = [(f / "commands.txt").read_text("utf-8").splitlines() for f in (after, before)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        old, new = recorded(before / name), recorded(after / name)
        command = new.get("command", old.get("command", "")).strip()
        for file in sorted(old.keys() | new.keys()):
            was, now = (side.get(file, MISSING) for side in (old, new))
            found += was != now
            if was == now or explained(command, file, was, now, changes):
                listed += was != now
                continue
            print(f"\n$ priscian {command}\n  {file}  ({fingerprint(now)})")
            print(difference(was, now))
    for change in changes:
        if not change.used:
            print(f"changed.md: nothing differs as in the row of {change.command}, {change.file}")
    print(f"{found} differences, {listed} of them in changed.md")
    return 1 if found > listed else 0


def recorded(folder: Path) -> dict[str, str]:
    """The texts of one command's recording by name."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {f.relative_to(folder).as_posix(): f.read_bytes().decode("utf-8") for f in files}


def fingerprint(text: str) -> str:
    """What a row of changed.md may give instead of the new text."""
    return f"sha256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def explained(command: str, file: str, was: str, now: str, changes: list[Change]) -> bool:
    """Whether the rows for this file, one after the other, turn the old text into the new."""
    for change in changes:
        if fnmatch.fnmatchcase(command, change.command) and fnmatch.fnmatchcase(file, change.file):
            new = change.after == NEW and was == MISSING
            whole = new or change.after == fingerprint(now)
            made = now if whole else was.replace(change.before, change.after)
            change.used |= made != was
            was = made
    return was == now


def difference(was: str, now: str) -> str:
    """A short unified diff; long lines are cut before the first place where they differ."""
    lines = list(difflib.unified_diff(was.splitlines(), now.splitlines(), lineterm="", n=0))[2:]
    lines = [line for line in lines if line[0] in "-+"]
    first = [next((line[1:] for line in lines if line[0] == sign), "") for sign in "-+"]
    same = next((n for n, (a, b) in enumerate(zip(*first, strict=False)) if a != b), 0)
    start = max(0, same - WIDTH // 2)
    shown = [f"  {line[0]}{'…' if start else ''}{line[1 + start :][:WIDTH]}" for line in lines]
    more = [f"  … {len(lines) - SHOWN} more lines"] if len(lines) > SHOWN else []
    return "\n".join([*shown[:SHOWN], *more])


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording, comparing = verbs.add_parser("record"), verbs.add_parser("compare")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--packages", type=Path, default=ROOT / "src")
    recording.add_argument("--commands", type=Path, default=GOLDENS / "commands.txt")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--changed", type=Path, default=GOLDENS / "changed.md")
    given = parser.parse_args()
    if given.verb == "record":
        return record(given.folder, given.packages, read_commands(given.commands))
    return compare(given.before, given.after, read_changes(given.changed))


if __name__ == "__main__":
    sys.exit(main())
