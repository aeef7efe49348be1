"""The recorder finds what users would notice, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import polars
import pytest

from priscian.cli.app import VERBS

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "goldens.py"
HEAD = "| command | file | before | after | reason |\n|---|---|---|---|---|\n"

if not hasattr(__import__("os"), "fork"):
    pytest.skip("commands are run in forks", allow_module_level=True)
spec = spec_from_file_location("goldens", SCRIPT)
assert spec is not None
assert spec.loader is not None
goldens: Any = module_from_spec(spec)
sys.modules["goldens"] = goldens
spec.loader.exec_module(goldens)

Recording = Mapping[str, Mapping[str, str]]
SCORE = {"command": "score a --on b\n", "exit": "0\n", "stdout": "50.0\n", "stderr": ""}
TABLE = '["item: String", "score: Float64"]\n["a/0", -1.5]\n["a/1", -2.25]\n'
BEFORE: Recording = {
    "score": SCORE | {"files/run/items.parquet": TABLE, "files/run/run.json": '{"seed": 0}\n'},
    "show": {"command": "show x\n", "exit": "2\n", "stdout": "", "stderr": "no paradigm 'x'\n"},
}


@pytest.fixture
def differences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Compare a recording made by hand with another; the exit code and what is printed."""

    def write(name: str, recording: Recording) -> Path:
        for command, files in recording.items():
            for file, text in files.items():
                path = tmp_path / name / command / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
        (tmp_path / name / "commands.txt").write_text("".join(f"{c}\n" for c in recording))
        return tmp_path / name

    def compare(after: Recording, rows: str = "") -> tuple[int, str]:
        table = tmp_path / "changed.md"
        table.write_text(HEAD + rows)
        changes = goldens.read_changes(table)
        code = goldens.compare(write("before", BEFORE), write("after", after), changes)
        return code, capsys.readouterr().out

    return compare


def changed(command: str, file: str, text: str | None) -> Recording:
    """The recording with another text, or without a file."""
    files = {name: t for name, t in BEFORE[command].items() if name != file}
    return {**BEFORE, command: files if text is None else files | {file: text}}


def test_equal_recordings_have_no_differences(differences: Any) -> None:
    assert differences(BEFORE) == (0, "0 differences, 0 of them in changed.md\n")


@pytest.mark.parametrize(
    ("command", "file", "text", "told"),
    [
        ("show", "stderr", "no paradigm x\n", ["$ priscian show x\n  stderr", "-no paradigm 'x'",
                                               "+no paradigm x"]),
        ("show", "exit", "1\n", ["-2", "+1"]),
        ("score", "files/run/items.parquet", TABLE.replace("score:", "logp:"),
         ['-["item: String", "score: Float64"]', '+["item: String", "logp: Float64"]']),
        ("score", "files/run/items.parquet", TABLE.replace("-2.25", "-2.250000000001"),
         ['-["a/1", -2.25]', '+["a/1", -2.250000000001]']),
        ("score", "files/run/run.json", None, ['-{"seed": 0}', "+(no such file)"]),
        ("score", "files/run/new.csv", "a,b\n", ["-(no such file)", "+a,b"]),
    ],
)  # fmt: skip
def test_a_difference_is_shown_with_its_command_and_file(
    command: str, file: str, text: str | None, told: list[str], differences: Any
) -> None:
    code, out = differences(changed(command, file, text))
    assert code == 1
    assert all(part in out for part in told)
    assert out.endswith("\n1 differences, 0 of them in changed.md\n")


def test_a_command_that_is_gone_is_a_difference(differences: Any) -> None:
    code, out = differences({"score": BEFORE["score"]})
    assert code == 1
    assert "$ priscian show x" in out


def test_a_long_line_is_cut_where_it_differs() -> None:
    was, now = (f"{'x' * 5000}{n}{'y' * 5000}" for n in (1, 2))
    lines = goldens.difference(was, now).splitlines()
    assert [len(line) < 200 for line in lines] == [True, True]
    assert "x1y" in lines[0]
    assert "x2y" in lines[1]


