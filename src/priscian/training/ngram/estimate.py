"""Train an n-gram model: read, sort, count, smooth, write."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import DataError, UsageError
from priscian.models.ngram.trie import EOS
from priscian.models.ngram.trie_file import Writer, writing
from priscian.models.vocabulary.tokenise import Tokenisation
from priscian.training.ngram.smooth import (
    Discounts,
    Tally,
    Unigrams,
    close_circle,
    count_bucket,
    estimate_discounts,
    new_counts,
    weigh_contexts,
)
from priscian.training.ngram.sort import BUCKET, Shelved, cut_buckets, shelve, sort_bucket
from priscian.training.ngram.spill import Positions, Workspace, scratch_folder
from priscian.training.ngram.threads import count_threads, map_in_order
from priscian.training.ngram.word_ids import Vocabulary, cut_vocabulary, read_ids
from priscian.training.ngram.write_trie import Prepared, TrieWriter

HIGHEST_ORDER = 6
ALWAYS, WORD = 256 << 20, 200
"""Bytes that a process needs whatever it does, and for each word of the vocabulary."""
PLACE = 150
"""Bytes that a thread needs for each position of the bucket that it works on, at most."""
Longs = npt.NDArray[np.int64]
Watch = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class NgramSettings:
    """All that decides what is estimated, and how much memory it may take."""

    order: int = 5
    prune: tuple[int, ...] = (0,)
    unk: str = "kenlm"
    vocabulary: int | None = None
    min_count: int = 1
    tokenisation: Tokenisation = field(default_factory=Tokenisation)
    split_sentences: bool = True
    memory: int = 2 << 30
    scratch: Path | None = None
    threads: int = field(default_factory=count_threads)

    def __post_init__(self) -> None:
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise UsageError(f"order must be 1 to {HIGHEST_ORDER}, not {self.order}")
        if self.unk not in {"kenlm", "srilm"}:
            raise UsageError(f"unk must be kenlm or srilm, not {self.unk!r}")
        if self.min_count < 1 or (self.vocabulary is not None and self.vocabulary < 1):
            raise UsageError("vocabulary and min-count must be 1 or more")
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
            f"prune {shown} would take away words; begin with 0 and use min-count for words"
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


@dataclass(frozen=True, slots=True)
class Trained:
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
) -> Trained:
    """Estimate a model from text files and write it to a `.pngm` file."""
    settings = settings or NgramSettings()
    corpus, target = [Path(f) for f in files], Path(out)
    if not corpus:
        raise UsageError("no corpus: name one text file or more")
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

    def run(self) -> Trained:
        order = self.settings.order
        tokens, word_counts = self._read()
        workspace = Workspace(self.folder if self._spills(tokens.length) else None)
        tokens = self._settle(tokens, workspace)
        vocabulary = len(self.words)
        tally = Tally.empty(order, vocabulary, self.settings.thresholds)
        counts = new_counts(workspace, order, tokens.length)
        buckets = self._sort(tokens, word_counts, tally, counts, workspace)
        discounts = tuple(estimate_discounts(tally.seen[n]) for n in range(order))
        unigrams = Unigrams.smooth(tally, discounts[0], self.settings.unk)
        with writing(self.out) as file:
            writer = TrieWriter(Writer(file), tally, self.words)
            weights = []
            for n in range(2, order + 1):
                weights.append(
                    self._weigh(
                        n, tokens, buckets, counts[n - 2], workspace, discounts[n - 1], writer
                    )
                )
            self._write(tokens, buckets, weights, unigrams, writer)
            writer.finish(unigrams.probabilities, self._facts(tally, discounts))
        kept = (vocabulary, *(int(k) for k in tally.kept[1:]))
        return Trained(
            self.out,
            kept,
            int(word_counts.sum()) - self.sentences,
            self.sentences,
            vocabulary,
            discounts,
            workspace.on_disk,
        )

    def _read(self) -> tuple[Positions, npt.NDArray[np.int64]]:
        """Word ids in a file, with `order` ends of sentence before them and one behind."""
        settings = self.settings
        vocabulary = Vocabulary()
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

    def _spills(self, length: int) -> bool:
        """Whether the arrays of this corpus would not fit in the memory that is allowed."""
        each = 14 + 8 * (self.settings.order - 1)
        at_work = self._bucket(length) * PLACE * self.settings.threads
        words = len(self.words) * WORD
        return length * each + at_work + words + ALWAYS > self.settings.memory

    def _bucket(self, length: int) -> int:
        """Positions to sort at a time: a third of the memory, for all threads together."""
        fitting = self.settings.memory // (3 * PLACE * self.settings.threads)
        return max(1 << 14, min(BUCKET, length, fitting))

    def _settle(self, tokens: Positions, workspace: Workspace) -> Positions:
        """Read the word ids into memory if there is room."""
        if workspace.on_disk:
            return tokens
        held = workspace.positions(tokens.length, np.int32)
        for start, block in tokens.blocks(1 << 22):
            held.write(start, block)
        tokens.drop()
        return held

    def _sort(
        self,
        tokens: Positions,
        word_counts: npt.NDArray[np.int64],
        tally: Tally,
        counts: Sequence[Positions],
        workspace: Workspace,
    ) -> list[Shelved]:
        order = self.settings.order
        cuts = cut_buckets(word_counts, self._bucket(tokens.length))

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
        for positions in counts:
            close_circle(positions, order)
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
        close_circle(weights, self.settings.order, copy_back=True)
        return weights

    def _write(
        self,
        tokens: Positions,
        buckets: Sequence[Shelved],
        weights: Sequence[Positions],
        unigrams: Unigrams,
        writer: TrieWriter,
    ) -> None:
        def prepare(shelved: Shelved) -> list[Prepared]:
            return writer.prepare(shelved.sorted, unigrams.probabilities, weights, tokens)

        for number, part in enumerate(map_in_order(prepare, buckets, self.settings.threads), 1):
            writer.write(part)
            self.watch("writing", number, len(buckets))

    def _facts(self, tally: Tally, discounts: Sequence[Discounts]) -> dict[str, object]:
        settings = self.settings
        return {
            "order": settings.order,
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
