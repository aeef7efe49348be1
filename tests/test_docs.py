"""What the guides show is run: blocks marked `python`, except those marked `python no-run`.

`no-run` is for blocks that need a model from the Hub, a package that may not be installed or data
that are not here; they must still be valid Python that imports names which exist.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = {"--help", "--install-completion"}
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code in a guide."""

    file: Path
    line: int
    mark: str
    code: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT).as_posix()}:{self.line}"


def blocks(path: Path) -> list[Block]:
    text = path.read_text("utf-8")
    return [
        Block(path, text.count("\n", 0, m.start()) + 2, m[1].strip(), m[2])
        for m in FENCE.finditer(text)
    ]


WRITTEN = [path for path in GUIDES if path.is_file()]
PYTHON = [b for path in WRITTEN for b in blocks(path) if b.mark.partition(" ")[0] == "python"]


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """What a guide defines is gone afterwards; its paradigms may have the names of ours."""
    text = request.node.callspec.params["path"].read_text("utf-8")
    own = set(re.findall(r'@paradigm\(\s*"(\w+)"', text))
    from priscian.paradigms import paradigms, registry
    from priscian.suites import registry as suite_registry
    from priscian.suites import suites

    others = {uid: entry for uid, entry in paradigms().items() if uid not in own}
    monkeypatch.setattr(registry.CATALOGUE, "entries", others)
    monkeypatch.setattr(suite_registry.CATALOGUE, "entries", suites())


def run(block: Block, names: dict[str, Any]) -> None:
    if ">>>" in block.code:
        test = doctest.DocTestParser().get_doctest(
            block.code, names, str(block), str(block.file), block.line - 1
        )
        told: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
            test, out=told.append, clear_globs=False
        )
        names |= test.globs
        assert result.failed == 0, "".join(told)
        return
    padded = "\n" * (block.line - 1) + block.code  # so that a traceback names the guide's line
    exec(compile(padded, str(block.file), "exec"), names)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda p: p.name)
@pytest.mark.usefixtures("apart", "in_folder")
def test_the_blocks_of_a_guide_run_one_after_another(path: Path) -> None:
    names: dict[str, Any] = {"__name__": "guide"}
    for block in blocks(path):
        if block.mark == "python":
            run(block, names)


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_a_block_is_valid_and_imports_what_exists(block: Block) -> None:
    assert block.mark in {"python", "python no-run"}, f"{block}: mark it python or python no-run"
    if ">>>" in block.code:
        examples = doctest.DocTestParser().get_examples(block.code)
        code = "".join(example.source for example in examples)
    else:
        code = block.code
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("priscian"):
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                assert hasattr(module, alias.name), f"{block}: no {alias.name} in {node.module}"


def test_benchmarks_and_scripts_import_what_exists() -> None:
    missing = []
    for path in (*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "scripts").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("priscian"):
                module = importlib.import_module(str(node.module))
                names = [alias.name for alias in node.names]
                missing += [(path.name, n) for n in names if not hasattr(module, n)]
    assert missing == []


def test_links_between_the_guides_lead_somewhere() -> None:
    broken = [
        f"{path.name}: {target}"
        for path in WRITTEN
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text("utf-8"))
        if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists()
    ]
    assert broken == []


def anchors(path: Path) -> set[str]:
    """The headings of a page as GitHub spells them in links."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_to_a_section_lead_to_a_heading() -> None:
    broken = [
        f"{path.name}: {target}#{section}"
        for path in WRITTEN
        for target, section in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", path.read_text("utf-8"))
        if not re.match(r"[a-z]+:", target)
        and section not in anchors(path.parent / target if target else path)
    ]
    assert broken == []


def test_the_readme_leads_to_every_guide() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    pages = [path.relative_to(ROOT).as_posix() for path in WRITTEN if path.parent != ROOT]
    assert [page for page in pages if f"({page}" not in text] == []


@pytest.mark.parametrize("page", ["docs/pairs.md", "src/priscian/cli/check.py"])
def test_every_check_of_pairs_is_named(page: str) -> None:
    from priscian.datasets.lint import PAIR_CHECKS

    text = (ROOT / page).read_text("utf-8")
    assert [name for name in PAIR_CHECKS if not re.search(rf"\b{name}\b", text)] == []


def test_every_key_of_a_study_is_named() -> None:
    import msgspec

    from priscian.judge.study import Study

    text = (ROOT / "docs" / "judging.md").read_text("utf-8")
    keys = msgspec.structs.fields(Study)
    inner = [key for part in keys for key in getattr(part.type, "__struct_fields__", ())]
    names = (*(key.name for key in keys), *inner)
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_the_tables_of_the_lexicon_that_its_guide_names_exist() -> None:
    data = ROOT / "src" / "priscian" / "lexicon" / "data"
    text = (ROOT / "docs" / "lexicon.md").read_text("utf-8")
    named = set(re.findall(r"`([\w*-]+\.tsv)`", text))
    assert sorted(name for name in named if not list(data.glob(name))) == []
    listed = {path for name in named for path in data.glob(name)}
    assert sorted(path.name for path in data.glob("*.tsv") if path not in listed) == []


def test_the_guide_to_the_grammar_says_how_often_names_are_drawn() -> None:
    from priscian.grammar.nominals import NAME_SHARE

    text = (ROOT / "docs" / "grammar.md").read_text("utf-8")
    assert f"the default is {NAME_SHARE}" in text


def test_every_analysis_is_in_the_table_of_analyses() -> None:
    from priscian.analysis.registry import list_analyses

    text = (ROOT / "docs" / "analyses.md").read_text("utf-8")
    assert [name for name in list_analyses() if f"`analyse {name}`" not in text] == []


def commands() -> list[tuple[str, str]]:
    """`priscian VERB …` lines of the guides' plain blocks."""
    lines = [
        (str(block), line.strip())
        for path in WRITTEN
        for block in blocks(path)
        if block.mark in {"", "sh", "bash", "console", "text"}
        for line in block.code.splitlines()
    ]
    return [(where, line) for where, line in lines if line.startswith("priscian ")]


