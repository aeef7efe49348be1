"""Who may import whom, and what the package says of itself."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
from pathlib import Path

import pytest
from scripts import house

import priscian

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "priscian"
MODULES = sorted(SOURCE.rglob("*.py"))
BASE = {"errors", "records", "files", "threads", "workers", "catalogue", "formulas"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "records": {"errors"},
    "files": {"errors"},
    "catalogue": {"errors"},
    "threads": set(),
    "workers": {"errors", "threads"},
    "formulas": {"errors", "records"},
    "stats": BASE,
    "lexicon": BASE,
    "grammar": BASE | {"lexicon"},
    "paradigms": BASE | {"grammar", "lexicon"},
    "suites": BASE | {"grammar", "lexicon"},
    "datasets": BASE | {"lexicon", "paradigms", "suites"},
    "trees": BASE,
    "models": BASE | {"trees"},
    "scoring": BASE | {"models"},
    "metrics": BASE | {"stats"},
    "training": BASE | {"models", "trees", "datasets", "scoring", "metrics", "stats"},
    "runs": BASE | {"datasets", "models", "scoring", "metrics", "stats"},
    "analysis": BASE | {"runs", "training", "datasets", "models", "trees", "metrics", "stats"},
    "reporting": BASE | {"web", "analysis", "runs"},
    "web": BASE,
    "judge": BASE | {"web", "datasets", "models", "scoring", "stats"},
    "sweeps": BASE | {"training", "runs", "analysis"},
    "bridges": BASE | {"runs", "models", "scoring", "analysis", "reporting"},
}
ANYTHING = {"api", "analyse", "cli", "__init__", "__main__"}


def home(path: Path) -> str:
    """The package, or the module at the top, that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Parts of ours that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(house.tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write imports in full"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    ours = [name.split(".") for name in found if name.split(".")[0] == "priscian"]
    return {parts[1] for parts in ours if len(parts) > 1} - {"__version__"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_imports_follow_the_table() -> None:
    found = []
    for path in MODULES:
        package = home(path)
        if package in ANYTHING:
            continue
        assert package in ALLOWED, f"{package} has no line in the table of who may import whom"
        strangers = imports(path) - ALLOWED[package] - {package}
        if strangers:
            found.append(f"{name_of(path)} may not import {', '.join(sorted(strangers))}")
    assert found == []


def test_the_guide_shows_the_same_table() -> None:
    guide = (SOURCE.parents[1] / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", guide, re.MULTILINE)
    told = {package: set(re.findall(r"`(\w+)`", others)) for package, others in rows}
    assert told.keys() <= ALLOWED.keys()
    assert {home(path) for path in MODULES} - BASE - ANYTHING <= told.keys()
    assert told == {package: ALLOWED[package] - BASE for package in told}


def test_the_table_has_no_circle() -> None:
    seen: dict[str, set[str]] = {}

    def below(package: str, path: tuple[str, ...] = ()) -> set[str]:
        assert package not in path, f"circle: {' → '.join((*path, package))}"
        if package not in seen:
            direct = ALLOWED[package]
            seen[package] = direct.union(*(below(p, (*path, package)) for p in direct))
        return seen[package]

    for package in ALLOWED:
        assert package not in below(package)


def test_no_modules_import_each_other() -> None:
    """Imports in functions count: they hide a circle, they do not break it."""
    assert house.cycles() == []


def test_imports_are_found_wherever_they_stand() -> None:
    assert imports(SOURCE / "runs" / "job.py") >= {"datasets", "errors", "scoring", "models"}
    assert "masked" not in imports(SOURCE / "scoring" / "batches.py")
    assert "models" in imports(SOURCE / "scoring" / "batches.py")
    assert imports(SOURCE / "errors.py") == set()


def test_every_file_says_what_it_is() -> None:
    without = [
        name_of(p) for p in MODULES if not (ast.get_docstring(house.tree_of(p)) or "").strip()
    ]
    assert without == []


class TestPublicNames:
    def test_all_is_complete_and_importable(self) -> None:
        assert priscian.__all__ == sorted([*priscian._HOMES, *priscian._MODULES])
        assert priscian.analyse is importlib.import_module("priscian.analyse")
        for name in priscian._HOMES:
            value = getattr(priscian, name)
            assert value is getattr(importlib.import_module(priscian._HOMES[name]), name)
        assert dir(priscian) == priscian.__all__

    def test_the_type_checker_sees_the_same_names(self) -> None:
        listed: dict[str, str] = {}
        for node in ast.walk(house.tree_of(SOURCE / "__init__.py")):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("priscian."):
                for alias in node.names:
                    assert alias.asname == alias.name  # `as` makes it public to a strict checker
                    listed[alias.name] = str(node.module)
        assert listed == priscian._HOMES

    def test_an_unknown_name_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match=r"no attribute 'scores'"):
            priscian.scores  # noqa: B018

    @pytest.mark.parametrize("path", [p for p in MODULES if p.name == "__init__.py"], ids=name_of)
    def test_every_package_lists_names_that_exist(self, path: Path) -> None:
        parts = path.parent.relative_to(SOURCE.parent).parts
        module = importlib.import_module(".".join(parts))
        listed = getattr(module, "__all__", [])
        assert listed or not imports(path), "a package that gives names on must list them"
        assert len(set(listed)) == len(listed)
        assert all(hasattr(module, name) for name in listed)


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    from priscian import errors

    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"((?:[│├└─ ]{4})*)(\w+(?:Error|Warning))\b", line)
        if found:
            depth = len(found[1]) // 4
            path[depth:] = [found[2]]
            drawn[found[2]] = path[depth - 1] if depth else ""
    classes = {n: c for n, c in vars(errors).items() if isinstance(c, type)
               and issubclass(c, Exception)}  # fmt: skip
    assert set(drawn) == set(classes)
    for name, parent in drawn.items():
        above = classes[name].__bases__[0].__name__
        assert above == (parent or {"PriscianError": "Exception"}.get(name, "UserWarning"))


def tracked() -> list[Path]:
    """Files of the repository that are text."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    return [p for p in paths if p.is_file() and b"\0" not in p.read_bytes()[:4096]]


def test_no_file_names_a_place_on_one_machine() -> None:
    places = re.compile(r"(?<![\w./-])/(?:work|root|home|Users)/\w")
    found = [
        f"{name_of(path)}:{number}: {line.strip()[:80]}"
        for path in tracked()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if places.search(line)
    ]
    assert found == []


def asked_for_by_name(tree: ast.AST) -> list[int]:
    """Lines that tell models apart by the name of their provider."""
    compared = (
        (node, part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.Match)
        or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".startswith"))
        for part in ast.walk(node)
    )
    return sorted(
        {
            node.lineno
            for node, part in compared
            if (isinstance(part, ast.Attribute) and part.attr == "provider")
            or (isinstance(part, ast.Name) and part.id in {"provider", "PROVIDER"})
            or (isinstance(part, ast.Constant) and part.value in {"provider", "hf", "hf:", "mlm"})
        }
    )


def test_models_are_asked_what_they_can_do_and_not_what_family_they_are_of() -> None:
    """Use `traits_of(spec)`, not the provider's name."""
    found = [
        f"{name_of(path)}:{line}"
        for path in MODULES
        if home(path) != "models"
        for line in asked_for_by_name(house.tree_of(path))
    ]
    assert found == []


def test_a_comparison_of_a_providers_name_is_found() -> None:
    for line in (
        "spec.provider == other",
        "spec.provider in {'a', 'b'}",
        "(spec.provider, spec.id) != ('builtin', 'ngram')",
        "fields.get('provider') == 'x'",
        "string.startswith(f'{PROVIDER}:')",
        "match spec.provider:\n case 'a': pass",
    ):
        assert asked_for_by_name(ast.parse(line)) == [1], line
    assert not asked_for_by_name(ast.parse("find_provider(spec.provider).load(spec)"))
