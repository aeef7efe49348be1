"""The end of a text, scored: EOS as one more token, for `--eos last-region`.

A causal model of `hf:` reads its EOS behind the text, as the tokenizer's vocabulary spells it, so
that the score is kept in the store like any other. An n-gram model gives the probability of `</s>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from priscian.errors import DataError, ModelError
from priscian.models import ModelSpec, find_provider, load
from priscian.models.hf.encoding import DOCUMENT_SEPARATORS, Tokenizer
from priscian.records import Sentence, Text, TokenScores
from priscian.runs.precomputed import PROVIDER


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
    if spec.provider == PROVIDER:
        return Ending(wanted=True)  # the table has the row, or says so
    if spec.provider == "hf":
        return Ending(_eos_token(spec), wanted=True)
    if spec.provider == "ngram":
        return Ending(logps=_channel(spec, texts), wanted=True)
    raise ModelError(
        f"{spec} gives no probability to the end of a text; leave out --eos last-region"
    )


def _eos_token(spec: ModelSpec) -> str:
    """The token between documents, whether it is called BOS or EOS; else the tokenizer's EOS."""
    place = find_provider("hf").place(spec)  # type: ignore[attr-defined]
    tokenizer = Tokenizer(spec, place)
    bos = tokenizer.bos(spec.options.get("bos", "auto"))
    opening = tokenizer.hf.convert_ids_to_tokens(bos) if bos is not None else None
    token = opening if opening in DOCUMENT_SEPARATORS else tokenizer.hf.eos_token
    if not token:
        raise ModelError(f"the tokenizer of {spec} has no EOS; leave out --eos last-region")
    return str(token)


def _channel(spec: ModelSpec, texts: Sequence[Text]) -> dict[Text, float]:
    model = load(spec.with_options(eos="yes"))
    asked = list(dict.fromkeys(texts))
    scored = model.score(asked)  # type: ignore[union-attr]
    return {t: s.channels["eos"][0] for t, s in zip(asked, scored, strict=True)}
