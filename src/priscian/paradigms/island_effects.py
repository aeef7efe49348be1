"""Some phrases are islands: a question word cannot be taken out of them."""

from __future__ import annotations

from functools import cache, partial

from priscian.grammar import (
    AND,
    DP,
    PAST,
    PERFECT,
    VP,
    WHAT,
    WHO,
    Either,
    Grammar,
    Inflection,
    Pair,
    Word,
    critical,
    label,
)
from priscian.lexicon import Lexicon, Predicate
from priscian.paradigms.edits import Reordering, Substitution
from priscian.paradigms.gaps import (
    ACTOR,
    RARE,
    VAGUE,
    WONDERED,
    asked,
    asks_for,
    between_people,
    confessed,
    definite,
    earlier,
    filler,
    head,
    human,
    object_of,
    one_object,
    phrase,
    words,
)
from priscian.paradigms.registry import paradigm

island = partial(paradigm, phenomenon="island_effects", field="syntax")
reordered = partial(island, edit=Reordering(), lexically_identical=True)

# Gerunds that suit *while* because they take a while, and *without* because they might be wished.
DURATIVE = words(
    "admire avoid badger belittle berate caress cradle escort flatter follow guard ignore "
    "insult inspect interrogate pester pursue ridicule scrutinize "
    "serenade shield stroke taunt torment transport"
)
UNINTENDED = words(
    "awaken betray blame break congratulate consult contact damage disturb greet "
    "harm injure insult interrupt invite notify offend provoke remind ruin scratch thank wake "
    "warn"
)
# Verbs that fit almost any object and so say little of it, or hardly come before or after another.
GENERAL = words(
    "amuse bruise date describe discover divorce flaunt foresee found imagine imitate jeopardize "
    "marry mention mimic misinterpret mishandle misuse name notice overdo picture predict recall "
    "recognize remember rename ruin see smell utilize visualize wed"
)
# What people often do to each other, and what of it goes well with anything else.
NEUTRAL = words(
    "accompany approach confront contact encounter follow greet inform interview meet notify phone "
    "photograph question spot telephone text visit warn"
)
SOCIAL = NEUTRAL | words(
    "accompany accuse approach assist avoid befriend blame comfort compliment confront "
    "congratulate console contact criticize deceive embarrass embrace encourage encounter "
    "flatter follow forgive greet help hug ignore inform insult interrupt interview introduce "
    "invite kiss meet mock notify offend persuade phone photograph praise question reassure "
    "remind ridicule scold shove slap snub spot surprise telephone text thank threaten visit "
    "warn"
)
# Verbs of feeling that what somebody does can be the subject of.
STIRRING = words(
    "alarm amaze amuse anger annoy astonish bother confuse delight disappoint disgust disturb "
    "embarrass enrage frighten frustrate horrify impress infuriate irritate offend outrage perplex "
    "please provoke puzzle sadden shock startle stun surprise terrify unsettle upset worry"
)
# What nobody else would feel anything about.
PRIVATE = words(
    "chain clothe depict describe dread favor glimpse greet mention outlive pamper portray quiz "
    "seat transport"
)
PROGRESSIVE = Inflection("pres", progressive=True)
# With these a clause without *that* sounds right, and so does a question.
BRIDGES = {
    "person": words("admit discover explain forget mention realize recall remember reveal say"),
    "company": words("announce confirm disclose"),
}
# What one might ask *whose* about.
OWNED = (
    "(artefact&!(structure|public_building|shop|machine))|pet|farm_animal|kin|body_part|speech|idea|"
    "=teacher,boss,friend,neighbor,roommate,assistant,lawyer,secretary,tenant,guest"
)


