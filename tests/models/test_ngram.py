"""N-gram models: KenLM's scores, offsets, unknown words, keys, perplexity, packing."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import ModelError, UsageError
from priscian.models import load, model_key
from priscian.models.ngram import (
    NgramModel,
    Tokenisation,
    differ_in_oov,
    load_ngram,
)
from priscian.models.ngram.trie_file import bin_values, open_trie, pack_model, save_trie
from priscian.records import Text

GOLDEN = Path(__file__).parents[1] / "training" / "data" / "golden.arpa.gz"
SENTENCE = "the gardener will often hear the zebra ."
KENLM = (
    -0.36896598,
    -2.9395359,
    -2.3010108,
    -3.5372698,
    -3.277842,
    -1.2173402,
    -3.3751643,
    -0.95507103,
    -0.0020122929,
)
"""Log10 probabilities that KenLM's `query` prints for the sentence, `</s>` last."""


@pytest.fixture(scope="module")
def golden() -> NgramModel:
    """A trigram model that lmplz made."""
    return load_ngram(GOLDEN)


def test_scores_of_a_kenlm_file_are_those_of_kenlm(golden: NgramModel) -> None:
    logps, edges = golden.token_logps([SENTENCE])
    assert edges.tolist() == [0, 8]
    assert logps / math.log(10) == pytest.approx(KENLM[:-1], abs=1e-5)
    ids, lengths = golden.look_up([SENTENCE])
    assert golden.with_ends(ids, lengths)[1] / math.log(10) == pytest.approx(KENLM[-1:], abs=1e-5)


def test_perplexity_with_and_without_unknown_words_is_that_of_kenlm(golden: NgramModel) -> None:
    found = golden.measure([SENTENCE])
    assert (found.tokens, found.texts, found.unknown) == (8, 1, 3)
    assert math.exp(-found.logprob / 9) == pytest.approx(99.342372, rel=1e-4)
    assert math.exp(-found.known_logprob / 6) == pytest.approx(19.829987, rel=1e-4)


def test_a_text_scores_the_same_alone_and_in_any_batch(golden: NgramModel) -> None:
    texts = [SENTENCE, "who will", "", "zebra", "the judge will convict the snob ?", SENTENCE]
    together = golden.score([Text(text) for text in texts])
    for text, scores in zip(texts, together, strict=True):
        assert golden.score([Text(text)]) == [scores]
    assert together[0] == together[-1]
    assert len(together[2]) == 0


def test_totals_are_sums_of_token_scores(golden: NgramModel) -> None:
    texts = ["who will", SENTENCE, "", "the </s> ?"]
    logps, edges = golden.token_logps(texts)
    sums = [logps[a:b].sum() for a, b in pairwise(edges)]
    assert golden.totals(texts) == pytest.approx(sums)
    assert edges.tolist() == [0, 2, 10, 10, 13]
    assert golden.totals([]).shape == (0,)


def test_a_context_conditions_the_text_and_is_not_scored(golden: NgramModel) -> None:
    whole = golden.score([Text("the judge will convict")])[0]
    part = golden.score([Text(" will convict", "the judge")])[0]
    assert part.logps == whole.logps[2:]
    assert [" will convict"[s:e] for s, e in zip(part.starts, part.ends, strict=True)] == [
        "will",
        "convict",
    ]


def test_the_end_of_a_sentence_is_a_channel_only_when_asked_for() -> None:
    plain = load(f"ngram:{GOLDEN}").score([Text(SENTENCE)])  # type: ignore[union-attr]
    ended = load(f"ngram:{GOLDEN}?eos=yes").score([Text(SENTENCE)])  # type: ignore[union-attr]
    (without,), (scores,) = plain, ended
    assert without.channels == {}
    assert scores.logps == pytest.approx(without.logps)
    assert scores.channels["eos"][0] / math.log(10) == pytest.approx(KENLM[-1], abs=1e-5)


def test_unknown_words_are_counted_and_uneven_pairs_flagged(golden: NgramModel) -> None:
    assert golden.oov_counts([SENTENCE, Text("who will", "zebra zebra")]) == [3, 0]
    assert golden.unknown_words(SENTENCE) == ["often", "hear", "zebra"]
    pairs = [("the zebra will", "the judge will"), ("the zebra", "the yak")]
    assert differ_in_oov(golden, pairs) == [True, False]


def test_the_key_follows_contents_and_tokenisation(tmp_path: Path) -> None:
    keys = {
        model_key(f"ngram:{GOLDEN}{query}").digest
        for query in ("", "?case=lower", "?words=space", "?eos=yes")
    }
    assert len(keys) == 4
    copy = tmp_path / "other name.arpa.gz"
    copy.write_bytes(GOLDEN.read_bytes())
    assert model_key(f"ngram:{copy}") == model_key(f"ngram:{GOLDEN}")
    assert model_key(str(copy)) == model_key(f"ngram:{GOLDEN}")


def test_a_file_keeps_how_its_words_were_cut(tmp_path: Path, golden: NgramModel) -> None:
    facts = {"tokenisation": {"words": "ptb", "case": "lower"}}
    save_trie(golden.trie, facts, tmp_path / "m.pngm")
    model = load_ngram(tmp_path / "m.pngm")
    assert model.tokenisation == Tokenisation("ptb", "lower")
    assert model.score([Text("The JUDGE will")])[0].logps == (
        golden.score([Text("the judge will")])[0].logps
    )
    assert model_key(f"ngram:{tmp_path / 'm.pngm'}").fields["case"] == "lower"


