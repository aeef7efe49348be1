"""Byte-level BPE, learnt on a corpus or read from a file, through the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import DataError, ModelError, install
from priscian.files import write_json, write_text
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.models.vocabulary.words import BOUNDARY_ID, Coded

BOUNDARY = "<|endoftext|>"
FILE = "tokenizer.json"


class BpeVocabulary:
    """Pieces of words; no text is unknown to it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.size = int(tokenizer.get_vocab_size())
        if tokenizer.token_to_id(BOUNDARY) != BOUNDARY_ID:
            raise DataError(f"{BOUNDARY} is not token 0 of this tokenizer; learn one: words=bpe:N")

    @classmethod
    def learn(cls, sentences: Iterable[str], size: int) -> BpeVocabulary:
        """Merges learnt on sentences; the same sentences give the same merges."""
        tokenizers = _library()
        if size < 257:
            raise DataError(f"a BPE vocabulary of {size} has no room for 256 bytes; take more")
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = tokenizers.decoders.ByteLevel()
        tokenizer.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=[BOUNDARY],
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(sentences, trainer)
        return cls(tokenizer)

    @classmethod
    def read(cls, folder: Path) -> BpeVocabulary:
        """From `tokenizer.json`."""
        try:
            return cls(_library().Tokenizer.from_file(str(folder / FILE)))
        except Exception as error:  # the library raises plain Exception
            if isinstance(error, DataError | ModelError):
                raise
            raise DataError(f"{folder / FILE}: not a tokenizer ({error}); copy it again") from None

    def encode(self, text: str) -> Coded:
        """Ids and offsets of a text's pieces."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        starts, ends = zip(*found.offsets, strict=True) if found.ids else ((), ())
        return Coded(found.ids, list(starts), list(ends))

    def unknown(self, text: str) -> int:
        """None: every byte is a piece."""
        return 0

    def unknown_words(self, text: str) -> list[str]:
        """None."""
        return []

    def count_words(self, texts: Sequence[str]) -> int:
        """Penn Treebank words, as closed vocabularies count them."""
        splitter = WordSplitter(Tokenisation())
        return sum(len(splitter.split(text)) for text in texts)

    def as_text(self) -> str:
        """What `tokenizer.json` holds."""
        return str(self._tokenizer.to_str(pretty=True))

    def save(self, folder: Path) -> None:
        """Write `tokenizer.json`, and what Transformers wants to know beside it."""
        write_text(folder / FILE, self.as_text())
        facts = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": BOUNDARY,
            "eos_token": BOUNDARY,
            "unk_token": BOUNDARY,
            "add_prefix_space": False,
            "clean_up_tokenization_spaces": False,
        }
        write_json(folder / "tokenizer_config.json", facts)


def _library() -> Any:
    try:
        import tokenizers
        import tokenizers.decoders
        import tokenizers.models
        import tokenizers.pre_tokenizers
        import tokenizers.processors
        import tokenizers.trainers
    except ImportError:
        raise ModelError(f"BPE needs the tokenizers library: {install('hf')}") from None
    return tokenizers