@reordered("adjunct_island")
def adjunct_island(g: Grammar) -> Pair:
    """Who did Emma hug after greeting the cook? / *Who did Emma hug the cook after greeting?"""
    verb = g.verb(
        "transitive",
        "!stative",
        subject="some animate",
        fits=lambda v: one_object(v) and _telling(v),
    )
    whom = definite(g, object_of(verb), names=0.15)
    subject = definite(g, verb.subject, ACTOR)
    adjunct = g.verb(
        "trans",
        "!stative",
        subject=subject,
        object=whom,
        fits=lambda v: v.lemma in NEUTRAL if _open(v) else _telling(v),
    )
    links = ["before", "after"]
    links += ["while"] * (adjunct.lemma in DURATIVE) + ["without"] * (adjunct.lemma in UNINTENDED)
    gerund = (g.word(g.choose(links), "prep"), adjunct.verb.gerund)
    start = (
        label("filler", filler(whom.noun, verb)),
        *VP(verb.verb, asked(g, verb)).invert(subject),
    )
    return g.pair_of(
        (*start, label("island", gerund, whom)), (*start, whom, label("island", gerund)), end="?"
    )


def _telling(verb: Predicate) -> bool:
    """True of narrow verbs, and of what people often do to each other; not of *mention*."""
    if _open(verb):
        return verb.lemma in SOCIAL
    return not any(verb.lemma in group for group in (GENERAL, RARE, STIRRING, VAGUE))


def _open(verb: Predicate) -> bool:
    """True if anybody can do it to anybody."""
    return verb.subject.admits_names and object_of(verb).admits_names


@reordered("complex_NP_island")
def complex_NP_island(g: Grammar) -> Pair:  # noqa: N802
    """Who did the boy who saw Emma hug? / *Who did Emma hug the boy who saw?"""
    inner = g.verb(
        "trans", "strict", subject="some person", object="some person", fits=between_people
    )
    who = head(g, inner.subject, "person", adjective=0.3)
    whom = definite(g, object_of(inner), "person", adjective=0.3)
    # Each of the two is subject in one sentence, and the first is object in the other.
    outer = g.verb(
        "trans",
        subject=whom,
        object=who,
        fits=lambda v: one_object(v) and between_people(v) and who.noun in v.subject.members,
    )
    tense = asked(g, outer)
    relative = (g.relativiser(who), *VP(inner.verb, earlier(g, inner, tense)).agree(who))
    vp = VP(outer.verb, tense)
    start, rest = (label("filler", WHO), vp.auxiliary("sg")), vp.rest()
    return g.pair_of(
        (*start, label("island", who, *relative, whom), *rest),
        (*start, whom, *rest, label("island", who, *relative)),
        end="?",
    )


def _which(g: Grammar, what: DP) -> Word:
    """*which*, before what can be owned also *whose*, before one thing also *what*."""
    options = ["which"]
    if what.number == "sg" and not human(what.noun):
        options.append("what")
    if what.noun in g.select(OWNED).members:
        options.append("whose")
    return g.word(g.choose(options), "wh")


def _questioned(g: Grammar, verb: Predicate) -> DP:
    """What is asked about, without a determiner: *vase*, now and then *vases*."""
    return phrase(
        g,
        object_of(verb),
        names=0.0,
        number=g.number(0.15),
        det="bare",
        features="count individual",
        fits=lambda noun: "body_part" not in noun.sorts,
    )


@reordered("coordinate_structure_constraint_complex_left_branch", prefix="two")
def coordinate_structure_constraint_complex_left_branch(g: Grammar) -> Pair:
    """Which cake did Emma see and Paul eat? / *Which did Emma see cake and Paul eat?"""
    verb = g.verb(
        "transitive", subject="some person", fits=lambda v: one_object(v) and between_people(v)
    )
    what = _questioned(g, verb)
    second = g.verb(
        "transitive",
        subject="some person",
        object=what,
        fits=lambda v: one_object(v) and between_people(v) and v.lemma not in GENERAL,
    )
    tense = asked(g, verb, second)
    clause = VP(verb.verb, tense).invert(definite(g, verb.subject, "person"))
    *auxiliaries, last = VP(second.verb, tense).rest()
    coordinate = (AND, definite(g, second.subject, "person"), *auxiliaries, critical(last))
    which, noun = label("filler", _which(g, what)), label("noun", what)
    return g.pair_of(
        (which, noun, *clause, *coordinate), (which, *clause, noun, *coordinate), end="?"
    )


