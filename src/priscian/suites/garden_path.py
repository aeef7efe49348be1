"""Garden paths: a verb that is no main verb (MVRR), a noun phrase that is no object (NP/Z)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from priscian.grammar import BE, HAVE, THE, Grammar, Node, Word
from priscian.lexicon import Gender
from priscian.suites.registry import Regions, suite
from priscian.suites.text import COMMA, dealt, noun, verb, words

garden_path = partial(suite, circuit="Garden-Path Effects")
NOTHING: Node = ()
# Verbs that are no entries of the lexicon.
PASTS = {
    "be": BE.past_sg,
    "have": HAVE.past_sg,
    "become": Word("became", "become", "verb.past"),
}
POSSESSIVES: dict[Gender | None, str] = {"m": "his", "f": "her"}


def _prediction(region: int, path: str, closed: str, clear: str, clear_closed: str) -> str:
    """The garden path costs, against either cue alone, and more than the cue does elsewhere."""
    hard = f"({region};%{path}%)"
    return (
        f"({hard}>({region};%{closed}%))&({hard}>({region};%{clear}%))"
        f"&(({hard}-({region};%{closed}%))>(({region};%{clear}%)-({region};%{clear_closed}%)))"
    )


def _main(g: Grammar, text: str) -> tuple[Word, tuple[Word, ...]]:
    """*begin to cry* in the past: the verb that undoes the garden path, and what follows."""
    lemma, _, rest = text.partition(" ")
    return PASTS.get(lemma) or verb(g, lemma).past_sg, words(g, rest)


# ---------------------------------------------------------------- main verb or reduced relative


@dataclass(frozen=True, slots=True)
class ReducedRelative:
    """*The · visitor · (who was) brought/given · the hot tea · from the farmhouse · spoke …*"""

    head: tuple[Word, ...]
    who_was: tuple[Word, ...]
    ambiguous: Word
    unambiguous: Word
    contents: tuple[Word, ...]
    intervener: tuple[Word, ...]
    main: Word
    rest: tuple[Word, ...]


def _reduced_relative(g: Grammar) -> ReducedRelative:
    row = dealt(
        g,
        "reduced_relatives",
        "relative", "heads", "ambiguous", "unambiguous", "contents", "interveners", "mains",
    )  # fmt: skip
    main, rest = _main(g, g.choose(row.parts("mains", "/")))
    return ReducedRelative(
        head=words(g, g.choose(row.parts("heads", ","))),
        who_was=words(g, row["relative"]),
        ambiguous=verb(g, row["ambiguous"]).participle,
        unambiguous=verb(g, row["unambiguous"]).participle,
        contents=words(g, g.choose(row.parts("contents", "/"))),
        intervener=words(g, g.choose(row.parts("interveners", "/"))),
        main=main,
        rest=rest,
    )


def _mvrr(g: Grammar, modified: bool) -> Regions:
    item = _reduced_relative(g)

    def sentence(relative: Node, participle: Word) -> list[Node | str]:
        intervener = [item.intervener] if modified else []
        middle = [(relative, participle), item.contents, *intervener]
        return [THE, item.head, *middle, item.main, item.rest]

    return {
        "reduced_ambig": sentence(NOTHING, item.ambiguous),
        "unreduced_ambig": sentence(item.who_was, item.ambiguous),
        "reduced_unambig": sentence(NOTHING, item.unambiguous),
        "unreduced_unambig": sentence(item.who_was, item.unambiguous),
    }


mvrr_prediction = partial(
    _prediction,
    path="reduced_ambig",
    closed="unreduced_ambig",
    clear="reduced_unambig",
    clear_closed="unreduced_unambig",
)


@garden_path(
    "mvrr",
    regions=["Start", "Noun", "Ambiguous verb", "RC contents", "Disambiguator", "End"],
    predictions=[mvrr_prediction(5)],
)
def mvrr(g: Grammar) -> Regions:
    """The visitor (who was) brought/given the hot tea spoke of the war"""
    return _mvrr(g, modified=False)


@garden_path(
    "mvrr_mod",
    regions=[
        "Start", "Noun", "Ambiguous verb", "RC contents", "Intervener", "Disambiguator", "End",
    ],
    predictions=[mvrr_prediction(6)],
    stem="mvrr",
)  # fmt: skip
def mvrr_mod(g: Grammar) -> Regions:
    """The visitor (who was) brought/given the hot tea from the farmhouse spoke of the war"""
    return _mvrr(g, modified=True)


# ---------------------------------------------------------------- noun phrase or zero


@dataclass(frozen=True, slots=True)
class Subordinate:
    """*As the sailor · drank (his tea)/dozed · the cider · from the valley · became · warm*"""

    start: tuple[Word, ...]
    verb: Word
    intransitive: Word
    object: tuple[Word, ...]
    phrase: tuple[Word, ...]
    extension: tuple[Word, ...]
    main: Word
    rest: tuple[Word, ...]


def _subordinate(g: Grammar) -> Subordinate:
    row = dealt(
        g,
        "subordinate_objects",
        "conjunctions", "subjects", "verb", "intransitive", "objects", "phrases", "extensions",
        "mains",
    )  # fmt: skip
    conjunction = g.choose(row.parts("conjunctions", ","))
    subject = g.choose(row.parts("subjects", ","))
    main, rest = _main(g, g.choose(row.parts("mains", "/")))
    his = POSSESSIVES.get(noun(g, subject).gender) or g.choose(("his", "her"))
    return Subordinate(
        start=words(g, f"{conjunction} the {subject}"),
        verb=verb(g, row["verb"]).past_sg,
        intransitive=verb(g, g.choose(row.parts("intransitive", ","))).past_sg,
        object=words(g, g.choose(row.parts("objects", "/")).replace("{his}", his)),
        phrase=words(g, g.choose(row.parts("phrases", "/"))),
        extension=words(g, g.choose(row.parts("extensions", "/"))),
        main=main,
        rest=rest,
    )


def _sentence(item: Subordinate, predicate: Node, comma: Node, modified: bool) -> list[Node | str]:
    extension = [item.extension] if modified else []
    return [item.start, predicate, comma, item.phrase, *extension, item.main, item.rest]


def _npz_ambig(g: Grammar, modified: bool) -> Regions:
    item = _subordinate(g)
    return {
        "ambig_nocomma": _sentence(item, item.verb, NOTHING, modified),
        "unambig_nocomma": _sentence(item, item.intransitive, NOTHING, modified),
        "ambig_comma": _sentence(item, item.verb, COMMA, modified),
        "unambig_comma": _sentence(item, item.intransitive, COMMA, modified),
    }


def _npz_obj(g: Grammar, modified: bool) -> Regions:
    item = _subordinate(g)
    full = (item.verb, item.object)
    return {
        "no-obj_no-comma": _sentence(item, item.verb, NOTHING, modified),
        "obj_no-comma": _sentence(item, full, NOTHING, modified),
        "no-obj_comma": _sentence(item, item.verb, COMMA, modified),
        "obj_comma": _sentence(item, full, COMMA, modified),
    }


NPZ = ["Start", "Transitive Verb", "Comma", "NP/Z", "Verb", "Continuation"]
NPZ_MOD = [*NPZ[:4], "Extension", *NPZ[4:]]
ambig_prediction = partial(
    _prediction,
    path="ambig_nocomma",
    closed="ambig_comma",
    clear="unambig_nocomma",
    clear_closed="unambig_comma",
)
obj_prediction = partial(
    _prediction,
    path="no-obj_no-comma",
    closed="no-obj_comma",
    clear="obj_no-comma",
    clear_closed="obj_comma",
)


@garden_path("npz_ambig", regions=NPZ, predictions=[ambig_prediction(5)])
def npz_ambig(g: Grammar) -> Regions:
    """As the sailor drank/dozed(,) the cider became too warm"""
    return _npz_ambig(g, modified=False)


@garden_path("npz_ambig_mod", regions=NPZ_MOD, predictions=[ambig_prediction(6)], stem="npz_ambig")
def npz_ambig_mod(g: Grammar) -> Regions:
    """As the sailor drank/dozed(,) the cider from the valley became too warm"""
    return _npz_ambig(g, modified=True)


@garden_path("npz_obj", regions=NPZ, predictions=[obj_prediction(5)])
def npz_obj(g: Grammar) -> Regions:
    """As the sailor drank (his tea)(,) the cider became too warm"""
    return _npz_obj(g, modified=False)


@garden_path("npz_obj_mod", regions=NPZ_MOD, predictions=[obj_prediction(6)], stem="npz_obj")
def npz_obj_mod(g: Grammar) -> Regions:
    """As the sailor drank (his tea)(,) the cider from the valley became too warm"""
    return _npz_obj(g, modified=True)
