"""Words of a text with their offsets: PTB style by default, or split at spaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from priscian.errors import UsageError

WordStyle = Literal["ptb", "space"]
Case = Literal["keep", "lower"]
Piece = tuple[str, int, int]  # form, start, end

_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Mme|Dr|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Maj|Cpl|Gov|Sen|Rep|St|Jr|Sr|Messrs|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|No|Nos|Vol|pp|vs|etc|Inc|Co|Corp|Ltd"
)
_CLITIC = r"'(?:s|ll|re|ve|d|m)(?!\w)"
_SPLIT_IN_TWO = "cannot|gonna|gotta|gimme|lemme|wanna"
_TOKEN = re.compile(
    rf"""
      (?:[A-Za-z]\.){{2,}}                       # U.S., e.g.
    | (?:{_ABBREVIATIONS})\.(?!\w)               # Mr.
    | [A-Z]\.(?=$|[,;:])                         # an initial
    | (?:can(?=not(?!\w)) | not(?!\w)
        | gon(?=na(?!\w)) | got(?=ta(?!\w)) | gim(?=me(?!\w)) | lem(?=me(?!\w)) | wan(?=na(?!\w)))
    | [^\W\d_]+?(?=n't(?!\w))                    # does|n't
    | n't(?!\w)
    | {_CLITIC}
    | '(?:tis|twas|em|cause|til)(?!\w)
    | \d+(?:[.,:/]\d+)*\w*                       # 3,000.50 and 1990s
    | \w+(?:(?:-|'(?!(?:s|ll|re|ve|d|m)(?!\w)))\w+(?<!n't))*
    | \.{{2,}} | -{{2,}}
    | .
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-"})
_SPACES = str.maketrans({c: " " for c in map(chr, range(0x3001)) if c.isspace()})
_KNOWN = 500_000


@dataclass(frozen=True, slots=True)
class Tokenisation:
    """How a model splits texts into words; saved in its file and part of its key."""

    words: WordStyle = "ptb"
    case: Case = "keep"

    @classmethod
    def of(cls, words: str, case: str) -> Tokenisation:
        """Checked names."""
        for name, value, known in (("words", words, WordStyle), ("case", case, Case)):
            if value not in get_args(known):
                raise UsageError(f"{name} must be {' or '.join(get_args(known))}, not {value!r}")
        return cls(cast(WordStyle, words), cast(Case, case))

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Tokenisation:
        """As a model file says."""
        return cls.of(str(facts.get("words", "space")), str(facts.get("case", "keep")))

    def to_dict(self) -> dict[str, str]:
        """For a model file or key."""
        return {"words": self.words, "case": self.case}

    def split(self, text: str) -> list[Piece]:
        """Words with half-open character offsets.

        >>> [form for form, _, _ in Tokenisation().split("She can't see Mr. Gray's dog.")]
        ['She', 'ca', "n't", 'see', 'Mr.', 'Gray', "'s", 'dog', '.']
        """
        return WordSplitter(self).split(text)


class WordSplitter:
    """Splits texts into words; text between spaces is split once and cached."""

    def __init__(self, tokenisation: Tokenisation) -> None:
        self.tokenisation = tokenisation
        self._known: dict[str, tuple[Piece, ...]] = {}
        self._final: dict[str, tuple[Piece, ...]] = {}

    def split(self, text: str) -> list[Piece]:
        """Words with half-open character offsets."""
        found: list[Piece] = []
        chunks = text.translate(_SPACES).split(" ")
        last = len(chunks) - 1
        while last > 0 and not chunks[last]:
            last -= 1
        at = 0
        for number, chunk in enumerate(chunks):
            if chunk:
                for form, start, end in self.chunk(chunk, number == last):
                    found.append((form, at + start, at + end))
            at += len(chunk) + 1
        return found

    def words(self, text: str) -> list[str]:
        """Words without their places."""
        return [form for form, _, _ in self.split(text)]

    def chunk(self, chunk: str, final: bool) -> tuple[Piece, ...]:
        """Words of the text between two spaces; a final full stop is always separate."""
        known = self._final if final else self._known
        found = known.get(chunk)
        if found is None:
            found = tuple(self._cut(chunk, final))
            if len(known) < _KNOWN:
                known[chunk] = found
        return found

    def _cut(self, chunk: str, final: bool) -> list[Piece]:
        if self.tokenisation.words == "space":
            pieces = [(chunk, 0, len(chunk))]
        else:
            pieces = [
                (m.group(), m.start(), m.end()) for m in _TOKEN.finditer(chunk.translate(_PLAIN))
            ]
            if final:
                pieces = _detach_stop(pieces)
        if self.tokenisation.case == "lower":
            pieces = [(form.lower(), start, end) for form, start, end in pieces]
        return pieces


def _detach_stop(pieces: list[Piece]) -> list[Piece]:
    """`Mr.` at the end of a text is `Mr` and `.`; closing quotes and brackets may follow it."""
    at = len(pieces) - 1
    while at > 0 and pieces[at][0] in {'"', "'", ")", "]"}:
        at -= 1
    form, start, end = pieces[at]
    if len(form) > 1 and form.endswith(".") and form.strip("."):
        pieces[at : at + 1] = [(form[:-1], start, end - 1), (".", end - 1, end)]
    return pieces
