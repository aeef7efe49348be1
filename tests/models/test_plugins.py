"""A class with one method is a model: passed in, registered, or from another package."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import priscian
from priscian.errors import ModelError, PriscianWarning, ScoreError, UsageError
from priscian.models import (
    ModelSpec,
    Traits,
    find_provider,
    load,
    model_key,
    parse_model,
    register,
    registry,
    traits_of,
)
from priscian.models.registry import ObjectProvider
from priscian.records import Text, TokenScores
from priscian.scoring import ScoreStore, score_texts


class Toy:
    """Every character costs one nat."""

    version = "1"

    def score(self, texts: Sequence[Text]) -> list[TokenScores]:
        return [characters(text, [-1.0] * len(text.text)) for text in texts]


def characters(text: Text, logps: Sequence[float]) -> TokenScores:
    n = len(text.text)
    return TokenScores(tuple(range(n)), tuple(range(1, n + 1)), tuple(logps))


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(registry, "_objects", ObjectProvider())
    find_provider.cache_clear()
    yield
    find_provider.cache_clear()


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    (tmp_path / "pairs.csv").write_text("good,bad\na,aa\nbbb,bb\n")
    return f"pairs:{tmp_path / 'pairs.csv'}"


class TestObjects:
    def test_an_object_is_scored(self, pairs: str, tmp_path: Path) -> None:
        run = priscian.score(Toy(), pairs, out=tmp_path / "run")  # type: ignore[arg-type]
        assert run.results[0].model == "Toy@1"
        assert run.results[0].overall == 0.5

    def test_objects_and_strings_stand_side_by_side(self, pairs: str) -> None:
        run = priscian.score([Toy(), "builtin:lstm"], pairs)  # type: ignore[list-item]
        assert [r.model for r in run.results] == ["Toy@1", "builtin:lstm"]

    def test_an_object_is_loaded(self) -> None:
        model = priscian.load_model(Toy())
        assert model.surprisals("ab") == [("a", 1 / math.log(2)), ("b", 1 / math.log(2))]
        assert model.logprob("abc") == -3.0

    def test_the_key_is_the_class_and_its_version(self) -> None:
        class Other(Toy):
            version = "2"

        fields = dict(model_key(Toy()).fields)
        assert fields["class"] == f"{__name__}.Toy"
        assert fields["version"] == "1"
        assert model_key(Toy()) == model_key(Toy())
        assert model_key(Other()) != model_key(Toy())

    def test_without_a_version_the_source_stands_in_and_a_note_says_so(self) -> None:
        class Bare:
            def score(self, texts: Sequence[Text]) -> list[TokenScores]:
                return Toy().score(texts)

        with pytest.warns(PriscianWarning, match="has no `version`"):
            fields = model_key(Bare()).fields
        assert len(fields["source"]) == 64

    def test_two_objects_that_may_differ_never_share_scores(self) -> None:
        class Constant:
            def __init__(self, cost: float) -> None:
                self.cost = cost

            def score(self, texts: Sequence[Text]) -> list[TokenScores]:
                return [characters(text, [self.cost] * len(text.text)) for text in texts]

        with (
            pytest.warns(PriscianWarning, match="has no `version`"),
            pytest.raises(UsageError, match="would share their scores; give each a `version`"),
        ):
            priscian.score([Constant(-1.0), Constant(-2.0)], "pairs:none.csv")
        one, two = Constant(-1.0), Constant(-2.0)
        one.version, two.version = "1", "2"  # type: ignore[attr-defined]
        assert model_key(one) != model_key(two)

    def test_a_class_is_not_an_object(self) -> None:
        with pytest.raises(UsageError, match=r"Toy is a class; pass an object of it: Toy\(\)"):
            priscian.load_model(Toy)  # type: ignore[arg-type]

    def test_an_object_of_another_process_cannot_be_loaded_by_its_string(self) -> None:
        string = str(parse_model(Toy()))
        assert load(string)
        registry._objects._models.clear()
        with pytest.raises(ModelError, match="an object from another Python process; pass it"):
            load(string)


class TestRegistered:
    def test_a_class_is_used_by_its_name(self, pairs: str) -> None:
        register("toy", Toy)
        run = priscian.score("toy", pairs)
        assert run.results[0].overall == 0.5
        assert dict(model_key("toy").fields) == {
            "provider": "toy",
            "model": "default",
            "method": "simple",
            "class": f"{__name__}.Toy",
            "version": "1",
        }

    def test_the_constructor_gets_id_and_options(self) -> None:
        class Sized(Toy):
            def __init__(self, size: str, *, base: str = "2") -> None:
                self.made = (size, base)

        register("sized", Sized)
        assert load("sized:big?base=10").made == ("big", "10")  # type: ignore[union-attr]
        assert load("sized").made == ("default", "2")  # type: ignore[union-attr]
        assert model_key("sized:big") != model_key("sized:small")
        assert model_key("sized:big?base=10") != model_key("sized:big")
        assert model_key("sized:big?name=x") == model_key("sized:big")
        with pytest.raises(UsageError, match="has no option 'bose'"):
            model_key("sized:big?bose=10")

    def test_an_object_can_have_a_name_too(self) -> None:
        toy = Toy()
        register("toy", toy)
        assert load("toy") is toy

    def test_it_describes_itself(self) -> None:
        register("toy", Toy)
        assert registry.describe("toy") == ("Every character costs one nat.", "toy")

    def test_what_is_no_model_is_refused(self) -> None:
        with pytest.raises(ModelError, match=r"has no method score\(texts\)"):
            register("toy", 3)
        with pytest.raises(UsageError, match="lower-case letters"):
            register("My Toy", Toy)

    def test_an_entry_point_may_name_the_class(self, monkeypatch: pytest.MonkeyPatch) -> None:
        point = EntryPoint("toy", f"{__name__}:Toy", "priscian.models")
        monkeypatch.setattr(EntryPoint, "load", lambda self: Toy)
        monkeypatch.setattr(registry, "_entry_points", lambda: {"toy": point})
        assert isinstance(load("toy"), Toy)
        assert parse_model("toy?name=x") == ModelSpec("toy", "default", "", {"name": "x"})


class TestFeatures:
    def test_methods_bring_their_features(self) -> None:
        class Rich(Toy):
            def oov_counts(self, texts: Sequence[Text]) -> list[int]:
                return [0 for _ in texts]

            def score_ends(self, texts: Sequence[Text]) -> list[float]:
                return [-2.0 for _ in texts]

        assert traits_of(Toy()) == Traits(options=frozenset({"name", "device"}))
        found = traits_of(Rich())
        assert (found.closed_vocabulary, found.scores_end) == (True, True)

    def test_unknown_words_of_a_plug_in_are_counted(self, pairs: str) -> None:
        class Closed(Toy):
            def oov_counts(self, texts: Sequence[Text]) -> list[int]:
                return [text.text.count("b") for text in texts]

        summary = priscian.score(Closed(), pairs).results[0].summary  # type: ignore[arg-type]
        assert summary.unknown_words is not None
        assert summary.unknown_words.differ == 1

    def test_scores_made_elsewhere_are_looked_up_and_not_stored(self, pairs: str) -> None:
        class Table(Toy):
            def look_up(self, text: Text) -> TokenScores:
                return self.score([text])[0]

        store = ScoreStore()
        run = priscian.score(Table(), pairs, store=store)  # type: ignore[arg-type]
        assert run.results[0].overall == 0.5
        assert store.models() == []

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_a_text_without_a_finite_score_is_named(self, value: float, pairs: str) -> None:
        class Table(Toy):
            def look_up(self, text: Text) -> TokenScores:
                return characters(text, [value] * len(text.text))

        with pytest.raises(ScoreError, match=r"the text 'a+' has no finite scores"):
            priscian.score(Table(), pairs)  # type: ignore[arg-type]

    def test_a_promise_that_the_model_does_not_keep_is_told(self) -> None:
        class Boastful(Toy):
            traits = Traits(scores_end=True)

        with pytest.raises(ModelError, match="say scores_end, but the model has no score_ends"):
            load(Boastful())


class Answers:
    """A model that gives what it is told to."""

    def __init__(self, answer: Any, version: str = "1") -> None:
        self.answer = answer
        self.version = version

    def score(self, texts: Sequence[Text]) -> list[Any]:
        return [self.answer for _ in texts]


class TestAnswers:
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.5])
    def test_an_impossible_number_is_refused_and_the_text_named(self, value: float) -> None:
        model = Answers(TokenScores((0, 1), (1, 2), (-1.0, value)))
        with pytest.raises(ScoreError, match=rf"gave {value} .* token 2 of the text 'ab'"):
            score_texts(parse_model(model), [Text("ab")], ScoreStore())

    def test_nan_first_is_for_models_that_say_so(self) -> None:
        class NoBos(Answers):
            traits = Traits(scores_first=False)

        answer = TokenScores((0, 1), (1, 2), (math.nan, -1.0))
        with pytest.raises(ScoreError, match=r"token 1 of the text 'ab'.*scores_first"):
            score_texts(parse_model(Answers(answer)), [Text("ab")], ScoreStore())
        got = score_texts(parse_model(NoBos(answer)), [Text("ab")], ScoreStore()).scores
        assert got[Text("ab")].total == -1.0
        later = NoBos(TokenScores((0, 1), (1, 2), (-1.0, math.nan)), version="2")
        with pytest.raises(ScoreError, match=r"gave nan .* token 2"):
            score_texts(parse_model(later), [Text("ab")], ScoreStore())

    @pytest.mark.parametrize(
        ("starts", "ends"),
        [((0, 1), (1, 9)), ((-1, 1), (1, 2)), ((1, 0), (2, 1)), ((0, 2), (1, 1)), ((0,), (1,))],
    )
    def test_tokens_outside_the_text_are_refused(
        self, starts: tuple[int, ...], ends: tuple[int, ...]
    ) -> None:
        model = Answers(TokenScores(starts, ends, (-1.0, -1.0)))
        with pytest.raises(ScoreError, match=r"not in the text 'ab': .* from 0 to 2"):
            score_texts(parse_model(model), [Text("ab")], ScoreStore())

    def test_no_token_at_all_is_refused(self) -> None:
        model = Answers(TokenScores((), (), ()))
        with pytest.raises(ScoreError, match=r"has no token for the text 'ab'"):
            score_texts(parse_model(model), [Text("ab")], ScoreStore())

    def test_arrays_will_do(self) -> None:
        logps: Any = np.array([-1.0, -2.0])
        model = Answers(TokenScores([0, 1], [1, 2], logps))  # type: ignore[arg-type]
        got = score_texts(parse_model(model), [Text("ab")], ScoreStore()).scores[Text("ab")]
        assert got == TokenScores((0, 1), (1, 2), (-1.0, -2.0))

    def test_something_else_is_refused(self) -> None:
        with pytest.raises(ScoreError, match=r"gave float for a text; .* one TokenScores"):
            score_texts(parse_model(Answers(-3.0)), [Text("ab")], ScoreStore())
