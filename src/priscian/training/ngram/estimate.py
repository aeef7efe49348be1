"""Train an n-gram model: read, sort, count, smooth, write."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from priscian.errors import DataError, UsageError
from priscian.files import check_folder, refuse_replacing
from priscian.files.convert import Count, check_parameters
from priscian.models.ngram.trie import EOS, SPECIAL, UNK
from priscian.models.ngram.trie_file import Writer, writing
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.corpora import read_blocks, split_sentences
from priscian.training.ngram.smooth import (
    Discounts,
    NgramCounts,
    count_bucket,
    estimate_discounts,
    smooth_unigrams,
    weigh_contexts,
)
from priscian.training.ngram.sort import BUCKET, Shelved, cut_buckets, shelve, sort_bucket
from priscian.training.ngram.spill import (
    Positions,
    Workspace,
    count_threads,
    map_in_order,
    scratch_folder,
)
from priscian.training.ngram.write_trie import BucketRows, TrieWriter
from priscian.workers import Progress, Watch

Ids = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
ALWAYS, WORD = 256 << 20, 200
"""Bytes that a process needs whatever it does, and for each word of the vocabulary."""
PLACE = 150
"""Bytes that a thread needs for each position of the bucket that it works on, at most."""


@dataclass(frozen=True, slots=True)
class NgramSettings:
    """All that decides what is estimated, and how much memory it may take."""

    order: Annotated[int, Meta(ge=1, le=6)] = 5
    prune: tuple[int, ...] = (0,)
    unk: Literal["kenlm", "srilm"] = "kenlm"
    vocabulary: Count | None = None
    min_count: Count = 1
    tokenisation: Tokenisation = field(default_factory=Tokenisation)
    split_sentences: bool = True
    memory: int = 2 << 30
    scratch: Path | None = None
    threads: int = field(default_factory=count_threads)

    def __post_init__(self) -> None:
        check_parameters(self)
        check_prune(self.prune, self.order)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """For each order, the count up to which an n-gram is left out."""
        last = self.prune[-1] if self.prune else 0
        return (*self.prune, *[last] * self.order)[: self.order]


def check_prune(prune: Sequence[int], order: int) -> None:
    """Refuse thresholds that would leave an n-gram without its own beginning or end."""
    shown = " ".join(map(str, prune))
    if any(a > b for a, b in pairwise(prune)):
        raise UsageError(f"prune {shown} goes down; give counts that never fall, as 0 0 1")
    if len(prune) > order:
        raise UsageError(f"prune {shown} has {len(prune)} counts for {order} orders")
    if prune and prune[0] != 0:
        raise UsageError(
            f"prune {shown} would take away words; begin with 0 and use `min_count=` for words"
        )


def read_memory(text: str) -> int:
    """Bytes of `2G`, `500M` or a plain number.

    >>> read_memory("1.5G")
    1610612736
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f"memory {text!r} is not a size; write 2G or 500M")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


class WordIds(defaultdict[bytes, int]):
    """Words by id, in order of appearance; asking for a new word adds it."""

    def __init__(self) -> None:
        super().__init__(None, {word.encode(): number for number, word in enumerate(SPECIAL)})
        self.default_factory = self.__len__

    def words(self) -> list[str]:
        """The words, by id."""
        return [word.decode() for word in self]


class _ChunkIds(dict[str, tuple[int, ...]]):
    """Ids of the words of what lies between two spaces."""

    def __init__(self, words: WordIds, splitter: WordSplitter, final: bool) -> None:
        super().__init__()
        self._words, self._splitter, self._final = words, splitter, final

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        pieces = self._splitter.chunk(chunk, self._final)
        found = tuple(self._words[form.encode()] for form, _, _ in pieces)
        if len(self) < 1_000_000:
            self[chunk] = found
        return found


def read_ids(
    files: Sequence[Path],
    words: WordIds,
    tokenisation: Tokenisation,
    split: bool,
    progress: Progress,
) -> Iterator[Ids]:
    """Word ids of the corpus, a block at a time; each sentence ends with `</s>`.

    Words between spaces are read as lmplz does: a sentence a line, an empty one for an empty line.
    """
    if tokenisation.words == "space" and not split:
        end = SPECIAL[EOS].encode()
        for path, first, block in read_blocks(files, progress):
            for word in (b"<s>", b"</s>"):
                for number, text in enumerate(block.split(b"\n") if word in block else (), first):
                    if word in text.split():
                        raise DataError(
                            f"{path}, line {number}: the word {word.decode()} stands for the edge "
                            "of a sentence and is added by us; take it out of the corpus"
                        )
            if tokenisation.case == "lower":
                block = block.decode().lower().encode()
            found = block.replace(b"\n", b" " + end + b" ").split()
            yield np.fromiter(map(words.__getitem__, found), np.int32, len(found))
        return
    splitter = WordSplitter(tokenisation)
    inner, final = _ChunkIds(words, splitter, False), _ChunkIds(words, splitter, True)
    for _, _, block in read_blocks(files, progress):
        ids: list[int] = []
        for line in block.decode().split("\n"):
            for sentence in split_sentences(line) if split else (line,):
                chunks = sentence.split()
                if not chunks:
                    continue
                for chunk in chunks[:-1]:
                    ids += inner[chunk]
                ids += final[chunks[-1]]
                ids.append(EOS)
        yield np.array(ids, np.int32)


