"""The plan of a run: how texts are batched and by how many workers, fixed once and saved.

Texts are divided into batches by the fastest method that is exact.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from priscian.errors import ModelError, RunError, ScoreError
from priscian.models import (
    Encoding,
    LanguageModel,
    MaskedTorchModel,
    ModelSpec,
    TorchModel,
    WatchedModel,
)
from priscian.models.text_offsets import check_length
from priscian.records import Text
from priscian.scoring.batches import Batching, MaskedRows, PackedTree, Rows, SharedBeginnings
from priscian.scoring.boundary import extend, find_boundary_model
from priscian.scoring.compute import (
    Compute,
    check_encodings,
    refuse_broken,
    simple_batches,
    torch_batches,
)
from priscian.scoring.selfcheck import measure_error, measure_masked_error, tolerance
from priscian.scoring.shard import Shard
from priscian.threads import SHORT, cores
from priscian.workers import can_fork

SIMPLE_BATCH = 2000
WORTH_FORKING = 5000
"""Tokens below which starting workers costs more than it saves."""
CPU_BATCH = 512
MASKED_BATCH = 2048
"""A masked row scores one token: this many rows give the output layer enough work."""
DEVICE_BATCH = 8192
ROW = 128


@dataclass(frozen=True, slots=True)
class Options:
    """How to compute; none of it changes a score by more than 1e-4."""

    batch_tokens: int | None = None
    """Tokens in a batch, or auto (default)."""
    workers: int | None = None
    """Processes on the CPU, or actors of Ray, or auto (default)."""
    way: str | None = None
    threads: int | None = None
    """Threads of each process on the CPU, or auto (default). Last digits may depend on it."""
    shard: Shard | None = None
    """Compute one part of the run, such as 3/8, into --out; priscian merge joins the parts."""
    executor: str | None = None
    """auto (this machine, default), ray (this machine, under Ray) or ray:ADDRESS (a cluster)."""


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides which texts are computed together.

    A resumed run reads its plan back, so it redoes whole batches and ends with the same bits.
    """

    way: str  # tree, cache, rows, single, masked, simple
    batch_tokens: int
    row_tokens: int
    workers: int
    threads: int
    error: float  # largest difference from plain scoring in the self-check
    pending: str  # which of the texts were still to be scored, as a packed bitmap
    digest: str = ""  # of the batches, to detect a plan that no longer fits
    inputs: str = ""  # digest of what the model reads; the same wherever the plan is followed


class Shared:
    """Keeps the encodings and batches of the last tokenizer, for the next model that has it."""

    def __init__(self) -> None:
        self._key = ""
        self._encodings: dict[Text, Encoding] = {}
        self._groups: dict[Batching, tuple[list[Encoding], list[list[int]]]] = {}

    def encode(self, model: TorchModel, texts: Sequence[Text]) -> list[Encoding]:
        """The texts as the model reads them; only new ones are tokenized."""
        key = getattr(model, "encoding_key", None)
        if key is None:
            return model.encode(texts)
        if key != self._key:
            self._key, self._encodings, self._groups = key, {}, {}
        new = [text for text in texts if text not in self._encodings]
        if new:
            self._encodings.update(zip(new, model.encode(new), strict=True))
        return [self._encodings[text] for text in texts]

    def group(self, way: Batching, encodings: list[Encoding]) -> list[list[int]]:
        """Batches of the encodings; those of the same encodings are the same."""
        kept = self._groups.get(way)
        if kept is None or kept[0] != encodings:
            kept = self._groups[way] = (encodings, way.group(encodings))
        return kept[1]


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """The plan of the run that is resumed, if any, and a function that saves the plan in use.

    `shared` has what the models of the run share.
    """

    plan: Plan | None = None
    save: Callable[[Plan], None] = lambda plan: None
    shared: Shared | None = None


NOT_SAVED = SavedPlan()


