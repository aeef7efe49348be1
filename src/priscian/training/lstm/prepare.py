"""Corpora to pieces and token ids, kept in the training's folder so that it can be resumed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from priscian.errors import DataError, UsageError
from priscian.models.lstm.pieces import Pieces
from priscian.training.lstm.batches import Sentences, encode_sentences
from priscian.training.lstm.sentences import count_words, learn_pieces, read_sentences

HELD_OUT = 50  # of every 100 paragraphs, this one is never trained on
SHORTEST, LONGEST = 2, 40
LARGEST = 2**16 - 1


@dataclass(frozen=True, slots=True)
class Corpus:
    """All that training reads: the main text, the extra sentences, one per cent held out."""

    pieces: Pieces
    main: Sentences
    extra: Sentences
    held_out: Sentences
    held_out_words: int


def prepare(
    corpus: Sequence[Path],
    extra: Sequence[Path],
    vocabulary: int,
    folder: Path,
    report: Callable[[str], None],
) -> Corpus:
    """Read the corpora, or what a former run made of the same files and the same vocabulary."""
    if vocabulary > LARGEST:
        raise UsageError(f"a vocabulary of {vocabulary} is too large; take at most {LARGEST}")
    folder.mkdir(parents=True, exist_ok=True)
    mark = _mark(corpus, extra, vocabulary)
    path = folder / "corpus.npz"
    if path.exists():
        with np.load(path, allow_pickle=False) as saved:
            if str(saved["mark"]) != mark:
                raise UsageError(
                    f"{folder} holds a training on another corpus or vocabulary; name a new folder"
                )
            return _load(saved)
    report("reading")
    paragraphs = list(read_sentences(corpus))
    added = [sentence for _, sentence in read_sentences(extra)]
    if not paragraphs:
        raise DataError(f"{', '.join(map(str, corpus))}: there is no sentence in it; name a text")
    report(f"{len(paragraphs) + len(added):,} sentences; learning {vocabulary:,} pieces")
    pieces = learn_pieces(count_words(chain((s for _, s in paragraphs), added)), vocabulary)
    report("encoding")
    held = [s for number, s in paragraphs if number % 100 == HELD_OUT]
    kept = [s for number, s in paragraphs if number % 100 != HELD_OUT]
    held_out, words = encode_sentences(pieces, held, SHORTEST, LONGEST)
    ready = Corpus(
        pieces,
        encode_sentences(pieces, kept, SHORTEST, LONGEST)[0],
        encode_sentences(pieces, added, SHORTEST, LONGEST)[0],
        held_out,
        words,
    )
    _save(path, ready, mark)
    return ready


def _mark(corpus: Sequence[Path], extra: Sequence[Path], vocabulary: int) -> str:
    """What the prepared corpus depends on: names and sizes of the files, and the vocabulary."""
    try:
        files = [[(p.name, p.stat().st_size) for p in paths] for paths in (corpus, extra)]
    except OSError as error:
        raise DataError(f"cannot read the corpus {error.filename}: {error.strerror}") from None
    return hashlib.sha256(json.dumps([files, vocabulary]).encode()).hexdigest()


def _save(path: Path, corpus: Corpus, mark: str) -> None:
    arrays = {
        f"{name}_{part}": getattr(getattr(corpus, name), part)
        for name in ("main", "extra", "held_out")
        for part in ("ids", "starts")
    }
    partial = path.with_name("corpus.part.npz")
    np.savez(
        partial,
        mark=np.array(mark),
        tokens=np.array(corpus.pieces.tokens),
        merges=np.array(corpus.pieces.merges),
        words=np.array(corpus.held_out_words),
        **arrays,
    )
    os.replace(partial, path)


def _load(saved: np.lib.npyio.NpzFile) -> Corpus:
    def sentences(name: str) -> Sentences:
        return Sentences(saved[f"{name}_ids"], saved[f"{name}_starts"])

    merges = tuple((str(a), str(b)) for a, b in saved["merges"])
    pieces = Pieces(tuple(map(str, saved["tokens"])), merges)
    main, extra, held_out = map(sentences, ("main", "extra", "held_out"))
    return Corpus(pieces, main, extra, held_out, int(saved["words"]))
