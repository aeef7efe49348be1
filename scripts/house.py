"""Measure the code: size, cuts, cycles, names, and how many functions a command passes.

    python -m scripts.house [--json] [--no-traces]

The figures describe the code; they are not rules. Where one of them and a clear piece of code
disagree, the clear code wins.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "priscian"
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
TRACE = """
import inspect, json, sys
from collections import Counter
from pathlib import Path
import priscian
from priscian.cli import main
root = str(Path(priscian.__file__).parent)
seen, writes = Counter(), Counter()

def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(root):
            return True
        frame = frame.f_back
    return False

def watch(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root):
        if code.co_flags & inspect.CO_OPTIMIZED and not importing(frame):
            seen[code.co_filename, code.co_qualname] += 1
            if code.co_name == "write_json":
                writes[Path(frame.f_locals[code.co_varnames[0]]).name] += 1

sys.setprofile(watch)
try:
    main(sys.argv[1:])
except SystemExit as ended:
    sys.setprofile(None)
    assert not ended.code, ended.code
skip = ("<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
named = {(f, q) for f, q in seen if q.rpartition(".")[2] not in skip}
print(json.dumps({
    "functions": len(named), "files": len({f for f, _ in named}),
    "parse_model": sum(n for (f, q), n in seen.items() if q == "parse_model"),
    "run.json written": writes["run.json"],
}), file=sys.__stdout__)
"""


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


@cache
def files(folder: Path) -> list[Path]:
    """Every Python file of a folder."""
    return sorted(folder.rglob("*.py"))


def code_lines(path: Path) -> int:
    """Lines that hold code: no blank lines, comments, docstrings or imports."""
    text = path.read_text("utf-8")
    lines: set[int] = set()
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
              tokenize.ENCODING, tokenize.ENDMARKER)  # fmt: skip
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in silent:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_docstring(node):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> frozenset[str]:
    """The dotted names of all files."""
    return frozenset(module_of(path) for path in files(SRC))


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Modules of ours that a file imports, and whether it does so inside a function."""
    known = modules()
    for node, lazy in _import_statements(tree_of(path), False):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else str(node.module) for name in inner]
        for name in dict.fromkeys(names):
            if name in known:
                yield name, lazy


def _import_statements(
    node: ast.AST, lazy: bool
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The import statements below a node, but for those that only a type checker reads."""
    lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, lazy
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case) and not (
            isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        ):
            yield from _import_statements(child, lazy)


def cycles() -> list[set[str]]:
    """Groups of modules that import each other, function-level imports counted."""
    graph = {module_of(path): {name for name, _ in imports(path)} for path in files(SRC)}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = set(stack[stack.index(name) :])
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(group)

    sys.setrecursionlimit(10_000)
    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found


def called_once() -> list[str]:
    """Private functions of a module that are named once outside their own body."""
    found = []
    for path in files(SRC):
        tree = tree_of(path)
        private = {
            node.name: node
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name.startswith("_")
            and not node.decorator_list
        }
        used = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        for name, node in private.items():
            own = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
            if used[name] - own == 1:
                found.append(f"{module_of(path)}.{name}")
    return found


def classes_twice() -> dict[str, int]:
    """Public class names that are defined in several places."""
    names = Counter(
        node.name
        for path in files(SRC)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return {name: count for name, count in names.items() if count > 1}


def flags() -> list[str]:
    """Strings outside of `cli/`, docstrings left out, that name an option of the command line."""
    found = []
    for path in files(SRC):
        if path.relative_to(SRC).parts[0] == "cli":
            continue
        tree = tree_of(path)
        documented = {id(n.value) for n in ast.walk(tree) if _is_docstring(n)}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in documented
                and FLAG.search(node.value)
            ):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def hand_written_dicts() -> int:
    """Methods named as_dict."""
    return sum(
        isinstance(node, ast.FunctionDef) and node.name == "as_dict"
        for path in files(SRC)
        for node in ast.walk(tree_of(path))
    )


def traces() -> dict[str, Any]:
    """Functions and files that `score` on two pairs, and a report of it, pass."""
    rows = [
        {"sentence_good": f"The {noun} sleeps.", "sentence_bad": f"The {noun} sleep.",
         "UID": "regular_plural_subject_verb_agreement_1", "pairID": str(n), "field": "morphology",
         "linguistics_term": "subject_verb_agreement", "simple_LM_method": True}
        for n, noun in enumerate(("nurse", "lawyer"))
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        (here / "blimp").mkdir()
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (here / "blimp" / f"{rows[0]['UID']}.jsonl").write_text(text)
        score = ["score", "builtin:lstm", "--on", "blimp:blimp", "--out", "run"]
        return {"score": traced(score, here), "report": traced(["report", "run"], here)}


def traced(arguments: list[str], here: Path) -> Any:
    """What a command passes, in a process of its own with an empty cache."""
    done = subprocess.run(
        [sys.executable, "-c", TRACE, *arguments],
        cwd=here,
        env={"PATH": "/usr/bin:/bin", "PRISCIAN_CACHE": str(here / "cache"), "HOME": str(here)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def lazy_imports() -> int:
    """Imports of our own modules inside functions."""
    return sum(lazy for path in files(SRC) for _, lazy in imports(path))


def by_package(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Sums by the first part of a path."""
    found: dict[str, int] = defaultdict(int)
    for package, lines in counted:
        found[package] += lines
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def measure() -> dict[str, Any]:
    """Everything but the traces."""
    lines = {path: code_lines(path) for path in files(SRC)}
    tests = sum(code_lines(path) for path in files(ROOT / "tests"))
    groups = cycles()
    return {
        "lines of code in src": sum(lines.values()),
        "files in src": len(lines),
        "tests : src by code": round(tests / sum(lines.values()), 2),
        "lines by package": by_package(
            (path.relative_to(SRC).parts[0], count) for path, count in lines.items()
        ),
        "hand-written as_dict": hand_written_dicts(),
        "lines in cli/analyse": sum(
            len(path.read_text("utf-8").splitlines()) for path in files(SRC / "cli" / "analyse")
        ),
        "module cycles": len(groups),
        "modules in cycles": sum(map(len, groups)),
        "lazy imports of our own": lazy_imports(),
        "private functions called once": len(called_once()),
        "public class names defined twice": len(classes_twice()),
        "flag names outside cli": len(flags()),
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-traces", action="store_true")
    parser.add_argument("--list", choices=["once", "classes", "flags", "cycles"])
    given = parser.parse_args()
    if given.list:
        lists = {"once": called_once, "classes": classes_twice, "flags": flags, "cycles": cycles}
        print(*(lists[given.list]()), sep="\n")
        return 0
    found = measure()
    if not given.no_traces:
        found["traces"] = traces()
    if given.json:
        print(json.dumps(found, indent=1))
        return 0
    for name, value in found.items():
        shown = (
            "  ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        )
        print(f"{name:34} {shown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