@pytest.mark.parametrize("query", ["case=upper", "words=bpe", "eos=maybe", "dtype=float16"])
def test_options_that_do_not_exist_are_refused(query: str) -> None:
    with pytest.raises(UsageError):
        load(f"ngram:{GOLDEN}?{query}")


def test_a_missing_file_is_refused_with_a_remedy() -> None:
    with pytest.raises(ModelError, match="make one: priscian train ngram"):
        load("ngram:nowhere.pngm")


def test_packing_keeps_ngrams_and_nearly_all_of_every_value(
    tmp_path: Path, golden: NgramModel
) -> None:
    save_trie(golden.trie, {}, tmp_path / "full.pngm")
    pack_model(tmp_path / "full.pngm", tmp_path / "small.pngm", {"note": "kept"})
    small, facts = open_trie(tmp_path / "small.pngm")
    assert facts["note"] == "kept"
    assert (tmp_path / "small.pngm").stat().st_size < (tmp_path / "full.pngm").stat().st_size / 3
    for n, (own, their) in enumerate(zip(small.levels, golden.trie.levels, strict=True), 1):
        nodes = np.arange(len(own.probs))
        if own.words is not None and their.words is not None:
            assert np.array_equal(own.words, their.words)
        if own.begin is not None and their.begin is not None:
            assert np.array_equal(own.begin, their.begin)
        for mine, wanted in (
            (own.prob(nodes), their.prob(nodes)),
            (own.backoff(nodes), their.backoff(nodes)),
        ):
            assert np.abs(mine - wanted).mean() < 0.005, n
            assert np.abs(mine - wanted).max() < 0.2, n  # rare values share a code


def test_values_that_are_few_or_zero_are_kept_exactly() -> None:
    codes, book = bin_values(np.array([-1.5, 0.0, -1.5, -0.25]), zero=True)
    assert book[codes].tolist() == [-1.5, 0.0, -1.5, -0.25]
    many = np.append(np.linspace(-5, -0.01, 5000), 0.0)
    codes, book = bin_values(many, zero=True)
    assert book[codes][-1] == 0.0
    assert np.abs(book[codes] - many).max() < 0.02


def test_the_embedded_model_is_small_and_prefers_what_agrees() -> None:
    from priscian.models.builtin import MODELS

    assert MODELS["ngram"].path.stat().st_size <= 8_000_000
    model = load("builtin:ngram")
    assert isinstance(model, NgramModel)
    assert model.trie.order == 5
    good, bad = model.score([Text("They are old."), Text("They is old.")])
    assert good.total > bad.total
    assert "wiki" not in str(model.facts["corpus"])


def test_the_script_that_builds_the_embedded_model_writes_a_model_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import lzma

    from scripts import build_builtin_ngram as script

    from priscian.models.builtin import MODELS

    assert MODELS["ngram"].path == script.TARGET
    for name in script.EXCLUDED:
        with lzma.open(tmp_path / name, "wt") as file:
            file.writelines(f"The cat number {n % 7} sleeps here.\n" for n in range(300))
    out = tmp_path / "made.pngm"
    monkeypatch.setattr("sys.argv", ["x", "--corpora", str(tmp_path), "--out", str(out)])
    script.main()
    assert load_ngram(out).trie.order == 5
    assert "held-out perplexity as packed: " in capsys.readouterr().out


_TRIE = load_ngram(GOLDEN).trie
TEXTS = st.text(st.sampled_from("abzAB .,'\"-’é5\n\u2003$()"), max_size=40)


@given(TEXTS, st.sampled_from(["ptb", "space"]), st.sampled_from(["keep", "lower"]))
def test_words_have_ascending_offsets_and_lose_nothing_but_space(
    text: str, words: str, case: str
) -> None:
    pieces = Tokenisation.of(words, case).split(text)
    at = 0
    for form, start, end in pieces:
        assert start >= at
        assert not text[at:start].strip()
        assert len(form) == end - start
        at = end
    assert not text[at:].strip()


@given(TEXTS)
def test_the_model_cuts_words_as_its_tokenisation_does(text: str) -> None:
    model = NgramModel(_TRIE, Tokenisation("ptb", "lower"))
    coded = model.encode([text])
    expected = Tokenisation("ptb", "lower").split(text)
    assert list(zip(coded.starts, coded.ends, strict=True)) == [(s, e) for _, s, e in expected]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("She can't see it.", "She|ca|n't|see|it|."),
        ("I cannot go; he'll stay.", "I|can|not|go|;|he|'ll|stay|."),
        ("Mr. Gray's dogs' bowls", "Mr.|Gray|'s|dogs|'|bowls"),
        ('"Yes," said Dr. No.', '"|Yes|,|"|said|Dr.|No|.'),
        ("It cost $3,000.50 -- or 5%.", "It|cost|$|3,000.50|--|or|5|%|."),
        ("O'Brien's mother-in-law won’t", "O'Brien|'s|mother-in-law|wo|n't"),
        ("the U.S. army", "the|U.S.|army"),
        ("Wait... (what?)", "Wait|...|(|what|?|)"),
    ],
)
def test_words_are_cut_as_in_the_penn_treebank(text: str, words: str) -> None:
    assert [form for form, _, _ in Tokenisation().split(text)] == words.split("|")
