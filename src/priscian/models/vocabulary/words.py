"""Vocabularies: words with classes of unknown ones as in Hu et al. (2020), or byte-level BPE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from priscian.errors import DataError, ModelError, install
from priscian.files import as_json, write_json, write_text
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter

BOUNDARY_ID = 0
"""Opens and closes a sentence in every vocabulary that we train."""
UNKNOWN = "UNK"
SUFFIXES = ("ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al")
BOUNDARY = "<s>"
FILE = "vocabulary.json"
END_OF_TEXT = "<|endoftext|>"
TOKENIZER = "tokenizer.json"


class Coded(NamedTuple):
    """A text as token ids, with half-open character offsets."""

    ids: list[int]
    starts: list[int]
    ends: list[int]


class Vocabulary(Protocol):
    """Texts to token ids; id 0 is the boundary of sentences."""

    @property
    def size(self) -> int:
        """Ids that there are."""
        ...

    def encode(self, text: str) -> Coded:
        """Ids and offsets of a text, without boundaries."""
        ...

    def unknown(self, text: str) -> int:
        """How many words of a text are outside the vocabulary; 0 where none can be."""
        ...

    def unknown_words(self, text: str) -> list[str]:
        """Those words, as they are in the text."""
        ...

    def as_text(self) -> str:
        """What its file holds."""
        ...

    def save(self, folder: Path) -> None:
        """Write what `load_vocabulary` reads back."""
        ...

    def count_words(self, texts: Sequence[str]) -> int:
        """Words by this vocabulary's own tokenisation, for perplexity per word."""
        ...


def unk_class(word: str, known: Container[str] = ()) -> str:
    """The class of a word that is not in the vocabulary, in the style of the Berkeley parser.

    Parts, in this order: case, digits, hyphen, suffix. `known` is the vocabulary, which decides
    whether a capitalised word is known in lower case.

    >>> [unk_class(w) for w in ("Zoobies", "zoobing", "well-zoobed", "1990s", "McZoob")]
    ['UNK-INITC-s', 'UNK-LC-ing', 'UNK-LC-DASH', 'UNK-LC-NUM-s', 'UNK-CAPS']
    """
    parts = [UNKNOWN, *_case(word, known)]
    if any(char.isdigit() for char in word):
        parts.append("NUM")
    if "-" in word:
        parts.append("DASH")
    return "-".join([*parts, *_suffix(word)])


def _case(word: str, known: Container[str]) -> list[str]:
    capitals = sum(char.isupper() for char in word)
    if word[:1].isupper():
        if capitals > 1:
            return ["CAPS"]
        return ["INITC", "KNOWNLC"] if word.lower() in known else ["INITC"]
    if capitals and not word[:1].isalpha():
        return ["CAPS"]
    return ["LC"] if any(char.islower() for char in word) else []


def _suffix(word: str) -> list[str]:
    lower = word.lower()
    if lower.endswith("s") and len(lower) >= 3:
        return [] if lower[-2] in "siu" else ["s"]
    odd = any(c.isdigit() for c in word) and any(c.isupper() for c in word)
    if len(lower) < 5 or "-" in lower or odd:
        return []
    return next(([suffix] for suffix in SUFFIXES if lower.endswith(suffix)), [])


