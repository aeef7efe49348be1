"""A loaded n-gram model: token scores with offsets, totals, unknown words, perplexity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.entropy import Entropies
from priscian.models.ngram.trie import EOS, SPECIAL, UNK, Trie, open_sentences
from priscian.models.protocol import Measured
from priscian.models.text_offsets import own_tokens
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Text, TokenScores

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int32]
LN10 = math.log(10)
_KNOWN = 500_000

SENTENCES = 20_000


@dataclass(frozen=True, slots=True)
class CodedTexts:
    """Words of texts, concatenated: ids, positions in their text, and words per text."""

    ids: list[int]
    starts: list[int]
    ends: list[int]
    lengths: list[int]


class NgramModel:
    """Scores sentences word by word, each after `<s>`; unknown words count as `<unk>`."""

    def __init__(
        self,
        trie: Trie,
        tokenisation: Tokenisation,
        facts: Mapping[str, Any] | None = None,
        eos: bool = False,
    ) -> None:
        self.trie = trie
        self.tokenisation = tokenisation
        self.facts = dict(facts or {})
        self.eos = eos
        self._splitter = WordSplitter(tokenisation)
        self._inner: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self._final: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self.notes = {
            "order": str(trie.order),
            "vocabulary": str(len(trie.words)),
            "words": f"{tokenisation.words}, case {tokenisation.case}",
            "bos": "<s>",
            "eos": "channel eos" if eos else "not scored",
        }

    def encode(self, texts: Sequence[str]) -> CodedTexts:
        """Split texts into words and look these up."""
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        lengths: list[int] = []
        for text in texts:
            before, at = len(ids), 0
            chunks = text.split(" ") if text.isprintable() else _spaced(text)
            last = len(chunks) - 1
            while last > 0 and not chunks[last]:
                last -= 1
            for number, chunk in enumerate(chunks):
                if chunk:
                    found = (self._final if number == last else self._inner).get(chunk)
                    if found is None:
                        found = self._learn(chunk, number == last)
                    own, begins, stops = found
                    ids += own
                    if len(own) == 1:
                        starts.append(at + begins[0])
                        ends.append(at + stops[0])
                    else:
                        starts += [at + begin for begin in begins]
                        ends += [at + stop for stop in stops]
                at += len(chunk) + 1
            lengths.append(len(ids) - before)
        return CodedTexts(ids, starts, ends, lengths)

    def _learn(self, chunk: str, final: bool) -> tuple[list[int], list[int], list[int]]:
        pieces = self._splitter.chunk(chunk, final)
        known = self.trie.ids
        found = (
            [known.get(form, UNK) for form, _, _ in pieces],
            [start for _, start, _ in pieces],
            [end for _, _, end in pieces],
        )
        cache = self._final if final else self._inner
        if len(cache) < _KNOWN:
            cache[chunk] = found
        return found

    def score(self, texts: Sequence[Text]) -> list[TokenScores]:
        """Token scores, in the order of the texts; natural logarithms."""
        coded = self.encode([text.context + text.text for text in texts])
        logps, ends = self._logps(np.array(coded.ids, np.int32), coded.lengths)
        values = logps.tolist()
        result = []
        at = 0
        for number, (text, length) in enumerate(zip(texts, coded.lengths, strict=True)):
            stop = at + length
            starts, stops, own = coded.starts[at:stop], coded.ends[at:stop], values[at:stop]
            if text.context:
                first, new_starts, new_stops = own_tokens(
                    text, list(zip(starts, stops, strict=True))
                )
                scores = TokenScores(new_starts, new_stops, tuple(own[first:]))
            else:
                scores = TokenScores(tuple(starts), tuple(stops), tuple(own))
            if ends is not None:
                channels = {"eos": (float(ends[number]),)}
                scores = TokenScores(scores.starts, scores.ends, scores.logps, channels)
            result.append(scores)
            at = stop
        return result

    def _logps(self, ids: Ids, lengths: Sequence[int]) -> tuple[Floats, Floats | None]:
        """Natural-log probabilities of words and, if requested, of the end of each sentence."""
        if not self.eos:
            return self.trie.log10(ids, lengths)[0] * LN10, None
        return self.with_ends(ids, lengths)

    def with_ends(self, ids: Ids, lengths: Sequence[int]) -> tuple[Floats, Floats]:
        """Natural-log probabilities of words, and of `</s>` after each sentence."""
        sizes = np.asarray(lengths, np.int64)
        stops = np.cumsum(sizes)
        ended = np.insert(ids, stops, EOS)
        values = self.trie.log10(ended, sizes + 1)[0] * LN10
        at = stops + np.arange(len(sizes))
        return np.delete(values, at), values[at]

    def score_ends(self, texts: Sequence[Text]) -> list[float]:
        """Natural-log probability of `</s>` after each text."""
        coded = self.encode([text.context + text.text for text in texts])
        ends = self.with_ends(np.array(coded.ids, np.int32), coded.lengths)[1]
        return [float(end) for end in ends]

    @property
    def reads_sentences(self) -> bool:
        """Whether it was trained on running text by sentence, not on pre-tokenized text."""
        return self.tokenisation.words == "ptb"

    def measure(self, sentences: Iterable[str]) -> Measured:
        """The log-probability of sentences with their ends, also of known words alone."""
        return measure_sentences(self, sentences)

    def score_entropies(self, texts: Sequence[Text]) -> list[tuple[float, ...]]:
        """Before each word of each text, the entropy of the next word, in nats."""
        coded = self.encode([text.context + text.text for text in texts])
        lengths = np.array(coded.lengths, np.int64)
        row, places = open_sentences(np.array(coded.ids, np.int32), lengths, self.trie.order)
        values = self._entropies.after(row, places).tolist()
        result, at = [], 0
        for text, length in zip(texts, coded.lengths, strict=True):
            offsets = list(zip(coded.starts[at : at + length], coded.ends[at : at + length],
                               strict=True))  # fmt: skip
            first = own_tokens(text, offsets)[0]
            result.append(tuple(values[at + first : at + length]))
            at += length
        return result

    @cached_property
    def _entropies(self) -> Entropies:
        return Entropies(self.trie)

    def token_logps(self, sentences: Sequence[str]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Log-probabilities of every word of sentences with spaces between words.

        The sentences lie end to end; the second array says where each begins, and the end of all.
        """
        ids, lengths = self.look_up(sentences)
        edges = np.concatenate(([0], np.cumsum(lengths)))
        return self.trie.log10(ids, lengths)[0] * LN10, edges

    def look_up(self, sentences: Sequence[str]) -> tuple[Ids, npt.NDArray[np.int64]]:
        """Ids of words between spaces, laid end to end, and the number of words in each sentence.

        All sentences are split at once, with an end mark between them: a list for each would cost
        more than the look-up.
        """
        if not sentences:
            return np.zeros(0, np.int32), np.zeros(0, np.int64)
        mark = SPECIAL[EOS]
        words = f" {mark} ".join(sentences).split()
        words.append(mark)
        known = self.trie.ids.get
        ids = np.fromiter(map(known, words, repeat(UNK)), np.int32, len(words))
        ends = np.flatnonzero(ids == EOS)
        if len(ends) != len(sentences):  # a sentence contains the end mark as a word
            parts = [sentence.split() for sentence in sentences]
            flat = [known(word, UNK) for part in parts for word in part]
            return np.array(flat, np.int32), np.array([len(part) for part in parts], np.int64)
        return np.delete(ids, ends), np.diff(ends, prepend=-1) - 1

    def totals(self, sentences: Sequence[str]) -> Floats:
        """Log-probabilities of whole sentences with spaces between words, without `</s>`."""
        logps, edges = self.token_logps(sentences)
        summed = np.concatenate(([0.0], np.cumsum(logps)))
        return np.diff(summed[edges])

    def oov_counts(self, texts: Sequence[Text] | Sequence[str]) -> list[int]:
        """How many words of each text the model does not know; a context is not counted."""
        given = [text if isinstance(text, Text) else Text(text) for text in texts]
        coded = self.encode([text.text for text in given])
        counts = []
        at = 0
        for length in coded.lengths:
            counts.append(coded.ids[at : at + length].count(UNK))
            at += length
        return counts

    def unknown_words(self, text: str) -> list[str]:
        """The words of a text that the model does not know."""
        coded = self.encode([text])
        places = zip(coded.ids, coded.starts, coded.ends, strict=True)
        return [text[start:end] for number, start, end in places if number == UNK]


def differ_in_oov(model: NgramModel, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Whether the sides of each pair differ in unknown words: such pairs are unreliable."""
    counts = model.oov_counts([text for pair in pairs for text in pair])
    return [a != b for a, b in zip(counts[::2], counts[1::2], strict=True)]


def _spaced(text: str) -> list[str]:
    return "".join(" " if char.isspace() else char for char in text).split(" ")


def measure_sentences(model: NgramModel, sentences: Iterable[str]) -> Measured:
    """Σ log p over all words and `</s>`, as KenLM's `query` counts; and over known words.

    A word after an unknown one is counted in both, in its shortened context.
    """
    rest = iter(sentences)
    total = known = 0.0
    words = count = unknown = 0
    while block := list(islice(rest, SENTENCES)):
        coded = model.encode(block)
        ids = np.array(coded.ids, np.int32)
        logps, ends = model.with_ends(ids, coded.lengths)
        unseen = ids == UNK
        total += math.fsum(logps) + math.fsum(ends)
        known += math.fsum(logps[~unseen]) + math.fsum(ends)
        words += len(ids)
        count += len(block)
        unknown += int(np.count_nonzero(unseen))
    return Measured(total, known, words, count, unknown)
