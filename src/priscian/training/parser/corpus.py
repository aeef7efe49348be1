"""Trees for texts and whole corpora: a line for each sentence, in parts that outlive a kill."""

from __future__ import annotations

import gzip
import hashlib
import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from priscian.errors import DataError, UsageError
from priscian.files import check_folder as check_place
from priscian.files import read_json, refuse_replacing, replacing, steady, write_bytes, write_json
from priscian.files.folder import JobFolder
from priscian.models.fingerprint import hash_file
from priscian.models.parser import FILES, Parser, check_folder
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.threads import cores, threads_kept
from priscian.training.corpora import read_blocks, split_sentences
from priscian.trees import Tree
from priscian.trees.reader import bracketed
from priscian.workers import Progress, run_batches

LONGEST = 150
"""Words of a sentence at most, unless another limit is given."""
MOST = 1000
"""Words of the longest sentence that may be parsed: about a gigabyte."""
CHUNK = 2000
"""Sentences of a part: many of each length, and a minute's work at most."""
SHOWN = 5
"""Number of skipped sentences that the message lists."""

Sentence = tuple[str, str]  # file:line, text


class ParsedPart(msgspec.Struct, frozen=True):
    """What a part of the output has, beside the trees themselves."""

    trees: int
    words: int
    left_out: list[str]
    """Places of sentences over the limit: file:line (words)."""


class _Work(msgspec.Struct, frozen=True):
    """What the parts are made of, as a hash."""

    mark: str


