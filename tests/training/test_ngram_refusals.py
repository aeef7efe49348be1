"""Bad corpora and settings are refused in one line, and no half-written model is left."""

from __future__ import annotations

import errno
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.cli.app import run
from priscian.errors import DataError, OutputError, UsageError
from priscian.training import corpora
from priscian.training.ngram.estimate import NgramSettings, read_memory, train_ngram
from priscian.training.ngram.spill import map_in_order


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    corpus = tmp_path / "empty.txt"
    corpus.write_text("\n\n")
    with pytest.raises(DataError, match=r"no words in .*empty\.txt"):
        train_ngram([corpus], tmp_path / "m.pngm")
    assert os.listdir(tmp_path) == ["empty.txt"]


def test_a_binary_file_is_refused_with_its_line(tmp_path: Path) -> None:
    corpus = tmp_path / "binary"
    corpus.write_bytes(b"text\nmore\0text\n")
    with pytest.raises(DataError, match="binary:2: a zero byte"):
        train_ngram([corpus], tmp_path / "m.pngm")


def test_invalid_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    corpus = tmp_path / "latin"
    corpus.write_bytes("fine\nalso fine\ncafé\n".encode("latin1"))
    with pytest.raises(DataError, match=r"latin:3: not valid UTF-8 \(byte 0xe9\)"):
        train_ngram([corpus], tmp_path / "m.pngm")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    corpus = tmp_path / "text.xz"
    corpus.write_bytes(b"\xfd7zXZ\x00 but no more")
    with pytest.raises(DataError, match="cannot be unpacked"):
        train_ngram([corpus], tmp_path / "m.pngm")


def test_marks_of_sentence_edges_in_a_tokenised_corpus_are_refused(tmp_path: Path) -> None:
    from priscian.models.ngram import Tokenisation

    corpus = tmp_path / "text"
    corpus.write_text("a b\n<s> a b </s>\n")
    settings = NgramSettings(tokenisation=Tokenisation("space"), split_sentences=False)
    with pytest.raises(DataError, match="line 2: the word <s>"):
        train_ngram([corpus], tmp_path / "m.pngm", settings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NgramSettings(order=0), "`order=0`: it takes a number from 1 to 6"),
        (lambda: NgramSettings(order=7), "`order=7`: it takes a number from 1 to 6"),
        (lambda: NgramSettings(prune=(0, 2, 1)), "prune 0 2 1 goes down"),
        (lambda: NgramSettings(prune=(1,)), "would take away words"),
        (lambda: NgramSettings(order=2, prune=(0, 0, 1)), "3 counts for 2 orders"),
        (lambda: NgramSettings(unk="other"), "no unk 'other'; known: kenlm, srilm"),
        (lambda: NgramSettings(min_count=0), "`min_count=0`: it takes a number from 1"),
        (lambda: read_memory("lots"), "write 2G or 500M"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        make()


def test_a_full_disk_while_spilling_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(descriptor: int, start: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "text").write_text("The cat sat.\n")
    where = ["--corpus", str(tmp_path / "text"), "--out", str(tmp_path / "m.pngm")]
    room = ["--memory", "1K", "--scratch", str(tmp_path / "scratch")]
    code = run(["train", "ngram", *where, *room])
    assert code == 1
    assert "the disk is full" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["scratch", "text"]
    assert not os.listdir(tmp_path / "scratch")


def test_a_packed_line_that_fills_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "BLOCK", 1000)
    monkeypatch.setattr(corpora, "LONGEST_LINE", 10_000)
    (tmp_path / "text.xz").write_bytes(lzma.compress(b"Fine.\n" + b"word " * 1_000_000))
    with pytest.raises(DataError, match=r"text\.xz:2: a line of more than 10,000 bytes"):
        train_ngram([tmp_path / "text.xz"], tmp_path / "m.pngm")


def test_an_old_model_survives_a_training_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.pngm").write_text("old")
    (tmp_path / "text").write_text("The cat sat.\n")
    monkeypatch.setattr(
        "priscian.training.ngram.write_trie.TrieWriter.write",
        lambda self, prepared: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")),
    )
    with pytest.raises(OutputError, match=r"cannot write .*m\.pngm: full; free some space"):
        train_ngram([tmp_path / "text"], tmp_path / "m.pngm")
    assert (tmp_path / "m.pngm").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["m.pngm", "text"]


def test_work_in_threads_comes_back_in_order_and_an_error_ends_it() -> None:
    assert list(map_in_order(lambda n: n * n, range(20), 3)) == [n * n for n in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(map_in_order(lambda n: 1 // (3 - n), range(20), 2))


def test_train_and_perplexity_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, model, arpa = tmp_path / "text", tmp_path / "m.pngm", tmp_path / "m.arpa.gz"
    text.write_text("The cat sat on the mat. The dog saw the cat.\n" * 3)
    arguments = ["train", "ngram", "--corpus", str(text), "--order", "2", "--case", "lower"]
    assert run([*arguments, "--out", str(model), "--arpa", str(arpa)]) == 0
    shown = capsys.readouterr().out
    assert "39 words in 6 sentences" in shown
    assert "fall-back values: too few" in shown
    assert run(["perplexity", f"ngram:{model}", str(text)]) == 0
    assert "unknown words                      0  (0.00%)" in capsys.readouterr().out
    assert run(["perplexity", f"ngram:{arpa}?case=lower", str(text), "--json"]) == 0
    assert run(["train", "ngram", "--corpus", str(text), "--order", "0", "--out", str(model)]) == 2
    assert "--order 0: it takes a number from 1 to 6" in capsys.readouterr().err
