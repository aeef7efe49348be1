"""Training of recurrent models: sentences, pieces, batches, schedule, resumption, export."""

from __future__ import annotations

import lzma
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from priscian.errors import DataError, UsageError
from priscian.models.lstm.pieces import BYTES, Pieces, merge
from priscian.models.lstm.provider import LstmModel
from priscian.records import Text

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from priscian.cli.train_lstm import train_lstm_command  # noqa: E402
from priscian.training.lstm.batches import batches, encode_sentences  # noqa: E402
from priscian.training.lstm.job import Settings, train  # noqa: E402
from priscian.training.lstm.loop import Schedule, Trainer  # noqa: E402
from priscian.training.lstm.network import Network, Shape  # noqa: E402
from priscian.training.lstm.prepare import prepare  # noqa: E402
from priscian.training.lstm.sentences import (  # noqa: E402
    FEWEST_TOKENS,
    count_words,
    learn_pieces,
    read_sentences,
    split_sentences,
)

SIZE = FEWEST_TOKENS + 40


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hundred paragraphs in which a subject and its verb always agree."""
    random = np.random.default_rng(5)
    lines = []
    for _ in range(300):
        noun, verb = [("dog", "runs"), ("dogs", "run"), ("Rose", "sings")][random.integers(3)]
        where = ["here", "there", "at home"][random.integers(3)]
        number = int(random.integers(1000))
        lines.append(f"The {noun} {verb} {number} times. He saw {number} of them {where}.")
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pieces(corpus: Path) -> Pieces:
    """Pieces learnt from the corpus."""
    return learn_pieces(count_words(s for _, s in read_sentences([corpus])), SIZE)


def settings(steps: int, **options: object) -> Settings:
    schedule = Schedule(seconds=1e6, steps=steps, batch_tokens=256, rate=0.02, warm_up=5)
    return Settings(SIZE, 48, 48, replace(schedule, **options))


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("He ran. She sat! Who?", ["He ran.", "She sat!", "Who?"]),
        ("Mr. Hall met Dr. Ross at J. Smith's. They spoke.",
         ["Mr. Hall met Dr. Ross at J. Smith's.", "They spoke."]),
        ("“Come in,” she said. “Do you _know_ it?”", ['"Come in," she said.', "Do you know it?"]),
        ("It cost 3.5 pounds... so he left.", ["It cost 3.5 pounds... so he left."]),
        ('"Go." "Stay."', ["Go.", "Stay."]),
    ],
)  # fmt: skip
def test_paragraphs_become_sentences(paragraph: str, sentences: list[str]) -> None:
    assert list(split_sentences(paragraph)) == sentences


def test_a_first_word_counts_in_the_case_it_has_elsewhere() -> None:
    counts = count_words(["The rose and the thorn.", "Rose saw Rose and Rose.", "Thorn!"])
    assert counts["the"] == 2
    assert counts["Rose"] == 3
    assert counts["rose"] == 1
    assert counts["thorn"] == 2
    assert "The" not in counts


def test_pieces_split_words_as_the_tokenizers_library_does(pieces: Pieces) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import BPE

    vocabulary = {token: number for number, token in enumerate(pieces.tokens)}
    peer = Tokenizer(BPE(vocabulary, list(pieces.merges), continuing_subword_prefix="##"))
    ranks = {pair: rank for rank, pair in enumerate(pieces.merges)}
    for word in ("runs", "therein", "homes", "sing", "singing", "hererun", "dogsaw", "x"):
        parts = [char if at == 0 else f"##{char}" for at, char in enumerate(word)]
        assert merge(parts, ranks) == peer.encode(word).tokens


def test_the_commonest_tokens_come_first_and_every_byte_is_there(
    pieces: Pieces, corpus: Path
) -> None:
    counts: Counter[int] = Counter()
    for _, sentence in read_sentences([corpus]):
        counts.update(pieces.encode(sentence)[0])
    frequencies = [counts[n] for n in range(1, len(pieces.tokens))]
    assert frequencies == sorted(frequencies, reverse=True)
    assert pieces.tokens[0] == "<s>"
    assert set(BYTES) < set(pieces.tokens)
    assert len(set(pieces.tokens)) == len(pieces.tokens)


def test_a_vocabulary_without_room_for_characters_is_refused() -> None:
    with pytest.raises(UsageError, match="too small"):
        learn_pieces(Counter(a=1), FEWEST_TOKENS - 1)


def test_one_pass_reads_every_sentence_once_in_batches_of_one_length(pieces: Pieces) -> None:
    texts = ["The dog runs.", "The dogs run here.", "Rose sings.", "He saw 3 of them.", "He ran."]
    data, words = encode_sentences(pieces, [*texts, texts[0], "x"], 2, 40)
    assert words == sum(len(text.split()) for text in texts)
    found = []
    for batch in batches(data, 16, np.random.default_rng(1)):
        assert batch.size <= max(16, len(batch))
        assert not batch[0].any()
        assert not batch[-1].any()
        assert batch[1:-1].all()
        found.extend(tuple(int(i) for i in column[1:-1]) for column in batch.T)
    assert sorted(found) == sorted(tuple(pieces.encode(text)[0]) for text in texts)
    assert data.tokens == sum(len(ids) + 1 for ids in found)


def test_sentences_out_of_bounds_are_left_out(pieces: Pieces) -> None:
    data, _ = encode_sentences(pieces, ["He saw them there.", "Rose"], 2, 4)
    assert data.tokens == 0


def test_the_network_spreads_one_over_the_vocabulary() -> None:
    torch.manual_seed(1)
    network = Network(Shape((5, 12, 30), (8, 4, 2), 6))
    states = torch.randn(3, 8)
    logps = torch.stack([network.logprobs(states, torch.full((3,), n)) for n in range(30)])
    torch.testing.assert_close(logps.exp().sum(0), torch.ones(3))


def test_the_rate_rises_then_falls_to_nothing_by_time_or_steps() -> None:
    schedule = Schedule(seconds=100.0, steps=1000, rate=1.0, warm_up=10)
    assert schedule.rate_at(0.0, 0) == pytest.approx(0.1)
    assert schedule.rate_at(50.0, 20) == pytest.approx(0.5)
    assert schedule.rate_at(0.0, 750) == pytest.approx(0.25)
    assert schedule.rate_at(200.0, 750) == pytest.approx(0.01)
    assert schedule.done(99.0, 999) < 1.0
    assert schedule.done(100.0, 0) == schedule.done(0.0, 1000) == 1.0


def test_training_learns_agreement_and_the_file_scores_it(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.plstm"
    card = train(
        [corpus], [], settings(400), tmp_path / "work", out, resume=False, report=lambda line: None
    )
    assert card["steps"] == "400"
    assert float(card["perplexity per token"]) < 10.0  # a unigram model has 24
    model = LstmModel(out)
    assert model.card == card
    good, bad = model.score([Text("The dogs run 345 times."), Text("The dogs runs 345 times.")])
    assert good.total > bad.total + 1.0


def test_a_stopped_training_goes_on_where_it_was(corpus: Path, tmp_path: Path) -> None:
    out, work = tmp_path / "model.plstm", tmp_path / "work"
    said: list[str] = []
    train([corpus], [], settings(20), work, out, resume=False, report=said.append)
    with pytest.raises(UsageError, match="--resume"):
        train([corpus], [], settings(30), work, out, resume=False, report=said.append)
    card = train([corpus], [], settings(30), work, out, resume=True, report=said.append)
    assert "resumed at step 20" in said
    assert card["steps"] == "30"


def test_a_resumed_network_is_the_saved_one(corpus: Path, tmp_path: Path) -> None:
    data = prepare([corpus], [], SIZE, tmp_path, lambda line: None)
    chosen = settings(12)
    shape = chosen.shape(len(data.pieces.tokens))
    first = Trainer(shape, chosen.schedule, data.main, data.extra, tmp_path)
    first.run(data.held_out, lambda line: None)
    second = Trainer(shape, chosen.schedule, data.main, data.extra, tmp_path)
    assert second.resume()
    assert (second.progress.step, second.progress.tokens) == (12, first.progress.tokens)
    for one, two in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, two)


def test_extra_sentences_are_drawn_at_their_share(corpus: Path, tmp_path: Path) -> None:
    extra = tmp_path / "extra.txt"
    extra.write_text("Zip zap zop.\nZap zip.\n")
    data = prepare([corpus], [extra], SIZE, tmp_path / "work", lambda line: None)
    chosen = settings(200, extra_share=0.0, last_share=1.0)
    trainer = Trainer(
        chosen.shape(len(data.pieces.tokens)), chosen.schedule, data.main, data.extra, tmp_path
    )
    mark = int(data.extra.ids[1])  # the first piece of "zip"
    seen: list[bool] = []
    trainer._step = lambda batch: seen.append(bool((batch == mark).any())) or 0.0  # type: ignore[method-assign]
    trainer.run(data.held_out, lambda line: None)
    assert not any(seen[:160])
    assert sum(seen[161:]) >= 15


def test_what_was_prepared_is_read_again_and_not_taken_for_another_corpus(
    corpus: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    first = prepare([corpus], [], SIZE, tmp_path, said.append)
    assert said
    said.clear()
    second = prepare([corpus], [], SIZE, tmp_path, said.append)
    assert said == []
    assert second.pieces.tokens == first.pieces.tokens
    assert second.pieces.merges == first.pieces.merges
    np.testing.assert_array_equal(second.main.ids, first.main.ids)
    with pytest.raises(UsageError, match="another corpus"):
        prepare([corpus], [], SIZE + 1, tmp_path, said.append)


def test_one_paragraph_in_a_hundred_is_held_out(corpus: Path, tmp_path: Path) -> None:
    data = prepare([corpus], [], SIZE, tmp_path, lambda line: None)
    lines = corpus.read_text().splitlines()
    held = [s for n in (49, 149, 249) for s in split_sentences(lines[n])]
    assert data.held_out_words == sum(len(s.split()) for s in dict.fromkeys(held))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("empty.txt", b"", "no sentence"),
        ("latin.txt", b"Fine.\nCaf\xe9.\n", r"line 2: not valid UTF-8"),
        ("short.xz", lzma.compress(b"Fine. " * 999)[:-30], "cannot be unpacked"),
        ("text.gz", b"not packed", "cannot be unpacked"),
    ],
)
def test_bad_corpora_are_refused(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=complaint):
        prepare([path], [], SIZE, tmp_path / "work", lambda line: None)
    assert not (tmp_path / "work" / "corpus.npz").exists()


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.txt"):
        prepare([tmp_path / "none.txt"], [], SIZE, tmp_path, lambda line: None)


def test_the_verb_trains_from_packed_text(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "text.txt.xz"
    packed.write_bytes(lzma.compress(corpus.read_bytes()))
    out = tmp_path / "mine.plstm"
    train_lstm_command(
        corpus=[packed], out=out, vocabulary=SIZE, width=8, hidden=8, steps=3, seed=2
    )
    assert f"use it as lstm:{out}" in capsys.readouterr().out
    assert LstmModel(out).card["seed"] == "2"
    with pytest.raises(UsageError, match="greater than 0"):
        train_lstm_command(corpus=[packed], out=out, steps=0)
