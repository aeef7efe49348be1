"""`priscian.surprisals`: tokens and words of texts and passages, one model or several."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars
import pytest

from priscian import SurprisalOptions, load_model, read_passages, surprisals
from priscian.errors import DataError, ModelError, PriscianWarning, UsageError
from priscian.models import parse_model
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.records import Text, TokenScores
from priscian.runs.surprisal.passages import make_passages

BIT = math.log(2)
AWKWARD = [
    'He said "no", twice.',
    '"Well," said the "expert".',
    "a\tb , c\rd",
    'tail"',
    "''quoted''",
    "it's #1; NA",
    "new\nline",
]
WORDS = SurprisalOptions(words=True)


@pytest.fixture
def tiny(causal: Callable[..., Path]) -> str:
    return f"hf:{causal('gpt2')}?name=tiny"


def test_every_row_is_read_back_exactly_by_csv_and_polars(tmp_path: Path, tiny: str) -> None:
    table = surprisals(tiny, AWKWARD)
    for ending, delimiter in ((".tsv", "\t"), (".csv", ",")):
        file = tmp_path / f"out{ending}"
        table.write(file)
        with file.open(encoding="utf-8", newline="") as lines:
            read = list(csv.DictReader(lines, delimiter=delimiter))
        assert [row["word"] for row in read] == [unit.word for unit in table]
        assert [float(row["surprisal"]) for row in read] == pytest.approx(
            [unit.surprisal for unit in table], abs=1e-6
        )
        frame = polars.read_csv(file, separator=delimiter)
        assert frame["word"].to_list() == [unit.word for unit in table]
        assert frame["text"].to_list() == [unit.text for unit in table]
    table.write(tmp_path / "out.parquet")
    assert polars.read_parquet(tmp_path / "out.parquet").equals(table.frame())
    table.write(tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line)["word"] for line in lines] == [unit.word for unit in table]


def test_a_table_of_11994_words_with_quotation_marks_keeps_its_rows() -> None:
    text = 'She said "yes" and " no" to the "big dog. '
    with pytest.warns(PriscianWarning, match=r"builtin:ngram does not know 5,995 words"):  # quotes
        table = surprisals("builtin:ngram", [text.strip()] * 1199, WORDS)
    rows = list(csv.reader(io.StringIO(table.text()), delimiter="\t"))
    assert len(rows) - 1 == len(table) == 1199 * 10
    assert polars.read_csv(io.StringIO(table.text()), separator="\t").height == len(table)


def test_words_outside_a_closed_vocabulary_are_counted_and_named() -> None:
    told = r"builtin:ngram does not know 2 words \(snorple, blicketed\); an unknown"
    with pytest.warns(PriscianWarning, match=told):
        surprisals("builtin:ngram", ["The snorple slept.", "He blicketed.", "She slept."])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('I saw (a) "dog".', """2 words ('"')"""),
        ("The snorple's friend can't blicket, (zib).", "3 words (snorple, blicket, zib)"),
        ('A "snorple" slept.', """3 words (snorple, '"')"""),
    ],
)
def test_unknown_words_are_named_as_the_model_splits_them_and_signs_come_last(
    text: str, told: str
) -> None:
    with pytest.warns(PriscianWarning, match=re.escape(f"does not know {told}; an unknown")):
        surprisals("builtin:ngram", text)


def test_words_between_spaces_are_named_for_a_model_that_splits_there(tmp_path: Path) -> None:
    words = "".join(f"-1\t{word}\n" for word in ("<unk>", "<s>", "</s>", "The", "dog", "'s", "."))
    arpa = f"\\data\\\nngram 1=7\n\n\\1-grams:\n{words}\n\\end\\\n"
    (tmp_path / "space.arpa").write_text(arpa)
    said = re.escape("does not know 2 words (dog's, Mr.); an unknown")
    with pytest.warns(PriscianWarning, match=said):
        surprisals(f"ngram:{tmp_path / 'space.arpa'}?words=space", "The dog's Mr. .")


class Plugin:
    """Knows three words, and splits as one likes."""

    version = "1"

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        self.split = split

    def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
        for text in texts:
            yield TokenScores((0,), (len(text.text),), (-1.0,))

    def oov_counts(self, texts: Sequence[Text]) -> list[int]:
        known = {"The", "dog", "'s", "."}
        return [sum(w not in known for w in self.split(t.text)) for t in texts]


@pytest.mark.parametrize(
    ("split", "text", "told"),
    [
        (WordSplitter(Tokenisation()).words, "The dog's tail.", "1 word (tail)"),
        (str.split, "The dog's tail .", "2 words (tail)"),
        (str.split, "The dog's .", "1 word (dog's)"),
    ],
)
def test_a_plugin_that_only_counts_unknown_words_is_asked_about_each(
    split: Callable[[str], list[str]], text: str, told: str
) -> None:
    model = parse_model(Plugin(split))  # type: ignore[arg-type]
    with pytest.warns(PriscianWarning, match=re.escape(f"does not know {told}; an unknown")):
        surprisals(model, text)


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end in \.tsv, \.csv, \.jsonl, \.parquet"):
        surprisals("builtin:ngram", "Go.").write(tmp_path / "x.xlsx")


class TestPassages:
    TEXTS = ("The old nurse has admired us!", "Nobody was looking.", "Go now, go.")

    def test_each_line_follows_those_before_it(self, tiny: str) -> None:
        table = surprisals(tiny, [self.TEXTS], WORDS)
        model = load_model(tiny)
        for number, text in enumerate(self.TEXTS):
            before = " ".join((*self.TEXTS[:number], "")) if number else ""
            mine = [unit for unit in table if unit.text == number + 1]
            assert [unit.word for unit in mine] == text.split()
            assert [text[unit.start : unit.end] for unit in mine] == text.split()
            assert sum(unit.surprisal for unit in mine) == pytest.approx(
                -model.logprob(text, context=before) / BIT, abs=1e-3
            )
        assert {unit.passage for unit in table} == {1}
        assert "passage" in table.columns

    def test_a_model_that_reads_both_ways_sees_only_what_came_before(
        self, masked: Callable[..., Path]
    ) -> None:
        spec = f"mlm:{masked()}"
        table = surprisals(spec, [self.TEXTS], WORDS)
        model = load_model(spec)
        for number, text in enumerate(self.TEXTS):
            before = " ".join((*self.TEXTS[:number], "")) if number else ""
            mine = [unit.surprisal for unit in table if unit.text == number + 1]
            assert sum(mine) == pytest.approx(-model.logprob(text, context=before) / BIT, abs=1e-3)

    def test_a_long_passage_is_read_with_a_sliding_window_and_says_so(
        self, causal: Callable[..., Path], texts: list[str]
    ) -> None:
        spec = f"hf:{causal('gpt2', n_positions=32)}?name=short"
        with pytest.warns(PriscianWarning, match="1 text is longer than the 32 tokens that short"):
            table = surprisals(spec, [texts[:20], texts[20]], WORDS)
        assert len(table) == sum(len(text.split()) for text in texts[:21])
        with pytest.warns(PriscianWarning, match="each token has 26 or more"):
            surprisals(spec, [texts[:20]], SurprisalOptions(stride=6))

    def test_tokens_between_lines_belong_to_the_next_one(self, tiny: str) -> None:
        table = surprisals(tiny, [self.TEXTS])
        for number, text in enumerate(self.TEXTS, 1):
            mine = [unit for unit in table if unit.text == number]
            assert "".join(unit.word for unit in mine) == text
            assert [unit.index for unit in mine] == list(range(1, len(mine) + 1))
            assert mine[0].start == 0

    def test_a_context_goes_before_the_whole_passage(self, tiny: str) -> None:
        after = surprisals(tiny, [self.TEXTS[:2]], SurprisalOptions(words=True, context="Rain. "))
        model = load_model(tiny)
        first, second = self.TEXTS[:2]
        wanted = model.logprob(f"{first} {second}", context="Rain. ")
        assert sum(u.surprisal for u in after) == pytest.approx(-wanted / BIT, abs=1e-3)


class TestFiles:
    def test_blank_lines_are_left_out_and_counted(self, tmp_path: Path) -> None:
        file = tmp_path / "in.txt"
        file.write_bytes("\ufeffGo now.\r\n\r\n  \r\nRain.\u2028Again.\rLast.\n".encode())
        passages = read_passages(file)
        lines = [line for passage in passages for line in passage.lines]
        assert [(line.number, line.text) for line in lines] == [
            (1, "Go now."), (4, "Rain.\u2028Again."), (5, "Last."),
        ]  # fmt: skip
        (one, two) = read_passages(file, together=True, joint="\n")
        assert (one.text, two.text) == ("Go now.", "Rain.\u2028Again.\nLast.")
        table = surprisals("builtin:ngram", passages, WORDS)
        assert [unit.line for unit in table] == [1, 1, 4, 4, 5]
        assert [unit.text for unit in table] == [1, 1, 2, 2, 3]
        assert "passage" not in table.columns

    @pytest.mark.parametrize(
        ("content", "told"),
        [(b"", "contains no text"), (b" \n\n", "contains no text"), (b"caf\xe9\n", "byte 3"),
         (None, "no file")],
    )  # fmt: skip
    def test_what_cannot_be_read_is_one_line(
        self, content: bytes | None, told: str, tmp_path: Path
    ) -> None:
        if content is not None:
            (tmp_path / "in.txt").write_bytes(content)
        with pytest.raises(DataError, match=told):
            read_passages(tmp_path / "in.txt")

    def test_an_empty_text_is_named(self) -> None:
        with pytest.raises(DataError, match="text 2 is empty"):
            make_passages(["Go.", " "])
        with pytest.raises(DataError, match="passage 1 has no lines"):
            make_passages([[]])


class TestSeveralModels:
    def test_words_stand_side_by_side(self) -> None:
        models = ["builtin:lstm", "builtin:ngram"]
        text = "The keys to the cabinet are here."
        options = SurprisalOptions(words=True, frequency="builtin:ngram", previous=1)
        table = surprisals(models, text, options)
        frame = table.frame()
        assert frame.height == 7
        assert frame.columns == [
            "text", "line", "index", "word", "start", "end", "length", "log_frequency",
            "prev_length", "prev_log_frequency", "surprisal_builtin_lstm",
            "prev_surprisal_builtin_lstm", "surprisal_builtin_ngram",
            "prev_surprisal_builtin_ngram",
        ]  # fmt: skip
        for model in models:
            alone = surprisals(model, text, WORDS)
            column = f"surprisal_{model.replace(':', '_')}"
            assert frame[column].to_list() == [unit.surprisal for unit in alone]

    def test_tokens_differ_and_so_follow_one_another(self, tiny: str) -> None:
        table = surprisals(["builtin:ngram", tiny], "Nobody was looking.")
        assert table.columns[0] == "model"
        assert [row["model"] for row in table.rows()] == [unit.model for unit in table]
        assert set(table.frame()["model"]) == {"builtin:ngram", "tiny"}

    def test_one_model_twice_is_refused(self) -> None:
        with pytest.raises(UsageError, match="named twice"):
            surprisals(["builtin:ngram", "builtin:ngram"], "Go.")


class TestColumns:
    def test_previous_values_are_those_of_the_words_before_in_the_passage(self) -> None:
        options = SurprisalOptions(words=True, frequency="builtin:ngram", previous=2)
        table = surprisals(
            "builtin:ngram", [["The keys are here.", "We left."], "Go now."], options
        )
        rows = table.rows()
        assert [row["prev_surprisal"] for row in rows] == [
            None, *(row["surprisal"] for row in rows[:5]), None, rows[6]["surprisal"],
        ]  # fmt: skip
        assert [row["prev2_length"] for row in rows] == [None, None, 3, 4, 3, 5, None, None]
        assert rows[2]["prev_log_frequency"] == rows[1]["log_frequency"]

    def test_frequency_is_the_unigram_probability_without_punctuation(self) -> None:
        options = SurprisalOptions(words=True, frequency="builtin:ngram")
        with pytest.warns(PriscianWarning, match=r"1 of 4 different words .* \(qwrtzx\)"):
            table = surprisals("builtin:lstm", '"The keys" — are qwrtzx.', options)
        known = {unit.word: unit.log_frequency for unit in table}
        unigrams = load_model("builtin:ngram", order="1")
        assert known['keys"'] == pytest.approx(unigrams.logprob("keys") / BIT)
        assert known['"The'] == pytest.approx(unigrams.logprob("The") / BIT)
        assert math.isnan(known["—"])
        assert math.isnan(known["qwrtzx."])
        assert [row["log_frequency"] is None for row in table.rows()] == [
            False, False, True, False, True,
        ]  # fmt: skip

    def test_frequencies_come_from_unigrams_alone(self) -> None:
        for frequency, told in (
            ("builtin:lstm", "`frequency=builtin:lstm`: unigrams need an n-gram model"),
            ("builtin:ngram?order=2", "leave order out"),
        ):
            with pytest.raises(UsageError, match=told):
                surprisals("builtin:ngram", "Go.", SurprisalOptions(True, frequency=frequency))

    def test_entropy_of_a_word_is_the_one_before_its_first_token(self, tiny: str) -> None:
        text = "Nobody was looking at us!"
        tokens = surprisals(tiny, text, SurprisalOptions(entropy=True))
        words = surprisals(tiny, text, SurprisalOptions(words=True, entropy=True))
        assert len(tokens) > len(words)
        for word in words:
            first = next(t for t in tokens if t.end > word.start)
            assert word.entropy == pytest.approx(first.entropy, abs=1e-5)
            assert 0 < word.entropy < math.log2(400)
        assert words.columns[-2:] == ["surprisal", "entropy"]

    def test_entropy_of_windows(self, causal: Callable[..., Path], texts: list[str]) -> None:
        spec = f"hf:{causal('gpt2', n_positions=32)}?name=short"
        with pytest.warns(PriscianWarning, match="sliding window"):
            table = surprisals(spec, [texts[:9]], SurprisalOptions(entropy=True))
        assert all(unit.entropy > 0 for unit in table)

    def test_a_masked_model_has_no_entropy(self, masked: Callable[..., Path]) -> None:
        with pytest.raises(ModelError, match="leave out the entropy"):
            surprisals(f"mlm:{masked()}", "Go.", SurprisalOptions(entropy=True))

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (SurprisalOptions(boundary="corrected"), "add `words=True`"),
            (SurprisalOptions(frequency="builtin:ngram"), "add `words=True`"),
            (SurprisalOptions(previous=-1), "from 0"),
            (SurprisalOptions(stride=0), "from 1"),
            (SurprisalOptions(boundary="right"), "plain or corrected"),
        ],
    )
    def test_options_that_do_not_fit_are_refused(
        self, options: SurprisalOptions, told: str
    ) -> None:
        with pytest.raises(UsageError, match=told):
            surprisals("builtin:ngram", "Go.", options)


def test_what_was_scored_is_not_computed_again(
    tiny: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from priscian import ScoreStore

    store = ScoreStore(tmp_path / "scores.sqlite")
    options = SurprisalOptions(words=True, entropy=True)
    once = surprisals(tiny, ["Go now.", ["Rain.", "Again."]], options, store=store)

    def refuse(*_: object) -> None:
        raise AssertionError("loaded again")

    monkeypatch.setattr("priscian.models.ResolvedModel.load", refuse)
    again = surprisals(tiny, ["Go now.", ["Rain.", "Again."]], options, store=store)
    assert again.rows() == once.rows()


def test_the_table_is_short_to_look_at() -> None:
    table = surprisals("builtin:ngram", "The keys are here.", WORDS)
    assert repr(table) == "<4 words of builtin:ngram>"
    assert "<table" in table._repr_html_()
    assert [unit.word for unit in table[:2]] == ["The", "keys"]
