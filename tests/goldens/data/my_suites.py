"""A suite of the user's own."""

from priscian.grammar import THE, Grammar
from priscian.suites import STOP, Regions, suite, words


@suite(
    "comparative",
    circuit="Licensing",
    regions=["start", "degree", "adjective", "than", "end"],
    predictions=["(4;%more%)<(4;%very%)"],
)
def comparative(g: Grammar) -> Regions:
    """The nurse is more/*very patient than the pilot"""
    one, other = g.noun("=nurse,pilot,judge,singer,farmer"), g.noun("=guide,mayor,painter,banker")
    adjective = words(g, g.choose(("patient", "careful", "nervous", "honest", "famous")))
    rest = (adjective, words(g, "than"), (THE, other.singular, STOP))
    start = (THE, one.singular, words(g, "is"))
    return {"more": [start, words(g, "more"), *rest], "very": [start, words(g, "very"), *rest]}
