"""The polarity item *ever* needs a licensor that has it in its scope."""

from __future__ import annotations

from functools import partial

from priscian.grammar import (
    DP,
    NOT,
    PAST,
    PERFECT,
    PRESENT,
    REL_THAT,
    VP,
    Either,
    Grammar,
    Inflection,
    Pair,
    Reject,
    critical,
    label,
)
from priscian.lexicon import Number, Predicate, Selection, Word
from priscian.paradigms.edits import Reordering, Substitution
from priscian.paradigms.registry import paradigm

semantics = partial(paradigm, phenomenon="npi_licensing", field="semantics")
scope = partial(
    paradigm,
    phenomenon="npi_licensing",
    field="syntax_semantics",
    edit=Reordering(),
    prefix="two",
    lexically_identical=True,
)

EVER = Word("ever", "ever", "adv")
ONLY = Word("only", "only", "adv")
EVEN = Word("even", "even", "adv")

PLUPERFECT = Inflection("past", perfect=True)
WAS_DOING = Inflection("past", progressive=True)
COULD, WILL, WOULD = (Inflection("pres", modal) for modal in ("could", "will", "would"))

# Dealt together with the subject's number, so that all auxiliaries are about equally frequent.
QUESTIONS: tuple[tuple[Inflection, Number | None], ...] = (
    (PERFECT, "pl"),
    (PRESENT, "pl"),
    (COULD, None),
    *2 * ((PERFECT, "sg"), (PRESENT, "sg"), (PAST, None)),
    *2 * ((PLUPERFECT, None), (WILL, None), (WOULD, None)),
)
# Tenses that are natural with *only … ever* and with *not ever*.
UNDER_ONLY = (PERFECT, PERFECT, PERFECT, PAST, PAST, PAST, PLUPERFECT, WOULD)
UNDER_NOT = (PERFECT, PERFECT, PERFECT, PAST, PAST, PLUPERFECT, PLUPERFECT, WOULD, WOULD, WILL)
# Tenses of a relative clause and of the main clause about the same person.
BEFORE_AND_AFTER = (
    (PAST, PAST),
    (PAST, PERFECT),
    (PAST, WILL),
    (PAST, WOULD),
    (PERFECT, PERFECT),
    (PERFECT, WILL),
    (PLUPERFECT, PAST),
    (PLUPERFECT, PLUPERFECT),
)
# The same where the relative clause has an auxiliary, so that *not* may follow it.
WITH_AUXILIARY = (
    (PERFECT, PERFECT),
    (PERFECT, WILL),
    (PLUPERFECT, PAST),
    (PLUPERFECT, PLUPERFECT),
    (PLUPERFECT, WOULD),
)
# Classes of adverbs that stand where *ever* does, with tenses that are natural with each.
HABITS = (PAST, PAST, PERFECT, PERFECT, PLUPERFECT, WOULD)
OPINIONS = (PAST, PAST, PERFECT, PERFECT, PLUPERFECT, WAS_DOING, WILL, WOULD)
REPORTS = (PAST, PAST, PERFECT, PERFECT, PLUPERFECT, WAS_DOING)
IN_PLACE_OF_EVER = (("habit", HABITS), ("certainty", OPINIONS), ("evidence", REPORTS))

EXPERIENCE = "experience|newsworthy !rare"
EVENTFUL = "transitive|pp"
# What passes between people, and what may follow it.
AFFAIRS = "social !rare|incomplete"
AFTERMATH = "aftermath"
FRAMES = ("transitive", "unerg", "pp")
WEIGHTS = (54.0, 30.0, 16.0)


def _verb(
    g: Grammar,
    frame: str = "",
    inflection: Inflection = PAST,
    subject: DP | None = None,
    flags: str = EXPERIENCE,
) -> Predicate:
    """Something that people or animals may do more than once."""
    frame = frame or g.weighted(FRAMES, WEIGHTS)
    return g.verb(
        frame,
        f"{flags} !stative" if inflection.progressive else flags,
        subject=subject or ("some person" if frame == "unerg" else "some animate"),
        fits=_lasting if inflection.progressive else None,
    )


