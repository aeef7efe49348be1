"""The channel `entropy`: before each token of a text, how uncertain the model was about it.

It holds one value for each token, in nats: H = −Σ p(v) log p(v) over all tokens v that might have
come next. Log-probabilities are computed and stored in the same pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from priscian.errors import ModelError, ScoreError
from priscian.models import (
    EntropyModel,
    LoadedModel,
    ModelKey,
    TorchEntropyModel,
    TorchModel,
)
from priscian.models.text_offsets import check_length
from priscian.records import Text, TokenScores
from priscian.scoring.batches import Rows
from priscian.scoring.plan import CPU_BATCH, DEVICE_BATCH
from priscian.scoring.selfcheck import measure_error, tolerance
from priscian.scoring.store import ScoreStore

ENTROPY = "entropy"
TOGETHER = 500
"""Number of texts of a simple model that are scored and stored at once."""


def missing_entropies(key: ModelKey, texts: Sequence[Text], store: ScoreStore) -> list[Text]:
    """The texts whose entropies are not in the store."""
    gone = store.missing(key, texts, ENTROPY)
    return [text for text, missing in zip(texts, gone, strict=True) if missing]


def store_entropies(
    loaded: LoadedModel, texts: Sequence[Text], store: ScoreStore
) -> dict[Text, tuple[float, ...]]:
    """Compute and store the entropies and log-probabilities of texts."""
    model = loaded.model
    if not isinstance(model, TorchEntropyModel if isinstance(model, TorchModel) else EntropyModel):
        raise ModelError(
            f"{loaded.spec.label} cannot say how uncertain it is of the next token; leave out the "
            "entropy or use a causal model of hf:, an n-gram model or a built-in one"
        )
    found: dict[Text, tuple[float, ...]] = {}
    if not isinstance(model, TorchEntropyModel):
        assert isinstance(model, EntropyModel)
        for at in range(0, len(texts), TOGETHER):
            part = texts[at : at + TOGETHER]
            scores = list(model.score(part))
            found |= _keep(loaded, part, scores, list(model.score_entropies(part)), store)
        return found
    encodings = model.encode(texts)
    check_length(texts, encodings, model.context_length)
    way = Rows(CPU_BATCH if model.device == "cpu" else DEVICE_BATCH)
    groups = way.group(encodings)
    if measure_error(model, way, encodings, groups) > tolerance(model):
        way = Rows(1, "single")
        groups = way.group(encodings)
    for group in groups:
        members = [encodings[i] for i in group]
        batch = way.build(members)
        logps, entropies = (batch.collect(values) for values in model.entropies(batch.tokens))
        scores = [
            TokenScores(e.starts, e.ends, tuple(p)) for e, p in zip(members, logps, strict=True)
        ]
        found |= _keep(loaded, [texts[i] for i in group], scores, entropies, store)
    return found


def read_entropies(
    key: ModelKey, texts: Sequence[Text], store: ScoreStore
) -> dict[Text, tuple[float, ...]]:
    """The entropies of texts, from the store."""
    found = store.read(key, texts, ENTROPY)
    return {text: values.logps for text, values in found.items()}


def _keep(
    loaded: LoadedModel,
    texts: Sequence[Text],
    scores: Sequence[TokenScores],
    entropies: Sequence[Sequence[float]],
    store: ScoreStore,
) -> dict[Text, tuple[float, ...]]:
    rows = []
    for text, found, values in zip(texts, scores, entropies, strict=True):
        if len(values) != len(found):
            raise ScoreError(f"{loaded.spec}: {len(values)} entropies for {len(found)} tokens")
        rows.append((text, TokenScores(found.starts, found.ends, tuple(values))))
    loaded.check()
    label = loaded.spec.label
    store.write(loaded.key, label, list(zip(texts, scores, strict=True)))
    store.write(loaded.key, label, rows, ENTROPY)
    return {text: scores.logps for text, scores in rows}
