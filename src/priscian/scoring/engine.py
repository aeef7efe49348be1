"""Score texts with a model: look in the store, plan what is missing, run it, keep every batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from priscian.errors import DataError, PriscianError, ScoreError
from priscian.models import (
    BoundaryModel,
    Encoding,
    LanguageModel,
    ModelKey,
    ModelSpec,
    TorchModel,
    load,
    model_key,
    parse_model,
)
from priscian.records import Text, TokenScores
from priscian.scoring.batches import Batching, MaskedRows, Rows, SharedBeginnings
from priscian.scoring.boundary import CHANNEL, collect, extend, find_boundary_model
from priscian.scoring.plan import (
    CPU_BATCH,
    DEVICE_BATCH,
    MASKED_BATCH,
    ROW,
    Plan,
    cores,
    digest_of,
    pack_bits,
    unpack_bits,
)
from priscian.scoring.selfcheck import measure_error, measure_masked_error, tolerance
from priscian.scoring.store import ScoreStore
from priscian.scoring.tree import Tree
from priscian.workers import can_fork, run_batches

SIMPLE_BATCH = 2000
WORTH_FORKING = 5000
"""Tokens below which starting workers costs more than it saves."""

DIED = "run again with --workers 1: what was scored is kept"

Progress = Callable[[int, int], None]  # texts done, texts in all
Planned = Callable[[Plan], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to compute; none of it changes a score by more than 1e-4."""

    batch_tokens: int | None = None
    workers: int | None = None
    way: str | None = None


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of every text, and how they were come by; the model, where it had to be loaded."""

    key: ModelKey
    scores: dict[Text, TokenScores]
    computed: int
    plan: Plan | None
    notes: dict[str, str] = field(default_factory=dict)
    model: LanguageModel | TorchModel | None = None


def score_texts(
    model: str | ModelSpec,
    texts: Sequence[Text],
    store: ScoreStore,
    *,
    boundary: Iterable[Text] = (),
    loaded: LanguageModel | TorchModel | None = None,
    options: Options = DEFAULTS,
    plan: Plan | None = None,
    on_plan: Planned = lambda plan: None,
    progress: Progress = lambda done, total: None,
) -> Scored:
    """Every text's token scores; the model is loaded only if one of them is not in the store.

    The texts in `boundary` get that channel too, for the leading-space correction.
    """
    if not all(text.text for text in texts):
        raise DataError("a text to score is empty; give at least one character")
    spec = parse_model(model)
    key = model_key(spec)
    texts = list(dict.fromkeys(texts))
    wanted = frozenset(boundary)
    missing = _missing(store, key, texts, wanted)
    progress(len(texts) - sum(missing), len(texts))
    notes: dict[str, str] = {}
    computed = 0
    if any(missing):
        loaded = loaded or load(spec)
        pending = unpack_bits(plan.pending, len(texts)) if plan else missing
        if any(m and not p for m, p in zip(missing, pending, strict=True)):
            plan, pending = None, missing  # the store has been pruned since the plan was made
        work = _Work(spec, key, store, loaded, options, wanted)
        todo = [text for text, wanted in zip(texts, pending, strict=True) if wanted]
        plan, computed = work.run(todo, pack_bits(pending), plan, on_plan, progress, len(texts))
        notes = dict(getattr(loaded, "notes", {}))
    scores = _read(store, key, texts, wanted)
    return Scored(key, scores, computed, plan, notes, loaded)


def _missing(
    store: ScoreStore, key: ModelKey, texts: Sequence[Text], boundary: Collection[Text]
) -> list[bool]:
    """For each text, whether its scores or a channel that it wants are not in the store."""
    missing = store.missing(key, texts)
    if not boundary:
        return missing
    without = store.missing(key, texts, CHANNEL)
    return [
        m or (w and text in boundary) for text, m, w in zip(texts, missing, without, strict=True)
    ]


def _read(
    store: ScoreStore, key: ModelKey, texts: Sequence[Text], boundary: Collection[Text]
) -> dict[Text, TokenScores]:
    scores = store.read(key, texts)
    for text, found in store.read(key, [t for t in texts if t in boundary], CHANNEL).items():
        scores[text] = replace(scores[text], channels={CHANNEL: found.logps})
    return scores


@dataclass(frozen=True, slots=True)
class _Work:
    """One model, one list of texts to be scored."""

    spec: ModelSpec
    key: ModelKey
    store: ScoreStore
    model: LanguageModel | TorchModel
    options: Options
    boundary: frozenset[Text] = frozenset()

    def run(
        self,
        texts: list[Text],
        pending: str,
        plan: Plan | None,
        on_plan: Planned,
        progress: Progress,
        total: int,
    ) -> tuple[Plan, int]:
        """Plan, or take the saved plan; compute the batches that are not in the store."""
        if self.boundary:
            find_boundary_model(self.spec, self.model)
        if isinstance(self.model, TorchModel):
            encodings = self.model.encode(texts)
            if self.boundary:
                encodings = extend(texts, encodings, self.boundary, self.model.context_length)
            plan, way, groups = self._plan_torch(self.model, texts, encodings, pending, plan)
            compute = _torch_batch(self.model, way, texts, encodings, groups, self.boundary)
        else:
            groups = [
                list(range(at, min(at + SIMPLE_BATCH, len(texts))))
                for at in range(0, len(texts), SIMPLE_BATCH)
            ]
            plan = Plan("simple", 0, 0, 1, cores(), 0.0, pending, digest_of(groups))
            compute = _simple_batch(self.model, texts, groups)
        on_plan(plan)
        return plan, self._compute(compute, texts, groups, plan, progress, total)

    def _compute(
        self,
        compute: Callable[[int], list[TokenScores]],
        texts: list[Text],
        groups: list[list[int]],
        plan: Plan,
        progress: Progress,
        total: int,
    ) -> int:
        missing = _missing(self.store, self.key, texts, self.boundary)
        todo = [g for g, group in enumerate(groups) if any(missing[i] for i in group)]
        done = total - sum(len(groups[g]) for g in todo)
        progress(done, total)
        for number, scores in run_batches(compute, todo, plan.workers, DIED):
            rows = [(texts[i], s) for i, s in zip(groups[number], scores, strict=True)]
            self._keep(rows)
            done += len(rows)
            progress(done, total)
        return sum(len(groups[g]) for g in todo)

    def _keep(self, rows: list[tuple[Text, TokenScores]]) -> None:
        self.store.write(self.key, self.spec.label, rows)
        masses = [
            (text, TokenScores((*s.starts, at), (*s.ends, at), s.channels[CHANNEL]))
            for text, s in rows
            if CHANNEL in s.channels
            for at in [len(text.text)]
        ]
        if masses:
            self.store.write(self.key, self.spec.label, masses, CHANNEL)

    def _plan_torch(
        self,
        model: TorchModel,
        texts: list[Text],
        encodings: list[Encoding],
        pending: str,
        saved: Plan | None,
    ) -> tuple[Plan, Batching, list[list[int]]]:
        if saved is not None:
            _set_threads(saved)
            way = self._way(model, saved.way, saved.batch_tokens, saved.row_tokens)
            groups = way.group(encodings)
            if digest_of(groups) == saved.digest:
                return saved, way, groups
        plan = self._sizes(model, encodings, pending)
        _set_threads(plan)
        names = ["masked"] if model.kind == "masked" else ["tree", "cache", "rows", "single"]
        if self.options.way:
            names = [self.options.way]
        limit = tolerance(model)
        best: tuple[float, Batching, list[list[int]]] | None = None
        for name in names:
            way = self._way(model, name, plan.batch_tokens, plan.row_tokens)
            groups = way.group(encodings)
            if model.kind == "masked":
                error = measure_masked_error(model, way, encodings, groups)
            else:
                error = measure_error(model, way, encodings, groups, bool(self.boundary))
            if best is None or error < best[0]:
                best = (error, way, groups)
            if error <= limit:
                break
        assert best is not None
        error, way, groups = best
        if error > limit:
            _refuse_broken(model, texts, encodings)
            raise ScoreError(
                f"{self.spec}: no way of batching agrees with one text at a time "
                f"(the best is off by {error:.2g} nats); try dtype=float32 or --batch-tokens 1"
            )
        plan = replace(plan, way=way.name, error=error)
        return plan.with_batches(groups), way, groups

    def _sizes(self, model: TorchModel, encodings: list[Encoding], pending: str) -> Plan:
        on_cpu = model.device == "cpu"
        usual = MASKED_BATCH if model.kind == "masked" else CPU_BATCH
        batch = self.options.batch_tokens or (usual if on_cpu else DEVICE_BATCH)
        tokens = sum(
            len(e.ids) * (len(e.starts) if model.kind == "masked" else 1) for e in encodings
        )
        workers = self.options.workers
        if workers is None:
            workers = cores() if on_cpu and can_fork() and tokens >= WORTH_FORKING else 1
        workers = max(1, workers if can_fork() and on_cpu else 1)
        return Plan(
            way="",
            batch_tokens=batch,
            row_tokens=min(ROW, batch),
            workers=workers,
            threads=max(1, cores() // workers),
            error=0.0,
            pending=pending,
        )

    def _way(self, model: TorchModel, name: str, batch_tokens: int, row_tokens: int) -> Batching:
        if name == "masked":
            mask_id, pll = int(getattr(model, "mask_id")), str(getattr(model, "pll"))  # noqa: B009
            return MaskedRows(batch_tokens, mask_id, pll)
        if name == "tree":
            return Tree(row_tokens, max(1, batch_tokens // row_tokens))
        if name == "cache":
            return SharedBeginnings(batch_tokens)
        return Rows(batch_tokens if name == "rows" else 1, name)


def _torch_batch(
    model: TorchModel,
    way: Batching,
    texts: list[Text],
    encodings: list[Encoding],
    groups: list[list[int]],
    boundary: frozenset[Text],
) -> Callable[[int], list[TokenScores]]:
    def compute(number: int) -> list[TokenScores]:
        members = [encodings[i] for i in groups[number]]
        batch = way.build(members)
        try:
            if boundary and isinstance(model, BoundaryModel):
                mine = [texts[i] for i in groups[number]]
                return collect(model, batch, mine, members, boundary)
            answers = batch.collect(model.logprobs(batch.tokens))
        except ScoreError as error:
            raise ScoreError(
                _blame(model, [texts[i] for i in groups[number]], members, error)
            ) from None
        return [
            TokenScores(e.starts, e.ends, tuple(logps))
            for e, logps in zip(members, answers, strict=True)
        ]

    return compute


def _simple_batch(
    model: LanguageModel, texts: list[Text], groups: list[list[int]]
) -> Callable[[int], list[TokenScores]]:
    def compute(number: int) -> list[TokenScores]:
        members = [texts[i] for i in groups[number]]
        scores = list(model.score(members))
        if len(scores) != len(members):
            raise ScoreError(f"the model gave {len(scores)} answers to {len(members)} texts")
        for text, score in zip(members, scores, strict=True):
            if any(math.isinf(p) or p > 1e-6 for p in score.logps):
                raise ScoreError(f"the model gave an impossible log-probability for {text.text!r}")
        return scores

    return compute


def _blame(
    model: TorchModel, texts: Sequence[Text], members: Sequence[Encoding], error: PriscianError
) -> str:
    """Name the text whose scores are not finite."""
    try:
        _refuse_broken(model, texts, members)
    except ScoreError as found:
        return str(found)
    return f"{error} in a batch that begins with {texts[0].text!r}; try --batch-tokens 1"


def _refuse_broken(model: TorchModel, texts: Sequence[Text], encodings: Sequence[Encoding]) -> None:
    """Refuse the first text whose scores are not finite even when it is read alone."""
    for text, encoding in zip(texts, encodings, strict=True):
        try:
            model.reference(encoding)
        except ScoreError as error:
            raise ScoreError(
                f"{error} for the text {text.text!r}; the model or its dtype is broken there"
            ) from None


def _set_threads(plan: Plan) -> None:
    import torch

    torch.set_num_threads(plan.threads)
