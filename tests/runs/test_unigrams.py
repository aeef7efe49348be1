"""SLOR and NormLP of a run: a second model, by hand, recorded, and refused where it is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
import pytest

from priscian.errors import ModelError, UnknownNameError, UsageError
from priscian.models import load, model_key, resolve
from priscian.models.ngram import NgramModel
from priscian.records import Text
from priscian.runs import score
from priscian.runs.sources import score_unigrams, unigram_spec

LN10 = math.log(10)
# unigrams that sum to 1 without <s>: .1 + .2 + .3 + .4
ARPA = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.5
-0.69897\t</s>
-0.52288\tgo\t-0.3
-0.39794\tnow

\\2-grams:
-0.1\t<s> go
-0.2\tgo now

\\end\\
"""


@pytest.fixture
def arpa(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.arpa"
    path.write_text(ARPA)
    return path


def test_order_1_is_the_unigrams_of_a_file(arpa: Path) -> None:
    whole, ones = load(f"ngram:{arpa}"), load(f"ngram:{arpa}?order=1")
    assert isinstance(whole, NgramModel)
    assert isinstance(ones, NgramModel)
    text = [Text("go now then")]
    logps = next(iter(ones.score(text))).logps
    assert logps == pytest.approx([-0.52288 * LN10, -0.39794 * LN10, -1.0 * LN10], rel=1e-5)
    assert next(iter(whole.score(text))).logps[0] == pytest.approx(-0.1 * LN10, rel=1e-5)
    assert ones.notes["order"] == "1"
    assert model_key(f"ngram:{arpa}") != model_key(f"ngram:{arpa}?order=1")


def test_the_embedded_unigrams_are_a_distribution() -> None:
    model = load("builtin:ngram?order=1")
    assert isinstance(model, NgramModel)
    probs = 10.0 ** model.trie.levels[0].prob(np.arange(len(model.trie.words)))
    places = [i for i, word in enumerate(model.trie.words) if word != "<s>"]
    assert probs[places].sum() == pytest.approx(1.0, abs=0.02)  # codes of eight bits round
    assert model_key("builtin:ngram") != model_key("builtin:ngram?order=1")


@pytest.mark.parametrize(
    ("order", "line"), [("3", "the model has order 2"), ("0", "a whole number from 1")]
)
def test_orders_that_are_not_there(arpa: Path, order: str, line: str) -> None:
    with pytest.raises(UsageError, match=line):
        load(f"ngram:{arpa}?order={order}")


def test_unknown_words_have_unks_probability_and_are_counted(arpa: Path) -> None:
    spec = unigram_spec("slor", f"ngram:{arpa}")
    assert spec is not None
    found = score_unigrams(resolve(spec), [Text("go then"), Text("go now"), Text("go then")])
    assert (found.words, found.unknown) == (4, 1)
    assert found.scores[Text("go then")].logps[1] == pytest.approx(-1.0 * LN10, rel=1e-5)


def test_a_run_by_slor_by_hand(arpa: Path, tmp_path: Path) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text("good,bad\ngo now,now go\n")
    model = f"ngram:{arpa}?name=tiny"
    run = score(model, f"pairs:{table}", measure="slor", unigram=str(arpa), out=tmp_path / "run")
    # good: (-.1 - .2) against (-.52288 - .39794); bad: <s> backs off for now, now backs off to go
    good = (-0.3 + 0.92082) * LN10 / 2
    bad = (-0.5 - 0.39794 - 0.52288 + 0.92082) * LN10 / 2
    rows = polars.read_parquet(tmp_path / "run/tiny/pairs/items.parquet")
    assert rows["score_good"][0] == pytest.approx(good, rel=1e-4)
    assert rows["score_bad"][0] == pytest.approx(bad, rel=1e-4)
    assert run.results[0].summary.to_dict()["unigram"]["unknown_words"] == 0
    said = json.loads((tmp_path / "run/run.json").read_text())["request"]
    assert said["measure"] == "slor"
    assert said["unigram"]["model"] == f"ngram:{arpa}?order=1"
    assert said["unigram"]["digest"] == model_key(f"ngram:{arpa}?order=1").digest


@pytest.mark.filterwarnings("ignore:.*worse than guessing")
def test_a_run_on_blimp_by_slor_takes_the_embedded_unigrams(
    causal: Callable[..., Path], blimp: Path
) -> None:
    run = score(f"hf:{causal('gpt2')}", f"blimp:{blimp}", measure="slor")
    summary = run.results[0].summary.to_dict()
    assert summary["unigram"]["model"] == "builtin:ngram?order=1"
    assert set(summary["methods"]) == {"full", "one_prefix", "two_prefix"}


@pytest.mark.parametrize(
    ("measure", "unigram", "error", "line"),
    [
        ("surprisal", "builtin:ngram", UsageError, "takes no unigram model"),
        ("slor", "builtin:lstm", UsageError, "unigrams need an n-gram model"),
        ("slor", "builtin:ngram?order=2", UsageError, "a unigram model has order 1"),
        ("slor", "ngram:none.arpa", ModelError, "no model file none.arpa"),
        ("slore", None, UnknownNameError, "did you mean slor"),
    ],
)
def test_refusals(
    pairs: Path, measure: str, unigram: str | None, error: type[Exception], line: str
) -> None:
    with pytest.raises(error, match=line):
        score("builtin:ngram", f"pairs:{pairs}", measure=measure, unigram=unigram)
