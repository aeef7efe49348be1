"""What paradigms about gaps share: verbs that leave no second gap, people, tenses in step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Unpack

from priscian.grammar import DP, WHAT, WHO, Grammar, Inflection, Reject, Word
from priscian.grammar.draw import Slot
from priscian.grammar.nominals import DPOptions
from priscian.lexicon import Noun, Predicate, Selection


def words(text: str) -> frozenset[str]:
    """A set of lemmas."""
    return frozenset(text.split())


# A second object or an object predicate leaves room for a gap beside a full object, as in
# *what the queen christened the ship*, whether or not the lexicon has a frame for it.
SECOND_OBJECT = words(
    "advise allow answer appoint ask award baptize bet bid bill call charge choose christen "
    "color command consider cost counsel crown declare deem deny designate dub dye elect envy "
    "excuse feed find fine forbid forgive grant help instruct keep label lease leave make "
    "name nickname nominate offer order overcharge owe paint pay permit pick proclaim promise "
    "pronounce quote reelect refuse rename rent save select serve show signal spare teach "
    "tell tip title vote warn wish"
)
# What anybody could do to anybody, and hardly ever does.
RARE = words(
    "accost admonish avenge badger blindfold chide delude elbow emulate endanger goad humor "
    "hypnotize implore jostle nudge oppress ostracize outbid outdo outlast shield torment"
)
# Nobody would ask what it was that somebody exceeded, or patted.
VAGUE = words(
    "attain avert caress chain clasp clothe clutch cradle exceed flaunt gauge heed hog incur "
    "inflict lack outlive pat prolong regain risk stroke sustain undergo utilize withstand"
)
ACTOR = "(animate&!infant)|(institution&!document)"
# People of everyday life, whom anybody might do anything to: not *the nomad*.
EVERYDAY = (
    "="
    "mother,father,brother,sister,aunt,uncle,cousin,niece,nephew,grandmother,grandfather,son,"
    "daughter,wife,husband,boy,girl,teenager,kid,child,man,woman,lady,gentleman,guy,student,"
    "pupil,trainee,apprentice,intern,freshman,classmate,graduate,cadet,friend,neighbor,guest,"
    "customer,visitor,tourist,traveler,passenger,host,hostess,tenant,landlord,landlady,resident,"
    "candidate,colleague,coworker,partner,boss,employee,client,patient,witness,stranger,"
    "volunteer,contestant,roommate,boyfriend,girlfriend,bride,groom,villager,guide,newcomer,"
    "applicant,champion,rival,veteran,hiker,hunter,collector,shopper,expert,owner,citizen,"
    "leader,fan,camper,jogger,activist,spectator,actor,actress,dancer,singer,musician,magician,"
    "comedian,clown,drummer,guitarist,pianist,violinist,author,writer,poet,painter,artist,"
    "composer,designer,photographer,director,journalist,reporter,editor,novelist,architect,"
    "teacher,professor,scientist,historian,chemist,tutor,librarian,researcher,engineer,doctor,"
    "nurse,dentist,surgeon,veterinarian,pharmacist,therapist,paramedic,mayor,judge,sheriff,"
    "diplomat,inspector,soldier,detective,lifeguard,policeman,policewoman,officer,guard,"
    "bodyguard,sergeant,general,captain,sailor,firefighter,carpenter,plumber,electrician,"
    "mechanic,waiter,waitress,chef,cook,baker,butcher,driver,farmer,gardener,janitor,cleaner,"
    "maid,butler,bartender,barber,hairdresser,tailor,fisherman,shepherd,cowboy,pilot,steward,"
    "stewardess,mailman,messenger,builder,technician,florist,grocer,cashier,salesman,nanny,"
    "babysitter,housekeeper,zookeeper,locksmith,banker,lawyer,secretary,accountant,receptionist,"
    "clerk,manager,consultant,agent,translator,programmer,assistant,runner,boxer,goalkeeper,"
    "swimmer,skier,golfer,coach,referee,cyclist,gymnast,wrestler,priest"
)
# One has a single one of these: not *my mothers*.
ONLY = words("mother father grandmother grandfather wife husband boyfriend girlfriend")
# Relatives whose family need not be named.
ALONE = words("child heir heiress twin triplet widow widower")
# Mass nouns that stand alone: *felt pride*, *studied chemistry*.
UNCOUNTED = words("emotion quality ability illness topic language activity crime")
# After *what* an indefinite article would make an exclamation (*what a king*), and after *that*
# the demonstrative *that* would be the same word twice.
DEFINITE = words("the this these those my your his her our their")
# Quantifiers other than these would ask for a second thought about scope.
PLAIN = DEFINITE | {"a", "some", "several", "that"}

# Verbs of knowledge that lasts, so that they are at home in the present.
LASTING = frozenset({"know", "remember", "realize"})

Table = tuple[tuple[Inflection, ...], tuple[float, ...]]


def _table(weights: Mapping[Inflection, float]) -> Table:
    return tuple(weights), tuple(weights.values())


def _past(**shares: float) -> dict[Inflection, float]:
    return {Inflection("past", modal): share for modal, share in shares.items()}


def _present(**shares: float) -> dict[Inflection, float]:
    return {Inflection("pres", modal): share for modal, share in shares.items()}


REPORT = _table(
    {
        Inflection("past"): 64.0,
        Inflection("past", negation="n't"): 8.0,
        Inflection("past", perfect=True): 8.0,
        Inflection("pres", perfect=True): 10.0,
        Inflection("pres", perfect=True, negation="n't"): 3.0,
        **_present(will=3.0, might=2.0),
    }
)
STATIVE_REPORT = _table(
    {
        Inflection("past"): 56.0,
        Inflection("past", negation="n't"): 8.0,
        Inflection("pres"): 26.0,
        Inflection("pres", negation="n't"): 6.0,
        **_present(might=4.0),
    }
)
REPORTED = {
    "past": _table(
        {
            Inflection("past"): 42.0,
            Inflection("past", perfect=True): 40.0,
            **_past(would=5.0, might=2.0, could=1.0, should=1.0),
        }
    ),
    "pres": _table(
        {
            Inflection("past"): 52.0,
            Inflection("pres", perfect=True): 32.0,
            **_present(will=5.0, might=2.0, should=1.0),
        }
    ),
}
EARLIER = {
    "past": _table({Inflection("past"): 65.0, Inflection("past", perfect=True): 35.0}),
    "pres": _table({Inflection("past"): 70.0, Inflection("pres", perfect=True): 30.0}),
}
CONFESSED = _table(
    {
        Inflection("past", perfect=True): 72.0,
        Inflection("past"): 22.0,
        **_past(would=2.0),
    }
)
# Auxiliaries that show no number, so that another subject may follow them.
ASKED = _table(
    {
        Inflection("past"): 48.0,
        Inflection("past", perfect=True): 12.0,
        **_present(will=12.0, would=8.0, should=7.0, could=6.0, might=5.0, can=2.0),
    }
)
# Auxiliaries of a plain question about something.
WONDERED = _table(
    {
        Inflection("pres", perfect=True): 26.0,
        Inflection("past", perfect=True): 22.0,
        Inflection("past", progressive=True): 13.0,
        Inflection("pres", progressive=True): 12.0,
        **_present(will=13.0, could=5.0, would=4.0, might=3.0, should=2.0),
    }
)


def one_object(verb: Predicate) -> bool:
    """True if a verb with its object has no place left for a gap: not *what she taught him*."""
    return "ditrans" not in verb.verb.frames and verb.lemma not in SECOND_OBJECT


def object_of(verb: Predicate) -> Selection:
    """What a transitive verb selects."""
    assert verb.object is not None
    return verb.object


@cache
def asks_for(verb: Predicate, wh: Word) -> bool:
    """True if *who* or *what* is how one would ask for the object."""
    nouns = object_of(verb).nouns
    if wh is WHO:
        return sum(map(human, nouns)) >= 0.3 * len(nouns)
    return sum(human(noun) or "institution" in noun.sorts for noun in nouns) <= 0.5 * len(nouns)


def between_people(verb: Predicate) -> bool:
    """False of what may happen between any two people, but hardly ever does."""
    return verb.lemma not in RARE


# ------------------------------------------------------------ tenses


def report(g: Grammar, verb: Predicate) -> Inflection:
    """A tense of *know* or *admit* before what somebody found out."""
    return g.weighted(*(STATIVE_REPORT if verb.lemma in LASTING else REPORT))


def reported(g: Grammar, verb: Predicate, matrix: Inflection) -> Inflection:
    """A tense that the verb of a clause may have below that of its matrix."""
    if "stative" in verb.flags:
        return Inflection(matrix.tense)
    return g.weighted(*REPORTED[matrix.tense])


def earlier(g: Grammar, verb: Predicate, matrix: Inflection) -> Inflection:
    """A tense for what is told in passing, in a relative clause."""
    if "stative" in verb.flags:
        return Inflection(matrix.tense)
    return g.weighted(*EARLIER[matrix.tense])


def confessed(g: Grammar, verb: Predicate) -> Inflection:
    """A tense for what somebody admits or recalls to have done; its auxiliary does not agree."""
    return Inflection("past") if "stative" in verb.flags else g.weighted(*CONFESSED)


def asked(g: Grammar, *verbs: Predicate) -> Inflection:
    """A tense of a question whose auxiliary does not agree: *did*, *had*, *should*."""
    if any("stative" in verb.flags for verb in verbs):
        return Inflection("past")
    return g.weighted(*ASKED)


# ------------------------------------------------------------ phrases


def phrase(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """What these slots admit, but of people rather those of everyday life: *our cook*, *Emma*."""
    names = float(options.get("names", 0.3))
    selection = g.select(_meet(*(g.select(slot).text for slot in slots)))
    if selection.admits_names:
        if _people(selection) == "only" or g.coin(0.6):
            if g.coin(names):
                return g.named()
            selection = g.select(_meet(selection.text, EVERYDAY))
        else:
            selection = g.select(_meet(selection.text, "!person"))
    elif _people(selection) == "some":
        usual = g.select(_meet(selection.text, f"{EVERYDAY}|!person"))
        selection = usual if _people(usual) != "none" else selection
    options["names"] = False
    dp = g.dp(selection, **options)
    return _usual(g, dp) if options.get("det", "any") == "any" else dp


def _usual(g: Grammar, dp: DP) -> DP:
    """With a determiner and a number that go well with the noun."""
    noun, sorts = dp.noun, dp.noun.sorts
    alone = noun.lemma in ONLY or noun.count == "both" or "government" in sorts
    if alone and dp.number == "pl" and noun.singular:
        dp = g.with_determiner(g.with_number(dp, "sg"), "the")
    if noun.mass and not UNCOUNTED.isdisjoint(sorts):
        return g.with_determiner(dp, "bare")
    if "body_part" in sorts:
        raise Reject  # *his knee*, but whose?
    if noun.lemma in ONLY:
        return g.with_determiner(dp, "my|your|his|her")
    if "kin" in sorts and noun.lemma not in ALONE:
        return g.with_determiner(dp, "possessive")
    unsure = noun.count == "both" or "institution" in sorts
    return _determined(g, dp, DEFINITE if unsure else PLAIN)


def head(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """A phrase that a relative clause may narrow down: *the cook*, not *our mother*."""
    options["names"], options["det"], options["fits"] = 0.0, "the", restrictable
    return phrase(g, *slots, **options)


def restrictable(noun: Noun) -> bool:
    """True of what *the* or *which* may single out: not *the sun that*, *which wife*."""
    if "unique" in noun.flags or noun.lemma in ONLY:
        return False
    return "kin" not in noun.sorts or noun.lemma in ALONE


@cache
def _meet(*texts: str) -> str:
    """What all of these select, as one selection, so that its nouns are looked up once."""
    return "&".join(f"({text})" for text in texts)


def definite(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """As `phrase`, and known: *the nurse*, *Emma*, *your neighbors*, never *a king*."""
    return _determined(g, phrase(g, *slots, **options), DEFINITE)


def _determined(g: Grammar, dp: DP, admitted: frozenset[str]) -> DP:
    first = dp.determiner[0] if dp.determiner else None
    if isinstance(first, Word) and first.text not in admitted:
        return g.with_determiner(dp, "the")
    return dp


@cache
def _people(selection: Selection) -> str:
    """Whether it selects people: `only`, `some` (at least four nouns) or `none`."""
    people = sum(noun.person for noun in selection.nouns)
    if people and people == len(selection.nouns) and selection.admits_names:
        return "only"
    return "some" if people >= 4 else "none"


def human(noun: Noun) -> bool:
    """True of people, and of babies, who are no persons to verbs that ask for an actor."""
    return noun.person or "infant" in noun.sorts


def filler(noun: Noun, verb: Predicate) -> Word:
    """*who* for people and for what acts as they do where they would fit too; else *what*."""
    if human(noun):
        return WHO
    people = verb.object is not None and verb.object.admits_names
    return WHO if people and "institution" in noun.sorts else WHAT
