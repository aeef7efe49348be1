"""What a model must offer: one method for simple models, two for those that run on torch.

What it offers beyond token scores is in its traits, which are known before it is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from priscian.models.spec import ModelKey, ModelSpec
from priscian.records import Text, TokenScores
from priscian.trees import Tree

if TYPE_CHECKING:  # help pages name models and need no NumPy
    import numpy as np
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"


@dataclass(frozen=True, slots=True)
class Traits:
    """The features of a model that other packages use.

    A provider gives them with `traits(spec)`; a class that has only `score(texts)` may have an
    attribute `traits`. Everything is off by default. Where a protocol is named, the loaded model
    has its methods.

    `options`: names that may follow the `?` of the model string.
    `bidirectional`: a token's score depends on what follows it, as in masked models.
    `boundary`: knows which tokens begin a word (`BoundaryModel`).
    `closed_vocabulary`: every word outside its list is the same unknown word (`ClosedVocabulary`).
    `detached_punctuation`: was trained on text with spaces around punctuation.
    `scores_first`: scores the first token of a text too; a model without BOS cannot, and gives NaN.
    `scores_end`: gives a probability to the end of a text (`EndScorer`).
    `unigrams`: with the option `order=1` it scores each word by its frequency alone.
    `precomputed`: looks scores up in a file; nothing is computed or stored (`PrecomputedScores`).
    `trees`: builds a tree over every text (`TreeModel`).
    `grades`: gives one number for a whole text, and no token scores (`GradingModel`).
    `loads_ahead`: may be loaded in a thread while another model computes.
    `references`: keys of `references.bib` to cite when the model is used.
    """

    options: frozenset[str] = frozenset()
    bidirectional: bool = False
    boundary: bool = False
    closed_vocabulary: bool = False
    detached_punctuation: bool = False
    scores_first: bool = True
    scores_end: bool = False
    unigrams: bool = False
    precomputed: bool = False
    trees: bool = False
    grades: bool = False
    loads_ahead: bool = False
    references: tuple[str, ...] = ()


PLAIN = Traits()


def no_tokens(label: str) -> str:
    """The message where a model that grades whole texts is asked for tokens."""
    return (
        f"{label} is a classifier: it gives one number for a whole sentence and has no surprisals "
        "of tokens or regions; use a language model (hf:, builtin:lstm, smollm2)"
    )


class Provider(Protocol):
    """A family of models, registered by name and entry point.

    It may have `traits(spec)`: what the model offers beyond `score(texts)`, as cheap as its key.
    """

    def key(self, spec: ModelSpec) -> ModelKey:
        """The model's key; cheap: no weights are loaded, no torch imported."""
        ...

    def load(self, spec: ModelSpec) -> LanguageModel | TorchModel:
        """The model, ready to score."""
        ...

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """The model at every revision or checkpoint whose name matches a shell pattern."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """A simple model: n-gram, recurrent, remote, or your own class.

    It may have `reads_sentences`: whether it was trained on single sentences.
    """

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        ...


@runtime_checkable
class WatchedModel(LanguageModel, Protocol):
    """A simple model that runs elsewhere and may fail or change: it gets small batches."""

    texts_at_once: int
    error: float  # how much scoring texts together changes a log-probability, in nats


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text as token ids, BOS, context and special tokens included.

    The text's own tokens are `ids[first : first + len(starts)]`.
    """

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    first: int
    words: tuple[int | None, ...] = ()  # of masked models: which word each own token is part of


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Rows of token ids and the log-probabilities that are requested.

    A query (row, column, target) requests log p(target | all that `column` attends to). Without
    `parents`, a causal model reads each row from left to right. With them, a row is a packed
    prefix tree: a token attends to itself and its ancestors, and its position is its depth.
    With `prefix`, row r continues prefix row `owner[r]`, and columns count from its start.
    """

    ids: Ints  # (rows, length)
    lengths: Ints  # (rows,)
    queries: Ints  # (queries, 3)
    parents: Ints | None = None  # (rows, length), -1 at a root
    prefix: Ints | None = None  # (prefixes, shared length)
    owner: Ints | None = None  # (rows,)


@runtime_checkable
class TorchModel(Protocol):
    """A model that reads token ids, so that the engine can handle trees and batches.

    It may have `encoding_key`, which is equal for two models that read every text as the same ids,
    and `parameters`: how many numbers each token is multiplied with.
    """

    kind: str  # "causal" or "masked"
    device: str
    context_length: int | None
    notes: Mapping[str, str]

    def encode(self, texts: Sequence[Text]) -> list[Encoding]:
        """Token ids with character offsets."""
        ...

    def logprobs(self, batch: TokenBatch) -> Floats:
        """One natural-log probability for each query of the batch."""
        ...

    def reference(self, encoding: Encoding) -> list[float]:
        """One text at a time, without batching: the reference for every faster way."""
        ...


@runtime_checkable
class BoundaryModel(TorchModel, Protocol):
    """A torch model that can compute the probability that a new word begins."""

    def word_beginnings(self) -> Bools:
        """For each token id, whether it begins a word; an error if no token is marked."""
        ...

    def boundaries(self, batch: TokenBatch) -> tuple[Floats, Floats]:
        """For each query its log-probability and the log of the probability, at that position,
        of all tokens that begin a word."""
        ...

    def reference_boundaries(self, encoding: Encoding) -> list[float]:
        """The same mass before each of a text's own tokens, without batching."""
        ...


