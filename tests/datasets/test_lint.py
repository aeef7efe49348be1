"""`priscian check` finds each kind of fault, and nothing in clean pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.datasets.lint import KINDS, check_data, lint
from priscian.datasets.lint_words import edit_kind, tokens
from priscian.errors import UnknownNameError, UsageError
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
    assert all(c.summary for checks in KINDS.values() for c in checks.values())


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


GERMAN = [
    ("Die Katze schläft im Garten.", "Die Katze schlafen im Garten."),
    ("Ein alter Mann liest das Buch.", "Ein alter Mann lesen das Buch."),
    ("A Fischer Fritz fischt frische Fische.", "A Fischer Fritz fischen frische Fische."),
]


def write_table(path: Path, pairs: list[tuple[str, str]], **columns: str) -> Path:
    header = ",".join(["good", "bad", *columns])
    rows = [",".join([good, bad, *columns.values()]) for good, bad in pairs]
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return path


class TestOtherLanguages:
    def test_most_words_unknown_is_said_once_and_english_checks_are_left_out(
        self, tmp_path: Path
    ) -> None:
        checked = check_data(f"pairs:{write_table(tmp_path / 'katzen.csv', GERMAN)}")
        assert checked.findings == ()
        assert checked.note.startswith("most words are not in the English lexicon: skipped checks")
        assert "unknown-word" in checked.note

    def test_the_language_of_the_data_decides_where_it_is_given(self, tmp_path: Path) -> None:
        pairs = [("The boy saw these blorfs.", "The boy saw these blorf.")]
        dutch = write_table(tmp_path / "d.csv", pairs, language="nl")
        checked = check_data(f"pairs:{dutch}")
        assert checked.sets[0].language == "nl"
        assert (checked.findings, checked.note[:18]) == ((), "the language is nl")
        english = write_table(tmp_path / "e.csv", pairs, language="en-GB")
        assert {f.check for f in check_data(f"pairs:{english}").findings} == {"unknown-word"}

    def test_other_faults_are_still_found(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "katzen.csv", [*GERMAN, GERMAN[0], ("ja", "nein")])
        assert {(f.check, f.item) for f in check_data(f"pairs:{path}").findings} == {
            ("duplicate", "katzen/3"), ("form", "katzen/4"),
        }  # fmt: skip

    def test_scripts_without_capitals_and_with_marks_of_their_own_are_fine(
        self, tmp_path: Path
    ) -> None:
        pairs = [("猫在花园里睡觉。", "猫在睡觉花园里。"), ("هل نام الولد؟", "هل نامت الولد؟")]
        assert check_data(f"pairs:{write_table(tmp_path / 't.csv', pairs)}").findings == ()


def test_a_few_unknown_words_do_not_make_a_text_foreign(tmp_path: Path) -> None:
    pairs = [*CLEAN, ("The boy saw these blorfs.", "The boy saw these blorf.")]
    checked = check_data(f"pairs:{write_table(tmp_path / 't.csv', pairs)}")
    assert checked.note == ""
    assert {f.check for f in checked.findings} == {"unknown-word"}


def test_labelled_sentences_are_not_pairs_and_unknown_checks_suggest_known_ones() -> None:
    with pytest.raises(UsageError, match=r"cola:x holds labels; priscian check looks at pairs"):
        check_data("cola:x")
    with pytest.raises(UnknownNameError, match="did you mean article"):
        check_data("graded:textbook", skip=["artical"])


def test_a_context_tells_pairs_apart() -> None:
    def item(n: int, context: str) -> Item:
        sides = {"good": Sentence("He left.", context=context), "bad": Sentence("He leave.")}
        return Item(f"mine/{n}", sides)

    itemset = ItemSet("mine", (item(0, "Where is Tom?"), item(1, "And Bill?")))
    assert [f.message for f in lint(itemset)] == ["bad sentence as in mine/0: He leave."]
