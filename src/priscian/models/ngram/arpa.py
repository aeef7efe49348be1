"""ARPA files, plain or gzip: read whole sections at a time, write in blocks."""

from __future__ import annotations

import gzip
import lzma
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.models.ngram.build import Rows, build_trie
from priscian.models.ngram.trie import Trie
from priscian.models.ngram.words import BOS, EOS, SPECIAL, UNK

if TYPE_CHECKING:
    import polars as pl

UNSEEN = -100.0
"""Log10 probability of `<unk>` in a file that gives none, as in KenLM."""
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")


def read_arpa(path: Path) -> Trie:
    """The model in an ARPA file."""
    data = _read(path)
    if b"\r\n" in data[:4096]:
        data = data.replace(b"\r\n", b"\n")
    counts = _header(path, data)
    words: tuple[str, ...] = ()
    rows = []
    at = 0
    for n, count in enumerate(counts, 1):
        start, stop = _section(path, data, n, len(counts), at)
        frame = _table(path, data, start, stop, n, count)
        if n == 1:
            words, row = _unigrams(path, frame)
        else:
            row = _rows(path, data, frame, n, words, start)
        rows.append(row)
        at = stop
    return build_trie(words, rows)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            head = file.read(6)
        if head[:2] == b"\x1f\x8b":
            with gzip.open(path) as packed:
                return packed.read()
        if head == b"\xfd7zXZ\x00":
            with lzma.open(path) as packed_xz:
                return packed_xz.read()
        return path.read_bytes()
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise ModelError(f"{path} cannot be unpacked: {error}; copy it again") from None
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}") from None


def _header(path: Path, data: bytes) -> list[int]:
    begin = data.find(b"\\data\\")
    if begin < 0:
        raise ModelError(f"{path} is not an ARPA file: there is no line \\data\\")
    counts: list[int] = []
    line = data.count(b"\n", 0, begin) + 1
    for text in data[begin : begin + 4096].split(b"\n")[1:]:
        line += 1
        if not text.strip():
            break
        match = _COUNT.fullmatch(text.strip())
        if not match or int(match[1]) != len(counts) + 1:
            shown = text[:60].decode(errors="replace")
            raise ModelError(f"{path}, line {line}: {shown!r} where `ngram N=COUNT` should be")
        counts.append(int(match[2]))
    if not counts:
        raise ModelError(f"{path}, line {line}: \\data\\ gives no counts")
    return counts


def _section(path: Path, data: bytes, n: int, order: int, at: int) -> tuple[int, int]:
    """Where the n-grams of an order begin and end."""
    title = b"\\%d-grams:" % n
    begin = data.find(b"\n" + title, at)
    if begin < 0:
        line = _last_line(data)
        raise ModelError(f"{path} ends at line {line} without {title.decode()}; copy it again")
    start = data.find(b"\n", begin + 1) + 1
    following = b"\n\\end\\" if n == order else b"\n\\%d-grams:" % (n + 1)
    stop = data.find(following, start - 1)
    if stop < 0:
        line = _last_line(data)
        wanted = following.strip().decode()
        raise ModelError(f"{path} is cut off: it ends at line {line} without {wanted}")
    while stop > start and data[stop - 1 : stop] in (b"\n", b"\r"):
        stop -= 1
    return start, stop


