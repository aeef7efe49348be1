"""A paradigm of the user's own."""

from priscian.grammar import Either, Grammar, Pair
from priscian.paradigms import Substitution, paradigm


@paradigm("subject_case", phenomenon="case", field="morphology", edit=Substitution("case"))
def subject_case(g: Grammar) -> Pair:
    """She helped the guests. / *Her helped the guests."""
    verb = g.verb("trans", subject="person")
    someone = g.dp("person", "sg", features=g.choose(("m", "f")))
    return g.pair(
        pronoun=Either(g.pronoun(someone, "nom"), g.pronoun(someone, "acc")),
        verb=g.vp(verb).agree(someone),
    )
