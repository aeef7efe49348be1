"""Surprisals from elsewhere: a table of sentence, token and surprisal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from priscian.errors import DataError, UnknownNameError
from priscian.files import PathLike, Row, read_table, whole_number
from priscian.models.surprisals.alignment import Place, align
from priscian.models.surprisals.lookup import SentenceIndex, TableSentence, TokenRow
from priscian.records import Text, TokenScores

SENTENCE = ("sentence", "text", "sentence_text", "sent")
NUMBER = ("sentence_id", "sent_id", "sentence_number", "sentence_index")
TOKEN = ("token", "word", "piece", "token_text")
SURPRISAL = ("surprisal", "surp", "bits", "rt", "reading_time", "value")
START = ("start", "char_start")

UNITS: dict[str, float] = {"bits": math.log(2), "nats": 1.0, "log10": math.log(10)}
"""Nats per unit; times in milliseconds count as bits: only their order and sums matter."""

Unit = Literal["bits", "nats", "log10"]


@dataclass(frozen=True, slots=True)
class SurprisalTable:
    """Sentences with their tokens' surprisals, found ignoring spaces and capitals."""

    file: Path
    unit: str
    sentences: tuple[TableSentence, ...]
    index: SentenceIndex = field(repr=False)

    def __contains__(self, text: Text) -> bool:
        return not text.context and self.index.find(text.text) is not None

    def scores(self, text: Text) -> TokenScores:
        """The tokens of a text; for a missing text, the error names it."""
        if text.context:
            raise DataError(
                f"{self.file}: the sentence {text.text!r} is read after a context, and a table of "
                "surprisals has none; score it with a model"
            )
        match = self.index.find(text.text)
        if match is None:
            raise DataError(
                f"{self.file}: no surprisals of the sentence {text.text!r}; add its tokens"
            )
        places = match.places or self._places(text.text, match.sentence)
        rows = match.sentence.inner
        for end in match.sentence.end:  # EOS starts where the text ends
            places, rows = [*places, (len(text.text), len(text.text))], (*rows, end)
        nats = UNITS[self.unit]
        return TokenScores(
            starts=tuple(start for start, _ in places),
            ends=tuple(end for _, end in places),
            logps=tuple(-_number(self.file, row) * nats for row in rows),
        )

    def _places(self, text: str, sentence: TableSentence) -> list[Place]:
        """Offsets from the file if its sentence equals ours, else found by the tokens."""
        rows = sentence.inner
        if not rows:
            raise DataError(
                f"{self.file}:{sentence.line}: the sentence {text!r} has no tokens; add them"
            )
        if sentence.text == text and all(row.start is not None for row in rows):
            found = [(int(row.start or 0), int(row.start or 0) + len(row.token)) for row in rows]
            if all(0 <= start < len(text) for start, _ in found):
                return found
        try:
            return align(text, sentence.tokens)
        except DataError as error:
            raise DataError(f"{self.file}:{rows[0].line}: {error}") from None


def _number(file: Path, row: TokenRow) -> float:
    """The surprisal, or NaN if there is none. Parsed late: other sentences may be valid."""
    if row.value.lower() in ("", "nan", "na", "none"):
        return math.nan
    try:
        found = float(row.value)
    except ValueError:
        found = math.inf
    if not math.isfinite(found):
        raise DataError(
            f"{file}:{row.line}: the surprisal of {row.token!r} is {row.value!r}; write a "
            "number, or leave the cell empty if there is none"
        )
    return found


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
    table = read_table(file, lambda header: bool(_pick(header, TOKEN)))
    header = list(table[0][1])
    token, value = _need(file, header, TOKEN), _need(file, header, SURPRISAL)
    sentence, number = _pick(header, SENTENCE), _pick(header, NUMBER)
    if not sentence and not number:
        _need(file, header, SENTENCE)
    if sentence and all(str(row[sentence]).strip().isdecimal() for _, row in table):
        sentence, number = None, sentence
    start = _pick(header, START)
    # a sentence may occur twice; its second set of tokens is a separate sentence
    groups: list[tuple[str, list[TokenRow]]] = []
    before = None
    for line, row in table:
        mark = (row.get(number or "", ""), row.get(sentence or "", ""))
        if mark != before:
            groups.append((str(mark[1]) if sentence else "", []))
        before = mark
        groups[-1][1].append(_read_row(file, line, row, token, value, start))
    return _table(file, unit, [TableSentence(text, tuple(rows)) for text, rows in groups])


def _table(file: Path, unit: str, sentences: Iterable[TableSentence]) -> SurprisalTable:
    known: dict[str, TableSentence] = {}
    for sentence in sentences:
        name = sentence.text or "\0".join(sentence.tokens)
        first = known.setdefault(name, sentence)
        if not sentence.same_as(first):
            raise DataError(
                f"{file}:{sentence.line}: the sentence {sentence.name!r} has other tokens or "
                f"surprisals than on line {first.line}; keep one, or average them before"
            )
    kept = tuple(known.values())
    return SurprisalTable(file, unit, kept, SentenceIndex(file, kept))


def _read_row(
    file: Path, line: int, row: Row, token: str, value: str, start: str | None
) -> TokenRow:
    if not str(row[token]).strip():
        raise DataError(f"{file}:{line}: the token is empty; write it or delete the row")
    begin = str(row[start]).strip() if start else ""
    return TokenRow(str(row[token]), str(row[value]).strip(), line, whole_number(begin, 10**9))


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
