"""Draw which package imports which, as docs/images/imports.svg; `--check` says if it is current.

Rows are layers: a package is above everything that it imports. Lazy imports count.
"""

from __future__ import annotations

import argparse
import ast
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "priscian"
PICTURE = ROOT / "docs" / "images" / "imports.svg"
BASE = ("errors", "records", "files", "threads", "workers", "catalogue", "formulas")
TOP = ("api", "analyse", "cli")
BOX, GAP, ROW = (118, 34), 22, 84


def packages() -> list[str]:
    """Packages and top modules, without base modules and the package's own `__init__`."""
    found = {p.relative_to(SOURCE).parts[0].removesuffix(".py") for p in SOURCE.rglob("*.py")}
    return sorted(found - {"__init__", "__main__", *BASE})


def edges() -> dict[str, set[str]]:
    """For each package, the ones that it imports, anywhere in its files."""
    names = packages()
    found: dict[str, set[str]] = {name: set() for name in names}
    for path in sorted(SOURCE.rglob("*.py")):
        home = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if home not in found:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = []
            if isinstance(node, ast.ImportFrom) and node.module:
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            for module in modules:
                parts = module.split(".")
                if parts[0] == "priscian" and len(parts) > 1 and parts[1] in found:
                    found[home].add(parts[1])
        found[home].discard(home)
    return found


def layers(graph: dict[str, set[str]]) -> list[list[str]]:
    """Packages by the longest chain of packages that import them, the lowest layer first."""
    depth: dict[str, int] = {}
    users = {name: {n for n, targets in graph.items() if name in targets} for name in graph}

    def measure(name: str, path: tuple[str, ...] = ()) -> int:
        if name in path:
            sys.exit(f"imports go in a circle: {' → '.join((*path, name))}")
        if name not in depth:
            depth[name] = 1 + max((measure(n, (*path, name)) for n in users[name]), default=-1)
        return depth[name]

    for name in graph:
        measure(name)
    lowest = max(depth.values())
    return [sorted(n for n in graph if depth[n] == level) for level in range(lowest, -1, -1)]


def reduced(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Edges that no longer path implies, so that the picture stays readable."""

    def reach(name: str) -> set[str]:
        return graph[name].union(*(reach(n) for n in graph[name]), set())

    return [
        (name, target)
        for name, targets in graph.items()
        for target in sorted(targets)
        if not any(target in reach(other) for other in targets - {target})
    ]


def draw() -> str:
    """The picture."""
    graph = {name: targets for name, targets in edges().items() if name not in TOP}
    graph = {name: targets - set(TOP) for name, targets in graph.items()}
    rows = layers(graph)
    width = max(len(row) for row in rows) * (BOX[0] + GAP) + GAP
    height = (len(rows) + 1) * ROW + 20
    place: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(rows):
        left = (width - len(row) * (BOX[0] + GAP) + GAP) / 2
        for number, name in enumerate(row):
            place[name] = (left + number * (BOX[0] + GAP), height - (level + 1) * ROW)
    lines = []
    for name, target in reduced(graph):
        (x1, y1), (x2, y2) = place[name], place[target]
        x1, x2, y1 = x1 + BOX[0] / 2, x2 + BOX[0] / 2, y1 + BOX[1]
        bend = f"C{x1:.0f},{y1 + 26:.0f} {x2:.0f},{y2 - 26:.0f} {x2:.0f},{y2:.0f}"
        lines.append(f'<path d="M{x1:.0f},{y1:.0f} {bend}"/>')
    boxes = [
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX[0]}" height="{BOX[1]}" rx="7"/>'
        f'<text x="{x + BOX[0] / 2:.0f}" y="{y + BOX[1] / 2 + 5:.0f}">{escape(name)}</text>'
        for name, (x, y) in sorted(place.items())
    ]
    note = f"above all: {', '.join(TOP)}; below all: {', '.join(BASE)}. Implied lines are left out."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" text-anchor="middle">'
        "<title>Which package imports which</title>"
        "<style>rect{fill:#eef2ff;stroke:#4f46e5}path{fill:none;stroke:#94a3b8;stroke-width:1.4}"
        "text{fill:#111827}</style>"
        f'<rect width="{width}" height="{height}" style="fill:#fff;stroke:none"/>'
        + "".join([*lines, *boxes])
        + f'<text x="{width / 2:.0f}" y="{24}" font-size="12">{escape(note)}</text></svg>\n'
    )


def main() -> None:
    """Write the picture, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the picture is out of date")
    made = draw()
    if parser.parse_args().check:
        sys.exit(0 if PICTURE.read_text("utf-8") == made else f"run {Path(__file__).name}")
    PICTURE.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