def digest_of(groups: Sequence[Sequence[int]]) -> str:
    """A short hash of the division into batches."""
    payload = json.dumps([list(g) for g in groups], separators=(",", ":"))
    return hashlib.sha256(payload.encode()).hexdigest()[:16]


def digest_inputs(rows: Iterable[Sequence[int]]) -> str:
    """A short hash of the token ids of every text."""
    found = hashlib.sha256()
    for ids in rows:
        found.update(array("q", (len(ids), *ids)))
    return found.hexdigest()[:16]


def pack_bits(bits: Sequence[bool]) -> str:
    """A list of booleans as a short string."""
    number = bytes(
        sum(1 << k for k, bit in enumerate(bits[at : at + 8]) if bit)
        for at in range(0, len(bits), 8)
    )
    return base64.b64encode(zlib.compress(number)).decode()


def unpack_bits(text: str, count: int) -> list[bool]:
    """The reverse of `pack_bits`."""
    data = zlib.decompress(base64.b64decode(text))
    if len(data) != (count + 7) // 8:
        raise RunError("the saved plan is for another number of texts; start a new run folder")
    return [bool(data[i // 8] >> (i % 8) & 1) for i in range(count)]


@dataclass(frozen=True, slots=True)
class ScoringTask:
    """Texts that one model has to score, and how; those in `boundary` need that channel too."""

    spec: ModelSpec
    texts: Sequence[Text]
    pending: str = ""  # which of the run's texts these are, as a packed bitmap
    boundary: frozenset[Text] = frozenset()
    options: Options = DEFAULTS
    scores_first: bool = True  # False for a model that cannot score a text's first token


@dataclass(frozen=True, slots=True)
class Work:
    """A task divided into batches, and the function that computes one of them."""

    task: ScoringTask
    plan: Plan
    groups: Sequence[Sequence[int]]
    compute: Compute
    device: str = "cpu"

    @property
    def batches(self) -> list[int]:
        """The numbers of the batches that belong to this process: all, or those of its shard."""
        shard = self.task.options.shard
        return [g for g in range(len(self.groups)) if shard is None or shard.has(g)]


def prepare(
    task: ScoringTask,
    model: LanguageModel | TorchModel,
    saved: Plan | None = None,
    shared: Shared | None = None,
) -> Work:
    """Plan a task, or follow a saved plan if it still fits.

    The same task, model and saved plan always give the same batches, in any process.
    """
    if task.boundary:
        find_boundary_model(task.spec, model)
    if isinstance(model, TorchModel):
        return _prepare_torch(task, model, saved, shared or Shared())
    count, size, error = len(task.texts), SIMPLE_BATCH, 0.0
    if isinstance(model, WatchedModel):
        size, error = model.texts_at_once, model.error
    groups = [range(at, min(at + size, count)) for at in range(0, count, size)]
    plan = Plan(
        way="simple",
        batch_tokens=0,
        row_tokens=0,
        workers=1,
        threads=(task.options.threads or 1) if task.options.executor else cores(),
        error=error,
        pending=task.pending,
        digest=digest_of(groups),
        inputs=digest_inputs(text.hash for text in task.texts),
    )
    return Work(
        task,
        plan,
        groups,
        simple_batches(task.spec.label, model, task.texts, groups, task.scores_first),
    )


def _prepare_torch(
    task: ScoringTask, model: TorchModel, saved: Plan | None, shared: Shared
) -> Work:
    encodings = shared.encode(model, task.texts)
    check_length(task.texts, encodings, model.context_length)
    check_encodings(task.spec.label, task.texts, encodings)
    if task.boundary:
        encodings = extend(task.texts, encodings, task.boundary, model.context_length)
    planned = _follow(model, encodings, saved, shared)
    plan, way, groups = planned or _choose(task, model, encodings, shared)
    plan = replace(plan, inputs=digest_inputs(e.ids for e in encodings))
    compute = torch_batches(model, way, task.texts, encodings, groups, task.boundary)
    return Work(task, plan, groups, compute, model.device)


Planned = tuple[Plan, Batching, list[list[int]]]


def _follow(
    model: TorchModel, encodings: list[Encoding], saved: Plan | None, shared: Shared
) -> Planned | None:
    """The saved plan, if it still gives the same batches."""
    if saved is None:
        return None
    _set_threads(saved)
    way = _way(model, saved.way, saved.batch_tokens, saved.row_tokens)
    groups = shared.group(way, encodings)
    return (saved, way, groups) if digest_of(groups) == saved.digest else None


def _choose(
    task: ScoringTask, model: TorchModel, encodings: list[Encoding], shared: Shared
) -> Planned:
    """The first way of batching that agrees with scoring one text at a time.

    This is measured for every model, also where the batches are shared with an earlier one.
    """
    plan = _sizes(task, model, encodings)
    _set_threads(plan)
    names = ["masked"] if model.kind == "masked" else ["tree", "cache", "rows", "single"]
    if task.options.way:
        names = [task.options.way]
    limit = tolerance(model)
    best: tuple[float, Batching, list[list[int]]] | None = None
    for name in names:
        way = _way(model, name, plan.batch_tokens, plan.row_tokens)
        groups = shared.group(way, encodings)
        if model.kind == "masked":
            error = measure_masked_error(model, way, encodings, groups)
        else:
            error = measure_error(model, way, encodings, groups, bool(task.boundary))
        if best is None or error < best[0]:
            best = (error, way, groups)
        if error <= limit:
            break
    assert best is not None
    error, way, groups = best
    if error > limit:
        refuse_broken(model, task.texts, encodings)
        raise ScoreError(
            f"{task.spec}: no way of batching agrees with one text at a time "
            f"(the best is off by {error:.2g} nats); try dtype=float32 or `batch_tokens=1`"
        )
    plan = replace(plan, way=way.name, error=error, digest=digest_of(groups))
    return plan, way, groups


def _sizes(task: ScoringTask, model: TorchModel, encodings: list[Encoding]) -> Plan:
    """How large a batch is, and how many workers with how many threads."""
    on_cpu = model.device == "cpu"
    usual = MASKED_BATCH if model.kind == "masked" else CPU_BATCH
    batch = task.options.batch_tokens or (usual if on_cpu else DEVICE_BATCH)
    tokens = sum(len(e.ids) * (len(e.starts) if model.kind == "masked" else 1) for e in encodings)
    workers, threads = task.options.workers, task.options.threads
    if workers is None:
        many = max(1, cores() // (threads or 1))
        workers = many if on_cpu and can_fork() and tokens >= WORTH_FORKING else 1
    workers = max(1, workers if can_fork() and on_cpu else 1)
    if task.options.executor:  # the same bits with any number of workers
        workers, threads = 1, threads or 1
    short = on_cpu and tokens * getattr(model, "parameters", math.inf) < SHORT
    return Plan(
        way="",
        batch_tokens=batch,
        row_tokens=min(ROW, batch),
        workers=workers,
        threads=threads or (1 if short else max(1, cores() // workers)),
        error=0.0,
        pending=task.pending,
    )


def _way(model: TorchModel, name: str, batch_tokens: int, row_tokens: int) -> Batching:
    if name == "masked":
        if not isinstance(model, MaskedTorchModel):
            raise ModelError("a masked model needs mask_id and pll; see MaskedTorchModel")
        return MaskedRows(batch_tokens, model.mask_id, model.pll)
    if name == "tree":
        return PackedTree(row_tokens, max(1, batch_tokens // row_tokens))
    if name == "cache":
        return SharedBeginnings(batch_tokens)
    return Rows(batch_tokens if name == "rows" else 1, name)


def _set_threads(plan: Plan) -> None:
    import torch

    torch.set_num_threads(plan.threads)