class _PartsFolder(JobFolder[str]):
    """The parts of an output that is not complete; the request is the hash of what they are of."""

    what, writer, record = "parse", "priscian parse", "work.json"

    def read(self) -> str:
        """The hash of what the parts are of."""
        return read_json(self.path / self.record, _Work).mark

    def differences(self, before: str, now: str) -> Sequence[str]:
        """The texts, the model or the limit."""
        return [] if before == now else ["its texts, its model or `longest=`"]

    def check_place(self) -> None:
        """Refuse a folder that no parse has made."""
        own = {self.record, self.lock}
        if self.path.exists() and own.isdisjoint(path.name for path in self.path.iterdir()):
            raise UsageError(f"{self.path} is in the way; delete it or give another `out=`")

    def finished(self, mark: str, numbers: Sequence[int]) -> dict[int, ParsedPart]:
        """Parts of an earlier run of the same work; those of any other are deleted."""
        try:
            if self.has_begun() and not self.differences(self.read(), mark):
                return {
                    number: read_json(self.path / f"{number:06}.json", ParsedPart)
                    for number in numbers
                    if all(
                        (self.path / f"{number:06}.{end}").is_file() for end in ("json", "trees")
                    )
                }
        except DataError as error:
            raise DataError(f"{error}; or delete {self.path}, and all is parsed again") from None
        for path in self.path.iterdir():
            if path.name != self.lock:
                path.unlink()
        self.begin(msgspec.json.encode(_Work(mark)).decode())
        return {}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What became of a corpus."""

    trees: int
    words: int
    left_out: int
    """Sentences over the limit; they have no line in the output."""
    places: tuple[str, ...]
    """Where the first of them are."""
    resumed: int
    """Trees that an earlier run had made."""


def parse(texts: str | Sequence[str], model: str | Path, *, longest: int = LONGEST) -> list[Tree]:
    """The tree of each sentence of some texts; `parse_corpus` is for files.

    >>> import priscian
    >>> [tree] = priscian.parse("The dogs bark.", "parser")  # doctest: +SKIP
    >>> print(tree)                                          # doctest: +SKIP
    (S (NP The dogs) (VP bark) .)
    """
    splitter = WordSplitter(Tokenisation())
    given = [texts] if isinstance(texts, str) else list(texts)
    sentences = [s for text in given for line in text.split("\n") for s in split_sentences(line)]
    words = [splitter.words(sentence) for sentence in sentences]
    for text, found in zip(sentences, words, strict=True):
        if len(found) > longest:
            raise DataError(
                f"a sentence of {len(found)} words is over the limit of {longest} ({text[:60]}…); "
                "divide it, or raise the limit: longest"
            )
    return Parser.load(Path(model)).parse([found for found in words if found])


def parse_corpus(
    files: str | Path | Sequence[str | Path],
    model: str | Path,
    out: str | Path,
    *,
    longest: int = LONGEST,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Parsed:
    """Write a tree for each sentence of text files; what was parsed and what was left out.

    >>> import priscian
    >>> priscian.parse_corpus("books.txt.xz", "parser", "trees.txt.xz")  # doctest: +SKIP

    files
        Plain text, one paragraph a line; plain, .gz or .xz.
    out
        One tree per line, compressed if it ends in .xz or .gz. Created only when it is complete: a
        run that was killed resumes where it stopped.
    longest
        Words of a sentence at most; longer ones are left out and counted.
    workers
        Processes; one for each core by default.
    progress
        Called with the number of sentences done and of all.
    """
    texts, parser_folder, target = paths_of(files), Path(model), Path(out)
    check_longest(longest)
    if workers is not None and workers < 1:
        raise UsageError(f"`workers={workers}` is invalid; give a number of processes above 0")
    refuse_replacing(target, texts, "the text")
    if target.is_dir():
        raise UsageError(f"`out={out}` is a folder; name a file such as {target / 'trees.txt.xz'}")
    check_folder(parser_folder)
    check_place(target.parent)
    sentences = read_corpus(texts)
    folder = _PartsFolder(target.with_name(f"{target.name}.parts"))
    folder.check_place()
    with folder.locked():
        return _parse(sentences, parser_folder, target, folder, longest, workers, progress)


def check_longest(longest: int) -> None:
    """Refuse a limit of words that leaves nothing, or that no memory holds."""
    if longest < 1:
        raise UsageError(f"`longest={longest}` leaves no sentence; give a number of words above 0")
    if longest > MOST:
        raise UsageError(
            f"`longest={longest}`: memory grows with the square of a sentence's words; "
            f"give {MOST:,} at most"
        )


def _parse(
    sentences: Sequence[Sentence],
    model: Path,
    out: Path,
    folder: _PartsFolder,
    longest: int,
    workers: int | None,
    progress: Progress,
) -> Parsed:
    import torch

    numbers = range(-(-len(sentences) // CHUNK))
    count = min(workers or cores(), len(numbers))
    with threads_kept():
        torch.set_num_threads(1)  # a forked process that starts threads of its own would hang
        with steady(model / name for name in FILES):
            mark = _mark(sentences, model, longest)
            parser = Parser.load(model)
        done = folder.finished(mark, numbers)
        resumed = sum(part.trees for part in done.values())
        run = _Chunks(parser, sentences, longest, out.suffix)
        order = [number for number in numbers if number not in done]
        progress(sum(_size(sentences, n) for n in done), len(sentences))
        for number, (data, part) in run_batches(run, order, count, "give `workers=1`"):
            write_bytes(folder.path / f"{number:06}.trees", data)
            write_json(folder.path / f"{number:06}.json", msgspec.to_builtins(part))
            done[number] = part
            progress(sum(_size(sentences, n) for n in done), len(sentences))
    with replacing(out) as temporary, temporary.open("wb") as file:
        for number in numbers:  # packed streams may stand one behind the other
            file.write((folder.path / f"{number:06}.trees").read_bytes())
    folder.remove()
    left = [place for number in numbers for place in done[number].left_out]
    return Parsed(
        sum(part.trees for part in done.values()), sum(part.words for part in done.values()),
        len(left), tuple(left[:SHOWN]), resumed,
    )  # fmt: skip


def read_corpus(files: Sequence[Path]) -> list[Sentence]:
    """Sentences of text files, one paragraph a line, with their places."""
    found = [
        (f"{path}:{number}", sentence)
        for path, first, block in read_blocks(files)
        for number, line in enumerate(block.decode().split("\n")[:-1], first)
        for sentence in split_sentences(line)
    ]
    if not found:
        raise DataError(f"{', '.join(map(str, files))}: no text to parse; give a file of sentences")
    return found


class _Chunks:
    """Makes the parts of the output, in whichever process."""

    def __init__(
        self, parser: Parser, sentences: Sequence[Sentence], longest: int, suffix: str
    ) -> None:
        self.parser, self.sentences, self.longest = parser, sentences, longest
        self.pack: Callable[[bytes], bytes] = {
            ".xz": lambda data: lzma.compress(data, preset=6),
            ".gz": lambda data: gzip.compress(data, mtime=0),
        }.get(suffix.lower(), lambda data: data)
        self._splitter = WordSplitter(Tokenisation())

    def __call__(self, number: int) -> tuple[bytes, ParsedPart]:
        kept: list[list[str]] = []
        left: list[str] = []
        for place, text in self.sentences[number * CHUNK : (number + 1) * CHUNK]:
            words = self._splitter.words(text)
            if len(words) > self.longest:
                left.append(f"{place} ({len(words)} words)")
            elif words:
                kept.append(words)
        lines = "".join(f"{bracketed(tree)}\n" for tree in self.parser.parse(kept))
        return self.pack(lines.encode()), ParsedPart(len(kept), sum(map(len, kept)), left)


def _mark(sentences: Sequence[Sentence], model: Path, longest: int) -> str:
    """Everything that the output depends on."""
    digest = hashlib.sha256(f"{longest} {CHUNK}".encode())
    for name in FILES:
        digest.update(hash_file(model / name).encode())
    for _, text in sentences:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def _size(sentences: Sequence[Sentence], number: int) -> int:
    return min(CHUNK, len(sentences) - number * CHUNK)


def paths_of(given: str | Path | Sequence[str | Path]) -> list[Path]:
    """One file or several."""
    return [Path(given)] if isinstance(given, str | Path) else [Path(path) for path in given]
