"""Surprisals that were made elsewhere: a table of sentence, token and surprisal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from priscian.datasets.alignment import align, forms, is_boundary, is_unknown
from priscian.errors import DataError, UnknownNameError
from priscian.files.delimited import read_delimited
from priscian.files.rows import PathLike, Row
from priscian.records import Text, TokenScores

SENTENCE = ("sentence", "text", "sentence_text", "sent")
NUMBER = ("sentence_id", "sent_id", "sentence_number", "sentence_index")
TOKEN = ("token", "word", "piece", "token_text")
SURPRISAL = ("surprisal", "surp", "bits", "rt", "reading_time", "value")
START = ("start", "char_start")

UNITS: dict[str, float] = {"bits": math.log(2), "nats": 1.0, "log10": math.log(10)}
"""Nats in one unit; times in milliseconds count as bits: only their order and sums matter."""

Unit = Literal["bits", "nats", "log10"]


@dataclass(frozen=True, slots=True)
class _Row:
    """A token of a sentence, and where it stands in the file."""

    token: str
    value: str
    line: int
    start: int | None

    def number(self, file: Path) -> float:
        """The surprisal; NaN where there is none. Read late: other sentences may be sound."""
        if self.value.lower() in ("", "nan", "na", "none"):
            return math.nan
        try:
            found = float(self.value)
        except ValueError:
            found = math.inf
        if not math.isfinite(found):
            raise DataError(
                f"{file}:{self.line}: the surprisal of {self.token!r} is {self.value!r}; write a "
                "number, or leave the cell empty where there is none"
            )
        return found


@dataclass(frozen=True, slots=True)
class SurprisalTable:
    """Sentences with their tokens' surprisals; a text is found whatever its spaces and capitals."""

    file: Path
    unit: str
    rows: Mapping[str, Sequence[_Row]]
    by_plain_text: Mapping[str, str] = field(default_factory=dict)
    patterns: Sequence[tuple[re.Pattern[str], str]] = ()
    """Of sentences put together from tokens, some of which hide a word."""

    def __contains__(self, text: Text) -> bool:
        return self._key(text) is not None

    def _key(self, text: Text) -> str | None:
        if text.text in self.rows:
            return text.text
        wanted = plain(text.text)
        if wanted in self.by_plain_text:
            return self.by_plain_text[wanted]
        return next((key for pattern, key in self.patterns if pattern.fullmatch(wanted)), None)

    def scores(self, text: Text) -> TokenScores:
        """The tokens of a text; one that is missing is an error that names it."""
        key = self._key(text)
        if key is None:
            raise DataError(
                f"{self.file}: no surprisals of the sentence {text.text!r}; add its tokens"
            )
        rows = _without_bos(self.rows[key])
        ends = [row for row in rows[-1:] if is_boundary(row.token)]
        inner = rows[: len(rows) - len(ends)]
        places = self._places(text.text, inner, trusted=key == text.text)
        # EOS starts where the text ends
        places += [(len(text.text), len(text.text)) for _ in ends]
        nats = UNITS[self.unit]
        return TokenScores(
            starts=tuple(start for start, _ in places),
            ends=tuple(end for _, end in places),
            logps=tuple(-row.number(self.file) * nats for row in [*inner, *ends]),
        )

    def _places(self, text: str, rows: Sequence[_Row], trusted: bool) -> list[tuple[int, int]]:
        """Offsets of the file if its sentence is ours to the letter, else found by the tokens."""
        if not rows:
            raise DataError(f"{self.file}: the sentence {text!r} has no tokens; add them")
        if trusted and all(row.start is not None for row in rows):
            found = [(int(row.start or 0), int(row.start or 0) + len(row.token)) for row in rows]
            if all(0 <= start < len(text) for start, _ in found):
                return found
        try:
            return align(text, [row.token for row in rows])
        except DataError as error:
            raise DataError(f"{self.file}:{rows[0].line}: {error}") from None


def plain(text: str) -> str:
    """A text without spaces and capitals, to know it again in another tool's spelling."""
    return re.sub(r"\s+", "", text).casefold()


