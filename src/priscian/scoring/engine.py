"""Score or grade texts: look in the store, plan the missing texts, run and store them."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from priscian.errors import DataError, ModelError, ScoreError, SetAsideError
from priscian.models import (
    AnyModel,
    GradingModel,
    LoadedModel,
    ModelKey,
    agreed,
)
from priscian.models.protocol import no_tokens
from priscian.models.text_offsets import shorten
from priscian.records import Text, TokenScores
from priscian.scoring.boundary import BOUNDARY
from priscian.scoring.executors import (
    Executor,
    Forked,
    Inline,
    Lost,
    address_of,
    describe_machines,
    this_machine,
)
from priscian.scoring.plan import (
    DEFAULTS,
    NOT_SAVED,
    Options,
    Plan,
    SavedPlan,
    ScoringTask,
    Work,
    pack_bits,
    prepare,
    unpack_bits,
)
from priscian.scoring.shard import Shard
from priscian.scoring.store import ScoreStore
from priscian.threads import threads_kept

Progress = Callable[[int, int], None]  # texts done, texts in all


@dataclass(frozen=True, slots=True)
class ScoredTexts:
    """Scores of every text, and how they were obtained; the model, if it had to be loaded."""

    key: ModelKey
    scores: dict[Text, TokenScores]
    computed: int
    plan: Plan | None
    notes: dict[str, str] = field(default_factory=dict)
    loaded: LoadedModel | None = None


Rows = list[tuple[Text, TokenScores]]

DEATHS = 3
"""A batch during which this many workers died is set aside."""


def score_texts(
    model: AnyModel,
    texts: Sequence[Text],
    store: ScoreStore,
    *,
    boundary: Iterable[Text] = (),
    loaded: LoadedModel | None = None,
    options: Options = DEFAULTS,
    saved: SavedPlan = NOT_SAVED,
    progress: Progress = lambda done, total: None,
) -> ScoredTexts:
    """Every text's token scores; the model is loaded only if one of them is not in the store.

    The texts in `boundary` get that channel too, for the leading-space correction. Another process
    may prune the store at any time: what it removes is computed again, under the same plan.
    With `options.shard` all texts are planned, and those of the shard's batches are scored.
    """
    if not all(text.text for text in texts):
        raise DataError("a text to score is empty; give at least one character")
    resolved = agreed(model, loaded)
    if resolved.traits.grades:
        raise ModelError(no_tokens(resolved.label))
    texts, spec, key = list(dict.fromkeys(texts)), resolved.spec, resolved.key
    shelf = _Shelf(store, key, resolved.label, frozenset(boundary))
    scores = shelf.read(texts)
    whole = options.shard is None
    if whole:
        progress(len(scores), len(texts))
    lacking = [text for text in texts if text not in scores]
    if not lacking:
        return ScoredTexts(key, scores, 0, saved.plan, {}, loaded)
    loaded = loaded or resolved.load()
    # a shard plans every text, whatever is stored, so that all shards have the same batches
    missing = [text not in scores for text in texts] if whole else [True] * len(texts)
    plan, pending = saved.plan, missing
    if plan is not None:
        pending = unpack_bits(plan.pending, len(texts))
        if any(m and not p for m, p in zip(missing, pending, strict=True)):
            plan, pending = None, missing  # the store has been pruned since the plan was made
    todo = [text for text, wanted in zip(texts, pending, strict=True) if wanted]
    task = ScoringTask(
        spec, todo, pack_bits(pending), shelf.boundary, options, resolved.traits.scores_first
    )
    with threads_kept():
        work = prepare(task, loaded.model, plan, saved.shared)
        saved.save(work.plan)
        machines: Counter[str] = Counter()
        others, computed = len(texts) - len(todo), 0
        with closing(_run(work, shelf.missing(todo), others, machines, progress)) as batches:
            for rows in batches:
                shelf.write(rows, loaded)
                computed += len(rows)
        scores |= shelf.read(lacking)
        pruned = [text not in scores for text in todo]
        if any(pruned):  # pruned by another process meanwhile
            with closing(_run(work, pruned, others, machines, progress)) as batches:
                for rows in batches:
                    shelf.write(rows, loaded)
                    scores |= {text: found for text, found in rows if text not in scores}
                    computed += len(rows)
    notes = {**getattr(loaded.model, "notes", {}), **describe_machines(spec.label, machines)}
    return ScoredTexts(key, scores, computed, work.plan, notes, loaded)


def _run(
    work: Work,
    missing: Sequence[bool],
    others: int,
    machines: Counter[str],
    progress: Progress,
) -> Generator[Rows, None, None]:
    """Compute every batch that has a missing text, always the whole batch.

    A batch during which a worker died is tried again later; after several deaths it is set aside,
    and an error names its texts when everything else is done.
    """
    texts, groups = work.task.texts, work.groups
    mine = work.batches
    queue = deque(g for g in mine if any(missing[i] for i in groups[g]))
    total = sum(len(groups[g]) for g in mine) + others
    done = total - sum(len(groups[g]) for g in queue)
    progress(done, total)
    if not queue:
        return
    here = this_machine(work.plan.threads, work.device) if work.task.options.shard else ""
    deaths: dict[int, list[str]] = {}
    for found in choose_executor(work).run(work, queue):
        if isinstance(found, Lost):
            deaths.setdefault(found.number, []).append(found.reason)
            if len(deaths[found.number]) < DEATHS:
                queue.append(found.number)
            continue
        rows = [(texts[i], s) for i, s in zip(groups[found.number], found.scores, strict=True)]
        if where := found.machine or here:
            machines[where] += 1
        yield rows
        done += len(rows)
        progress(done, total)
    aside = {number: reasons[-1] for number, reasons in deaths.items() if len(reasons) >= DEATHS}
    if aside:
        named = [texts[i].text for number in sorted(aside) for i in groups[number]]
        raise SetAsideError(work.task.spec.label, named, next(iter(aside.values())))


def choose_executor(work: Work) -> Executor:
    """The executor for a plan."""
    name = work.task.options.executor
    if not name:
        return Forked(work.plan.workers) if work.plan.workers > 1 else Inline()
    from priscian.scoring.cluster import Remote
    from priscian.scoring.ray_cluster import connect

    return Remote(connect(address_of(name), work))


@dataclass(frozen=True, slots=True)
class _Shelf:
    """One model's part of the store; some texts need the channel `boundary` as well."""

    store: ScoreStore
    key: ModelKey
    label: str
    boundary: frozenset[Text]

    def missing(self, texts: Sequence[Text]) -> list[bool]:
        """For each text, whether its scores or a channel that it needs are missing."""
        missing = self.store.missing(self.key, texts)
        if not self.boundary:
            return missing
        without = self.store.missing(self.key, texts, BOUNDARY)
        return [
            m or (w and text in self.boundary)
            for text, m, w in zip(texts, missing, without, strict=True)
        ]

    def read(self, texts: Sequence[Text]) -> dict[Text, TokenScores]:
        """The texts that have all channels that they need."""
        scores = self.store.read(self.key, texts)
        wanting = [text for text in texts if text in self.boundary]
        masses = self.store.read(self.key, wanting, BOUNDARY) if wanting else {}
        for text in wanting:
            found = scores.pop(text, None)
            if found is not None and text in masses:
                scores[text] = replace(found, channels={BOUNDARY: masses[text].logps})
        return scores

    def write(self, rows: Rows, loaded: LoadedModel) -> None:
        """Keep the scores of a batch, if the model's files are still those of the key."""
        loaded.check()
        self.store.write(self.key, self.label, rows)
        masses = [
            (text, TokenScores((*s.starts, at), (*s.ends, at), s.channels[BOUNDARY]))
            for text, s in rows
            if BOUNDARY in s.channels
            for at in [len(text.text)]
        ]
        if masses:
            self.store.write(self.key, self.label, masses, BOUNDARY)


