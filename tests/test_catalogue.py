"""A user's own file: whatever is wrong with it is one line that names the file and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.cli import run
from priscian.errors import GrammarError, UsageError
from priscian.paradigms import load_paradigms, paradigms
from priscian.suites import load_suites

HEAD = "from priscian.grammar import *\nfrom priscian.paradigms import Substitution, paradigm\n"
GOOD = '''
@paradigm("{uid}", phenomenon="x", field="y", edit=Substitution("lemma"))
def draw(g):
    """Yes. / *No."""
    {body}
'''


pytestmark = pytest.mark.usefixtures("catalogues")


def one(body: str, uid: str = "mine") -> str:
    return HEAD + GOOD.format(body=body, uid=uid)


PARADIGM_FILES = {
    "syntax": ("x = (\n", ":1: SyntaxError: '(' was never closed"),
    "name": ("x = 1\ny = z\n", ":2: NameError: name 'z' is not defined"),
    "import": ("\nimport no_such_module\n", ":2: ModuleNotFoundError: No module named"),
    "exit": ("raise SystemExit(3)\n", ":1: SystemExit: 3"),
    "silent exception": ("\n\nraise RuntimeError\n", ":3: RuntimeError"),
    "missing argument": (HEAD + '@paradigm("x")\ndef f(g): ...\n', ":3: TypeError: "),
    "no example": (
        HEAD + '@paradigm("x", phenomenon="x", field="y", edit=Substitution("n"))\ndef f(g): ...\n',
        ":3: x: the docstring must begin with",
    ),
    "class for an edit": (
        HEAD + '@paradigm("x", phenomenon="x", field="y", edit=Substitution)\ndef f(g): ...\n',
        ":3: x: edit=<class",
    ),
    "text for an edit": (
        HEAD + '@paradigm("x", phenomenon="x", field="y", edit="case")\ndef f(g): ...\n',
        ":3: x: edit='case' is not an edit; write, say, Substitution('case')",
    ),
    "unknown prefix": (
        HEAD + '@paradigm("x", phenomenon="x", field="y", edit=Substitution("n"), prefix="three")\n'
        "def f(g): ...\n",
        ":3: x: prefix='three'; use 'one', 'two' or None",
    ),
    "number for a field": (
        HEAD + '@paradigm("x", phenomenon="x", field=3, edit=Substitution("n"))\ndef f(g): ...\n',
        ":3: 'x': the UID, phenomenon and field must be texts",
    ),
    "taken name": (one("pass", "adjunct_island"), ":4: there are two paradigms 'adjunct_island'"),
}


@pytest.mark.parametrize(("text", "told"), PARADIGM_FILES.values(), ids=PARADIGM_FILES)
def test_a_broken_file_is_one_line_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    before = paradigms()
    with pytest.raises(GrammarError) as caught:
        load_paradigms(file)
    assert str(caught.value).startswith(f"{file}{told}")
    assert paradigms() == before


SUITE = (
    "from priscian.suites import suite\n"
    '@suite("mine", circuit={circuit}, regions={regions}, predictions={predictions})\n'
    "def mine(g):\n    return {body}\n"
)
FINE = {
    "circuit": '"Mine"',
    "regions": '["who", "what"]',
    "predictions": '["(2;%a%)<(2;%b%)"]',
    "body": '{"a": ["cats", "sleep"], "b": ["cats", "sleeps"]}',
}
SUITE_FILES = {
    "regions": ({"regions": '"who what"'}, ":2: mine: regions='who what'; give a list of texts"),
    "predictions": ({"predictions": "[3]"}, ":2: mine: predictions=[3]; give a list of texts"),
    "formula": ({"predictions": '["(2;%a%)<"]'}, ":2: mine: formula, character 9"),
    "region": ({"predictions": '["(3;%a%)>0"]'}, ":2: mine: the formula names region 3; there are"),
    "circuit": ({"circuit": "None"}, ":2: suite 'mine': name and circuit must be texts"),
}


@pytest.mark.parametrize(("change", "told"), SUITE_FILES.values(), ids=SUITE_FILES)
def test_a_broken_suite_is_one_line_with_its_place(
    change: dict[str, str], told: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SUITE.format(**(FINE | change)))
    with pytest.raises(GrammarError) as caught:
        load_suites(file)
    assert str(caught.value).startswith(f"{file}{told}")


DRAWS = {
    "exception": ("1 / 0", ":4: ZeroDivisionError: division by zero"),
    "no dict": ("None", ":2: mine gave NoneType; return a dict"),
    "condition": ('{"a": ["x", "y"]}', ":2: mine: no condition 'b'; the formula names it"),
    "text for a list": ('{"a": "xy", "b": ["x", "y"]}', ":2: mine, a: str; give a list of regions"),
    "region": ('{"a": ["x"], "b": ["x", "y"]}', ":2: mine, a: 1 regions; expected 2: who, what"),
    "phrase": ('{"a": ["x", 3], "b": ["x", "y"]}', ":2: mine, a: 3 is "),
    "unknown class": ('{"a": [g.noun("blorf"), "y"], "b": ["x", "y"]}', ":4: "),
}


@pytest.mark.parametrize(("body", "told"), DRAWS.values(), ids=DRAWS)
def test_a_suite_that_fails_while_it_is_drawn_is_one_line_with_its_place(
    body: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SUITE.format(**(FINE | {"body": body})))
    assert run(["show", "sg/mine", "--suites", "mine.py"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"priscian: mine.py{told}")
    assert err.count("\n") == 1
    assert "report" not in err


def test_a_paradigm_that_fails_while_it_is_drawn_names_the_line_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(one("return helper(g)") + "\ndef helper(g):\n    return g.nuon()\n")
    assert run(["show", "mine", "--paradigms", "mine.py"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("priscian: mine.py:10: AttributeError: 'Grammar' object has no attribute")
    assert "report" not in err
    words = ["generate", "--paradigms", "mine.py", "--seed", "1", "-n", "2", "--out", "out"]
    assert run(words) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[0].startswith("priscian: note: mine.py:10: AttributeError")
    assert err[1] == "priscian: no paradigm could be generated (see above); correct the file"


def test_what_is_not_a_python_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "mine.txt"
    text.write_text("")
    with pytest.raises(UsageError, match=r"mine\.txt is not a Python file; give one that defines"):
        load_paradigms(text)
    with pytest.raises(UsageError, match=r"there is no file .*gone\.py; give one"):
        load_suites(tmp_path / "gone.py")
    with pytest.raises(UsageError, match=r"there is no file"):
        load_paradigms(tmp_path)
    empty = tmp_path / "empty.py"
    empty.write_text("")
    with pytest.raises(UsageError, match="defines no paradigm; decorate a function with @paradigm"):
        load_paradigms(empty)


def test_a_failing_second_load_keeps_the_first(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(one("return g.pair(g.dp())"))
    load_paradigms(file)
    file.write_text("oops\n")
    with pytest.raises(GrammarError, match="NameError"):
        load_paradigms(file)
    assert "mine" in paradigms()
