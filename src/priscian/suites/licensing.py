"""Licensing: reflexives and their antecedents, polarity items and negation."""

from __future__ import annotations

from functools import partial

from priscian.grammar import BE, HAVE, REL_THAT, THE, Grammar, Node, Word
from priscian.lexicon import CONTENT, Gender, Noun, Verb
from priscian.lexicon.tables import Row
from priscian.suites.people import Told, forms, fresh, person, preposition
from priscian.suites.registry import Draw, Regions, suite
from priscian.suites.text import dealt, read_rows, verb, words

licensing = partial(suite, circuit="Licensing")
NO = Word("no", "no", "det")
EVER = Word("ever", "ever", "func")
ANY = Word("any", "any", "det")
THEMSELVES = Word("themselves", "they", "pron.refl.pl")
OF_GENDER: dict[str, tuple[Gender, str]] = {"masc": ("m", "himself"), "fem": ("f", "herself")}

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


def _people_of(g: Grammar, gender: Gender, near: bool) -> tuple[Noun, Noun]:
    """Two women or two men of the same world; if they are merely near, both or neither at court."""
    rows = read_rows("gendered", "world", "gender", "people")
    among = {row["world"]: row["people"] for row in rows if row["gender"] == gender}
    if near:
        court = among.pop("court")
        among = {"court": court, "elsewhere": ",".join(among.values())}
    people = g.weighted(tuple(among.values()), tuple(map(len, among.values())))
    return person(g, people), person(g, people)


def _attitude(g: Grammar, clauses: bool = True, passing: bool = True) -> Verb:
    """What somebody did to somebody: *admire*.

    Without `clauses`, none that takes one: *feared the cooks hurt themselves* would make a plural
    reflexive right. Without `passing`, only what lasts or matters: *no cook that … teased* is odd.
    """
    return verb(
        g,
        fresh(
            g,
            [
                row["verb"]
                for row in read_rows("attitudes", "verb", "takes", "passing")
                if (clauses or not row["takes"]) and (passing or not row["passing"])
            ],
        ),
    )


def _modifier(g: Grammar, kind: str, number: Word, done: Word, place: Node) -> list[Node]:
    match kind:
        case "orc":
            return [REL_THAT, THE, number, done]
        case "src":
            return [REL_THAT, done, THE, number]
    return [place, THE, number]


def _reflexive(g: Grammar, kind: str, sex: str) -> Regions:
    """One antecedent in both numbers; the noun that is nearer has its gender and the other number.

    So that number and structure alone tell the two apart.
    """
    gender, pronoun = OF_GENDER[sex]
    rows = [
        row
        for row in read_rows("self_directed", "verb", "gender", "unseen")
        if row["gender"] in ("", gender) and not (kind == "prep" and row["unseen"])
    ]
    does = verb(g, fresh(g, [row["verb"] for row in rows]))
    head, other = _people_of(g, gender, near=kind == "prep")
    (singular, plural), (one, many) = forms(head), forms(other)
    done = _attitude(g, clauses=kind != "src").past_sg
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


def _scene(g: Grammar, table: str) -> tuple[Told, Noun]:
    """What somebody has done, and others of the same world."""
    row = dealt(g, table, "verb", "rest", "subjects", "worlds")
    rest = words(g, row["rest"])
    known = {"be": BE, "have": HAVE}.get(row["verb"])
    done = known or verb(g, row["verb"])
    g.used.update(word.lemma for word in rest if word.category in CONTENT)
    worlds = _worlds(row)
    among = row["subjects"] or g.deal(tuple(world["people"] for world in worlds))
    head = person(g, among)
    homes = [w["people"] for w in worlds if head.lemma in w.parts("people", ",")]
    return Told(done, rest, head), person(g, g.choose(homes))


def _worlds(row: Row) -> list[Row]:
    """Where the row's people may be: the worlds it names, else all where adults do as they like."""
    worlds = read_rows("worlds", "world", "people", "adults")
    named = row.parts("worlds", ",")
    if row["subjects"]:
        return list(worlds)
    return [world for world in worlds if (world["world"] in named if named else world["adults"])]


def _polarity(g: Grammar, kind: str, npi: Word) -> Regions:
    """*no* before the subject, where it licenses, and inside the relative, where it does not."""
    (item, other), done = _scene(g, npi.text), _attitude(g, passing=False).past_sg
    (head, _), (_, others) = forms(item.subject), forms(other)
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