def _lasting(verb: Predicate) -> bool:
    """What may be going on: *was painting a wall*, rather than *was attaining a goal*."""
    return "scenic" in verb.flags


def _subject(g: Grammar, verb: Predicate, number: Number | None = None, names: float = 0.3) -> DP:
    """A definite phrase: quantifiers could license *ever* themselves."""
    return _definite(g, g.dp((verb.subject, "animate"), number, det="the", names=names))


def _definite(g: Grammar, dp: DP) -> DP:
    """*the mayor*, *these mayors*, *my sister*"""
    if dp.name:
        return dp
    related = "kin" in dp.noun.sorts and dp.number == "sg"
    if related or (dp.noun in g.select("@familiar").members and g.coin()):
        return g.with_determiner(dp, "possessive")
    return g.with_determiner(dp, "this") if g.coin(0.12) else dp


def _head(g: Grammar, verb: Predicate) -> DP:
    """The head of a restrictive relative: *the nurse*, *that nurse*."""
    dp = g.dp((verb.subject, "animate"), det="the", names=False)
    return g.with_determiner(dp, "that") if g.coin(0.12) else dp


def _relativiser(g: Grammar, dp: DP) -> Word:
    return g.relativiser(dp) if dp.person else REL_THAT


def _uncounted(g: Grammar, dp: DP) -> DP:
    """*the sun*, *coffee*, *the countryside*, *the pizza*, *scissors*"""
    noun = dp.noun
    if noun.count == "plural":
        return dp
    dp = g.with_number(dp, "sg")
    recurring = noun in g.select("@recurring").members
    alone = g.select("@bare_habit|@bare_mass").members
    bare = noun in alone or (noun.mass and not recurring)
    return g.with_determiner(dp, "bare") if bare and "unique" not in noun.flags else dp


def _object(g: Grammar, verb: Predicate, slot: Selection, *, habit: bool = False) -> DP:
    """What one may do something to again and again: *a letter*, *letters*, *the mayor*."""
    number: Number | None = "pl" if habit and g.coin(0.9) else None
    # What is done to people or to things is mostly done to people.
    sort = "person" if slot.admits_names else "!body_part"
    dp = g.dp((slot, sort), number, det="the", names=0.55)
    noun = dp.noun
    if dp.name:
        return dp
    if noun.count != "count" or "unique" in noun.flags:
        return _uncounted(g, dp)
    recurring = noun in g.select("@recurring").members
    definite = 0.7 if recurring or (verb.frame == "pp" and dp.number == "sg") else 0.25
    somebody = dp.person and not habit
    if "kin" in noun.sorts or somebody or g.coin(definite / 2 if habit else definite):
        return _definite(g, dp)
    return g.with_determiner(dp, "bare" if dp.number == "pl" else "a")


def _vp(g: Grammar, verb: Predicate, inflection: Inflection, *, habit: bool = False) -> VP:
    thing = _object(g, verb, verb.object, habit=habit) if verb.object else None
    return g.vp(verb, inflection, object=thing)


@semantics(
    "matrix_question_npi_licensor_present",
    edit=Reordering(),
    prefix="two",
    lexically_identical=True,
)
def matrix_question_npi_licensor_present(g: Grammar) -> Pair:
    """Has the nurse ever laughed? / *The nurse has ever laughed."""
    inflection, number = g.deal(QUESTIONS)
    verb = _verb(g)
    subject = _subject(g, verb, number=number, names=0.85)
    vp = _vp(g, verb, inflection, habit=inflection is PRESENT)
    auxiliary = label("auxiliary", vp.auxiliary(subject))
    rest = (critical(EVER), label("verb", vp.rest(subject)))
    dp = label("subject", subject)
    return g.pair_of((auxiliary, dp, *rest), (dp, auxiliary, *rest), end="?", bad_end=".")


