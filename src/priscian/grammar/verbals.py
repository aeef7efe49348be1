"""Verb phrases and clauses: inflected, passivised, questioned, embedded."""

from __future__ import annotations

from functools import cache
from typing import TypeVar, Unpack

from priscian.errors import GrammarError
from priscian.grammar.draw import Reject, Slot, What
from priscian.grammar.inflection import BE, Inflection
from priscian.grammar.modifiers import Modifiers
from priscian.grammar.nominals import DPOptions
from priscian.grammar.phrases import DP, VP, Clause, Node
from priscian.lexicon import Adjective, Predicate, Verb, Word

T = TypeVar("T")
THAT = Word("that", "that", "comp")
BY = Word("by", "by", "prep")

# Frames whose verb phrases are complete without a further clause, with natural weights.
PLAIN = ("transitive", "strict_intransitive", "pp", "prt", "inch", "drop", "prt0")
PLAIN_WEIGHTS = (44.0, 24.0, 12.0, 5.0, 5.0, 6.0, 4.0)
# *Should* is only for what one may tell people to do; see `_inflections`.
MODALS = {"will": 4.5, "would": 0.5, "could": 0.8, "can": 0.8, "might": 2.8}
# Classes of verbs for what is never seen going on: *was shattering the vase*, *were blaming her*.
MOMENTARY = frozenset({"momentary", "unwatchable", "stirring", "perceiving", "liking", "general"})


class Verbals(Modifiers):
    """Builds verb phrases and clauses."""

    # ------------------------------------------------------------ inflection

    def inflection(
        self, *verbs: Verb | Predicate | VP, kind: str = "any", negation: float = 0.1
    ) -> Inflection:
        """Tense, modality and aspect that suit all these verbs.

        Kinds: `any`, `past` and `present` (one word), `agree` (shows the subject's number),
        `agreeing_auxiliary` (an auxiliary that shows it), `auxiliary` (any auxiliary before the
        verb), `modal`, `perfect`, `progressive`. `negation` is the chance of *n't*.
        """
        bare = tuple(verb if isinstance(verb, Verb) else verb.verb for verb in verbs)
        stative = any("stative" in verb.flags for verb in bare)
        copula = any(verb is BE for verb in bare)
        # *The log split* is good, in the past.
        ambiguous = any(verb.present_pl.text == verb.past_sg.text for verb in bare)
        # what may be seen going on: *was waiting*, *is painting a wall*
        lasting = not stative and all(verb.flags.isdisjoint(MOMENTARY) for verb in bare)
        habit = all("timeless" in verb.flags for verb in bare)
        advisable = all("advisable" in verb.flags for verb in bare)
        aspect = (stative, lasting, habit, advisable)
        options, weights = _inflections(kind, aspect, copula, ambiguous)
        if not options:
            raise Reject
        chosen = self.weighted(options, weights)
        if negation and self.coin(negation):
            return Inflection(chosen.tense, chosen.modal, chosen.perfect, chosen.progressive, "n't")
        return chosen

    # ------------------------------------------------------------ verb phrases

    def vp(
        self,
        verb: Predicate | str | None = None,
        inflection: Inflection | str = "any",
        *,
        subject: What | None = None,
        flags: str = "",
        gap: bool = False,
        negation: float = 0.1,
        object: Node | None = None,  # noqa: A002
    ) -> VP:
        """A verb phrase with its complements: *has praised the soup*, *couldn't sleep*.

        Of this verb, or of a verb drawn by frame (or of any plain frame) for this subject. With
        `gap` the object is left out, for relatives and questions. `object` fills the object.
        """
        if not isinstance(verb, Predicate):
            verb = self.plain_verb(flags, subject, verb)
        if isinstance(inflection, str):
            inflection = self.inflection(verb, kind=inflection, negation=negation)
        complement = self.complement(verb, gap=gap, object=object)
        return VP(verb.verb, inflection, complement, verb.subject)

    def plain_verb(
        self, flags: str = "", subject: What | None = None, frame: str | None = None
    ) -> Predicate:
        """A verb that is complete without a further clause, in natural shares; never a rare one."""
        flags = f"{flags} !rare"
        if frame is not None:
            return self.verb(frame, flags, subject=subject)
        first = self.weighted(PLAIN, PLAIN_WEIGHTS)
        try:
            return self.verb(first, flags, subject=subject)
        except Reject:
            return self.verb("|".join(PLAIN), flags, subject=subject)

    def complement(
        self,
        verb: Predicate,
        *,
        gap: bool = False,
        object: Node | None = None,  # noqa: A002
    ) -> tuple[Node, ...]:
        """What the verb takes, drawn to suit it: *the soup*, *at the statue*, *that it rained*."""
        match verb.frame:
            case "unerg" | "unacc" | "inch" | "drop" | "refl":
                return ()
            case "trans" | "optobj" | "alt":
                return () if gap else (object or self.object(verb),)
            case "pp":
                return (_has(verb.preposition), *(() if gap else (object or self.object(verb),)))
            case "prt":
                particle = _has(verb.particle)
                return (particle,) if gap else (particle, object or self.object(verb))
            case "prt0":
                return (_has(verb.particle),)
            case "ditrans":
                goal = self.dp(_has(verb.goal))
                what = () if gap else (object or self.object(verb),)
                return (*what, _has(verb.preposition), goal)
            case "that":
                return (THAT, self.clause())
            case "wh":
                return self.embedded_question()
            case "gerund":
                return self.vp(subject="person").gerund()
            case "ing":
                return self.complement_clause("ing", object)
            case "raise_subj" | "ctrl_subj":
                return self.vp(subject="person").infinitive()
            case "raise_obj" | "ctrl_obj":
                return self.complement_clause("to", object, verb.object or "person")
        raise GrammarError(f"cannot draw a complement for the frame {verb.frame!r}")

    def complement_clause(
        self, form: str, subject: Node | None = None, slot: Slot = "person"
    ) -> tuple[Node, ...]:
        """A clause without tense: *the girl winning the race*, *the girl to win the race*."""
        if subject is None:
            subject = self.dp(slot)
        vp = self.vp(subject=subject if isinstance(subject, DP) else "person")
        return (subject, *(vp.gerund() if form == "ing" else vp.infinitive()))

    def subject(self, *verbs: Predicate, **options: Unpack[DPOptions]) -> DP:
        """A phrase that every one of these verbs admits as subject."""
        return self.dp(tuple(verb.subject for verb in verbs), **options)

    def object(self, *verbs: Predicate, **options: Unpack[DPOptions]) -> DP:
        """A phrase that every one of these verbs admits as object."""
        slots = tuple(_has(verb.object) for verb in verbs)
        return self.dp(slots, **options)

    def copular(
        self, predicate: Adjective | Node, inflection: Inflection | str = "any", **options: float
    ) -> VP:
        """*is tired*, *might have been in the kitchen*."""
        if isinstance(inflection, str):
            inflection = self.inflection(BE, kind=inflection, **options)
        node = predicate.word if isinstance(predicate, Adjective) else predicate
        return VP(BE, inflection, (node,))

    def passive(
        self,
        verb: Predicate,
        inflection: Inflection | str = "any",
        by: DP | None = None,
        **options: float,
    ) -> VP:
        """*was praised (by the critic)*; its subject is what the verb selects as object."""
        if isinstance(inflection, str):
            inflection = self.inflection(BE, kind=inflection, **options)
        agent = () if by is None else (BY, by)
        return VP(BE, inflection, (verb.verb.participle, *agent), verb.object)

    # ------------------------------------------------------------ clauses

    def clause(
        self,
        verb: Predicate | str | None = None,
        inflection: Inflection | str = "any",
        *,
        gap: bool = False,
        negation: float = 0.1,
        **options: Unpack[DPOptions],
    ) -> Clause:
        """A whole clause: *the pilot has landed the plane*; further options go to the subject."""
        vp = self.vp(verb, inflection, gap=gap, negation=negation)
        return Clause(self.dp(vp.subject or "person", **options), vp)

    def embedded_question(self) -> tuple[Node, ...]:
        """*who the nurse praised*, *what broke*."""
        verb = self.verb("transitive")
        clause = self.clause(verb, gap=True)
        return (self.wh(_has(verb.object)), clause)


