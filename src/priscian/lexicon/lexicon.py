"""The lexicon: loaded once, looked up by feature through cached pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from priscian.errors import LexiconError
from priscian.lexicon import selection as sel
from priscian.lexicon.closed import (
    read_adverbs,
    read_determiners,
    read_function_words,
    read_prepositions,
    read_pronouns,
)
from priscian.lexicon.entries import (
    Adjective,
    Adverb,
    Determiner,
    Name,
    Noun,
    Predicate,
    Preposition,
    Pronoun,
)
from priscian.lexicon.morphology import surname_plural
from priscian.lexicon.reader import (
    FRAMES,
    Selections,
    Sorts,
    read_adjectives,
    read_morphology,
    read_names,
    read_nouns,
    read_verbs,
)
from priscian.lexicon.selection import Selection, SelectionError
from priscian.lexicon.words import Gender, Number

DATA = Path(__file__).parent / "data"
HAPPENINGS = frozenset({"event", "speech", "information", "idea"})
NUMERAL_WEIGHT = 0.1  # there are many numerals; together they weigh a few determiners
DERIVED = ("inch", "drop", "refl")  # frames that no table names: see Predicate
# Names for several frames at once.
GROUPS = {
    "transitive": "trans|optobj|alt",
    "intransitive": "unerg|unacc|inch|drop",
    "strict_intransitive": "unerg|unacc",
}


P = TypeVar("P", Predicate, Adjective)


class Pool(Generic[P]):
    """Entries that share features, with the nouns that each admits in its slots."""

    __slots__ = ("_found", "entries", "objects", "subjects")

    def __init__(self, entries: tuple[P, ...]) -> None:
        self.entries: tuple[P, ...] = entries
        nothing: frozenset[Noun] = frozenset()
        # Of a predicate what may be its subject and object; of an adjective what it describes.
        self.subjects = [
            (e.subject if isinstance(e, Predicate) else e.selects).members for e in entries
        ]
        self.objects = [
            e.object.members if isinstance(e, Predicate) and e.object else nothing for e in entries
        ]

        self._found: dict[tuple[Noun | None, Noun | None], list[P]] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def admitting(self, subject: Noun | None, object: Noun | None) -> list[P]:  # noqa: A002
        """The entries that admit these nouns."""
        key = (subject, object)
        if key not in self._found:
            found: Sequence[int] = range(len(self.entries))
            if subject is not None:
                found = [at for at in found if subject in self.subjects[at]]
            if object is not None:
                found = [at for at in found if object in self.objects[at]]
            self._found[key] = [self.entries[at] for at in found]
        return self._found[key]


class Lexicon:
    """All entries of a folder of tables."""

    def __init__(self, folder: Path = DATA) -> None:
        self.folder = folder
        sorts = Sorts(folder / "sorts.tsv")
        selections = Selections(sorts)
        self.sorts = frozenset(sorts.above)
        self.morphology = forms = read_morphology(folder)
        self.all_nouns = [
            noun
            for path in _tables(folder, "nouns")
            for noun in read_nouns(path, sorts, selections, forms)
        ]
        self.all_verbs = [
            verb
            for path in _tables(folder, "verbs")
            for verb in read_verbs(path, selections, forms)
        ]
        self.all_adjectives = read_adjectives(folder / "adjectives.tsv", selections)
        self.all_names = read_names(folder / "names.tsv")
        self.all_determiners = read_determiners(folder)
        self.all_prepositions = read_prepositions(folder, selections)
        self.all_adverbs = read_adverbs(folder)
        self.function_words = read_function_words(folder)
        self.pronouns: dict[str, Pronoun] = {
            pronoun.gender or "pl": pronoun
            for pronoun in read_pronouns(folder)
            if pronoun.person == 3
        }
        # Lemmas that a selection lists but no table holds: harmless in use, a fault of the data.
        self.complaints: list[LexiconError] = selections.bind(self.all_nouns)
        self._selections = selections
        self._selected: dict[str, Selection] = {}
        self._nouns: dict[tuple[Selection, Number | None, str], tuple[Noun, ...]] = {}
        self._predicates: dict[tuple[str, ...], Pool[Predicate]] = {}
        self._adjectives: dict[tuple[str, ...], Pool[Adjective]] = {}
        self._names: dict[tuple[str, Gender | None], tuple[Name, ...]] = {}
        self._adverbs: dict[tuple[str, str], tuple[Adverb, ...]] = {}
        self._determiners: dict[
            tuple[str, str], tuple[tuple[Determiner, ...], tuple[float, ...]]
        ] = {}
        self._prepositions: dict[str, tuple[Preposition, ...]] = {}

    def bare(self, sort: str) -> Noun:
        """What stands for "anything of this sort": names, pronouns, gerunds."""
        return self._selections.universe.bare[sort]

    def select(self, text: str) -> Selection:
        """A selection by its text, for paradigms."""
        if text not in self._selected:
            try:
                expression = sel.parse(text)
            except SelectionError as error:
                raise LexiconError(f"selection {text!r}: {error}") from None
            for leaf in sel.leaves(expression):
                if isinstance(leaf, sel.Sort) and leaf.name not in self.sorts:
                    raise LexiconError(f"selection {text!r}: unknown sort {leaf.name!r}")
            self._selected[text] = Selection(text, expression, self._selections.universe)
        return self._selected[text]

    def nouns(
        self, selection: Selection, number: Number | None = None, features: str = ""
    ) -> tuple[Noun, ...]:
        """Nouns of a selection that have that number and those features."""
        key = (selection, number, features)
        if key not in self._nouns:
            wanted = features.split()
            self._nouns[key] = tuple(
                noun
                for noun in selection.nouns
                if (number is None or noun.form(number) is not None)
                and "predicate" not in noun.flags
                and not (number == "pl" and "unique" in noun.flags)
                and all(_has_feature(noun, number, feature) for feature in wanted)
            )
        return self._nouns[key]

    def predicates(
        self,
        frame: str,
        flags: str = "",
        also: str = "",
        subject: str = "",
        object: str = "",  # noqa: A002
    ) -> Pool[Predicate]:
        """Verbs in one of these frames (`trans|optobj`) with these flags (`refl !stative`)."""
        key = (frame, flags, also, subject, object)
        if key not in self._predicates:
            frames, wanted = _frames(frame), flags.split()
            self._predicates[key] = Pool(
                tuple(
                    predicate
                    for verb in self.all_verbs
                    if all(any(f in verb.frames for f in _frames(name)) for name in also.split())
                    for name in frames
                    for predicate in verb.frames.get(name, ())
                    if predicate.possible
                    and _flagged(predicate, wanted)
                    and (not subject or _admits(predicate.subject, subject))
                    and (not object or _admits(predicate.object, object))
                )
            )
        return self._predicates[key]

    def adjectives(self, position: str, classes: str = "", of: str = "") -> Pool[Adjective]:
        """Adjectives by position (`attr`, `pred`), classes (`colour|size`) and sort described."""
        key = (position, classes, of)
        if key not in self._adjectives:
            wanted = frozenset(classes.split("|")) if classes else None
            self._adjectives[key] = Pool(
                tuple(
                    adjective
                    for adjective in self.all_adjectives
                    if (adjective.attributive if position == "attr" else adjective.predicative)
                    and (wanted is None or wanted & adjective.classes)
                    and (not of or adjective.selects.admits(of))
                )
            )
        return self._adjectives[key]

    def names(self, kind: str = "first", gender: Gender | None = None) -> tuple[Name, ...]:
        """Names of a kind and gender."""
        key = (kind, gender)
        if key not in self._names:
            self._names[key] = tuple(
                name
                for name in self.all_names
                if name.kind == kind and (gender is None or name.gender == gender)
            )
        return self._names[key]

    def adverbs(self, kind: str, position: str = "pre") -> tuple[Adverb, ...]:
        """Adverbs of a class (`frequency|manner`) that may stand there."""
        key = (kind, position)
        if key not in self._adverbs:
            wanted = kind.split("|")
            self._adverbs[key] = tuple(
                adverb
                for adverb in self.all_adverbs
                if adverb.kind in wanted and adverb.position in (position, "both")
            )
        return self._adverbs[key]

    def prepositions(self, kind: str) -> tuple[Preposition, ...]:
        """Prepositions of a kind: `locative`, `temporal`, `adjunct_clause`, `other`."""
        if kind not in self._prepositions:
            self._prepositions[kind] = tuple(p for p in self.all_prepositions if kind in p.kinds)
        return self._prepositions[kind]

    def determiners(
        self, kind: str, place: str, natural: Mapping[str, float]
    ) -> tuple[tuple[Determiner, ...], tuple[float, ...]]:
        """Determiners of these kinds before a `singular`, `plural` or `mass` noun, with weights.

        A kind is a lemma, a kind of the table, or one of `indefinite`, `definite`, `weak`,
        `strong`, `natural`; `any` is all of those that `natural` weighs.
        """
        key = (kind, place)
        if key not in self._determiners:
            names = list(natural) if kind == "any" else kind.split("|")
            shares = {name: natural.get(name, 1.0) for name in names}
            weights: dict[Determiner, float] = {}
            for name, share in shares.items():
                members = [
                    d for d in self.all_determiners if getattr(d, place) and _is_kind(d, name)
                ]
                if not members and not any(_is_kind(d, name) for d in self.all_determiners):
                    raise LexiconError(f"no determiner or kind of determiner {name!r}")
                parts = {m: NUMERAL_WEIGHT if m.kind == "numeral" else 1.0 for m in members}
                for member, part in parts.items():
                    weight = share * part / sum(parts.values())
                    weights[member] = weights.get(member, 0.0) + weight
            self._determiners[key] = (tuple(weights), tuple(weights.values()))
        return self._determiners[key]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every form of every word, in lower case."""
        forms = set(self.function_words)
        for noun in self.all_nouns:
            forms.update(word.text for word in (noun.singular, noun.plural) if word)
        for verb in self.all_verbs:
            forms.update((verb.bare.text, verb.present_sg.text, verb.past_sg.text))
            forms.update((verb.gerund.text, verb.participle.text))
            forms.update(p.particle.text for ps in verb.frames.values() for p in ps if p.particle)
        forms.update(adjective.lemma for adjective in self.all_adjectives)
        for name in self.all_names:
            forms.update(name.lemma.split())
            if name.kind == "surname":
                forms.add(surname_plural(name.lemma))
        return frozenset(form.lower() for form in forms)


