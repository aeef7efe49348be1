"""Subject–verb agreement across a modifier whose noun has the other number."""

from __future__ import annotations

from functools import cache, partial
from itertools import permutations

from priscian.grammar import REL_THAT, THE, Grammar, Node, Reject, Word
from priscian.lexicon import Verb
from priscian.suites.people import Told, encounter, forms, person, preposition, told
from priscian.suites.registry import Regions, suite
from priscian.suites.text import read_rows

agreement = partial(suite, circuit="Agreement")
HABITS = 0.5  # share of predicates that tell what somebody does again and again


def _prediction(region: int) -> str:
    pairs = [("match_sing", "mismatch_sing"), ("match_plural", "mismatch_plural")]
    return "&".join(f"(({region};%{good}%)<({region};%{bad}%))" for good, bad in pairs)


def _conditions(g: Grammar, item: Told, modifier: dict[str, list[Node]]) -> Regions:
    """Subject and verb in both numbers, around a modifier with the other one."""
    singular, plural = forms(item.subject)
    is_, are = item.verb.present_sg, item.verb.present_pl
    one, many = [THE, singular, *modifier["pl"]], [THE, plural, *modifier["sg"]]
    return {
        "match_sing": [*one, is_, item.rest],
        "mismatch_sing": [*one, are, item.rest],
        "match_plural": [*many, are, item.rest],
        "mismatch_plural": [*many, is_, item.rest],
    }


def _predicate(g: Grammar) -> Told:
    return told(g, "habits" if g.coin(HABITS) else "states", _circle(g, _circles()))


@cache
def _circles() -> tuple[str, ...]:
    return tuple(row["people"] for row in read_rows("circles", "circle", "people"))


def _circle(g: Grammar, circles: tuple[str, ...]) -> str:
    """The people of one of these circles, larger ones more often."""
    return g.weighted(circles, tuple(people.count(",") + 1 for people in circles))


def _distractor(g: Grammar, item: Told, *verbs: Verb) -> tuple[Word, Word]:
    """Somebody of the same circle, in both numbers; no word echoes another: *visitors visited*."""
    home = tuple(people for people in _circles() if item.subject.lemma in people.split(","))
    other = person(g, _circle(g, home))
    rest = (word.lemma for word in item.rest if word.is_content)
    doings = (verb.lemma for verb in (item.verb, *verbs))
    lemmas = (item.subject.lemma, other.lemma, *doings, *rest)
    if any(one.startswith(two.removesuffix("e")) for one, two in permutations(lemmas, 2)):
        raise Reject
    return forms(other)


@agreement(
    "number_orc",
    regions=["intro", "np_sing", "that", "the", "embed_np", "embed_vp", "matrix_v", "continuation"],
    predictions=[_prediction(7)],
)
def number_orc(g: Grammar) -> Regions:
    """The baker that the tourists admired sells/*sell fresh bread at the market"""
    item, verb = _predicate(g), encounter(g, clauses=False)
    one, many = _distractor(g, item, verb)
    met = verb.past_sg
    return _conditions(g, item, {"sg": [REL_THAT, THE, one, met], "pl": [REL_THAT, THE, many, met]})


@agreement(
    "number_src",
    regions=["intro", "np_sing", "that", "embed_vp", "the", "embed_np", "matrix_v", "continuation"],
    predictions=[_prediction(7)],
)
def number_src(g: Grammar) -> Regions:
    """The baker that admired the tourists sells/*sell fresh bread at the market"""
    item, verb = _predicate(g), encounter(g, clauses=False)
    one, many = _distractor(g, item, verb)
    met = verb.past_sg
    return _conditions(g, item, {"sg": [REL_THAT, met, THE, one], "pl": [REL_THAT, met, THE, many]})


@agreement(
    "number_prep",
    regions=["intro", "np_sing", "prep", "the", "prep_np", "matrix_v", "continuation"],
    predictions=[_prediction(6)],
)
def number_prep(g: Grammar) -> Regions:
    """The baker behind the tourists knows/*know the way to the castle"""
    item = told(g, "states", _circle(g, _circles()))
    place = preposition(g, item.rest)
    one, many = _distractor(g, item)
    return _conditions(g, item, {"sg": [place, THE, one], "pl": [place, THE, many]})
