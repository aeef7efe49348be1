"""`priscian check` finds each kind of fault, and nothing in clean pairs."""

from __future__ import annotations

import pytest

from priscian.datasets.differences import edit_kind, tokens
from priscian.datasets.lint import CHECKS, lint
from priscian.records import Item, ItemSet, Sentence, Span

CLEAN = [
    ("The nurses admire these paintings.", "The nurses admire these painting."),
    ("A cook has tasted those soups.", "A cook has tasted those soup."),
    ("The lawyer read these letters.", "The lawyer read these letter."),
    ("Some farmers fed those lambs.", "Some farmers fed those lamb."),
    ("An uncle painted these chairs.", "An uncle painted these chair."),
]


def make(*pairs: tuple[str, str], name: str = "mine") -> ItemSet:
    items = tuple(
        Item(f"{name}/{i}", {"good": Sentence(good), "bad": Sentence(bad)})
        for i, (good, bad) in enumerate(pairs)
    )
    return ItemSet(name, items)


def found(*pairs: tuple[str, str], name: str = "mine") -> list[tuple[str, str]]:
    return [(f.check, f.item) for f in lint(make(*CLEAN, *pairs, name=name))]


def test_clean_pairs_give_no_finding() -> None:
    assert lint(make(*CLEAN)) == []


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("identical", "The boy saw these doors.", "The boy saw these doors."),
        ("duplicate", CLEAN[0][0], "The nurses admire these door."),
        ("near-duplicate", "These paintings admire the nurse.", "These painting admire the nurse."),
        ("edit", "The boys saw these doors.", "The boy see these doors today."),
        ("article", "A uncle saw these doors.", "A uncle saw these door."),
        ("doubled", "The the boy saw these doors.", "The the boy saw these door."),
        ("form", "the boy saw these doors.", "the boy saw these door."),
        ("form", "The boy saw these doors", "The boy saw these door"),
        ("form", "The boy  saw these doors.", "The boy  saw these door."),
        ("question", "Who did the boy see doors.", "Who did the boy see door."),
        ("unknown-word", "The boy saw these blorfs.", "The boy saw these blorf."),
    ],
)
def test_each_fault_is_found(check: str, good: str, bad: str) -> None:
    assert (check, "mine/5") in found((good, bad))


def test_a_prefix_that_does_not_rebuild_the_sentence_is_found() -> None:
    good = Sentence("The boy saw doors.", (Span("prefix", 0, 7), Span("critical", 12, 17)))
    bad = Sentence("The boy saw door.", (Span("prefix", 0, 11), Span("critical", 12, 16)))
    itemset = ItemSet("mine", (Item("mine/0", {"good": good, "bad": bad}),))
    assert [(f.check, f.item) for f in lint(itemset)] == [("prefix", "mine/0")]


def test_the_declared_edit_of_a_known_paradigm_counts() -> None:
    pairs = [("The waiters blamed themselves.", "The waiters did blame himself.")]
    assert ("edit", "anaphor_number_agreement/0") in [
        (f.check, f.item) for f in lint(make(*pairs, name="anaphor_number_agreement"))
    ]


def test_a_large_set_with_few_critical_words_is_found() -> None:
    pairs = [
        (f"The boy number {i} broke it.", f"The boy number {i} broken it.") for i in range(120)
    ]
    assert "critical" in {f.check for f in lint(make(*pairs))}


def test_every_check_has_a_line_of_explanation() -> None:
    assert all(function.__doc__ for function in CHECKS.values())


@pytest.mark.parametrize(
    ("good", "bad", "kind"),
    [
        ("The boys saw themselves.", "The boys saw himself.", "substitution"),
        ("No boy saw more than two doors.", "No boy saw at least two doors.", "stretch"),
        ("John saw who?", "Who saw John?", "reordering"),
        (
            "He knew the song that she sang.",
            "He knew what she sang the song.",
            "reordering and substitution",
        ),
        ("He left.", "He has left early.", "other"),
        ("He left.", "He left.", "none"),
    ],
)
def test_the_kind_of_edit(good: str, bad: str, kind: str) -> None:
    assert edit_kind(good, bad) == kind


def test_tokens_keep_apostrophes_and_drop_marks() -> None:
    assert tokens("It's the cooks' well-known dish, isn't it?") == [
        "It's",
        "the",
        "cooks'",
        "well-known",
        "dish",
        "isn't",
        "it",
    ]
