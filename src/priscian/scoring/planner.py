"""Make a plan: divide the texts into batches by the fastest method that is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from priscian.errors import ModelError, ScoreError
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
from priscian.scoring.batches import Batching, MaskedRows, Rows, Shared, SharedBeginnings
from priscian.scoring.boundary import extend, find_boundary_model
from priscian.scoring.compute import (
    Compute,
    check_encodings,
    refuse_broken,
    simple_batches,
    torch_batches,
)
from priscian.scoring.plan import (
    CPU_BATCH,
    DEFAULTS,
    DEVICE_BATCH,
    MASKED_BATCH,
    ROW,
    Options,
    Plan,
    digest_inputs,
    digest_of,
)
from priscian.scoring.selfcheck import measure_error, measure_masked_error, tolerance
from priscian.scoring.tree import Tree
from priscian.threads import SHORT, cores
from priscian.workers import can_fork

SIMPLE_BATCH = 2000
WORTH_FORKING = 5000
"""Tokens below which starting workers costs more than it saves."""


@dataclass(frozen=True, slots=True)
class Task:
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

    task: Task
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
    task: Task,
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


def _prepare_torch(task: Task, model: TorchModel, saved: Plan | None, shared: Shared) -> Work:
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


def _choose(task: Task, model: TorchModel, encodings: list[Encoding], shared: Shared) -> Planned:
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
    return replace(plan, way=way.name, error=error).with_batches(groups), way, groups


def _sizes(task: Task, model: TorchModel, encodings: list[Encoding]) -> Plan:
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
        return Tree(row_tokens, max(1, batch_tokens // row_tokens))
    if name == "cache":
        return SharedBeginnings(batch_tokens)
    return Rows(batch_tokens if name == "rows" else 1, name)


def _set_threads(plan: Plan) -> None:
    import torch

    torch.set_num_threads(plan.threads)
