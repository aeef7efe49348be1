"""Word-synchronous beam search (Stern et al. 2017): the probability of every beginning of a text.

Between two words, hypotheses take actions until they shift the next word. Of all successors the
best `actions` go on; those that shifted wait for the next word, and the `fast` best shifts outside
them join these. When `actions` have shifted, or none is left that may come to be among the best
`words`, these go on to the next word: no action makes a hypothesis more probable, so one below the
best `words` that wait is dropped. The sum of their probabilities is that of the words so far, and a
word's surprisal is the difference of two such sums, which is never negative. No action knows how
long a text is: those that close the whole tree before the last word are dropped, so texts share
what they have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from priscian.errors import ScoreError
from priscian.models.networks.actions import OPENING, REDUCING, SHIFTING
from priscian.models.networks.rnng import Rnng
from priscian.models.rnng.hypotheses import Floats, Hypotheses, Ints
from priscian.models.rnng.options import Beam

ROUNDING = 1e-3
"""Nats by which probabilities in float32 may sum to more than 1."""
TOGETHER = 32
"""Texts that advance together; more would need more memory and be no faster."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a search says about a text."""

    logps: tuple[float, ...]  # of each word
    end: float  # log-probability that the text ends here
    actions: tuple[int, ...]
    """Kinds of the actions of the best tree."""


def read_texts(network: Rnng, texts: Sequence[Sequence[int]], beam: Beam) -> list[Reading]:
    """Search for all texts, each a sequence of word numbers from 0, in the order given."""
    order = sorted(range(len(texts)), key=lambda number: list(texts[number]))
    found: dict[int, Reading] = {}
    with torch.inference_mode():
        for at in range(0, len(order), TOGETHER):
            group = order[at : at + TOGETHER]
            readings = _Group(network, [tuple(texts[n]) for n in group], beam).read()
            found |= dict(zip(group, readings, strict=True))
    return [found[number] for number in range(len(texts))]


class _Live:
    """Hypotheses with their log-probabilities, each in one of several beams, in their order."""

    __slots__ = ("beams", "cells", "logps")

    def __init__(self, cells: Ints, beams: Ints, logps: Floats) -> None:
        self.cells, self.beams, self.logps = cells, beams, logps

    def of(self, chosen: npt.NDArray[np.bool_] | Ints) -> _Live:
        return _Live(self.cells[chosen], self.beams[chosen], self.logps[chosen])

    def best(self, most: int) -> _Live:
        """The best of each beam."""
        order = np.lexsort((-self.logps, self.beams))
        beams = self.beams[order]
        first = np.searchsorted(beams, beams)
        return self.of(order[np.arange(len(order)) - first < most])

    def joined(self, other: _Live) -> _Live:
        """Both, in no order."""
        return _Live(
            np.concatenate([self.cells, other.cells]),
            np.concatenate([self.beams, other.beams]),
            np.concatenate([self.logps, other.logps]),
        )

    def least(self, beams: int, most: int) -> Floats:
        """The lowest log-probability of each beam that has `most` hypotheses, else −∞."""
        found = np.full(beams, np.inf)
        np.minimum.at(found, self.beams, self.logps)
        found[np.bincount(self.beams, minlength=beams) < most] = -np.inf
        return found

    def sums(self, beams: int) -> Floats:
        """log Σ exp of each beam."""
        most = np.full(beams, -np.inf)
        np.maximum.at(most, self.beams, self.logps)
        total = np.zeros(beams)
        np.add.at(total, self.beams, np.exp(self.logps - most[self.beams]))
        with np.errstate(divide="ignore"):  # a beam without hypotheses has no mass
            found: Floats = most + np.log(total)
        return found


