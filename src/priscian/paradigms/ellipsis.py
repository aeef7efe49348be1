"""N-bar ellipsis: a noun is elided with its adjectives; none of them can be left behind."""

from __future__ import annotations

from functools import partial

from priscian.grammar import AND, DP, VP, Grammar, Inflection, Node, Pair, label
from priscian.lexicon import Adjective, Predicate
from priscian.paradigms.edits import Exchange, Reordering
from priscian.paradigms.gaps import object_of, one_object, phrase
from priscian.paradigms.registry import paradigm


def words(text: str) -> tuple[str, ...]:
    """Lemmas, listed as text."""
    return tuple(text.split())


ellipsis = partial(paradigm, phenomenon="ellipsis", field="syntax")

NUMERALS = words("two three four five six seven eight")
# What people deal with by numbers.
COUNTED = "(object|animal|plant|question|speech)&!(substance|body_part|building|structure)"
KINDS = ("some artefact", "some animal", "some question", "some speech")
TENSES = (
    Inflection("past"),
    Inflection("past"),
    Inflection("pres", perfect=True),
    Inflection("past", perfect=True),
    Inflection("pres", modal="will"),
)
# After a numeral these could be a predicate (*ate two raw*, *bought two new*), an order (*two
# large*), a noun (*two Swiss*), or a contrast that some speakers accept (*two red*).
RISKY = frozenset(words("age colour control material mood nationality raising size stage"))
# So could these, or they are adverbs (*drove two fast*) or may follow a noun (*two nearby*).
DOUBTFUL = frozenset(
    words(
        "amateur bland blind cheap classical clear common correct creamy crispy crunchy deaf "
        "domestic easy entire fair false fast favorite fun greasy hard haunted impossible "
        "incorrect innocent invisible juicy loud lucky main mild military musical national nearby "
        "official original patient perfect plain poor possible pretty private professional public "
        "quick rich royal safe salty secret sharp slow smooth soft sour spare spicy stiff sweet "
        "tame tender true ugly vegetarian wild wrong"
    )
)
# Before a numeral and an adjective these would judge or show: *found two odd*, *served two odd*.
JUDGING = frozenset(
    words(
        "depict drive feel get have imagine like need paint portray see serve smell sound taste "
        "turn want"
    )
)


# What nobody does by numbers.
ONCE = frozenset(
    words(
        "befriend brace cherish coax cool crease dedicate defend disclose envision equip "
        "establish exit found glimpse inherit invent lengthen miss misuse outlive overdo overheat "
        "overstate perfect practice predict punch push quit recall recollect regain relinquish "
        "safeguard settle silence simplify strangle surrender survive swivel vary"
    )
)


def _lasting(adjective: Adjective) -> bool:
    return not RISKY & adjective.classes and adjective.lemma not in DOUBTFUL


def _plain(verb: Predicate) -> bool:
    judges = verb.lemma in JUDGING or "raise_obj" in verb.verb.frames
    return one_object(verb) and not judges and verb.lemma not in ONCE


def _scene(g: Grammar) -> tuple[Node, Node, DP]:
    """Two halves and what they are about: *Ian fed two*, *Emma fed six*, *cats*."""
    kind = g.weighted(KINDS, (80.0, 10.0, 5.0, 5.0))
    verb = g.verb("transitive", "!stative", subject="some person", object=kind, fits=_plain)
    things = phrase(
        g, object_of(verb), COUNTED, names=0.0, number="pl", det="bare", features="count individual"
    )
    vp = VP(verb.verb, g.choose(TENSES))
    first, second = (phrase(g, verb.subject, "person", adjective=0.2) for _ in range(2))
    some = g.choose(NUMERALS)
    more = g.choose([numeral for numeral in NUMERALS if numeral != some])
    left, right = (
        (who, vp.agree(who), g.word(numeral, "det.pl"))
        for who, numeral in ((first, some), (second, more))
    )
    return left, right, things


@ellipsis("ellipsis_n_bar_1", edit=Reordering())
def ellipsis_n_bar_1(g: Grammar) -> Pair:
    """Ian fed two shy cats and Emma fed six. / *Ian fed two cats and Emma fed six shy."""
    left, right, things = _scene(g)
    adjective = label("adjective", g.adjective(things, fits=_lasting).word)
    noun = label("noun", things.head)
    return g.pair_of((left, adjective, noun, AND, right), (left, noun, AND, right, adjective))


@ellipsis("ellipsis_n_bar_2", edit=Exchange("noun", "adj"))
def ellipsis_n_bar_2(g: Grammar) -> Pair:
    """Ian fed two cats and Emma fed six shy cats. / *Ian fed two odd cats and Emma fed six shy."""
    left, right, things = _scene(g)
    other = label("contrasted", g.adjective(things, fits=_lasting).word)
    adjective = label("adjective", g.adjective(things, fits=_lasting).word)
    noun = label("noun", things.head)
    return g.pair_of(
        (left, noun, AND, right, adjective, noun), (left, other, noun, AND, right, adjective)
    )