@runtime_checkable
class MaskedTorchModel(TorchModel, Protocol):
    """A torch model that scores a token by masking it."""

    mask_id: int
    pll: str  # which tokens of a word are masked together: original, word-l2r, whole-word


@runtime_checkable
class EntropyModel(LanguageModel, Protocol):
    """A simple model that can compute its uncertainty about the next token."""

    def score_entropies(self, texts: Sequence[Text]) -> Iterable[Sequence[float]]:
        """For each text, before each of its tokens, the entropy of what may come next, in nats."""
        ...


@runtime_checkable
class TorchEntropyModel(TorchModel, Protocol):
    """A torch model that can compute its uncertainty about the next token."""

    def entropies(self, batch: TokenBatch) -> tuple[Floats, Floats]:
        """For each query its log-probability and the entropy of what may come there, in nats."""
        ...


@runtime_checkable
class ClosedVocabulary(Protocol):
    """A word-level model; every word outside its list is the same unknown word."""

    def oov_counts(self, texts: Sequence[Text]) -> list[int]:
        """How many words of each text the model does not know."""
        ...


@runtime_checkable
class UnknownWordFinder(ClosedVocabulary, Protocol):
    """A word-level model that can name the words that it does not know."""

    def unknown_words(self, text: str) -> list[str]:
        """The words of a text that the model does not know."""
        ...


@dataclass(frozen=True, slots=True)
class SentenceTotals:
    """Log-probabilities of many sentences, in nats: of all tokens and ends, and of known ones."""

    logprob: float
    known_logprob: float
    tokens: int
    texts: int
    unknown: int


@runtime_checkable
class SentenceMeter(Protocol):
    """A model that measures many sentences at once, with their ends, also known words alone."""

    def measure(self, sentences: Iterable[str]) -> SentenceTotals:
        """The log-probability of sentences, each alone."""
        ...


@runtime_checkable
class EndScorer(Protocol):
    """A model that gives a probability to the end of a text."""

    def score_ends(self, texts: Sequence[Text]) -> Sequence[float]:
        """Natural-log probability that each text ends where it does."""
        ...


@runtime_checkable
class TreeModel(Protocol):
    """A model that builds a tree over each text."""

    def best_trees(self, texts: Sequence[Text]) -> Sequence[Tree]:
        """The most probable tree of each text."""
        ...


@runtime_checkable
class PrecomputedScores(Protocol):
    """Scores that were computed elsewhere and are looked up, one text at a time."""

    def look_up(self, text: Text) -> TokenScores:
        """The text's tokens; an error if it is missing."""
        ...


@runtime_checkable
class GradingModel(Protocol):
    """A model that gives one number for a whole text: a classifier."""

    def grade(self, texts: Sequence[Text]) -> Sequence[float]:
        """A finite number for each text, higher is better."""
        ...


@runtime_checkable
class DownloadingProvider(Protocol):
    """A provider that downloads weights into a cache, from which they can be removed again."""

    def downloaded(self, spec: ModelSpec) -> bool:
        """Whether the model's weights are in the cache."""
        ...

    def discard(self, spec: ModelSpec) -> int:
        """Remove the weights from the cache; how many bytes that freed."""
        ...


@runtime_checkable
class EndTokenProvider(Protocol):
    """A provider whose models read the end of a text as one more token."""

    def end_token(self, spec: ModelSpec) -> str:
        """The token to write after a text; an error if the model has none."""
        ...
