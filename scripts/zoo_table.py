"""The table of trained models in docs/zoo.md: their cards beside their scores.

    python scripts/zoo_table.py ../zoo/gpt2-tiny-8M ../zoo/txl-tiny-8M --runs ../zoo/runs/*

The runs have these models on fresh pairs of several seeds, and on suites.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from priscian.runs import Result, load_runs

HEAD = ("model", "architecture", "parameters", "tokens", "test perplexity", "BLiMP", "SG")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=Path, help="folders of trained models")
    parser.add_argument("--runs", nargs="+", type=Path, required=True, help="run folders")
    given = parser.parse_args()
    results = [result for run in load_runs(given.runs) for result in run.results]
    print(f"| {' | '.join(HEAD)} |\n|---|---|{'---:|' * (len(HEAD) - 2)}")
    for folder in given.models:
        print(f"| {' | '.join(row(folder, results))} |")


def row(folder: Path, results: Iterable[Result]) -> list[str]:
    """A model's card and scores, as cells."""
    card = json.loads((folder / "card.json").read_text("utf-8"))
    own = [r for r in results if name_of(r) == folder.name]
    pairs = [r.overall for r in own if r.kind == "pairs"]
    suites = [r.overall for r in own if r.kind == "suites"]
    test = card["test"]
    closed = f" ({test['unknown'] / test['words']:.1%} unknown)" if test["unknown"] else ""
    return [
        folder.name,
        str(card["architecture"]),
        f"{card['parameters'] / 1e6:.1f}M",
        f"{card['tokens_seen'] / 1e6:.1f}M",
        f"{test['perplexity']:,.1f}{closed}",
        per_cent(pairs),
        per_cent(suites),
    ]


def name_of(result: Result) -> str:
    """The name of the folder in a model string: `txl:../zoo/txl-tiny` is `txl-tiny`."""
    return Path(result.about.string.partition("?")[0].rpartition(":")[2]).name


def per_cent(scores: Sequence[float]) -> str:
    """Scores of several seeds, as per cent."""
    return ", ".join(f"{100 * score:.1f}" for score in scores) or "–"


if __name__ == "__main__":
    main()
