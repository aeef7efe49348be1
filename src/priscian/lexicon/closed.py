"""Reads the closed word classes: determiners, pronouns, prepositions, adverbs and the rest."""

from __future__ import annotations

from pathlib import Path

from priscian.files import whole_number
from priscian.lexicon.classes import ListedClasses
from priscian.lexicon.entries import Adverb, Determiner, Preposition, Pronoun
from priscian.lexicon.sorts import Selections
from priscian.lexicon.tables import read_table
from priscian.lexicon.words import Word

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
