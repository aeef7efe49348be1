"""ARPA files, plain, gzip or xz: read in blocks, up to the counts in the header, and written."""

from __future__ import annotations

import gzip
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError, PriscianWarning
from priscian.files import open_unpacked
from priscian.models.ngram.trie import BOS, EOS, SPECIAL, UNK, Level, Trie, group
from priscian.models.ngram.trie_file import LOWEST, writing

if TYPE_CHECKING:
    import polars as pl

UNSEEN = -100.0
"""Log10 probability of `<unk>` in a file that gives none, as in KenLM."""
RATIO = 25
"""How many times its size a compressed model may unpack to; real ones have about 5."""
PER_WORD, PER_NGRAM = 250, 110
"""Bytes that each takes while a model is built."""
ROOM, GROWTH = 3 << 30, 40
"""Bytes that any model may take, and how many times the size of its file; real ones take 20."""
BLOCK = 1 << 24
LONGEST_LINE = 1 << 16
SAMPLE = 1 << 13
"""N-grams of each block that are checked for duplicates, so that a file that repeats itself
endlessly is refused early; the rest is compared when everything has been read."""
MOST_HEAD = 1000
"""Most lines before `\\data\\`; they are ignored."""
_COUNT = re.compile(rb"ngram\s+(\d{1,2})\s*=\s*(\d{1,12})")

Array = npt.NDArray[Any]
Nodes = npt.NDArray[np.int64]

NGRAMS = 1 << 19


def read_arpa(path: Path) -> Trie:
    """The model in an ARPA file."""
    import polars as pl

    try:
        with open_unpacked(path, ModelError, RATIO) as (stream, raw):
            lines = _Lines(path, stream)
            counts = lines.counts()
            needed = PER_WORD * counts[0] + PER_NGRAM * sum(counts[1:])
            if stream is not raw and needed > max(ROOM, GROWTH * path.stat().st_size):
                raise ModelError(
                    f"{path}: {sum(counts):,} n-grams are far more than a real file of its size "
                    "has: it is damaged or made to fill the memory; unpack it first if you trust it"
                )
            words, first = _unigrams(path, _section(lines, 1, len(counts), counts[0]))
            rows = [first]
            known = pl.Enum(words)
            for n, count in enumerate(counts[1:], 2):
                rows.append(_ngrams(path, _section(lines, n, len(counts), count), n, known))
        return build_trie(words, rows)
    except DoubledNgramError as error:
        raise ModelError(
            f"{path}: the {len(error.ngram)}-gram {' '.join(error.ngram)!r} occurs twice; "
            "the file is damaged"
        ) from None