def _npi_present(g: Grammar, *particle: Word) -> Pair:
    """An adverb that needs no licensor against *ever*."""
    kind, inflections = g.deal(IN_PLACE_OF_EVER)
    inflection, habit = g.choose(inflections), kind == "habit"
    verb = _verb(g, inflection=inflection, flags="experience !rare" if habit else EXPERIENCE)
    if habit and "stative" in verb.flags:
        raise Reject
    subject = _subject(g, verb)
    vp = _vp(g, verb, inflection, habit=habit)
    either = label("adverb", Either(g.adverb(kind).word, EVER))
    return g.pair(*particle, subject=subject, predicate=vp.with_adverb(either).agree(subject))


@semantics("npi_present_1", edit=Substitution("lemma"), prefix="one")
def npi_present_1(g: Grammar) -> Pair:
    """Even the nurse has often laughed. / *Even the nurse has ever laughed."""
    return _npi_present(g, EVEN)


@semantics("npi_present_2", edit=Substitution("lemma"), prefix="one")
def npi_present_2(g: Grammar) -> Pair:
    """The nurse has often laughed. / *The nurse has ever laughed."""
    return _npi_present(g)


@semantics("only_npi_licensor_present", edit=Substitution("lemma"), prefix="two")
def only_npi_licensor_present(g: Grammar) -> Pair:
    """Only the nurse has ever laughed. / *Even the nurse has ever laughed."""
    verb = _verb(g)
    subject = _subject(g, verb)
    vp = _vp(g, verb, g.choose(UNDER_ONLY)).with_adverb(critical(EVER))
    return g.pair(Either(ONLY, EVEN), subject=subject, predicate=vp.agree(subject))


@scope("only_npi_scope")
def only_npi_scope(g: Grammar) -> Pair:
    """Only the nurse who Emma met has ever slept. / *The nurse who only Emma met has ever slept."""
    before, after = g.choose(BEFORE_AND_AFTER)
    main = _verb(g, flags=AFTERMATH if g.coin(0.65) else EXPERIENCE)
    head = _head(g, main)
    verb = g.verb("transitive", AFFAIRS, subject="some person", object=head)
    other = _subject(g, verb, names=0.9)
    relative = (other, *g.vp(verb, before, gap=True).agree(other))
    who = _relativiser(g, head)
    predicate = _vp(g, main, after).with_adverb(critical(EVER)).agree(head)
    return g.pair_of(
        (ONLY, head, who, label("relative", relative), label("predicate", predicate)),
        (head, who, ONLY, label("relative", relative), label("predicate", predicate)),
    )


@semantics(
    "sentential_negation_npi_licensor_present",
    edit=Substitution("lemma", "category"),
    prefix="two",
)
def sentential_negation_npi_licensor_present(g: Grammar) -> Pair:
    """The nurse has not ever laughed. / *The nurse has certainly ever laughed."""
    verb = _verb(g)
    subject = _subject(g, verb)
    vp = _vp(g, verb, g.choose(UNDER_NOT))
    return g.pair(
        subject=subject,
        auxiliary=vp.auxiliary(subject),
        negation=Either(NOT, g.adverb("after_auxiliary").word),
        critical=EVER,
        verb=vp.rest(subject),
    )


@scope("sentential_negation_npi_scope")
def sentential_negation_npi_scope(g: Grammar) -> Pair:
    """The man who had won could not ever rest. / *The man who had not won could ever rest."""
    before, after = g.choose(WITH_AUXILIARY)
    later = AFTERMATH if g.coin(0.7) else EXPERIENCE
    main = _verb(g, EVENTFUL if g.coin(0.8) else "unerg", flags=later)
    head = _head(g, main)
    flags = AFFAIRS if g.coin(0.65) else "newsworthy !general"
    relative = _vp(g, _verb(g, EVENTFUL, before, head, flags=flags), before)
    vp = _vp(g, main, after)
    start = (head, _relativiser(g, head), relative.auxiliary(head))
    middle = (relative.rest(head), vp.auxiliary(head))
    rest = (critical(EVER), vp.rest(head))
    return g.pair_of((*start, *middle, NOT, *rest), (*start, NOT, *middle, *rest))
