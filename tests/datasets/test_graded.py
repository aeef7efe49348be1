"""Tables of rated sentences, answers one by one, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.datasets.graded import GradedPair, GradedSentence, GradedSet, item_sets
from priscian.datasets.graded_read import match_scores, read_graded, read_ratings, read_scores
from priscian.errors import DataError, DataWarning

Write = Callable[..., Path]

HEADER = "id,sentence,rating,acceptable,phenomenon,lexicalisation\n"
ROWS = (
    "a.g.1,Owls hoot.,1.2,1,agreement,1\n"
    "a.*.1,Owls hoots.,-0.8,0,agreement,1\n"
    "a.g.2,An owl hoots.,1.0,1,agreement,2\n"
    "a.*.2,An owl hoot.,-0.5,0,agreement,2\n"
)


def test_pairs_come_from_phenomenon_and_lexicalisation(write_text: Write) -> None:
    found = read_graded(write_text("r.csv", HEADER + ROWS))
    assert [p.ids for p in found.pairs] == [("a.g.1", "a.*.1"), ("a.g.2", "a.*.2")]
    assert found.human_deltas() == [2.0, 1.5]
    assert found.by_id["a.g.1"].acceptable is True


def test_jsonl_and_a_table_of_pairs(write_jsonl: Write, write_text: Write) -> None:
    table = write_jsonl(
        "r.jsonl",
        {"id": "x", "sentence": "It rained.", "judgement": 2},
        {"id": "y", "sentence": "Rained it.", "judgement": -1.5},
    )
    pairs = write_text("p.csv", "good_id,bad_id,discard\nx,y,\ny,x,X\n")
    found = read_graded(table, pairs=pairs)
    assert found.human_deltas() == [3.5]


def test_a_folder_of_tables(write_text: Write, tmp_path: Path) -> None:
    write_text("set/sentences.csv", "id,sentence\nx.1,It rained.\ny.1,Rained it.\n")
    write_text(
        "set/answers.csv",
        "id,participant,rating\nx.1,p,7\ny.1,p,1\nx.1,q,6\ny.1,q,5\n",
    )
    write_text("set/pairs.json", '[["x", "y"]]')
    found = read_graded(tmp_path / "set")
    assert found.human_deltas() == [2.0]  # every participant's two answers are at ±1
    assert found.by_id["x.1"].raters == 2


class TestAnswers:
    def test_z_scores_are_taken_within_participants(self, write_text: Write) -> None:
        # p: 1, 3 → −1, 1; q: 10, 10, 40 has mean 20, deviation √200
        table = write_text(
            "a.csv",
            "id,participant,task,rating\nx,p,ME,1\ny,p,ME,3\nx,q,ME,10\ny,q,ME,10\nz,q,ME,40\n",
        )
        found = read_ratings(table)
        q = -10 / 200**0.5
        assert found["x"].mean == pytest.approx((-1 + q) / 2)
        assert found["y"].mean == pytest.approx((1 + q) / 2)
        assert found["z"].n == 1

    def test_yes_and_no(self, write_text: Write) -> None:
        table = write_text("a.csv", "id,participant,task,rating\nx,p,yes/no,yes\ny,p,yes/no,no\n")
        assert {i: r.mean for i, r in read_ratings(table).items()} == {"x": 1.0, "y": -1.0}

    def test_forced_choices(self, write_text: Write) -> None:
        table = write_text(
            "a.csv",
            "good_id,bad_id,participant,choice\ng,b,p,good\ng,b,q,b\ng,b,r,g\n",
        )
        found = read_ratings(table)
        assert found["g"].mean == pytest.approx(1 / 3)
        assert found["b"].mean == pytest.approx(-1 / 3)

    def test_a_table_of_answers_with_its_sentences(self, write_text: Write) -> None:
        table = write_text("a.csv", "sentence,participant,rating\nIt rained.,p,7\nRained it.,p,1\n")
        found = read_graded(table)
        assert [(s.id, s.rating, s.raters) for s in found.sentences] == [
            ("It rained.", 1.0, 1),
            ("Rained it.", -1.0, 1),
        ]

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ("x,p,likert,2.5\n", "not a point of a Likert scale"),
            ("x,p,magnitude,0\n", "magnitude estimates are above 0"),
            ("x,p,binary,perhaps\n", "write 1 or 0, yes or no"),
            ("x,p,guess,1\n", "no task 'guess'; use choice, likert, magnitude, binary"),
            ("x,p,likert,\n", "a.csv:2: an answer without a rating"),
            ("x,,likert,3\n", "without a participant"),
            ("x,p,likert,4\ny,p,likert,4\n", "participant 'p' gave the same answer 2 times"),
        ],
    )
    def test_what_cannot_be_an_answer(self, write_text: Write, rows: str, message: str) -> None:
        with pytest.raises(DataError, match=message):
            read_ratings(write_text("a.csv", "id,participant,task,rating\n" + rows))

    def test_a_choice_of_neither(self, write_text: Write) -> None:
        table = write_text("a.csv", "good_id,bad_id,participant,choice\ng,b,p,c\n")
        with pytest.raises(DataError, match="the choice 'c' is neither 'g' nor 'b'"):
            read_ratings(table)

    def test_one_id_for_two_sentences(self, write_text: Write) -> None:
        rows = "id,sentence,participant,rating\nx,One.,p,1\nx,Two.,p,2\n"
        with pytest.raises(DataError, match=r"a.csv:3: id 'x' is used for another sentence"):
            read_graded(write_text("a.csv", rows))

    def test_answers_to_an_unknown_sentence(self, write_text: Write, tmp_path: Path) -> None:
        write_text("set/sentences.csv", "id,sentence\nx,One.\n")
        write_text("set/answers.csv", "id,participant,rating\nx,p,1\nw,p,2\n")
        with pytest.raises(DataError, match="'w' has answers but no sentence"):
            read_graded(tmp_path / "set")


class TestBadInput:
    @pytest.mark.parametrize("value", ["high", "nan", "inf", "1,5"])
    def test_a_rating_that_is_no_number(self, write_text: Write, value: str) -> None:
        table = write_text("r.csv", f'id,sentence,rating\nx,One.,"{value}"\n')
        with pytest.raises(DataError, match=f"r.csv:2: the rating is '{value}', not a number"):
            read_graded(table)

    def test_a_sentence_without_a_rating(self, write_text: Write) -> None:
        table = write_text("r.csv", HEADER + ROWS.replace("-0.8", ""))
        with pytest.warns(DataWarning, match=r"1 sentence has no rating \(a.\*.1\)"):
            found = read_graded(table)
        with pytest.raises(DataError, match=r"sentence 'a.\*.1' of the pair .* has no rating"):
            found.human_deltas()

    def test_a_pair_with_an_unknown_id(self, write_text: Write) -> None:
        table = write_text("r.csv", "id,sentence\nx,One.\n")
        pairs = write_text("p.csv", "good_id,bad_id\nx,w\n")
        with pytest.raises(DataError, match="the pair x / w names 'w', which no sentence has"):
            read_graded(table, pairs=pairs)

    def test_duplicate_ids(self, write_text: Write) -> None:
        with pytest.raises(DataError, match="id 'x' is used for several sentences"):
            read_graded(write_text("r.csv", "id,sentence\nx,One.\nx,Two.\n"))

    def test_duplicate_pairs(self) -> None:
        sentences = (GradedSentence("x", "One."), GradedSentence("y", "Two."))
        with pytest.raises(DataError, match="the pair x / y is listed twice"):
            GradedSet("set", sentences, (GradedPair("x", "y"),) * 2)

    def test_nothing_to_pair(self, write_text: Write) -> None:
        found = read_graded(write_text("r.csv", "sentence\nOne.\n"))
        with pytest.raises(DataError, match="no pair can be formed; add columns phenomenon"):
            item_sets(found)

    def test_no_sentences(self, write_text: Write, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"no column for the sentence .*; call it 'sentence'"):
            read_graded(write_text("r.csv", "words,rating\nOne.,1\n"))
        (tmp_path / "empty").mkdir()
        with pytest.raises(DataError, match=r"no sentences\.csv"):
            read_graded(tmp_path / "empty")


class TestScores:
    def test_a_column_a_model(self, write_text: Write) -> None:
        table = write_text("s.csv", "id,sentence,notes,m1,m1_zscores,m2\nx,One.,,-3,0.5,-4\n")
        first, second = read_scores(table)
        assert (first.name, first.values, first.z) == ("m1", {"x": -3.0}, {"x": 0.5})
        assert (second.name, second.z) == ("m2", None)

    def test_scores_by_sentence_find_their_ids(self, write_text: Write) -> None:
        (scores,) = read_scores(write_text("s.csv", "sentence,m\nOwls hoot.,-3\nElse.,-4\n"))
        graded = GradedSet(
            "set", (GradedSentence("x", "Owls hoot."), GradedSentence("y", "Owls hoot.")), ()
        )
        assert match_scores(scores, graded).values == {"x": -3.0, "y": -3.0}

    def test_scores_of_other_sentences(self, write_text: Write) -> None:
        (scores,) = read_scores(write_text("s.csv", "sentence,m\nElse.,-4\n"))
        with pytest.raises(DataError, match="none of its ids or sentences is in set"):
            match_scores(scores, GradedSet("set", (GradedSentence("x", "One."),), ()))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("id,m\nx,low\n", "s.csv:2: 'm' is 'low', not a number"),
            ("id,m\nx,\n", "'x' has no 'm'"),
            ("id,m\nx,1\nx,2\n", "s.csv:3: 'x' is here twice"),
            ("id,sentence\nx,One.\n", "no column of scores"),
            ("name,m\nx,1\n", "neither a column 'id' nor 'sentence'"),
        ],
    )
    def test_what_cannot_be_scores(self, write_text: Write, text: str, message: str) -> None:
        with pytest.raises(DataError, match=message):
            read_scores(write_text("s.csv", text))
