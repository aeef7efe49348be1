"""From paragraphs to the sentences that a recurrent model is trained on, and to its pieces."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from priscian.errors import UsageError
from priscian.models.lstm.pieces import BOUNDARY, BYTES, INNER, PLAIN, Pieces, split_words
from priscian.training.corpora import read_blocks

ALPHABET = "".join(chr(code) for code in range(33, 127))
LONGEST_WORD = 40
FEWEST_TOKENS = 1 + len(BYTES) + 2 * len(ALPHABET)

_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z])|[\"]\s+(?=[\"])")
_TITLES = "Mr|Mrs|Ms|Dr|St|Mme|Prof|Rev|Col|Capt|Gen|Lt|Jr|Sr|vs|etc|No"
_ABBREVIATION = re.compile(rf"(?:\b(?:{_TITLES}|[A-Z]))\.$")
_MARKUP = re.compile(r"[_*]+")


def split_sentences(paragraph: str) -> Iterator[str]:
    """Sentences, without the quotation marks that stand around them."""
    plain = _MARKUP.sub("", paragraph.translate(PLAIN)).strip()
    begun = 0
    for gap in _BREAK.finditer(plain):
        if _ABBREVIATION.search(plain, begun, gap.start()):
            continue
        yield _bare(plain[begun : gap.start()])
        begun = gap.end()
    yield _bare(plain[begun:])


def _bare(sentence: str) -> str:
    sentence = sentence.strip(" \t")
    if sentence.count('"') == 1 or (sentence[:1] == '"' and sentence[-1:] == '"'):
        sentence = sentence.replace('"', "")
    return sentence.strip()


def read_sentences(paths: Sequence[Path]) -> Iterator[tuple[int, str]]:
    """Sentences with the number of their paragraph (a line), counted over all files."""
    number = 0
    for _, _, block in read_blocks(paths):
        for line in block.decode().split("\n")[:-1]:
            number += 1
            for sentence in split_sentences(line):
                if sentence:
                    yield number, sentence


def count_words(sentences: Iterable[str]) -> Counter[str]:
    """Words as they are written within sentences: a first word in its commoner case."""
    inside: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for sentence in sentences:
        for word in split_words(sentence):
            (first if word.initial else inside)[word.form] += 1
    for form, times in first.items():
        lower = form.lower()
        inside[form if inside[form] > inside[lower] else lower] += times
    return +inside


def learn_pieces(counts: Counter[str], size: int) -> Pieces:
    """About `size` tokens by byte-pair merging of words (Sennrich et al. 2016), commonest first."""
    from tokenizers import Tokenizer
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.trainers import BpeTrainer

    if size < FEWEST_TOKENS:
        raise UsageError(f"a vocabulary of {size} is too small; take at least {FEWEST_TOKENS}")
    usable = [
        (word, times)
        for word, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if len(word) <= LONGEST_WORD and all(char in ALPHABET for char in word)
    ]
    coder = Tokenizer(BPE(continuing_subword_prefix=INNER))
    coder.pre_tokenizer = WhitespaceSplit()
    trainer = BpeTrainer(
        vocab_size=size - len(BYTES) - 1,
        initial_alphabet=sorted(ALPHABET),
        continuing_subword_prefix=INNER,
        show_progress=False,
        min_frequency=2,
    )
    coder.train_from_iterator(_repeat(usable), trainer)
    model = json.loads(coder.to_str())["model"]
    known = set(model["vocab"]) | {INNER + char for char in ALPHABET}
    merges = tuple((str(a), str(b)) for a, b in model["merges"])
    return in_order(Pieces((BOUNDARY, *BYTES, *sorted(known)), merges), usable)


def _repeat(words: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Every word as often as it occurs, in lines of bounded length."""
    for word, times in words:
        for done in range(0, times, 2000):
            yield " ".join([word] * min(2000, times - done))


def in_order(pieces: Pieces, words: Iterable[tuple[str, int]]) -> Pieces:
    """The same pieces, the commonest first."""
    times: Counter[int] = Counter()
    for word, count in words:
        for number in pieces.word(word, initial=False):
            times[number] += count
    rest = sorted(range(1, len(pieces.tokens)), key=lambda n: (-times[n], n))
    return Pieces((BOUNDARY, *(pieces.tokens[n] for n in rest)), pieces.merges)
