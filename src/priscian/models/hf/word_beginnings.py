"""Which tokens of a vocabulary begin a new word: the set for the leading-space correction.

A token does if its text begins with white space (`Ġcat`, `▁cat`, a line break) or if it ends the
text (EOS and the other special tokens). Punctuation does not: what is written without a space, as
the comma of `slept,`, continues the word, which is how words between spaces are counted, and
what Oh & Schuler (2024) and Pimentel & Meister (2024) sum.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError

if TYPE_CHECKING:
    from priscian.models.hf.encoding import Tokenizer

BYTE_SPACE = "Ġ"
PIECE_SPACE = "▁"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def begins_word(tokenizer: Tokenizer, size: int) -> npt.NDArray[np.bool_]:
    """For each id below `size`, whether it begins a word; ids without a token do not."""
    vocabulary: dict[str, int] = tokenizer.fast.get_vocab(with_added_tokens=True)
    added = tokenizer.fast.get_added_tokens_decoder()
    pieces = {piece: number for piece, number in vocabulary.items() if number not in added}
    mark = next(
        (m for m in (BYTE_SPACE, PIECE_SPACE) if any(p[:1] == m and len(p) > 1 for p in pieces)),
        None,
    )
    if mark is None:
        raise ModelError(
            f"the tokenizer of {tokenizer.name} does not mark leading spaces (Ġ or ▁): its words "
            f"cannot be corrected for them; leave out --boundary corrected"
        )
    found = np.zeros(size, dtype=bool)
    opening = [n for piece, n in pieces.items() if opens_with_space(piece, mark == BYTE_SPACE)]
    opening += [n for n, token in added.items() if token.special or token.content[:1].isspace()]
    opening += [int(n) for n in tokenizer.hf.all_special_ids]
    found[[n for n in opening if n < size]] = True
    return found


def opens_with_space(piece: str, byte_level: bool) -> bool:
    """Whether the text of a token begins with white space.

    >>> [opens_with_space(p, byte_level=True) for p in ("Ġcat", "cat", "Ċ")]
    [True, False, True]
    >>> opens_with_space("▁cat", byte_level=False)
    True
    """
    if byte_level:
        known = _byte_alphabet()
        data = bytes(known[c] for c in piece if c in known)
        return data.decode("utf-8", "ignore")[:1].isspace()
    if byte := _BYTE.fullmatch(piece):
        return chr(int(byte[1], 16)).isspace() and int(byte[1], 16) < 128
    return piece[:1] == PIECE_SPACE or piece[:1].isspace()


@cache
def _byte_alphabet() -> dict[str, int]:
    """The visible character for each byte in byte-level tokens, as in GPT-2."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(hidden)}
