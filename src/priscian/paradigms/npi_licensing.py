"""The polarity item *ever* needs a licensor that has it in its scope."""

from __future__ import annotations

from functools import cache, partial

from priscian.grammar import (
    DP,
    NOT,
    PAST,
    PERFECT,
    PRESENT,
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
from priscian.paradigms.phrases import object_of, persistently
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
KNOWN_BY_DEED = "occupation|villain|royal"

PLUPERFECT = Inflection("past", perfect=True)
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
    (PAST, WOULD),
    (PERFECT, PERFECT),
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
# What one person did to another, and what the other alone may ever do in return.
RETURNED = (
    ("kindness", "warmth"),
    ("kindness", "warmth|contact"),
    ("offense", "coldness"),
    ("encounter", "warmth|coldness|contact"),
)
# What one person did to another, and what the same person may not ever do besides.
WITHHELD = (
    ("kindness", "coldness"),
    ("offense", "warmth"),
    ("kindness|offense|encounter", "contact"),
    ("encounter", "warmth|coldness"),
)
# Classes of adverbs that stand where *ever* does, with tenses that are natural with each. *Even*
# goes with how often or how lately, and not with how sure: *Even the nurse clearly fasted*.
HABITS = (PAST, PAST, PERFECT, PERFECT, PLUPERFECT, WOULD)
LATELY = (PERFECT, PERFECT, PLUPERFECT)
IN_PLACE_OF_EVER = (("habit", HABITS), ("habit", HABITS), ("lately", LATELY))

EXPERIENCE = "experience|newsworthy !rare"
FRAMES = ("transitive", "unerg", "pp")
WEIGHTS = (54.0, 30.0, 16.0)


def _verb(g: Grammar, frame: str = "", flags: str = EXPERIENCE) -> Predicate:
    """Something that people or animals may do more than once."""
    frame = frame or g.weighted(FRAMES, WEIGHTS)
    subject = "some person" if frame == "unerg" else "some animate"
    return g.verb(frame, flags, subject=subject)


def _subject(g: Grammar, verb: Predicate, number: Number | None = None, names: float = 0.3) -> DP:
    """A definite phrase: quantifiers could license *ever* themselves."""
    return _definite(g, g.dp((verb.subject, "animate"), number, det="the", names=names))


def _definite(g: Grammar, dp: DP) -> DP:
    """*the mayor*, *these mayors*, *my sister*"""
    if dp.name:
        return dp
    related = dp.noun in g.select("kin&!@standalone").members and dp.number == "sg"
    if related or (dp.noun in g.select("@familiar").members and g.coin()):
        return g.with_determiner(dp, "possessive")
    return g.with_determiner(dp, "this") if g.coin(0.12) else dp


def _head(g: Grammar, *verbs: Selection) -> DP:
    """The head of a restrictive relative, whom anybody may know: *the nurse*, *that nurse*."""
    known = "@bystander" if g.coin(0.4) else "person&!(@possessed|royal|villain|infant)"
    dp = g.phrase(g.noun((known, *verbs), number := g.number(0.4)), number, "the")
    return g.with_determiner(dp, "that") if g.coin(0.12) else dp


def _somebody(g: Grammar) -> tuple[DP, DP]:
    """*Emma*, and *her*; dealt, so that few names come twice."""
    names = g.lexicon.names("first", None)
    name = names[g.deal(_places(len(names)))]
    g.used.add(name.lemma)
    dp = DP(g.lexicon.bare("person"), name.number, name.gender, name.word, name=True)
    return dp, g.pronoun(dp, "acc")


@cache
def _places(size: int) -> tuple[int, ...]:
    return tuple(range(size))


def _response(g: Grammar, flags: str) -> Predicate:
    """What anybody may do to anybody: *trust*, *complain about*."""
    frame = "pp" if g.coin(0.25) else "transitive"
    return g.verb(frame, flags, subject="some adult", object="person")


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
    flags, frame = "experience !rare|once" if habit else EXPERIENCE, g.weighted(FRAMES, WEIGHTS)

    def drawn() -> tuple[DP, Predicate]:
        verb = _verb(g, frame, flags)
        subject = _subject(g, verb, names=0.45 if particle else 0.3)
        # *Even the soldier has often defended the fort* is no surprise: it is what soldiers do.
        narrow = particle and not verb.subject.admits_names
        if narrow and subject.noun in g.select(KNOWN_BY_DEED).members:
            raise Reject
        if habit and "stative" in verb.flags:
            raise Reject
        return subject, verb

    subject, verb = persistently(g, drawn)
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
    """Only the man who Ian met ever called him. / *The man who only Ian met ever called him."""
    before, after = g.choose(BEFORE_AND_AFTER)
    deed, answer = g.choose(RETURNED)
    main = _response(g, answer)
    verb = g.verb("transitive", deed, subject="person", object="person")
    head = _head(g, main.subject, object_of(verb))
    other, them = _somebody(g)
    relative = (other, *g.vp(verb, before, gap=True).agree(other))
    who = g.relativiser(head)
    predicate = g.vp(main, after, object=them).with_adverb(critical(EVER)).agree(head)
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
    """The man who had met Ian did not ever call. / *The man who had not met Ian did ever call."""
    before, after = g.choose(WITH_AUXILIARY)
    deed, answer = g.choose(WITHHELD)
    main = _response(g, answer)
    verb = g.verb("transitive", deed, subject="some adult", object="person")
    head = _head(g, main.subject, verb.subject)
    other, them = _somebody(g)
    relative, vp = g.vp(verb, before, object=other), g.vp(main, after, object=them)
    start = (head, g.relativiser(head), relative.auxiliary(head))
    middle = (relative.rest(head), vp.auxiliary(head))
    rest = (critical(EVER), vp.rest(head))
    return g.pair_of((*start, *middle, NOT, *rest), (*start, NOT, *middle, *rest))
