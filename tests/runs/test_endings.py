"""The end of a text: read behind it, or told by an n-gram model."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.run_folders import regions_of
from tests.small_suites import choice, save

from priscian.errors import DataError
from priscian.records import Sentence, Text, TokenScores
from priscian.runs import SuiteOptions, SuitesSummary, score
from priscian.runs.kinds.suites import Ending

ARPA = """\\data\\
ngram 1=7
ngram 2=3

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.3
-1.2\t</s>
-0.5\tThe\t-0.2
-0.7\tnurse\t-0.1
-0.9\thas\t-0.4
-1.1\tforgotten\t-0.2

\\2-grams:
-0.1\t<s> The
-0.2\tThe nurse
-0.3\tforgotten </s>

\\end\\
"""
BIT = math.log10(2)


@pytest.mark.filterwarnings("ignore:.*worse than guessing")
@pytest.mark.parametrize("eos", ["exclude", "last-region"])
def test_an_ngram_models_regions_are_those_of_its_file(tmp_path: Path, eos: str) -> None:
    (tmp_path / "t.arpa").write_text(ARPA)
    folder = save(tmp_path / "small", choice())
    run = score(f"ngram:{tmp_path / 't.arpa'}", f"sg:{folder}", suites=SuiteOptions(eos=eos))
    found = run.results[0]
    summary = found.expect(SuitesSummary)
    # <s> The, The nurse; nurse backs off to has, has to forgotten; then forgotten </s>
    wanted = {"1": 0.1 + 0.2, "2": 0.1 + 0.9, "3": 0.4 + 1.1 + (0.3 if eos != "exclude" else 0)}
    assert regions_of(found, "choice/1")["good"] == pytest.approx(
        {region: value / BIT for region, value in wanted.items()}, abs=1e-5
    )
    assert summary.punctuation == "detached"
    assert summary.eos == eos


def test_an_end_that_melts_into_the_text_is_refused() -> None:
    sentence = Sentence("Go now")
    ending = Ending("</s>", wanted=True)
    whole = TokenScores((0, 2), (2, 10), (-1.0, -1.0))  # the last piece begins in the text
    with pytest.raises(DataError, match="is not one token of its own"):
        ending.scores({Text("Go now</s>"): whole}, sentence)


def test_without_an_ending_the_text_is_read_as_it_stands() -> None:
    sentence = Sentence("Go now", context="Well. ")
    assert Ending().text(sentence) == Text("Go now", "Well. ")
