"""A demonstrative agrees with its noun in number; the noun varies (1) or the demonstrative (2)."""

from __future__ import annotations

from functools import partial

from priscian.grammar import DP, Either, Grammar, Pair, critical, other_number
from priscian.lexicon import Number, Predicate
from priscian.paradigms.edits import Substitution
from priscian.paradigms.phrases import deed_to, persistently
from priscian.paradigms.registry import paradigm

agreement = partial(
    paradigm,
    phenomenon="determiner_noun_agreement",
    field="morphology",
    edit=Substitution("number"),
    lexically_identical=True,
)
DEMONSTRATIVES: tuple[tuple[str, Number], ...] = (
    ("this", "sg"),
    ("this", "pl"),
    ("that", "sg"),
    ("that", "pl"),
)
noun_varies = partial(agreement, prefix="one")
demonstrative_varies = partial(agreement, prefix="two")


def _pair(g: Grammar, plural: str, varies: str, adjective: bool = False) -> Pair:
    """An object with a demonstrative whose noun has a plural of this kind."""
    demonstrative, number = g.deal(DEMONSTRATIVES)

    def scene() -> tuple[DP, Predicate, DP]:
        features = f"{plural} count controller individual"
        dp = g.dp(
            "entity&!body_part",
            number,
            det=demonstrative,
            names=False,
            features=features,
            adjective=adjective,
        )
        verb = deed_to(g, dp)
        return dp, verb, g.subject(verb)

    dp, verb, subject = persistently(g, scene)
    other = other_number(dp.number)
    right = (dp.determiner, dp.modifiers)
    if varies == "noun":
        return g.pair(
            subject=subject,
            verb=g.vp(verb, gap=True).agree(subject),
            object=(*right, Either(dp.head, g.with_number(dp, other).head)),
        )
    wrong = (g.with_determiner_number(dp, other).determiner, dp.modifiers)
    return g.pair(
        subject=subject,
        verb=g.vp(verb, gap=True).agree(subject),
        object=(Either(right, wrong), critical(dp.head)),
    )


@noun_varies("determiner_noun_agreement_1")
def determiner_noun_agreement_1(g: Grammar) -> Pair:
    """The nurse praised these books. / *The nurse praised these book."""
    return _pair(g, "regular", "noun")


@demonstrative_varies("determiner_noun_agreement_2")
def determiner_noun_agreement_2(g: Grammar) -> Pair:
    """The nurse praised these books. / *The nurse praised this books."""
    return _pair(g, "regular", "demonstrative")


@noun_varies("determiner_noun_agreement_irregular_1")
def determiner_noun_agreement_irregular_1(g: Grammar) -> Pair:
    """The nurse praised that child. / *The nurse praised that children."""
    return _pair(g, "irregular", "noun")


@demonstrative_varies("determiner_noun_agreement_irregular_2")
def determiner_noun_agreement_irregular_2(g: Grammar) -> Pair:
    """The nurse praised that child. / *The nurse praised those child."""
    return _pair(g, "irregular", "demonstrative")


@noun_varies("determiner_noun_agreement_with_adjective_1")
def determiner_noun_agreement_with_adjective_1(g: Grammar) -> Pair:
    """The nurse praised these old books. / *The nurse praised these old book."""
    return _pair(g, "regular", "noun", adjective=True)


@demonstrative_varies("determiner_noun_agreement_with_adj_2")
def determiner_noun_agreement_with_adj_2(g: Grammar) -> Pair:
    """The nurse praised these old books. / *The nurse praised this old books."""
    return _pair(g, "regular", "demonstrative", adjective=True)


@noun_varies("determiner_noun_agreement_with_adj_irregular_1")
def determiner_noun_agreement_with_adj_irregular_1(g: Grammar) -> Pair:
    """The nurse praised that clever child. / *The nurse praised that clever children."""
    return _pair(g, "irregular", "noun", adjective=True)


@demonstrative_varies("determiner_noun_agreement_with_adj_irregular_2")
def determiner_noun_agreement_with_adj_irregular_2(g: Grammar) -> Pair:
    """The nurse praised that clever child. / *The nurse praised those clever child."""
    return _pair(g, "irregular", "demonstrative", adjective=True)