class _Lines:
    """The lines of a file: the header line by line, n-grams in blocks."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self.path = path
        self._stream = stream
        self._rest = b""
        self.line = 1
        """The number of the next line."""

    def next_line(self) -> bytes | None:
        """One line, stripped; None at the end of the file."""
        if self._rest:
            end = self._rest.find(b"\n") + 1 or len(self._rest)
            text, self._rest = self._rest[:end], self._rest[end:]
        else:
            text = self._read_line()
        if not text:
            return None
        self.line += 1
        return text.strip()

    def block(self) -> tuple[int, bytes]:
        """Whole lines up to the next with a backslash, and the number of the first."""
        data = self._rest or self._stream.read(BLOCK)
        if data and not data.endswith(b"\n"):
            data += self._read_line()
        end = 0 if data.startswith(b"\\") else data.find(b"\n\\") + 1 or len(data)
        mine, self._rest = data[:end], data[end:]
        first = self.line
        if b"\0" in mine:
            raise ModelError(
                f"{self.path}:{first + mine.count(10, 0, mine.index(0))}: a zero byte; the file is "
                "damaged or not ARPA"
            )
        self.line += mine.count(b"\n") + (bool(mine) and not mine.endswith(b"\n"))
        return first, mine.replace(b"\r\n", b"\n") if b"\r" in mine else mine

    def _read_line(self) -> bytes:
        text = self._stream.readline(LONGEST_LINE)
        if len(text) == LONGEST_LINE and not text.endswith(b"\n"):
            raise ModelError(
                f"{self.path}:{self.line}: a line of more than {LONGEST_LINE:,} bytes; "
                "the file is damaged or not ARPA"
            )
        return text

    def counts(self) -> list[int]:
        """The number of n-grams of each order, as `\\data\\` gives them."""
        while (text := self.next_line()) != b"\\data\\":
            if text is None or self.line > MOST_HEAD:
                raise ModelError(
                    f"{self.path} is not an ARPA file: there is no line \\data\\; check the path"
                )
        counts: list[int] = []
        while text := self.next_line():
            match = _COUNT.fullmatch(text)
            if not match or int(match[1]) != len(counts) + 1:
                raise ModelError(
                    f"{self.path}:{self.line - 1}: {_shown(text)} where `ngram N=COUNT` "
                    "should be; the file is damaged"
                )
            counts.append(int(match[2]))
        if not counts or not counts[0]:
            raise ModelError(
                f"{self.path}:{self.line - 1}: \\data\\ "
                + ("says that there are no words" if counts else "gives no counts")
                + "; the file is damaged or empty"
            )
        return counts

    def expect(self, title: str) -> None:
        """Skip blank lines to the line of that title."""
        text: bytes | None = b""
        while text == b"":
            text = self.next_line()
        if text is None:
            raise ModelError(
                f"{self.path} is cut off: it ends at line {self.line - 1} without {title}; "
                "copy it again"
            )
        if text != title.encode():
            raise ModelError(
                f"{self.path}:{self.line - 1}: {_shown(text)} where {title} should be; "
                "the file is damaged"
            )


def _section(
    lines: _Lines, n: int, order: int, count: int
) -> Iterator[tuple[int, bytes, pl.DataFrame]]:
    """The n-grams of one order, a block at a time: first line, text, and columns of the table."""
    lines.expect(f"\\{n}-grams:")
    title, found = lines.line - 1, 0
    while True:
        first, data = lines.block()
        if not data:
            break
        frame = _table(lines.path, first, data, n)
        found += len(frame)
        if found > count:
            break
        if len(frame):
            yield first, data, frame
    if found != count:
        more = "more than" if found > count else "only"
        raise ModelError(
            f"{lines.path}:{title}: {more} {found:,} {n}-grams follow, but the header "
            f"says {count:,}; copy or make it again"
        )
    if n == order:
        lines.expect("\\end\\")


def _table(path: Path, first: int, data: bytes, n: int) -> pl.DataFrame:
    """Columns prob, words, backoff of some lines; blank ones are left out."""
    import polars as pl

    try:
        lines = pl.read_csv(
            data,
            has_header=False,
            separator="\x01",
            quote_char=None,
            schema={"line": pl.String},
        ).filter(pl.col("line").str.len_bytes() > 0)
    except pl.exceptions.NoDataError:
        lines = pl.DataFrame(schema={"line": pl.String})
    except pl.exceptions.PolarsError:
        raise _bad_line(path, first, data, n) from None
    parts = lines["line"].str.splitn("\t", 3).struct.unnest()
    parts.columns = ["prob", "words", "backoff"]
    frame = parts.with_columns(
        pl.col("prob").cast(pl.Float64, strict=False),
        pl.col("backoff").fill_null("0").cast(pl.Float64, strict=False),
    )
    sound = frame.select(
        pl.col("prob").is_between(LOWEST, 0)
        & (pl.col("backoff").abs() <= -LOWEST)
        & (pl.col("words").str.count_matches(" ", literal=True) == n - 1)
        & (pl.col("words").str.len_bytes() >= 2 * n - 1)
    ).to_series()
    if not sound.fill_null(False).all():
        raise _bad_line(path, first, data, n)
    return frame


def _bad_line(path: Path, first: int, data: bytes, n: int) -> ModelError:
    """Report the first line that is not an n-gram."""
    for number, text in enumerate(data.split(b"\n"), first):
        parts = text.split(b"\t")
        words = parts[1].split(b" ") if 2 <= len(parts) <= 3 else []
        sound = len(words) == n and all(words)
        try:
            text.decode()
            values = [float(part) for part in (parts[0], *parts[2:])] if sound else []
        except ValueError:
            sound = False
        # comparisons with NaN are false
        if text and not (
            sound and LOWEST <= values[0] <= 0 and all(abs(value) <= -LOWEST for value in values)
        ):
            return ModelError(
                f"{path}:{number}: {_shown(text)} is not a {n}-gram (log10 probability, tab, "
                f"{n} words, tab, back-off); the file is damaged or not ARPA"
            )
    return ModelError(f"{path}:{first}: the {n}-grams that follow cannot be read; copy it")


def _shown(text: bytes) -> str:
    return repr(text[:60].decode(errors="replace"))


def _unigrams(
    path: Path, section: Iterator[tuple[int, bytes, pl.DataFrame]]
) -> tuple[tuple[str, ...], NgramRows]:
    """Words by id: our ids for special words, then the order of the file."""
    names: list[str] = []
    probs: dict[str, float] = {}
    backoffs: dict[str, float] = {}
    for _, _, frame in section:
        own = frame["words"].to_list()
        names += own
        probs |= zip(own, frame["prob"].to_list(), strict=True)
        backoffs |= zip(own, frame["backoff"].to_list(), strict=True)
        if len(probs) != len(names):
            seen: set[str] = set()
            twice = next(w for w in names if w in seen or seen.add(w))  # type: ignore[func-returns-value]
            raise ModelError(f"{path}: the word {twice!r} occurs twice; the file is damaged")
    for special in (BOS, EOS):
        if SPECIAL[special] not in probs:
            warnings.warn(
                f"{path} has no word {SPECIAL[special]}: the model knows nothing of the "
                f"{'beginnings' if special == BOS else 'ends'} of sentences",
                PriscianWarning,
                stacklevel=2,
            )
    if SPECIAL[UNK] not in probs and "<UNK>" in probs:
        probs[SPECIAL[UNK]], backoffs[SPECIAL[UNK]] = probs["<UNK>"], backoffs["<UNK>"]
    for special, missing in ((UNK, UNSEEN), (BOS, 0.0), (EOS, UNSEEN)):
        probs.setdefault(SPECIAL[special], missing)
        backoffs.setdefault(SPECIAL[special], 0.0)
    words = (*SPECIAL, *(w for w in names if w not in SPECIAL))
    return words, NgramRows(
        np.arange(len(words), dtype=np.int32)[None],
        np.array([probs[w] for w in words]),
        np.array([backoffs[w] for w in words]),
    )


def _ngrams(
    path: Path, section: Iterator[tuple[int, bytes, pl.DataFrame]], n: int, known: pl.Enum
) -> NgramRows:
    """The n-grams of an order; a word's id is its place in `known`."""
    import polars as pl

    ids: list[npt.NDArray[Any]] = [np.zeros((n, 0), np.int32)]
    probs, backoffs = [np.zeros(0)], [np.zeros(0)]
    for first, data, frame in section:
        doubled = frame["words"].head(SAMPLE).is_duplicated()
        if doubled.any():
            raise DoubledNgramError(tuple(frame["words"][doubled.arg_max() or 0].split(" ")))
        columns: list[npt.NDArray[Any]] = []
        for column in frame["words"].str.split_exact(" ", n - 1).struct.unnest():
            try:
                numbers = column.cast(known)
            except pl.exceptions.PolarsError:
                numbers = column.cast(known, strict=False)
            if numbers.null_count():
                at = int(numbers.is_null().arg_max() or 0)
                full = [k for k, text in enumerate(data.split(b"\n"), first) if text]
                raise ModelError(
                    f"{path}:{full[at]}: {frame['words'][at]!r} has a word that is not among "
                    f"the 1-grams, or too few words; the file is damaged"
                )
            columns.append(numbers.to_physical().to_numpy().astype(np.int32))
        ids.append(np.stack(columns))
        probs.append(frame["prob"].to_numpy())
        backoffs.append(frame["backoff"].to_numpy())
    return NgramRows(np.concatenate(ids, axis=1), np.concatenate(probs), np.concatenate(backoffs))


