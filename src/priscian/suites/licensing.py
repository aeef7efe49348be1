"""Licensing: reflexives and their antecedents, polarity items and negation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from priscian.grammar import BE, HAVE, REL_THAT, THE, Grammar, Node, Word
from priscian.lexicon import Gender
from priscian.lexicon.tables import LexiconRow
from priscian.suites.people import forms, fresh, one_of, person
from priscian.suites.registry import Draw, Regions, suite
from priscian.suites.text import dealt, noun, read_rows, verb, words

licensing = partial(suite, circuit="Licensing")
NO = Word("no", "no", "det")
EVER = Word("ever", "ever", "func")
ANY = Word("any", "any", "det")
THEMSELVES = Word("themselves", "they", "pron.refl.pl")
OF_GENDER: dict[str, tuple[Gender, str]] = {"masc": ("m", "himself"), "fem": ("f", "herself")}

SELF = ("heads", "others", "orc", "orc_acts", "src", "src_acts", "places", "prep_acts")
REFLEXIVE_REGIONS = {
    "prep": ["intro", "np_sing", "prep", "the", "prep_np", "matrix_v", "reflexive"],
    "orc": ["intro", "np_sing", "that", "the", "embed_np", "embed_vp", "matrix_v", "reflexive"],
    "src": ["intro", "np_sing", "that", "embed_vp", "the", "embed_np", "matrix_v", "reflexive"],
}
NPI_REGIONS = {
    "orc": ["Licensor", "np", "compl", "rc_dp", "rc_subj", "rc_verb"],
    "src": ["Licensor", "np", "compl", "rc_verb", "rc_dp", "rc_obj"],
}

# ---------------------------------------------------------------- reflexives


@cache
def _gendered() -> Mapping[str, str]:
    """The plural of each person that the lexicon lacks."""
    return {row["noun"]: row["plural"] for row in read_rows("gendered", "noun", "plural")}


def _somebody(g: Grammar, row: LexiconRow, column: str) -> tuple[Word, Word]:
    """One of the people in a cell, in both numbers."""
    lemma = fresh(g, row.parts(column, ","))
    plural = _gendered().get(lemma)
    if plural is None:
        return forms(noun(g, lemma))
    g.used.add(lemma)
    return Word(lemma, lemma, "noun.sg"), Word(plural, lemma, "noun.pl")


def _reflexive(g: Grammar, kind: str, sex: str) -> Regions:
    """One antecedent in both numbers; the noun that is nearer has its gender and the other number.

    So that number and structure alone tell the two apart. A row tells who may meet, what they did
    to each other and to themselves then, and what they do to themselves beside the others.
    """
    gender, pronoun = OF_GENDER[sex]
    row = dealt(g, f"reflexives_{sex}", *SELF)
    singular, plural = _somebody(g, row, "heads")
    one, many = _somebody(g, row, "others")
    met: Node = one_of(g, row, "places" if kind == "prep" else kind)
    act: Node = one_of(g, row, f"{kind}_acts")

    def modifier(number: Word) -> list[Node]:
        match kind:
            case "orc":
                return [REL_THAT, THE, number, met]
            case "src":
                return [REL_THAT, met, THE, number]
        return [met, THE, number]

    himself = Word(pronoun, "they", f"pron.refl.{gender}.sg")
    single = [THE, singular, *modifier(many), act]
    several = [THE, plural, *modifier(one), act]
    return {
        "match_sing": [*single, himself],
        "mismatch_sing": [*single, THEMSELVES],
        "match_plural": [*several, THEMSELVES],
        "mismatch_plural": [*several, himself],
    }


def _register_reflexive(kind: str, sex: str, example: str) -> None:
    regions = REFLEXIVE_REGIONS[kind]
    last = len(regions)

    def draw(g: Grammar) -> Regions:
        return _reflexive(g, kind, sex)

    draw.__doc__ = example
    licensing(
        f"reflexive_{kind}_{sex}",
        regions=regions,
        predictions=[
            f"(({last};%match_sing%)<({last};%mismatch_sing%))"
            f"&(({last};%match_plural%)<({last};%mismatch_plural%))"
        ],
    )(draw)


_register_reflexive("orc", "fem", "The waitress that the cooks praised blamed herself/*themselves")
_register_reflexive("orc", "masc", "The waiter that the cooks praised blamed himself/*themselves")
_register_reflexive("prep", "fem", "The waitress behind the cooks blamed herself/*themselves")
_register_reflexive("prep", "masc", "The waiter behind the cooks blamed himself/*themselves")
_register_reflexive("src", "fem", "The waitress that praised the cooks blamed herself/*themselves")
_register_reflexive("src", "masc", "The waiter that praised the cooks blamed himself/*themselves")

# ---------------------------------------------------------------- polarity items


def _one(g: Grammar, row: LexiconRow, *columns: str) -> str:
    """One of the alternatives in these cells of a row that is not yet in the sentence."""
    return fresh(g, [part for column in columns for part in row.parts(column, ",")])


def _polarity(g: Grammar, kind: str, npi: Word) -> Regions:
    """*no* before the subject, where it licenses, and inside the relative, where it does not.

    A row is a scene: who, among whom, what they did to each other, and what never followed.
    """
    row = dealt(g, "polarity", "subjects", "others", "orc", "src", "any", "ever")
    (head, _), (_, others) = forms(person(g, row["subjects"])), forms(person(g, row["others"]))
    done = verb(g, _one(g, row, kind)).past_sg
    lemma, _, text = _one(g, row, npi.text).partition(" ")
    deed, rest = {"be": BE, "have": HAVE}.get(lemma) or verb(g, lemma), words(g, text)
    if npi is EVER:
        ending: list[Node] = [HAVE.present_sg, EVER, (deed.participle, rest)]
    else:
        ending = [(HAVE.present_sg, deed.participle), ANY, rest]

    def sentence(outer: Word, inner: Word) -> list[Node | str]:
        relative = [inner, others, done] if kind == "orc" else [done, inner, others]
        return [outer, head, REL_THAT, *relative, *ending]

    return {
        "neg_pos": sentence(NO, THE),
        "neg_neg": sentence(NO, NO),
        "pos_pos": sentence(THE, THE),
        "pos_neg": sentence(THE, NO),
    }


def _register_polarity(kind: str, npi: Word, example: str) -> Draw:
    def draw(g: Grammar) -> Regions:
        return _polarity(g, kind, npi)

    draw.__doc__ = example
    before = "has" if npi is EVER else "matrix_v"
    pairs = [("neg_pos", "pos_pos"), ("neg_neg", "pos_neg"), ("neg_pos", "pos_neg")]
    return licensing(
        f"npi_{kind}_{npi.text}",
        regions=[*NPI_REGIONS[kind], before, "npi", "continuation"],
        predictions=["&".join(f"((8;%{good}%)<(8;%{bad}%))" for good, bad in pairs)],
    )(draw)


_register_polarity("orc", ANY, "No/*The cook that the guests liked has baked any bread")
_register_polarity("orc", EVER, "No/*The cook that the guests liked has ever burned the roast")
_register_polarity("src", ANY, "No/*The cook that liked the guests has baked any bread")
_register_polarity("src", EVER, "No/*The cook that liked the guests has ever burned the roast")