@lru_cache(maxsize=4)
def load_lexicon(folder: str | Path = DATA) -> Lexicon:
    """The lexicon of a folder, read once; by default the one that comes with Priscian."""
    return Lexicon(Path(folder))


def _tables(folder: Path, name: str) -> list[Path]:
    paths = [*sorted(folder.glob(f"{name}.tsv")), *sorted(folder.glob(f"{name}-*.tsv"))]
    if not paths:
        raise LexiconError(f"no {name}.tsv or {name}-*.tsv in {folder}; see docs/lexicon.md")
    return paths


def _frames(frame: str) -> list[str]:
    names = [name for part in frame.split("|") for name in GROUPS.get(part, part).split("|")]
    for name in names:
        if name not in FRAMES and name not in DERIVED:
            raise LexiconError(
                f"no frame {name!r}; expected one of {', '.join((*FRAMES, *GROUPS))}"
            )
    return names


def _admits(slot: Selection | None, sort: str) -> bool:
    """`person`: anything of the sort is admitted; `some person`: something of it is."""
    if slot is None:
        return False
    some, _, name = sort.rpartition(" ")
    return slot.admits_some(name) if some else slot.admits(name)


def _is_kind(determiner: Determiner, kind: str) -> bool:
    match kind:
        case "weak" | "strong":
            # *no*, *few* and *neither* negate the sentence, so they are drawn only by name.
            return determiner.strength == kind and determiner.scope != "down"
        case "indefinite":
            return determiner.lemma in ("a", "some")
        case "definite":
            return determiner.lemma == "the" or determiner.kind in ("demonstrative", "possessive")
        case "natural":
            # Quantifiers at home in any sentence: none that negates it, counts to two, or leaves
            # room for doubt about agreement (*a number of*).
            return (
                determiner.kind == "quantifier"
                and determiner.scope != "down"
                and not determiner.lemma.endswith(" of")
                and determiner.lemma not in ("some", "both", "most")
            )
    return kind in (determiner.lemma, determiner.kind)


def _flagged(predicate: Predicate, flags: list[str]) -> bool:
    for flag in flags:
        name = flag.lstrip("!")
        match name:
            case "irregular":
                has = predicate.verb.distinct_participle
            case "eventive":
                has = _eventive(predicate)
            case _:
                has = name in predicate.flags
        if has == flag.startswith("!"):
            return False
    return True


def _eventive(predicate: Predicate) -> bool:
    """True of *annoy*: what happens or is said may do it to anyone, so a gerund can be subject."""
    return (
        predicate.object is not None
        and predicate.object.admits_names
        and any(noun.sorts & HAPPENINGS for noun in predicate.subject.nouns)
    )


def _has_feature(noun: Noun, number: Number | None, feature: str) -> bool:
    match feature:
        case "m" | "f":
            return noun.gender == feature
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
    """False of *sheep* and *scissors*: no contrast of number can be heard."""
    if noun.singular is None or noun.plural is None:
        return noun.singular is not None
    return noun.singular.text != noun.plural.text