def cut_vocabulary(counts: npt.NDArray[np.int64], size: int | None, least: int) -> Ids:
    """New ids of the words: the commonest `size` of those that occur `least` times, else `<unk>`.

    The order of appearance is kept; `<unk>`, `<s>` and `</s>` are always there.
    """
    keep = counts >= least
    keep[: len(SPECIAL)] = True
    if size is not None and np.count_nonzero(keep) - len(SPECIAL) > size:
        rest = np.flatnonzero(keep)[len(SPECIAL) :]
        commonest = rest[np.argsort(-counts[rest], kind="stable")[:size]]
        keep[len(SPECIAL) :] = False
        keep[commonest] = True
    return np.where(keep, np.cumsum(keep) - 1, UNK).astype(np.int32)


@dataclass(frozen=True, slots=True)
class TrainedNgram:
    """What was made."""

    path: Path
    ngrams: tuple[int, ...]
    words: int
    sentences: int
    vocabulary: int
    discounts: tuple[Discounts, ...]
    spilled: bool


def train_ngram(
    files: Sequence[Path | str],
    out: Path | str,
    settings: NgramSettings | None = None,
    watch: Watch = lambda name, done, total: None,
) -> TrainedNgram:
    """Estimate a model from text files and write it to a `.pngm` file."""
    settings = settings or NgramSettings()
    corpus, target = [Path(f) for f in files], Path(out)
    if not corpus:
        raise UsageError("no corpus: name one text file or more")
    refuse_replacing(target, corpus, "the text")
    if target.is_dir():
        raise UsageError(f"`out={out}` is a folder; name a file such as {target / 'model.pngm'}")
    check_folder(target.parent)
    with scratch_folder(settings.scratch) as folder:
        return _Training(corpus, target, settings, folder, watch).run()


