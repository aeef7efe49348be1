"""Shards of a run: each is computed by a process of its own, into files of its own.

`RUN/shards/3-of-8.sqlite` has the scores, `3-of-8.json` says how they were made: the request, the
models' keys, the digests of the plans, the machine. `priscian merge RUN` makes the run of them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import msgspec

from priscian.datasets import PairColumns
from priscian.errors import OutputError, RunError, UsageError, counted
from priscian.files.folder import lock_file
from priscian.files.reading import hash_of
from priscian.models import is_object
from priscian.runs.facts import Request, RunInfo
from priscian.runs.load import read_record
from priscian.runs.options import KeepWeights, ScoreOptions, SuiteOptions
from priscian.runs.record import FILE, SHARDS, Record, new_info
from priscian.runs.result import Run
from priscian.runs.sources import ScoreSource
from priscian.runs.work import Bench, RunWork, Watch, score_each, silent, texts_to_score
from priscian.scoring import Options, Shard
from priscian.scoring.shard import Span, span_text
from priscian.scoring.store.scores import open_to_read, open_where_possible

DEFAULTS = ScoreOptions()


class ShardInfo(RunInfo, frozen=True, kw_only=True):
    """`3-of-8.json`: as `run.json`, for one shard, and what is needed to make the others."""

    shard: tuple[int, int]
    folder: str
    """Where it was started; paths of data and models may be relative to it."""
    columns: PairColumns = msgspec.field(default_factory=PairColumns)
    batch_tokens: int | None = None
    workers: int | None = None
    threads: int | None = None
    keep_weights: KeepWeights = DEFAULTS.keep_weights
    tokens: bool = DEFAULTS.tokens
    store: str = ""
    """SHA-256 of the file of scores when the shard was finished."""

    @property
    def part(self) -> Shard:
        """Which shard it is."""
        return Shard(*self.shard)

    @property
    def begun(self) -> bool:
        """Whether anything was planned or computed."""
        return any(m.plan is not None or m.status == "finished" for m in self.models.values())


def shard_store(run: Path, shard: Shard) -> Path:
    """The file of a shard's scores."""
    return run / SHARDS / f"{shard.name}.sqlite"


def shard_file(run: Path, shard: Shard) -> Path:
    """The file that describes a shard."""
    return run / SHARDS / f"{shard.name}.json"


def read_shard(file: Path) -> ShardInfo:
    """The description of a shard, checked."""
    return read_record(file, ShardInfo)


def score_shard(work: RunWork, out: Path, watch: Watch | None = None) -> Run:
    """Compute one shard; one that was stopped continues, a finished one is left as it is."""
    shard = work.options.compute.shard
    assert shard is not None
    for source in work.sources:
        if source.model is not None and is_object(source.model.spec):
            raise UsageError(
                f"{source.name} is an object of this process, which other shards cannot load; "
                "register its class (docs/plugins.md) and give its name"
            )
    parts = {
        source.name: part
        for number, source in enumerate(work.sources)
        if (part := part_of_model(shard, number, len(work.sources))) is not None
        and not source.traits.precomputed
    }
    mine = [source for source in work.sources if source.name in parts]
    record = _begin(work.options, work.request, out, shard)
    assert isinstance(record.info, ShardInfo)
    with record.under_way():
        if record.info.status != "finished" or not _complete(record.info, out):
            record.update(status="running", error="")
            with (
                open_where_possible(shard_store(out, shard)) as store,
                work.ahead(mine, store) as ahead,
            ):
                bench = Bench(record, store, watch or silent, ahead)

                def score(source: ScoreSource) -> None:
                    compute = replace(work.options.compute, shard=parts[source.name])
                    bench.score(source, *texts_to_score(work.prepare(source)), compute)

                score_each(mine, score, record)
            record.update(store=hash_of(shard_store(out, shard)), status="finished", error="")
    return Run(record.info, (), out)


def part_of_model(shard: Shard, number: int, models: int) -> Shard | None:
    """The part of one model that a shard computes; None if it has none.

    With at least as many models as shards, each model is computed by one shard, so that none is
    loaded twice. Otherwise every shard computes some batches of each model.

    >>> [part_of_model(Shard(2, 3), number, 5) for number in range(5)]
    [None, Shard(number=1, count=1), None, None, Shard(number=1, count=1)]
    >>> part_of_model(Shard(2, 3), 0, 1)
    Shard(number=2, count=3)
    """
    if models < shard.count:
        return shard
    return Shard(1, 1) if shard.has(number) else None