@cache
def _inflections(
    kind: str, aspect: tuple[bool, bool, bool, bool], copula: bool, ambiguous: bool
) -> tuple[tuple[Inflection, ...], tuple[float, ...]]:
    stative, lasting, habit, advisable = aspect
    present = 24.0 if stative else 5.0 if habit else 0.5
    # *has trusted* and *will like* are seldom said without an adverb or a reason.
    eventful = 0.15 if stative and not copula else 1.0
    table = {
        Inflection("past"): 46.0,
        Inflection("pres"): present,
        Inflection("pres", perfect=True): 11.0 * eventful,
        Inflection("past", perfect=True): 5.0 * eventful,
        **{Inflection("pres", modal): share * eventful for modal, share in MODALS.items()},
    }
    if advisable:
        table[Inflection("pres", "should")] = 4.0
    if lasting:
        table[Inflection("past", progressive=True)] = 8.0
        table[Inflection("pres", progressive=True)] = 8.0
    match kind:
        case "any":
            pass
        case "past":
            table = {i: w for i, w in table.items() if i == Inflection("past")}
        case "present":
            table = {i: w for i, w in table.items() if i == Inflection("pres")}
        case "agree":
            # The plain present shows number on the verb itself: many critical words.
            table[Inflection("pres")] = 48.0
            table[Inflection("pres", perfect=True)] = 9.0
            if ambiguous:
                del table[Inflection("pres")]
            table = {
                i: w for i, w in table.items() if i.agrees or (copula and i == Inflection("past"))
            }
        case "agreeing_auxiliary":
            table[Inflection("pres", perfect=True)] = 9.0
            table = {i: w for i, w in table.items() if i.agrees and i.has_auxiliary}
        case "auxiliary":
            table = {i: w for i, w in table.items() if i.has_auxiliary}
        case "modal":
            table = {i: w for i, w in table.items() if i.modal}
        case "perfect":
            table = {i: w for i, w in table.items() if i.perfect}
        case "progressive":
            table = {i: w for i, w in table.items() if i.progressive}
        case _:
            raise GrammarError(f"unknown kind of inflection {kind!r}; see Grammar.inflection")
    return tuple(table), tuple(table.values())


def _has(value: T | None) -> T:
    if value is None:
        raise GrammarError("this frame has no such argument; look at its row in docs/lexicon.md")
    return value
