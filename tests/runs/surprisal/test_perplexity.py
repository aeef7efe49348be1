"""Perplexity of any model: what it is divided by, and what is said of its limits."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from priscian import load_model, perplexity
from priscian.errors import DataError, ModelError, UnknownNameError, UsageError
from priscian.runs.surprisal.perplexity import SentencePerplexity

TEXTS = ["The old nurse has admired us!", "Naïve café-owners was looking.", "Go now."]


def test_a_causal_model_is_measured_per_token_word_character_and_byte(
    causal: Callable[..., Path],
) -> None:
    spec = f"hf:{causal('gpt2')}"
    found = perplexity(spec, TEXTS)
    model = load_model(spec)
    logprob = sum(model.logprob(text) for text in TEXTS)
    tokens = sum(len(scores) for scores in model.score(TEXTS))
    assert found.logprob == pytest.approx(logprob, abs=1e-3)
    assert (found.texts, found.tokens, found.words) == (3, tokens, 12)
    assert found.characters == sum(map(len, TEXTS))
    assert found.bytes == found.characters + 2  # ï and é take two each
    assert found.per_token == pytest.approx(math.exp(-logprob / tokens), rel=1e-4)
    assert found.per_word == pytest.approx(math.exp(-logprob / 12), rel=1e-4)
    bits = -logprob / math.log(2)
    assert found.bits_per_character == pytest.approx(bits / found.characters, rel=1e-4)
    assert found.bits_per_byte == pytest.approx(bits / found.bytes, rel=1e-4)
    assert (found.unknown, found.without_unknown, found.ends, found.pseudo) == (
        None,
        None,
        0,
        False,
    )


def test_first_tokens_that_have_no_probability_are_left_out(causal: Callable[..., Path]) -> None:
    found = perplexity(f"hf:{causal('gpt2')}?bos=none", TEXTS)
    assert found.unscored == 3
    assert found.tokens == perplexity(f"hf:{causal('gpt2')}", TEXTS).tokens - 3


def test_a_masked_model_gives_a_pseudo_perplexity(masked: Callable[..., Path]) -> None:
    assert perplexity(f"mlm:{masked()}", TEXTS).pseudo


def test_n_gram_models_count_ends_and_unknown_words() -> None:
    found = perplexity("builtin:ngram", "The qwrtzx sat. It was Mr. Gray.")
    assert (found.texts, found.ends, found.words, found.unknown) == (2, 2, 7, 1)
    assert found.without_unknown is not None
    assert found.without_unknown != found.per_token
    assert found.per_word == pytest.approx(math.exp(-found.logprob / (7 + 2)))


def test_with_ends_every_model_counts_the_same_words_and_sentences(
    causal: Callable[..., Path],
) -> None:
    text = "The keys aren't here. They were lost."
    gpt2 = f"hf:{causal('gpt2')}"
    neural, ngram = (perplexity(m, text, ends=True) for m in (gpt2, "builtin:ngram"))
    assert (neural.words, neural.ends) == (ngram.words, ngram.ends) == (10, 2)  # n't, full stops
    assert ngram.logprob == pytest.approx(perplexity("builtin:ngram", text).logprob, abs=1e-4)
    alone = perplexity(gpt2, text, by="sentence")
    assert neural.tokens == alone.tokens
    assert neural.logprob < alone.logprob
    assert neural.per_word == pytest.approx(math.exp(-neural.logprob / 12))


def test_ends_need_sentences_and_a_model_that_predicts_them(masked: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match="cannot be counted by passage"):
        perplexity("builtin:ngram", "Go.", by="passage", ends=True)
    with pytest.raises(ModelError, match="no probability for the end of a sentence"):
        perplexity(f"mlm:{masked()}", "Go.", ends=True)


def test_the_lstm_reads_sentences_and_lines_on_request() -> None:
    text = "The keys are here. They were lost."
    assert perplexity("builtin:lstm", text).texts == 2
    assert perplexity("builtin:lstm", text, by="line").texts == 1


def test_files_are_read_by_line_or_passage(tmp_path: Path, causal: Callable[..., Path]) -> None:
    file = tmp_path / "text.txt"
    file.write_text("Go now.\nRain.\n\nShe has admired us!\n", "utf-8")
    spec = f"hf:{causal('gpt2')}"
    lines = perplexity(spec, file)
    assert lines.texts == 3
    assert lines == perplexity(spec, ["Go now.", "Rain.", "She has admired us!"])
    passages = perplexity(spec, file, by="passage")
    assert passages == perplexity(spec, ["Go now. Rain.", "She has admired us!"])


def test_long_texts_are_read_with_a_window(causal: Callable[..., Path], texts: list[str]) -> None:
    spec = f"hf:{causal('gpt2', n_positions=32)}"
    found = perplexity(spec, " ".join(texts[:20]))
    assert found.words == sum(len(text.split()) for text in texts[:20])


def test_nothing_to_measure_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no words"):
        perplexity("builtin:ngram", " ")
    with pytest.raises(DataError, match=r"no file .*none\.txt"):
        perplexity("builtin:ngram", tmp_path / "none.txt")
    with pytest.raises(UnknownNameError, match="no unit 'lines'; did you mean line"):
        perplexity("builtin:ngram", "Go.", by="lines")  # type: ignore[arg-type]


def test_a_text_that_is_one_word_has_the_largest_perplexity_there_is(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("(" * 3000 + "\n")
    found = perplexity("builtin:ngram", tmp_path / "t.txt", by="line")
    assert found.per_word == pytest.approx(sys.float_info.max)
    assert found.bits_per_character < 100
    sentences = SentencePerplexity(nats=1e6, tokens=1, words=1, sentences=1, unknown=None)
    assert math.isfinite(sentences.value)
