"""The end of a text, scored: EOS as one more token, for `--eos last-region`.

A model with an end token reads it behind the text, as its vocabulary spells it, so that the score
is kept in the store like any other. Others say themselves how probable the end is (n-gram models:
`</s>`), and a table of scores made elsewhere has a row for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from priscian.errors import DataError, ModelError
from priscian.models import EndScorer, EndTokenProvider, ModelSpec, find_provider, load, traits_of
from priscian.records import Sentence, Text, TokenScores


@dataclass(frozen=True, slots=True)
class Ending:
    """What is read behind a text, or how probable its end is where a model says so itself."""

    suffix: str = ""
    logps: Mapping[Text, float] = field(default_factory=dict)
    wanted: bool = False

    def text(self, sentence: Sentence) -> Text:
        """What the model reads."""
        return Text(sentence.text + self.suffix, sentence.context)

    def scores(self, scores: Mapping[Text, TokenScores], sentence: Sentence) -> TokenScores:
        """The tokens of a sentence; its end, if wanted, starts behind its last character."""
        text = self.text(sentence)
        found = scores[text]
        end = len(sentence.text)
        if text in self.logps:
            found = TokenScores(
                (*found.starts, end), (*found.ends, end), (*found.logps, self.logps[text])
            )
        if self.wanted and sum(start >= end for start in found.starts) != 1:
            raise DataError(
                f"the end of {sentence.text!r} is not one token of its own; use --eos exclude"
            )
        return found


def find_ending(spec: ModelSpec, texts: Sequence[Text]) -> Ending:
    """The ending of a model's texts; a model without one is refused."""
    traits = traits_of(spec)
    provider = find_provider(spec.provider)
    if traits.precomputed:
        return Ending(wanted=True)  # the table has the row, or says so
    if isinstance(provider, EndTokenProvider):
        return Ending(provider.end_token(spec), wanted=True)
    if traits.scores_end:
        model = load(spec)
        assert isinstance(model, EndScorer)
        asked = list(dict.fromkeys(texts))
        return Ending(logps=dict(zip(asked, model.score_ends(asked), strict=True)), wanted=True)
    raise ModelError(
        f"{spec} gives no probability to the end of a text; leave out --eos last-region"
    )
