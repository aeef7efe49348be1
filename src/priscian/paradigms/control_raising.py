"""Raising predicates give their subject no role; control and tough predicates do otherwise."""

from __future__ import annotations

from functools import cache, partial

from priscian.grammar import BE, DP, THAT, TO, VP, Clause, Either, Grammar, Inflection, Node, Pair
from priscian.lexicon import Adjective, Lexicon, Number, Predicate, Word
from priscian.paradigms.edits import Substitution
from priscian.paradigms.gaps import object_of, one_object, phrase
from priscian.paradigms.registry import paradigm


def words(text: str) -> tuple[str, ...]:
    """Lemmas, listed as text."""
    return tuple(text.split())


raising = partial(
    paradigm, phenomenon="control_raising", field="syntax_semantics", edit=Substitution("lemma")
)

SEEN = "person&!kin"
THING = "object&!(person|institution)"
WEAK = "a|some|several|many|a few|two|three|four|five"
# After the complementiser it would be *that that*.
DISTANT = Word("that", "that", "det.sg")
CROWD: tuple[str, Number] = ("several|many|a few", "pl")
PAST, PRESENT = Inflection("past"), Inflection("pres")
PERFECT = Inflection("pres", perfect=True)
MIGHT, WOULD, WILL = (Inflection("pres", modal) for modal in ("might", "would", "will"))
TENSES = (PAST, PAST, PAST, PRESENT, PRESENT, PRESENT, MIGHT, WOULD)
EVENTS = (PAST, PAST, PAST, PERFECT, MIGHT, WOULD, WILL)
COPULAR = (PAST, PAST, PAST, PRESENT, PRESENT, MIGHT, WOULD, Inflection("past", negation="n't"))
# Verbs of finding out, which tell of an event and so shun the plain present.
FINDING = frozenset(words("confirm determine discover observe report sense"))
# Verdicts and proofs are about larger things than a scene: *deemed there to be two boys singing*.
VERDICT = frozenset(words("consider declare deem estimate judge prove reveal show"))
# What is willed or counted: one does not *permit it to be obvious that …*.
WILLED = frozenset(words("estimate expect intend mean need permit prefer require sense want wish"))
# One may think anything of a fact; what one proves or expects is that it is so.
OPINION = frozenset(words("admit believe claim consider declare deem feel find judge think"))
CURIOUS = frozenset(
    words(
        "amazing amusing annoying bizarre encouraging funny interesting ironic irritating normal "
        "odd peculiar puzzling remarkable strange surprising typical understandable unfair "
        "unsurprising unusual weird wonderful"
    )
)
EPISTEMIC = frozenset(
    words(
        "apparent conceivable evident false implausible improbable inconceivable likely obvious "
        "plausible possible probable true undeniable unlikely untrue"
    )
)
# Without an object, *there* would be a place: *trained there to be a nurse*.
OBJECTLESS = frozenset(words("advise counsel enlist lobby nag pay recruit teach train"))
# Begun or habitual, so of several people; or over, so in the past.
HABIT = frozenset(words("begin cease continue start tend"))
OVER = frozenset(words("begin cease prove start"))
# Neither seen nor going on: not *a guest craving a lime*, *a guest losing the key*.
UNSEEN = frozenset(
    words(
        "achieve acquire age arrive attend autograph avoid ban besiege burst care cherish claim "
        "communicate complete contribute cope crave cuddle damage dangle decide detect discover "
        "drop encounter enroll envision expect find forget gloat imagine indulge inherit "
        "intercept invest keep locate lose malign mention misinterpret misplace misread miss "
        "narrow notice obsess obtain opt overdo pass picture plagiarize prevent procure protect "
        "reach recall receive recollect reconsider refreeze relinquish rely remember renounce "
        "resist risk ruin savor settle slap sound spend spot squash subscribe think tilt torch "
        "tread understand wear wield win"
    )
)
# Raising adjectives at home with any deed; not hearsay, schedules or destiny.
PROSPECT = words("apt bound certain expected likely meant set supposed sure unlikely")
FORESEEN = words(
    "alleged apt bound certain due expected guaranteed known liable likely meant reported "
    "rumored scheduled set slated supposed sure unlikely"
)
# Of one event: with a habit (*apt*) or a purpose (*meant*) an object can be left out, and *due to
# sabotage* may be about a cause.
SINGLE = words(
    "bound certain destined expected guaranteed likely scheduled set slated supposed sure unlikely"
)
# Tough adjectives that go with most of what one can do; others suit people, things or plans alone.
EFFORT = words(
    "awkward challenging difficult easy frustrating hard impossible simple straightforward "
    "tough tricky"
)
TOIL = {
    "animate": (*EFFORT, "exhausting", "risky", "unpleasant"),
    "object": (*EFFORT, "complicated", "exhausting", "tedious"),
    "abstract": (*EFFORT, "complicated", "risky", "tedious"),
}
# Deeds that nobody finds easy or hard.
UNTRIED = frozenset(
    words(
        "accost admire admonish appoint assert assign auction autograph avenge badger belittle "
        "berate betray blindfold brandish bring bury butter caress cash cherish chide christen "
        "cite clutch coddle coerce commandeer commend compliment con condemn condone congratulate "
        "convey cradle crave damage dedicate deface delude demand demote denounce depict deplore "
        "devour discover disinherit disown dread elbow employ encounter endanger escort establish "
        "exceed exclude excuse exile experience express fabricate favor flaunt fling foretell "
        "frame glorify goad greet handpick harass hog honor hospitalize humor idolize imprison "
        "incite incriminate incur inflict injure insult introduce invite jeopardize kidnap malign "
        "mention mishandle misidentify misplace mispronounce misquote mistake mistreat misuse "
        "name neglect nudge omit ostracize outgrow outlive overdo overlook pamper pardon pat "
        "penalize personalize pester petition pocket portray ransack rebuke relinquish relish "
        "remind rename renounce reprimand reproach request risk ruin seat sentence serenade "
        "shield shun sideline snatch snub spare spearhead sprain spurn squander strangle summon "
        "supplant sustain target taunt terrorize thank torch torment undercut undergo unveil "
        "usurp utter vilify vindicate waive welcome woo"
    )
)
# Deeds that nobody has in prospect.
UNPLANNED = frozenset(
    words(
        "cherish convey experience feel idolize inherit outgrow outlast outlive receive ruin "
        "sense smell sprain supplant surpass sustain undergo wear"
    )
)


