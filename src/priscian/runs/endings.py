"""Scoring the end of a text: EOS as one more token, for `--eos last-region`.

A model with an end token reads it after the text, spelled as in its vocabulary, so that the score
is kept in the store like any other. Other models compute the probability of the end themselves
(n-gram models: `</s>`), and a table of scores from elsewhere has a row for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from priscian.errors import DataError, ModelError
from priscian.models import EndScorer, EndTokenProvider, ModelSpec, find_provider, load, traits_of
from priscian.records import Sentence, Text, TokenScores


@dataclass(frozen=True, slots=True)
class Ending:
    """What is read after a text, or the probability of its end if the model provides it."""

    suffix: str = ""
    logps: Mapping[Text, float] = field(default_factory=dict)
    wanted: bool = False

    def text(self, sentence: Sentence) -> Text:
        """What the model reads."""
        return Text(sentence.text + self.suffix, sentence.context)

    def scores(self, scores: Mapping[Text, TokenScores], sentence: Sentence) -> TokenScores:
        """The tokens of a sentence; its end, if requested, starts after the last character."""
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
    """How the end of a model's texts is scored; a model that cannot do so is refused."""
    traits = traits_of(spec)
    provider = find_provider(spec.provider)
    if traits.precomputed:
        return Ending(wanted=True)  # the table has a row for the end, or raises an error
    if isinstance(provider, EndTokenProvider):
        return Ending(provider.end_token(spec), wanted=True)
    if traits.scores_end:
        model = load(spec)
        assert isinstance(model, EndScorer)
        asked = list(dict.fromkeys(texts))
        return Ending(logps=dict(zip(asked, model.score_ends(asked), strict=True)), wanted=True)
    raise ModelError(
        f"{spec} has no probability for the end of a text; leave out --eos last-region"
    )
