"""The lexicon: loaded once, looked up by feature through cached pools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar, cast

from priscian.errors import LexiconError
from priscian.lexicon.classes import Classes, ListedClasses, Selections, Sorts
from priscian.lexicon.entries import (
    DERIVED_FLAGS,
    Adjective,
    Adverb,
    Determiner,
    Gender,
    Name,
    Noun,
    Number,
    Predicate,
    Preposition,
    Pronoun,
    Verb,
    admits,
    flagged,
    has_feature,
    holds,
    is_kind,
)
from priscian.lexicon.morphology import surname_plural
from priscian.lexicon.reader import (
    FRAMES,
    read_adjectives,
    read_adverbs,
    read_determiners,
    read_function_words,
    read_morphology,
    read_names,
    read_nouns,
    read_prepositions,
    read_pronouns,
    read_synonyms,
    read_verbs,
)
from priscian.lexicon.selection import Selection

DATA = Path(__file__).parent / "data"
NUMERAL_WEIGHT = 0.1  # there are many numerals; together they count as much as a few determiners
DERIVED = ("inch", "drop", "refl")  # frames derived from others: see Predicate
# Names for several frames at once.
GROUPS = {
    "transitive": "trans|optobj|alt",
    "intransitive": "unerg|unacc|inch|drop",
    "strict_intransitive": "unerg|unacc",
}

Weights = tuple[tuple[str, float], ...]


P = TypeVar("P", Predicate, Adjective)
Given = ParamSpec("Given")
Found = TypeVar("Found")


def remembered(method: Callable[Given, Found]) -> Callable[Given, Found]:
    """`functools.cache` with the method's types; lexicons live as long as the process."""
    return cast(Callable[Given, Found], cache(method))


class EntryPool(Generic[P]):
    """Entries that share features, with the nouns that each admits in its slots."""

    def __init__(self, entries: tuple[P, ...]) -> None:
        self.entries: tuple[P, ...] = entries
        nothing: frozenset[Noun] = frozenset()
        # For a predicate: its possible subjects and objects; for an adjective: what it describes.
        self.subjects = [
            (e.subject if isinstance(e, Predicate) else e.selects).members for e in entries
        ]
        self.objects = [
            e.object.members if isinstance(e, Predicate) and e.object else nothing for e in entries
        ]

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def by_lemma(self) -> tuple[tuple[P, ...], ...]:
        """The entries of each lemma, so that *crash*, which has two uses, counts once."""
        groups: dict[str, list[P]] = {}
        for entry in self.entries:
            groups.setdefault(entry.lemma, []).append(entry)
        return tuple(tuple(group) for group in groups.values())

    @remembered
    def admitting(self, subject: Noun | None, object: Noun | None) -> list[P]:  # noqa: A002
        """The entries that admit these nouns."""
        found: Sequence[int] = range(len(self.entries))
        if subject is not None:
            found = [at for at in found if subject in self.subjects[at]]
        if object is not None:
            found = [at for at in found if object in self.objects[at]]
        return [self.entries[at] for at in found]


