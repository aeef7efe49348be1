"""`ngram:` — n-gram models from a `.pngm` or an ARPA file.

Token scores with offsets, totals, unknown words, entropies, perplexity.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError, UsageError
from priscian.files import regular, shown, whole_number
from priscian.models.fingerprint import hash_file
from priscian.models.ngram.arpa import read_arpa
from priscian.models.ngram.trie import BOS, EOS, SPECIAL, UNK, Level, Trie, open_sentences
from priscian.models.ngram.trie_file import MAGIC, open_trie, read_facts
from priscian.models.protocol import SentenceTotals, Traits
from priscian.models.spec import ModelKey, ModelSpec, files_beside
from priscian.models.text_offsets import own_tokens
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Text, TokenScores

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int64]
LN10 = math.log(10)
Ids = npt.NDArray[np.int32]
_KNOWN = 500_000
SENTENCES = 20_000
OPTIONS = frozenset({"words", "case", "eos", "order", "name"})


@dataclass(frozen=True)
class Entropies:
    """Entropies, in nats, of the next word: exactly, and for every context of a trie at once.

    A back-off model gives the words seen after a context h their own probabilities and shares the
    rest as b(h) p(w | h'), h' being h without its first word. So with S(h) = Σ p log p and
    T(h) = Σ p over all words,

        S(h) = Σ_seen [p log p − q log q] + b S(h') + b log b T(h'),    q = b p(w | h')

    and the same with p and q for T. Both follow from the seen words alone, from the shortest
    context to the longest: no sum over the vocabulary is needed but the first.
    """

    trie: Trie

    @cached_property
    def tables(self) -> list[Floats]:
        """By length of context, from 0: the entropy after each context in the trie."""
        first = self.trie.levels[0]
        logs = first.prob(np.arange(len(self.trie.words))) * LN10
        logs[BOS] = -np.inf  # <s> begins a sentence and is never predicted
        some = np.array([_plogp(logs).sum()])
        whole = np.array([np.exp(logs).sum()])
        tables = [_normalise(some, whole)]
        contexts = np.zeros(len(self.trie.words), np.int64)  # of words: the empty one
        suffixes = np.zeros(len(self.trie.words), np.int64)  # of contexts: without a first word
        below = logs
        for order in range(2, self.trie.order + 1):
            level, shorter = self.trie.levels[order - 1], self.trie.levels[order - 2]
            nodes = np.arange(len(level.probs))
            assert shorter.begin is not None
            edges = shorter.begin.astype(np.int64)
            # of each n-gram, the one without its first word, in the level below
            below_it = np.repeat(np.arange(len(edges) - 1), edges[1:] - edges[:-1])
            parents = below_it[: len(nodes)]
            if order == 2:
                assert level.words is not None
                contexts = level.words.astype(np.int64)
            else:
                contexts = self._contexts(order, contexts[parents], level)
            backoffs = shorter.backoff(np.arange(len(shorter.probs))) * LN10
            own = level.prob(nodes) * LN10
            seen = contexts >= 0
            at = contexts[seen]
            lent = below[parents[seen]] + backoffs[at]
            gained = np.bincount(at, _plogp(own[seen]) - _plogp(lent), len(backoffs))
            mass = np.bincount(at, np.exp(own[seen]) - np.exp(lent), len(backoffs))
            share = np.exp(backoffs)
            some, whole = (
                gained + share * (some[suffixes] + backoffs * whole[suffixes]),
                mass + share * whole[suffixes],
            )
            tables.append(_normalise(some, whole))
            suffixes, below = parents, own
        return tables

    def _contexts(self, order: int, inner: Nodes, level: Level) -> Nodes:
        """The context of each n-gram: its node one order below, or -1 if there is none."""
        assert level.words is not None
        found = np.full(len(inner), -1, np.int64)
        there = np.flatnonzero(inner >= 0)
        found[there] = self.trie.find_child(order - 2, inner[there], level.words[there])
        return found

    def after(self, row: npt.NDArray[np.int32], places: Nodes) -> Floats:
        """The entropy before given positions in a row of words; the row begins with `<s>`."""
        found = np.full(len(places), self.tables[0][0])
        if self.trie.order == 1:
            return found
        nodes = row[places - 1].astype(np.int64)
        alive = np.arange(len(places))
        found[alive] = self.tables[1][nodes]
        for length in range(2, self.trie.order):
            going = row[places[alive] - length + 1] != BOS  # nothing comes before <s>
            alive, nodes = alive[going], nodes[going]
            child = self.trie.find_child(length - 1, nodes, row[places[alive] - length])
            alive, nodes = alive[child >= 0], child[child >= 0]
            found[alive] = self.tables[length][nodes]
        return found


def _normalise(some: Floats, whole: Floats) -> Floats:
    """H of a distribution whose values sum to `whole`, which is 1 except for rounding."""
    return np.log(whole) - some / whole


def _plogp(logs: Floats) -> Floats:
    return np.exp(logs) * np.where(np.isneginf(logs), 0.0, logs)


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
            if not text.isprintable():
                text = "".join(" " if char.isspace() else char for char in text)
            chunks = text.split(" ")
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
        ids, ends = np.array(coded.ids, np.int32), None
        if self.eos:
            logps, ends = self.with_ends(ids, coded.lengths)
        else:
            logps = self.trie.log10(ids, coded.lengths)[0] * LN10
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

    def measure(self, sentences: Iterable[str]) -> SentenceTotals:
        """Σ log p over all words and `</s>`, as KenLM's `query` counts; and over known words.

        A word after an unknown one is counted in both, in its shortened context.
        """
        rest = iter(sentences)
        total = known = 0.0
        words = count = unknown = 0
        while block := list(islice(rest, SENTENCES)):
            coded = self.encode(block)
            ids = np.array(coded.ids, np.int32)
            logps, ends = self.with_ends(ids, coded.lengths)
            unseen = ids == UNK
            total += math.fsum(logps) + math.fsum(ends)
            known += math.fsum(logps[~unseen]) + math.fsum(ends)
            words += len(ids)
            count += len(block)
            unknown += int(np.count_nonzero(unseen))
        return SentenceTotals(total, known, words, count, unknown)

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


class NgramProvider:
    """N-gram models from a file: .pngm, .arpa, .arpa.gz."""

    example = "ngram:model.arpa.gz?case=lower"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The file's contents, how texts are split into words, what is scored."""
        path = _file(spec)
        eos = _eos(spec)
        chosen = _tokenisation(spec, read_facts(path) if is_pngm(path) else {})
        return ModelKey(
            {
                "provider": "ngram",
                "weights": hash_file(path),
                "words": chosen.words,
                "case": chosen.case,
                "method": "ngram",
            }
            | ({"eos": "channel"} if eos else {})
            | ({"order": str(_order(spec))} if "order" in spec.options else {})
        )

    def check(self, spec: ModelSpec) -> None:
        """Refuse unknown options and values, without a file."""
        _eos(spec)
        _tokenisation(spec, {})
        if "order" in spec.options:
            _order(spec)

    def load(self, spec: ModelSpec) -> NgramModel:
        """The model, its file verified."""
        return load_ngram(_file(spec), spec)

    def traits(self, spec: ModelSpec) -> Traits:
        """A word-level model with `<unk>` and `</s>`."""
        return Traits(
            options=OPTIONS,
            closed_vocabulary=True,
            detached_punctuation=True,
            scores_end=True,
            unigrams=True,
        )

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Model files in the same folder whose names match."""
        return files_beside(spec, pattern)


def load_ngram(path: Path, spec: ModelSpec | None = None) -> NgramModel:
    """A model from a file of either kind."""
    spec = spec or ModelSpec("ngram", str(path))
    if is_pngm(path):
        trie, facts = open_trie(path)
    else:
        trie, facts = read_arpa(path), {}
    if "order" in spec.options:
        # The model's lower orders only: each order of a back-off model is a distribution of its
        # own. With Kneser–Ney smoothing the lower ones count in how many contexts a word was seen,
        # not how often.
        order = _order(spec)
        if order > trie.order:
            raise UsageError(f"{spec}: the model has order {trie.order}; give 1 to {trie.order}")
        trie = Trie(trie.words, trie.levels[:order])
    return NgramModel(trie, _tokenisation(spec, facts), facts, _eos(spec))


def _order(spec: ModelSpec) -> int:
    order = whole_number(spec.options["order"])
    if not order:
        raise UsageError(
            f"order must be a whole number from 1, not {shown(spec.options['order'])} (in {spec})"
        )
    return order


def is_pngm(path: Path) -> bool:
    """Whether a file is one of ours; any other is read as ARPA."""
    try:
        with regular(path).open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise ModelError(
            f"cannot read {path}: {error.strerror}; check the path and its permissions"
        ) from None
    return head == MAGIC or path.suffix == ".pngm"


def _tokenisation(spec: ModelSpec, facts: dict[str, Any]) -> Tokenisation:
    """The tokenisation: from the model string, else from the file; PTB for an ARPA file."""
    said = facts.get("tokenisation", {"words": "ptb"})
    if not isinstance(said, dict):
        raise ModelError(f"the file of {spec} does not say how it splits words; train it again")
    stored = Tokenisation.from_facts(said)
    return Tokenisation.of(
        spec.options.get("words", stored.words), spec.options.get("case", stored.case)
    )


def _eos(spec: ModelSpec) -> bool:
    spec.check_options(OPTIONS)
    asked = spec.options.get("eos", "no")
    if asked not in {"yes", "no"}:
        raise UsageError(f"eos must be yes or no, not {asked!r} (in {spec})")
    return asked == "yes"


def _file(spec: ModelSpec) -> Path:
    path = spec.path
    if not path.is_file():
        raise ModelError(f"no model file {path} (in {spec}); make one: priscian train ngram")
    return path