def _begin(options: ScoreOptions, request: Request, out: Path, shard: Shard) -> Record:
    """The record of a shard: new, or that of an earlier attempt with the same request."""
    folder, file = out / SHARDS, shard_file(out, shard)
    if (out / FILE).is_file() and not file.is_file():
        raise RunError(f"{out} is a run already, without such a shard; give another `out=`")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {file}: {error.strerror}; change `out=`") from None
    lock = lock_file(
        folder / f".{shard.name}.lock",
        f"another process is computing shard {shard} of {out}; wait until it has ended",
    )
    try:
        info = describe_shard(options, request, shard)
        for other in sorted(folder.glob("*-of-*.json")):
            found = read_shard(other)
            different = found.request.differences(request)
            if different and (found.begun or other != file):
                raise RunError(
                    f"{other} was made with other settings ({', '.join(different)}); repeat them "
                    f"exactly, or give another `out=`"
                )
            if other == file and not different and found.shard == info.shard:
                info = msgspec.structs.replace(
                    info, models=found.models, status=found.status, store=found.store
                )
        record = Record(info, folder, lock, resumed=True, file=file.name)
        record.update()
    except BaseException:
        lock.release()
        raise
    return record


def describe_shard(options: ScoreOptions, request: Request, shard: Shard) -> ShardInfo:
    """What is written about a shard when it begins."""
    compute = options.compute
    begun = msgspec.structs.asdict(new_info(request))
    return ShardInfo(
        **begun,
        shard=(shard.number, shard.count),
        folder=os.getcwd(),
        columns=options.columns,
        batch_tokens=compute.batch_tokens,
        workers=compute.workers,
        threads=compute.threads,
        keep_weights=options.keep_weights,
        tokens=options.tokens,
    )


def _complete(info: ShardInfo, out: Path) -> bool:
    """Whether the store of a finished shard still has what the shard scored."""
    path = shard_store(out, info.part)
    if not path.is_file():
        return not info.models
    with open_to_read(path, finished=True) as store:
        return all(
            store.texts_of(facts.digest) >= (facts.texts or 0) for facts in info.models.values()
        )


def score_options(info: ShardInfo, shard: Shard | None = None) -> ScoreOptions:
    """The options with which a shard was made."""
    request = info.request
    return ScoreOptions(
        limit=request.limit,
        only=request.only,
        measure=request.measure,
        unigram=request.unigram.model if request.unigram else None,
        tie=request.tie,
        seed=request.seed,
        keep_weights=info.keep_weights,
        tokens=info.tokens,
        columns=info.columns,
        suites=request.sg or SuiteOptions(),
        compute=Options(info.batch_tokens, info.workers, threads=info.threads, shard=shard),
    )


def command_of(info: ShardInfo, out: Path | str, shard: str, program: str = "priscian") -> str:
    """The command that makes a shard, for the shell."""
    request, options = info.request, score_options(info)
    words = ["score", *request.models]
    for data in request.data.values():
        words += ["--on", data.spec]
    given = {
        "limit": options.limit,
        "only": ",".join(options.only),
        "measure": options.measure,
        "unigram": options.unigram,
        "tie": options.tie,
        "seed": options.seed,
        "good": info.columns.good,
        "bad": info.columns.bad,
        "group": info.columns.group,
        "batch-tokens": info.batch_tokens,
        "workers": info.workers,
        "threads": info.threads,
        "keep-weights": info.keep_weights,
    }
    given |= asdict(options.suites)
    usual = {
        "measure": DEFAULTS.measure,
        "tie": DEFAULTS.tie,
        "seed": DEFAULTS.seed,
        "keep-weights": DEFAULTS.keep_weights,
    }
    usual |= asdict(DEFAULTS.suites)
    for name, value in given.items():
        if value not in (None, "") and value != usual.get(name):
            words += [f"--{name}", str(value)]
    if not info.tokens:
        words.append("--no-tokens")
    return f"{program} {shlex.join(words)} --shard {shard} --out {shlex.quote(str(out))}"


def missing_line(info: ShardInfo, out: Path, shard: Shard, what: str) -> str:
    """One line that says what is wrong with a shard, and the command that makes it."""
    return f"{out}: shard {shard} {what}; run: {command_of(info, out, str(shard))}"


def missing_lines(info: ShardInfo, out: Path, spans: Sequence[Span]) -> str:
    """The same about all shards that are missing, with the command that makes the first."""
    count = info.shard[1]
    first = Shard(spans[0][0], count)
    others = sum(last - start + 1 for start, last in spans) - 1
    if not others:
        return missing_line(info, out, first, "is missing")
    return (
        f"{out}: shards {span_text(spans)} of {count} are missing; run: "
        f"{command_of(info, out, str(first))}, and likewise {counted(others, 'other')}"
    )
