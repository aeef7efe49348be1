"""What the report says about files: their names, and never where they are on somebody's disk."""

from __future__ import annotations

import base64
import gzip
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from priscian import ReportOptions, report, report_tables, score
from priscian.errors import PriscianWarning
from priscian.reporting import Page
from tests.analysis.sg.test_suite_view import TABLE
from tests.small_suites import choice, garden, save

HOME = "home-of-jane"
PAIRS = [("The nurse has gone.", "The nurse have gone."), ("Some geese fly.", "Some geese flies.")]
BLOB = re.compile(r'<script type="text/plain" id="blob-([^"]*)">([^<]*)</script>')


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose place nobody else should learn."""
    return tmp_path_factory.mktemp(HOME)


@pytest.fixture(scope="module")
def run(home: Path, causal: Callable[..., Path]) -> Path:
    """Data sets, a broken one too, a model folder and a table, all given by absolute paths."""
    rows = [json.dumps({"good": good, "bad": bad, "set": "x"}) for good, bad in PAIRS]
    (home / "own.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    broken = garden("broken")
    del broken["items"][1]["conditions"][2]
    save(home / "suites", choice(), garden(), broken)
    model = home / "my-model"
    model.symlink_to(causal("gpt2"))
    (home / "bits.tsv").write_text(TABLE, "utf-8")
    data = [f"sg:{home / 'suites'}"]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", PriscianWarning)  # the model is random
        patch.setenv("PRISCIAN_CACHE", str(home / "cache"))
        score([str(model), f"surprisals:{home / 'bits.tsv'}"], data, out=home / "one")
        score(str(model), f"pairs:{home / 'own.jsonl'}", out=home / "two")
    return home


def whole(page: Page) -> str:
    """The page with everything that is packed in it."""
    parts = [gzip.decompress(base64.b64decode(text)) for _, text in BLOB.findall(page.html)]
    return page.html + "".join(part.decode("utf-8", "replace") for part in parts)


def test_the_page_names_files_and_not_their_places(run: Path) -> None:
    command = f"priscian report {run / 'one'} {run / 'two'} --out {run / 'page.html'}"
    page = report([run / "one", run / "two"], options=ReportOptions(command=command))
    text = whole(page)
    assert HOME not in text
    assert str(run.parent) not in text
    assert "<dd>()</dd>" not in page.html  # an option that was not given is not shown
    for name in ("own.jsonl", "bits.tsv", "my-model", "broken.json", "page.html"):
        assert name in text


@pytest.mark.parametrize("form", ["md", "tex"])
def test_tables_do_not_either(run: Path, form: str) -> None:
    text = report_tables([run / "one", run / "two"], form)  # type: ignore[arg-type]
    assert HOME not in text
    assert "my-model" in text


def test_summaries_do_not_either(run: Path) -> None:
    summaries = [*run.glob("one/*/*/summary.json"), *run.glob("two/*/*/summary.json")]
    assert len(summaries) == 3
    assert [path for path in summaries if HOME in path.read_text("utf-8")] == []
    failed = [json.loads(path.read_text("utf-8")).get("failed") for path in summaries]
    assert any("garden.json: item 1" in line for lines in failed if lines for line in lines)
