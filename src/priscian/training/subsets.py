"""Nested subsets of a corpus, and held-out parts that all sizes share.

Paragraphs are ordered by a hash of the order seed, their file's content and their line. A subset of
N tokens is the shortest beginning of that order with N tokens, so the smaller size is always part
of the larger one. The dev and test parts are cut off first, by a hash that no seed changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError, UsageError
from priscian.files import read_json
from priscian.training.corpora import read_blocks
from priscian.training.recipe import TextPart
from priscian.training.sources import PlainText, Source

MANIFEST = "manifest.json"
HELD_OUT = ("dev.txt", "test.txt")
DEV_SENTENCES = 1500
TEST_SENTENCES = 3000
LARGEST_SHARE = 20
"""Dev and test are each at most one paragraph in so many of a small corpus."""

Paragraph = tuple[bytes, str]  # hash of file and line, text
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that was read, with dev and test cut off."""

    files: tuple[tuple[str, str], ...]  # name and hash of the content
    train: tuple[Paragraph, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]
    source: Source

    def subset(self, size: int | None, order_seed: int) -> list[str]:
        """Sentences of the first paragraphs that together have `size` tokens; all if None."""
        found: list[str] = []
        tokens = 0
        for _, text in sorted(self.train, key=lambda p: _rank(f"order {order_seed}", p[0])):
            sentences = self.source.split(text)
            found += sentences
            if size is not None:
                tokens += sum(map(self.source.count, sentences))
                if tokens >= size:
                    return found
        if size is not None:
            raise DataError(
                f"the corpus has {tokens:,} tokens without dev and test, fewer than the "
                f"{size:,} asked for; add text or take a smaller size"
            )
        return found


def read_corpus(
    files: Sequence[Path],
    progress: Progress = lambda done, total: None,
    source: Source | None = None,
    mixed_in: Sequence[Path] = (),
) -> Corpus:
    """Read files, one paragraph a line, or one tree, plain or packed (.gz, .xz).

    Subsets that `priscian corpus` wrote keep the dev and test parts that lie beside them, which
    text that will be mixed in must not have.
    """
    source = source or PlainText(TextPart())
    if not files:
        raise DataError("no corpus; name at least one text file")
    marks = [(path.name, hash_text(path)) for path in files]
    check_parts([*files, *mixed_in], [*(mark for _, mark in marks), *map(hash_text, mixed_in)])
    paragraphs = list(_paragraphs(files, [mark for _, mark in marks], progress, source))
    if (parts := _shared_parts(files, dict(marks))) is not None:
        return Corpus(tuple(marks), tuple(paragraphs), *parts, source)
    ranked = sorted(paragraphs, key=lambda p: _rank("held out", p[0]))
    share = len(ranked) // LARGEST_SHARE
    dev, rest = _cut(ranked, DEV_SENTENCES, share, source)
    test, rest = _cut(rest, TEST_SENTENCES, share, source)
    if not dev or not test or not rest:
        names = ", ".join(map(str, files))
        raise DataError(
            f"{names}: {len(paragraphs)} paragraphs are too few to hold out dev and test parts; "
            f"give at least {LARGEST_SHARE + 1} lines of text"
        )
    return Corpus(tuple(marks), tuple(rest), tuple(dev), tuple(test), source)


@dataclass(frozen=True, slots=True)
class _Written:
    """What the manifest of `priscian corpus` says: hashes of the texts, and of each part."""

    sources: frozenset[str]
    parts: Mapping[str, str]  # file and hash

    def holds(self, path: Path, mark: str) -> bool:
        return path.name in self.parts or mark in self.parts.values()


def _read_written(folder: Path) -> _Written | None:
    """What `priscian corpus` wrote in a folder; None if the manifest is missing or not its own."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return None
    try:
        facts = read_json(manifest)
    except DataError:
        if all((folder / name).is_file() for name in HELD_OUT) and list(folder.glob("train-*.txt")):
            raise
        return None
    try:
        sources = frozenset(str(file["sha256"]) for file in facts["files"])
        parts = {str(part["file"]): str(part["sha256"]) for part in facts["parts"].values()}
    except (KeyError, TypeError, AttributeError):
        return None
    return _Written(sources, parts) if parts.keys() >= {*HELD_OUT} else None


def check_parts(files: Sequence[Path], marks: Sequence[str] = ()) -> None:
    """Refuse parts of `priscian corpus` that were held out, or hold the same sentences twice.

    A packed or renamed part is recognised in its own folder by its hash (`marks`).
    """
    marks = marks or [hash_text(path) for path in files]
    cut: dict[str, Path] = {}  # hash of a text, and the part that was cut from it
    for path, mark in zip(files, marks, strict=True):
        written = _read_written(path.parent)
        if written is None or not written.holds(path, mark):
            continue
        _refuse_held_out(path, mark, written)
        for source in written.sources:
            if source in cut:
                raise UsageError(
                    f"{cut[source]} and {path} are parts of one corpus and share sentences; "
                    "name only the larger one"
                )
            cut[source] = path
    for path, mark in zip(files, marks, strict=True):
        if mark in cut:
            raise UsageError(f"{cut[mark]} was cut from {path}; name only one of them")


def _refuse_held_out(path: Path, mark: str, written: _Written) -> None:
    for name in HELD_OUT:
        if path.name == name or mark == written.parts[name]:
            raise UsageError(
                f"{path} is the {name.removesuffix('.txt')} part that priscian corpus held out, "
                "not text to train on; name a train part"
            )


def _shared_parts(
    files: Sequence[Path], marks: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Dev and test of the folder in which `priscian corpus` wrote the files, if it did."""
    folder = files[0].parent
    written = _read_written(folder)
    if written is None or any(f.parent != folder or f.name not in written.parts for f in files):
        return None
    held = {name: hash_text(folder / name) for name in HELD_OUT}
    for name, mark in {**marks, **held}.items():
        if mark != written.parts[name]:
            raise DataError(
                f"{folder / name} has changed since priscian corpus wrote it, so it may "
                "share sentences with the other parts; write the corpus again"
            )
    dev, test = (tuple((folder / n).read_text("utf-8").split("\n")[:-1]) for n in held)
    return dev, test


def _paragraphs(
    files: Sequence[Path], marks: Sequence[str], progress: Progress, source: Source
) -> Iterator[Paragraph]:
    by_path = dict(zip(files, marks, strict=True))
    for path, first, block in read_blocks(files, progress):
        for number, line in enumerate(block.decode().split("\n")[:-1], first):
            if line.strip():
                source.check(line.strip(), path, number)
                yield f"{by_path[path]} {number}".encode(), line.strip()


def _cut(
    ranked: Sequence[Paragraph], sentences: int, most: int, source: Source
) -> tuple[list[str], Sequence[Paragraph]]:
    """Sentences of the first paragraphs, and the paragraphs after them."""
    found: list[str] = []
    for count, (_, text) in enumerate(ranked[:most]):
        if len(found) >= sentences:
            return found, ranked[count:]
        found += source.split(text)
    return found, ranked[most:]


def _rank(seed: str, mark: bytes) -> bytes:
    return hashlib.blake2b(mark, digest_size=16, key=seed.encode()[:64]).digest()


def hash_text(path: Path) -> str:
    """A hash of the text itself, the same for a plain and a packed file."""
    digest = hashlib.sha256()
    for _, _, block in read_blocks([path]):
        digest.update(block)
    return digest.hexdigest()
