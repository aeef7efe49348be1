"""Whether somebody who wrote "English (US)" or "Deutsch, en" names one of some languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from priscian.files import read_tsv

Words = tuple[str, ...]
_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[,;/&+|\n、،؛。.]|\b(?:and|und)\b", re.IGNORECASE)
_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8}|\s*\([^)]*\))*")
_NOT = frozenset(
    ("not", "non", "no", "nor", "never", "nicht", "kein", "keine", "weder", "pas", "ni")
)


def names_any(said: str, wanted: Iterable[str]) -> bool:
    """Whether a free answer names one of the languages, in any words that are known for it.

    A name counts where all of its words stand together; a code (`en`, `en-GB`) where it stands
    alone. A part of the answer that denies something does not count.

    >>> [names_any(said, ["English"]) for said in ("English (US)", "en", "German, not English")]
    [True, True, False]
    """
    names, codes = set[Words](), set[str]()
    for name in wanted:
        own_names, own_codes = _known(name)
        names |= own_names
        codes |= own_codes
    return any(_names(part, names, codes) for part in _PARTS.split(said))


def is_language(name: str) -> bool:
    """Whether the table of languages has a name or code."""
    return bool(_known(name)[1])


def _names(part: str, names: set[Words], codes: set[str]) -> bool:
    code = _CODE.fullmatch(part.strip().casefold())
    if code and code[1] in codes:
        return True
    words = _words(part)
    if _NOT & set(words):
        return False
    return any(
        words[start : start + len(name)] == name for name in names for start in range(len(words))
    )


def _known(name: str) -> tuple[set[Words], set[str]]:
    """Every name and code of the language of a name or code; of others the name itself."""
    own = _words(name)
    for codes, names in _table():
        if own in names or (len(own) == 1 and own[0] in codes):
            return set(names), set(codes)
    return {own} - {()}, set()


@cache
def _table() -> Sequence[tuple[frozenset[str], frozenset[Words]]]:
    place = Path(str(resources.files("priscian.judge"))) / "data" / "languages.tsv"
    return [
        (frozenset(row["codes"].split()), frozenset(map(_words, row["names"].split("|"))))
        for _, row in read_tsv(place, ("codes", "names"))
    ]


def _words(text: str) -> Words:
    """The words of a text without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(_WORD.findall("".join(c for c in plain if not unicodedata.combining(c))))