@dataclass(frozen=True, slots=True)
class NgramRows:
    """N-grams of one order: word ids (order, n-grams), log10 probabilities and back-offs.

    The probability of an n-gram that is only implied by a longer one is NaN.
    """

    words: Array
    probs: Array
    backoffs: Array

    def __len__(self) -> int:
        return len(self.probs)


def build_trie(words: tuple[str, ...], rows: Sequence[NgramRows]) -> Trie:
    """Sort every order and link it to the one below."""
    try:
        return _build(words, rows)
    except _MissingEndError:
        return _build(words, _add_ends(rows))


class _MissingEndError(Exception):
    """An n-gram occurs without its suffix, the n-gram without the first word."""


class DoubledNgramError(Exception):
    """An n-gram occurs twice."""

    def __init__(self, ngram: tuple[str, ...]) -> None:
        super().__init__(" ".join(ngram))
        self.ngram = ngram


def _build(words: tuple[str, ...], rows: Sequence[NgramRows]) -> Trie:
    first = rows[0]
    order = len(rows)
    levels = [
        Level(
            None,
            first.probs.astype(np.float32),
            first.backoffs.astype(np.float32) if order > 1 else None,
            None,
        )
    ]
    for n, row in enumerate(rows[1:], 2):
        trie = Trie(words, tuple(levels))
        parent = find_ngrams(trie, row.words[1:])
        if len(parent) and parent.min() < 0:
            raise _MissingEndError
        key = parent * len(words) + row.words[0]
        at = np.argsort(key)
        twice = np.flatnonzero(np.diff(key[at]) == 0)
        if len(twice):
            raise DoubledNgramError(tuple(words[k] for k in row.words[:, at[twice[0]]]))
        probs = np.where(np.isnan(row.probs), _implied(trie, row), row.probs)
        counts = np.bincount(parent, minlength=len(levels[-1].probs))
        below = levels[-1]
        levels[-1] = Level(
            below.words,
            below.probs,
            below.backoffs,
            np.concatenate(([0], np.cumsum(counts))).astype(np.uint32),
        )
        levels.append(
            Level(
                row.words[0][at].astype(np.uint32),
                probs[at].astype(np.float32),
                row.backoffs[at].astype(np.float32) if n < order else None,
                None,
            )
        )
    return Trie(words, tuple(levels))


