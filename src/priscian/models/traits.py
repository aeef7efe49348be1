"""What a model offers beyond token scores, known before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass


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
