"""Hand-written rows, and text as words whose lemmas are known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from priscian.errors import GrammarError
from priscian.grammar import Grammar
from priscian.lexicon import Lexicon, Noun, Selection, Verb, Word
from priscian.lexicon.tables import LexiconRow, read_table

DATA = Path(__file__).parent / "data"
COMMA = Word(",", ",", "punct")
STOP = Word(".", ".", "punct")
# Parts of idioms and licensors, listed among the function words, that are content elsewhere.
OPEN_CLASS = frozenset({
    "bat", "budge", "couple", "deny", "doubt", "dozens", "eye", "finger", "front", "impossible",
    "inch", "lift", "lot", "lots", "number", "question", "refuse", "reluctant", "single",
    "superlative", "surprised",
})  # fmt: skip


@cache
def read_rows(name: str, *columns: str) -> tuple[LexiconRow, ...]:
    """The rows of a table of the suites: `read_rows("habits", "verb", "rest")`."""
    return tuple(read_table(DATA / f"{name}.tsv", columns))


def dealt(g: Grammar, table: str, *columns: str) -> LexiconRow:
    """A row of a table, dealt so that each comes about as often: `dealt(g, "gaps", "verb")`."""
    rows = read_rows(table, *columns)
    _, place = g.deal(_places(table, len(rows)))
    return rows[place]


@cache
def _places(table: str, n: int) -> tuple[tuple[str, int], ...]:
    return tuple((table, place) for place in range(n))


def words(g: Grammar, text: str) -> tuple[Word, ...]:
    """Written text as words: `words(g, "in the old harbor")`; those we do not know are content."""
    return analyse(g.lexicon, text)


def analyse(lexicon: Lexicon, text: str) -> tuple[Word, ...]:
    """Each word with its lemma; of words that are spelt alike, a noun is taken before a verb."""
    return tuple(_word(lexicon, token) for token in text.split())


def _word(lexicon: Lexicon, token: str) -> Word:
    forms = _forms(lexicon)
    known = forms.get(token) or forms.get(token.lower())
    if known:
        return Word(token, known.lemma, known.tag)
    # A place to be filled is no word yet; whatever else we do not know carries content.
    return Word(token, token.lower(), "func" if token.startswith("{") else "adj")


def noun(g: Grammar, lemma: str) -> Noun:
    """A noun of the lexicon by its lemma; it counts as used."""
    found = _nouns(g.lexicon).get(lemma)
    if found is None:
        raise GrammarError(f"no noun {lemma!r} in the lexicon; add a row or name another")
    g.used.add(lemma)
    return found


def verb(g: Grammar, lemma: str) -> Verb:
    """A verb of the lexicon by its lemma; it counts as used."""
    found = _verbs(g.lexicon).get(lemma)
    if found is None:
        raise GrammarError(f"no verb {lemma!r} in the lexicon; add a row or name another")
    g.used.add(lemma)
    return found


def lemmas(g: Grammar, text: str) -> Selection:
    """Nouns by name, as a selection: `lemmas(g, "baker,cook")`."""
    return g.select(f"={text}")


@cache
def _nouns(lexicon: Lexicon) -> Mapping[str, Noun]:
    return {noun.lemma: noun for noun in reversed(lexicon.all_nouns)}


@cache
def _verbs(lexicon: Lexicon) -> Mapping[str, Verb]:
    return {verb.lemma: verb for verb in reversed(lexicon.all_verbs)}


@cache
def _forms(lexicon: Lexicon) -> Mapping[str, Word]:
    found: dict[str, Word] = {",": COMMA, ".": STOP}
    for text in sorted(lexicon.function_words - OPEN_CLASS):
        found[text] = Word(text, text, "adv" if text.endswith("ly") else "func")
    for name in lexicon.all_names:
        found.setdefault(name.word.text, name.word)
    for entry in lexicon.all_nouns:
        for word in (entry.singular, entry.plural):
            if word:
                found.setdefault(word.text, word)
    for lexeme in lexicon.all_verbs:
        forms = (lexeme.bare, lexeme.present_sg, lexeme.past_sg, lexeme.gerund, lexeme.participle)
        for word in forms:
            found.setdefault(word.text, word)
    for adjective in lexicon.all_adjectives:
        found.setdefault(adjective.lemma, adjective.word)
    return found