class WordVocabulary:
    """Words and classes of unknown words, the most frequent first.

    A word outside the vocabulary is read as its class (`UNK-LC-ing`), or as `UNK` where the class
    was never seen in training. With `classes=False` every unknown word is `UNK`. Vocabularies that
    were made elsewhere may have other words for the boundary and the unknown.
    """

    def __init__(
        self,
        words: Sequence[str],
        tokenisation: Tokenisation | None = None,
        classes: bool = True,
        *,
        boundary: str = BOUNDARY,
        unknown: str = UNKNOWN,
    ) -> None:
        if len(words) < 2 or words[0] != boundary or unknown not in words:
            raise DataError(f"a vocabulary begins with {boundary} and has {unknown}; make it anew")
        if len(set(words)) != len(words):
            raise DataError("a word is twice in the vocabulary; make it anew")
        self.words = tuple(words)
        self.tokenisation = tokenisation or Tokenisation()
        self.classes = classes
        self.boundary, self.unknown_word = boundary, unknown
        self._ids = {word: number for number, word in enumerate(self.words)}
        self._unknown_id = self._ids[unknown]
        self._splitter = WordSplitter(self.tokenisation)
        self._rare: dict[str, int] = {}

    @classmethod
    def learn(
        cls,
        sentences: Iterable[str],
        *,
        least: int = 2,
        most: int | None = None,
        classes: bool = True,
        tokenisation: Tokenisation | None = None,
    ) -> WordVocabulary:
        """Words that occur at least `least` times; the others are counted by their class."""
        tokenisation = tokenisation or Tokenisation()
        splitter = WordSplitter(tokenisation)
        counts: Counter[str] = Counter()
        for sentence in sentences:
            counts.update(splitter.words(sentence))
        made = cls.from_counts(counts, least=least, most=most, classes=classes)
        return cls(made.words, tokenisation, classes)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int],
        *,
        least: int = 2,
        most: int | None = None,
        classes: bool = True,
    ) -> WordVocabulary:
        """The same from words that are counted already."""
        counts = {word: count for word, count in counts.items() if word != BOUNDARY}
        ranked = sorted((w for w, n in counts.items() if n >= least), key=lambda w: (-counts[w], w))
        kept = set(ranked[:most])
        found = Counter({word: counts[word] for word in kept})
        found[UNKNOWN] += 0
        for word, count in counts.items():
            if word not in kept:
                found[unk_class(word, kept) if classes else UNKNOWN] += count
        ordered = sorted(found, key=lambda w: (-found[w], w))
        return cls([BOUNDARY, *ordered], classes=classes)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> WordVocabulary:
        """As `vocabulary.json` has it."""
        try:
            words = facts["words"]
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise DataError(f"{FILE}: words is not a list of texts")
            return cls(
                words,
                Tokenisation.from_facts(facts["tokenisation"]),
                bool(facts["classes"]),
                boundary=str(facts.get("boundary", BOUNDARY)),
                unknown=str(facts.get("unknown", UNKNOWN)),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{FILE}: {error} is missing or not what it should be") from None

    @property
    def size(self) -> int:
        """Words, classes and the boundary."""
        return len(self.words)

    def encode(self, text: str) -> Coded:
        """Ids and offsets of a text's words."""
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        for form, start, end in self._splitter.split(text):
            found = self._ids.get(form)
            ids.append(self._class_id(form) if found is None else found)
            starts.append(start)
            ends.append(end)
        return Coded(ids, starts, ends)

    def word_id(self, form: str) -> int:
        """The id of one word, never that of the boundary."""
        return self._ids.get(form) or self._class_id(form)

    def knows(self, form: str) -> bool:
        """Whether a word is in the vocabulary."""
        return form in self._ids

    def unknown(self, text: str) -> int:
        """Words of a text that are outside the vocabulary."""
        return sum(form not in self._ids for form, _, _ in self._splitter.split(text))

    def unknown_words(self, text: str) -> list[str]:
        """Those words, as they are in the text."""
        words = self._splitter.split(text)
        return [text[start:end] for form, start, end in words if form not in self._ids]

    def count_words(self, texts: Sequence[str]) -> int:
        """Words of texts."""
        return sum(len(self._splitter.split(text)) for text in texts)

    def as_text(self) -> str:
        """What `vocabulary.json` holds."""
        facts: dict[str, object] = {
            "kind": "words",
            "tokenisation": self.tokenisation.to_dict(),
            "classes": self.classes,
        }
        if (self.boundary, self.unknown_word) != (BOUNDARY, UNKNOWN):
            facts |= {"boundary": self.boundary, "unknown": self.unknown_word}
        return as_json({**facts, "words": list(self.words)})

    def save(self, folder: Path) -> None:
        """Write `vocabulary.json`."""
        write_text(folder / FILE, self.as_text())

    def _class_id(self, form: str) -> int:
        found = self._rare.get(form)
        if found is None:
            name = unk_class(form, self._ids) if self.classes else UNKNOWN
            # a vocabulary made elsewhere may have UNK as a word like any other
            known = self._unknown_id if name == UNKNOWN else self._ids.get(name, self._unknown_id)
            found = self._rare[form] = known
        return found


class BpeVocabulary:
    """Pieces of words; no text is unknown to it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.size = int(tokenizer.get_vocab_size())
        if tokenizer.token_to_id(END_OF_TEXT) != BOUNDARY_ID:
            raise DataError(
                f"{END_OF_TEXT} is not token 0 of this tokenizer; learn one: words=bpe:N"
            )

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
            special_tokens=[END_OF_TEXT],
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(sentences, trainer)
        return cls(tokenizer)

    @classmethod
    def read(cls, folder: Path) -> BpeVocabulary:
        """From `tokenizer.json`."""
        try:
            return cls(_library().Tokenizer.from_file(str(folder / TOKENIZER)))
        except Exception as error:  # the library raises plain Exception
            if isinstance(error, DataError | ModelError):
                raise
            raise DataError(
                f"{folder / TOKENIZER}: not a tokenizer ({error}); copy it again"
            ) from None

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
        write_text(folder / TOKENIZER, self.as_text())
        facts = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": END_OF_TEXT,
            "eos_token": END_OF_TEXT,
            "unk_token": END_OF_TEXT,
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
