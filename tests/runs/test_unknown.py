"""Unknown words of n-gram models: counted in every run, uneven pairs flagged."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
from tests.run_folders import regions_of
from tests.runs.test_endings import ARPA
from tests.small_suites import choice, save

from priscian.models import model_key, parse_model
from priscian.records import Text
from priscian.runs import PairsSummary, SuiteOptions, SuitesSummary, score
from priscian.scoring import ScoreStore, score_texts

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing")
PAIRS = """good,bad
The nurse has forgotten,The nurse has forgot
The goose has forgotten,The goose have forgotten
The nurse has,nurse has The
The goose has,The gander has
"""


@pytest.fixture
def ngram(tmp_path: Path) -> str:
    (tmp_path / "t.arpa").write_text(ARPA)
    return f"ngram:{tmp_path / 't.arpa'}"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "odd.csv"
    path.write_text(PAIRS)
    return path


def test_a_run_counts_them_by_side_and_paradigm(ngram: str, table: Path, tmp_path: Path) -> None:
    score(ngram, f"pairs:{table}", out=tmp_path / "run")
    items = polars.read_parquet(next((tmp_path / "run").glob("*/*/items.parquet")))
    assert items["oov_good"].to_list() == [0, 1, 0, 1]
    assert items["oov_bad"].to_list() == [1, 2, 0, 1]
    found = json.loads(next((tmp_path / "run").glob("*/*/summary.json")).read_text())
    told = found["unknown_words"]
    assert (told["n"], told["with_unknown"], told["differ"]) == (4, 3, 2)
    (paradigm,) = told["paradigms"].values()
    assert paradigm == {"n": 4, "with_unknown": 3, "differ": 2}
    even = items.filter(polars.col("oov_good") == polars.col("oov_bad"))
    assert told["without"] == {"full": even["correct"].mean()}


def test_a_run_from_the_store_counts_them_too(ngram: str, table: Path) -> None:
    store = ScoreStore()
    first, second = (score(ngram, f"pairs:{table}", store=store).results[0] for _ in range(2))
    assert first.summary == second.summary
    told = second.expect(PairsSummary).unknown_words
    assert told is not None
    assert told.differ == 2


def test_the_embedded_ngram_counts_and_other_models_do_not(
    table: Path, causal: Callable[..., Path]
) -> None:
    run = score(["builtin:ngram", "builtin:lstm", f"hf:{causal('gpt2')}"], f"pairs:{table}")
    told = [r.expect(PairsSummary).unknown_words is not None for r in run.results]
    assert told == [True, False, False]
    counts = [r.frame()["oov_bad"].null_count() for r in run.results]
    assert counts == [0, 4, 4]


def test_items_of_suites_are_counted_too(ngram: str, tmp_path: Path) -> None:
    # The nurse has forgotten / have; Some geese have gone / has: only "has" is known of the second
    summary = score(ngram, f"sg:{save(tmp_path / 's', choice())}").results[0].expect(SuitesSummary)
    told = summary.unknown_words
    assert told is not None
    assert (told.n, told.with_unknown, told.differ) == (2, 2, 2)
    assert told.paradigms["choice"].differ == 2
    assert told.without == {}  # no item is left
    known = score("builtin:lstm", f"sg:{tmp_path / 's'}").results[0].expect(SuitesSummary)
    assert known.unknown_words is None


class TestTheEndOfASentence:
    """`</s>` is never part of a score that was asked for without it, nor missing from one with."""

    def test_the_channel_has_a_key_of_its_own_and_the_same_words(self, ngram: str) -> None:
        with_end = parse_model(f"{ngram}?eos=yes")
        assert model_key(with_end) != model_key(ngram)
        store, text = ScoreStore(), Text("The nurse has forgotten")
        both = [score_texts(m, [text], store) for m in (with_end, ngram, with_end)]
        assert [b.computed for b in both] == [1, 1, 0]
        assert len({b.scores[text].logps for b in both}) == 1
        assert len(both[0].scores[text]) == 4  # four words, no end

    @pytest.mark.parametrize("order", [("exclude", "last-region"), ("last-region", "exclude")])
    @pytest.mark.parametrize("query", ["", "?eos=yes"])
    def test_runs_on_one_store_do_not_mix(
        self, ngram: str, tmp_path: Path, order: tuple[str, str], query: str
    ) -> None:
        folder = save(tmp_path / "small", choice())
        store = ScoreStore()
        last = {}
        for eos in (*order, *order):
            options = SuiteOptions(eos=eos)
            result = score(ngram + query, f"sg:{folder}", suites=options, store=store).results[0]
            value = regions_of(result, "choice/1")["good"]["3"]
            assert last.setdefault(eos, value) == value
        # log10 p(</s> | forgotten) is -0.3 in the file
        assert last["last-region"] - last["exclude"] == pytest.approx(0.3 / math.log10(2), abs=1e-5)

    def test_a_causal_models_end_is_another_text(
        self, causal: Callable[..., Path], tmp_path: Path
    ) -> None:
        folder = save(tmp_path / "small", choice())
        store = ScoreStore()
        model = f"hf:{causal('gpt2')}"
        found = {}
        for eos in ("last-region", "exclude", "last-region", "exclude"):
            options = SuiteOptions(eos=eos)
            result = score(model, f"sg:{folder}", suites=options, store=store).results[0]
            regions = regions_of(result, "choice/1")["good"]
            assert found.setdefault(eos, regions) == regions
        assert found["last-region"]["3"] > found["exclude"]["3"]
        assert found["last-region"]["2"] == pytest.approx(found["exclude"]["2"], abs=1e-3)


def test_of_graded_data_pairs_are_counted_and_not_the_sentences_beside_them(
    ngram: str, tmp_path: Path
) -> None:
    # the ARPA file knows The, nurse, has and forgotten; each sentence is also an item of its own
    rows = (
        "g1,The nurse has forgotten,1,1,x,1", "b1,The nurse has forgot,-1,0,x,1",
        "g2,The goose has forgotten,1,1,x,2", "b2,The goose have forgotten,-1,0,x,2",
        "g3,The nurse has,1,1,x,3", "b3,nurse has The,-1,0,x,3",
    )  # fmt: skip
    header = "id,sentence,rating,acceptable,phenomenon,lexicalisation"
    (tmp_path / "rated.csv").write_text("\n".join([header, *rows]) + "\n")
    summary = score(ngram, f"graded:{tmp_path / 'rated.csv'}").results[0].expect(PairsSummary)
    told = summary.unknown_words
    assert told is not None
    assert (told.n, told.with_unknown, told.differ) == (3, 2, 2)
    assert told.paradigms.keys() == {"x"}
