"""Suites that no published set has: parasitic gaps, gaps in coordinations, sluices."""

from __future__ import annotations

from functools import partial

from priscian.catalogue import FURTHER
from priscian.grammar import WHAT, WHO, Grammar, Node, Word
from priscian.lexicon import Verb
from priscian.suites.long_distance_dependencies import THAT, frames, knowing
from priscian.suites.people import one_of, phrase, unused
from priscian.suites.registry import Regions, suite
from priscian.suites.text import COMMA, STOP, dealt, verb, words

further = partial(suite, circuit=FURTHER)
AND = Word("and", "and", "func")
SOMEBODY = Word("somebody", "somebody", "func")
SOMETHING = Word("something", "something", "func")


def _verb(g: Grammar, text: str) -> tuple[Verb, tuple[Word, ...]]:
    """A verb and the preposition that goes with it: *listen to*."""
    lemma, _, preposition = text.partition(" ")
    return verb(g, lemma), words(g, preposition)


@further(
    "parasitic_gap",
    regions=["prefix", "comp", "subject", "verb", "object", "adjunct", "end"],
    predictions=["((7;%parasitic%)<(7;%no_filler%))&((7;%parasitic%)<(7;%island%))"],
)
def parasitic_gap(g: Grammar) -> Regions:
    """I know what Emma deleted __ without listening to __ at all / *that … the tape … to __

    The gap of an adjunct lives on that of its clause (Engdahl 1983): it is bad without a filler,
    and bad with one if the clause has no gap of its own (*what Emma deleted the
    tape without listening to*).
    """
    row = dealt(g, "parasitic_gaps", "subjects", "verb", "objects", "adjunct", "ends")
    undone, with_preposition = _verb(g, row["adjunct"])
    done, without = verb(g, row["verb"]).past_sg, words(g, "without")
    subject, thing = phrase(g, row, "subjects"), phrase(g, row, "objects")
    prefix, how = unused(g, knowing()), one_of(g, row, "ends")
    adjunct: Node = (without, undone.gerund, with_preposition)

    def sentence(comp: Word, what: Node) -> list[Node | str]:
        return [prefix, comp, subject, done, what, adjunct, how]

    return {
        "parasitic": sentence(WHAT, ()),
        "no_filler": sentence(THAT, thing),
        "island": sentence(WHAT, thing),
    }


@further(
    "coordinated_gap",
    regions=["comp", "first", "first_object", "and", "second", "second_object", "end"],
    predictions=["((6;%what_nogap%)>(6;%that_nogap%))&((7;%what_gap%)<(7;%that_gap%))"],
)
def coordinated_gap(g: Grammar) -> Regions:
    """What the maid polished __ and Emma damaged __/*the vase was no secret / That … *damaged __

    A gap in one conjunct needs one in the other (Ross 1967): after a gap the second object is a
    surprise, and without one a second gap is.
    """
    cells = ("first", "verb", "second", "other_verb", "things", "others", "ends")
    row = dealt(g, "coordinated_gaps", *cells)
    one: Node = (phrase(g, row, "first"), verb(g, row["verb"]).past_sg)
    two: Node = (phrase(g, row, "second"), verb(g, row["other_verb"]).past_sg)
    thing, other = phrase(g, row, "things"), phrase(g, row, "others")
    end = one_of(g, row, "ends")

    def sentence(comp: Word, what: Node, second: Node) -> list[Node | str]:
        return [comp, one, what, AND, two, second, end]

    return {
        "what_gap": sentence(WHAT, (), ()),
        "what_nogap": sentence(WHAT, (), other),
        "that_gap": sentence(THAT, thing, ()),
        "that_nogap": sentence(THAT, thing, other),
    }


@further(
    "sluice",
    regions=["start", "correlate", "place", "but", "wh", "end"],
    predictions=[
        "(((5;%somebody_who%)+(6;%somebody_who%))<((5;%something_who%)+(6;%something_who%)))"
        "&(((5;%something_what%)+(6;%something_what%))<((5;%somebody_what%)+(6;%somebody_what%)))"
    ],
)
def sluice(g: Grammar) -> Regions:
    """Emma brought somebody/*something to the party, but I forgot who. / *somebody … what.

    The wh-word that is left of a question agrees with its correlate (Ross 1969, Merchant 2001).
    """
    row = dealt(g, "sluices", "verb", "subjects", "places")
    did, about = _verb(g, row["verb"])
    start: Node = (phrase(g, row, "subjects"), did.past_sg, about)
    place, but = one_of(g, row, "places"), unused(g, frames("but"))

    def sentence(correlate: Word, wh: Word) -> list[Node | str]:
        return [start, correlate, place, (COMMA, but), wh, STOP]

    return {
        "somebody_who": sentence(SOMEBODY, WHO),
        "something_who": sentence(SOMETHING, WHO),
        "something_what": sentence(SOMETHING, WHAT),
        "somebody_what": sentence(SOMEBODY, WHAT),
    }