def test_every_verb_that_a_guide_names_exists() -> None:
    from priscian.cli.app import VERBS

    shown = commands()
    assert shown
    strangers = [(w, line) for w, line in shown if line.split()[1] not in {*VERBS, "VERB", *FLAGS}]
    assert strangers == []


def words_of(line: str) -> list[str] | None:
    """The words of a command without its description; None for a sketch such as `[--json]` or …"""
    command = re.split(r"  +|\s#|\s[|>]", line)[0]
    if re.search(r"[…\[]|\$", command):
        return None
    return shlex.split(command)[1:]


def test_every_command_of_a_guide_has_options_that_exist() -> None:
    from cyclopts import CycloptsError

    from priscian.cli.app import VERBS, load_command

    wrong = []
    for where, line in commands():
        words = words_of(line)
        if words is None or words[0] not in VERBS:
            continue
        app = load_command(VERBS[words[0]][0], words[0])
        try:
            app.parse_args(words[1:], exit_on_error=False, print_error=False)
        except CycloptsError as error:
            wrong.append((where, line, str(error)))
    assert wrong == []


OPTIONAL = {"inspect_ai"}
"""Packages that a module of ours is for, and that need not be installed."""


def modules() -> dict[str, str]:
    """Every module of ours by name, and its source."""
    source = ROOT / "src"
    found = {}
    for path in sorted((source / "priscian").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if parts[-1] != "__main__":
            name = ".".join(part for part in parts if part != "__init__")
            found[name] = path.read_text("utf-8")
    return found


def imported(name: str) -> ModuleType | None:
    """The module, or None where it is for a package that is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in OPTIONAL:
            raise
        return None


@pytest.mark.parametrize("name", [name for name, text in modules().items() if ">>> " in text])
def test_the_examples_in_docstrings_hold(name: str) -> None:
    module = imported(name)
    if module is None:
        pytest.skip("it is for a package that is not installed")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_every_module_can_be_imported() -> None:
    missing = [name for name in modules() if imported(name) is None]
    assert all(name.startswith("priscian.bridges.") for name in missing)


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"])
def test_the_map_names_only_what_is_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = {name for name in re.findall(r"`([\w./-]+)`", text) if "/" in name}
    assert len(named) > 8
    places = (ROOT, ROOT / "src" / "priscian")
    missing = [name for name in sorted(named) if not any((at / name).exists() for at in places)]
    assert missing == []


def test_the_glossary_has_each_term_once_in_order_with_a_place() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    seen: set[str] = set()
    for section in text.split("\n## ")[1:]:
        rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", section, re.MULTILINE)[1:]
        terms = [term.lower() for term, _ in rows]
        assert terms == sorted(terms), section.partition("\n")[0]
        assert all("`" in place or "](" in place for _, place in rows)
        assert seen.isdisjoint(terms)
        seen.update(terms)
    assert len(seen) > 50


def test_what_a_reader_is_told_to_look_for_is_in_the_file_named() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([\w./]+)`[^|]* \| `([^`]+)` \|$", text, re.MULTILINE)
    assert len(rows) >= 14
    for file, words in rows:
        assert words in (ROOT / "src" / "priscian" / file).read_text("utf-8"), (file, words)


def test_the_picture_of_imports_is_current() -> None:
    script = ROOT / "scripts" / "import_graph.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
