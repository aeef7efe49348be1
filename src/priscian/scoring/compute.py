"""Compute one batch: a function from the number of a batch to the scores of its texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from priscian.errors import PriscianError, ScoreError
from priscian.models import (
    BoundaryModel,
    Encoding,
    LanguageModel,
    ModelSpec,
    TorchModel,
    traits_of,
)
from priscian.records import Text, TokenScores
from priscian.scoring.answers import check_answers, plain_scores
from priscian.scoring.batches import Batching
from priscian.scoring.boundary import collect

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
    spec: ModelSpec, model: LanguageModel, texts: Sequence[Text], groups: Groups
) -> Compute:
    """Batches of a model that has only `score(texts)`; its answers are checked."""
    scores_first = traits_of(spec).scores_first

    def compute(number: int) -> list[TokenScores]:
        members = [texts[i] for i in groups[number]]
        scores = [plain_scores(spec.label, s) for s in model.score(members)]
        check_answers(spec.label, members, scores, scores_first)
        return scores

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
    return f"{error} in a batch that begins with {texts[0].text!r}; try --batch-tokens 1"
