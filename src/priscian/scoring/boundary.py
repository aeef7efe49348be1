"""The channel `boundary`: before each token of a text, how probable it was that a word begins.

Of a text of n tokens it holds n + 1 natural logarithms, the last one after the text. For that the
last token must be read as well, so a text is read with one more token behind it, whose own
log-probability is thrown away.
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

CHANNEL = "boundary"


def find_boundary_model(spec: ModelSpec, model: LanguageModel | TorchModel) -> BoundaryModel:
    """The model as one that knows where words begin, or a word on why it is none."""
    if not isinstance(model, BoundaryModel):
        raise ModelError(
            f"{spec.label} cannot be corrected for leading spaces: only causal models (hf:) whose "
            f"pieces mark them can; leave out --boundary corrected"
        )
    model.word_beginnings()
    return model


def extend(
    texts: Sequence[Text],
    encodings: Sequence[Encoding],
    wanted: Collection[Text],
    limit: int | None,
) -> list[Encoding]:
    """Encodings of the wanted texts with one more token, which is predicted but never read."""
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
    """Scores of a batch of extended texts, those that want it with the channel."""
    begins = model.word_beginnings()
    answers = [batch.collect(values) for values in model.boundaries(batch.tokens)]
    found = []
    for text, e, logps, masses in zip(texts, encodings, *answers, strict=True):
        if text not in wanted:
            found.append(TokenScores(e.starts, e.ends, tuple(logps)))
            continue
        own = tuple(logps[:-1])
        settled = (_opening(text, e, own, masses[0], begins), *masses[1:])
        found.append(TokenScores(e.starts[:-1], e.ends[:-1], own, {CHANNEL: settled}))
    return found


def _opening(
    text: Text, encoding: Encoding, logps: Sequence[float], mass: float, begins: Bools
) -> float:
    """Before the first token: where a tokenizer puts no space there, the mass of all other pieces.

    A text that opens with `The` and not `ĠThe` was never going to open with a marked piece.
    """
    if text.context or not logps or math.isnan(mass) or begins[encoding.ids[encoding.first]]:
        return mass
    others = -math.expm1(mass)
    # rounding may leave less than the first token's own share of it
    return max(math.log(others) if others > 0 else -math.inf, logps[0])
