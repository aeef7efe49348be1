"""The auxiliaries of the grammar are those of the table."""

from __future__ import annotations

from priscian.grammar import BE, DO, HAVE
from priscian.grammar.inflection import UNCONTRACTED, contracted, modal_word
from priscian.grammar.verbals import MODALS
from priscian.lexicon.lexicon import DATA
from priscian.lexicon.tables import read_table

ROWS = {row["form"]: row for row in read_table(DATA / "auxiliaries.tsv", ("form", "negated"))}


def test_every_form_and_its_negation_is_in_the_table():
    finite = {
        word
        for verb in (BE, DO, HAVE)
        for word in (verb.present_sg, verb.present_pl, verb.past_sg, verb.past_pl)
    }
    for word in finite | {modal_word(modal) for modal in MODALS}:
        negated = ROWS[word.text]["negated"]
        if word.text in UNCONTRACTED:
            assert not negated
        else:
            assert contracted(word).text == negated