def find_ngrams(trie: Trie, words: Array) -> Nodes:
    """The n-gram of each column of word ids, or -1 if there is none."""
    size = words.shape[1]
    found = np.full(size, -1, np.int64)
    places = np.arange(size, dtype=np.int64)
    nodes = words[-1].astype(np.int64)
    run = nodes
    for n in range(2, len(words) + 1):
        places, heads, outer, run = group(places, run, words[-n][places], len(trie.words))
        child = trie.find_child(n - 1, nodes[run[heads]] if n > 2 else run[heads], outer[heads])
        sizes = np.diff(heads, append=len(places))
        hit = child >= 0
        places = places[np.repeat(hit, sizes)]
        nodes, sizes = child[hit], sizes[hit]
        run = np.repeat(np.arange(len(nodes)), sizes)
    found[places] = nodes[run] if len(words) > 1 else nodes
    return found


def _implied(trie: Trie, row: NgramRows) -> Array:
    """Back-off of the context times the shorter n-gram's probability, for rows without one."""
    values = np.zeros(len(row))
    blank = np.flatnonzero(np.isnan(row.probs))
    if not len(blank):
        return values
    level = trie.levels[len(row.words) - 2]
    context = find_ngrams(trie, row.words[:-1][:, blank])
    shorter = find_ngrams(trie, row.words[1:][:, blank])
    backoff = np.where(context >= 0, level.backoff(np.maximum(context, 0)), 0.0)
    values[blank] = level.prob(shorter) + backoff
    return values