@island("coordinate_structure_constraint_object_extraction", edit=Reordering())
def coordinate_structure_constraint_object_extraction(g: Grammar) -> Pair:
    """Who will Emma and the cook hug? / *Who will Emma hug and the cook?"""
    # The second of the two must do as an object as well, or the bad sentence would be worse.
    verb = g.verb(
        "trans",
        subject="some person",
        object="some person",
        fits=one_object,
    )
    left = definite(g, verb.subject, "person", names=0.4)
    right = definite(g, verb.subject, object_of(verb), "person", names=0.4)
    vp = VP(verb.verb, asked(g, verb))
    start, conjunct = (
        (label("filler", WHO), vp.auxiliary("sg"), left),
        label("conjunct", AND, right),
    )
    return g.pair_of((*start, conjunct, *vp.rest()), (*start, *vp.rest(), conjunct), end="?")


def _left_branch(g: Grammar) -> tuple[VP, DP, DP]:
    verb = g.verb("transitive", "!stative", subject="some animate", fits=one_object)
    return (
        VP(verb.verb, g.weighted(*WONDERED)),
        definite(g, verb.subject, ACTOR, names=0.4),
        _questioned(g, verb),
    )


@reordered("left_branch_island_echo_question", prefix="two")
def left_branch_island_echo_question(g: Grammar) -> Pair:
    """Emma has broken which vase? / *Which has Emma broken vase?"""
    vp, subject, what = _left_branch(g)
    which, noun = label("filler", _which(g, what)), critical(what)
    return g.pair_of(
        (subject, *vp.agree(subject), which, noun), (which, *vp.invert(subject), noun), end="?"
    )


@reordered("left_branch_island_simple_question")
def left_branch_island_simple_question(g: Grammar) -> Pair:
    """Which vase has Emma broken? / *Which has Emma broken vase?"""
    vp, subject, what = _left_branch(g)
    which, noun = label("filler", _which(g, what)), label("noun", what)
    return g.pair_of(
        (which, noun, *vp.invert(subject)), (which, *vp.invert(subject), noun), end="?"
    )


@cache
def _stirring(lexicon: Lexicon) -> tuple[Predicate, ...]:
    pool = lexicon.predicates("trans", object="person").entries
    # Once each, whatever the number of its frames.
    return tuple({verb.lemma: verb for verb in pool if verb.lemma in STIRRING}.values())


@reordered("sentential_subject_island")
def sentential_subject_island(g: Grammar) -> Pair:
    """Who did Emma's ignoring the cook annoy? / *Who did Emma's ignoring annoy the cook?"""
    verb = g.deal(_stirring(g.lexicon))
    inner = g.verb(
        "trans",
        "strict !stative",
        subject="some person",
        object="some person",
        fits=lambda v: v.lemma not in (verb.lemma, *PRIVATE) and between_people(v),
    )
    owner = definite(g, inner.subject, "person")
    whom = definite(g, object_of(inner), "person", names=0.15)
    # A gerund is singular, whatever its subject.
    tense = g.weighted((PAST, PERFECT, PROGRESSIVE, None), (24.0, 16.0, 10.0, 50.0))
    vp = VP(verb.verb, tense or asked(g, verb))
    gerund = (*g.possessor(owner), inner.verb.gerund)
    start = (label("filler", WHO), vp.auxiliary("sg"))
    return g.pair_of(
        (*start, label("island", *gerund, whom), *vp.rest("sg")),
        (*start, label("island", *gerund), *vp.rest("sg"), whom),
        end="?",
    )


@island("wh_island", edit=Substitution("lemma", "category"), prefix="one")
def wh_island(g: Grammar) -> Pair:
    """What did Emma say she had broken? / *What did Emma say who had broken?"""
    sort = "company" if g.coin(0.06) else "person"
    wh = g.deal((WHO, WHAT))
    verb = g.verb(
        "trans",
        "strict",
        subject=f"some {sort}",
        fits=lambda v: v.lemma not in VAGUE and between_people(v) and asks_for(v, wh),
    )
    matrix = g.verb("wh", also="that", fits=lambda v: v.lemma in BRIDGES[sort])
    subject = definite(g, verb.subject, matrix.subject, sort, names=0.35)
    return g.pair(
        label("matrix", wh, *VP(matrix.verb, PAST).invert(subject)),
        subject=Either(g.pronoun(subject), WHO),
        # No auxiliary that agrees: *who* and *they* are followed by the same verb.
        clause=VP(verb.verb, confessed(g, verb)).agree("sg"),
        end="?",
    )
