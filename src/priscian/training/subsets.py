"""Nested subsets of a corpus, and held-out parts that all sizes share.

Paragraphs are ordered by a hash of the order seed, their file's content and their line. A subset of
N tokens is the shortest beginning of that order with N tokens, so the smaller size is always part
of the larger one. The dev and test parts are cut off first, by a hash that no seed changes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from priscian.errors import DataError, RunError, UsageError
from priscian.files import filling, is_free, read_json, write_json, write_text
from priscian.models.vocabulary import unk_class
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.amounts import format_amount, parse_amount
from priscian.training.corpora import TextFile, read_texts
from priscian.training.recipe import TextPart
from priscian.training.sources import PlainText, TextSource
from priscian.workers import Progress

MANIFEST = "manifest.json"
HELD_OUT = ("dev.txt", "test.txt")
DEV_SENTENCES = 1500
TEST_SENTENCES = 3000
LARGEST_SHARE = 20
"""Dev and test are each at most one in this many paragraphs of a small corpus."""

Paragraph = tuple[bytes, str]  # hash of file and line, text
Mark = tuple[str, str]  # name of a file, hash of its text
_Parts = tuple[Sequence[str], Sequence[str], Sequence[Paragraph]]  # dev, test, and the rest


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that was read, with dev and test cut off."""

    files: tuple[Mark, ...]
    train: tuple[Paragraph, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]
    source: TextSource
    extra_files: tuple[Mark, ...] = ()
    extra: tuple[str, ...] = ()
    """Sentences that are mixed in."""

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
    source: TextSource | None = None,
    mixed_in: Sequence[Path] = (),
) -> Corpus:
    """Read files, one paragraph a line, or one tree, plain or packed (.gz, .xz).

    Subsets that `priscian corpus` wrote keep the dev and test parts that lie beside them, which
    text that will be mixed in must not have.
    """
    reader: TextSource = source or PlainText(TextPart())
    if not files:
        raise DataError("no corpus; name at least one text file")
    texts, others = read_texts(files, progress), read_texts(mixed_in)
    check_parts([*texts, *others])
    paragraphs = list(_paragraphs(texts, reader))
    extra = [s for _, line in _paragraphs(others, reader) for s in reader.split(line)]
    dev, test, rest = _shared_parts(texts, paragraphs) or _hold_out(texts, paragraphs, reader)
    return Corpus(
        tuple(text.mark for text in texts), tuple(rest), tuple(dev), tuple(test), reader,
        tuple(text.mark for text in others), tuple(extra),
    )  # fmt: skip


def _hold_out(
    texts: Sequence[TextFile], paragraphs: Sequence[Paragraph], source: TextSource
) -> _Parts:
    ranked = sorted(paragraphs, key=lambda p: _rank("held out", p[0]))
    share = len(ranked) // LARGEST_SHARE
    dev, rest = _cut(ranked, DEV_SENTENCES, share, source)
    test, rest = _cut(rest, TEST_SENTENCES, share, source)
    if not dev or not test or not rest:
        names = ", ".join(str(text.path) for text in texts)
        raise DataError(
            f"{names}: {len(paragraphs)} paragraphs are too few to hold out dev and test parts; "
            f"give at least {LARGEST_SHARE + 1} lines of text"
        )
    return dev, test, rest


class ManifestFile(msgspec.Struct, frozen=True):
    """A file that subsets were cut from."""

    name: str
    sha256: str


class SubsetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a part of a corpus holds, counted in Penn Treebank tokens."""

    file: str
    sha256: str
    sentences: int = 0
    tokens: int = 0
    types: int = 0
    known_types: int = 0
    """Types that occur at least twice, which a vocabulary keeps."""
    unk_types: int = 0
    """Classes that the other types fall into."""


class SubsetManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What `priscian corpus` has written in a folder."""

    files: tuple[ManifestFile, ...]
    order_seed: int = 1
    parts: dict[str, SubsetFacts]

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each part, by its file."""
        return {part.file: part.sha256 for part in self.parts.values()}

    def holds(self, text: TextFile) -> bool:
        """Whether a text is a part, packed and renamed ones included."""
        return text.path.name in self.hashes or text.sha256 in self.hashes.values()


def read_manifest(folder: Path) -> SubsetManifest | None:
    """What `priscian corpus` wrote in a folder; None if the manifest is missing or not its own."""
    file = folder / MANIFEST
    if not file.is_file():
        return None
    try:
        found = read_json(file, SubsetManifest)
        if missing := [name for name in HELD_OUT if name not in found.hashes]:
            raise DataError(f"{file}: no {' and no '.join(missing)} among the parts")
    except DataError as error:
        if all((folder / name).is_file() for name in HELD_OUT) and list(folder.glob("train-*.txt")):
            raise DataError(f"{error}: write the corpus again with priscian corpus") from None
        return None
    return found


def refuse_changed(names: Sequence[str], found: Sequence[Mark], hashes: Mapping[str, str]) -> None:
    """Refuse files, as they were read, that are not those whose hashes are given by name."""
    for name, (_, mark) in zip(names, found, strict=False):
        if hashes.get(name, mark) != mark:
            raise RunError(f"{name} changed since the command began; run the same command again")


def check_parts(texts: Sequence[TextFile]) -> None:
    """Refuse parts of `priscian corpus` that were held out, or hold the same sentences twice.

    A packed or renamed part is recognised in its own folder by its hash.
    """
    cut: dict[str, Path] = {}  # hash of a text, and the part that was cut from it
    for text in texts:
        written = read_manifest(text.path.parent)
        if written is None or not written.holds(text):
            continue
        for name in HELD_OUT:
            if text.path.name == name or text.sha256 == written.hashes[name]:
                raise UsageError(
                    f"{text.path} is the {name.removesuffix('.txt')} part that priscian corpus "
                    "held out, not text to train on; name a train part"
                )
        for source in sorted({file.sha256 for file in written.files}):
            if source in cut:
                raise UsageError(
                    f"{cut[source]} and {text.path} are parts of one corpus and share sentences; "
                    "name only the larger one"
                )
            cut[source] = text.path
    for text in texts:
        if text.sha256 in cut:
            raise UsageError(f"{cut[text.sha256]} was cut from {text.path}; name only one of them")


def _shared_parts(texts: Sequence[TextFile], paragraphs: Sequence[Paragraph]) -> _Parts | None:
    """Dev and test of the folder in which `priscian corpus` wrote the files, if it did."""
    folder = texts[0].path.parent
    written = read_manifest(folder)
    if written is None or any(
        text.path.parent != folder or text.path.name not in written.hashes for text in texts
    ):
        return None
    held = read_texts([folder / name for name in HELD_OUT])
    for text in (*texts, *held):
        if text.sha256 != written.hashes[text.path.name]:
            raise DataError(
                f"{text.path} has changed since priscian corpus wrote it, so it may "
                "share sentences with the other parts; write the corpus again"
            )
    dev, test = ([line for _, line in text.numbered()] for text in held)
    return dev, test, paragraphs


def _paragraphs(texts: Sequence[TextFile], source: TextSource) -> Iterator[Paragraph]:
    for text in texts:
        for number, line in text.numbered():
            source.check(line, text.path, number)
            yield f"{text.sha256} {number}".encode(), line


def _cut(
    ranked: Sequence[Paragraph], sentences: int, most: int, source: TextSource
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


def write_corpus(
    files: Sequence[str | Path],
    sizes: Sequence[str | int],
    out: str | Path,
    *,
    order_seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, SubsetFacts]:
    """Cut a corpus into nested sizes with shared dev and test parts; the facts of each part.

    One sentence a line. The smaller size is the beginning of the larger one.
    """
    folder = Path(out)
    if not is_free(folder):
        raise UsageError(f"{folder} exists and is not empty; name another `out=`")
    counts = sorted({parse_amount(size, "`sizes=`") for size in sizes})
    if not counts:
        raise UsageError("name at least one size: `sizes=1M,4M`")
    corpus = read_corpus([Path(file) for file in files], progress)
    parts = {f"train-{format_amount(n)}": corpus.subset(n, order_seed) for n in counts}
    parts |= {"dev": list(corpus.dev), "test": list(corpus.test)}
    splitter = WordSplitter(Tokenisation())
    facts: dict[str, SubsetFacts] = {}
    with filling(folder, last=MANIFEST) as made:
        for name, sentences in parts.items():
            text = "".join(f"{sentence}\n" for sentence in sentences)
            write_text(made / f"{name}.txt", text)
            types: Counter[str] = Counter()
            for sentence in sentences:
                types.update(splitter.words(sentence))
            known = {word for word, count in types.items() if count > 1}
            facts[name] = SubsetFacts(
                file=f"{name}.txt",
                sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
                sentences=len(sentences),
                tokens=types.total(),
                types=len(types),
                known_types=len(known),
                unk_types=len({unk_class(word, known) for word in types.keys() - known}),
            )
        manifest = SubsetManifest(
            files=tuple(ManifestFile(*mark) for mark in corpus.files),
            order_seed=order_seed,
            parts=facts,
        )
        write_json(made / MANIFEST, msgspec.to_builtins(manifest))
    return facts
