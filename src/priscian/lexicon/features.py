"""Tests of single entries: flags of verbs, features of nouns, kinds of determiners."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from priscian.errors import LexiconError
from priscian.lexicon.entries import Determiner, Noun, Predicate
from priscian.lexicon.selection import Selection

HAPPENINGS = frozenset({"event", "speech", "information", "idea"})
# Flags computed from a verb's forms and frames; no table lists them.
DERIVED_FLAGS = ("irregular", "eventive", "one_object", "narrow")


def admits(slot: Selection | None, sort: str) -> bool:
    """`person`: anything of the sort is admitted; `some person`: something of it is."""
    if slot is None:
        return False
    some, _, name = sort.rpartition(" ")
    return slot.admits_some(name) if some else slot.admits(name)


def is_kind(determiner: Determiner, kind: str) -> bool:
    """True if the determiner is of this kind; see `Lexicon.determiners`."""
    match kind:
        case "weak" | "strong":
            # *no*, *few* and *neither* negate the sentence, so they are drawn only by name.
            return determiner.strength == kind and determiner.scope != "down"
        case "indefinite":
            return determiner.lemma in ("a", "some")
        case "definite":
            return determiner.lemma == "the" or determiner.kind in ("demonstrative", "possessive")
    return kind in (determiner.lemma, determiner.kind) or kind in determiner.flags


def holds(flags: Sequence[str], has: Callable[[str], bool]) -> bool:
    """True if all these hold: `rare`, `!rare` (it must not), `rare|vague` (either)."""
    for flag in flags:
        unwanted = flag.startswith("!")
        for name in (flag[1:] if unwanted else flag).split("|"):
            if has(name):
                if unwanted:
                    return False
                break
        else:
            if not unwanted:
                return False
    return True


def flagged(predicate: Predicate, flags: Sequence[str]) -> bool:
    """True if the verb has these flags and classes; see `holds`."""
    known = predicate.flags
    return holds(flags, lambda name: name in known or _has_derived(predicate, name))


def _has_derived(predicate: Predicate, name: str) -> bool:
    if name not in DERIVED_FLAGS:
        return False
    match name:
        case "irregular":
            return predicate.verb.distinct_participle
        case "eventive":
            return _eventive(predicate)
        case "one_object":
            # No place is left for a gap beside the object: not *what she taught him*.
            return "ditrans" not in predicate.verb.frames and "second_object" not in predicate.flags
        case "narrow":
            # Not everybody can do it to everybody.
            return not (predicate.subject.admits_names and admits(predicate.object, "person"))
    return False


def _eventive(predicate: Predicate) -> bool:
    """True of *annoy*: events can be its subject and people its object, so a gerund fits."""
    return (
        predicate.object is not None
        and predicate.object.admits_names
        and any(noun.sorts & HAPPENINGS for noun in predicate.subject.nouns)
    )


def has_feature(noun: Noun, feature: str) -> bool:
    """True if the noun has this feature; see `Grammar.noun`."""
    match feature:
        case "m" | "f":
            return noun.gender == feature
        case "neuter":
            return noun.gender is None
        case "gendered":
            return noun.gender is not None or not noun.animate
        case "regular":
            return _both_numbers(noun) and not noun.irregular
        case "irregular":
            return _both_numbers(noun) and noun.irregular and _distinct(noun)
        case "count":
            return _both_numbers(noun) and noun.count == "count"
        case "controller":
            return "collective" not in noun.flags and (noun.plural is None or _distinct(noun))
        case "relational":
            return bool(noun.complements)
        case "animate":
            return noun.animate
        case "inanimate":
            return not noun.animate and "institution" not in noun.sorts
        case "individual":
            return "unique" not in noun.flags
    raise LexiconError(f"no noun feature {feature!r}; see Grammar.noun")


def _both_numbers(noun: Noun) -> bool:
    return noun.singular is not None and noun.plural is not None


def _distinct(noun: Noun) -> bool:
    """False of *sheep* and *scissors*, which show no contrast of number."""
    if noun.singular is None or noun.plural is None:
        return noun.singular is not None
    return noun.singular.text != noun.plural.text