class TestChanges:
    AFTER = changed("show", "stderr", "there is no paradigm 'x'\n")
    ROW = "| `show *` | `stderr` | `no paradigm` | `there is no paradigm` | a whole sentence |\n"

    def test_a_listed_change_is_no_failure(self, differences: Any) -> None:
        assert differences(self.AFTER, self.ROW) == (0, "1 differences, 1 of them in changed.md\n")

    def test_another_change_of_the_same_file_is(self, differences: Any) -> None:
        after = changed("show", "stderr", "there is no paradigm 'y'\n")
        code, out = differences(after, self.ROW)
        assert code == 1
        assert "+there is no paradigm 'y'" in out

    def test_the_same_change_of_another_command_is(self, differences: Any) -> None:
        code, out = differences(self.AFTER, self.ROW.replace("show *", "score *"))
        assert code == 1
        assert "nothing differs as in the row of score *, stderr" in out

    def test_the_fingerprint_stands_for_one_new_text_alone(self, differences: Any) -> None:
        _, out = differences(self.AFTER)
        mark = out.partition("(")[2].partition(")")[0]
        row = f"| `show x` | `stderr` | `` | `{mark}` | read in full |\n"
        assert differences(self.AFTER, row)[0] == 0
        assert differences(changed("show", "stderr", "none\n"), row)[0] == 1

    def test_a_new_file_may_be_listed_but_not_a_changed_one(self, differences: Any) -> None:
        row = "| `score *` | `files/run/*` | | `a new file` | kept from now on |\n"
        assert differences(changed("score", "files/run/new.csv", "a,b\n"), row)[0] == 0
        assert differences(changed("score", "files/run/run.json", "{}"), row)[0] == 1

    def test_lines_and_bars_can_be_written(self, differences: Any) -> None:
        row = r"| `score *` | `stdout` | `50.0\n` | `a \| b\n` | |" + "\n"
        with pytest.raises(SystemExit, match="a row without a reason"):
            differences(BEFORE, row)
        row = row.replace("| |", "| two columns |")
        assert differences(changed("score", "stdout", "a | b\n"), row)[0] == 0


class TestTexts:
    def test_tables_have_every_digit_and_the_types(self, tmp_path: Path) -> None:
        scores = [0.1 + 0.2, 1e-300, None, float("nan")]
        frame = polars.DataFrame(
            {"id": ["é", "b", "c", "d"], "score": scores, "n": [[1], [], [2], [3]]}
        )
        frame.write_parquet(tmp_path / "t.parquet")
        text = goldens.text_of("t.parquet", (tmp_path / "t.parquet").read_bytes())
        assert text.splitlines() == [
            '["id: String", "score: Float64", "n: List(Int64)"]',
            '["é", 0.30000000000000004, [1]]', '["b", 1e-300, []]', '["c", null, [2]]',
            '["d", NaN, [3]]',
        ]  # fmt: skip

    def test_a_store_shows_a_score_that_is_off_by_one_bit(self, tmp_path: Path) -> None:
        from priscian.models import ModelKey
        from priscian.records import Text, TokenScores
        from priscian.scoring import ScoreStore

        rows = []
        for name, logp in (("a", -1.1), ("b", -1.1), ("c", -1.1 - 1e-12)):
            with ScoreStore(tmp_path / name) as store:
                store.write(
                    ModelKey({"n": "1"}), "m", [(Text("x"), TokenScores((0,), (1,), (logp,)))]
                )
            rows.append(goldens.store_rows(tmp_path / name))
        assert rows[0] == rows[1]
        assert len(rows[0] ^ rows[2]) == 2

    def test_data_of_a_page_are_lines(self) -> None:
        from base64 import b64encode
        from gzip import compress

        head = b'{"n":2}'
        packed = compress(len(head).to_bytes(4, "little") + head + b"\x01\x02")
        page = (
            '<script type="application/json">{"a":[1]}</script>'
            f'<script type="text/plain">{b64encode(packed).decode()}</script><script>x()</script>'
        )
        text = goldens.text_of("p.html", page.encode())
        assert '{\n "a": [\n  1\n ]\n}' in text
        assert '{\n "n": 2\n}\n2 bytes, sha256' in text
        assert "<script>3 bytes, sha256" in text

    def test_weights_are_their_header_and_a_hash(self) -> None:
        head = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
        files = [len(head).to_bytes(8, "little") + head + bytes([0, 0, 0, n]) for n in (1, 2)]
        one, other = (goldens.text_of("m.safetensors", data) for data in files)
        assert one.splitlines()[:-1] == other.splitlines()[:-1]
        assert one != other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"created": "2026-11-18T21:24:43+0000"', '"created": "2027-01-02T03:04:05+0000"'),
        ('"training_seconds": 1.25,', '"training_seconds": 12e-3,'),
        ("lstm: done in 5 s", "lstm: done in 11 s"),
        ("results_2026-11-18T21-24-43.json", "results_2026-11-19T00-00-00.json"),
    ],
)
def test_times_are_no_difference(one: str, other: str, recorder: Any) -> None:
    assert recorder._normal(one) == recorder._normal(other) != one


@pytest.mark.parametrize(
    "text", ['"accuracy": 0.5', "seed 7, 12 sets", "0.30000000000000004", "1m"]
)
def test_numbers_are_kept(text: str, recorder: Any) -> None:
    assert recorder._normal(text) == text


@pytest.fixture
def recorder() -> Any:
    made = goldens.Recorder.__new__(goldens.Recorder)
    made.names = {}
    return made


