"""The report on 3 models × 67,000 pairs: seconds, memory, bytes, and time until it responds.

    python benchmarks/report_speed.py [--pairs FOLDER] [--models 3] [--keep FOLDER]

The pairs are generated (or read from FOLDER) and the models are invented: a word's surprisal
depends on the word before it, as in a causal model. Scoring is not measured.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SECONDS, MEGABYTES_OF_MEMORY, MEGABYTES, SECONDS_TO_USE = 20.0, 1024.0, 8.0, 2.0

REPORT = "from priscian.cli import main; main()"


def main() -> int:
    """Build the runs, then the page in a process of its own, then open it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--models", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="folder for run and page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["PRISCIAN_CACHE"] = str(folder / "cache")
        if not (folder / "run" / "run.json").is_file():
            make_run(folder, options.pairs, options.models)
        page = folder / "report.html"
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", REPORT, "report", str(folder / "run"), "--out", str(page)],
            check=True,
        )
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        size = page.stat().st_size / 1e6
        passed = [
            tell("build", seconds, SECONDS, "s"),
            tell("peak memory", peak, MEGABYTES_OF_MEMORY, "MB"),
            tell("page", size, MEGABYTES, "MB"),
            *use(page),
        ]
    return 0 if all(passed) else 1


def tell(what: str, value: float, bar: float, unit: str) -> bool:
    """Print a measurement and its bar."""
    verdict = "PASS" if value < bar else "FAIL"
    print(f"{verdict}  {what}: {value:.2f} {unit} (bar {bar:g})", flush=True)
    return value < bar


def use(page: Path) -> list[bool]:
    """Open the page as a reader does: until it answers, a cell's pairs, a search over all."""
    from tests.browser import REMEDY, launched, open_report, wait_for

    shown = "document.querySelectorAll('#list .item').length > 0"
    with launched() as browser:
        if browser is None:
            print(f"SKIP  no Chromium: {REMEDY}")
            return []
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.set_default_timeout(240_000)
        open_report(tab, page)
        ready = tab.evaluate("performance.getEntriesByName('ready')[0].startTime") / 1000
        began = time.perf_counter()
        tab.evaluate("document.querySelectorAll('table.heat td[data-class]')[5].click()")
        wait_for(tab, shown)
        click = time.perf_counter() - began
        began = time.perf_counter()
        tab.evaluate(
            "(() => { const q = document.querySelector('[name=query]'); q.value = 'zyzzyva';"
            "document.querySelector('[name=class]').value = '';"
            "q.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        wait_for(tab, "document.getElementById('count').textContent.startsWith('0 of')")
        search = time.perf_counter() - began
    print(f"      a cell's pairs: {click:.2f} s; first search of all pairs: {search:.2f} s")
    return [tell("interactive after", ready, SECONDS_TO_USE, "s")]


def make_run(folder: Path, pairs: Path | None, models: int) -> None:
    """A run folder and a score store of invented models."""
    from priscian import generate
    from priscian.models import register
    from priscian.runs import score

    if pairs is None:
        pairs = folder / "pairs"
        generate("blimp", seed=5, n=1000, out=pairs)
    register("made", MadeProvider())
    names = [f"model-{letter}" for letter in "abcdefgh"[:models]]
    score([f"made:{n}?name={n}" for n in names], f"blimp:{pairs}", out=folder / "run")
    print(f"      made up {', '.join(names)}", flush=True)


class MadeProvider:
    """Invented models, which consist of a name."""

    def key(self, spec):  # type: ignore[no-untyped-def]
        from priscian.models import ModelKey

        return ModelKey({"provider": "made", "name": spec.id})

    def load(self, spec):  # type: ignore[no-untyped-def]
        return Made(spec.id)

    def revisions(self, spec, pattern):  # type: ignore[no-untyped-def]
        return []


class Made:
    """Invented token scores: the same beginning always gets the same scores."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: dict[tuple[str, str], tuple[list[int], list[float]]] = {}

    def score(self, texts):  # type: ignore[no-untyped-def]
        return [self.one(text) for text in texts]

    def one(self, text):  # type: ignore[no-untyped-def]
        from priscian.records import TokenScores

        starts, ends, logps, at, before = [], [], [], 0, ""
        for word in text.text.split(" "):
            cuts, bits = self._word(before, word)
            starts += [at + cut for cut in cuts]
            ends += [at + cut for cut in (*cuts[1:], len(word))]
            logps += [-b * math.log(2) for b in bits]
            at += len(word) + 1
            before = word
        return TokenScores(tuple(starts), tuple(ends), tuple(logps))

    def _word(self, before: str, word: str) -> tuple[list[int], list[float]]:
        """Subwords of a word and their surprisals: about 10 bits, more for rarer words."""
        if (before, word) not in self.known:
            stem = len(word) - (1 if word[-1:] in ".?" else 0)
            pieces = [0, *([4] if stem > 9 else []), *([stem] if stem < len(word) and stem else [])]
            digest = hashlib.blake2b(f"{self.name} {before} {word}".encode()).digest()
            base = min(len(word), 9)
            bits = [0.05 + base * (digest[2 * k] + digest[2 * k + 1] / 256) / 128
                    for k in range(len(pieces))]  # fmt: skip
            self.known[before, word] = pieces, bits
        return self.known[before, word]


if __name__ == "__main__":
    raise SystemExit(main())
