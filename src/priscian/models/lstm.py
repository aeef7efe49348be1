"""`lstm:` — recurrent models that `priscian train` has made; they run on NumPy alone.

A folder (`config.json`, `model.safetensors`, a vocabulary) holds an LSTM or an ON-LSTM; a single
file `.plstm` is the older form, which the embedded model has.

All texts advance together, one token a step; at each depth there is one state for every different
beginning, so nothing is padded and nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import shown
from priscian.models.fingerprint import hash_file
from priscian.models.folder import (
    BOUNDARIES,
    BoundaryPolicy,
    FolderProvider,
    FolderScores,
    model_folder,
    read_config,
)
from priscian.models.plstm import Floats32, read_model
from priscian.models.protocol import Traits
from priscian.models.safetensors_file import read_safetensors
from priscian.models.spec import ModelKey, ModelSpec, files_beside
from priscian.models.text_offsets import own_tokens
from priscian.records import Text, TokenScores
from priscian.threads import one_thread_each

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ask = Callable[[Floats32, Ints, Ints], npt.NDArray[Any]]
"""From states, and of each branch its state and its token, to one value for each branch."""
TOGETHER = 512
"""Texts that advance together: enough for the matrix products, little enough for the cache."""
BOUNDARY_ID = 0
FILE_OPTIONS = frozenset({"name"})


class LstmCells:
    """One LSTM layer (Hochreiter & Schmidhuber 1997), gates in the order i, f, g, o."""

    def __init__(self, weights: Mapping[str, Floats32], layer: int) -> None:
        inward = weights[f"lstm.weight_ih_l{layer}"]
        onward = weights[f"lstm.weight_hh_l{layer}"]
        bias = weights[f"lstm.bias_ih_l{layer}"] + weights[f"lstm.bias_hh_l{layer}"]
        self.hidden = onward.shape[1]
        matrix = np.concatenate([inward, onward], axis=1).T  # (input + hidden, 4 * hidden)
        # sigmoid(x) = (1 + tanh(x / 2)) / 2: with i, f and o halved, one tanh does for all gates.
        half = np.full(4 * self.hidden, 0.5, dtype=np.float32)
        half[2 * self.hidden : 3 * self.hidden] = 1.0
        self.matrix = np.ascontiguousarray(matrix * half)
        self.bias = bias * half

    def step(self, given: Floats32, hidden: Floats32, cell: Floats32) -> tuple[Floats32, Floats32]:
        """The next hidden state and cell: all (states, hidden)."""
        gates = np.concatenate([given, hidden], axis=1) @ self.matrix
        gates += self.bias
        np.tanh(gates, out=gates)
        size = self.hidden
        for at in (0, 1, 3):
            gate = gates[:, at * size : (at + 1) * size]
            gate += 1.0
            gate *= 0.5
        opened, kept, new, shown = (gates[:, at * size : (at + 1) * size] for at in range(4))
        cell = kept * cell
        cell += opened * new
        return shown * np.tanh(cell), cell


class OrderedCells:
    """One ordered-neurons layer (Shen et al. 2019), gates in the order z₁, z₂, o, g, i, f.

    The equations are those of `models/networks/on_lstm.py`.
    """

    def __init__(self, weights: Mapping[str, Floats32], layer: int, keep: float) -> None:
        inward = weights[f"layers.{layer}.input_weight"]
        onward = weights[f"layers.{layer}.hidden_weight"] * np.float32(keep)
        self.bias = weights[f"layers.{layer}.bias"]
        self.hidden = onward.shape[1]
        self.chunks = (len(self.bias) - 4 * self.hidden) // 2
        self.matrix = np.ascontiguousarray(np.concatenate([inward, onward], axis=1).T)

    def step(self, given: Floats32, hidden: Floats32, cell: Floats32) -> tuple[Floats32, Floats32]:
        """The next hidden state and cell: all (states, hidden)."""
        return self.measured_step(given, hidden, cell)[:2]

    def measured_step(
        self, given: Floats32, hidden: Floats32, cell: Floats32
    ) -> tuple[Floats32, Floats32, Floats32]:
        """The next hidden state and cell, and the distance 1 − mean f̃ of each word: (states,)."""
        gates = np.concatenate([given, hidden], axis=1) @ self.matrix
        gates += self.bias
        n, rows = self.chunks, len(gates)
        master_forget = _cumax(gates[:, :n])[:, :, None]
        master_input = 1 - _cumax(gates[:, n : 2 * n])[:, :, None]
        shown, new, write, keep = gates[:, 2 * n :].reshape(rows, 4, n, -1).transpose(1, 0, 2, 3)
        overlap = master_forget * master_input
        kept = _sigmoid(keep) * overlap + (master_forget - overlap)
        opened = _sigmoid(write) * overlap + (master_input - overlap)
        after = kept * cell.reshape(rows, n, -1) + opened * np.tanh(new)
        top = _sigmoid(shown) * np.tanh(after)
        distance: Floats32 = 1 - master_forget[:, :, 0].mean(axis=1)
        return top.reshape(rows, -1), after.reshape(rows, -1), distance


def _cumax(logits: Floats32) -> Floats32:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    total: Floats32 = np.cumsum(raised / raised.sum(axis=1, keepdims=True), axis=1)
    return total


def _sigmoid(x: Floats32) -> Floats32:
    result: Floats32 = np.float32(0.5) * (np.tanh(np.float32(0.5) * x) + np.float32(1))
    return result


class Softmax:
    """The adaptive softmax and the embeddings that are tied to it."""

    def __init__(self, weights: Mapping[str, Floats32]) -> None:
        count = sum(name.startswith("tables.") for name in weights)
        self.tables = [weights[f"tables.{n}"] for n in range(count)]
        self.biases = [weights[f"biases.{n}"] for n in range(count)]
        self.maps = [weights[f"maps.{n}"] for n in range(count - 1)]
        self.ends = np.cumsum([len(table) for table in self.tables])
        self.head = np.ascontiguousarray(np.concatenate([self.tables[0], weights["bands"]]).T)
        self.head_bias = np.concatenate([self.biases[0], weights["band_bias"]])
        if "decoder.weight" in weights:  # the output has a table of its own
            self.head = np.ascontiguousarray(weights["decoder.weight"].T)
            self.head_bias = weights["decoder.bias"]

    def embed(self, ids: Ints) -> Floats32:
        """Embeddings, narrow ones widened: (n,) -> (n, width)."""
        band = np.searchsorted(self.ends, ids, side="right")
        result: Floats32 = self.tables[0][np.where(band == 0, ids, 0)]
        for number, widen in enumerate(self.maps, 1):
            where = np.flatnonzero(band == number)
            if len(where):
                result[where] = self.tables[number][ids[where] - self.ends[number - 1]] @ widen
        result *= np.float32(result.shape[1] ** 0.5)
        return result

    def logprobs(self, states: Floats32, which: Ints, targets: Ints) -> Floats32:
        """log p of targets, each after the state that `which` names."""
        band = np.searchsorted(self.ends, targets, side="right")
        first = np.where(band == 0, targets, self.ends[0] + band - 1)
        logits: Floats32 = states @ self.head
        logits += self.head_bias
        result: Floats32 = logits[which, first] - log_sum(logits)[which]
        for number, widen in enumerate(self.maps, 1):
            where = np.flatnonzero(band == number)
            if not len(where):
                continue
            used, mine = np.unique(which[where], return_inverse=True)
            narrow: Floats32 = states[used] @ widen.T
            inner: Floats32 = narrow @ self.tables[number].T
            inner += self.biases[number]
            picked = inner[mine, targets[where] - self.ends[number - 1]]
            result[where] += picked - log_sum(inner)[mine]
        return result

    def entropies(self, states: Floats32) -> Floats:
        """The entropy after each state: of the head, and of each band by its probability."""
        heads: Floats32 = states @ self.head
        heads += self.head_bias
        shares, result = _entropy(heads)
        for number, widen in enumerate(self.maps, 1):
            narrow: Floats32 = states @ widen.T
            inner: Floats32 = narrow @ self.tables[number].T
            inner += self.biases[number]
            result += shares[:, self.ends[0] + number - 1] * _entropy(inner)[1]
        return result


def _entropy(logits: Floats32) -> tuple[Floats, Floats]:
    """The softmax of each row, and its entropy."""
    logs: Floats = logits.astype(np.float64)
    logs -= log_sum(logits)[:, None]
    shares: Floats = np.exp(logs)
    return shares, -np.einsum("ij,ij->i", shares, logs)


def log_sum(logits: Floats32) -> Floats32:
    """log Σ exp of each row; the logits are used up."""
    most = logits.max(axis=1)
    logits -= most[:, None]
    np.exp(logits, out=logits)
    result: Floats32 = np.log(logits.sum(axis=1)) + most
    return result


class NumpyLstm:
    """Log-probabilities of token sequences, each read from a sentence boundary on."""

    def __init__(self, weights: Mapping[str, Floats32], keep: float = 1.0) -> None:
        """`keep` is the share of recurrent weights that training did not drop (ON-LSTM)."""
        plain = sum(name.startswith("lstm.weight_ih_l") for name in weights)
        ordered = sum(name.endswith(".hidden_weight") for name in weights)
        self.cells: list[LstmCells | OrderedCells] = [LstmCells(weights, n) for n in range(plain)]
        self.cells += [OrderedCells(weights, n, keep) for n in range(ordered)]
        self.softmax = Softmax(weights)
        self.out: Floats32 | None = None
        if "out.weight" in weights:
            self.out = np.ascontiguousarray(weights["out.weight"].T)
            self.out_bias = weights["out.bias"]
        self.vocabulary = int(self.softmax.ends[-1])

    def logprobs(self, sequences: Sequence[Sequence[int]], *, opened: bool = True) -> list[Floats]:
        """log p of every token of every sequence; without an opening boundary NaN for the first."""
        return self._over(sequences, self.softmax.logprobs, opened)

    def entropies(self, sequences: Sequence[Sequence[int]]) -> list[Floats]:
        """Before every token of every sequence, the entropy of what may come next, in nats."""
        return self._over(sequences, lambda top, parents, _: self.softmax.entropies(top)[parents])

    def _over(
        self, sequences: Sequence[Sequence[int]], ask: Ask, opened: bool = True
    ) -> list[Floats]:
        """What is asked of every token of every sequence."""
        results: list[Floats] = [np.empty(0)] * len(sequences)
        order = sorted(range(len(sequences)), key=lambda number: list(sequences[number]))
        groups = [order[at : at + TOGETHER] for at in range(0, len(order), TOGETHER)]
        with one_thread_each() as threads, ThreadPoolExecutor(threads) as pool:
            found = pool.map(
                lambda group: self._together([sequences[n] for n in group], ask, opened), groups
            )
            for group, values in zip(groups, found, strict=True):
                for number, value in zip(group, values, strict=True):
                    results[number] = value
        return results

    def _together(self, sequences: Sequence[Sequence[int]], ask: Ask, opened: bool) -> list[Floats]:
        lengths = np.array([len(sequence) for sequence in sequences])
        ids = np.zeros((len(sequences), int(lengths.max(initial=0))), dtype=np.int64)
        for row, sequence in enumerate(sequences):
            ids[row, : len(sequence)] = sequence
        result = np.full(ids.shape, np.nan)
        first = 0 if opened else 1
        rows = np.flatnonzero(lengths > first)
        # of each different beginning its last token, and of each row the beginning it has read
        begun = np.full(len(rows), BOUNDARY_ID) if opened else ids[rows, 0]
        tokens, node = np.unique(begun, return_inverse=True)
        states = [
            (np.zeros((len(tokens), c.hidden), "f4"), np.zeros((len(tokens), c.hidden), "f4"))
            for c in self.cells
        ]
        for depth in range(first, ids.shape[1]):
            given = self.softmax.embed(tokens)
            for layer, (cells, (h, c)) in enumerate(zip(self.cells, states, strict=True)):
                given, c = cells.step(given, h, c)
                states[layer] = (given, c)
            top = given if self.out is None else given @ self.out + self.out_bias
            branches, back = np.unique(
                node * self.vocabulary + ids[rows, depth], return_inverse=True
            )
            parents, tokens = np.divmod(branches, self.vocabulary)
            result[rows, depth] = ask(top, parents, tokens)[back]
            going = lengths[rows] > depth + 1
            rows = rows[going]
            kept, node = np.unique(back[going], return_inverse=True)
            tokens = tokens[kept]
            states = [(h[parents[kept]], c[parents[kept]]) for h, c in states]
        return [result[row, :length] for row, length in enumerate(lengths)]


class LstmProvider(FolderProvider):
    """Recurrent models from a folder or a file."""

    name = "lstm"
    example = "lstm:DIR"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents: vocabulary and weights."""
        if spec.path.is_dir():
            return super().key(spec)
        return ModelKey(
            {"provider": "lstm", "weights": hash_file(_file(spec)), "method": "recurrent"}
        )

    def load(self, spec: ModelSpec) -> LstmModel | FolderModel:
        """The model, its file verified."""
        if spec.path.is_dir():
            return FolderModel(model_folder(spec), BoundaryPolicy.of(spec))
        return LstmModel(_file(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """Those of a folder; a file has pieces, which know every word."""
        if spec.path.is_dir():
            return super().traits(spec)
        _file(spec)
        return Traits(options=FILE_OPTIONS)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Checkpoint folders inside this one, or files beside it, whose names match."""
        of_folder = spec.path.is_dir()
        return super().revisions(spec, pattern) if of_folder else files_beside(spec, pattern)


def _file(spec: ModelSpec) -> Path:
    if not spec.path.exists():
        raise ModelError(f"no model file {spec.path} (in {spec}); make one: priscian train lstm")
    spec.check_options(FILE_OPTIONS)
    return spec.path


class FolderModel(FolderScores):
    """An LSTM or ON-LSTM from a folder; a text begins after a sentence boundary."""

    def __init__(self, folder: Path, boundaries: BoundaryPolicy = BOUNDARIES) -> None:
        config = read_config(folder, ("lstm", "on-lstm"))
        weights = read_safetensors(folder / "model.safetensors")
        dropped = config.get("drop_connect", 0.0)
        if not isinstance(dropped, int | float) or not 0 <= dropped < 1:
            raise ModelError(
                f"{folder}: drop_connect is {shown(dropped)} in config.json, and it is a share "
                "from 0 to 1; copy it again"
            )
        keep = 1.0 - dropped
        try:
            self.network = NumpyLstm(
                {name.removeprefix("words."): value for name, value in weights.items()}, keep
            )
            # a token of every band: shapes that do not fit are found now
            self.network.logprobs([[int(end) - 1] for end in self.network.softmax.ends])
        except (KeyError, IndexError, ValueError) as error:
            raise ModelError(
                f"{folder}: weights do not make a network ({error}); copy it again"
            ) from None
        super().__init__(folder, str(config["architecture"]), self.network.vocabulary, boundaries)

    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token of every sequence."""
        found = self.network.logprobs(sequences, opened=self.boundaries.bos)
        return [values.tolist() for values in found]


class LstmModel:
    """Sentences token by token, the first one after a sentence boundary."""

    reads_sentences = True

    def __init__(self, path: Path) -> None:
        stored = read_model(path)
        self.pieces = stored.pieces
        self.network = NumpyLstm(stored.weights)
        self.card = dict(stored.card)
        self.notes = {
            "dtype": "float32 (stored as float16)",
            "vocabulary": str(self.network.vocabulary),
            "bos": "<s> (id 0), the boundary of sentences",
        }

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        coded = [self.pieces.encode(text.context + text.text) for text in texts]
        found = self.network.logprobs([ids for ids, _, _ in coded])
        for text, (_, starts, ends), logps in zip(texts, coded, found, strict=True):
            first, own_starts, own_ends = own_tokens(text, list(zip(starts, ends, strict=True)))
            yield TokenScores(own_starts, own_ends, tuple(logps[first:].tolist()))

    def score_entropies(self, texts: Sequence[Text]) -> Iterable[tuple[float, ...]]:
        """Before each token of each text, the entropy of what may come next, in nats."""
        coded = [self.pieces.encode(text.context + text.text) for text in texts]
        found = self.network.entropies([ids for ids, _, _ in coded])
        for text, (_, starts, ends), values in zip(texts, coded, found, strict=True):
            first = own_tokens(text, list(zip(starts, ends, strict=True)))[0]
            yield tuple(values[first:].tolist())
