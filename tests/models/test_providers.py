"""Providers: those that come with the package, plug-ins, and plug-ins that are broken."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import priscian
from priscian.errors import ModelError, PriscianWarning, ScoreError
from priscian.models import (
    ModelKey,
    ModelSpec,
    Traits,
    find_provider,
    open_model,
    provider_names,
    register,
    registry,
)
from priscian.records import Text, TokenScores
from priscian.scoring import ScoreStore, score_texts


class Letters:
    """A simple model: every letter costs its place in the alphabet, a stranger `stranger`."""

    def __init__(self, stranger: float) -> None:
        self.stranger = stranger
        self.asked: list[Text] = []

    def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
        self.asked += texts
        for text in texts:
            n = len(text.text)
            cost = [-float(ord(c) - 96) if "a" <= c <= "z" else self.stranger for c in text.text]
            yield TokenScores(tuple(range(n)), tuple(range(1, n + 1)), tuple(cost))


class LettersProvider:
    """Letters of the alphabet."""

    example = "letters:abc"

    def key(self, spec: ModelSpec) -> ModelKey:
        return ModelKey({"provider": "letters", "id": spec.id})

    def load(self, spec: ModelSpec) -> Letters:
        return Letters(float(spec.id))

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        return []


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_registered", {})
    register("letters", LettersProvider())
    yield
    find_provider.cache_clear()


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two plug-ins that fail, each in its own way."""
    points = dict(registry._entry_points())
    points["gone"] = EntryPoint("gone", "no_such_module:Provider", "priscian.models")
    points["odd"] = EntryPoint("odd", "priscian.models.spec:NoSuchName", "priscian.models")
    monkeypatch.setattr(registry, "_entry_points", lambda: points)
    find_provider.cache_clear()
    yield
    find_provider.cache_clear()


def test_the_built_in_providers_are_entry_points() -> None:
    from priscian.models.hf.causal import CausalProvider
    from priscian.models.hf.masked import MaskedProvider

    assert {"hf", "mlm"} <= set(provider_names())
    assert isinstance(find_provider("hf"), CausalProvider)
    assert isinstance(find_provider("mlm"), MaskedProvider)


@pytest.mark.usefixtures("letters")
def test_a_simple_model_works_from_end_to_end(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\nab,ac\nbd,bc\ncab,cab\n")
    with pytest.warns(PriscianWarning, match=r"identical"):
        run = priscian.score("letters:-1", f"pairs:{pairs}", out=tmp_path / "run")
    cell = run.results[0].summary.by_set()["pairs"]
    assert (cell.accuracy, cell.n, cell.ties) == (1 / 3, 3, 1)
    frame = run.results[0].frame()
    assert frame["score_good"].to_list() == [-3.0, -6.0, -6.0]
    assert frame["score_bad"].to_list() == [-4.0, -5.0, -6.0]
    assert frame["delta"].to_list() == [1.0, -1.0, 0.0]
    assert (tmp_path / "run/letters--1/pairs/items.parquet").is_file()


@pytest.mark.usefixtures("letters")
def test_a_simple_model_is_asked_once_for_each_text() -> None:
    loaded, store = open_model("letters:-1"), ScoreStore()
    model = loaded.model
    assert isinstance(model, Letters)
    texts = [Text("ab"), Text("ab"), Text("ba")]
    scored = score_texts("letters:-1", texts, store, loaded=loaded)
    assert (scored.computed, model.asked) == (2, [Text("ab"), Text("ba")])
    again = score_texts("letters:-1", texts, store, loaded=loaded)
    assert (again.computed, len(model.asked)) == (0, 2)
    assert again.scores == scored.scores
    assert score_texts("letters:-2", texts, store).computed == 2


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize("value", ["0.5", "-inf", "inf"])
def test_an_impossible_log_probability_is_refused_and_the_text_named(value: str) -> None:
    with pytest.raises(ScoreError, match=r"gave .* of token 2 of the text 'a!b'"):
        score_texts(f"letters:{value}", [Text("ab"), Text("a!b")], ScoreStore())


@pytest.mark.usefixtures("letters")
def test_nan_is_a_first_token_that_could_not_be_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    def traits(self: object, spec: ModelSpec) -> Traits:
        return Traits(scores_first=False)

    monkeypatch.setattr(LettersProvider, "traits", traits, raising=False)
    scored = score_texts("letters:nan", [Text("!ab")], ScoreStore()).scores[Text("!ab")]
    assert math.isnan(scored.logps[0])
    assert scored.total == -3.0


@pytest.mark.usefixtures("letters")
def test_a_simple_model_that_answers_too_few_texts_is_refused() -> None:
    class Lazy(Letters):
        def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
            yield from list(super().score(texts))[:-1]

    store, loaded = ScoreStore(), replace(open_model("letters:-1"), model=Lazy(-1.0))
    with pytest.raises(ScoreError, match=r"gave 1 answers to 2 texts"):
        score_texts("letters:-1", [Text("ab"), Text("ba")], store, loaded=loaded)
    assert store.models() == []


@pytest.mark.usefixtures("letters")
def test_a_registered_provider_describes_itself() -> None:
    assert registry.describe("letters") == ("Letters of the alphabet.", "letters:abc")
    assert "letters" in provider_names()


@pytest.mark.usefixtures("plug_in")
class TestBrokenPlugIns:
    def test_each_warns_and_none_stops_the_others(self) -> None:
        with pytest.warns(PriscianWarning) as caught:
            broken = registry.broken_providers()
        assert set(broken) == {"gone", "odd"}
        assert sorted(str(w.message).partition(":")[0] for w in caught) == [
            "model provider 'gone'",
            "model provider 'odd'",
        ]
        assert find_provider("hf") is not None

    @pytest.mark.parametrize("name", ["gone", "odd"])
    def test_using_one_is_a_clear_error(self, name: str) -> None:
        with pytest.raises(ModelError, match=rf"'{name}' cannot be loaded.*uninstall its package"):
            priscian.load_model(f"{name}:x")
