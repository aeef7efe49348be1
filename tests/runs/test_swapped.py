"""Files that are replaced while they are read: no page, row or run mixes two versions."""

from __future__ import annotations

import json
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import polars
import pytest
from tests.swapped_files import MOMENTS, MOMENTS_SEED

import priscian
from priscian.errors import ChangedError, PriscianError
from priscian.files import read_text, unchanged
from priscian.reporting.make_report import report
from priscian.runs import load_run
from priscian.runs.load import WAITS

T = TypeVar("T")
MODEL = "builtin:ngram"
CALM = "changed|mixed|not the file|not the one|cannot be read|was not finished|is not a run folder"
"""What a refusal may say."""


@dataclass(slots=True)
class Moment:
    """Does something once, before the file number `at` below a folder is opened."""

    folder: Path
    act: Callable[[], None]
    at: int
    seen: int = 0
    busy: bool = False


_WATCHED: list[Moment] = []


def _opened(event: str, arguments: tuple[Any, ...]) -> None:
    """Hears of every file that Python opens; SQLite tells of its own."""
    if not _WATCHED or event not in ("open", "sqlite3.connect"):
        return
    moment = _WATCHED[-1]
    path = str(arguments[0]).removeprefix("file://")
    if moment.busy or not path.startswith(f"{moment.folder}/"):
        return
    moment.seen += 1
    if moment.seen == moment.at + 1:
        moment.busy = True
        moment.act()


sys.addaudithook(_opened)


