"""Region surprisals, in bits, from character offsets alone.

A token belongs to the last non-empty region that begins at or before it, where the space between
two regions belongs to the second. So a token with a leading space belongs to what follows, a token
that crosses a boundary to the region it starts in, and an empty region gets nothing. A token that
starts at the end of the text is its end (EOS): left out, or counted with the last region.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Literal, cast, get_args

from priscian.errors import DataError, UsageError
from priscian.metrics.measures import home
from priscian.records import Sentence, Span, TokenScores

BIT = math.log(2)  # nats

Eos = Literal["exclude", "last-region"]

METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "range": lambda bits: max(bits) - min(bits),
    "max": max,
    "min": min,
}
"""How a suite may combine the surprisals of a region's tokens; an empty region always has 0."""


def find_eos(name: str) -> Eos:
    """`exclude` or `last-region`, checked."""
    if name not in get_args(Eos):
        raise UsageError(f"`eos=` takes {' or '.join(get_args(Eos))}, not {name!r}")
    return cast(Eos, name)


def regions_of(sentence: Sentence) -> tuple[Span, ...]:
    """The spans of a sentence that are regions: those whose names are numbers."""
    return tuple(span for span in sentence.spans if span.name.isdecimal())


def region_tokens(
    scores: TokenScores, sentence: Sentence, eos: Eos = "exclude"
) -> dict[str, list[int]]:
    """The tokens of every region, by number."""
    regions = regions_of(sentence)
    filled = [span for span in regions if span.end > span.start]
    if not filled:
        raise DataError(f"{sentence.text!r} has no regions; read it as a suite: sg:PATH")
    edges = [span.start for span in filled]
    found: dict[str, list[int]] = {span.name: [] for span in regions}
    for number, start in enumerate(scores.starts):
        if start >= len(sentence.text):
            place = len(filled) - 1
            if eos == "exclude":
                continue
        else:
            # the last region that starts at or before the token's first visible character
            place = max(0, bisect_right(edges, home(sentence.text, start)) - 1)
        found[filled[place].name].append(number)
    return found


def region_bits(
    scores: TokenScores, sentence: Sentence, *, eos: Eos = "exclude", metric: str = "sum"
) -> dict[str, float]:
    """The surprisal of every region, in bits: by default the sum over its tokens.

    A token that the model could not score (the first one without BOS) is left out.
    """
    gather = METRICS[metric]
    found: dict[str, float] = {}
    for name, tokens in region_tokens(scores, sentence, eos).items():
        bits = [-scores.logps[i] / BIT for i in tokens if not math.isnan(scores.logps[i])]
        found[name] = gather(bits) + 0.0 if bits else 0.0
    return found
