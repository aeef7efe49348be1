"""Gross syntactic state: after a subordinate clause a main clause must come, and not the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

from priscian.grammar import THE, Grammar, Node, Reject, Word
from priscian.suites.people import forms, person
from priscian.suites.registry import Regions, suite
from priscian.suites.text import COMMA, STOP, dealt, lemmas, noun, read_rows, verb, words

state = partial(suite, circuit="Gross Syntactic State", stem="subordination")
PLURAL_SHARE = 0.3
REACTIONS = {"good": 0.4, "bad": 0.8, "crime": 1.0}  # share of main clauses that react

# Conjunctions and the kinds of main clause after them, by the span of what was done; none that is
# an adverb too (*Once the cook peeled the potatoes.*) …
BY_SPAN = {
    "long": (
        ("while", ("scene", "event")),
        ("as", ("scene", "event")),
        ("while", ("scene",)),
        ("after", ("event",)),
    ),
    "lasting": (("while", ("scene", "event")), ("as", ("scene", "event"))),
    "short": (
        ("after", ("event",)),
        ("when", ("event",)),
        ("as soon as", ("event",)),
    ),
}
# … and by what it means to others.
BY_EFFECT = {
    "good": (
        ("because", ("pleased",)),
        ("since", ("pleased",)),
        ("after", ("pleased",)),
        ("although", ("upset",)),
    ),
    "bad": (
        ("because", ("upset",)),
        ("since", ("upset",)),
        ("when", ("upset",)),
        ("after", ("upset",)),
    ),
    "crime": (
        ("because", ("crime", "upset")),
        ("when", ("crime", "upset")),
        ("after", ("crime", "upset")),
    ),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """*After · the cook · burned the steak · the guests left*, and what its nouns are."""

    conjunction: tuple[Word, ...]
    subject: tuple[Word, ...]
    predicate: tuple[Word, ...]
    main: tuple[Word, ...]
    hosts: tuple[str, ...]
    kind: str
    cast: str


@cache
def _casts() -> Mapping[str, str]:
    return {row["kind"]: row["people"] for row in read_rows("casts", "kind", "people")}


@cache
def _mains(kinds: tuple[str, ...]) -> tuple[str, ...]:
    rows = read_rows("mains", "kind", "clause")
    return tuple(row["clause"] for row in rows if row["kind"] in kinds)


@cache
def _modifying(kind: str, hosts: tuple[str, ...]) -> tuple[str, ...]:
    rows = read_rows("modifiers", "host", "type", "text")
    return tuple(row["text"] for row in rows if row["type"] == kind and row["host"] in hosts)


def _cast(g: Grammar, texts: tuple[str, ...], cast: str) -> tuple[Word, ...]:
    """One of these texts that repeats nothing, with people of the scene for {one} and {many}."""
    for _ in texts:
        found = words(g, g.deal(texts))
        content = {word.lemma for word in found if word.is_content}
        if content.isdisjoint(g.used):
            g.used |= content
            places = {"{one}": 0, "{many}": 1}
            return tuple(
                forms(person(g, cast))[places[word.text]] if word.text in places else word
                for word in found
            )
    raise Reject


def _sentence(g: Grammar) -> Sentence:
    """What all four suites share; it is drawn first, so that their items pair by number."""
    row = dealt(g, "activities", "verb", "objects", "kind", "span", "effect", "subjects")
    does = verb(g, row["verb"])
    several = g.coin(PLURAL_SHARE)
    singular, plural = forms(g.noun(lemmas(g, row["subjects"])))
    thing = g.choose(row.parts("objects", ","))
    entry = noun(g, thing.removesuffix("+"))
    what = entry.plural if thing.endswith("+") else entry.singular
    assert what is not None
    reaction = row["effect"] in BY_EFFECT and g.coin(REACTIONS[row["effect"]])
    conjunction, kinds = g.choose(BY_EFFECT[row["effect"]] if reaction else BY_SPAN[row["span"]])
    cast = _casts()[row["kind"]]
    return Sentence(
        conjunction=words(g, conjunction),
        subject=(THE, plural if several else singular),
        predicate=(does.past_sg, THE, what),
        main=_cast(g, _mains(kinds), cast),
        hosts=("person",) if several else ("person", "somebody"),
        kind=row["kind"],
        cast=cast,
    )


def _modifiers(g: Grammar, item: Sentence, kind: str) -> tuple[Node, Node]:
    """Of the subject and of the object: `pp`, `src` or `orc`."""
    of_subject = _cast(g, _modifying(kind, item.hosts), item.cast)
    return of_subject, _cast(g, _modifying(kind, (item.kind,)), item.cast)


def _conditions(item: Sentence, between: list[Node]) -> Regions:
    clause: list[Node] = [*between]
    return {
        "sub_no-matrix": [(item.conjunction, item.subject), *clause, STOP],
        "no-sub_no-matrix": [item.subject, *clause, STOP],
        "sub_matrix": [(item.conjunction, item.subject), *clause, (COMMA, item.main, STOP)],
        "no-sub_matrix": [item.subject, *clause, (COMMA, item.main, STOP)],
    }


def _prediction(region: int) -> str:
    return (
        f"(({region};%sub_no-matrix%)>({region};%no-sub_no-matrix%))"
        f"&(({region};%sub_matrix%)<({region};%no-sub_matrix%))"
    )


@state(
    "subordination",
    regions=["Subordinate clause 1", "Subordinate clause 2", "Main clause"],
    predictions=[_prediction(3)],
)
def subordination(g: Grammar) -> Regions:
    """While the cook peeled the potatoes, the phone rang. / *While the cook peeled the potatoes."""
    item = _sentence(g)
    return _conditions(item, [item.predicate])


modified = partial(
    state,
    regions=[
        "Subordinate clause 1",
        "subj_modifier",
        "Subordinate clause 2",
        "obj_modifier",
        "Main clause",
    ],
    predictions=[_prediction(5)],
)


def _modified(g: Grammar, kind: str) -> Regions:
    item = _sentence(g)
    of_subject, of_object = _modifiers(g, item, kind)
    return _conditions(item, [of_subject, item.predicate, of_object])


@modified("subordination_orc-orc")
def subordination_orc_orc(g: Grammar) -> Regions:
    """While the cook who the guests liked peeled the potatoes that they loved, the phone rang."""
    return _modified(g, "orc")


@modified("subordination_pp-pp")
def subordination_pp_pp(g: Grammar) -> Regions:
    """While the cook from the village peeled the potatoes on the counter, the phone rang."""
    return _modified(g, "pp")


@modified("subordination_src-src")
def subordination_src_src(g: Grammar) -> Regions:
    """While the cook who hated the cold peeled the potatoes that looked good, the phone rang."""
    return _modified(g, "src")
