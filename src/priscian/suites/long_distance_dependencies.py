"""Long-distance dependencies: a filler and its gap, a wh-cleft and what completes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from priscian.catalogue import FURTHER
from priscian.grammar import WHAT, WHO, Grammar, Node, Reject, Word
from priscian.suites.people import fresh, human, one_of, phrase, unused
from priscian.suites.registry import Regions, suite
from priscian.suites.text import dealt, read_rows, verb, words

dependency = partial(suite, circuit="Long-Distance Dependencies")
THAT = Word("that", "that", "func")
DID = Word("did", "do", "func")
WAS = Word("was", "be", "func")
Phrase = tuple[Word, ...]
HIERARCHY_GAPS = ("what_subjgap", "that_subjgap", "what_matrixgap", "that_matrixgap")
OWNERS = frozenset({"my", "our", "your"})
NAMED = 0.45  # share of tellers who have a name


@cache
def frames(kind: str) -> tuple[str, ...]:
    """The frames of a kind: `knows`, `says`, `teller` …"""
    return tuple(row["text"] for row in read_rows("frames", "kind", "text") if row["kind"] == kind)


def knowing() -> tuple[str, ...]:
    """Frames that a question or a *that*-clause may follow."""
    return frames("knows") + frames("know")


# ---------------------------------------------------------------- fillers and gaps


@dataclass(frozen=True, slots=True)
class DativeClause:
    """*Emma · unveiled · the robot · to · the editor · on Thursday*."""

    subject: Phrase
    verb: Word
    object: Phrase
    preposition: Phrase
    third: Phrase
    end: Phrase


def _clause(g: Grammar, agent: bool = False, object_gap: bool = False) -> DativeClause:
    """A clause of a row; with `agent`, one that only a person can be the subject of.

    With `object_gap`, none that would be a passive without its object: *Emma praised for her
    essay* would be; *Emma unveiled to the editor* and *Emma mistook for a bear* are not.
    """
    row = dealt(g, "gaps", "verb", "subjects", "objects", "prep", "third", "ends", "event")
    if agent and row["event"]:
        raise Reject
    done, thing = verb(g, fresh(g, [row["verb"]])), phrase(g, row, "objects")
    if object_gap and done.past_sg.text == done.participle.text and human(g, thing):
        raise Reject
    return DativeClause(
        verb=done.past_sg,
        subject=phrase(g, row, "subjects"),
        object=thing,
        preposition=words(g, row["prep"]),
        third=phrase(g, row, "third"),
        end=one_of(g, row, "ends"),
    )


def _wh(g: Grammar, gap: Phrase) -> Word:
    return WHO if human(g, gap) else WHAT


def _filled_and_gap(region: int, after: int, nogap: str = "nogap") -> str:
    """A filled gap is worse after a wh-word than after *that*; what follows a gap is better."""
    return (
        f"(({region};%what_{nogap}%)>({region};%that_{nogap}%))"
        f"&(({after};%what_gap%)<({after};%that_gap%))"
    )


def _extraction(g: Grammar, at: int) -> Regions:
    """A clause of six regions below *who/what* and *that*, with and without a gap at one."""
    # *that* would be a good subject of an event's verb: *I know that deterred the farmers*.
    # *I know who Emma* begins *who Emma is*, and *I heard who our landlord* likewise.
    prefix = unused(g, frames("knows") if at == 0 else knowing())
    clause = _clause(g, agent=at == 0, object_gap=at == 2)
    if at == 0 and clause.subject[0].lemma in OWNERS:
        raise Reject
    parts: list[Node] = [
        clause.subject, clause.verb, clause.object, clause.preposition, clause.third, clause.end,
    ]  # fmt: skip
    gap = {0: clause.subject, 2: clause.object, 4: clause.third}[at]
    # Whoever does something is a person, even where a name stands for them.
    wh = WHO if at == 0 else _wh(g, gap)
    holed = [*parts[:at], (), *parts[at + 1 :]]
    return {
        "what_nogap": [prefix, wh, *parts],
        "that_nogap": [prefix, THAT, *parts],
        "what_gap": [prefix, wh, *holed],
        "that_gap": [prefix, THAT, *holed],
    }


extraction = partial(
    dependency, regions=["prefix", "comp", "np1", "verb", "np2", "prep", "np3", "end"]
)


@extraction("fgd_subject", predictions=[_filled_and_gap(3, 4)])
def fgd_subject(g: Grammar) -> Regions:
    """I know who/*that __ unveiled the robot to the editor / *who/that Emma unveiled it"""
    return _extraction(g, at=0)


@extraction("fgd_object", predictions=[_filled_and_gap(5, 6)])
def fgd_object(g: Grammar) -> Regions:
    """I know what/*that Emma unveiled __ to the editor / *what/that … unveiled the robot"""
    return _extraction(g, at=2)


@extraction("fgd_pp", predictions=[_filled_and_gap(7, 8)])
def fgd_pp(g: Grammar) -> Regions:
    """I know who/*that Emma unveiled the robot to __ on Friday / *who/that … to the editor"""
    return _extraction(g, at=4)


# ---------------------------------------------------------------- through several clauses


def _teller(g: Grammar) -> Phrase:
    """Somebody who says something: *Emma*, *his wife*."""
    return (g.name().word,) if g.coin(NAMED) else unused(g, frames("teller"))


def _embedded(g: Grammar, depth: int) -> Regions:
    prefix, clause = unused(g, knowing()), _clause(g, object_gap=True)
    wh = _wh(g, clause.object)
    embedding = tuple((_teller(g), unused(g, frames("says"))) for _ in range(depth))
    if embedding[0][1][0].text == "told":  # one need not learn what one was told
        raise Reject
    rest: Node = (clause.preposition, clause.third)

    def sentence(comp: Word, what: Node) -> list[Node | str]:
        return [prefix, comp, embedding, clause.subject, clause.verb, what, rest]

    return {
        "what_gap": sentence(wh, ()),
        "that_gap": sentence(THAT, ()),
        "what_no-gap": sentence(wh, clause.object),
        "that_no-gap": sentence(THAT, clause.object),
    }


embedded = partial(
    dependency,
    regions=["prefix", "comp", "embedding", "subj", "verb", "object", "continuation"],
    predictions=[_filled_and_gap(6, 7, "no-gap")],
)


@embedded("fgd-embed3")
def fgd_embed3(g: Grammar) -> Regions:
    """I know what/*that Emma said my aunt was sure my boss claimed Ali unveiled __ to the mayor"""
    return _embedded(g, 3)


@embedded("fgd-embed4")
def fgd_embed4(g: Grammar) -> Regions:
    """As fgd-embed3, through four clauses: what Emma said my boss was sure our uncle claimed …"""
    return _embedded(g, 4)


# ---------------------------------------------------------------- a filler inside the subject


HIERARCHY = [
    "prefix", "subj_subj", "subj_wh", "subj_embed", "subject_gap", "filler", "matrix_verb",
    "matrix_gap", "continuation",
]  # fmt: skip


def _hierarchy(g: Grammar) -> Regions:
    clause = _clause(g, object_gap=True)
    prefix, knower = words(g, g.deal(frames("content"))), _teller(g)
    # What strikes people is the knowing, so that the reaction need not suit the event.
    row = dealt(g, "reactions", "learns", "reactions")
    knows, upset = one_of(g, row, "learns"), one_of(g, row, "reactions")
    others, occasion = unused(g, frames("audience")), unused(g, frames("when"))
    wh = _wh(g, clause.object)

    def sentence(comp: Word, what: Node, whom: Node) -> list[Node | str]:
        return [
            prefix, (knower, knows), comp, (clause.subject, clause.verb), what,
            (clause.preposition, clause.third), upset, whom, occasion,
        ]  # fmt: skip

    return {
        "what_nogap": sentence(wh, clause.object, others),
        "that_nogap": sentence(THAT, clause.object, others),
        "what_subjgap": sentence(wh, (), others),
        "that_subjgap": sentence(THAT, (), others),
        "what_matrixgap": sentence(wh, clause.object, ()),
        "that_matrixgap": sentence(THAT, clause.object, ()),
    }


@dependency(
    "fgd_hierarchy",
    regions=HIERARCHY,
    predictions=[
        "((6;%what_nogap%)>(6;%that_nogap%))&((6;%what_subjgap%)<(6;%that_subjgap%))",
        "((9;%what_nogap%)=(9;%that_nogap%))&((6;%what_subjgap%)=(6;%that_subjgap%))",
    ],
)
def fgd_hierarchy(g: Grammar) -> Regions:
    """The fact that Emma knew what Ali unveiled __ to the editor startled me / *startled __

    A wh-word inside the subject licenses a gap inside the subject and none in the main clause.
    """
    return _hierarchy(g)


@suite(
    "fgd_hierarchy_effect",
    circuit=FURTHER,
    regions=HIERARCHY,
    predictions=[
        "((6;%what_subjgap%)<(6;%that_subjgap%))&(((6;%that_subjgap%)-(6;%what_subjgap%))"
        ">((9;%that_matrixgap%)-(9;%what_matrixgap%)))"
    ],
)
def fgd_hierarchy_effect(g: Grammar) -> Regions:
    """The fact that Emma knew what Ali unveiled __ to the editor startled me / *startled __

    How much a wh-word helps against *that*, behind a gap: it does inside the subject, where the
    wh-word is, and it does so more than in the main clause, where it cannot license a gap.
    """
    found = _hierarchy(g)
    return {name: found[name] for name in HIERARCHY_GAPS}


# ---------------------------------------------------------------- wh-clefts

cleft_suite = partial(dependency, stem="cleft")


def _cleft(g: Grammar, modified: bool) -> Regions:
    """*did* asks for a verb phrase after *was*, another verb for a noun phrase."""
    row = dealt(g, "cleft", "subjects", "first", "second", "objects", "modifiers")
    somebody, thing = phrase(g, row, "subjects"), phrase(g, row, "objects")
    second = one_of(g, row, "second")
    first = verb(g, one_of(g, row, "first")[0].lemma).past_sg
    modifier: list[Node] = [one_of(g, row, "modifiers")] if modified else []

    def sentence(done: Word, act: Node) -> list[Node | str]:
        return [WHAT, somebody, done, *modifier, WAS, act, thing]

    return {
        "np_mismatch": sentence(DID, ()),
        "np_match": sentence(first, ()),
        "vp_match": sentence(DID, second),
        "vp_mismatch": sentence(first, second),
    }


def _categories(np: int) -> str:
    """Both mismatches together cost something; a verb phrase begins one region earlier."""
    vp = np - 1
    return (
        f"(({np};%np_mismatch%)-({np};%np_match%))"
        f"+((({vp};%vp_mismatch%)+({np};%vp_mismatch%))-(({vp};%vp_match%)+({np};%vp_match%)))>0"
    )


@cleft_suite(
    "cleft",
    regions=["intro", "subj", "verb", "passive", "verb.1", "matrix_v"],
    predictions=[_categories(6)],
)
def cleft(g: Grammar) -> Regions:
    """What the thief dropped/*did was the ring / What the thief did/*dropped was hide the ring"""
    return _cleft(g, modified=False)


@cleft_suite(
    "cleft_modifier",
    regions=["intro", "subj", "verb", "modifier", "passive", "verb.1", "matrix_v"],
    predictions=[_categories(7)],
)
def cleft_modifier(g: Grammar) -> Regions:
    """What the thief dropped/*did when the lights went out was the ring"""
    return _cleft(g, modified=True)
