"""The tiled head gives what a plain log-softmax over the whole vocabulary gives."""

from __future__ import annotations

import pytest
import torch

from priscian.models.hf.head import TILE, Head


def reference(hidden: torch.Tensor, head: Head) -> torch.Tensor:
    logits = hidden.double() @ head.weight.double().T
    if head.bias is not None:
        logits = logits + head.bias.double()
    logits = logits * head.scale
    if head.cap is not None:
        logits = head.cap * torch.tanh(logits / head.cap)
    return logits.log_softmax(-1)


@pytest.mark.parametrize("vocabulary", [1, 7, TILE - 1, TILE, TILE + 1, 3 * TILE + 5])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("scale", "cap"), [(1.0, None), (0.0625, None), (1.0, 5.0), (3.0, 30.0)])
def test_it_equals_log_softmax(
    vocabulary: int, bias: bool, scale: float, cap: float | None
) -> None:
    torch.manual_seed(vocabulary)
    hidden = torch.randn(6, 32)
    head = Head(torch.randn(vocabulary, 32), torch.randn(vocabulary) if bias else None, scale, cap)
    wanted = reference(hidden, head)
    which = torch.arange(6).repeat_interleave(vocabulary)
    targets = torch.arange(vocabulary).repeat(6)
    got = head.logprobs(hidden, which, targets).view(6, vocabulary)
    assert (got - wanted).abs().max() <= 1e-4
    assert got.exp().sum(1) == pytest.approx(torch.ones(6), abs=1e-4)


def test_logits_far_from_zero_do_not_overflow() -> None:
    torch.manual_seed(1)
    hidden, weight = torch.randn(3, 8) * 50, torch.randn(2 * TILE + 3, 8) * 20
    head = Head(weight, None)
    targets = torch.tensor([0, TILE, 2 * TILE + 2])
    got = head.logprobs(hidden, torch.arange(3), targets)
    wanted = reference(hidden, head)[torch.arange(3), targets]
    assert got.isfinite().all()
    assert got == pytest.approx(wanted.float(), rel=1e-5)


def test_queries_may_share_a_position_and_come_in_any_order() -> None:
    torch.manual_seed(2)
    hidden, head = torch.randn(4, 8), Head(torch.randn(50, 8), None)
    which, targets = torch.tensor([3, 0, 3, 3]), torch.tensor([49, 0, 0, 49])
    got = head.logprobs(hidden, which, targets)
    assert got == pytest.approx(reference(hidden, head)[which, targets].float(), abs=1e-5)
    assert got[0] == got[3]


def test_no_question_no_answer() -> None:
    empty = torch.empty(0, dtype=torch.long)
    assert Head(torch.randn(5, 8), None).logprobs(torch.empty(0, 8), empty, empty).shape == (0,)


def test_a_logit_far_above_the_first_tile_does_not_overflow() -> None:
    """The quick sum overflows here, and the careful one takes over."""
    weight = torch.zeros(2500, 4)
    weight[2400, 0] = 300.0
    hidden = torch.tensor([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    which, targets = torch.tensor([0, 1, 1]), torch.tensor([2400, 2400, 0])
    wanted = (hidden @ weight.T).log_softmax(-1)[which, targets]
    assert torch.allclose(Head(weight, None).logprobs(hidden, which, targets), wanted, atol=1e-4)
