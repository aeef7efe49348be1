"""Surprisals from elsewhere: a table of sentence, token, surprisal, and the match for a text."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from priscian.errors import DataError, ModelError, UnknownNameError
from priscian.files import PathLike, read_table, whole_number
from priscian.models.fingerprint import hash_file
from priscian.models.protocol import Traits
from priscian.models.spec import ModelKey, ModelSpec, files_beside
from priscian.models.surprisals.alignment import (
    WRITTEN,
    Span,
    align,
    is_boundary,
    is_unknown,
    letters,
    skeletons,
)
from priscian.records import Text, TokenScores

SENTENCE = ("sentence", "text", "sentence_text", "sent")
NUMBER = ("sentence_id", "sent_id", "sentence_number", "sentence_index")
TOKEN = ("token", "word", "piece", "token_text")
SURPRISAL = ("surprisal", "surp", "bits", "rt", "reading_time", "value")
START = ("start", "char_start")

UNITS: dict[str, float] = {"bits": math.log(2), "nats": 1.0, "log10": math.log(10)}
"""Nats per unit; times in milliseconds count as bits: only their order and sums matter."""

Unit = Literal["bits", "nats", "log10"]
PROVIDER = "surprisals"
OPTIONS = frozenset({"name", "unit"})


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token of a sentence, and where it is in the file."""

    token: str
    value: str
    line: int
    start: int | None


@dataclass(frozen=True, slots=True)
class TableSentence:
    """The rows of one sentence; `text` is empty if the table has only its tokens."""

    text: str
    rows: tuple[TokenRow, ...]

    @property
    def name(self) -> str:
        """Its text, or its tokens joined."""
        return self.text or " ".join(self.tokens)

    @property
    def line(self) -> int:
        """The line of its first token."""
        return self.rows[0].line

    @property
    def inner(self) -> tuple[TokenRow, ...]:
        """Its tokens without BOS, which is never scored, and without EOS."""
        rows = self.rows[1:] if is_boundary(self.rows[0].token) else self.rows
        return rows[:-1] if rows and is_boundary(rows[-1].token) else rows

    @property
    def end(self) -> tuple[TokenRow, ...]:
        """EOS, if the table has it; a boundary token without others is BOS."""
        return self.rows[-1:] if len(self.rows) > 1 and is_boundary(self.rows[-1].token) else ()

    @property
    def tokens(self) -> list[str]:
        """The tokens that are part of the text."""
        return [row.token for row in self.inner]

    def same_as(self, other: TableSentence) -> bool:
        """Whether it has the same tokens and values."""
        return [(r.token, r.value) for r in self.rows] == [(r.token, r.value) for r in other.rows]


@dataclass(frozen=True, slots=True)
class Match:
    """A sentence of the table, and its tokens' offsets if they were aligned to find it."""

    sentence: TableSentence
    places: list[Span] | None = None


class SentenceIndex:
    """The sentences of a table, found by text, or by tokens if the table has no texts."""

    def __init__(self, file: Path, sentences: Sequence[TableSentence]) -> None:
        self.file = file
        self._by_text: dict[str, list[TableSentence]] = defaultdict(list)
        self._by_plain: dict[str, list[TableSentence]] = defaultdict(list)
        self._by_letters: dict[str, list[TableSentence]] = defaultdict(list)
        self._by_beginning: dict[str, list[tuple[str, TableSentence]]] = defaultdict(list)
        for sentence in sentences:
            self._add(sentence)
        self._beginnings = sorted({len(beginning) for beginning in self._by_beginning})
        known = {word for s in sentences for token in s.tokens for word in _words(token)}
        self._known = known
        self._marks = {c for word in known for c in WRITTEN.get(word, word) if not c.isalnum()}
        self._uncased = not any(word != word.lower() for word in known)

    def _add(self, sentence: TableSentence) -> None:
        if sentence.text:
            self._by_text[sentence.text].append(sentence)
            self._by_plain[plain(sentence.text)].append(sentence)
        if sentence.text and not any(map(is_unknown, sentence.text.split())):
            return
        for parts in skeletons(sentence.tokens):
            if len(parts) == 1:
                self._by_letters[parts[0]].append(sentence)
            else:
                self._by_beginning[parts[0]].append((parts[-1], sentence))

    def find(self, text: str) -> Match | None:
        """The sentence for a text: an exact match, a match without spaces and case, or by tokens.

        If sentences with different surprisals fit equally well, the error names two of them.
        """
        for named in (self._by_text.get(text), self._by_plain.get(plain(text))):
            if named:
                return self._the_one(text, [Match(sentence) for sentence in named])
        bare = letters(text)
        fits = self._fitting(text, self._by_letters.get(bare, ()))
        if not fits:
            fits = self._fitting(text, self._with_unknown_words(bare))
        return self._the_one(text, fits) if fits else None

    def _with_unknown_words(self, bare: str) -> Iterable[TableSentence]:
        for size in self._beginnings:
            for end, sentence in (
                self._by_beginning.get(bare[:size], ()) if size <= len(bare) else ()
            ):
                if size + len(end) <= len(bare) and bare.endswith(end):
                    yield sentence

    def _fitting(self, text: str, sentences: Iterable[TableSentence]) -> list[Match]:
        found = []
        for sentence in sentences:
            try:
                places = align(text, sentence.tokens, self._may_be_unknown, self._may_be_dropped)
                found.append(Match(sentence, places))
            except DataError:
                continue
        return found

    def _may_be_unknown(self, word: str) -> bool:
        """Whether `<unk>` may stand for a word: not if the table contains the word elsewhere."""
        edges = (word[0], word[-1])
        if any(not c.isalnum() and not self._may_be_dropped(c) for c in edges):
            return False  # a mark has a token of its own
        return (word.lower() if self._uncased else word) not in self._known

    def _may_be_dropped(self, mark: str) -> bool:
        """Whether a tokenizer may have dropped a mark: not if the table contains it elsewhere."""
        return mark not in self._marks

    def _the_one(self, text: str, found: Sequence[Match]) -> Match:
        first = found[0]
        for other in found[1:]:
            if not other.sentence.same_as(first.sentence):
                raise DataError(
                    f"{self.file}:{first.sentence.line}: the sentence {text!r} fits the tokens "
                    f"that begin on this line and on line {other.sentence.line}, with different "
                    "surprisals; give the sentences' texts in a column 'sentence'"
                )
        return first


