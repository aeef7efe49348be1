"""Classes of unknown words against cases worked out by hand from the rules of Hu et al. (2020)."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.models.vocabulary import WordVocabulary, unk_class

LINES = (Path(__file__).parent / "unk_classes.tsv").read_text("utf-8").split("\n")[1:-1]
CASES = [tuple(line.split("\t")) for line in LINES]


def test_there_are_sixty_cases_and_all_differ() -> None:
    assert len(CASES) >= 60
    assert len({(word, known) for word, known, _, _ in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("word", "known", "wanted", "why"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES]
)
def test_the_class_is_as_worked_out_by_hand(word: str, known: str, wanted: str, why: str) -> None:
    assert unk_class(word, {known} if known else set()) == wanted, why


class TestVocabularies:
    TEXT = ("the cat saw the cat .", "the Zoobs saw the zoobing .", "Cats slept .")

    def test_words_that_occur_once_are_counted_by_their_class(self) -> None:
        found = WordVocabulary.learn(self.TEXT)
        # the 4, . 3, cat 2, saw 2; Zoobs and Cats make 2 of one class; slept and zoobing 1 each
        assert found.words == (
            "<s>", "the", ".", "UNK-INITC-s", "cat", "saw", "UNK-LC", "UNK-LC-ing", "UNK",
        )  # fmt: skip

    def test_a_class_that_training_never_saw_is_unk(self) -> None:
        found = WordVocabulary.learn(self.TEXT)
        names = [found.words[n] for n in found.encode("Dogs barking ZOOB-1").ids]
        assert names == ["UNK-INITC-s", "UNK-LC-ing", "UNK"]
        assert found.unknown("the Dogs ZOOB-1") == 2

    def test_a_capitalised_word_that_is_known_in_lower_case_is_a_class_of_its_own(self) -> None:
        found = WordVocabulary.learn(["Cat saw cat .", "cat saw ."])
        assert "UNK-INITC-KNOWNLC" in found.words
        ids = found.encode("Saw").ids
        assert [found.words[n] for n in ids] == ["UNK-INITC-KNOWNLC"]

    def test_a_word_spelt_unk_is_not_the_unknown_of_a_vocabulary_made_elsewhere(self) -> None:
        words = ("<eos>", "the", "<unk>", "UNK", "cat")
        found = WordVocabulary(words, classes=False, boundary="<eos>", unknown="<unk>")
        assert found.encode("the xyzzy").ids == [1, 2]
        assert found.encode("the UNK").ids == [1, 3]
        classes = WordVocabulary(words, boundary="<eos>", unknown="<unk>")
        assert classes.encode("the xyzzy ?").ids == [1, 2, 2]
