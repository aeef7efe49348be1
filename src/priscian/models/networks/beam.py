"""Word-synchronous beam search (Stern et al. 2017): the probability of every beginning of a text.

Between two words, hypotheses take actions until they shift the next word. Of all successors the
best `actions` go on; those that shifted wait for the next word, and the `fast` best shifts outside
them join these. When `actions` have shifted, or none is left that may come to be among the best
`words`, these go on to the next word: no action makes a hypothesis more probable, so one below the
best `words` that wait is dropped. The sum of their probabilities is that of the words so far, and a
word's surprisal is the difference of two such sums, which is never negative. No action knows how
long a text is: those that close the whole tree before the last word are dropped, so texts share
what they have in common.

A hypothesis is a tree that is being built, named by the cell on top of its stack. Every action puts
one cell on the stack. A cell knows the one below it, so hypotheses that begin alike share their
stacks, and nothing is copied when one of them goes several ways. Vectors are in a separate table: a
constituent that several hypotheses close at once is composed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from priscian.errors import ScoreError
from priscian.models.networks.actions import OPENING, REDUCING, SHIFTING, valid_kinds
from priscian.models.networks.rnng import Rnng

if TYPE_CHECKING:
    from priscian.models.rnng import Beam

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
FACTS = ("below", "vector", "label", "opened", "run", "trace")
"""Of each cell: the one below it, its vector, its label if it is open (else −1), constituents that
are open, NT actions just before, and its place in the record of actions."""
BEGINNING = -1
"""The trace of a hypothesis that has done nothing."""

ROUNDING = 1e-3
"""Nats by which probabilities in float32 may sum to more than 1."""
TOGETHER = 32
"""Texts that advance together; more would need more memory and be no faster."""


class _Table:
    """Rows of numbers that become more and fewer."""

    def __init__(self, width: int, like: Tensor) -> None:
        self.rows = like.new_zeros(1024, width)
        self.used = 0

    def add(self, values: Tensor) -> Ints:
        """The places of new rows: (n, width) → (n,)."""
        first, self.used = self.used, self.used + len(values)
        if self.used > len(self.rows):
            wanted = max(self.used, 2 * len(self.rows)) - len(self.rows)
            self.rows = torch.cat([self.rows, self.rows.new_zeros(wanted, self.rows.shape[1])])
        self.rows[first : self.used] = values
        return np.arange(first, self.used)

    def keep(self, kept: Ints) -> Ints:
        """Forget all other rows: the new places of all rows, 0 of those forgotten."""
        number = np.zeros(self.used, np.int64)
        number[kept] = np.arange(len(kept))
        self.rows[: len(kept)] = self.rows[torch.from_numpy(kept)]
        self.used = len(kept)
        return number


class Hypotheses:
    """Cells with their states, vectors, and a record of all actions."""

    def __init__(self, network: Rnng) -> None:
        self.network = network
        shape = network.shape
        full = shape.history == "full"
        past = [network.past_actions.size, network.past_words.size] if full else [0, 0]
        ends = np.cumsum([network.stack.size, *past]).tolist()
        self._parts = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
        self.vectors = _Table(shape.embedding, network.guard)
        self.cells = _Table(ends[-1], network.guard)
        self.facts: dict[str, Ints] = {name: np.zeros(1024, np.int64) for name in FACTS}
        guard = network.guard[None]
        self.vectors.add(torch.cat([guard, network.labels]))  # the guard is 0, label l is 1 + l
        start = network.stack.step(guard, network.stack.start(1))
        self.cells.add(torch.cat([start, start.new_zeros(1, sum(past))], 1))
        self.facts["label"][0], self.facts["trace"][0] = 0, BEGINNING  # a reduction stops here
        self.previous: list[Ints] = []
        self.acted: list[Ints] = []
        self.traces = 0

    # ------------------------------------------------------------ decisions

    def features(self, cells: Ints) -> Tensor:
        """u of hypotheses: (n, width)."""
        network, index = self.network, torch.from_numpy(cells)
        seen = [network.stack.top(self._get("stack", index))]
        if network.shape.history == "full":
            seen.append(network.past_actions.top(self._get("actions", index)))
            seen.append(network.past_words.top(self._get("words", index)))
        return network.features(torch.cat(seen, 1))

    def action_logprobs(self, cells: Ints, u: Tensor) -> Floats:
        """Of each valid kind; −∞ elsewhere: (n, kinds)."""
        opened, run = (torch.from_numpy(self.facts[name][cells]) for name in ("opened", "run"))
        valid = valid_kinds(opened, run, self.network.shape)
        found: Floats = self.network.action_logprobs(u, valid).double().numpy()
        return found

    # ------------------------------------------------------------ actions

    def open(self, cells: Ints, labels: Ints) -> Ints:
        """NT: the hypotheses after it."""
        new = self._push(cells, cells, labels + 1, labels + OPENING)
        self.facts["label"][new] = labels
        self.facts["opened"][new] = self.facts["opened"][cells] + 1
        self.facts["run"][new] = self.facts["run"][cells] + 1
        return new

    def shift(self, cells: Ints, words: Ints) -> Ints:
        """SHIFT of a word each: the hypotheses after it."""
        different, which = np.unique(words, return_inverse=True)
        vectors = self.vectors.add(self.network.words.embed(torch.from_numpy(different)))
        new = self._push(cells, cells, vectors[which], np.full(len(cells), SHIFTING))
        self.facts["opened"][new] = self.facts["opened"][cells]
        return new

    def reduce(self, cells: Ints) -> Ints:
        """REDUCE: the hypotheses after it."""
        children, counts, opens = self._children(cells)
        parts = np.where(children > 0, self.facts["vector"][children], 0)
        known = np.column_stack([-counts, self.facts["label"][opens], parts])
        different, which = np.unique(known, axis=0, return_inverse=True)  # most children first
        counts, labels, parts = -different[:, 0], different[:, 1], different[:, 2:]
        vectors = self.vectors.rows[torch.from_numpy(parts.reshape(-1))]
        made = self.network.compose(
            self.network.labels[torch.from_numpy(labels)],
            vectors.view(*parts.shape, -1),  # (n, most, width)
            torch.from_numpy(counts),
        )
        below = self.facts["below"][opens]
        vector = self.vectors.add(made)[which.reshape(-1)]
        new = self._push(cells, below, vector, np.full(len(cells), REDUCING))
        self.facts["opened"][new] = self.facts["opened"][cells] - 1
        return new

    def _children(self, cells: Ints) -> tuple[Ints, Ints, Ints]:
        """Children of what is open on top, from left to right; their number; the open cell."""
        label, below = self.facts["label"], self.facts["below"]
        columns: list[Ints] = []
        at = cells.copy()
        counts = np.zeros(len(cells), np.int64)
        while len(going := np.flatnonzero(label[at] < 0)):
            column = np.zeros(len(cells), np.int64)
            column[going] = at[going]
            columns.append(column)
            counts[going] += 1
            at[going] = below[at[going]]
        backwards = np.stack(columns, 1)  # (n, most), the last child first
        places = np.clip(counts[:, None] - 1 - np.arange(len(columns)), 0, None)
        return np.take_along_axis(backwards, places, 1), counts, at

    def _push(self, cells: Ints, below: Ints, vectors: Ints, kinds: Ints) -> Ints:
        network, count = self.network, len(cells)
        (some, of_vector), (under, of_below) = map(_different, (vectors, below))
        states = [
            network.stack.step_shared(
                self.vectors.rows[some], of_vector, self._get("stack", under), of_below
            )
        ]
        if network.shape.history == "full" and count:
            index = torch.from_numpy(cells)
            acted = network.actions[torch.from_numpy(kinds)]
            spoken = self._get("words", index)
            if kinds[0] == SHIFTING:  # all actions of a call are of one kind
                heard = self.vectors.rows[torch.from_numpy(vectors)]
                spoken = network.past_words.step(heard, spoken)
            states += [network.past_actions.step(acted, self._get("actions", index)), spoken]
        new = self.cells.add(torch.cat(states, 1))
        room = len(self.cells.rows) - len(self.facts["below"])
        if room:
            for name in FACTS:
                self.facts[name] = np.concatenate([self.facts[name], np.zeros(room, np.int64)])
        self.facts["below"][new] = below
        self.facts["vector"][new] = vectors
        self.facts["label"][new] = -1
        self.facts["run"][new] = 0
        self.facts["trace"][new] = np.arange(self.traces, self.traces + count)
        self.previous.append(self.facts["trace"][cells])
        self.acted.append(kinds)
        self.traces += count
        return new

    # ------------------------------------------------------------ memory

    def keep(self, cells: Ints) -> Ints:
        """Forget all cells that these hypotheses do not stand on; their new numbers."""
        alive = np.zeros(self.cells.used, np.bool_)
        alive[0] = True
        ahead = np.unique(cells)
        while len(ahead := ahead[~alive[ahead]]):
            alive[ahead] = True
            ahead = np.unique(self.facts["below"][ahead])
        kept = np.flatnonzero(alive)
        number = self.cells.keep(kept)
        lasting = np.arange(1 + len(self.network.shape.labels))
        vectors = self.vectors.keep(np.union1d(lasting, self.facts["vector"][kept]))
        renumbered = {"below": number, "vector": vectors}
        for name in FACTS:
            values = self.facts[name][kept]
            self.facts[name][: len(kept)] = (
                renumbered[name][values] if name in renumbered else values
            )
        return number[cells]

    def actions_of(self, cell: int) -> list[int]:
        """The kinds of all actions of a hypothesis, from the first."""
        previous = np.concatenate([np.empty(0, np.int64), *self.previous])
        acted = np.concatenate([np.empty(0, np.int64), *self.acted])
        self.previous, self.acted = [previous], [acted]
        found: list[int] = []
        at = int(self.facts["trace"][cell])
        while at != BEGINNING:
            found.append(int(acted[at]))
            at = int(previous[at])
        return found[::-1]

    def _get(self, name: str, index: Tensor) -> Tensor:
        part = self._parts[("stack", "actions", "words").index(name)]
        return self.cells.rows[:, part].index_select(0, index)


def _different(numbers: Ints) -> tuple[Tensor, Tensor]:
    """Different numbers, and where each number stands among them."""
    found, which = np.unique(numbers, return_inverse=True)
    return torch.from_numpy(found), torch.from_numpy(which)


@dataclass(frozen=True, slots=True)
class BeamReading:
    """What a search says about a text."""

    logps: tuple[float, ...]  # of each word
    end: float  # log-probability that the text ends here
    actions: tuple[int, ...]
    """Kinds of the actions of the best tree."""


def read_texts(network: Rnng, texts: Sequence[Sequence[int]], beam: Beam) -> list[BeamReading]:
    """Search for all texts, each a sequence of word numbers from 0, in the order given."""
    order = sorted(range(len(texts)), key=lambda number: list(texts[number]))
    found: dict[int, BeamReading] = {}
    with torch.inference_mode():
        for at in range(0, len(order), TOGETHER):
            group = order[at : at + TOGETHER]
            readings = _Group(network, [tuple(texts[n]) for n in group], beam).read()
            found |= dict(zip(group, readings, strict=True))
    return [found[number] for number in range(len(texts))]


@dataclass(slots=True)
class _Live:
    """Hypotheses with their log-probabilities, each in one of several beams, in their order."""

    cells: Ints
    beams: Ints
    logps: Floats

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

    def read(self) -> list[BeamReading]:
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
        return [BeamReading(tuple(logps[n]), *done[n]) for n in range(len(texts))]

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
