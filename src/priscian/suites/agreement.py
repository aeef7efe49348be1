"""Subject–verb agreement across a modifier whose noun has the other number."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from itertools import permutations

from priscian.grammar import REL_THAT, THE, Grammar, Node, Reject, Word
from priscian.lexicon import Verb
from priscian.lexicon.tables import LexiconRow
from priscian.suites.people import Told, forms, fresh, person, preposition, told
from priscian.suites.registry import Regions, suite
from priscian.suites.text import read_rows, verb

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


def _told(g: Grammar, table: str) -> tuple[Told, LexiconRow]:
    """Somebody and what is true of them, and whom they met."""
    item = told(g, table, ",".join(_meetings()))
    return item, g.choose(_meetings()[item.subject.lemma])


@cache
def _meetings() -> Mapping[str, tuple[LexiconRow, ...]]:
    """Each person and the rows of those who meet them."""
    found: dict[str, list[LexiconRow]] = {}
    for row in read_rows("meetings", "heads", "others", "orc", "src"):
        for head in row.parts("heads", ","):
            found.setdefault(head, []).append(row)
    return {head: tuple(rows) for head, rows in found.items()}


def _others(g: Grammar, item: Told, met: LexiconRow, *verbs: Verb) -> tuple[Word, Word]:
    """Those who are met, in both numbers; no word echoes another: *visitors visited*."""
    other = person(g, met["others"])
    rest = (word.lemma for word in item.rest if word.is_content)
    doings = (verb.lemma for verb in (item.verb, *verbs))
    lemmas = (item.subject.lemma, other.lemma, *doings, *rest)
    if any(one.startswith(two.removesuffix("e")) for one, two in permutations(lemmas, 2)):
        raise Reject
    return forms(other)


def _relative(g: Grammar, kind: str) -> Regions:
    """Between subject and verb *that the tourists admired*, or *that admired the tourists*."""
    item, met = _told(g, "habits" if g.coin(HABITS) else "states")
    deed = verb(g, fresh(g, met.parts(kind, ",")))
    one, many = _others(g, item, met, deed)
    done = deed.past_sg

    def clause(number: Word) -> list[Node]:
        return [REL_THAT, THE, number, done] if kind == "orc" else [REL_THAT, done, THE, number]

    return _conditions(g, item, {"sg": clause(one), "pl": clause(many)})


@agreement(
    "number_orc",
    regions=["intro", "np_sing", "that", "the", "embed_np", "embed_vp", "matrix_v", "continuation"],
    predictions=[_prediction(7)],
)
def number_orc(g: Grammar) -> Regions:
    """The baker that the tourists admired sells/*sell fresh bread at the market"""
    return _relative(g, "orc")


@agreement(
    "number_src",
    regions=["intro", "np_sing", "that", "embed_vp", "the", "embed_np", "matrix_v", "continuation"],
    predictions=[_prediction(7)],
)
def number_src(g: Grammar) -> Regions:
    """The baker that admired the tourists sells/*sell fresh bread at the market"""
    return _relative(g, "src")


@agreement(
    "number_prep",
    regions=["intro", "np_sing", "prep", "the", "prep_np", "matrix_v", "continuation"],
    predictions=[_prediction(6)],
)
def number_prep(g: Grammar) -> Regions:
    """The baker behind the tourists knows/*know the way to the castle"""
    item, met = _told(g, "states")
    place = preposition(g, item.rest)
    one, many = _others(g, item, met)
    return _conditions(g, item, {"sg": [place, THE, one], "pl": [place, THE, many]})