class TestList:
    commands = goldens.read_commands(ROOT / "tests" / "goldens" / "commands.txt")

    def test_choices_in_braces_are_commands_of_their_own(self) -> None:
        assert list(goldens.expand("a {b,c:d} --out %")) == ["a b --out b", "a c:d --out c-d"]
        assert list(goldens.expand("{a,b} {c,d}")) == ["a c", "a d", "b c", "b d"]

    def test_every_recording_has_a_name_of_its_own(self) -> None:
        assert len({c.name for c in self.commands}) == len(self.commands)

    def test_every_verb_is_there_with_and_without_a_mistake(self) -> None:
        def verbs(fails: bool) -> set[str]:
            lines = [c.line.split() for c in self.commands if c.fails == fails]
            return {words[0] for words in lines if words and words[-1] != "--help"}

        assert verbs(True) >= set(VERBS) - {"demo", "list"}
        assert verbs(False) >= set(VERBS) - {"lm-eval", "models"}

    @pytest.mark.parametrize("verb", ["analyse", "judge", "train", "convert", "cache"])
    def test_every_command_of_a_verb_is_there(self, verb: str) -> None:
        place = VERBS[verb][0].partition(":")
        app = getattr(import_module(f"priscian.cli.{place[0]}"), place[2])
        known = {name for name in app if not name.startswith("-")}
        lines = [c.line for c in self.commands if not c.fails and f"{verb} " in c.line]
        named = [line.partition(f"{verb} ")[2].split() for line in lines]
        assert {words[0] for words in named if words[1:] == ["--help"]} == known
        done = {words[0] for words in named if "--help" not in words}
        assert known - done <= {"serve", "simulate", "forget"}  # two of them in study.py


PROGRAM = """
import json, sys, time
from pathlib import Path
import polars
if sys.argv[1:] == ["--version"]:
    sys.exit(print("1.2.3"))
if sys.argv[1] == "read":
    sys.exit(print(sys.stdin.read()))
if sys.argv[1] == "fail":
    sys.exit("priscian: MESSAGE")
Path("gone.txt").unlink() if Path("gone.txt").exists() else Path("gone.txt").touch()
Path("run.json").write_text(json.dumps({"seconds": time.time(), "here": str(Path.cwd())}))
polars.DataFrame({"score": [SCORE]}).write_parquet("items.parquet")
print("version 1.2.3")
"""


def recordings(folder: Path, commands: str, *packages: Path) -> list[Path]:
    """The same commands recorded with several packages."""
    (folder / "commands.txt").write_text(commands)
    made = []
    for number, package in enumerate(packages):
        (folder / f"tmp{'x' * number}").mkdir()
        made.append(folder / f"recording{number}")
        call = [sys.executable, str(SCRIPT), "record", str(made[-1]), "--packages", str(package),
                "--commands", str(folder / "commands.txt")]  # fmt: skip
        env = {"TMPDIR": str(folder / f"tmp{'x' * number}"), "PATH": ""}
        done = subprocess.run(call, capture_output=True, text=True, env=env, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return made


def test_a_recording_has_all_that_a_command_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = []
    for score, message in (("0.5", "no"), ("0.500000000001", "never")):
        packages.append(tmp_path / f"packages-{message}")
        (packages[-1] / "priscian").mkdir(parents=True)
        (packages[-1] / "priscian" / "__init__.py").touch()
        text = PROGRAM.replace("SCORE", score).replace("MESSAGE", message)
        (packages[-1] / "priscian" / "__main__.py").write_text(text)
    before, after = recordings(
        tmp_path, "make {a,b}\nread < mine.csv\n! fail\n", packages[0], packages[1]
    )
    assert (before / "commands.txt").read_text().split() == [
        "make-a",
        "make-b",
        "read-mine.csv",
        "fail",
    ]
    assert (before / "make-a/stdout").read_text() == "version VERSION\n"
    made = (before / "make-a/files/run.json").read_text()
    assert made == '{"seconds": "TIME", "here": "PLACE/work"}'
    assert (before / "make-a/files/gone.txt").read_text() == ""
    assert (before / "make-b/files/gone.txt").read_text() == "(deleted)\n"
    assert (before / "read-mine.csv/stdout").read_text().startswith("fine,odd")
    assert (before / "fail/exit").read_text() == "1\n"
    assert goldens.compare(before, after, []) == 1
    out = capsys.readouterr().out
    assert out.count("$ priscian") == 3
    assert all(
        line in out for line in ("-[0.5]", "+[0.500000000001]", "-priscian: no", "+priscian: never")
    )


COMMANDS = """\
score builtin:ngram --on pairs:pairs.tsv --out run
surprisal builtin:ngram --words --file stories.txt
! score builtin:ngrm --on pairs:pairs.tsv
"""


def test_two_recordings_of_one_version_are_equal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = ROOT / "src"
    one, other = recordings(tmp_path, COMMANDS, source, source)
    assert goldens.compare(one, other, []) == 0, capsys.readouterr().out
    name = "score-builtin-ngram-on-pairs-pairs.tsv-out-run"
    made = {p.name for p in (one / name / "files").rglob("*") if p.is_file()}
    assert made >= {"items.parquet", "run.json", "summary.json", "scores.sqlite"}
    told = (one / "score-builtin-ngrm-on-pairs-pairs.tsv/stderr").read_text()
    assert told == "priscian: no embedded model 'ngrm'; did you mean ngram?\n"
