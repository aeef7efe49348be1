"""Tenses that go together: of a report and what it reports, of a question, of what came before."""

from __future__ import annotations

from collections.abc import Mapping

from priscian.grammar import Grammar, Inflection
from priscian.lexicon import Predicate

Table = tuple[tuple[Inflection, ...], tuple[float, ...]]


def _table(weights: Mapping[Inflection, float]) -> Table:
    return tuple(weights), tuple(weights.values())


def _present(**shares: float) -> dict[Inflection, float]:
    return {Inflection("pres", modal): share for modal, share in shares.items()}


REPORT = _table(
    {
        Inflection("past"): 64.0,
        Inflection("past", negation="n't"): 8.0,
        Inflection("past", perfect=True): 8.0,
        Inflection("pres", perfect=True): 10.0,
        Inflection("pres", perfect=True, negation="n't"): 3.0,
        **_present(will=3.0, might=2.0),
    }
)
STATIVE_REPORT = _table(
    {
        Inflection("past"): 56.0,
        Inflection("past", negation="n't"): 8.0,
        Inflection("pres"): 26.0,
        Inflection("pres", negation="n't"): 6.0,
        **_present(might=4.0),
    }
)
REPORTED = {
    "past": _table(
        {
            Inflection("past"): 42.0,
            Inflection("past", perfect=True): 46.0,
        }
    ),
    "pres": _table(
        {
            Inflection("past"): 52.0,
            Inflection("pres", perfect=True): 32.0,
        }
    ),
}
EARLIER = {
    "past": _table({Inflection("past"): 65.0, Inflection("past", perfect=True): 35.0}),
    "pres": _table({Inflection("past"): 70.0, Inflection("pres", perfect=True): 30.0}),
}
CONFESSED = _table(
    {
        Inflection("past", perfect=True): 72.0,
        Inflection("past"): 22.0,
        Inflection("past", "would"): 2.0,
    }
)
# Auxiliaries that show no number, so that another subject may follow them.
ASKED = _table(
    {
        Inflection("past"): 48.0,
        Inflection("past", perfect=True): 12.0,
        **_present(will=18.0, would=7.0, might=2.0),
    }
)
# The same of what one may tell people to do.
ADVISED = _table({**dict(zip(*ASKED, strict=True)), **_present(should=8.0)})
# Auxiliaries of a plain question about something.
WONDERED = _table(
    {
        Inflection("pres", perfect=True): 26.0,
        Inflection("past", perfect=True): 22.0,
        Inflection("past", progressive=True): 13.0,
        Inflection("pres", progressive=True): 12.0,
        **_present(will=18.0, would=3.0),
    }
)


def report(g: Grammar, verb: Predicate) -> Inflection:
    """A tense of *know* or *admit* before what somebody found out."""
    return g.weighted(*(STATIVE_REPORT if "knowing" in verb.flags else REPORT))


def reported(g: Grammar, verb: Predicate, matrix: Inflection) -> Inflection:
    """A tense that the verb of a clause may have below that of its matrix."""
    if "stative" in verb.flags:
        return Inflection(matrix.tense)
    return g.weighted(*REPORTED[matrix.tense])


def earlier(g: Grammar, verb: Predicate, matrix: Inflection) -> Inflection:
    """A tense for what is told in passing, in a relative clause."""
    if "stative" in verb.flags:
        return Inflection(matrix.tense)
    return g.weighted(*EARLIER[matrix.tense])


def confessed(g: Grammar, verb: Predicate) -> Inflection:
    """A tense for what somebody admits or recalls to have done; its auxiliary does not agree."""
    return Inflection("past") if "stative" in verb.flags else g.weighted(*CONFESSED)


def asked(g: Grammar, *verbs: Predicate) -> Inflection:
    """A tense of a question whose auxiliary does not agree: *did*, *had*, *should*."""
    if any("stative" in verb.flags for verb in verbs):
        return Inflection("past")
    advisable = all("advisable" in verb.flags for verb in verbs)
    return g.weighted(*(ADVISED if advisable else ASKED))