SCORE = "score"
GRADED = 512
"""Texts that are graded and stored at once."""


def grade_texts(
    model: AnyModel,
    texts: Sequence[Text],
    store: ScoreStore,
    *,
    loaded: LoadedModel | None = None,
    shard: Shard | None = None,
    progress: Progress = lambda done, total: None,
) -> ScoredTexts:
    """Every text as one token with its grade; the model is loaded only if one is not stored.

    With a shard, all texts are divided into parts, and those of the shard are graded.
    """
    if not all(text.text for text in texts):
        raise DataError("a text to grade is empty; give at least one character")
    resolved = agreed(model, loaded)
    texts, key, label = list(dict.fromkeys(texts)), resolved.key, resolved.label
    scores = store.read(key, texts, SCORE)
    listed = texts if shard else [text for text in texts if text not in scores]
    parts = [listed[at : at + GRADED] for at in range(0, len(listed), GRADED)]
    mine = [part for number, part in enumerate(parts) if shard is None or shard.has(number)]
    missing = [part for part in mine if any(text not in scores for text in part)]
    total = sum(map(len, mine)) if shard else len(texts)
    progress(len(scores), total)
    if not missing:
        return ScoredTexts(key, scores, 0, None, {}, loaded)
    loaded = loaded or resolved.load()
    grader = loaded.model
    if not isinstance(grader, GradingModel):
        raise ModelError(f"{label} cannot grade whole texts; score it by its tokens")
    for part in missing:
        grades = list(grader.grade(part))
        if len(grades) != len(part):
            raise ScoreError(f"{label} gave {len(grades)} grades for {len(part)} texts")
        rows: Rows = []
        for text, value in zip(part, grades, strict=True):
            if not math.isfinite(value):
                raise ScoreError(
                    f"{label} gave {value} for {shorten(text.text)!r}; correct the model"
                )
            rows.append((text, TokenScores((0,), (len(text.text),), (float(value),))))
        loaded.check()
        store.write(key, label, rows, SCORE)
        scores |= dict(rows)
        progress(len(scores), total)
    return ScoredTexts(key, scores, sum(map(len, missing)), None, {}, loaded)
