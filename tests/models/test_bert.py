"""BERT's layers one by one give what the whole model gives, or are not used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.tiny import build_masked

from priscian.models import load
from priscian.models.hf.masked import MaskedModel
from priscian.records import Text
from priscian.scoring import ScoreStore, score_texts

KINDS: dict[str, dict[str, Any]] = {
    "roberta": {"max_position_embeddings": 130, "pad_token_id": 0},
    "electra": {"embedding_size": 32},
    "distilbert": {},
}


@pytest.fixture
def kin(tmp_path: Path) -> Callable[[str], Path]:
    """A tiny masked model of another architecture, with BERT's tokenizer."""

    def build(kind: str) -> Path:
        from transformers import AutoConfig, AutoModelForMaskedLM

        folder = build_masked(tmp_path / kind, cased=True)
        sizes = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2,
                 "intermediate_size": 64, "vocab_size": 120}  # fmt: skip
        names = {"distilbert": {"dim": 32, "hidden_dim": 64, "n_layers": 2, "n_heads": 2,
                                "vocab_size": 120}}  # fmt: skip
        torch.manual_seed(3)
        config = AutoConfig.for_model(kind, **(names.get(kind, sizes) | KINDS[kind]))
        model = AutoModelForMaskedLM.from_config(config)
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.data.normal_(std=0.25)
        model.save_pretrained(folder)
        return folder

    return build


def naive(folder: Path, text: str) -> list[float]:
    """Each token masked alone, by Transformers' whole model."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids = tokenizer(text)["input_ids"]
    found = []
    for place in range(1, len(ids) - 1):
        masked = [*ids[:place], tokenizer.mask_token_id, *ids[place + 1 :]]
        with torch.no_grad():
            logps = model(torch.tensor([masked])).logits[0, place].log_softmax(-1)
        found.append(float(logps[ids[place]]))
    return found


@pytest.mark.parametrize(
    ("kind", "where"),
    [("roberta", "where asked"), ("electra", "everywhere"), ("distilbert", "everywhere")],
)
def test_other_architectures(kind: str, where: str, kin: Callable[[str], Path]) -> None:
    folder = kin(kind)
    texts = [Text("She has admired us!"), Text("Some geese will forget the painting.")]
    scored = score_texts(f"mlm:{folder}?pll=original", texts, ScoreStore())
    assert scored.notes["layers"] == where
    for text in texts:
        assert scored.scores[text].logps == pytest.approx(naive(folder, text.text), abs=1e-4)


def test_padded_rows_and_several_places_in_a_row(masked: Callable[..., Path]) -> None:
    import numpy as np

    from priscian.models import TokenBatch

    model = load(f"mlm:{masked()}")
    assert isinstance(model, MaskedModel)
    assert model.notes["layers"] == "where asked"
    a, b = (e.ids for e in model.encode([Text("She has admired us!"), Text("Go.")]))
    ids = np.zeros((2, len(a)), dtype=np.int64)
    ids[0], ids[1, : len(b)] = a, b
    queries = np.array([[1, 2, 9], [0, 1, 7], [0, 3, 8], [0, 1, 6]])
    together = model.logprobs(TokenBatch(ids, np.array([len(a), len(b)]), queries))
    alone = [
        model.logprobs(
            TokenBatch(np.array([row]), np.array([len(row)]), np.array([[0, column, target]]))
        )[0]
        for row, column, target in ((b, 2, 9), (a, 1, 7), (a, 3, 8), (a, 1, 6))
    ]
    assert together == pytest.approx(alone, abs=1e-5)


def test_one_token_at_two_places_and_two_tokens_at_one(masked: Callable[..., Path]) -> None:
    """Until tokens see each other they are told apart by token and place, and by nothing else."""
    folder = masked()
    texts = [Text("Go go us us."), Text("Us go us go."), Text("Go us go us.")]
    scored = score_texts(f"mlm:{folder}?pll=original", texts, ScoreStore())
    assert scored.notes["layers"] == "where asked"
    for text in texts:
        assert scored.scores[text].logps == pytest.approx(naive(folder, text.text), abs=1e-4)


def test_rows_that_change_in_company_are_refused(
    masked: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from priscian.errors import ScoreError

    plain = MaskedModel.logprobs
    monkeypatch.setattr(
        MaskedModel,
        "logprobs",
        lambda self, batch: plain(self, batch) - 0.01 * (len(batch.ids) > 1),
    )
    with pytest.raises(ScoreError, match=r"off by 0\.01 nats"):
        score_texts(f"mlm:{masked()}", [Text("She has admired us!")], ScoreStore())
