"""Suites corrected for leading spaces: what is recorded, what changes, what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
from tests.run_folders import regions_of
from tests.small_suites import choice, garden, save

from priscian.errors import ModelError, RunError, UsageError
from priscian.records import Text
from priscian.runs import SuiteOptions, SuitesSummary, score
from priscian.scoring import ScoreStore, score_texts
from priscian.scoring.store.rows import CHANNELS

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing", "ignore:.*was not finished")
CORRECTED = SuiteOptions(boundary="corrected")


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    return save(tmp_path / "small", garden(), choice())


@pytest.fixture
def model(causal: Callable[..., Path]) -> str:
    return f"hf:{causal('gpt2')}?name=tiny"


def regions(model: str, suites: Path, options: SuiteOptions) -> dict[str, dict[str, float]]:
    found = score(model, f"sg:{suites}", suites=options, store=ScoreStore()).results[0]
    return regions_of(found, "garden/1")


@pytest.mark.parametrize("eos", ["exclude", "last-region"])
def test_masses_move_from_each_region_to_the_one_before(model: str, suites: Path, eos: str) -> None:
    plain = regions(model, suites, SuiteOptions(eos=eos))
    got = regions(model, suites, SuiteOptions(eos=eos, boundary="corrected"))
    for condition, bits in plain.items():
        comma = condition in {"comma", "both"}
        verb = "painted" if condition in {"plain", "comma"} else "slept"
        start = f"While she {verb}{',' if comma else ''}"
        text = Text(start + " the goose forgot us.")
        scores = score_texts(model, [text], ScoreStore(), boundary=[text]).scores[text]
        masses = [-mass / math.log(2) for mass in scores.channels["boundary"]]
        at, end = dict(zip(scores.starts, masses, strict=False)), masses[-1]
        places = [0, 9, len(start), len(start) + 10, len(start) + 17]
        first, verb_at, noun, main, last = (at[place] for place in places)
        wanted = {
            "1": bits["1"] - first + verb_at,
            "2": bits["2"] - verb_at + (0 if comma else noun),
            "3": bits["3"] + (noun if comma else 0),  # an attached comma ends the word it is on
            "4": bits["4"] - noun + main,
            "5": bits["5"] - main + last,
            "6": bits["6"] - last + (end if eos == "exclude" else 0),
        }
        assert got[condition] == pytest.approx(wanted, abs=1e-3)


def test_it_is_recorded_and_resumed(model: str, suites: Path, tmp_path: Path) -> None:
    calls = []

    def stop(name: str, done: int, total: int) -> None:
        calls.append(done)
        if done:
            raise KeyboardInterrupt

    store = ScoreStore()
    with pytest.raises(KeyboardInterrupt):
        score(
            model, f"sg:{suites}", out=tmp_path / "run", suites=CORRECTED, store=store, watch=stop
        )
    with pytest.raises(RunError, match=r"other settings \(sg\)"):
        score(model, f"sg:{suites}", out=tmp_path / "run", resume=True, store=store)
    score(model, f"sg:{suites}", out=tmp_path / "run", resume=True, suites=CORRECTED, store=store)
    score(model, f"sg:{suites}", out=tmp_path / "calm", suites=CORRECTED, store=ScoreStore())
    for run in ("run", "calm"):
        facts = json.loads((tmp_path / run / "run.json").read_text())
        assert facts["request"]["sg"]["boundary"] == "corrected"
        summary = json.loads(next((tmp_path / run).glob("*/*/summary.json")).read_text())
        assert summary["boundary"] == "corrected"
    tables = [
        polars.read_parquet(next((tmp_path / run).glob("*/*/regions.parquet")))
        for run in ("run", "calm")
    ]
    assert tables[0].equals(tables[1])


def test_only_the_texts_of_suites_have_the_channel(model: str, suites: Path, pairs: Path) -> None:
    store = ScoreStore()
    score(model, [f"pairs:{pairs}", f"sg:{suites}"], suites=CORRECTED, store=store)
    ((key, *_),) = [(m.key, m.texts) for m in store.models()]
    rows = store._db.execute("SELECT channel, COUNT(*) FROM scores GROUP BY channel").fetchall()
    counts = {CHANNELS[channel]: count for channel, count in rows}
    assert key
    assert counts["logp"] - counts["boundary"] == 4  # the sides of two pairs


def test_it_is_off_by_default(model: str, suites: Path) -> None:
    store = ScoreStore()
    result = score(model, f"sg:{suites}", store=store).results[0]
    assert result.expect(SuitesSummary).boundary == "plain"
    channels = store._db.execute("SELECT DISTINCT channel FROM scores").fetchall()
    assert channels == [(CHANNELS.index("logp"),)]


class TestRefusals:
    @pytest.mark.parametrize("name", ["builtin:ngram", "builtin:lstm"])
    def test_models_of_words_are_refused_before_a_folder_is_made(
        self, name: str, suites: Path, tmp_path: Path
    ) -> None:
        with pytest.raises(ModelError, match=rf"{name} has no tokens with leading spaces"):
            score(name, f"sg:{suites}", out=tmp_path / "run", suites=CORRECTED)
        assert not (tmp_path / "run").exists()

    def test_pairs_alone_are_refused(self, model: str, pairs: Path) -> None:
        with pytest.raises(UsageError, match=r"`boundary=corrected` is for regions of suites"):
            score(model, f"pairs:{pairs}", suites=CORRECTED)