def _without_bos(rows: Sequence[_Row]) -> Sequence[_Row]:
    """BOS is never scored, even where it is spelt as EOS."""
    return rows[1:] if is_boundary(rows[0].token) else rows


def read_surprisals(file: PathLike, unit: str = "bits") -> SurprisalTable:
    """A TSV or CSV with the columns `sentence`, `token` and `surprisal`.

    Each row is a token; `sentence` holds the text, or `sentence_id` a number, and then the text is
    put together from the tokens. An optional column `start` gives character offsets. An empty or
    `nan` surprisal means that the token was not scored.
    """
    file = Path(file)
    if unit not in UNITS:
        raise UnknownNameError("unit of surprisal", unit, UNITS)
    if not file.is_file():
        raise DataError(f"no file {file}; give a table of sentence, token, surprisal")
    table = read_delimited(file, lambda header: bool(_pick(header, TOKEN)))
    header = list(table[0][1])
    token, value = _need(file, header, TOKEN), _need(file, header, SURPRISAL)
    sentence, number = _pick(header, SENTENCE), _pick(header, NUMBER)
    if not sentence and not number:
        _need(file, header, SENTENCE)
    if sentence and all(str(row[sentence]).strip().isdecimal() for _, row in table):
        sentence, number = None, sentence
    start = _pick(header, START)
    groups: dict[str, list[_Row]] = {}
    texts: dict[str, str] = {}
    run, before = 0, None
    for line, row in table:
        mark = (row.get(number or "", ""), row.get(sentence or "", ""))
        # the same sentence may come twice; its second set of tokens is a sentence of its own
        run += mark != before
        before = mark
        key = str(run)
        groups.setdefault(key, []).append(_read_row(file, line, row, token, value, start))
        texts[key] = mark[1] if sentence else ""
    return _table(file, unit, groups, texts)


def _table(
    file: Path, unit: str, groups: Mapping[str, list[_Row]], texts: Mapping[str, str]
) -> SurprisalTable:
    rows: dict[str, list[_Row]] = {}
    patterns: list[tuple[re.Pattern[str], str]] = []
    for key, members in groups.items():
        text = texts[key] or " ".join(r.token for r in members if not is_boundary(r.token))
        known = rows.get(text)
        if known and [(r.token, r.value) for r in known] != [(r.token, r.value) for r in members]:
            raise DataError(
                f"{file}:{members[0].line}: the sentence {text!r} has other tokens or surprisals "
                f"than on line {known[0].line}; keep one, or average them before"
            )
        rows.setdefault(text, members)
        if not texts[key] and not known:
            patterns.append((_pattern([r.token for r in members]), text))
    return SurprisalTable(file, unit, rows, {plain(text): text for text in rows}, tuple(patterns))


def _pattern(tokens: Sequence[str]) -> re.Pattern[str]:
    """What a sentence without spaces looks like, given its tokens: unknown words may be any."""
    parts = []
    for token in tokens:
        if is_unknown(token):
            parts.append(".+")
        elif not is_boundary(token):
            spelt = sorted({plain(form) for form in forms(token)}, key=len, reverse=True)
            parts.append(f"(?:{'|'.join(re.escape(form) for form in spelt)})")
    return re.compile("".join(parts))


def _read_row(file: Path, line: int, row: Row, token: str, value: str, start: str | None) -> _Row:
    if not str(row[token]).strip():
        raise DataError(f"{file}:{line}: the token is empty; write it or delete the row")
    begin = str(row[start]).strip() if start else ""
    place = int(begin) if begin.isdecimal() else None
    return _Row(str(row[token]), str(row[value]).strip(), line, place)


def _pick(header: Sequence[str], names: Sequence[str]) -> str | None:
    lowered = {name.lower(): name for name in header}
    return next((lowered[name] for name in names if name in lowered), None)


def _need(file: Path, header: Sequence[str], names: Sequence[str]) -> str:
    found = _pick(header, names)
    if found is None:
        raise DataError(
            f"{file}:1: no column {names[0]!r} (found: {', '.join(header)}); "
            "the table needs sentence, token and surprisal"
        )
    return found
