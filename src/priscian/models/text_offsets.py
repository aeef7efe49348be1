"""Which tokens belong to a text and not to its context, and whether a text fits a model."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.errors import TooLongError
from priscian.models.protocol import Encoding
from priscian.records import Text

SHOWN = 60


def own_tokens(
    text: Text, offsets: Sequence[tuple[int, int]]
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Index of the first token that belongs to the text, not its context; offsets in the text.

    A token belongs to where its first visible character stands; a space goes with what follows.
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


def shorten(text: str) -> str:
    """The beginning of a text, short enough for an error message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "…"
