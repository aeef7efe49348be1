"""The channel `boundary`: before each token of a text, the probability that a word begins.

For a text of n tokens it has n + 1 natural logarithms, the last one after the text. For this the
last token must be read as well, so one more token is added after the text, whose own
log-probability is discarded.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from priscian.errors import ModelError
from priscian.models import BoundaryModel, Encoding, LanguageModel, ModelSpec, TorchModel
from priscian.models.protocol import Bools
from priscian.models.text_offsets import check_length
from priscian.records import Text, TokenScores
from priscian.scoring.batches import Batch

BOUNDARY = "boundary"


def find_boundary_model(spec: ModelSpec, model: LanguageModel | TorchModel) -> BoundaryModel:
    """The model, if it knows where words begin; otherwise an error says why not."""
    if not isinstance(model, BoundaryModel):
        raise ModelError(
            f"{spec.label} cannot be corrected for leading spaces: only causal models (hf:) whose "
            f"tokens mark them can; leave out `boundary=corrected`"
        )
    model.word_beginnings()
    return model


def extend(
    texts: Sequence[Text],
    encodings: Sequence[Encoding],
    wanted: Collection[Text],
    limit: int | None,
) -> list[Encoding]:
    """Encodings of the requested texts with one more token, which is predicted but never read."""
    longer = [
        Encoding(
            ids=(*e.ids, e.ids[-1]),
            starts=(*e.starts, len(text.text)),
            ends=(*e.ends, len(text.text)),
            first=e.first,
        )
        if text in wanted
        else e
        for text, e in zip(texts, encodings, strict=True)
    ]
    check_length(texts, longer, limit)
    return longer


def collect(
    model: BoundaryModel, batch: Batch, texts: Sequence[Text], encodings: Sequence[Encoding],
    wanted: Collection[Text],
) -> list[TokenScores]:  # fmt: skip
    """Scores of a batch of extended texts, with the channel where it was requested."""
    begins = model.word_beginnings()
    answers = [batch.collect(values) for values in model.boundaries(batch.tokens)]
    found = []
    for text, e, logps, masses in zip(texts, encodings, *answers, strict=True):
        if text not in wanted:
            found.append(TokenScores(e.starts, e.ends, tuple(logps)))
            continue
        own = tuple(logps[:-1])
        settled = (_opening(text, e, own, masses[0], begins), *masses[1:])
        found.append(TokenScores(e.starts[:-1], e.ends[:-1], own, {BOUNDARY: settled}))
    return found


def _opening(
    text: Text, encoding: Encoding, logps: Sequence[float], mass: float, begins: Bools
) -> float:
    """Before the first token: the mass of unmarked tokens, if the tokenizer adds no space there.

    A text that begins with `The` and not `ĠThe` could never begin with a marked token.
    """
    if text.context or not logps or math.isnan(mass) or begins[encoding.ids[encoding.first]]:
        return mass
    others = -math.expm1(mass)
    # rounding may leave less than the first token's own probability
    return max(math.log(others) if others > 0 else -math.inf, logps[0])
