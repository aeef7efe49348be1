"""The report on 3 models × 67,000 pairs: seconds, memory, bytes, and time until it responds.

    python benchmarks/report_speed.py [--pairs FOLDER] [--models 3] [--each 1000] [--keep FOLDER]
    python benchmarks/report_speed.py --models 30 --each 100      30 checkpoints × 6,700 pairs

The pairs are generated (or read from FOLDER) and the models are invented: a word's surprisal
depends on the word before it, as in a causal model. Scoring is not measured. Time in the browser
is given twice: as it passes, and as the page's own work, which other processes do not disturb.
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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


@dataclass(frozen=True, slots=True)
class Bars:
    """What a page may cost."""

    seconds: float = 20.0
    memory: float = 1024.0
    megabytes: float = 8.0
    interactive: float = 2.0
    items: float = 4.0
    screens: float = 40.0


FEW, MANY = Bars(), Bars(seconds=60.0, megabytes=12.0, interactive=1.0, items=2.0, screens=15.0)
MANY_MODELS = 8

REPORT = "from priscian.cli import main; main()"


def main() -> int:
    """Build the runs, then the page in a process of its own, then open it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--models", type=int, default=3)
    parser.add_argument("--each", type=int, default=1000, help="pairs of each paradigm")
    parser.add_argument("--keep", type=Path, help="folder for run and page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["PRISCIAN_CACHE"] = str(folder / "cache")
        if not (folder / "run" / "run.json").is_file():
            make_run(folder, options.pairs, options.models, options.each)
        bars = MANY if options.models > MANY_MODELS else FEW
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
            tell("build", seconds, bars.seconds, "s"),
            tell("peak memory", peak, bars.memory, "MB"),
            tell("page", size, bars.megabytes, "MB"),
            *use(page, bars),
        ]
    return 0 if all(passed) else 1


def tell(what: str, value: float, bar: float, unit: str) -> bool:
    """Print a measurement and its bar."""
    verdict = "PASS" if value < bar else "FAIL"
    print(f"{verdict}  {what}: {value:.2f} {unit} (bar {bar:g})", flush=True)
    return value < bar


def use(page: Path, bars: Bars) -> list[bool]:
    """Open the page as a reader does: until it answers, a cell's pairs, a search over all."""
    from tests.browser import REMEDY, launched, open_report, wait_for

    shown = "document.querySelectorAll('#list .item').length > 0"
    with launched() as browser:
        if browser is None:
            print(f"SKIP  no Chromium: {REMEDY}")
            return []
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.set_default_timeout(240_000)
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        open_report(tab, page)
        ready_work = work(session)
        ready = mark(tab, "ready")
        wait_for(tab, shown)
        items, items_work = mark(tab, "items"), work(session)
        wait_for(tab, "!document.querySelector('figure[data-figure]:not([data-drawn])')")
        drawn_work = work(session)
        screens = tab.evaluate("document.documentElement.scrollHeight / innerHeight")
        clicked = timed(
            tab, "document.querySelectorAll('table.heat td[data-class]')[5].click()", shown
        )
        searched = timed(
            tab,
            "(() => { const q = document.querySelector('[name=query]'); q.value = 'zyzzyva';"
            "document.querySelector('[name=class]').value = '';"
            "q.dispatchEvent(new Event('input', {bubbles: true})); })()",
            "document.getElementById('count').textContent.startsWith('0 of')",
        )
    print(f"      a cell's pairs: {clicked:.2f} s; first search of all pairs: {searched:.2f} s")
    print(f"      the page's own work: {ready_work:.2f} s until it answers, {items_work:.2f} s "
          f"until items, {drawn_work:.2f} s until every chart is drawn")  # fmt: skip
    return [
        tell("interactive after", ready, bars.interactive, "s"),
        tell("items after", items, bars.items, "s"),
        tell("height", screens, bars.screens, "screens"),
    ]


def mark(tab, name: str) -> float:  # type: ignore[no-untyped-def]
    """When the page reached a stage, in seconds."""
    return float(tab.evaluate(f"performance.getEntriesByName('{name}')[0].startTime")) / 1000


def work(session) -> float:  # type: ignore[no-untyped-def]
    """Seconds that the page's main thread has worked, whatever else the machine does."""
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(m["value"] for m in found if m["name"] == "TaskDuration"))


def timed(tab, action: str, done: str) -> float:  # type: ignore[no-untyped-def]
    """Seconds from an action to its effect."""
    from tests.browser import wait_for

    began = time.perf_counter()
    tab.evaluate(action)
    wait_for(tab, done)
    return time.perf_counter() - began


def make_run(folder: Path, pairs: Path | None, models: int, each: int) -> None:
    """A run folder and a score store of invented models."""
    from priscian import generate
    from priscian.models import register
    from priscian.runs import score

    if pairs is None:
        pairs = folder / "pairs"
        generate("blimp", seed=5, n=each, out=pairs)
    register("made", MadeProvider())
    names = (
        [f"model-{letter}" for letter in "abcdefgh"[:models]]
        if models <= MANY_MODELS
        else [f"tiny@step{1000 * k}" for k in range(1, models + 1)]
    )
    score([f"made:{n}?name={n}" for n in names], f"blimp:{pairs}", out=folder / "run")
    print(f"      made up {models} models: {names[0]} … {names[-1]}", flush=True)


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