@dataclass(slots=True)
class _Training:
    files: list[Path]
    out: Path
    settings: NgramSettings
    folder: Path
    watch: Watch
    words: list[str] = field(default_factory=list)
    sentences: int = 0

    def run(self) -> TrainedNgram:
        settings, order = self.settings, self.settings.order
        tokens, word_counts = self._read()
        vocabulary, bucket_size = len(self.words), self._bucket(tokens.length)
        arrays = tokens.length * (14 + 8 * (order - 1))
        at_work = bucket_size * PLACE * settings.threads
        spills = arrays + at_work + vocabulary * WORD + ALWAYS > settings.memory
        workspace = Workspace(self.folder if spills else None)
        if not spills:
            held = workspace.positions(tokens.length, np.int32)
            for start, block in tokens.blocks(1 << 22):
                held.write(start, block)
            tokens.drop()
            tokens = held
        tally = NgramCounts.empty(order, vocabulary, settings.thresholds)
        counts = [workspace.positions(tokens.length, np.int32) for _ in range(order - 1)]
        cuts = cut_buckets(word_counts, bucket_size)
        buckets = self._sort(cuts, tokens, tally, counts, workspace)
        discounts = tuple(estimate_discounts(tally.seen[n]) for n in range(order))
        unigrams = smooth_unigrams(tally, discounts[0], settings.unk)
        with writing(self.out) as file:
            writer = TrieWriter(Writer(file), tally, self.words)
            weights = [
                self._weigh(n, tokens, buckets, counts[n - 2], workspace, discounts[n - 1], writer)
                for n in range(2, order + 1)
            ]

            def prepare(shelved: Shelved) -> list[BucketRows]:
                return writer.prepare(shelved.sorted, unigrams, weights, tokens)

            rows = map_in_order(prepare, buckets, settings.threads)
            for number, part in enumerate(rows, 1):
                writer.write(part)
                self.watch("writing", number, len(buckets))
            words = int(word_counts.sum()) - self.sentences
            facts: dict[str, object] = {
                "order": order,
                "tokenisation": settings.tokenisation.to_dict(),
                "sentences": "split" if settings.split_sentences else "line",
                "smoothing": "interpolated modified Kneser-Ney",
                "discounts": [list(d.amounts) for d in discounts],
                "discounts_estimated": [d.estimated for d in discounts],
                "prune": list(settings.thresholds),
                "unk": settings.unk,
                "min_count": settings.min_count,
                "corpus": {
                    "files": [file.name for file in self.files],
                    "words": int(tally.raw.sum()) - self.sentences,
                    "sentences": self.sentences,
                },
            }
            writer.finish(unigrams, facts)
        kept = (vocabulary, *(int(k) for k in tally.kept[1:]))
        return TrainedNgram(
            self.out, kept, words, self.sentences, vocabulary, discounts, workspace.on_disk
        )

    def _read(self) -> tuple[Positions, npt.NDArray[np.int64]]:
        """Word ids in a file, with `order` ends of sentence before them and one behind."""
        settings = self.settings
        vocabulary = WordIds()
        raw = self.folder / "ids"
        counts = np.zeros(1 << 16, np.int64)
        pads = np.full(settings.order, EOS, np.int32)
        length = 0
        with raw.open("wb") as file:
            file.write(pads.tobytes())
            for ids in read_ids(
                self.files,
                vocabulary,
                settings.tokenisation,
                settings.split_sentences,
                lambda done, total: self.watch("reading", done, total),
            ):
                file.write(ids.tobytes())
                length += len(ids)
                while len(vocabulary) > len(counts):
                    counts = np.concatenate((counts, np.zeros_like(counts)))
                counts += np.bincount(ids, minlength=len(counts))
            file.write(pads[:1].tobytes())
        counts = counts[: len(vocabulary)]
        self.sentences = int(counts[EOS])
        if length == self.sentences:
            names = ", ".join(map(str, self.files))
            raise DataError(f"no words in {names}; give a corpus with text in it")
        if length + settings.order + 1 >= 2**31:
            raise DataError(f"the corpus has {length:,} words; more than 2,147,483,000 is too many")
        self.words = vocabulary.words()
        if settings.vocabulary is not None or settings.min_count > 1:
            counts = self._cut(raw, counts)
        return Positions.of_file(raw, length + settings.order + 1, np.int32), counts

    def _cut(self, raw: Path, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Give the words outside the vocabulary the id of `<unk>`."""
        new = cut_vocabulary(counts, self.settings.vocabulary, self.settings.min_count)
        ids = Positions.of_file(raw, raw.stat().st_size // 4, np.int32)
        for start, block in ids.blocks(1 << 22):
            ids.write(start, new[block])
        kept = new > 0
        kept[0] = True
        self.words = [
            word for word, wanted in zip(self.words, kept.tolist(), strict=True) if wanted
        ]
        return np.bincount(new, counts, minlength=len(self.words)).astype(np.int64)

    def _bucket(self, length: int) -> int:
        """Positions to sort at a time: a third of the memory, for all threads together."""
        fitting = self.settings.memory // (3 * PLACE * self.settings.threads)
        return max(1 << 14, min(BUCKET, length, fitting))

    def _sort(
        self,
        cuts: Sequence[tuple[int, int]],
        tokens: Positions,
        tally: NgramCounts,
        counts: Sequence[Positions],
        workspace: Workspace,
    ) -> list[Shelved]:
        order = self.settings.order

        def sort(cut: tuple[int, int]) -> tuple[Shelved, Longs, Longs] | None:
            bucket = sort_bucket(tokens, *cut, order, tally.vocabulary, order)
            if not len(bucket.places):
                return None
            seen, kept = count_bucket(bucket, tokens.take(bucket.places), tally, counts)
            return shelve(bucket, workspace), seen, kept

        buckets = []
        for number, made in enumerate(map_in_order(sort, cuts, self.settings.threads), 1):
            if made is not None:
                buckets.append(made[0])
                tally.seen += made[1]
                tally.kept += made[2]
            self.watch("sorting", number, len(cuts))
        for positions in counts:  # the first word follows the `<s>` that the last `</s>` stands for
            positions.copy_item(order, positions.length - 1)
        return buckets

    def _weigh(
        self,
        n: int,
        tokens: Positions,
        buckets: Sequence[Shelved],
        counts: Positions,
        workspace: Workspace,
        discounts: Discounts,
        writer: TrieWriter,
    ) -> Positions:
        weights = workspace.positions(tokens.length, np.complex64)

        def weigh(shelved: Shelved) -> npt.NDArray[Any]:
            bucket = shelved.sorted
            runs, gamma = weigh_contexts(n, bucket, counts, weights, discounts)
            words = tokens.take(bucket.places) if n == 2 else bucket.places[:0]
            return writer.back_off(n - 1, bucket, runs, gamma, words)

        for number, values in enumerate(map_in_order(weigh, buckets, self.settings.threads), 1):
            writer.write_back_off(n - 1, values)
            self.watch(f"order {n}", number, len(buckets))
        counts.drop()
        weights.copy_item(weights.length - 1, self.settings.order)
        return weights
