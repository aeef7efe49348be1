"""Trees that an ON-LSTM has found by itself, from how much each word makes it forget.

The distance of a word is 1 − mean f̃ of a layer; sentences are split where it is largest. The
score is unlabelled F1 against real trees, without punctuation, as a mean over sentences (Shen et
al. 2019, who use the second layer).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Annotated, Any

import numpy as np

from priscian.analysis.registry import analysis
from priscian.analysis.result import AnalysisResult, Table
from priscian.errors import DataError, UsageError, WrongKindError
from priscian.files import HIDDEN
from priscian.models.lstm import FolderModel, NumpyLstm, OrderedCells
from priscian.models.registry import parse_model
from priscian.models.resolved import load
from priscian.models.vocabulary import BOUNDARY_ID, Coded
from priscian.trees import (
    Bracketing,
    Tree,
    f1,
    leaves,
    random_split,
    read_trees,
    right_branching,
    spans_of,
    split_by_distance,
)
from priscian.trees.spans import Spans
from priscian.trees.tree import is_punctuation

TOGETHER = 256
SEED = 1


class TreeScores(AnalysisResult, frozen=True):
    """Unlabelled F1 of a model's trees, in per cent, and of trees that know nothing."""

    model: str
    layer: int
    f1: float
    right_branching: float
    random_trees: float
    random_distances: float
    sentences: int
    words: int
    """Without punctuation."""
    treebank: Annotated[str, HIDDEN]

    def tables(self) -> list[Table]:
        """The model, then the baselines."""
        rows = (
            (f"{self.model}, layer {self.layer}", f"{self.f1:.1f}"),
            ("right-branching", f"{self.right_branching:.1f}"),
            ("random trees", f"{self.random_trees:.1f}"),
            ("random distances", f"{self.random_distances:.1f}"),
        )
        title = f"Unlabelled F1 on {self.sentences:,} sentences of {self.treebank}"
        return [Table(title, ("trees", "F1"), rows)]


@analysis("trees", "trees that an ON-LSTM has found, against real ones", options={"file": "on"})
def trees(model: str, file: Path | str, *, layer: int = 2, limit: int | None = None) -> TreeScores:
    """Trees that an ON-LSTM has found by itself, against those of a treebank.

    A layer's distance of a word is how much of the memory it forgets; sentences are split where
    the distance is largest. Unlabelled F1 is a mean over sentences of two words or more, without
    punctuation and without spans of one word or of the whole sentence. Baselines are printed too.
    This way of splitting favours right branching, so compare with random distances.

    Examples:
      priscian analyse trees my-onlstm --on gum.txt.xz
      priscian analyse trees my-onlstm --on gum.txt.xz --layer 3 --json

    >>> import priscian
    >>> found = priscian.analyse.trees("my-onlstm", "gum.txt.xz")       # doctest: +SKIP
    >>> found.f1 - found.random_distances                               # doctest: +SKIP
    12.3

    Parameters
    ----------
    model
        An ON-LSTM of priscian train on-lstm.
    file
        Trees in the brackets of the Penn Treebank; plain, .gz or .xz.
    layer
        Whose distances to use, counted from 1.
    limit
        Only the first trees of the file.
    """
    file = Path(file)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} trees leaves nothing; give 1 or more")
    spec = parse_model(model)
    loaded = load(spec)
    network = loaded.network if isinstance(loaded, FolderModel) else None
    cells = network.cells if network is not None else []
    if network is None or not cells or not isinstance(cells[0], OrderedCells):
        raise WrongKindError(f"{spec} is not an ON-LSTM, which alone has distances of words")
    if not 1 <= layer <= len(cells):
        raise UsageError(f"{spec} has layers 1 to {len(cells)}, not {layer}")
    assert isinstance(loaded, FolderModel)
    found = [t for t in islice(read_trees(file), limit) if spans_of(t).words > 1]
    if not found:
        raise DataError(f"{file}: no tree has two words; give trees of sentences")
    guesses = _guesses(loaded, network, found, layer)
    gold = [spans_of(tree) for tree in found]
    random = Random(SEED)
    baselines: tuple[Callable[[Bracketing], Spans], ...] = (
        lambda own: right_branching(own.words),
        lambda own: random_split(own.words, random),
        lambda own: split_by_distance([random.random() for _ in range(own.words)]),
    )
    right, trees_at_random, by_chance = (
        mean_f1(gold, [guess(own) for own in gold]) for guess in baselines
    )
    return TreeScores(
        model=spec.label,
        layer=layer,
        f1=mean_f1(gold, guesses),
        right_branching=right,
        random_trees=trees_at_random,
        random_distances=by_chance,
        sentences=len(gold),
        words=sum(own.words for own in gold),
        treebank=file.name,
    )


def mean_f1(gold: Sequence[Bracketing], guesses: Sequence[Spans]) -> float:
    """Unlabelled F1 in per cent, as a mean over sentences."""
    return 100 * fmean(f1(own.spans, guess) for own, guess in zip(gold, guesses, strict=True))


def _guesses(
    model: FolderModel, network: NumpyLstm, trees: Sequence[Tree], layer: int
) -> list[Spans]:
    coded: list[Coded] = []
    firsts: list[list[int]] = []  # of each word but punctuation, its first token
    for tree in trees:
        text, starts = "", []
        for word in leaves(tree):
            text += " " if text else ""
            if not is_punctuation(word):
                starts.append(len(text))
            text += word
        found = model.vocabulary.encode(text)
        coded.append(found)
        ends = np.array(found.ends)
        firsts.append(np.searchsorted(ends, starts, side="right").tolist())
    found_distances = word_distances(network, [c.ids for c in coded], layer)
    return [
        split_by_distance([float(values[min(at, len(values) - 1)]) for at in first])
        for values, first in zip(found_distances, firsts, strict=True)
    ]


def word_distances(
    network: NumpyLstm, sequences: Sequence[Sequence[int]], layer: int
) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
    """The distance of every token of every sequence at a layer, counted from 1."""
    results: list[Any] = [np.empty(0, "f4")] * len(sequences)
    order = sorted(range(len(sequences)), key=lambda n: len(sequences[n]))
    for at in range(0, len(order), TOGETHER):
        group = order[at : at + TOGETHER]  # of about one length
        ids = np.zeros((len(group), 1 + max(len(sequences[n]) for n in group)), np.int64)
        for row, number in enumerate(group):
            ids[row, 1 : 1 + len(sequences[number])] = sequences[number]
        ids[:, 0] = BOUNDARY_ID
        states = [
            (np.zeros((len(group), c.hidden), "f4"), np.zeros((len(group), c.hidden), "f4"))
            for c in network.cells[:layer]
        ]
        found = np.empty(ids.shape, "f4")
        for depth in range(ids.shape[1]):
            given = network.softmax.embed(ids[:, depth])
            for number, cells in enumerate(network.cells[:layer]):
                assert isinstance(cells, OrderedCells)
                given, cell, distance = cells.measured_step(given, *states[number])
                states[number] = (given, cell)
            found[:, depth] = distance
        for row, number in enumerate(group):
            results[number] = found[row, 1 : 1 + len(sequences[number])]
    return results
