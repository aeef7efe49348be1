"""Scenes: people doing what anyone who passes can see."""

from __future__ import annotations

from priscian.grammar import DP, Grammar, Node, Reject
from priscian.grammar.draw import Slot
from priscian.lexicon import Predicate

FRAMES = ("unerg", "transitive", "pp")
WEIGHTS = (36.0, 40.0, 24.0)
HANDLED = "physical&!(body_part|institution)"


def activity(
    g: Grammar, frame: str = "", *, animals: bool = True, pastime: float = 0.7, flags: str = ""
) -> Predicate:
    """What people, or now and then animals, may be watched doing; `flags` narrows it."""
    frame = frame or g.weighted(FRAMES, WEIGHTS)
    scenic = f"scenic {flags}"
    if animals and frame == "unerg" and g.coin(0.12):
        return g.verb("unerg", "!stative !unwatchable", subject="some animal", fits=_of_animals)
    if frame == "transitive" and g.coin(0.5):
        return g.verb(frame, f"{scenic} in_public", subject="person")
    # Other things are done for a while by anybody, or to something by those whose job it is.
    fits = _of_workers if frame == "transitive" else None
    lasting = "pastime" if frame == "unerg" and g.coin(pastime) else "!stative"
    return g.verb(frame, f"{scenic} {lasting}", subject="some person", fits=fits)


def _of_animals(verb: Predicate) -> bool:
    return not any(noun.person for noun in verb.subject.nouns)


def _of_workers(verb: Predicate) -> bool:
    return not verb.subject.admits_names


def people(verb: Predicate, sort: str = "animate") -> tuple[Slot, ...]:
    """Possible subjects except relatives; if anybody is possible, passers-by."""
    slots = (verb.subject, f"{sort}&!@possessed")
    return (*slots, "@passerby") if verb.subject.admits_names else slots


def doing(g: Grammar, verb: Predicate, who: DP, *, place: float = 0.4) -> Node:
    """*selling apples*, *waiting for the bus*, *singing near the lake*."""
    if verb.object is None:
        somewhere = "pastime" in verb.flags and g.coin(place)
        return (g.vp(verb).gerund(), _place(g) if somewhere else ())
    # Several people seldom handle one thing.
    several = verb.frame != "pp" and g.coin(0.97 if who.number == "pl" else 0.4)
    slots = (verb.object, HANDLED)
    if several:
        try:
            kind = "bare" if g.coin(0.7) else "the"
            features = "count individual"
            things = g.dp(slots, "pl", det=kind, names=False, features=features)
            return g.vp(verb, object=things).gerund()
        except Reject:
            pass
    thing = g.dp(slots, det="known", names=0.65)
    if thing.noun.count == "both":
        thing = g.with_determiner(thing, "bare")
    return g.vp(verb, object=thing).gerund()


def _place(g: Grammar) -> tuple[Node, ...]:
    """*near the lake*"""
    near = g.choose(g.lexicon.prepositions("vicinity"))
    where = (near.selects or "place", "@public_place")
    return (*near.words, g.dp(where, "sg", det="the", names=False))
