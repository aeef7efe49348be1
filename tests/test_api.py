"""Three lines from a model to surprisals."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from priscian import Model, Options, ScoreStore, Text, load_model
from priscian.errors import DataError, ModelError, UsageError
from priscian.models import ModelSpec, model_key

TEXT = "She was looking at us!"


@pytest.fixture
def folder(causal: Callable[..., Path]) -> Path:
    return causal("gpt2")


@pytest.fixture
def model(folder: Path) -> Model:
    return load_model(str(folder))


def plain(folder: Path, text: str) -> tuple[list[str], list[float]]:
    """Tokens and bits by Transformers alone."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    loaded = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    code = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids = torch.tensor([[0, *code["input_ids"]]])
    with torch.no_grad():
        logps = loaded(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
    return [text[s:e] for s, e in code["offset_mapping"]], (-logps / math.log(2)).tolist()


def test_surprisals_are_tokens_with_bits(model: Model, folder: Path) -> None:
    tokens, bits = plain(folder, TEXT)
    found = model.surprisals(TEXT)
    assert [token for token, _ in found] == tokens
    assert "".join(tokens) == TEXT
    assert [value for _, value in found] == pytest.approx(bits, abs=1e-3)


def test_the_log_probability_is_their_sum_in_nats(model: Model, folder: Path) -> None:
    assert model.logprob(TEXT) == pytest.approx(
        -sum(plain(folder, TEXT)[1]) * math.log(2), abs=1e-3
    )


def test_scores_come_in_the_order_asked_for_even_twice(model: Model) -> None:
    texts = ["Rain", TEXT, "Go.", TEXT]
    found = model.score(texts)
    assert [s.ends[-1] for s in found] == [len(t) for t in texts]
    assert found[1] == found[3]
    assert model.score([]) == []


def test_a_context_may_be_given_for_all_or_with_each_text(model: Model) -> None:
    context = "Nobody in the village "
    for_all = model.score(["was looking."], context=context)
    with_text = model.score([Text("was looking.", context)])
    assert for_all == with_text
    assert for_all != model.score(["was looking."])
    assert model.logprob("was looking.", context=context) == for_all[0].total
    assert model.surprisals("was looking.", context=context)[0][0] == "was"


def test_surprisals_of_several_texts_are_a_list_for_each(model: Model) -> None:
    texts = ["Nobody was looking.", "Go."]
    assert model.surprisals(texts) == [model.surprisals(text) for text in texts]
    assert model.surprisals([]) == []


def test_options_may_be_given_by_name(folder: Path) -> None:
    named = load_model(str(folder), bos="none", dtype="float32")
    assert named.spec == ModelSpec("hf", str(folder), "", {"bos": "none", "dtype": "float32"})
    token, bits = named.surprisals(TEXT)[0]
    assert math.isnan(bits)
    assert TEXT.startswith(token)
    with pytest.raises(UsageError, match=r"has no option 'dtypo'"):
        load_model(str(folder), dtypo="float32")


def test_the_way_of_computing_changes_no_score(model: Model, folder: Path) -> None:
    other = load_model(str(folder))
    a = model.score([TEXT, "Go."])
    b = other.score([TEXT, "Go."], options=Options(batch_tokens=1, way="single"))
    for x, y in zip(a, b, strict=True):
        assert x.logps == pytest.approx(y.logps, abs=1e-4)


def test_a_store_of_ones_own_keeps_the_scores(folder: Path, tmp_path: Path) -> None:
    with ScoreStore(tmp_path / "mine.sqlite") as store:
        model = load_model(str(folder), store=store)
        scores = model.score([TEXT])
    with ScoreStore(tmp_path / "mine.sqlite") as again:
        assert again.read(model_key(str(folder)), [Text(TEXT)])[Text(TEXT)] == scores[0]


def test_the_key_is_that_of_the_string(model: Model, folder: Path) -> None:
    assert model.key == model_key(f"hf:{folder}")


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no file or folder .*/none"):
        load_model(str(tmp_path / "none"))


def test_a_masked_model_has_the_same_interface(masked: Callable[..., Path]) -> None:
    model = load_model(f"mlm:{masked()}", pll="original")
    found = model.surprisals(TEXT)
    assert "".join(token for token, _ in found) == TEXT.replace(" ", "")
    assert -sum(bits for _, bits in found) * math.log(2) == pytest.approx(model.logprob(TEXT))


@pytest.mark.parametrize("bos", ["auto", "none"])
def test_an_empty_text_is_refused_and_a_space_is_not(folder: Path, bos: str) -> None:
    model = load_model(str(folder), bos=bos)
    with pytest.raises(DataError, match=r"a text to score is empty"):
        model.score(["Go.", ""])
    assert [token for token, _ in model.surprisals(" ")] == [" "]


@pytest.mark.parametrize("way", ["tree", "cache", "rows", "single"])
def test_one_token_without_bos_has_nothing_to_score(folder: Path, way: str) -> None:
    model = load_model(str(folder), bos="none")
    (scores,) = model.score(["."], options=Options(way=way))
    assert [math.isnan(p) for p in scores.logps] == [True]
    assert scores.total == 0.0