class _Group:
    """Texts that advance together, one word after another; a beam for each beginning."""

    def __init__(self, network: Rnng, texts: Sequence[tuple[int, ...]], beam: Beam) -> None:
        self.texts, self.beam = texts, beam
        self.hypotheses = Hypotheses(network)
        self.network = network

    def read(self) -> list[Reading]:
        """What is found of each text."""
        texts = self.texts
        logps: list[list[float]] = [[] for _ in texts]
        done: dict[int, tuple[float, tuple[int, ...]]] = {}
        where = dict.fromkeys(range(len(texts)), 0)  # of each text, its beam
        live = _Live(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1))
        mass = np.zeros(1)
        for depth in range(max(map(len, texts), default=0) + 1):
            ending = [n for n in where if len(texts[n]) == depth]
            if ending:
                done |= self._end(live, mass, {n: where[n] for n in ending})
            where = {n: at for n, at in where.items() if len(texts[n]) > depth}
            if not where:
                break
            nodes = {(at, texts[n][depth]): 0 for n, at in where.items()}
            nodes = {node: number for number, node in enumerate(nodes)}
            parents, words = (np.array(part) for part in zip(*nodes, strict=True))
            live = self._advance(self._begin(live, parents), words)
            before, mass = mass[parents], live.sums(len(nodes))
            where = {n: nodes[at, texts[n][depth]] for n, at in where.items()}
            for number, at in where.items():
                logps[number].append(shrunk(float(mass[at] - before[at])))
        return [Reading(tuple(logps[n]), *done[n]) for n in range(len(texts))]

    @staticmethod
    def _begin(live: _Live, parents: Ints) -> _Live:
        """Each new beam begins with what its parent has kept."""
        members = [np.flatnonzero(live.beams == parent) for parent in parents]
        chosen = np.concatenate(members)
        beams = np.repeat(np.arange(len(parents)), [len(found) for found in members])
        return _Live(live.cells[chosen], beams, live.logps[chosen])

    def _advance(self, live: _Live, words: Ints) -> _Live:
        """The best hypotheses of each beam that have shifted its word."""
        most = self.beam.words
        waiting = live.of(np.empty(0, np.int64))
        count = np.zeros(len(words), np.int64)
        while len(live.cells):
            scores = self._successors(live, words)
            chosen, fast = self._choose(live, scores)
            which, kinds = np.divmod(chosen, scores.shape[1])
            shifts = np.concatenate([which[kinds == SHIFTING], fast])
            shifted = _Live(live.cells[shifts], live.beams[shifts], scores[shifts, SHIFTING])
            count += np.bincount(shifted.beams, minlength=len(words))
            waiting = waiting.joined(shifted).best(most)
            beams, logps = live.beams[which], scores[which, kinds]
            going = (
                (kinds != SHIFTING)
                & (count[beams] < self.beam.actions)
                & (logps > waiting.least(len(words), most)[beams])
            )
            live = self._act(live, which[going], kinds[going], logps[going])
        cells = self.hypotheses.shift(waiting.cells, words[waiting.beams])
        return _Live(self.hypotheses.keep(cells), waiting.beams, waiting.logps)

    def _successors(self, live: _Live, words: Ints) -> Floats:
        """Log-probabilities after each kind of action: (n, kinds)."""
        hypotheses = self.hypotheses
        u = hypotheses.features(live.cells)
        scores = hypotheses.action_logprobs(live.cells, u) + live.logps[:, None]
        targets = torch.from_numpy(words[live.beams])
        scores[:, SHIFTING] += self.network.word_logprobs(u, targets).double().numpy()
        # the tree may not end before the text does
        scores[hypotheses.facts["opened"][live.cells] == 1, REDUCING] = -np.inf
        return scores

    def _choose(self, live: _Live, scores: Floats) -> tuple[Ints, Ints]:
        """The best successors of each beam, as places in `scores`; shifts that go a fast way."""
        kinds = scores.shape[1]
        sizes = np.bincount(live.beams)
        first = np.concatenate([[0], np.cumsum(sizes)])
        slots = np.arange(len(live.beams)) - first[live.beams]
        table = np.full((len(sizes), sizes.max(), kinds), -np.inf)
        table[live.beams, slots] = scores
        beams, chosen = _best_cells(table.reshape(len(sizes), -1), self.beam.actions)
        places = (first[beams] + chosen // kinds) * kinds + chosen % kinds
        shifts = table[:, :, SHIFTING]
        taken = chosen % kinds == SHIFTING
        shifts[beams[taken], chosen[taken] // kinds] = -np.inf
        beams, slots = _best_cells(shifts, self.beam.fast)
        return places, first[beams] + slots

    def _act(self, live: _Live, which: Ints, kinds: Ints, logps: Floats) -> _Live:
        """Hypotheses after an action that is not SHIFT, in the order of their beams."""
        cells = np.zeros(len(which), np.int64)
        opens = kinds >= OPENING
        parents = live.cells[which]
        if opens.any():
            cells[opens] = self.hypotheses.open(parents[opens], kinds[opens] - OPENING)
        if not opens.all():
            cells[~opens] = self.hypotheses.reduce(parents[~opens])
        return _Live(cells, live.beams[which], logps)

    def _end(
        self, live: _Live, mass: Floats, ending: dict[int, int]
    ) -> dict[int, tuple[float, tuple[int, ...]]]:
        """Close everything: for each text its end's log-probability and the best tree."""
        hypotheses = self.hypotheses
        wanted = np.unique(list(ending.values()))
        chosen = np.isin(live.beams, wanted) & (hypotheses.facts["opened"][live.cells] > 0)
        cells, beams, logps = live.cells[chosen], live.beams[chosen], live.logps[chosen].copy()
        going = np.arange(len(cells))
        while len(going):
            mine = cells[going]
            found = hypotheses.action_logprobs(mine, hypotheses.features(mine))
            logps[going] += found[:, REDUCING]
            cells[going] = hypotheses.reduce(mine)
            going = going[hypotheses.facts["opened"][cells[going]] > 0]
        total = (
            _Live(cells, beams, logps).sums(len(mass))
            if len(cells)
            else np.full(len(mass), -np.inf)
        )
        trees: dict[int, tuple[int, ...]] = {}
        for at in wanted.tolist():
            mine = np.flatnonzero(beams == at)
            if len(mine):
                best = cells[mine[np.argmax(logps[mine])]]
                trees[at] = tuple(hypotheses.actions_of(int(best)))
        return {
            number: (shrunk(float(total[at] - mass[at])), trees.get(at, ()))
            for number, at in ending.items()
        }


def shrunk(difference: float) -> float:
    """A log-probability from two masses, the second of which can be larger only by rounding."""
    if not difference <= ROUNDING:
        raise ScoreError(
            f"a grammar's beam grew by {difference:g} nats; its weights are damaged: copy or train "
            "it again"
        )
    return min(0.0, difference)


def _best_cells(table: Floats, most: int) -> tuple[Ints, Ints]:
    """Rows and columns of each row's best finite cells, by row."""
    count = min(most, table.shape[1])
    if count == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    columns = np.argpartition(-table, count - 1, axis=1)[:, :count]
    columns.sort(axis=1)
    rows = np.repeat(np.arange(len(table)), count)
    flat = columns.reshape(-1)
    finite = np.isfinite(table[rows, flat])
    return rows[finite], flat[finite]
