"""One run on pairs, suites and hostile sentences, scored by the embedded models; its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from priscian.reporting import Page, build_page
from priscian.runs import load_runs, score

HOSTILE = [
    ("The <script>document.title = 'owned'</script> runs.", "The <script>x</script> run."),
    ("The café’s 🦆 was “fine” & well.", "The café’s 🦆 were “fine” & well."),
    ('A "quoted" word </script> ends.', 'A "quoted" word </script> end.'),
]


@contextmanager
def cache_of(home: Path) -> Iterator[None]:
    """The score store that the run and its page share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(home / "cache"))
        yield


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the run, its cache and its page."""
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="session")
def run(home: Path) -> Path:
    """Two models on generated pairs, our suites and sentences that try to be HTML."""
    rows = [json.dumps({"good": good, "bad": bad, "set": "hostile"}) for good, bad in HOSTILE]
    (home / "odd.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    data = ["generated:3,3", "sg", f"pairs:{home / 'odd.jsonl'}"]
    with cache_of(home):
        score(["builtin:ngram", "builtin:lstm"], data, out=home / "run", limit=3)
    return home / "run"


@pytest.fixture(scope="session")
def page(run: Path) -> Page:
    """The page about it."""
    with cache_of(run.parent):
        return build_page(load_runs([run]), command="priscian report run")


@pytest.fixture(scope="session")
def file(page: Page, home: Path) -> Path:
    """The page on disk."""
    path = home / "report.html"
    path.write_text(page.html, "utf-8")
    return path
