"""Estimates equal those worked by hand and those of lmplz; memory changes nothing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priscian.models.ngram import Tokenisation, Trie
from priscian.models.ngram.arpa import read_arpa
from priscian.models.ngram.trie_file import open_trie
from priscian.training.ngram.estimate import NgramSettings, cut_vocabulary, read_memory, train_ngram
from priscian.training.ngram.smooth import estimate_discounts

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "golden.txt"
TOKENS = Tokenisation("space")


def estimate(corpus: Path, out: Path, order: int, **options: object) -> Trie:
    """A trie from pre-tokenised text."""
    given_settings = NgramSettings(
        order=order,
        tokenisation=TOKENS,
        split_sentences=False,
        **options,  # type: ignore[arg-type]
    )
    train_ngram([corpus], out, given_settings)
    return open_trie(out)[0]


def probability(trie: Trie, text: str) -> float:
    """Of the last word after the others, which follow `<s>`."""
    ids = np.array([trie.ids.get(word, 0) for word in text.split()], np.int32)
    return float(10 ** trie.log10(ids, [len(ids)])[0][-1])


def assert_equal(ours: Trie, theirs: Trie) -> None:
    """Same words, same n-grams, same numbers to 1e-4 in log10."""
    assert ours.words == theirs.words
    for own, their in zip(ours.levels, theirs.levels, strict=True):
        nodes = np.arange(len(own.probs))
        assert len(own.probs) == len(their.probs)
        if own.words is not None and their.words is not None:
            assert np.array_equal(own.words, their.words)
        if own.begin is not None and their.begin is not None:
            assert np.array_equal(own.begin, their.begin)
        assert np.allclose(own.prob(nodes), their.prob(nodes), rtol=0, atol=1e-4)
        assert np.allclose(own.backoff(nodes), their.backoff(nodes), rtol=0, atol=1e-4)


def test_a_bigram_model_equals_the_one_worked_by_hand(tmp_path: Path) -> None:
    """Corpus `a b`, `a c`; no order has counts 1, 2 and 3, so D = 0.5, 1, 1.5.

    Adjusted counts: a, b, c follow one word each, </s> two; 5 in all. The mass left of unigrams is
    (3 * 0.5 + 1) / 5 = 0.5, shared by <unk>, </s>, a, b, c: 0.1 each. So p(a) = 0.5/5 + 0.1 = 0.2,
    p(</s>) = (2 - 1)/5 + 0.1 = 0.3. After <s>: a twice, p(a | <s>) = 1/2 + 1/2 * 0.2 = 0.6.
    After a: b, c once each, p(b | a) = 0.5/2 + 1/2 * 0.2 = 0.35. p(</s> | b) = 0.5 + 0.5 * 0.3.
    """
    corpus = tmp_path / "corpus"
    corpus.write_text("a b\na c\n")
    trie = estimate(corpus, tmp_path / "m.pngm", 2)
    unigrams = dict(zip(trie.words, 10.0 ** trie.levels[0].probs, strict=True))
    expected = {"<unk>": 0.1, "<s>": 1.0, "</s>": 0.3, "a": 0.2, "b": 0.2, "c": 0.2}
    assert unigrams == pytest.approx(expected, abs=1e-6)
    assert probability(trie, "a") == pytest.approx(0.6, abs=1e-6)
    assert probability(trie, "a b") == pytest.approx(0.35, abs=1e-6)
    assert probability(trie, "a a") == pytest.approx(0.5 * 0.2, abs=1e-6)
    assert probability(trie, "a b </s>") == pytest.approx(0.65, abs=1e-6)
    assert probability(trie, "a zebra") == pytest.approx(0.5 * 0.1, abs=1e-6)


def test_every_number_of_a_trigram_model_equals_lmplz(tmp_path: Path) -> None:
    assert_equal(estimate(GOLDEN, tmp_path / "m.pngm", 3), read_arpa(DATA / "golden.arpa.gz"))


def test_a_pruned_model_with_fallback_discounts_equals_lmplz(tmp_path: Path) -> None:
    ours = estimate(GOLDEN, tmp_path / "m.pngm", 5, prune=(0, 1, 2))
    assert_equal(ours, read_arpa(DATA / "golden-pruned.arpa.gz"))


def test_srilm_treatment_of_unk_equals_lmplz_without_interpolated_unigrams(tmp_path: Path) -> None:
    ours = estimate(GOLDEN, tmp_path / "m.pngm", 2, unk="srilm")
    assert_equal(ours, read_arpa(DATA / "golden-srilm.arpa.gz"))


@pytest.mark.parametrize("threads", [1, 3])
def test_spilling_to_disk_and_threads_change_no_byte(
    tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimate(GOLDEN, tmp_path / "memory.pngm", 4)
    monkeypatch.setattr("priscian.training.ngram.spill.WINDOW", 1000)
    monkeypatch.setattr(
        "priscian.training.ngram.estimate._Training._bucket", lambda self, length: 300
    )
    settings = NgramSettings(
        4, tokenisation=TOKENS, split_sentences=False, memory=1, threads=threads
    )
    assert train_ngram([GOLDEN], tmp_path / "disk.pngm", settings).spilled
    assert (tmp_path / "disk.pngm").read_bytes() == (tmp_path / "memory.pngm").read_bytes()


def test_a_count_that_is_all_discounted_gets_no_probability_and_no_infinity(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.write_text("a\nc\nb d\nb d\nd\n")
    trie = estimate(corpus, tmp_path / "m.pngm", 2, unk="srilm")
    assert min(level.probs.min() for level in trie.levels) == -99
    assert all(np.isfinite(level.probs).all() for level in trie.levels)


WORDS = st.sampled_from(["a", "b", "c", "d", "e", "f"])
CORPUS = st.lists(st.lists(WORDS, min_size=1, max_size=7), min_size=1, max_size=12)


@settings(max_examples=40)
@given(
    corpus=CORPUS,
    order=st.integers(1, 5),
    prune=st.sampled_from([(0,), (0, 1), (0, 0, 1, 2)]),
    unk=st.sampled_from(["kenlm", "srilm"]),
)
def test_probabilities_after_any_context_add_up_to_one(
    tmp_path_factory: pytest.TempPathFactory,
    corpus: list[list[str]],
    order: int,
    prune: tuple[int, ...],
    unk: str,
) -> None:
    folder = tmp_path_factory.mktemp("sum")
    (folder / "corpus").write_text("".join(" ".join(line) + "\n" for line in corpus))
    trie = estimate(folder / "corpus", folder / "m.pngm", order, prune=prune[:order], unk=unk)
    predicted = [number for number in range(len(trie.words)) if trie.words[number] != "<s>"]
    for context in ([], corpus[0][:1], corpus[0], corpus[-1][:3], ["zebra", *corpus[0][:2]]):
        ids = [trie.ids.get(word, 0) for word in context]
        rows = np.array([[*ids, word] for word in predicted], np.int32)
        logs = trie.log10(rows.ravel(), [len(ids) + 1] * len(predicted))[0]
        total = (10 ** logs.reshape(rows.shape)[:, -1]).sum()
        assert total == pytest.approx(1, abs=2e-5)


def test_words_below_the_minimum_count_become_unk(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.write_text("the cat sat\nthe dog sat\nthe cat ran\n")
    trie = estimate(corpus, tmp_path / "m.pngm", 2, min_count=2)
    assert trie.words == ("<unk>", "<s>", "</s>", "the", "cat", "sat")
    assert probability(trie, "the <unk>") > probability(trie, "sat <unk>")


def test_a_vocabulary_keeps_the_commonest_words_in_order_of_appearance() -> None:
    counts = np.array([0, 0, 5, 1, 4, 2, 4], np.int64)
    assert cut_vocabulary(counts, 2, 1).tolist() == [0, 1, 2, 0, 3, 0, 4]
    assert cut_vocabulary(counts, None, 2).tolist() == [0, 1, 2, 0, 3, 4, 5]


def test_discounts_that_cannot_be_estimated_fall_back_and_say_so(tmp_path: Path) -> None:
    found = estimate_discounts(np.array([0, 10, 0, 1, 1]))
    assert (found.amounts, found.estimated) == ((0.5, 1.0, 1.5), False)
    corpus = tmp_path / "corpus"
    corpus.write_text("one sentence only\n")
    trained = train_ngram([corpus], tmp_path / "m.pngm", NgramSettings(3))
    assert [d.estimated for d in trained.discounts] == [False] * 3
    assert open_trie(tmp_path / "m.pngm")[1]["discounts_estimated"] == [False] * 3


def test_paragraphs_are_cut_into_sentences_and_words_by_default(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Mr. Gray didn't see her. She left.\n\nThe cat sat.\n")
    trained = train_ngram([corpus], tmp_path / "m.pngm", NgramSettings(2))
    assert (trained.sentences, trained.words) == (3, 7 + 3 + 4)
    assert {"Mr.", "did", "n't", "her", "."} <= set(open_trie(tmp_path / "m.pngm")[0].words)


def test_gzip_xz_and_several_files_are_one_corpus(tmp_path: Path) -> None:
    import gzip
    import lzma

    lines = GOLDEN.read_bytes().splitlines(keepends=True)
    parts = [tmp_path / "a.txt.gz", tmp_path / "b.txt.xz", tmp_path / "c.txt"]
    parts[0].write_bytes(gzip.compress(b"".join(lines[:50])))
    parts[1].write_bytes(lzma.compress(b"".join(lines[50:120])))
    parts[2].write_bytes(b"".join(lines[120:]).rstrip(b"\n"))  # no newline at the end
    settings = NgramSettings(3, tokenisation=TOKENS, split_sentences=False)
    train_ngram(parts, tmp_path / "parts.pngm", settings)
    whole = estimate(GOLDEN, tmp_path / "whole.pngm", 3)
    assert_equal(open_trie(tmp_path / "parts.pngm")[0], whole)


def test_sizes_of_memory() -> None:
    assert (read_memory("2G"), read_memory("500M"), read_memory("1024")) == (
        2 << 30,
        500 << 20,
        1024,
    )


def test_a_unigram_model_gives_the_same_to_a_word_in_any_place(tmp_path: Path) -> None:
    trie = estimate(GOLDEN, tmp_path / "m.pngm", 1)
    assert probability(trie, "the") == pytest.approx(probability(trie, "cat dog the"))
    counts = GOLDEN.read_text().split()
    ratio = probability(trie, "the") / (counts.count("the") / (len(counts) + 403))
    assert math.isclose(ratio, 1, rel_tol=0.05)
