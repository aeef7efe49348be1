"""Models in three lines of Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from priscian.models import (
    LanguageModel,
    ModelKey,
    ModelSpec,
    TorchModel,
    load,
    model_key,
    parse_model,
)
from priscian.records import Text, TokenScores
from priscian.scoring import DEFAULTS, Options, ScoreStore, score_texts


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model; its scores are kept in a store, in memory unless another is given."""

    spec: ModelSpec
    model: LanguageModel | TorchModel
    store: ScoreStore

    @property
    def key(self) -> ModelKey:
        """All that can change its scores."""
        return model_key(self.spec)

    def score(
        self, texts: Sequence[str | Text], *, context: str = "", options: Options = DEFAULTS
    ) -> list[TokenScores]:
        """Token scores of each text, in order."""
        asked = [t if isinstance(t, Text) else Text(t, context) for t in texts]
        scored = score_texts(self.spec, asked, self.store, loaded=self.model, options=options)
        return [scored.scores[text] for text in asked]

    def surprisals(self, text: str, *, context: str = "") -> list[tuple[str, float]]:
        """Each token of a text with its surprisal in bits; NaN where it could not be scored.

        >>> load_model("gpt2").surprisals("The cat sat.")                  # doctest: +SKIP
        [('The', 12.5), (' cat', 11.0), (' sat', 7.2), ('.', 4.1)]
        """
        scores = self.score([text], context=context)[0]
        return [
            (text[start:end], -logp / math.log(2))
            for start, end, logp in zip(scores.starts, scores.ends, scores.logps, strict=True)
        ]

    def logprob(self, text: str, *, context: str = "") -> float:
        """Log-probability of a text, in nats."""
        return self.score([text], context=context)[0].total


def load_model(model: str | ModelSpec, *, store: ScoreStore | None = None, **options: str) -> Model:
    """Load a model by its string; options such as dtype or bos may be given by name."""
    spec = parse_model(model).with_options(**options)
    return Model(spec, load(spec), store or ScoreStore())