@contextmanager
def before_file(folder: Path, at: int, act: Callable[[], None]) -> Iterator[Moment]:
    moment = Moment(folder, act, at)
    _WATCHED.append(moment)
    try:
        yield moment
    finally:
        _WATCHED.remove(moment)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits before reading again."""
    monkeypatch.setattr("priscian.runs.load.WAITS", tuple(0.0 for _ in WAITS))


def made_or_refused(make: Callable[[], T]) -> T | None:
    """What is made, or nothing if it was refused in one line."""
    try:
        return make()
    except PriscianError as error:
        refusal = str(error)
    assert "\n" not in refusal
    return None


def rows(word: str, right: int) -> str:
    """Ten pairs with that word; the model is right on as many as it is given numbers for."""
    pairs = [(f"The {word} sleeps here {n}.", f"The {word} sleep here {n}.") for n in range(10)]
    pairs[right:] = [(bad, good) for good, bad in pairs[right:]]
    return "good,bad\n" + "".join(f"{good},{bad}\n" for good, bad in pairs)


@dataclass(frozen=True, slots=True)
class Two:
    """A place where a folder is, and two versions of it."""

    there: Path
    versions: tuple[Path, Path]
    pages: dict[str, str] = field(default_factory=dict)

    def put(self, number: int) -> None:
        """That version, whatever was there."""
        shutil.rmtree(self.there, ignore_errors=True)
        shutil.copytree(self.versions[number], self.there)

    def swap(self) -> None:
        """The second version in the place of the first, by two renames."""
        fresh = self.there.with_name("fresh")
        shutil.copytree(self.versions[1], fresh)
        self.there.rename(self.there.with_name(f"old-{time.monotonic_ns()}"))
        fresh.rename(self.there)

    def swap_file(self, name: str) -> None:
        """One file of the second version in the place of that of the first."""
        fresh = self.there.with_name("fresh.file")
        shutil.copy(self.versions[1] / name, fresh)
        fresh.replace(self.there / name)


def two_runs(folder: Path, hashes: bool = True) -> Two:
    """Two runs of one model on other pairs under one name."""
    made = []
    for number, word in enumerate(("dog", "cat")):
        data = folder / str(number) / "pairs.csv"
        data.parent.mkdir(parents=True)
        data.write_text(rows(word, 3 + 4 * number))
        out = folder / f"run-{number}"
        priscian.score(MODEL, f"pairs:{data}", out=out)
        if not hashes:  # as an older version left them
            info = json.loads((out / "run.json").read_text())
            for model in info["models"].values():
                del model["files"]
            (out / "run.json").write_text(json.dumps(info))
        made.append(out)
    return Two(folder / "place" / "run", (made[0], made[1]))


def pages(two: Two) -> list[str]:
    """What the reports of both versions are, from the same place."""
    two.there.parent.mkdir()
    found = []
    for number in (0, 1):
        two.put(number)
        found.append(report(two.there).html)
    assert found[0] != found[1]
    return found


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("hashes", [True, False], ids=["with hashes", "of an older version"])
def test_a_report_never_mixes_two_versions_wherever_the_run_is_replaced(
    tmp_path: Path, hashes: bool
) -> None:
    two = two_runs(tmp_path, hashes)
    whole = pages(two)
    outcomes, at = set(), 0
    while True:
        two.put(0)
        with before_file(two.there, at, two.swap) as moment:
            made = made_or_refused(lambda: report(two.there).html)
        outcomes.add(-1 if made is None else whole.index(made))
        if moment.seen <= at:
            break
        at += 1
    assert at >= 5
    assert outcomes == ({-1, 0, 1} if hashes else {-1, 0})


@pytest.mark.parametrize("hashes", [True, False], ids=["with hashes", "of an older version"])
def test_a_report_never_has_a_file_of_another_run(tmp_path: Path, hashes: bool) -> None:
    two = two_runs(tmp_path, hashes)
    whole = pages(two)
    names = [name for name in files(two.versions[0]) if name != "run.json"]
    assert any(name.endswith("items.parquet") for name in names)
    for name in names:
        for at in range(8):
            two.put(0)
            with before_file(two.there, at, partial(two.swap_file, name)) as moment:
                made = made_or_refused(lambda: report(two.there).html)
            assert made in (None, whole[0])
            if moment.seen <= at:
                break
        two.put(0)
        two.swap_file(name)
        if hashes:  # it stays there, and is never read
            with pytest.raises(PriscianError, match=CALM):
                report(two.there)


def test_a_table_that_changes_between_two_uses_is_refused(tmp_path: Path) -> None:
    two = two_runs(tmp_path, hashes=False)
    two.there.parent.mkdir()
    two.put(0)
    result = load_run(two.there).results[0]
    before = result.frame()
    assert result.frame().equals(before)
    two.swap_file(f"{result.about.folder}/{result.facts.folder}/items.parquet")
    with pytest.raises(PriscianError, match="is not the file that belongs to this result"):
        result.frame()


def test_a_run_that_is_being_resumed_is_read_when_its_result_is_whole_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = two_runs(tmp_path)
    two.there.parent.mkdir()
    two.put(0)
    name = next(n for n in files(two.there) if n.endswith("summary.json"))
    monkeypatch.setattr("priscian.runs.load.WAITS", (0.0, 0.0))
    tries = []

    def wait(seconds: float) -> None:
        tries.append(seconds)
        shutil.copy(two.versions[0] / name, two.there / name)

    two.swap_file(name)
    monkeypatch.setattr("priscian.runs.load.time.sleep", wait)
    assert load_run(two.there).finished
    assert len(tries) == 1


def test_data_that_change_while_they_are_read_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.jsonl").write_text(
            json.dumps(
                {"sentence_good": f"{name} is.", "sentence_bad": f"{name} are.", "UID": name}
            )
        )
    other = (folder / "a.jsonl").read_text().replace("is.", "was.")

    def change() -> None:
        (folder / "a.jsonl").write_text(other)

    for at in range(3):
        (folder / "a.jsonl").write_text(other.replace("was.", "is."))
        with (
            before_file(folder, at, change),
            pytest.raises(
                ChangedError, match=r"a\.jsonl changed while it was read; run again when"
            ),
        ):
            priscian.datasets.read_dataset(f"blimp:{folder}")
    assert (
        priscian.datasets.read_dataset(f"blimp:{folder}").sets[0].items[0]["good"].text == "a was."
    )


def test_files_that_stay_the_same_may_be_read_in_a_block(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("one")
    with unchanged(), unchanged():
        assert read_text(tmp_path / "x") == "one"


def test_a_file_that_changes_in_a_block_is_named_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("one")

    def change() -> None:
        with unchanged():
            read_text(tmp_path / "x")
            (tmp_path / "x").write_text("two")

    with pytest.raises(ChangedError, match="x changed while it was read; run again when nothing"):
        change()


# ---------------------------------------------------------------- merge


def two_merges(folder: Path) -> Two:
    """Shards of one request, computed by one model with other weights under the same key."""
    folder.mkdir(exist_ok=True)
    (folder / "pairs.csv").write_text(rows("dog", 5))
    made = []
    for number in (0, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("priscian.runs.work.score_texts", _louder(float(number)), raising=True)
            for part in (1, 2):
                out = folder / f"run-{number}"
                priscian.score(MODEL, f"pairs:{folder / 'pairs.csv'}", out=out, shard=(part, 2))
        made.append(out)
    (folder / "place").mkdir()
    return Two(folder / "place" / "run", (made[0], made[1]))


def _louder(extra: float) -> Callable[..., Any]:
    """`score_texts` whose stored log-probabilities are lower by `extra`."""
    from priscian.runs import work
    from priscian.scoring import ScoreStore

    plain, write = work.score_texts, ScoreStore.write

    def score_texts(*given: Any, **named: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:

            def lower(
                self: ScoreStore, key: Any, label: str, found: Any, channel: str = "logp"
            ) -> None:
                changed = [
                    (text, type(s)(s.starts, s.ends, tuple(p - extra for p in s.logps)))
                    for text, s in found
                ]
                write(self, key, label, changed, channel)

            patch.setattr(ScoreStore, "write", lower)
            return plain(*given, **named)

    return score_texts


def merged(two: Two, store: Path) -> polars.DataFrame:
    from priscian.scoring import ScoreStore

    with ScoreStore(store) as kept:
        return priscian.merge(two.there, store=kept).results[0].frame()


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Two, list[polars.DataFrame]]:
    two = two_merges(tmp_path)
    found = []
    for number in (0, 1):
        two.put(number)
        found.append(merged(two, tmp_path / f"whole-{number}.sqlite"))
    assert not found[0].equals(found[1])
    return two, found


def test_a_merge_never_mixes_two_versions_wherever_shards_are_replaced(
    versions: tuple[Two, list[polars.DataFrame]], tmp_path: Path
) -> None:
    two, whole = versions
    names = files(two.versions[0] / "shards")
    swaps: list[Callable[[], None]] = [two.swap]
    swaps += [partial(two.swap_file, f"shards/{name}") for name in names if name[0] != "."]
    for number, swap in enumerate(swaps):
        outcomes, at = set(), 0
        while True:
            two.put(0)
            with before_file(two.there / "shards", at, swap) as moment:
                found = made_or_refused(
                    lambda: merged(two, tmp_path / f"{number}-{at}.sqlite")  # noqa: B023
                )
            outcomes.add(-1 if found is None else [f.equals(found) for f in whole].index(True))
            if moment.seen <= at:
                break
            at += 1
        assert at >= 5
        assert outcomes == {-1, 0}


# ---------------------------------------------------------------- random moments


@contextmanager
def meanwhile(act: Callable[[], None], longest: float, seed: int) -> Iterator[None]:
    """The act happens in another thread, at a random moment."""
    wait = random.Random(f"{MOMENTS_SEED} moment {seed}").uniform(0, longest)

    def later() -> None:
        time.sleep(wait)
        act()

    thread = threading.Thread(target=later)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@pytest.mark.slow
def test_of_reports_with_a_swap_at_200_random_moments_none_is_mixed(tmp_path: Path) -> None:
    two = two_runs(tmp_path)
    whole = pages(two)
    began = time.monotonic()
    report(two.there)
    longest = 1.2 * (time.monotonic() - began)
    names = files(two.versions[0])
    for seed in range(MOMENTS):
        two.put(0)
        draw = random.Random(f"{MOMENTS_SEED} swap {seed}")
        swap = draw.choice([two.swap, partial(two.swap_file, draw.choice(names))])
        with meanwhile(swap, longest, seed):
            made = made_or_refused(lambda: report(two.there).html)
        assert made is None or made in whole


@pytest.mark.slow
def test_of_merges_with_a_swap_at_200_random_moments_none_is_mixed(
    versions: tuple[Two, list[polars.DataFrame]], tmp_path: Path
) -> None:
    two, whole = versions
    names = [name for name in files(two.versions[0] / "shards") if name[0] != "."]
    two.put(0)
    began = time.monotonic()
    merged(two, tmp_path / "s.sqlite")
    longest = 1.2 * (time.monotonic() - began)
    for seed in range(MOMENTS):
        two.put(0)
        draw = random.Random(f"{MOMENTS_SEED} swap {seed}")
        one = draw.choice(names)
        swap = draw.choice([two.swap, partial(two.swap_file, f"shards/{one}")])
        with meanwhile(swap, longest, seed):
            found = made_or_refused(lambda: merged(two, tmp_path / f"{seed}.sqlite"))  # noqa: B023
        assert found is None or any(f.equals(found) for f in whole)
