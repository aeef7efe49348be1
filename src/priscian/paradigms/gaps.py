"""What paradigms about gaps share: which verbs can have one, and tenses that go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from priscian.grammar import DP, WHAT, WHO, Grammar, Inflection, Word
from priscian.grammar.draw import Slot
from priscian.grammar.nominals import DPOptions
from priscian.lexicon import Noun, Predicate

# A second object or an object predicate leaves room for a gap beside a full object, as in
# *what the queen christened the ship*, whether or not the lexicon has a frame for it.
SECOND_OBJECT = frozenset(
    "advise allow answer appoint ask award baptize bet bid bill call charge choose christen color "
    "command consider cost counsel crown declare deem deny designate dub dye elect envy excuse "
    "feed find fine forgive forbid grant instruct keep label leave lease make name nickname "
    "nominate offer order overcharge owe paint pay permit pick proclaim promise pronounce quote "
    "reelect refuse rename rent save select serve show signal spare teach tell tip title vote "
    "warn wish".split()
)
# Before these *what* would be an exclamation (*what a king*) or a dialect's *what all*, and
# *that* would stand twice.
UNSETTLED = frozenset({"a", "that", "all", "another"})

Table = tuple[tuple[Inflection, ...], tuple[float, ...]]


def _table(weights: Mapping[Inflection, float]) -> Table:
    return tuple(weights), tuple(weights.values())


def _past(**shares: float) -> dict[Inflection, float]:
    return {Inflection("past", modal): share for modal, share in shares.items()}


def _present(**shares: float) -> dict[Inflection, float]:
    return {Inflection("pres", modal): share for modal, share in shares.items()}


REPORT = _table(
    {
        Inflection("past"): 60.0,
        Inflection("past", negation="n't"): 9.0,
        Inflection("past", perfect=True): 8.0,
        Inflection("pres", perfect=True): 10.0,
        Inflection("pres", perfect=True, negation="n't"): 3.0,
        **_present(will=4.0, might=3.0, should=2.0, may=1.0),
    }
)
STATIVE_REPORT = _table(
    {
        Inflection("past"): 52.0,
        Inflection("past", negation="n't"): 10.0,
        Inflection("pres"): 26.0,
        Inflection("pres", negation="n't"): 8.0,
        **_present(might=2.0, should=2.0),
    }
)
REPORTED = {
    "past": _table(
        {
            Inflection("past"): 40.0,
            Inflection("past", perfect=True): 32.0,
            Inflection("past", progressive=True): 8.0,
            **_past(would=8.0, might=5.0, could=3.0, should=4.0),
        }
    ),
    "pres": _table(
        {
            Inflection("past"): 46.0,
            Inflection("pres", perfect=True): 26.0,
            Inflection("pres", progressive=True): 8.0,
            **_present(will=9.0, might=4.0, can=3.0, should=4.0),
        }
    ),
}
EARLIER = {
    "past": _table({Inflection("past"): 70.0, Inflection("past", perfect=True): 30.0}),
    "pres": _table({Inflection("past"): 75.0, Inflection("pres", perfect=True): 25.0}),
}
# Auxiliaries that show no number, so that another subject may follow them.
ASKED = _table(
    {
        Inflection("past"): 44.0,
        Inflection("past", perfect=True): 12.0,
        **_present(will=10.0, would=8.0, should=8.0, could=8.0, might=5.0, can=5.0),
    }
)


def one_object(verb: Predicate) -> bool:
    """True if a verb with its object has no place left for a gap: not *what she taught him*."""
    return "ditrans" not in verb.verb.frames and verb.lemma not in SECOND_OBJECT


def report(g: Grammar, verb: Predicate) -> Inflection:
    """A tense of *know* or *admit* before a clause or a noun that names a finding."""
    return g.weighted(*(STATIVE_REPORT if "stative" in verb.flags else REPORT))


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


def asked(g: Grammar, *verbs: Predicate) -> Inflection:
    """A tense of a question whose auxiliary does not agree: *did*, *had*, *should*."""
    if any("stative" in verb.flags for verb in verbs):
        return Inflection("past")
    return g.weighted(*ASKED)


def settled(
    g: Grammar, slot: Slot | tuple[Slot, ...] = "person", **options: Unpack[DPOptions]
) -> DP:
    """A phrase that may follow *what* and *that*: *the king*, *Emma*, not *a king*."""
    dp = g.dp(slot, **options)
    first = dp.determiner[0] if dp.determiner else None
    if isinstance(first, Word) and first.text in UNSETTLED:
        return g.with_determiner(dp, "the")
    return dp


def filler(noun: Noun, verb: Predicate) -> Word:
    """*who* for people and for what acts as they do where they would fit too; else *what*."""
    if noun.person:
        return WHO
    people = verb.object is not None and verb.object.admits_names
    return WHO if people and "institution" in noun.sorts else WHAT
