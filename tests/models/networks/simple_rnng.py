"""The grammar's equations, one action at a time, with Python lists and no batch: a reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from priscian.models.networks.rnng import Rnng
from priscian.models.rnng import Beam


@dataclass(frozen=True)
class Node:
    """An element of the stack: its vector, the LSTM's state on top of it, a label if open."""

    vector: Tensor
    state: list[tuple[Tensor, Tensor]]
    label: int | None = None


@dataclass(frozen=True)
class Partial:
    """A tree that is being built."""

    stack: tuple[Node, ...]
    acted: list[tuple[Tensor, Tensor]]
    spoken: list[tuple[Tensor, Tensor]]
    run: int = 0
    words: tuple[int, ...] = ()
    done: bool = False

    @property
    def opened(self) -> int:
        return sum(node.label is not None for node in self.stack)


class SimpleRnng:
    """Reads a network's weights and follows the equations with loops."""

    def __init__(self, network: Rnng) -> None:
        self.network, self.shape = network.eval(), network.shape

    def lstm(self, cells, x, state):  # type: ignore[no-untyped-def]
        after = []
        for weight, bias, (h, c) in zip(cells.weights, cells.biases, state, strict=True):
            gates = weight @ torch.cat([x, h]) + bias
            n = cells.hidden
            i, f, o = (torch.sigmoid(gates[k * n : (k + 1) * n]) for k in (0, 1, 3))
            c = f * c + i * torch.tanh(gates[2 * n : 3 * n])
            x = o * torch.tanh(c)
            after.append((x, c))
        return after

    def zero(self, cells):  # type: ignore[no-untyped-def]
        return [(cells.biases[0].new_zeros(cells.hidden),) * 2] * cells.layers

    def start(self) -> Partial:
        net = self.network
        guard = self.lstm(net.stack, net.guard, self.zero(net.stack))
        full = self.shape.history == "full"
        acted, spoken = (
            self.zero(getattr(net, name)) if full else [] for name in ("past_actions", "past_words")
        )
        return Partial((Node(net.guard, guard),), acted, spoken)

    def word_vector(self, word: int) -> Tensor:
        return self.network.words.embed(torch.tensor([word]))[0]

    def compose(self, label: int, children: list[Tensor]) -> Tensor:
        module = self.network.compose
        ends = []
        for cells, given in (
            (module.forward_cells, children),
            (module.backward_cells, children[::-1]),
        ):
            state = self.zero(cells)
            for x in (self.network.labels[label], *given):
                state = self.lstm(cells, x, state)
            ends.append(state[-1][0])
        return torch.relu(module.out.weight @ torch.cat(ends) + module.out.bias)

    def features(self, partial: Partial) -> Tensor:
        seen = [partial.stack[-1].state[-1][0]]
        if self.shape.history == "full":
            seen += [partial.acted[-1][0], partial.spoken[-1][0]]
        decide = self.network.decide
        return torch.relu(decide.weight @ torch.cat(seen) + decide.bias)

    def valid(self, partial: Partial) -> list[int]:
        opened = partial.opened
        kinds = []
        if opened and not partial.run:
            kinds.append(0)
        if opened:
            kinds.append(1)
        if opened < self.shape.most_open and partial.run < self.shape.most_opening:
            kinds += range(2, 2 + len(self.shape.labels))
        return kinds

    def kinds(self, partial: Partial) -> tuple[list[int], Tensor]:
        kinds = self.valid(partial)
        logits = self.network.act.weight @ self.features(partial) + self.network.act.bias
        return kinds, torch.log_softmax(logits[kinds], 0)

    def kind_logprobs(self, partial: Partial) -> dict[int, float]:
        kinds, values = self.kinds(partial)
        return dict(zip(kinds, values.tolist(), strict=True))

    def word_logprob(self, partial: Partial, word: int) -> float:
        u = self.features(partial)[None]
        return float(self.network.word_logprobs(u, torch.tensor([word]))[0])

    def push(self, partial: Partial, kind: int, word: int = -1) -> Partial:
        """After one action."""
        net, stack = self.network, list(partial.stack)
        label = None
        words, spoken, acted = partial.words, partial.spoken, partial.acted
        if kind == 0:
            children: list[Tensor] = []
            while stack[-1].label is None:
                children.insert(0, stack.pop().vector)
            x = self.compose(stack.pop().label, children)  # type: ignore[arg-type]
        elif kind == 1:
            x = self.word_vector(word)
            words = (*words, word)
            if spoken:
                spoken = self.lstm(net.past_words, x, spoken)
        else:
            label = kind - 2
            x = net.labels[label]
        if acted:
            acted = self.lstm(net.past_actions, net.actions[kind], acted)
        stack.append(Node(x, self.lstm(net.stack, x, stack[-1].state), label))
        run = partial.run + 1 if kind >= 2 else 0
        done = kind == 0 and not any(node.label is not None for node in stack)
        return Partial(tuple(stack), acted, spoken, run, words, done)

    def nats(self, kinds: list[int], words: list[int]) -> Tensor:
        """Surprisal of a whole tree: the sum over its actions."""
        partial, total, ahead = self.start(), torch.zeros(()), iter(words)
        for kind in kinds:
            valid, values = self.kinds(partial)
            total = total - values[valid.index(kind)]
            word = -1
            if kind == 1:
                word = next(ahead)
                u = self.features(partial)[None]
                total = total - self.network.word_logprobs(u, torch.tensor([word]))[0]
            partial = self.push(partial, kind, word)
        assert partial.done
        return total

    @torch.no_grad()
    def logprob(self, kinds: list[int], words: list[int]) -> float:
        """Of a whole tree."""
        return -float(self.nats(kinds, words))

    @torch.no_grad()
    def read(self, words: Sequence[int], beam: Beam, *, drop: bool = True) -> list[float]:
        """Log-probability of each word by beam search, one hypothesis at a time.

        With `drop`, those that can no longer be among the best do not go on.
        """
        live, found, before = [(self.start(), 0.0)], [], 0.0
        for word in words:
            shifted: list[tuple[float, int, Partial]] = []
            while live:
                after = []
                for partial, logp in live:
                    for kind, value in self.kind_logprobs(partial).items():
                        if kind == 0 and partial.opened == 1:
                            continue
                        more = self.word_logprob(partial, word) if kind == 1 else 0.0
                        after.append((logp + value + more, kind, partial))
                after.sort(key=lambda one: -one[0])
                best, others = after[: beam.actions], after[beam.actions :]
                shifted += [one for one in best if one[1] == 1]
                shifted += [one for one in others if one[1] == 1][: beam.fast]
                if len(shifted) >= beam.actions:
                    break
                waiting = sorted((s for s, _, _ in shifted), reverse=True)
                enough = drop and len(waiting) >= beam.words
                least = waiting[beam.words - 1] if enough else -math.inf
                going = [one for one in best if one[1] != 1 and one[0] > least]
                live = [(self.push(partial, kind), s) for s, kind, partial in going]
            shifted.sort(key=lambda one: -one[0])
            live = [(self.push(p, 1, word), s) for s, _, p in shifted[: beam.words]]
            mass = float(
                torch.logsumexp(torch.tensor([s for _, s in live], dtype=torch.float64), 0)
            )
            found.append(mass - before)
            before = mass
        return found

    @torch.no_grad()
    def analyses(
        self, words: tuple[int, ...], partial: Partial | None = None, logp: float = 0.0
    ) -> Iterator[tuple[Partial, float]]:
        """Every way to have just shifted the last of these words, with its log-probability."""
        partial = partial or self.start()
        if len(partial.words) == len(words):
            yield partial, logp
            return
        if partial.done:
            return
        for kind, value in self.kind_logprobs(partial).items():
            word = words[len(partial.words)] if kind == 1 else -1
            more = self.word_logprob(partial, word) if kind == 1 else 0.0
            yield from self.analyses(words, self.push(partial, kind, word), logp + value + more)

    @torch.no_grad()
    def finish(self, partial: Partial) -> float:
        """Log-probability of closing everything now."""
        total = 0.0
        while not partial.done:
            total += self.kind_logprobs(partial)[0]
            partial = self.push(partial, 0)
        return total
