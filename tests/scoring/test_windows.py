"""Texts longer than a model's context: every token once, after enough context, and exactly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from priscian.errors import TooLongError, UsageError
from priscian.models import TorchModel, load, parse_model
from priscian.records import Text
from priscian.scoring import ScoreStore
from priscian.scoring.long_texts import LongOptions, cut_windows, score_long_texts

LIMIT = 32


@pytest.fixture(scope="module")
def folder(causal: Callable[..., Path]) -> Path:
    return causal("gpt2", n_positions=LIMIT)


@pytest.fixture(scope="module")
def model(folder: Path) -> TorchModel:
    found = load(f"hf:{folder}")
    assert isinstance(found, TorchModel)
    return found


@pytest.fixture(scope="module")
def reference(folder: Path) -> tuple[Any, Any]:
    return (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval(),
    )


LONG = {
    "a passage": lambda texts: Text(" ".join(texts[:30])),
    "after a context": lambda texts: Text(" ".join(texts[4:20]), " ".join(texts[:4]) + " "),
    "after a longer context": lambda texts: Text("Go now.", " ".join(texts[:20]) + " "),
    "lines": lambda texts: Text("\n".join(texts[:12])),
    "one endless word": lambda texts: Text("x" * 90 + " " + texts[0]),
    "no spaces at all": lambda texts: Text("今日はとても良い天気ですね" * 4),
}


@pytest.mark.parametrize("stride", [None, 5, LIMIT - 1])
@pytest.mark.parametrize("case", LONG)
def test_windows_cover_a_text_with_the_tokens_of_the_whole(
    case: str, stride: int | None, model: TorchModel, texts: list[str]
) -> None:
    text = LONG[case](texts)
    (whole,) = model.encode([Text(text.context + text.text)])
    own = model.encode([text])[0]
    assert len(whole.ids) > LIMIT
    windows = cut_windows(text, model.encode, LIMIT, stride)
    assert "".join(w.text.text for w in windows) == text.text
    at = len(whole.ids) - len(own.starts)
    for number, window in enumerate(windows):
        (code,) = model.encode([window.text])
        mine = len(code.starts)
        assert len(code.ids) <= LIMIT
        assert code.ids[1:] == whole.ids[at + mine - len(code.ids) + 1 : at + mine]
        assert text.text[window.start :].startswith(window.text.text)
        if number:  # every token but those of the first window follows enough others
            assert mine <= (stride or LIMIT // 2)
        at += mine
    assert at == len(whole.ids)


def test_scores_are_those_of_a_naive_sliding_window(
    folder: Path, reference: tuple[Any, Any], texts: list[str]
) -> None:
    """Token by token: cut the ids of the whole text by hand and run the plain model on them."""
    tokenizer, network = reference
    text, stride = " ".join(texts[:24]), 10
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    found = score_long_texts(
        parse_model(f"hf:{folder}"), [Text(text)], ScoreStore(), LongOptions(stride)
    )
    scores = found.scores[Text(text)]
    assert len(scores) == len(ids)
    assert found.windows == {Text(text): len(cut_windows(Text(text), _encode(folder), LIMIT, 10))}
    bos = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    begins = {at for at, start in enumerate(scores.starts) if text[start].isspace() or not start}
    at = 0
    while at < len(ids):
        end = min(max(at + stride, LIMIT - 1), len(ids))
        end = max(b for b in (*begins, len(ids)) if b <= end)
        begin = max(0, end - LIMIT + 1)
        begin = min(b for b in begins if b >= begin)
        with torch.no_grad():
            read = torch.tensor([[bos, *ids[begin:end]]])
            logps = network(read).logits[0, :-1].log_softmax(-1)
        wanted = logps.gather(1, read[0, 1:, None])[at - begin :, 0].tolist()
        assert list(scores.logps[at:end]) == pytest.approx(wanted, abs=1e-4)
        at = end


def _encode(folder: Path) -> Callable[..., Any]:
    found = load(f"hf:{folder}")
    assert isinstance(found, TorchModel)
    return found.encode


def test_a_text_that_fits_is_one_window_and_the_same_scores(
    folder: Path, model: TorchModel, texts: list[str]
) -> None:
    from priscian.scoring import score_texts

    assert [w.text for w in cut_windows(Text(texts[0]), model.encode, LIMIT)] == [Text(texts[0])]
    asked = [Text(t) for t in texts[:5]]
    plain = score_texts(f"hf:{folder}", asked, ScoreStore()).scores
    found = score_long_texts(parse_model(f"hf:{folder}"), asked, ScoreStore(), LongOptions())
    assert found.scores == plain
    assert found.windows == {}


def test_a_masked_model_reads_its_windows_between_special_tokens(
    masked: Callable[..., Path], texts: list[str]
) -> None:
    model = load(f"mlm:{masked()}")
    assert isinstance(model, TorchModel)
    text = Text(" ".join(texts[:9]))
    windows = cut_windows(text, model.encode, LIMIT)
    assert len(windows) > 2
    assert "".join(w.text.text for w in windows) == text.text
    assert all(len(model.encode([w.text])[0].ids) <= LIMIT for w in windows)


def test_what_cannot_be_cut_is_refused(model: TorchModel, texts: list[str]) -> None:
    long = Text(" ".join(texts[:9]))
    with pytest.raises(UsageError, match="a stride of 32 tokens does not fit; give 1 to 31"):
        cut_windows(long, model.encode, LIMIT, LIMIT)
    with pytest.raises(TooLongError, match="the model reads 2 tokens, too few for"):
        cut_windows(long, model.encode, 2)
