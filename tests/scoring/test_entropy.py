"""The channel `entropy`: equal to a sum over the whole vocabulary, for every family of models."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from priscian.errors import ModelError
from priscian.models import LanguageModel, TorchModel, load, model_key, open_model, parse_model
from priscian.models.lstm import LstmModel
from priscian.models.ngram import NgramModel, load_ngram
from priscian.models.ngram.trie import BOS
from priscian.records import Text
from priscian.scoring import ScoreStore, score_texts
from priscian.scoring.entropy import missing_entropies, read_entropies, store_entropies

GOLDEN = Path(__file__).parents[1] / "training" / "data" / "golden.arpa.gz"


@pytest.mark.parametrize("kind", ["gpt2", "gemma2"])
def test_a_causal_model_gives_the_entropy_of_its_logits(
    kind: str, causal: Callable[..., Path], texts: list[str]
) -> None:
    folder = causal(kind)
    spec = parse_model(f"hf:{folder}")
    asked = [Text(t) for t in texts[::7]] + [Text("Go now.", "Rain. ")]
    store = ScoreStore()
    loaded = open_model(spec)
    model = loaded.model
    assert missing_entropies(loaded.key, asked, store) == asked
    store_entropies(loaded, asked, store)
    assert missing_entropies(loaded.key, asked, store) == []
    found = read_entropies(loaded.key, asked, store)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    assert isinstance(model, TorchModel)
    for text, code in zip(asked, model.encode(asked), strict=True):
        with torch.no_grad():
            logps = network(torch.tensor([code.ids])).logits[0, :-1].double().log_softmax(-1)
        wanted = -(logps.exp() * logps).sum(-1)[code.first - 1 :]
        assert list(found[text]) == pytest.approx(wanted.tolist(), abs=1e-4)
    # the same pass stored the log-probabilities, which are the usual ones
    assert store.missing(model_key(spec), asked) == [False] * len(asked)
    usual = score_texts(spec, asked, ScoreStore()).scores
    for text, scores in store.read(model_key(spec), asked).items():
        assert scores.logps == pytest.approx(usual[text].logps, abs=1e-4)


def test_full_logits_give_the_same_as_tiles(causal: Callable[..., Path], texts: list[str]) -> None:
    from priscian.models.hf.causal import CausalModel
    from priscian.scoring.batches import Rows

    model = load(f"hf:{causal('gpt2')}")
    assert isinstance(model, CausalModel)
    batch = Rows(512).build(model.encode([Text(t) for t in texts[:6]])).tokens
    tiled = model.entropies(batch)
    model.head = None
    for a, b in zip(model.entropies(batch), tiled, strict=True):
        assert a == pytest.approx(b, abs=1e-4)


def test_without_bos_the_first_token_has_none(causal: Callable[..., Path]) -> None:
    spec = parse_model(f"hf:{causal('gpt2')}?bos=none")
    store, text = ScoreStore(), Text("Go now, go.")
    loaded = open_model(spec)
    store_entropies(loaded, [text], store)
    first, *rest = read_entropies(loaded.key, [text], store)[text]
    assert math.isnan(first)
    assert all(value > 0 for value in rest)


def brute_force(model: NgramModel, before: list[int]) -> float:
    """The entropy after some words, by asking for the probability of every word there is."""
    words = [w for w in range(len(model.trie.words)) if w != BOS]
    ids = np.array([i for word in words for i in (*before, word)], np.int32)
    logs = model.trie.log10(ids, [len(before) + 1] * len(words))[0]
    logs = logs.reshape(len(words), -1)[:, -1] * math.log(10)
    shares = np.exp(logs)
    shares /= shares.sum()
    return float(-(shares * np.log(np.maximum(shares, 1e-300))).sum())


@pytest.mark.parametrize(
    "text", ["the gardener will often hear the zebra .", "who will", "zebra zebra", "the </s> ?"]
)
def test_an_n_gram_model_gives_the_sum_over_its_vocabulary(text: str) -> None:
    model = load_ngram(GOLDEN)
    (found,) = model.score_entropies([Text(text)])
    ids = model.encode([text]).ids
    assert list(found) == pytest.approx(
        [brute_force(model, ids[:n]) for n in range(len(ids))], abs=1e-5
    )


def test_an_n_gram_context_conditions_and_is_not_shown() -> None:
    model = load_ngram(GOLDEN)
    whole, after = model.score_entropies([Text("the gardener will"), Text("will", "the gardener ")])
    assert after == whole[2:]


def test_the_lstm_gives_the_sum_over_its_vocabulary() -> None:
    model = load("builtin:lstm")
    assert isinstance(model, LstmModel)
    text = "The keys to the"
    ids = model.pieces.encode(text)[0]
    size = model.network.vocabulary
    asked = [(*ids[:n], v) for n in (0, len(ids)) for v in range(size)]
    logs = np.array([values[-1] for values in model.network.logprobs(asked)]).reshape(2, size)
    assert np.exp(logs).sum(1) == pytest.approx([1, 1], abs=1e-4)
    wanted = -(np.exp(logs) * logs).sum(1)
    (found,) = model.score_entropies([Text(text + " cabinet")])
    assert [found[0], found[len(ids)]] == pytest.approx(wanted, abs=1e-3)


def test_a_model_without_entropy_is_one_line(masked: Callable[..., Path]) -> None:
    spec = parse_model(f"mlm:{masked()}")
    with pytest.raises(ModelError, match="cannot say how uncertain it is of the next token"):
        store_entropies(open_model(spec), [Text("Go.")], ScoreStore())

    class Plain:
        version = "1"

        def score(self, texts: list[Text]) -> list[object]:
            return []

    plain = Plain()
    assert isinstance(plain, LanguageModel)
    with pytest.raises(ModelError, match="leave out the entropy"):
        store_entropies(open_model(plain), [Text("Go.")], ScoreStore())