def _add_ends(rows: Sequence[NgramRows]) -> list[NgramRows]:
    """Add the n-grams that longer ones imply, from the highest order down."""
    full = list(rows)
    for n in range(len(full), 2, -1):
        longer, shorter = full[n - 1], full[n - 2]
        ends = np.unique(longer.words[1:], axis=1)
        both = np.concatenate((shorter.words, ends), axis=1)
        _, first = np.unique(both, axis=1, return_index=True)
        new = both[:, first[first >= len(shorter)]]
        full[n - 2] = NgramRows(
            np.concatenate((shorter.words, new), axis=1),
            np.concatenate((shorter.probs, np.full(new.shape[1], np.nan))),
            np.concatenate((shorter.backoffs, np.zeros(new.shape[1]))),
        )
    return full


def write_arpa(
    trie: Trie, path: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> None:
    """The model as text; gzip if the name ends in .gz."""
    with writing(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile(path.name, "wb", 6, file, mtime=0) as packed:
                _write_text(trie, cast(BinaryIO, packed), progress)
        else:
            _write_text(trie, file, progress)


def _write_text(trie: Trie, file: BinaryIO, progress: Callable[[int, int], None]) -> None:
    import polars as pl

    names = pl.Series("names", list(trie.words), pl.String)
    sizes = [len(level.probs) for level in trie.levels]
    head = "".join(f"ngram {n}={size}\n" for n, size in enumerate(sizes, 1))
    file.write(f"\\data\\\n{head}".encode())
    done = 0
    for n in range(1, trie.order + 1):
        file.write(f"\n\\{n}-grams:\n".encode())
        for nodes, words in _blocks(trie, n):
            columns = {"prob": _as_written(trie.levels[n - 1].prob(nodes))}
            ngrams = pl.DataFrame(
                {str(k): names.gather(word) for k, word in enumerate(words)}
            ).select(pl.concat_str(pl.all(), separator=" "))
            frame = pl.DataFrame(columns).with_columns(ngrams.to_series().alias("words"))
            if n < trie.order:
                backoff = _as_written(trie.levels[n - 1].backoff(nodes))
                frame = frame.with_columns(pl.Series("backoff", backoff))
            frame.write_csv(file, include_header=False, separator="\t", quote_style="never")
            done += len(nodes)
            progress(done, sum(sizes))
    file.write(b"\n\\end\\\n")


def _as_written(values: Array) -> Array:
    return (values + 0.0).astype(np.float32)  # no negative zero


def _blocks(trie: Trie, n: int) -> Iterator[tuple[Array, list[Array]]]:
    """N-grams of an order with their words, from the first to the last."""
    size = len(trie.levels[n - 1].probs)
    for start in range(0, size, NGRAMS):
        nodes: Array = np.arange(start, min(start + NGRAMS, size))
        words = []
        inner = nodes
        for k in range(n, 1, -1):
            outer, begin = trie.levels[k - 1].words, trie.levels[k - 2].begin
            assert outer is not None
            assert begin is not None
            words.append(outer[inner].astype(np.uint32))
            low = int(np.searchsorted(begin, inner[0], "right")) - 1
            high = int(np.searchsorted(begin, inner[-1], "right"))
            near = begin[low:high].astype(np.int64)
            inner = low + np.searchsorted(near, inner, "right") - 1
        words.append(inner.astype(np.uint32))
        yield nodes, words
