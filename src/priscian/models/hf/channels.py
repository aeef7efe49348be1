"""Quantities of a position besides a token's log-probability: mass of a set, entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor

    from priscian.models.hf.head import Head


class Extra(Protocol):
    """What is computed for each query besides its log-probability."""

    def of_head(
        self, head: Head, states: Tensor, which: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]: ...

    def of_logprobs(self, values: Tensor) -> Tensor: ...


@dataclass(frozen=True, slots=True)
class Mass:
    """The log of the probability of a set of tokens."""

    members: Tensor  # (vocab,) 1 or 0

    def of_head(
        self, head: Head, states: Tensor, which: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]:
        return head.logprobs_and_mass(states, which, targets, self.members)

    def of_logprobs(self, values: Tensor) -> Tensor:
        return values[:, self.members > 0].logsumexp(-1)


class Entropy:
    """The entropy of the next token."""

    def of_head(
        self, head: Head, states: Tensor, which: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]:
        return head.logprobs_and_entropy(states, which, targets)

    def of_logprobs(self, values: Tensor) -> Tensor:
        return -(values.exp() * values.clamp_min(-1e30)).sum(-1)
