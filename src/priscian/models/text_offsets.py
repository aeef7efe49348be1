"""Which tokens belong to a text and not to its context, and whether a text fits a model."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Callable, Sequence
from functools import cache

from priscian.errors import PriscianWarning, TooLongError
from priscian.models.protocol import Encoding
from priscian.records import Text

SHOWN = 60
INVISIBLE = frozenset({"Mn", "Me", "Cc", "Cf", "Cn", "Cs", "Zs", "Zl", "Zp"})
"""Unicode categories of characters that a tokenizer may drop without harm."""


def own_tokens(
    text: Text, offsets: Sequence[tuple[int, int]]
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Index of the first token that belongs to the text, not its context; offsets in the text.

    A token belongs where its first visible character is; a space belongs to what follows.
    """
    shift = len(text.context)
    if not shift:
        return 0, tuple(s for s, _ in offsets), tuple(e for _, e in offsets)
    whole = text.context + text.text
    first = 0
    while first < len(offsets):
        start, end = offsets[first]
        while start < end and whole[start].isspace():
            start += 1
        if start >= shift:
            break
        first += 1
    own = offsets[first:]
    return first, tuple(max(s - shift, 0) for s, _ in own), tuple(max(e - shift, 0) for _, e in own)


def check_length(texts: Sequence[Text], encodings: Sequence[Encoding], limit: int | None) -> None:
    """Refuse a text that does not fit; a text is never cut off."""
    if limit is None:
        return
    for text, encoding in zip(texts, encodings, strict=True):
        if len(encoding.ids) > limit:
            raise TooLongError(
                f"a text has {len(encoding.ids)} tokens, but the model reads {limit}: "
                f"{shorten(text.text)!r}; shorten the text or use a model with a longer context"
            )


def dropped(text: str, offsets: Sequence[tuple[int, int]]) -> str:
    """Visible characters of a text that no token covers, each once, in order.

    Spaces, combining marks, control and zero-width characters do not count: tokenizers that
    normalise a text remove them on purpose.

    >>> dropped("a☃b", [(0, 1), (2, 3)])
    '☃'
    """
    missed: dict[str, None] = {}
    reach = 0
    for start, end in (*offsets, (len(text), len(text))):
        if start > reach:
            missed.update(dict.fromkeys(c for c in text[reach:start] if _visible(c)))
        if end > reach:
            reach = end
    return "".join(missed)


def warn_of_dropped(
    model: str,
    texts: Sequence[Text],
    offsets: Sequence[Sequence[tuple[int, int]]],
    vanishes: Callable[[str], bool],
) -> None:
    """Warn if a tokenizer has left out characters: sentences that differ in them look the same.

    `vanishes` says whether a character alone becomes no token. Inside a word the offsets do not
    show which characters are gone: those of the following tokens are shifted.
    """
    found = [
        (text, lost)
        for text, places in zip(texts, offsets, strict=True)
        if (lost := dropped(text.context + text.text, places))
    ]
    if found:
        text, lost = found[0]
        whole = text.context + text.text
        lost = "".join(c for c in dict.fromkeys(whole) if _visible(c) and vanishes(c)) or lost
        others = f" and in {len(found) - 1:,} more" if len(found) > 1 else ""
        warnings.warn(
            f"{model}: the tokenizer leaves out characters that it has no token for: {lost!r} in "
            f"{shorten(text.text)!r}{others}; the model does not see them",
            PriscianWarning,
            stacklevel=2,
        )


def _visible(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) not in INVISIBLE


@cache
def byte_alphabet() -> dict[str, int]:
    """The byte that each visible character stands for in byte-level tokens, as in GPT-2."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(hidden)}


def shorten(text: str) -> str:
    """The beginning of a text, short enough for an error message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "…"
