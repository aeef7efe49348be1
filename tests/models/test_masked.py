"""Pseudo-log-likelihood equals one masked forward pass a token, written here in the plain way."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from priscian.models import load
from priscian.models.hf.masked import MaskedModel, hidden_with
from priscian.records import Text
from priscian.scoring import Options, ScoreStore, score_texts
from priscian.scoring.batches import MaskedRows

VARIANTS = ("original", "word-l2r", "whole-word")


@cache
def transformers_model(folder: Path) -> tuple[Any, Any]:
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    return AutoTokenizer.from_pretrained(folder), model


@cache
def naive(folder: Path, text: str, variant: str, context: str = "") -> list[float]:
    """One forward pass for every token, by Transformers alone."""
    tokenizer, model = transformers_model(folder)
    code = tokenizer(context + text, return_offsets_mapping=True)
    ids, words = code["input_ids"], code.word_ids()
    inside = [i for i, word in enumerate(words) if word is not None]
    own = [i for i in inside if code["offset_mapping"][i][0] >= len(context)]
    found = []
    for i in own:
        masked = list(ids)
        for j in own:
            together = words[j] == words[i] and (
                j == i or variant == "whole-word" or (variant == "word-l2r" and j > i)
            )
            if together:
                masked[j] = tokenizer.mask_token_id
        with torch.no_grad():
            logps = model(torch.tensor([masked])).logits[0, i].log_softmax(-1)
        found.append(float(logps[ids[i]]))
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("cased", [True, False])
def test_scores_equal_one_mask_at_a_time_whatever_the_batch(
    variant: str, cased: bool, masked: Callable[..., Path], texts: list[str]
) -> None:
    folder = masked(cased)
    some = [*texts[::11], *texts[-4:]]
    for batch_tokens in (1, 300, 8192):
        scored = score_texts(
            f"mlm:{folder}?pll={variant}",
            [Text(t) for t in some],
            ScoreStore(),
            options=Options(batch_tokens=batch_tokens, workers=1),
        )
        assert scored.plan is not None
        assert scored.plan.way == "masked"
        assert (scored.notes["pll"], scored.notes["head"]) == (variant, "tiled")
        for text in some:
            got = scored.scores[Text(text)].logps
            assert got == pytest.approx(naive(folder, text, variant), abs=1e-4)


def test_workers_change_nothing(masked: Callable[..., Path], texts: list[str]) -> None:
    asked = [Text(t) for t in texts[::4]]
    one, two = (
        score_texts(f"mlm:{masked()}", asked, ScoreStore(), options=Options(workers=n)).scores
        for n in (1, 2)
    )
    for text in asked:
        assert one[text].logps == pytest.approx(two[text].logps, abs=1e-4)


def test_the_variants_differ_where_a_word_has_several_pieces(masked: Callable[..., Path]) -> None:
    folder, text = masked(), "Nobody was looking."
    pieces = load(f"mlm:{folder}").encode([Text(text)])[0].words  # type: ignore[union-attr]
    assert len(set(pieces)) < len(pieces)
    totals = [sum(naive(folder, text, variant)) for variant in VARIANTS]
    assert len({round(total, 3) for total in totals}) == 3


def test_offsets_are_those_of_the_text_as_written(masked: Callable[..., Path]) -> None:
    text = "Some geese doesn't remember naïve café-owners."
    for cased in (True, False):
        string = f"mlm:{masked(cased)}"
        scores = score_texts(string, [Text(text)], ScoreStore()).scores[Text(text)]
        shown = [text[s:e] for s, e in zip(scores.starts, scores.ends, strict=True)]
        assert "".join(shown) == text.replace(" ", "")


def test_a_context_conditions_and_is_not_counted(masked: Callable[..., Path]) -> None:
    folder = masked()
    text, context = "was looking at us!", "Nobody in the village "
    scored = score_texts(f"mlm:{folder}", [Text(text, context), Text(text)], ScoreStore()).scores
    after, alone = scored[Text(text, context)], scored[Text(text)]
    assert after.logps == pytest.approx(naive(folder, text, "word-l2r", context), abs=1e-4)
    assert (after.starts, after.ends) == (alone.starts, alone.ends)
    assert after.total != pytest.approx(alone.total, abs=1e-3)


def test_equal_masked_inputs_are_computed_once(masked: Callable[..., Path]) -> None:
    model = load(f"mlm:{masked()}?pll=original")
    assert isinstance(model, MaskedModel)
    # the pair differs in one token, and where that is masked both inputs are the same
    encodings = model.encode([Text("She has admired us!"), Text("She has forget us!")])
    same = model.encode([Text("She will forget us!"), Text("She will forget us!")])
    way = MaskedRows(4096, model.mask_id, "original")
    rows = len(way.build(same).tokens.ids)
    assert rows == len(same[0].starts)
    batch = way.build(same + encodings[:1])
    assert len(batch.tokens.ids) == rows + len(encodings[0].starts)
    assert len(batch.tokens.queries) == len(batch.tokens.ids)


def test_a_pair_that_differs_in_one_token_shares_the_row_where_it_is_masked() -> None:
    from priscian.models import Encoding

    def encoding(*ids: int) -> Encoding:
        n = len(ids)
        return Encoding((2, *ids, 3), tuple(range(n)), tuple(range(1, n + 1)), 1, tuple(range(n)))

    batch = MaskedRows(4096, 4, "original").build([encoding(10, 11, 12), encoding(10, 99, 12)])
    assert len(batch.tokens.ids) == 5  # 3 + 3, one of them shared
    assert len(batch.tokens.queries) == 6
    assert batch.members[0][1] != batch.members[1][1]  # one row, two targets


@pytest.mark.parametrize(
    ("variant", "token", "hidden"),
    [
        ("original", 2, [2]),
        ("word-l2r", 1, [1, 2, 3]),
        ("word-l2r", 3, [3]),
        ("whole-word", 3, [1, 2, 3]),
        ("whole-word", 0, [0]),
    ],
)
def test_which_pieces_are_hidden_together(variant: str, token: int, hidden: list[int]) -> None:
    assert hidden_with(token, [0, 1, 1, 1, 2], variant) == hidden


def test_a_token_of_no_word_is_hidden_alone() -> None:
    assert hidden_with(1, [None, None, 0], "whole-word") == [1]
