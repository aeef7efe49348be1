"""Surprisals made elsewhere: tokens found in the text, tables read, sentences known again."""

from __future__ import annotations

import math
import random
import re
import warnings
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.datasets.syntaxgym import build_sentence, read_suite
from priscian.errors import DataError, DataWarning, UnknownNameError
from priscian.metrics.regions import region_bits
from priscian.models.surprisals.alignment import align
from priscian.models.surprisals.table import ExternalSurprisals, read_surprisals
from priscian.records import Text


@pytest.mark.parametrize(
    ("text", "tokens", "pieces"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."], ["The", "cat", "sat", "."]),
        ("The cat sat", ["the", "cat", "sat"], ["The", "cat", "sat"]),  # uncased
        ("The playing", ["The", "play", "##ing"], ["The", "play", "ing"]),
        ("The cats", ["The", "Ġcat", "s"], ["The", "cat", "s"]),
        ("The cats", ["▁The", "▁cat", "s"], ["The", "cat", "s"]),
        ("The cats", ["The", " cat", "s"], ["The", "cat", "s"]),
        ("a remand", ["a", "re@@", "mand"], ["a", "re", "mand"]),
        ("well-known men", ["well", "@-@", "known", "men"], ["well", "-", "known", "men"]),
        ("well-known men", ["well-known", "men"], ["well-known", "men"]),
        ('"Go (now)"', ["``", "Go", "-LRB-", "now", "-RRB-", "''"],
         ['"', "Go", "(", "now", ")", '"']),
        ("girlthat that ran", ["<unk>", "that", "ran"], ["girlthat", "that", "ran"]),
        ("a remand and a", ["a", "<unk>", "and", "a"], ["a", "remand", "and", "a"]),
        ("the zxq wvu ran", ["the", "<unk>", "<unk>", "ran"], ["the", "zxq", "wvu", "ran"]),
        ("she shan't ran", ["she", "<unk>", "n't", "ran"], ["she", "sha", "n't", "ran"]),
        ("a re-zxq man", ["a", "<unk>", "man"], ["a", "re-zxq", "man"]),
        ("go — now", ["go", "<unk>", "now"], ["go", "—", "now"]),
        ("the zxq.", ["the", "<unk>", "."], ["the", "zxq", "."]),
        ("the zxq", ["the", "<unk>"], ["the", "zxq"]),
        ("Go, he said; now.", ["go", "he", "said", "now"], ["Go", "he", "said", "now"]),  # dropped
        ("café owners", ["caf", "Ã", "©", "Ġowners"], ["caf", "é", "é", "owners"]),
        ("café owners", ["▁caf", "<0xC3>", "<0xA9>", "▁owners"], ["caf", "é", "é", "owners"]),
        ("naïve café", ["na", "ÃŃve".replace("Ń", "¯"), "ĠcafÃ©"], ["na", "ïve", "café"]),
    ],
)  # fmt: skip
def test_tokens_are_found_in_the_text(text: str, tokens: list[str], pieces: list[str]) -> None:
    assert [text[start:end] for start, end in align(text, tokens)] == pieces


@pytest.mark.parametrize(
    ("text", "tokens", "says"),
    [
        ("The cat sat", ["The", "dog", "sat"], "token 2 ('dog')"),
        ("The cat sat", ["The", "cat"], "the end"),
        ("The cat", ["The", "cat", "sat"], "token 3 ('sat')"),
        ("zxq wvu ran", ["<unk>", "ran"], "token 2 ('ran')"),  # one word for each unknown token
        ("the zxq, ran", ["the", "<unk>", "<unk>", "ran"], "token 4 ('ran')"),
    ],
)
def test_a_token_that_fits_nowhere_is_an_error_at_once(
    text: str, tokens: list[str], says: str
) -> None:
    with pytest.raises(DataError) as caught:
        align(text, tokens)
    assert says in str(caught.value)


words = st.lists(st.text("abcdefgh", min_size=1, max_size=5), min_size=1, max_size=8)


