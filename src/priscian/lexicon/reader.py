"""Reads the open word classes: nouns, verbs, adjectives and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from priscian.files import whole_number
from priscian.lexicon.classes import ListedClasses, Selections, Sorts
from priscian.lexicon.entries import (
    Adjective,
    Adverb,
    Complement,
    Determiner,
    Gender,
    Name,
    Noun,
    Number,
    Predicate,
    Preposition,
    Pronoun,
    Verb,
    Word,
)
from priscian.lexicon.morphology import Irregular, Morphology
from priscian.lexicon.selection import Selection
from priscian.lexicon.tables import LexiconRow, read_table

# How each frame's arguments are read: S subject, O object, P preposition:selection, PRT particle.
FRAMES: Mapping[str, tuple[str, ...]] = {
    "unerg": ("S",),
    "unacc": ("S",),
    "trans": ("S", "O"),
    "optobj": ("S", "O"),
    "alt": ("S", "O"),
    "ditrans": ("S", "O", "P:G"),
    "pp": ("S", "P:O"),
    "prt": ("S", "PRT", "O"),
    "prt0": ("S", "PRT"),
    "that": ("S",),
    "wh": ("S",),
    "ing": ("S",),
    "gerund": ("S",),
    "raise_subj": (),
    "raise_obj": ("S",),
    "ctrl_subj": ("S",),
    "ctrl_obj": ("S", "O"),
}
LIST_TAIL = re.compile(r"=[^|&!():]*$")
FRAME = re.compile(r"\s*([a-z_0-9]+)\s*(?:\((.*)\))?\s*")


def read_morphology(folder: Path) -> Morphology:
    """The three tables of exceptions."""
    plurals, irregular = {}, set()
    for row in read_table(folder / "irregular_plurals.tsv", ("lemma", "plural"), ("kind",)):
        if row["lemma"] in plurals:
            raise row.error("lemma", f"{row['lemma']!r} is there twice; keep one row")
        plurals[row["lemma"]] = row["plural"]
        # A matter of spelling alone (*heroes*, *photos*) does not make a plural irregular.
        if row.one_of("kind", ("irregular", "zero", "spelling", "")) != "spelling":
            irregular.add(row["lemma"])
    verbs: dict[str, Irregular] = {}
    columns = ("lemma", "past", "participle")
    for row in read_table(folder / "irregular_verbs.tsv", columns, ("note",)):
        if row["lemma"] in verbs:
            raise row.error("lemma", f"{row['lemma']!r} is there twice; keep one row")
        verbs[row["lemma"]] = Irregular(row["past"], row["participle"], row["note"] == "variable")
    doubling = {row["lemma"] for row in read_table(folder / "doubling.tsv", ("lemma",))}
    return Morphology(plurals, frozenset(irregular), verbs, frozenset(doubling))


def read_synonyms(path: Path, known: Collection[str]) -> dict[str, frozenset[str]]:
    """`words`: every lemma with those that mean the same; an unknown lemma is refused."""
    alike: dict[str, frozenset[str]] = {}
    for row in read_table(path, ("words",)):
        words = frozenset(row.parts("words", ","))
        for word in sorted(words):
            if word not in known:
                raise row.error("words", f"unknown word {word!r}; add it to the lexicon or drop it")
            alike[word] = alike.get(word, frozenset()) | words
    return alike


def read_nouns(path: Path, sorts: Sorts, selections: Selections, forms: Morphology) -> list[Noun]:
    """`lemma · count · sorts · gender · complement · flags`."""
    nouns = []
    columns = ("lemma", "count", "sorts")
    for row in read_table(path, columns, ("gender", "complement", "flags")):
        lemma = row["lemma"]
        count = row.one_of("count", ("count", "mass", "both", "plural"))
        names = row.parts("sorts", None)
        if not names:
            raise row.error("sorts", "empty; expected one to three sorts of sorts.tsv")
        plural = lemma if count == "plural" else forms.plural(lemma)
        nouns.append(
            Noun(
                lemma=lemma,
                singular=None if count == "plural" else Word(lemma, lemma, "noun.sg"),
                plural=None if count == "mass" else Word(plural, lemma, "noun.pl"),
                sorts=sorts.close(row, "sorts", names),
                gender=_gender(row),
                count=count,
                irregular=count != "plural" and lemma in forms.irregular_plurals,
                complements=_complements(row, selections),
                flags=selections.classes.flags(row, "flags"),
            )
        )
    return nouns


def _gender(row: LexiconRow) -> Gender | None:
    value = row.one_of("gender", ("m", "f", ""))
    return None if not value else ("m" if value == "m" else "f")


def _complements(row: LexiconRow, selections: Selections) -> tuple[Complement, ...]:
    complements = []
    for part in row.parts("complement"):
        preposition, colon, text = part.partition(":")
        if not colon:
            raise row.error("complement", f"{part!r}; expected preposition:selection")
        word = Word(preposition.strip(), preposition.strip(), "prep")
        complements.append(Complement(word, selections.make(row, "complement", text.strip())))
    return tuple(complements)


def read_verbs(
    path: Path, selections: Selections, forms: Morphology, classes: ListedClasses
) -> list[Verb]:
    """`lemma · frames · flags`; the classes that list a verb become flags of it."""
    verbs = []
    for row in read_table(path, ("lemma", "frames"), ("flags",)):
        frames: dict[str, tuple[Predicate, ...]] = {}
        flags = classes.flags(row, "flags") | classes.of(row["lemma"])
        verb = make_verb(row["lemma"], forms, frames, flags)
        for text in row.parts("frames"):
            for predicate in _predicates(row, text, verb, selections):
                frames[predicate.frame] = (*frames.get(predicate.frame, ()), predicate)
        if "thatonly" in verb.flags and "wh" in frames:
            raise row.error("flags", "'thatonly' and a frame 'wh'; drop one of them")
        if "refl" in verb.flags:
            anyone = selections.make(row, "flags", "person")
            frames["refl"] = (Predicate(verb, "refl", anyone),)
        verbs.append(verb)
    return verbs


def make_verb(
    lemma: str,
    forms: Morphology,
    frames: Mapping[str, tuple[Predicate, ...]],
    flags: frozenset[str] = frozenset(),
) -> Verb:
    """A verb with all its forms."""
    past, irregular = forms.past(lemma), forms.verbs.get(lemma)
    return Verb(
        lemma=lemma,
        bare=Word(lemma, lemma, "verb.bare"),
        present_sg=Word(forms.third_singular(lemma), lemma, "verb.pres.sg"),
        present_pl=Word(lemma, lemma, "verb.pres.pl"),
        past_sg=Word(past, lemma, "verb.past"),
        past_pl=Word(past, lemma, "verb.past"),
        gerund=Word(forms.gerund(lemma), lemma, "verb.ing"),
        participle=Word(forms.participle(lemma), lemma, "verb.en"),
        frames=frames,
        flags=flags,
        irregular=irregular is not None,
        variable=irregular is not None and irregular.variable,
    )


def _predicates(row: LexiconRow, text: str, verb: Verb, selections: Selections) -> list[Predicate]:
    match = FRAME.fullmatch(text)
    if not match or match[1] not in FRAMES:
        raise row.error(
            "frames", f"{text!r}; expected one of {', '.join(FRAMES)} and its arguments"
        )
    name, arguments = match[1], _arguments(match[2] or "")
    shape = FRAMES[name]
    if len(arguments) != len(shape):
        raise row.error("frames", f"{text!r}; expected {name}({', '.join(shape)})")
    slots: dict[str, Selection] = {}
    words: dict[str, Word] = {}
    for part, argument in zip(shape, arguments, strict=True):
        if part == "PRT":
            words["particle"] = Word(argument, argument, "prt")
            continue
        if part.startswith("P:"):
            preposition, colon, argument = argument.partition(":")
            if not colon:
                raise row.error("frames", f"{text!r}; expected preposition:selection for {part}")
            words["preposition"] = Word(preposition.strip(), preposition.strip(), "prep")
        slot = {"S": "subject", "O": "object", "P:O": "object", "P:G": "goal"}[part]
        slots[slot] = selections.make(row, "frames", argument.strip())
    subject = slots.pop("subject", None) or selections.make(row, "frames", "entity")
    made = [Predicate(verb, name, subject, **slots, **words)]  # type: ignore[arg-type]
    if name == "alt":
        made.append(Predicate(verb, "inch", slots["object"]))
    elif name == "optobj":
        made.append(Predicate(verb, "drop", subject))
    return made


def _arguments(text: str) -> list[str]:
    """Split at the commas that separate arguments, not those inside `=a,b` lists.

    In `trans(person, =cake,pie)` a comma without a following space continues the list.
    """
    parts: list[str] = []
    for part in text.split(","):
        inside_list = bool(parts) and LIST_TAIL.search(parts[-1]) and not part.startswith(" ")
        if inside_list:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]


def read_adjectives(path: Path, selections: Selections, classes: ListedClasses) -> list[Adjective]:
    """`lemma · position · selects · classes`."""
    return [
        Adjective(
            word=Word(row["lemma"], row["lemma"], "adj"),
            position=row.one_of("position", ("both", "attr", "pred")),
            selects=selections.make(row, "selects", row["selects"] or "entity"),
            classes=classes.flags(row, "classes") | classes.of(row["lemma"]),
        )
        for row in read_table(path, ("lemma", "position", "selects", "classes"), ("participle",))
    ]


def read_names(path: Path) -> list[Name]:
    """`name · kind · gender · number`."""
    names = []
    for row in read_table(path, ("name", "kind"), ("gender", "number")):
        number: Number = "pl" if row.one_of("number", ("sg", "pl", "")) == "pl" else "sg"
        kind = row.one_of("kind", ("first", "surname", "place", "institution"))
        word = Word(row["name"], row["name"], f"name.{number}")
        names.append(Name(word, kind, _gender(row), number))
    return names


# Tables from which only words are read, and the columns that contain them.
WORD_COLUMNS = {
    "auxiliaries": ("form", "lemma", "negated"),
    "conjunctions": ("lemma",),
    "npis": ("lemma",),
    "wh_words": ("lemma",),
    "numerals": ("lemma",),
    "pronouns": ("nominative", "accusative", "possessive", "reflexive"),
    "prepositions": ("lemma",),
    "determiners": ("lemma", "sg", "pl", "mass"),
    "adverbs": ("lemma",),
}
# Words that the grammar adds and no table contains.
GRAMMAR_WORDS = frozenset(
    ("to", "there", "it's", "not", "being", "been", "least", "more", "fewer", "than", "one")
)


def read_determiners(folder: Path) -> list[Determiner]:
    """Rows of `determiners.tsv`, then numerals, then *my* … *their*."""
    determiners = []
    directions = ("up", "down", "none", "")
    columns = ("lemma", "sg", "pl", "mass", "strength", "restrictor", "scope", "kind")
    for row in read_table(folder / "determiners.tsv", columns, ("flags",)):
        singular, plural = row["sg"], row["pl"]
        marked = singular != plural
        determiners.append(
            Determiner(
                lemma=row["lemma"],
                kind=row["kind"],
                singular=_determiner_words(row["lemma"], singular, "det.sg" if marked else "det"),
                plural=_determiner_words(row["lemma"], plural, "det.pl" if marked else "det"),
                mass=_determiner_words(row["lemma"], row["mass"], "det.sg" if marked else "det"),
                strength=row.one_of("strength", ("weak", "strong")),
                restrictor=row.one_of("restrictor", directions),
                scope=row.one_of("scope", directions),
                flags=frozenset(row.parts("flags")),
            )
        )
    for row in read_table(folder / "numerals.tsv", ("lemma", "value")):
        word = (Word(row["lemma"], row["lemma"], "det.pl"),)
        number = whole_number(row["value"])
        if number is None:
            raise row.error("value", f"{row['value']!r}; expected a number")
        determiners.append(
            Determiner(row["lemma"], "numeral", (), word, (), "weak", "up", "up", value=number)
        )
    for pronoun in read_pronouns(folder):
        text = pronoun.possessive
        if text and text != "its" and all(d.lemma != text for d in determiners):
            words = (Word(text, text, "det"),)
            determiners.append(
                Determiner(text, "possessive", words, words, words, "strong", "none", "up")
            )
    return determiners


def _determiner_words(lemma: str, text: str, tag: str) -> tuple[Word, ...]:
    parts = text.split()
    if len(parts) == 1:
        return (Word(text, lemma, tag),)
    return tuple(Word(part, part, tag) for part in parts)


def read_pronouns(folder: Path) -> list[Pronoun]:
    """`lemma · nominative · accusative · possessive · … · reflexive · person · number · gender`."""
    columns = ("lemma", "nominative", "accusative", "possessive", "reflexive", "person", "number")
    return [
        Pronoun(
            nominative=row["nominative"],
            accusative=row["accusative"],
            possessive=row["possessive"],
            reflexive=row["reflexive"],
            person=int(row.one_of("person", ("1", "2", "3"))),
            number=row.one_of("number", ("sg", "pl")),
            gender=row.one_of("gender", ("m", "f", "n", "")),
        )
        for row in read_table(folder / "pronouns.tsv", columns, ("gender",))
    ]


def read_prepositions(folder: Path, selections: Selections) -> list[Preposition]:
    """`lemma · kind · selects`."""
    return [
        Preposition(
            lemma=row["lemma"],
            words=tuple(Word(part, part, "prep") for part in row["lemma"].split()),
            kinds=frozenset(row.parts("kind")),
            selects=selections.make(row, "selects", row["selects"]) if row["selects"] else None,
        )
        for row in read_table(folder / "prepositions.tsv", ("lemma", "kind"), ("selects",))
    ]


def read_adverbs(folder: Path, classes: ListedClasses) -> list[Adverb]:
    """`lemma · class · selects · position`."""
    return [
        Adverb(
            word=Word(row["lemma"], row["lemma"], "adv"),
            position=row.one_of("position", ("pre", "post", "both", "")),
            classes=classes.flags(row, "class") | classes.of(row["lemma"]),
            note=row["selects"],
        )
        for row in read_table(folder / "adverbs.tsv", ("lemma", "class", "position"), ("selects",))
    ]


def read_function_words(folder: Path) -> frozenset[str]:
    """Every word of the closed classes, in lower case."""
    words = set(GRAMMAR_WORDS)
    for name, columns in WORD_COLUMNS.items():
        for row in read_table(folder / f"{name}.tsv", columns):
            for column in columns:
                words.update(row[column].lower().split())
    return frozenset(words)