@cache
def _verbs(lexicon: Lexicon, frame: str, without: frozenset[str]) -> tuple[Predicate, ...]:
    return tuple(v for v in lexicon.predicates(frame).entries if v.lemma not in without)


@cache
def _adjectives(lexicon: Lexicon, classes: str, lemmas: tuple[str, ...]) -> tuple[Adjective, ...]:
    """The adjectives of a class, or those of these lemmas, as often as they are listed."""
    known = {entry.lemma: entry for entry in lexicon.adjectives("pred", classes).entries}
    return tuple(known[lemma] for lemma in lemmas or known)


def _dealt(g: Grammar, classes: str, lemmas: tuple[str, ...] = ()) -> Adjective:
    """An adjective of a small class; all come equally often."""
    return g.pick((g.deal(_adjectives(g.lexicon, classes, lemmas)),))


def _tense(g: Grammar, verb: Predicate) -> Inflection:
    """A tense that suits the verb; all of its tenses come equally often."""
    tenses = EVENTS if verb.lemma in FINDING else TENSES
    _, at = g.deal(tuple((verb.lemma, at) for at in range(len(tenses))))
    return tenses[at]


def _deed(g: Grammar, det: str = "any", number: Number | None = None) -> Clause:
    """Somebody and what they do to something: *several guests*, *folding the napkins*."""
    frame = g.weighted(("transitive", "pp", "prt"), (70.0, 20.0, 10.0))
    verb = g.verb(frame, "!stative", subject="some person", object="some object", fits=_seen)
    thing = phrase(g, object_of(verb), THING)
    doer = phrase(g, verb.subject, SEEN, det=det, number=number, names=0.3 if det == "any" else 0)
    if doer.determiner == (DISTANT,):
        doer = g.with_determiner(doer, "the")
    return Clause(doer, g.vp(verb, PAST, object=thing))


def _scene(g: Grammar, det: str = WEAK, number: Number | None = None) -> tuple[DP, Node]:
    """Some people, and all of *some people doing something*."""
    deed = _deed(g, det, number)
    return deed.subject, (deed.subject, deed.vp.gerund())


def _object_raising(g: Grammar, good: Predicate, expletive: str, embedded: Node) -> Pair:
    subject = phrase(g, good.subject, "person", adjective=0.1)
    bad = g.verb("ctrl_obj", subject=subject, fits=_needs_object)
    tense = _tense(g, good)
    right, wrong = (VP(verb.verb, tense).agree(subject) for verb in (good, bad))
    return g.pair(
        subject=subject,
        verb=Either(right, wrong),
        critical=g.word(expletive),
        embedded=(TO, BE.bare, embedded),
    )


