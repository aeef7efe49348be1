"""A score in a table on the screen."""

from __future__ import annotations

from rich.text import Text as Rich

from priscian.analysis.standing import standing
from priscian.runs.facts import Score
from priscian.stats.interval import Interval

COLOURS = {"above": "green", "below": "red", "at chance": "yellow", "unsure": "yellow"}
"""By how a score stands to chance; where most items tie it has none."""


def score_cell(score: Score, chance: float, guess: Interval | None = None) -> Rich:
    """Per cent with the interval and ties, coloured by chance.

    `guess` is as wide as the interval of a model that guesses, if that of the score covers other
    sets.
    """
    low, high = score.ci
    colour = COLOURS.get(standing(chance, guess or score.ci, score.ties, score.n), "")
    text = Rich(f"{100 * score.accuracy:5.1f}", style=colour)
    text.append(f"  {100 * low:.1f}–{100 * high:.1f}", style="dim")
    if score.ties:
        text.append(f"  {score.ties} tied", style="magenta")
    return text
