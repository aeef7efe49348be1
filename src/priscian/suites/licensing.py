"""Licensing: reflexives and their antecedents, polarity items and negation."""

from __future__ import annotations

from functools import partial

from priscian.grammar import HAVE, REL_THAT, THE, Grammar, Node, Word
from priscian.lexicon import Gender
from priscian.suites.people import encounter, forms, fresh, person, preposition, told
from priscian.suites.registry import Draw, Regions, suite
from priscian.suites.text import read_rows, verb

licensing = partial(suite, circuit="Licensing")
NO = Word("no", "no", "det")
EVER = Word("ever", "ever", "func")
ANY = Word("any", "any", "det")
THEMSELVES = Word("themselves", "they", "pron.refl.pl")
OF_GENDER: dict[str, tuple[Gender, str]] = {"masc": ("m", "himself"), "fem": ("f", "herself")}
SAME_GENDER = 0.3  # share of distractors whose gender is that of the antecedent; others have none

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


def _modifier(g: Grammar, kind: str, number: Word, done: Word, place: Node) -> list[Node]:
    match kind:
        case "orc":
            return [REL_THAT, THE, number, done]
        case "src":
            return [REL_THAT, done, THE, number]
    return [place, THE, number]


def _reflexive(g: Grammar, kind: str, sex: str) -> Regions:
    """One antecedent in both numbers; the noun that is nearer has the other one."""
    gender, pronoun = OF_GENDER[sex]
    rows = read_rows("self_directed", "verb", "gender")
    does = verb(g, fresh(g, [row["verb"] for row in rows if row["gender"] in ("", gender)]))
    singular, plural = forms(person(g, gender=gender))
    one, many = forms(person(g, gender=gender if g.coin(SAME_GENDER) else None))
    done = encounter(g, clauses=kind != "src").past_sg
    place = preposition(g)
    himself = Word(pronoun, "they", f"pron.refl.{gender}.sg")
    single = [THE, singular, *_modifier(g, kind, many, done, place), does.past_sg]
    several = [THE, plural, *_modifier(g, kind, one, done, place), does.past_sg]
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


def _polarity(g: Grammar, kind: str, npi: Word) -> Regions:
    """*no* before the subject, where it licenses, and inside the relative, where it does not."""
    item, done = told(g, npi.text), encounter(g).past_sg
    head, _ = forms(item.subject)
    _, others = forms(person(g))
    participle = item.verb.participle
    if npi is EVER:
        ending: list[Node] = [HAVE.present_sg, EVER, (participle, item.rest)]
    else:
        ending = [(HAVE.present_sg, participle), ANY, item.rest]

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
