"""Every token's log-probability equals a plain forward pass, however the texts are batched."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from priscian.models import open_model
from priscian.models.hf.causal import CausalModel
from priscian.records import Text, TokenScores
from priscian.scoring import Options, ScoredTexts, ScoreStore, score_texts

CASES = {
    "gpt2": ("gpt2", {}, "tree"),
    "gpt2-eager": ("gpt2", {}, "tree"),
    "llama-untied": ("llama", {"tie_word_embeddings": False}, "tree"),
    "llama-tied": ("llama", {"tie_word_embeddings": True}, "tree"),
    "gpt_neox": ("gpt_neox", {}, "tree"),
    "opt": ("opt", {}, "tree"),
    "gpt_neo": ("gpt_neo", {}, None),
    "mistral": ("mistral", {}, None),
    "gemma2": ("gemma2", {}, None),
    "cohere": ("cohere", {}, "tree"),
    "bloom": ("bloom", {}, None),
}


@cache
def transformers_model(folder: Path) -> tuple[Any, Any]:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return AutoTokenizer.from_pretrained(folder), model


def plain(folder: Path, text: str, bos: str = "<|endoftext|>") -> list[float]:
    """Log-probabilities by Transformers alone, one text at a time."""
    tokenizer, model = transformers_model(folder)
    first = [tokenizer.convert_tokens_to_ids(bos)] if bos else []
    ids = torch.tensor([first + tokenizer(text, add_special_tokens=False)["input_ids"]])
    with torch.no_grad():
        logps = model(ids).logits[0, :-1].log_softmax(-1)
    found: list[float] = logps.gather(1, ids[0, 1:, None])[:, 0].tolist()
    return found if bos else [math.nan, *found]


def largest_difference(got: TokenScores, wanted: list[float]) -> float:
    assert len(got.logps) == len(wanted)
    return max(
        abs(a - b) for a, b in zip(got.logps, wanted, strict=True) if not (a != a and b != b)
    )


def run(folder: Path, texts: list[str], **options: object) -> ScoredTexts:
    return score_texts(
        f"hf:{folder}",
        [Text(t) for t in texts],
        ScoreStore(),
        options=Options(**options),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("case", CASES)
def test_scores_equal_a_plain_forward_pass(
    case: str, causal: Callable[..., Path], texts: list[str]
) -> None:
    kind, changes, way = CASES[case]
    folder = causal(kind, **changes)
    options = {"attention": "eager"} if case.endswith("eager") else {}
    query = "?attention=eager" if options else ""
    scored = score_texts(
        f"hf:{folder}{query}", [Text(t) for t in texts], ScoreStore(), options=Options(workers=1)
    )
    assert scored.plan is not None
    assert scored.plan.error <= 1e-4
    if way:
        assert scored.plan.way == way
    worst = max(largest_difference(scored.scores[Text(t)], plain(folder, t)) for t in texts)
    assert worst <= 1e-4


@pytest.mark.parametrize("case", ["gpt2", "gpt_neo", "mistral"])
@pytest.mark.parametrize("batch_tokens", [1, 64, 4096])
def test_batch_size_order_and_workers_change_nothing(
    case: str, batch_tokens: int, causal: Callable[..., Path], texts: list[str]
) -> None:
    folder = causal(CASES[case][0], **CASES[case][1])
    base = run(folder, texts, workers=1)
    other = run(folder, texts[::-1], workers=2, batch_tokens=batch_tokens)
    for text in texts:
        got, wanted = other.scores[Text(text)], base.scores[Text(text)]
        assert largest_difference(got, list(wanted.logps)) <= 1e-4
        assert (got.starts, got.ends) == (wanted.starts, wanted.ends)


def test_torch_has_as_many_threads_afterwards_as_before(causal: Callable[..., Path]) -> None:
    found = run(causal("gpt2"), ["a b"], threads=2)
    assert found.plan is not None
    assert (found.plan.threads, torch.get_num_threads()) == (2, 1)


def test_gpt_neo_is_right_when_a_packed_row_is_longer_than_its_window(
    causal: Callable[..., Path], texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.scoring.plan.ROW", 600)
    folder = causal("gpt_neo")
    scored = run(folder, texts, workers=1, batch_tokens=600)
    assert scored.plan is not None
    assert scored.plan.way != "tree"
    worst = max(largest_difference(scored.scores[Text(t)], plain(folder, t)) for t in texts)
    assert worst <= 1e-4


@pytest.mark.parametrize("way", ["tree", "cache", "rows", "single"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_every_way_of_batching_is_exact_where_it_works(
    way: str, kind: str, causal: Callable[..., Path], texts: list[str]
) -> None:
    folder = causal(kind)
    scored = run(folder, texts, workers=1, way=way)
    assert scored.plan is not None
    assert scored.plan.way == way
    worst = max(largest_difference(scored.scores[Text(t)], plain(folder, t)) for t in texts)
    assert worst <= 1e-4


def test_a_wrong_way_of_batching_is_noticed_and_not_used(
    causal: Callable[..., Path], texts: list[str]
) -> None:
    from priscian.models import load
    from priscian.models.hf.causal import CausalModel
    from priscian.scoring.batches import PackedTree
    from priscian.scoring.selfcheck import measure_error

    model = load(f"hf:{causal('mistral')}")
    assert isinstance(model, CausalModel)
    encodings = model.encode([Text(t) for t in texts])
    tree = PackedTree(512, 1)
    assert measure_error(model, tree, encodings, tree.group(encodings)) > 1e-2


class TestBeginningOfText:
    def test_without_bos_the_first_token_is_not_scored(self, causal: Callable[..., Path]) -> None:
        folder = causal("gpt2", bos=None)
        text = "She was looking at us!"
        scored = run(folder, [text])
        got = scored.scores[Text(text)]
        assert math.isnan(got.logps[0])
        assert largest_difference(got, plain(folder, text, bos="")) <= 1e-4
        assert "not scored" in scored.notes["bos"]

    def test_the_tokenizers_own_bos_is_never_doubled(self, causal: Callable[..., Path]) -> None:
        text = "She was looking at us!"
        added = run(causal("gpt2", bos="<s>", template="<s>"), [text])
        given = run(causal("gpt2", bos="<s>"), [text])
        assert added.scores == given.scores
        wanted = plain(causal("gpt2", bos="<s>"), text, "<s>")
        assert largest_difference(given.scores[Text(text)], wanted) <= 1e-4

    def test_a_text_that_begins_with_bos_gets_no_second_one(
        self, causal: Callable[..., Path]
    ) -> None:
        from priscian.models import load

        model = load(f"hf:{causal('gpt2')}")
        encoding = model.encode([Text("<|endoftext|>Go.")])[0]  # type: ignore[union-attr]
        assert encoding.ids.count(0) == 1

    def test_the_policy_is_part_of_the_key(self, causal: Callable[..., Path]) -> None:
        from priscian.models import model_key

        folder = causal("gpt2")
        keys = {model_key(f"hf:{folder}{q}").digest for q in ("", "?bos=none", "?bos=<s>")}
        assert len(keys) == 3


class TestContext:
    def test_a_context_changes_the_score_and_is_not_counted(
        self, causal: Callable[..., Path]
    ) -> None:
        folder = causal("gpt2")
        context, text = "Nobody in the village ", "was looking at us!"
        scored = score_texts(f"hf:{folder}", [Text(text, context), Text(text)], ScoreStore()).scores
        alone, after = scored[Text(text)], scored[Text(text, context)]
        whole = plain(folder, context + text)
        assert after.total != pytest.approx(alone.total)
        tail = whole[-len(after.logps) :]
        assert largest_difference(after, tail) <= 1e-4
        assert "".join(text[s:e] for s, e in zip(after.starts, after.ends, strict=True)).replace(
            " ", ""
        ) == text.replace(" ", "")


def test_smollm2_scores_equal_a_plain_forward_pass(shared: Path, smollm2: str) -> None:
    import json

    from priscian.models import open_model
    from priscian.models.hf.causal import CausalModel

    lines = (shared / "data/blimp/anaphor_number_agreement.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:100]]
    texts = [Text(row[k]) for row in rows for k in ("sentence_good", "sentence_bad")]
    loaded = open_model(smollm2)
    model = loaded.model
    assert isinstance(model, CausalModel)
    options = Options(workers=2)  # so one thread each, here too
    scored = score_texts(smollm2, texts, ScoreStore(), loaded=loaded, options=options).scores
    worst = 0.0
    with torch.inference_mode():
        for text in texts:
            ids = [0, *model.tokenizer.hf(text.text, add_special_tokens=False)["input_ids"]]
            row = torch.tensor([ids])
            logps = model.model(row).logits[0, :-1].log_softmax(-1)
            wanted = logps.gather(1, row[0, 1:, None])[:, 0].tolist()
            worst = max(worst, largest_difference(scored[text], wanted))
    assert worst <= 1e-4


def test_short_work_is_done_by_one_thread(
    causal: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.scoring.plan.cores", lambda: 4)
    folder = causal("gpt2")
    texts = [Text("The old nurse saw two dogs.")]
    plan = score_texts(f"hf:{folder}", texts, ScoreStore()).plan
    assert plan is not None
    assert plan.threads == 1
    weights = open_model(f"hf:{folder}").model
    assert isinstance(weights, CausalModel)
    monkeypatch.setattr("priscian.scoring.plan.SHORT", 5 * weights.parameters)
    plan = score_texts(f"hf:{folder}", texts, ScoreStore()).plan
    assert plan is not None
    assert plan.threads == 4  # more than five tokens are more than five times its weights
