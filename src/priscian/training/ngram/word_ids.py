"""A corpus as one long row of word ids, every sentence ended by `</s>`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian.errors import DataError
from priscian.models.ngram.trie import EOS, SPECIAL, UNK
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.corpora import read_blocks, split_sentences

Ids = npt.NDArray[np.int32]
Progress = Callable[[int, int], None]


class Vocabulary(defaultdict[bytes, int]):
    """Words by id, in order of appearance; asking for a new word adds it."""

    def __init__(self) -> None:
        super().__init__(None, {word.encode(): number for number, word in enumerate(SPECIAL)})
        self.default_factory = self.__len__

    def words(self) -> list[str]:
        """The words, by id."""
        return [word.decode() for word in self]


def read_ids(
    files: Sequence[Path],
    vocabulary: Vocabulary,
    tokenisation: Tokenisation,
    split: bool,
    progress: Progress,
) -> Iterator[Ids]:
    """Word ids of the corpus, a block at a time; each sentence ends with `</s>`."""
    if tokenisation.words == "space" and not split:
        yield from _read_tokens(files, vocabulary, tokenisation, progress)
    else:
        yield from _read_text(files, vocabulary, tokenisation, split, progress)


def _read_tokens(
    files: Sequence[Path], vocabulary: Vocabulary, tokenisation: Tokenisation, progress: Progress
) -> Iterator[Ids]:
    """Words between spaces, a sentence a line, an empty line an empty sentence: as lmplz reads."""
    end = SPECIAL[EOS].encode()
    for path, line, block in read_blocks(files, progress):
        _refuse_special(path, line, block)
        if tokenisation.case == "lower":
            block = block.decode().lower().encode()
        words = block.replace(b"\n", b" " + end + b" ").split()
        yield np.fromiter(map(vocabulary.__getitem__, words), np.int32, len(words))


def _refuse_special(path: Path, line: int, block: bytes) -> None:
    for word in (b"<s>", b"</s>"):
        if word not in block:
            continue
        for number, text in enumerate(block.split(b"\n"), line):
            if word in text.split():
                raise DataError(
                    f"{path}, line {number}: the word {word.decode()} stands for the edge of a "
                    f"sentence and is added by us; take it out of the corpus"
                )


class _TextReader(dict[str, tuple[int, ...]]):
    """Ids of the words of what lies between two spaces."""

    def __init__(self, vocabulary: Vocabulary, splitter: WordSplitter, final: bool) -> None:
        super().__init__()
        self._vocabulary, self._splitter, self._final = vocabulary, splitter, final

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        pieces = self._splitter.chunk(chunk, self._final)
        found = tuple(self._vocabulary[form.encode()] for form, _, _ in pieces)
        if len(self) < 1_000_000:
            self[chunk] = found
        return found


def _read_text(
    files: Sequence[Path],
    vocabulary: Vocabulary,
    tokenisation: Tokenisation,
    split: bool,
    progress: Progress,
) -> Iterator[Ids]:
    splitter = WordSplitter(tokenisation)
    inner = _TextReader(vocabulary, splitter, False)
    final = _TextReader(vocabulary, splitter, True)
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
