"""`priscian corpus`: nested files and a manifest that says what they hold."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from priscian.errors import DataError, UsageError
from priscian.training.corpus_files import write_corpus
from priscian.training.subsets import read_corpus


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"Paragraph {n} has words. It ends here.\n" for n in range(300)))
    return path


def test_files_nest_and_the_manifest_counts_them(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    facts = write_corpus([text], ["200", "0.5k"], out)
    small, large = (out / f"train-{size}.txt" for size in ("200", "500"))
    assert large.read_text().startswith(small.read_text())
    assert facts["train-200"].tokens == 207  # 5 + 4 tokens a paragraph: 9 · 22 < 200 ≤ 9 · 23
    manifest = json.loads((out / "manifest.json").read_text())
    assert (
        manifest["parts"]["dev"]["sha256"]
        == hashlib.sha256((out / "dev.txt").read_bytes()).hexdigest()
    )
    lines = small.read_text().splitlines()
    assert manifest["parts"]["train-200"]["sentences"] == len(lines)
    # each number occurs once: all of them are one class, UNK-NUM
    assert manifest["parts"]["train-200"]["unk_types"] == 1


def test_held_out_sentences_are_in_no_size(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    write_corpus([text], ["2k"], out)
    train = {
        line for line in (out / "train-2k.txt").read_text().splitlines() if "Paragraph" in line
    }
    held = (out / "dev.txt").read_text() + (out / "test.txt").read_text()
    assert not train & set(held.splitlines())


def test_wrong_sizes_and_a_full_folder(text: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="fewer than the 1,000,000 asked for"):
        write_corpus([text], ["1M"], tmp_path / "a")
    with pytest.raises(UsageError, match="is not an amount"):
        write_corpus([text], ["lots"], tmp_path / "b")
    with pytest.raises(UsageError, match="not empty"):
        write_corpus([text], ["200"], tmp_path)


def test_a_subset_is_trained_with_the_dev_and_test_parts_beside_it(
    text: Path, tmp_path: Path
) -> None:
    out = tmp_path / "corpus"
    write_corpus([text], ["200", "1k"], out)
    dev, test = (tuple((out / f"{n}.txt").read_text().splitlines()) for n in ("dev", "test"))
    for size in ("200", "1k"):
        path = out / f"train-{size}.txt"
        read = read_corpus([path])
        assert (read.dev, read.test) == (dev, test)
        assert sorted(read.subset(None, 1)) == sorted(path.read_text().splitlines())
    (out / "dev.txt").write_text("Another sentence.\n")
    with pytest.raises(DataError, match=r"dev\.txt has changed since priscian corpus wrote it"):
        read_corpus([out / "train-200.txt"])


def test_a_manifest_of_something_else_changes_nothing(text: Path) -> None:
    before = read_corpus([text])
    (text.parent / "manifest.json").write_text('{"parts": {}, "paradigms": ["x"]}')
    assert read_corpus([text]).dev == before.dev


def test_other_separators_of_lines_are_part_of_a_sentence(tmp_path: Path) -> None:
    path, out = tmp_path / "text.txt", tmp_path / "parts"
    path.write_text("".join(f"Number {n} is\x1dhere.\n" for n in range(200)))
    write_corpus([path], ["500"], out)
    held = read_corpus([path]).test
    assert read_corpus([out / "train-500.txt"]).test == held
    assert all("\x1d" in sentence for sentence in held)
