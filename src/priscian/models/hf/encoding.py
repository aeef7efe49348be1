"""From texts to token ids with character offsets; the BOS token; which tokens begin a word."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError, OffsetsError
from priscian.files import shown, whole_number
from priscian.models.hf.bounds import stored_size
from priscian.models.hf.locate import Location, locate_tokenizer
from priscian.models.protocol import Encoding
from priscian.models.spec import ModelSpec
from priscian.models.text_offsets import byte_alphabet, own_tokens, warn_of_dropped
from priscian.records import Text

DOCUMENT_SEPARATORS = frozenset({"<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"})
"""End-of-text tokens that separate documents in training, so that one may begin a text."""

BYTE_SPACE = "Ġ"
PIECE_SPACE = "▁"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class Tokenizer:
    """A fast Transformers tokenizer with offsets that adds no special tokens by itself."""

    def __init__(self, spec: ModelSpec, place: Location) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # we fork after tokenizing
        from transformers import AutoTokenizer

        self.name = spec.label
        place = locate_tokenizer(spec, place)
        if place.gguf and "tokenizer" in spec.options:  # else it was read with the configuration
            stored_size(spec, place)
        try:
            self.hf: Any = AutoTokenizer.from_pretrained(place.source, **place.arguments(spec))
        except Exception as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ModelError(
                f"the tokenizer of {spec} cannot be loaded: {reason}; "
                f"name another with ?tokenizer=PATH"
            ) from error
        self.fast: Any = _fast(self.hf, str(spec))
        special = set(self.hf.all_special_ids)
        if self.fast.get_vocab_size(with_added_tokens=True) <= len(special):
            # Transformers creates an empty one if a folder has no tokenizer files
            raise ModelError(
                f"the tokenizer of {spec} has no vocabulary: its files are missing; "
                f"copy tokenizer.json next to the weights or name another with ?tokenizer=PATH"
            )
        self.fast.no_padding()
        self.fast.no_truncation()

    @classmethod
    def around(cls, hf: Any, name: str) -> Self:
        """A tokenizer of Transformers that exists already; it is copied, not changed."""
        fast = _fast(hf, name)
        made = cls.__new__(cls)
        made.name, made.hf, made.fast = name, hf, type(fast).from_str(fast.to_str())
        made.fast.no_padding()
        made.fast.no_truncation()
        return made

    def digest(self, *settings: object) -> str:
        """A hash of all that decides how texts become ids, with settings of the caller."""
        told = hashlib.sha256(self.fast.to_str().encode())
        told.update(repr(settings).encode())
        return told.hexdigest()

    def bos(self, policy: str) -> int | None:
        """The id of the first token under a BOS policy: `auto`, `none`, a token or an id.

        `auto`: the tokenizer's BOS; else its EOS if that separates documents; else none.
        """
        if policy == "none":
            return None
        if policy == "auto":
            if self.hf.bos_token_id is not None:
                return int(self.hf.bos_token_id)
            if self.hf.eos_token in DOCUMENT_SEPARATORS:
                return int(self.hf.eos_token_id)
            return None
        known = self.fast.token_to_id(policy)
        if known is not None:
            return int(known)
        number = whole_number(policy, self.fast.get_vocab_size(with_added_tokens=True) - 1)
        if number is not None:
            return number
        raise ModelError(
            f"{self.name} has no token {shown(policy)} to use as BOS; try auto or none"
        )

    def bos_note(self, bos: int | None) -> str:
        """What the record of a run says of the first token."""
        if bos is None:
            return "none: the first token of a text is not scored"
        return f"{self.hf.convert_ids_to_tokens(bos)} (id {bos})"

    def end(self, policy: str) -> str:
        """The token between documents, whether it is called BOS or EOS; else EOS; else ""."""
        bos = self.bos(policy)
        opening = self.hf.convert_ids_to_tokens(bos) if bos is not None else None
        return str((opening if opening in DOCUMENT_SEPARATORS else self.hf.eos_token) or "")

    def encode(self, texts: Sequence[Text], bos: int | None) -> list[Encoding]:
        """Ids as a causal model reads them: BOS once, then context and text unchanged."""
        coded = self.fast.encode_batch(
            [t.context + t.text for t in texts], add_special_tokens=False
        )
        warn_of_dropped(self.name, texts, [code.offsets for code in coded], self._vanishes)
        result = []
        for text, code in zip(texts, coded, strict=True):
            ids = code.ids
            first, starts, ends = own_tokens(text, code.offsets)
            if bos is not None and (not ids or ids[0] != bos):
                ids, first = [bos, *ids], first + 1
            result.append(Encoding(tuple(ids), starts, ends, first))
        return result

    def _vanishes(self, char: str) -> bool:
        return not self.fast.encode(char, add_special_tokens=False).ids

    def encode_masked(self, texts: Sequence[Text]) -> list[Encoding]:
        """Ids as a masked model reads them, between its special tokens."""
        coded = self.fast.encode_batch([t.context + t.text for t in texts], add_special_tokens=True)
        warn_of_dropped(self.name, texts, [code.offsets for code in coded], self._vanishes)
        result = []
        for text, code in zip(texts, coded, strict=True):
            inner = [i for i, special in enumerate(code.special_tokens_mask) if not special]
            first, starts, ends = own_tokens(text, [code.offsets[i] for i in inner])
            before = inner[first] if first < len(inner) else len(code.ids)
            words = tuple(code.word_ids[i] for i in inner[first:])
            result.append(Encoding(tuple(code.ids), starts, ends, before, words))
        return result


def _fast(hf: Any, name: str) -> Any:
    """The tokenizer behind one of Transformers, which knows character offsets."""
    if not getattr(hf, "is_fast", False):
        raise OffsetsError(
            f"the tokenizer of {name} is a slow one without character offsets; save it as a "
            f"fast tokenizer (tokenizer.json) and name that folder with ?tokenizer=PATH"
        )
    return hf.backend_tokenizer


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
            f"cannot be corrected for them; leave out `boundary=corrected`"
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
        known = byte_alphabet()
        data = bytes(known[c] for c in piece if c in known)
        return data.decode("utf-8", "ignore")[:1].isspace()
    if byte := _BYTE.fullmatch(piece):
        return chr(int(byte[1], 16)).isspace() and int(byte[1], 16) < 128
    return piece[:1] == PIECE_SPACE or piece[:1].isspace()
