"""One run on pairs, suites and hostile sentences, scored by the embedded models; its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from priscian.datasets.li_adger import PAIRS, RATINGS, SENTENCES
from priscian.reporting import Page, build_page, report
from priscian.runs import load_runs, score
from tests.small_results import pairs_result, write_run

HOSTILE = [
    ("The <script>document.title = 'owned'</script> runs.", "The <script>x</script> run."),
    ("The café’s 🦆 was “fine” & well.", "The café’s 🦆 were “fine” & well."),
    ('A "quoted" word </script> ends.', 'A "quoted" word </script> end.'),
]


COUNT = 30
SETS = ("wh_island", "adjunct_island", "passive_1", "causative")
SUBJECTS = ("The owl", "A neighbor", "My sister", "The gardener", "That boy", "Your aunt")
RATED = {  # the acceptable ending, the other one, and how far apart people are
    "agreement": ("sleeps here.", "sleep here.", 1.6),
    "order": ("has seen us.", "seen us has.", 1.9),
    "objects": ("devoured the soup.", "devoured.", 0.7),
    "gaps": ("left because it rained.", "left because rained.", 1.2),
}


@contextmanager
def cache_of(home: Path) -> Iterator[None]:
    """The score store that the run and its page share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(home / "cache"))
        yield


@contextmanager
def few_items(n: int) -> Iterator[None]:
    """Our suites, `sg`, with so many items each: a hundred take long to generate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priscian.datasets.generation.ITEMS", n)
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
    with cache_of(home), few_items(3):
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


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, Path]:
    """Thirty checkpoints: the k-th has k of 30 items right in each set."""
    home = tmp_path_factory.mktemp("many")
    results = [
        pairs_result(
            f"lab/tiny@step{100 * k}", {name: [1] * k + [0] * (COUNT - k) for name in SETS}
        )
        for k in range(1, COUNT + 1)
    ]
    write_run(home / "run", *results)
    return report(home / "run", home / "many.html"), home / "many.html"


@pytest.fixture(scope="session")
def adc_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page about 24 rated pairs in the form of the LI-Adger release, by the embedded models."""
    home = tmp_path_factory.mktemp("adc")
    folder = home / "release"
    folder.mkdir()
    sentences, ratings, pairs = ["dataset,id,sentence"], ["id,judgement"], []
    for kind, (good, bad, apart) in RATED.items():
        for number, subject in enumerate(SUBJECTS, 1):
            ids = [f"{kind}.1.g.{number:02}", f"{kind}.2.*.{number:02}"]
            half = (apart + 0.1 * number) / 2
            for name, text, rating in zip(ids, (good, bad), (half, -half), strict=True):
                sentences.append(f"LI,{name},{subject} {text}")
                ratings.append(f"{name},{rating:.2f}")
            pairs.append(f"LI,,{ids[0]},{ids[1]}")
    for file, rows in (
        (SENTENCES, sentences),
        (RATINGS, ratings),
        (PAIRS, ["dataset,discard,gramm_id,ungramm_id", *pairs]),
    ):
        (folder / file).write_text("\n".join(rows) + "\n", "utf-8")
    with cache_of(home):
        score(["builtin:ngram", "builtin:lstm"], f"li-adger:{folder}", out=home / "run")
        report(home / "run", home / "adc.html")
    return home / "adc.html"