@raising("existential_there_object_raising", prefix="two")
def existential_there_object_raising(g: Grammar) -> Pair:
    """Emma expected there to be two boys singing. / *Emma tempted there to be two boys singing."""
    good = g.pick((g.deal(_verbs(g.lexicon, "raise_obj", VERDICT)),))
    return _object_raising(g, good, "there", _scene(g)[1])


@raising("expletive_it_object_raising", prefix="two")
def expletive_it_object_raising(g: Grammar) -> Pair:
    """Emma felt it to be odd that he sang. / *Emma dared it to be odd that he sang."""
    good = g.pick((g.deal(_verbs(g.lexicon, "raise_obj", WILLED)),))
    kind = CURIOUS if good.lemma in OPINION and g.coin() else EPISTEMIC
    judged = g.adjective(None, "clausal", "pred", fits=lambda entry: entry.lemma in kind)
    return _object_raising(g, good, "it", (judged.word, THAT, _deed(g)))


@raising("existential_there_subject_raising")
def existential_there_subject_raising(g: Grammar) -> Pair:
    """There seemed to be two boys singing. / *There tried to be two boys singing."""
    right: Node
    wrong: Node
    if g.coin(0.45):
        good = g.pick((g.deal(_verbs(g.lexicon, "raise_subj", frozenset())),))
        bad = g.verb("ctrl_subj")
        people, scene = _scene(g, *(CROWD if good.lemma in HABIT else ()))
        tense = g.choose((PAST, PAST, PERFECT, MIGHT) if good.lemma in OVER else (PAST, PRESENT))
        right, wrong = (VP(verb.verb, tense).agree(people) for verb in (good, bad))
    else:
        raised, control = _dealt(g, "raising", FORESEEN), g.adjective(None, "control", "pred")
        people, scene = _scene(g)
        tense = g.choose((PAST, PAST, PRESENT))
        right, wrong = (g.copular(entry, tense).agree(people) for entry in (raised, control))
    return g.pair(
        g.word("there"),
        predicate=Either(right, wrong),
        embedded=(TO, BE.bare, scene),
    )


@raising("tough_vs_raising_1")
def tough_vs_raising_1(g: Grammar) -> Pair:
    """The lid was easy to remove. / *The lid was likely to remove."""
    verb = g.verb("trans", "strict !stative", subject="some person", fits=_tried)
    subject = phrase(g, object_of(verb))
    if not subject.noun.animate and g.coin(0.4):
        subject = g.described(subject)
    tough = _dealt(g, "tough", _suiting(subject))
    raised = g.pick(_adjectives(g.lexicon, "raising", SINGLE))
    return g.pair(
        subject=subject,
        predicate=g.copular(Either(tough.word, raised.word), g.choose(COPULAR)).agree(subject),
        embedded=g.vp(verb, gap=True).infinitive(),
    )


@raising("tough_vs_raising_2")
def tough_vs_raising_2(g: Grammar) -> Pair:
    """The boy was likely to wash the cup. / *The boy was easy to wash the cup."""
    raised = _dealt(g, "raising", PROSPECT)
    tough = g.pick(_adjectives(g.lexicon, "tough", TOIL["object"]))
    verb = g.verb("trans", "!stative", subject="some person", fits=_planned)
    subject = phrase(g, verb.subject, "person", adjective=0.1)
    tense = g.choose((PAST, PAST, PRESENT))
    return g.pair(
        subject=subject,
        predicate=g.copular(Either(raised.word, tough.word), tense).agree(subject),
        embedded=g.vp(verb, object=phrase(g, object_of(verb), "!body_part")).infinitive(),
    )


def _seen(verb: Predicate) -> bool:
    return verb.lemma not in UNSEEN


def _tried(verb: Predicate) -> bool:
    return verb.lemma not in UNTRIED


def _suiting(dp: DP) -> tuple[str, ...]:
    """Tough adjectives that can be said of it."""
    kinds = (kind for kind in ("animate", "object") if kind in dp.noun.sorts)
    return TOIL[next(kinds, "abstract")]


def _needs_object(verb: Predicate) -> bool:
    return verb.lemma not in OBJECTLESS


def _planned(verb: Predicate) -> bool:
    return one_object(verb) and verb.lemma not in UNPLANNED