def _last_line(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n"))


def _table(path: Path, data: bytes, start: int, stop: int, n: int, count: int) -> pl.DataFrame:
    """Columns prob, words, backoff of a section."""
    import polars as pl

    try:
        lines = pl.read_csv(
            data[start:stop],
            has_header=False,
            separator="\x01",
            quote_char=None,
            schema={"line": pl.String},
        )
    except pl.exceptions.PolarsError:
        raise _bad_line(path, data, start, stop, n) from None
    parts = lines["line"].str.splitn("\t", 3).struct.unnest()
    parts.columns = ["prob", "words", "backoff"]
    frame = parts.with_columns(
        pl.col("prob").cast(pl.Float64, strict=False),
        pl.col("backoff").fill_null("0").cast(pl.Float64, strict=False),
    )
    sound = frame.select(
        (pl.col("prob") <= 0)
        & pl.col("backoff").is_finite()
        & (pl.col("words").str.count_matches(" ", literal=True) == n - 1)
    ).to_series()
    if not sound.fill_null(False).all():
        raise _bad_line(path, data, start, stop, n)
    if len(frame) != count:
        line = data.count(b"\n", 0, start)
        raise ModelError(
            f"{path}, line {line}: {len(frame):,} {n}-grams follow, but the head of the file says "
            f"{count:,}; copy or make it again"
        )
    return frame


def _bad_line(path: Path, data: bytes, start: int, stop: int, n: int) -> ModelError:
    """Name the first line that is not an n-gram."""
    first = data.count(b"\n", 0, start) + 1
    for number, text in enumerate(data[start:stop].split(b"\n"), first):
        parts = text.rstrip(b"\r").split(b"\t")
        if not _is_entry(parts, n):
            shown = text[:60].decode(errors="replace")
            return ModelError(
                f"{path}, line {number}: {shown!r} is not a {n}-gram (log10 probability, tab, "
                f"{n} words, tab, back-off); the file is damaged or not ARPA"
            )
    return ModelError(f"{path}, line {first}: the {n}-grams cannot be read")


def _is_entry(parts: list[bytes], n: int) -> bool:
    if not 2 <= len(parts) <= 3 or len(parts[1].split(b" ")) != n:
        return False
    try:
        return float(parts[0]) <= 0 and all(np.isfinite(float(p)) for p in parts[2:])
    except ValueError:
        return False


def _unigrams(path: Path, frame: pl.DataFrame) -> tuple[tuple[str, ...], Rows]:
    """Words by id, ours for the special ones; the others in the order of the file."""
    names: list[str] = frame["words"].to_list()
    probs = dict(zip(names, frame["prob"].to_list(), strict=True))
    backoffs = dict(zip(names, frame["backoff"].to_list(), strict=True))
    if len(probs) != len(names):
        seen: set[str] = set()
        twice = next(w for w in names if w in seen or seen.add(w))  # type: ignore[func-returns-value]
        raise ModelError(f"{path}: the word {twice!r} is there twice; the file is damaged")
    if SPECIAL[UNK] not in probs and "<UNK>" in probs:
        probs[SPECIAL[UNK]], backoffs[SPECIAL[UNK]] = probs["<UNK>"], backoffs["<UNK>"]
    for special, missing in ((UNK, UNSEEN), (BOS, 0.0), (EOS, UNSEEN)):
        probs.setdefault(SPECIAL[special], missing)
        backoffs.setdefault(SPECIAL[special], 0.0)
    words = (*SPECIAL, *(w for w in names if w not in SPECIAL))
    return words, Rows(
        np.arange(len(words), dtype=np.int32)[None],
        np.array([probs[w] for w in words]),
        np.array([backoffs[w] for w in words]),
    )


def _rows(
    path: Path, data: bytes, frame: pl.DataFrame, n: int, words: tuple[str, ...], start: int
) -> Rows:
    """Word ids of the n-grams of an order."""
    import polars as pl

    parts = frame["words"].str.split_exact(" ", n - 1).struct.unnest()
    vocabulary = pl.Enum(words)
    columns: list[npt.NDArray[Any]] = []
    for name in parts.columns:
        try:
            column = parts[name].cast(vocabulary)
        except pl.exceptions.PolarsError:
            column = parts[name].cast(vocabulary, strict=False)
        if column.null_count():
            at = int(column.is_null().arg_max() or 0)
            line = data.count(b"\n", 0, start) + 1 + at
            raise ModelError(
                f"{path}, line {line}: {frame['words'][at]!r} has a word that is not among the "
                f"1-grams, or too few words; the file is damaged"
            )
        columns.append(column.to_physical().to_numpy().astype(np.int32))
    return Rows(np.stack(columns), frame["prob"].to_numpy(), frame["backoff"].to_numpy())