class Lexicon:
    """All entries of a folder of tables, or those content words whose lemma passes `keep`."""

    def __init__(self, folder: Path = DATA, keep: Callable[[str], bool] | None = None) -> None:
        self.folder = folder
        self.noun_classes = Classes(folder, "noun")
        self.verb_classes = ListedClasses(folder, "verb")
        self.adjective_classes = ListedClasses(folder, "adjective")
        self.adverb_classes = ListedClasses(folder, "adverb")
        sorts = Sorts(folder / "sorts.tsv")
        self._selections = Selections(sorts, self.noun_classes)
        self.sorts = frozenset(sorts.above)
        self._read_open_classes(sorts)
        self.all_names = read_names(folder / "names.tsv")
        self.all_determiners = read_determiners(folder)
        self.all_prepositions = read_prepositions(folder, self._selections)
        self.all_adverbs = read_adverbs(folder, self.adverb_classes)
        self.adverb_classes.check(adverb.lemma for adverb in self.all_adverbs)
        self.function_words = read_function_words(folder)
        self.pronouns: dict[str, Pronoun] = {
            pronoun.gender or "pl": pronoun
            for pronoun in read_pronouns(folder)
            if pronoun.person == 3
        }
        # Lemmas that a selection lists and no table defines: harmless, but an error in the data.
        self.complaints: list[LexiconError] = self._selections.bind(self.all_nouns)
        if keep is not None:
            self._restrict(keep)

    def _read_open_classes(self, sorts: Sorts) -> None:
        folder, selections = self.folder, self._selections
        self.morphology = forms = read_morphology(folder)
        self.all_nouns = [
            noun
            for path in _tables(folder, "nouns")
            for noun in read_nouns(path, sorts, selections, forms)
        ]
        self.all_verbs = [
            verb
            for path in _tables(folder, "verbs")
            for verb in read_verbs(path, selections, forms, self.verb_classes)
        ]
        self.all_adjectives = read_adjectives(
            folder / "adjectives.tsv", selections, self.adjective_classes
        )
        self.verb_classes.check(verb.lemma for verb in self.all_verbs)
        self.adjective_classes.check(adjective.lemma for adjective in self.all_adjectives)
        words = {noun.lemma for noun in self.all_nouns} | {verb.lemma for verb in self.all_verbs}
        self.synonyms = read_synonyms(folder / "synonyms.tsv", words)

    def _restrict(self, keep: Callable[[str], bool]) -> None:
        """Leave out content words; the tables were checked with all of them."""
        self.all_nouns = [noun for noun in self.all_nouns if keep(noun.lemma)]
        self.all_verbs = [verb for verb in self.all_verbs if keep(verb.lemma)]
        self.all_adjectives = [a for a in self.all_adjectives if keep(a.lemma)]
        self.all_adverbs = [adverb for adverb in self.all_adverbs if keep(adverb.lemma)]
        self.all_names = [name for name in self.all_names if keep(name.lemma)]
        self._selections.show(self.all_nouns)

    def bare(self, sort: str) -> Noun:
        """A noun that stands for "anything of this sort"; used for names, pronouns and gerunds."""
        return self._selections.universe.bare[sort]

    def select(self, text: str) -> Selection:
        """A selection by its text: `lexicon.select("person&@everyday")`."""
        return self._selections.find(text)

    def verbs(self, class_: str) -> tuple[Verb, ...]:
        """The verbs of a class or with a flag: `lexicon.verbs("telling")`."""
        name = self.verb_classes.find(class_).name
        return tuple(verb for verb in self.all_verbs if name in verb.flags)

    @remembered
    def nouns(
        self, selection: Selection, number: Number | None = None, features: str = ""
    ) -> tuple[Noun, ...]:
        """Nouns of a selection that have that number and those features."""
        wanted = features.split()
        return tuple(
            noun
            for noun in selection.nouns
            if (number is None or noun.form(number) is not None)
            and not (number == "pl" and noun.flags & {"unique", "sole"})
            and all(has_feature(noun, feature) for feature in wanted)
        )

    @remembered
    def predicates(
        self,
        frame: str,
        flags: str = "",
        also: str = "",
        subject: str = "",
        object: str = "",  # noqa: A002
    ) -> EntryPool[Predicate]:
        """Verbs in one of these frames (`trans|optobj`) with these flags (`refl !stative`).

        Flags are the flags of the verbs' rows and the classes of `verb_classes.tsv`.
        """
        wanted, further = flags.split(), also.split()
        for name in _names(wanted):
            if name not in DERIVED_FLAGS:
                self.verb_classes.find(name)
        return EntryPool(
            tuple(
                predicate
                for predicate in self._in_frames(frame)
                if flagged(predicate, wanted)
                and (not further or _has_frames(predicate.verb, further))
                and (not subject or admits(predicate.subject, subject))
                and (not object or admits(predicate.object, object))
            )
        )

    @remembered
    def _in_frames(self, frame: str) -> tuple[Predicate, ...]:
        """All uses in these frames that have nouns for every slot, verb by verb."""
        names = _frames(frame)
        return tuple(
            predicate
            for verb in self.all_verbs
            for name in names
            for predicate in verb.frames.get(name, ())
            if predicate.possible
        )

    @remembered
    def adjectives(self, position: str, classes: str = "", of: str = "") -> EntryPool[Adjective]:
        """Adjectives by position (`attr`, `pred`), classes (`colour|size !stage`) and sort."""
        wanted = classes.split()
        for name in _names(wanted):
            self.adjective_classes.find(name)
        return EntryPool(
            tuple(
                adjective
                for adjective in self.all_adjectives
                if (adjective.attributive if position == "attr" else adjective.predicative)
                and holds(wanted, adjective.classes.__contains__)
                and (not of or adjective.selects.admits(of))
            )
        )

    @remembered
    def names(self, kind: str = "first", gender: Gender | None = None) -> tuple[Name, ...]:
        """Names of a kind and gender."""
        return tuple(
            name
            for name in self.all_names
            if name.kind == kind and (gender is None or name.gender == gender)
        )

    @remembered
    def adverbs(self, kind: str, position: str = "pre") -> tuple[Adverb, ...]:
        """Adverbs of a class (`frequency|manner`) that can take this position."""
        wanted = {self.adverb_classes.find(name).name for name in kind.split("|")}
        return tuple(
            adverb
            for adverb in self.all_adverbs
            if wanted & adverb.classes and adverb.position in (position, "both")
        )

    @remembered
    def prepositions(self, kind: str) -> tuple[Preposition, ...]:
        """Prepositions of a kind: `locative`, `temporal`, `adjunct_clause`, `other`."""
        return tuple(p for p in self.all_prepositions if kind in p.kinds)

    @remembered
    def determiners(
        self, kind: str, place: str, natural: Weights
    ) -> tuple[tuple[Determiner, ...], tuple[float, ...]]:
        """Determiners of these kinds before a `singular`, `plural` or `mass` noun, with weights.

        A kind is a lemma, a kind or flag of the table, or one of `indefinite`, `definite`,
        `weak`, `strong`; `any` is all of those that `natural` weighs.
        """
        usual = dict(natural)
        names = list(usual) if kind == "any" else kind.split("|")
        shares = {name: usual.get(name, 1.0) for name in names}
        weights: dict[Determiner, float] = {}
        for name, share in shares.items():
            members = [d for d in self.all_determiners if getattr(d, place) and is_kind(d, name)]
            if not members and not any(is_kind(d, name) for d in self.all_determiners):
                raise LexiconError(f"no determiner or kind of determiner {name!r}")
            parts = {m: NUMERAL_WEIGHT if m.kind == "numeral" else 1.0 for m in members}
            for member, part in parts.items():
                weight = share * part / sum(parts.values())
                weights[member] = weights.get(member, 0.0) + weight
        return tuple(weights), tuple(weights.values())

    @remembered
    def numerals(self, least: int, most: int) -> tuple[Determiner, ...]:
        """Number words from `least` to `most`."""
        return tuple(d for d in self.all_determiners if d.value and least <= d.value <= most)

    @remembered
    def determiner_lemmas(self, kind: str) -> frozenset[str]:
        """The lemmas of determiners of these kinds: `definite|several`."""
        return frozenset(
            determiner.lemma
            for determiner in self.all_determiners
            if any(is_kind(determiner, name) for name in kind.split("|"))
        )

    @cached_property
    def occupations(self) -> frozenset[str]:
        """Lemmas of the nouns that name people by their paid work."""
        return frozenset(noun.lemma for noun in self.all_nouns if "occupation" in noun.sorts)

    @cached_property
    def countables(self) -> frozenset[str]:
        """Lemmas of the nouns of which there may be one or several, and nothing else."""
        return frozenset(noun.lemma for noun in self.all_nouns if noun.count == "count")

    @cached_property
    def singlehanded(self) -> frozenset[str]:
        """Lemmas of the verbs of what one person does to one thing."""
        return frozenset(verb.lemma for verb in self.verbs("singlehanded"))

    @cached_property
    def one_each(self) -> frozenset[str]:
        """Lemmas of the verbs of what one person and one other do."""
        return frozenset(verb.lemma for verb in self.verbs("one_each"))

    @cached_property
    def ahead(self) -> frozenset[str]:
        """Lemmas of the verbs about what is yet to come."""
        return frozenset(verb.lemma for verb in self.verbs("ahead"))

    @cached_property
    def bygone(self) -> frozenset[str]:
        """Lemmas of the adjectives of what is over."""
        return frozenset(a.lemma for a in self.all_adjectives if "bygone" in a.classes)

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
    """The lexicon of a folder, read once; by default Priscian's own."""
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


def _has_frames(verb: Verb, wanted: list[str]) -> bool:
    """`wh`: it must have one of these frames; `!wh`: it must not."""
    return all(
        any(frame in verb.frames for frame in _frames(name.lstrip("!"))) != name.startswith("!")
        for name in wanted
    )


def _names(flags: list[str]) -> list[str]:
    return [name for flag in flags for name in flag.lstrip("!").split("|")]
