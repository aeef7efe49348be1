"""Compute one batch, and check what a model answers: tokens, their offsets, log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise

from priscian.errors import PriscianError, ScoreError
from priscian.models import BoundaryModel, Encoding, LanguageModel, TorchModel
from priscian.models.text_offsets import shorten
from priscian.records import Text, TokenScores
from priscian.scoring.batches import Batching
from priscian.scoring.boundary import collect

ROUNDING = 1e-6
"""How far above 0 a log-probability may be, through rounding."""


def check_answers(
    model: str, texts: Sequence[Text], answers: Iterable[TokenScores], scores_first: bool
) -> list[TokenScores]:
    """The answers of a model as plain tuples of numbers, whatever sequences it returned.

    Those that would later count as a tie or as wrong are refused; the error names the text. NaN
    stands for a token that was not scored. Only the first token of a model without BOS may have it
    (`Traits.scores_first` is False): any other NaN is an error of the model.
    """
    scores = []
    for answer in answers:
        if not isinstance(answer, TokenScores):
            raise ScoreError(
                f"{model} gave {type(answer).__name__} for a text; score(texts) gives one "
                f"TokenScores(starts, ends, logps) for each (docs/plugins.md)"
            )
        if type(answer.logps) is not tuple:
            answer = TokenScores(
                tuple(map(int, answer.starts)),
                tuple(map(int, answer.ends)),
                tuple(map(float, answer.logps)),
                answer.channels,
            )
        scores.append(answer)
    if len(scores) != len(texts):
        raise ScoreError(f"{model} gave {len(scores)} answers to {len(texts)} texts")
    first = 0 if scores_first else 1
    for text, score in zip(texts, scores, strict=True):
        if not len(score):
            raise ScoreError(no_tokens(model, text))
        if (
            min(score.logps) == -math.inf
            or not max(score.logps) <= ROUNDING
            or any(p != p for p in score.logps[first:])
        ):
            _refuse_number(model, text, score, first)
        if (
            not len(score.starts) == len(score.ends) == len(score.logps)
            or min(score.starts) < 0
            or max(score.ends) > len(text.text)
            or any(a > b for a, b in pairwise(score.starts))
            or any(a > b for a, b in zip(score.starts, score.ends, strict=True))
        ):
            raise ScoreError(
                f"{model} gave tokens that are not in the text {shorten(text.text)!r}: starts and "
                f"ends are character offsets from 0 to {len(text.text)}, in order, one of each for "
                "every token"
            )
    return scores


def check_looked_up(text: Text, score: TokenScores) -> None:
    """Refuse scores from elsewhere without any finite value for a text.

    A table may lack the score of a token (NaN), and may have reading times in place of surprisals.
    """
    if not any(map(math.isfinite, score.logps)) or any(map(math.isinf, score.logps)):
        raise ScoreError(
            f"the text {shorten(text.text)!r} has no finite scores; correct their source, "
            "or leave the text out"
        )


def _refuse_number(model: str, text: Text, score: TokenScores, first: int) -> None:
    for number, logp in enumerate(score.logps):
        if (math.isnan(logp) and number >= first) or math.isinf(logp) or logp > ROUNDING:
            remedy = "see scores_first in docs/plugins.md" if math.isnan(logp) else "correct it"
            raise ScoreError(
                f"{model} gave {logp} as the log-probability of token {number + 1} of the text "
                f"{shorten(text.text)!r}; a model gives finite numbers up to 0 ({remedy})"
            )


def check_encodings(model: str, texts: Sequence[Text], encodings: Sequence[Encoding]) -> None:
    """Refuse a text that has no tokens."""
    for text, encoding in zip(texts, encodings, strict=True):
        if not encoding.starts:
            raise ScoreError(no_tokens(model, text))


def no_tokens(model: str, text: Text) -> str:
    """The message for a text without tokens."""
    whose = " of its own after its context" if text.context else ""
    return (
        f"{model} has no token{whose} for the text {shorten(text.text)!r}; "
        f"remove the text or use another model"
    )


Compute = Callable[[int], list[TokenScores]]
Groups = Sequence[Sequence[int]]  # batches as lists of indices into the texts


def torch_batches(
    model: TorchModel,
    way: Batching,
    texts: Sequence[Text],
    encodings: Sequence[Encoding],
    groups: Groups,
    boundary: Collection[Text],
) -> Compute:
    """Batches of a model that reads token ids."""

    def compute(number: int) -> list[TokenScores]:
        members = [encodings[i] for i in groups[number]]
        batch = way.build(members)
        try:
            if boundary and isinstance(model, BoundaryModel):
                mine = [texts[i] for i in groups[number]]
                return collect(model, batch, mine, members, boundary)
            answers = batch.collect(model.logprobs(batch.tokens))
        except ScoreError as error:
            raise ScoreError(
                _blame(model, [texts[i] for i in groups[number]], members, error)
            ) from None
        return [
            TokenScores(e.starts, e.ends, tuple(logps))
            for e, logps in zip(members, answers, strict=True)
        ]

    return compute


def simple_batches(
    label: str, model: LanguageModel, texts: Sequence[Text], groups: Groups, scores_first: bool
) -> Compute:
    """Batches of a model that has only `score(texts)`; its answers are checked."""

    def compute(number: int) -> list[TokenScores]:
        members = [texts[i] for i in groups[number]]
        return check_answers(label, members, model.score(members), scores_first)

    return compute


def refuse_broken(model: TorchModel, texts: Sequence[Text], encodings: Sequence[Encoding]) -> None:
    """Refuse the first text whose scores are not finite even when it is scored alone."""
    for text, encoding in zip(texts, encodings, strict=True):
        try:
            model.reference(encoding)
        except ScoreError as error:
            raise ScoreError(
                f"{error} for the text {text.text!r}; the model or its dtype is broken there"
            ) from None


def _blame(
    model: TorchModel, texts: Sequence[Text], members: Sequence[Encoding], error: PriscianError
) -> str:
    """Name the text whose scores are not finite."""
    try:
        refuse_broken(model, texts, members)
    except ScoreError as found:
        return str(found)
    return f"{error} in a batch that begins with {texts[0].text!r}; try `batch_tokens=1`"