def plain(text: str) -> str:
    """A text without spaces and capitals, to match another tool's spelling."""
    return re.sub(r"\s+", "", text).casefold()


def _words(token: str) -> list[str]:
    """A token as a word; subwords from inside a word are not words."""
    bare = token.strip()
    if is_unknown(bare) or bare.startswith(("##", "@@", "￭")) or bare.endswith(("@@", "￭")):
        return []
    return [bare.lstrip("Ġ▁").removesuffix("</w>")]


@dataclass(frozen=True, slots=True)
class ExternalSurprisals:
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

    def _places(self, text: str, sentence: TableSentence) -> list[Span]:
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


def read_surprisals(file: PathLike, unit: str = "bits") -> ExternalSurprisals:
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
    texts, number = _pick(header, SENTENCE), _pick(header, NUMBER)
    if not texts and not number:
        _need(file, header, SENTENCE)
    if texts and all(str(row[texts]).strip().isdecimal() for _, row in table):
        texts, number = None, texts
    start = _pick(header, START)
    # a sentence may occur twice; its second set of tokens is a separate sentence
    groups: list[tuple[str, list[TokenRow]]] = []
    before = None
    for line, row in table:
        mark = (row.get(number or "", ""), row.get(texts or "", ""))
        if mark != before:
            groups.append((str(mark[1]) if texts else "", []))
        before = mark
        if not str(row[token]).strip():
            raise DataError(f"{file}:{line}: the token is empty; write it or delete the row")
        begin = whole_number(str(row[start]).strip() if start else "", 10**9)
        groups[-1][1].append(TokenRow(str(row[token]), str(row[value]).strip(), line, begin))
    known: dict[str, TableSentence] = {}
    for text, rows in groups:
        sentence = TableSentence(text, tuple(rows))
        name = sentence.text or "\0".join(sentence.tokens)
        first = known.setdefault(name, sentence)
        if not sentence.same_as(first):
            raise DataError(
                f"{file}:{sentence.line}: the sentence {sentence.name!r} has other tokens or "
                f"surprisals than on line {first.line}; keep one, or average them before"
            )
    kept = tuple(known.values())
    return ExternalSurprisals(file, unit, kept, SentenceIndex(file, kept))


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


class SurprisalsProvider:
    """Surprisals, or reading times, from a TSV of sentence, token, surprisal."""

    example = "surprisals:external.tsv?unit=nats"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The file's contents and unit."""
        spec.check_options(OPTIONS)
        path = _file(spec)
        return ModelKey({"provider": PROVIDER, "table": hash_file(path), "unit": _unit(spec)})

    def load(self, spec: ModelSpec) -> PrecomputedModel:
        """The table, read and checked."""
        spec.check_options(OPTIONS)
        return PrecomputedModel(read_surprisals(_file(spec), _unit(spec)))

    def traits(self, spec: ModelSpec) -> Traits:
        """Scores are looked up."""
        return Traits(options=OPTIONS, precomputed=True)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Tables in the same folder whose names match."""
        return files_beside(spec, pattern)


class PrecomputedModel:
    """Looks sentences up instead of scoring them."""

    def __init__(self, table: ExternalSurprisals) -> None:
        self.table = table

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        return [self.look_up(text) for text in texts]

    def look_up(self, text: Text) -> TokenScores:
        """The text's rows; a missing text, or a cell that is not a number, is a DataError."""
        return self.table.scores(text)


def _unit(spec: ModelSpec) -> str:
    unit = spec.options.get("unit", "bits")
    if unit not in UNITS:
        raise UnknownNameError("unit of surprisal", unit, UNITS)
    return unit


def _file(spec: ModelSpec) -> Path:
    path = spec.path
    if not path.is_file():
        raise ModelError(f"no table {path} (in {spec}); give a TSV of sentence, token, surprisal")
    return path