@given(words, st.data())
def test_known_words_are_always_found_where_they_stand(
    sentence: list[str], data: st.DataObject
) -> None:
    text = " ".join(sentence)
    found = align(text, sentence)
    assert [text[s:e] for s, e in found] == sentence
    hidden = data.draw(st.sets(st.integers(0, len(sentence) - 1)))
    tokens = ["<unk>" if i in hidden else w for i, w in enumerate(sentence)]
    assert align(text, tokens) == found


def test_many_unknown_words_take_no_more_than_quadratic_time() -> None:
    text = " ".join(["zxq"] * 200)
    asked = 0

    def count(word: str) -> bool:
        nonlocal asked
        asked += 1
        return True

    with pytest.raises(DataError):
        align(text, ["<unk>"] * 150 + ["end"], may_hide=count)
    assert asked <= 150 * 200


def test_a_long_text_does_not_meet_a_limit_of_recursion() -> None:
    words = [f"w{number}" for number in range(3000)]
    assert len(align(" ".join(words), words)) == 3000


def table(path: Path, rows: list[tuple[object, ...]], header: str = "sentence\ttoken\tsurprisal"
          ) -> Path:  # fmt: skip
    lines = [header, *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


SENTENCE = "The cat, she sat."


class TestTable:
    def test_tokens_become_offsets_and_bits_become_nats(self, tmp_path: Path) -> None:
        rows = [(SENTENCE, t, b) for t, b in [("The", 1), ("cat", 2.5), (",", 3), ("she", 4),
                                              ("sat", 5), (".", 6)]]  # fmt: skip
        found = read_surprisals(table(tmp_path / "a.tsv", rows)).scores(Text(SENTENCE))
        assert found.starts == (0, 4, 7, 9, 13, 16)
        assert found.logps[1] == pytest.approx(-2.5 * math.log(2))
        bits = region_bits(found, build_sentence(["The cat", ",", "she", "", "sat ."]))
        assert bits == pytest.approx({"1": 3.5, "2": 3, "3": 4, "4": 0, "5": 11})

    def test_a_sentence_is_known_whatever_its_spaces_and_capitals(self, tmp_path: Path) -> None:
        rows = [("the cat , she sat .", t, 1) for t in ["the", "cat", ",", "she", "sat", "."]]
        known = read_surprisals(table(tmp_path / "a.tsv", rows))
        assert Text(SENTENCE) in known
        assert known.scores(Text(SENTENCE)).starts == (0, 4, 7, 9, 13, 16)
        assert Text("The dog sat.") not in known

    def test_numbered_sentences_are_put_together_from_their_tokens(self, tmp_path: Path) -> None:
        rows = [(1, "The", 1), (1, "<unk>", 9), (1, "sat", 2), (2, "Go", 3), (2, "now", 4)]
        header = "sentence_id\ttoken\tsurprisal"
        known = read_surprisals(table(tmp_path / "a.tsv", rows, header))
        found = known.scores(Text("The zxq sat"))
        assert found.starts == (0, 4, 8)
        assert found.logps[1] == pytest.approx(-9 * math.log(2))
        assert Text("Go now") in known

    def test_bos_is_dropped_and_eos_stands_behind_the_text(self, tmp_path: Path) -> None:
        end = "<|endoftext|>"
        rows = [("Go now", t, b) for t, b in [(end, 50), ("Go", 1), ("now", 2), (end, 8)]]
        found = read_surprisals(table(tmp_path / "a.tsv", rows)).scores(Text("Go now"))
        assert found.starts == (0, 3, 6)
        sentence = build_sentence(["Go", "now"])
        assert region_bits(found, sentence) == pytest.approx({"1": 1, "2": 2})
        assert region_bits(found, sentence, eos="last-region") == pytest.approx({"1": 1, "2": 10})

    def test_offsets_of_the_file_are_used(self, tmp_path: Path) -> None:
        rows = [("Go now", "???", 1, 0), ("Go now", "!!!", 2, 3)]
        file = table(tmp_path / "a.tsv", rows, "sentence\ttoken\tsurprisal\tstart")
        assert read_surprisals(file).scores(Text("Go now")).starts == (0, 3)

    def test_an_empty_cell_is_a_token_that_was_not_scored(self, tmp_path: Path) -> None:
        file = table(tmp_path / "a.tsv", [("Go now", "Go", ""), ("Go now", "now", 2)])
        assert math.isnan(read_surprisals(file).scores(Text("Go now")).logps[0])

    def test_units_and_negative_numbers_are_taken(self, tmp_path: Path) -> None:
        file = table(tmp_path / "a.tsv", [("Go now", "Go", -3.5), ("Go now", "now", 2)])
        assert read_surprisals(file, "nats").scores(Text("Go now")).logps == (3.5, -2.0)
        with pytest.raises(UnknownNameError, match="unit of surprisal 'bit'; did you mean bits"):
            read_surprisals(file, "bit")

    @pytest.mark.parametrize(
        ("rows", "header", "says"),
        [
            ([("Go", "Go", 1)], "sentence\ttoken\tloss", "no column 'surprisal' (found: sentence"),
            ([("Go", "Go", 1)], "id\ttoken\tsurprisal", "no column 'sentence'"),
            ([("Go", " ", 1)], "sentence\ttoken\tsurprisal", ":2: the token is empty"),
            ([("Go", "Go", 1), ("No", "No", 1), ("Go", "Go", 2)], "sentence\ttoken\tsurprisal",
             ":4: the sentence 'Go' has other tokens or surprisals than on line 2"),
        ],
    )  # fmt: skip
    def test_a_broken_table_is_one_line(
        self, tmp_path: Path, rows: list[tuple[object, ...]], header: str, says: str
    ) -> None:
        with pytest.raises(DataError) as caught:
            read_surprisals(table(tmp_path / "a.tsv", rows, header))
        assert says in str(caught.value)

    def test_a_bad_number_spoils_its_own_sentence_alone(self, tmp_path: Path) -> None:
        rows = [("Go now", "Go", "x"), ("Go now", "now", 1), ("Rain", "Rain", 2)]
        known = read_surprisals(table(tmp_path / "a.tsv", rows))
        assert known.scores(Text("Rain")).logps == pytest.approx((-2 * math.log(2),))
        with pytest.raises(DataError, match=r"a\.tsv:2: the surprisal of 'Go' is 'x'"):
            known.scores(Text("Go now"))
        with pytest.raises(DataError, match="no surprisals of the sentence 'Snow'; add its tokens"):
            known.scores(Text("Snow"))
        with pytest.raises(DataError, match="no file"):
            read_surprisals(tmp_path / "b.tsv")

        with pytest.raises(DataError, match="'Rain' is read after a context"):
            known.scores(Text("Rain", "It is wet."))


def numbered(path: Path, sentences: list[list[tuple[str, float]]]) -> ExternalSurprisals:
    """A table without texts: each sentence has a number, tokens and values."""
    rows = [(n, t, v) for n, tokens in enumerate(sentences, 1) for t, v in tokens]
    return read_surprisals(table(path, rows, "sentence_id\ttoken\tsurprisal"), "nats")


def values(table: ExternalSurprisals, text: str) -> list[float]:
    return [-logp for logp in table.scores(Text(text)).logps]


class TestUnknownWords:
    """A text gets its own sentence's values, or an error."""

    def test_one_unknown_token_is_one_word(self, tmp_path: Path) -> None:
        short = [("The", 1), ("<unk>", 2), ("sat", 3)]
        long = [("The", 1), ("<unk>", 2), ("old", 4), ("<unk>", 5), ("sat", 6)]
        known = numbered(tmp_path / "a.tsv", [short, long])
        assert values(known, "The zxq sat") == [1, 2, 3]
        assert values(known, "The zxq old wvu sat") == [1, 2, 4, 5, 6]
        assert Text("The zxq wvu sat") not in known

    def test_a_word_that_the_table_spells_is_not_unknown(self, tmp_path: Path) -> None:
        rows = [[("The", 1), ("<unk>", 2), ("sat", 3)], [("A", 4), ("cat", 5), ("ran", 6)]]
        known = numbered(tmp_path / "a.tsv", rows)
        assert values(known, "The zxq sat") == [1, 2, 3]
        with pytest.raises(DataError, match="no surprisals of the sentence 'The cat sat'"):
            known.scores(Text("The cat sat"))

    def test_a_sentence_that_is_spelt_is_not_taken_for_one_that_is_not(
        self, tmp_path: Path
    ) -> None:
        rows = [[("The", 1), ("<unk>", 2), ("sat", 3)], [("The", 1), ("cat", 4), ("sat", 5)]]
        known = numbered(tmp_path / "a.tsv", rows)
        assert values(known, "The cat sat") == [1, 4, 5]
        assert values(known, "The zxq sat") == [1, 2, 3]

    def test_a_comma_that_the_table_has_elsewhere_is_not_dropped(self, tmp_path: Path) -> None:
        bare = [("When", 1), ("he", 2), ("<unk>", 3), ("it", 4), ("fell", 5)]
        comma = [("When", 1), ("he", 2), ("<unk>", 3), (",", 6), ("it", 7), ("fell", 8)]
        known = numbered(tmp_path / "a.tsv", [bare, comma])
        assert values(known, "When he zxq it fell") == [1, 2, 3, 4, 5]
        assert values(known, "When he zxq, it fell") == [1, 2, 3, 6, 7, 8]

    def test_two_rows_that_fit_are_an_error_that_names_both(self, tmp_path: Path) -> None:
        rows = [[("The", 1), ("<unk>", 2), ("sat", 3)], [("The", 1), ("zx", 2), ("<unk>", 5)],
                [("The", 1), ("<unk>", 2), ("<unk>", 6)]]  # fmt: skip
        known = numbered(tmp_path / "a.tsv", rows)
        assert values(known, "The zxq sat") == [1, 2, 3]  # `sat` is known: the third does not fit
        known = numbered(tmp_path / "b.tsv", [rows[2], [("The", 1), ("<unk>", 2), ("[UNK]", 7)]])
        with pytest.raises(DataError) as caught:
            known.scores(Text("The zxq wvu"))
        assert "b.tsv:2: the sentence 'The zxq wvu' fits the tokens" in str(caught.value)
        assert "on line 5, with different surprisals; give the" in str(caught.value)

    def test_texts_that_differ_in_capitals_alone_are_told_apart(self, tmp_path: Path) -> None:
        rows = [("polish it", "polish", 1), ("polish it", "it", 2),
                ("Polish it", "Polish", 3), ("Polish it", "it", 4)]  # fmt: skip
        known = read_surprisals(table(tmp_path / "a.tsv", rows), "nats")
        assert values(known, "polish it") == [1, 2]
        assert values(known, "Polish it") == [3, 4]
        with pytest.raises(DataError, match=r"'POLISH it' fits the tokens .* and on line 4"):
            known.scores(Text("POLISH it"))

    def test_official_suites_with_a_tenth_of_the_words_unknown(
        self, shared: Path, tmp_path: Path
    ) -> None:
        texts = []
        for file in ("npz_ambig", "npz_obj_mod", "fgd_subject", "npi_src_any", "mvrr"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                suite = read_suite(shared / "data" / "syntaxgym" / "suites" / f"{file}.json")
            texts += [s.text for item in suite.items for s in item.conditions.values()]
        words = {text: re.findall(r"n't|'s|[\w-]+|[^\w\s]", text) for text in texts}
        vocabulary = sorted({word for found in words.values() for word in found})
        hidden = set(random.Random(1).sample(vocabulary, len(vocabulary) // 10))
        told = {
            text: ["<unk>" if word in hidden else word for word in found]
            for text, found in words.items()
        }

        def surprisal(tokens: list[str]) -> float:
            return zlib.crc32(" ".join(tokens).encode()) % 10**6 / 10**4

        own = {
            text: [surprisal(tokens[: at + 1]) for at in range(len(tokens))]
            for text, tokens in told.items()
        }
        rows = [list(zip(told[text], own[text], strict=True)) for text in told]
        known = numbered(tmp_path / "a.tsv", rows)
        for text in texts:
            assert values(known, text) == own[text]
        # half of the table has no values for the other half's sentences, if it knows their words
        half = numbered(tmp_path / "b.tsv", rows[::2])
        kept = [told[text] for text in list(told)[::2]]
        spelt = {token for tokens in kept for token in tokens}
        left_out = [t for t in texts if told[t] not in kept and set(told[t]) <= spelt]
        assert len(left_out) > 50
        assert not any(Text(text) in half for text in left_out)
