"""The record of a run while it is made: in memory and, with `--out`, in its folder.

A run folder holds `run.json` and, for each model and data set, tables and `summary.json`.
"""

from __future__ import annotations

import contextlib
import platform
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from priscian import __version__
from priscian.errors import OutputError, PriscianError, PriscianWarning, RunError, flat
from priscian.files import as_json, inside, is_free, is_leftover, replacing, write_json
from priscian.files.folder import FolderLock, JobFolder
from priscian.files.reading import hash_of
from priscian.runs.facts import FORMAT, DataFacts, ModelFacts, Request, RunInfo, plain
from priscian.runs.kinds.registry import Evaluated, find_kind
from priscian.runs.load import FILE as FILE
from priscian.runs.load import read_info
from priscian.runs.result import SUMMARY, TABLE, FolderTables, OpenTable, Result, in_memory

if TYPE_CHECKING:
    import polars

    from priscian.runs.sources import Scores, ScoreSource

LIBRARIES = ("numpy", "polars", "torch", "transformers", "tokenizers")
SHARDS = "shards"
"""The folder of shards in a run folder."""
SLURM = "slurm"
"""The folder of scripts for SLURM."""
EXPORTS = "export"
"""Where exports go if no other place is named."""
OWN = (FILE, SHARDS, SLURM, EXPORTS)
"""What no model's folder may be called."""
STOPPED = "it was interrupted from the keyboard"


class RunFolder(JobFolder[Request]):
    """The folder of a run; what a killed process left, or a run that scored nothing, is no run."""

    what, record, lock = "priscian score", FILE, ""

    def read(self) -> Request:
        """The request in `run.json`."""
        return read_info(self.path).request

    def differences(self, before: Request, now: Request) -> Sequence[str]:
        """The settings in which two requests differ."""
        return before.differences(now)

    def check(self, request: Request, *, resume: bool = False) -> Request | None:
        """The earlier request if the run is resumed; a folder with other contents is refused."""
        path = self.path
        if resume:
            if not self.has_begun():
                raise RunError(
                    f"{path} is not a run folder: it has no run.json; to begin a run leave out "
                    "`resume=True`"
                )
            before = self.read()
            different = self.differences(before, request)
            if different:
                raise RunError(
                    f"{path} was made with other settings ({', '.join(different)}); "
                    "repeat them exactly, or give another `out=`"
                )
            return before
        if is_free(path, self.beside):
            for entry in path.glob(f".{FILE}.*"):  # we hold the lock: nobody is writing it
                with contextlib.suppress(OSError):
                    entry.unlink()
            return None
        there = {entry.name for entry in path.iterdir()}.difference(self.beside)
        if SHARDS in there and FILE not in there:
            raise RunError(
                f"{path} has shards of a run; make the run of them with priscian merge {path}, or "
                "give another `out=`"
            )
        if not self.has_begun():
            raise RunError(f"{path} exists and is not empty; give another `out=`")
        if not came_to_nothing(path):
            raise RunError(
                f"{path} exists and is not empty; continue it with `resume=True`, or give another "
                "`out=`"
            )
        warnings.warn(
            f"{path} held a run that ended before anything was scored; starting again",
            PriscianWarning,
            stacklevel=4,
        )
        with contextlib.suppress(OSError):
            (path / FILE).unlink(missing_ok=True)
        return None


class MergedFolder(RunFolder):
    """The folder of a run that is made of shards."""

    beside = frozenset({SHARDS, SLURM})


@dataclass(slots=True)
class Record:
    """The current `run.json`, and the folder that it is written to, if any.

    It is written when the run begins, when a model's batches are planned, after each model, and at
    the end. Between these, what a kill loses is worked out again from the store.
    """

    info: RunInfo
    path: Path | None = None
    lock: FolderLock = field(default_factory=FolderLock)
    resumed: bool = False
    worth_keeping: bool = False
    """Whether anything has been scored that a resumed run would not repeat."""
    file: str = FILE

    @classmethod
    def begin(
        cls,
        request: Request,
        out: Path | None,
        *,
        resume: bool = False,
        folder: type[RunFolder] = RunFolder,
    ) -> Record:
        """Start a new run or continue an earlier one; a folder with other contents is refused."""
        if out is None:
            return cls(new_info(request))
        if out.is_file() and not resume:
            raise RunError(f"{out} is a file; give `out=` a folder that does not exist")
        place = folder(out)
        if resume and not place.has_begun():
            place.check(request, resume=True)
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot write {out / FILE}: {error.strerror}; change `out=`"
            ) from None
        lock = place.locked()
        try:
            earlier = place.check(request, resume=resume)
            if earlier is not None:
                return cls(_taken_up(out), out, lock, resumed=True)
            record = cls(new_info(request), out, lock)
            place.begin(as_json(plain(record.info)))
        except BaseException:
            lock.release()
            raise
        return record

    def update(self, *, write: bool = True, **changes: Any) -> None:
        """Change some entries of `run.json`, and write it unless somebody else will soon."""
        if changes:
            self.info = msgspec.structs.replace(self.info, **changes)
        if write and self.path is not None:
            write_json(self.path / self.file, plain(self.info))

    def update_model(self, name: str, *, write: bool = True, **changes: Any) -> None:
        """Change the entries of one model in `run.json`."""
        before = self.info.models.get(name)
        after = msgspec.structs.replace(before, **changes) if before else ModelFacts(**changes)
        self.update(write=write, models={**self.info.models, name: after})

    def enter(self, source: ScoreSource) -> None:
        """Enter a model, with its key; one that is not what it was is refused."""
        facts: dict[str, Any] = {"string": source.origin, "folder": source.folder}
        model = source.model
        if model is not None:
            before = self.info.models.get(source.name)
            if before is not None and before.digest and before.digest != model.key.digest:
                raise RunError(
                    f"{model} is not the model that {self.path} was started with: "
                    "its files have changed; give another `out=`"
                )
            key = {k: str(v) for k, v in model.key.fields.items()}
            facts |= {"key": key, "digest": model.key.digest}
        self.update_model(source.name, write=False, status="running", **facts)

    def scored(self, name: str, scores: Scores) -> None:
        """All texts of a model have scores; figures of an earlier start are kept if none is new."""
        self.worth_keeping = True
        facts: dict[str, Any] = {"status": "finished", "texts": scores.texts}
        if scores.computed or self.info.models[name].computed is None:
            for figure in ("computed", "seconds", "notes"):
                facts[figure] = getattr(scores, figure)
        self.update_model(name, write=False, **facts)

    def keep(self, evaluated: Evaluated) -> Result:
        """Write a result; the summary last, so that its presence means a complete result."""
        summary = evaluated.summary
        about, data = self.info.models[summary.model], self.info.request.data[summary.data]
        usual = find_kind(data.kind).levels
        tables = {
            name: with_names(table, summary.model, summary.data, data, usual)
            for name, table in evaluated.tables.items()
        }
        open_table: OpenTable = in_memory(tables)
        if self.path is not None:
            place = inside(self.path, about.folder, data.folder)
            hashes = write_tables(place, tables)
            hashes[SUMMARY] = write_json(place / SUMMARY, summary.to_dict())
            self.worth_keeping = True
            # a result of an earlier start is replaced: readers must not compare with its hashes
            replaced = about.files.get(summary.data, hashes) != hashes
            files = {**about.files, summary.data: hashes}
            self.update_model(summary.model, write=replaced, files=files)
            about = self.info.models[summary.model]
            open_table = FolderTables(place, hashes)
        return Result(summary.model, summary.data, summary, data, about, open_table)

    @contextlib.contextmanager
    def under_way(self) -> Iterator[None]:
        """Around the work of a run: the folder is released with the block, whatever happens in it.

        It is recorded why a run failed; one that scored nothing is removed.
        """
        try:
            yield
        except BaseException as error:
            if self.path is None:
                raise
            if not (self.worth_keeping or self.resumed):
                RunFolder(self.path).discard()
                raise
            said: dict[str, Any] = {}
            if isinstance(error, PriscianError):
                said = {"status": "failed", "error": flat(error)}
            elif isinstance(error, KeyboardInterrupt):
                said = {"error": STOPPED}
            with contextlib.suppress(OutputError):  # the original error matters more
                self.update(**said)
            raise
        finally:
            self.lock.release()


def new_info(request: Request) -> RunInfo:
    """The `run.json` of a run that begins, with versions of the software that computes scores."""
    environment = {"python": platform.python_version(), "platform": sys.platform}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            environment[name] = version(name)
    return RunInfo(
        format=FORMAT,
        priscian=__version__,
        created=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        status="running",
        request=request,
        environment=environment,
    )


def _taken_up(path: Path) -> RunInfo:
    """The `run.json` of a run that is resumed; a note says how an unfinished one ended."""
    info = read_info(path)
    if info.status != "finished":
        how = info.error or "it ended without a message: it was killed, or the machine stopped"
        asked = len(info.request.models) * len(info.request.data)
        there = len(list(path.glob("*/*/summary.json")))
        warnings.warn(
            f"{path} was not finished: {how.rstrip('.')}. {there} of {asked} results exist; what "
            "was scored is kept and the rest is computed now",
            PriscianWarning,
            stacklevel=4,
        )
    return msgspec.structs.replace(info, status="running", error="")


def came_to_nothing(path: Path) -> bool:
    """Whether a run folder has only `run.json`, from a run that scored nothing."""
    if [p.name for p in path.iterdir() if not is_leftover(p.name)] != [FILE]:
        return False
    if (path / FILE).stat().st_size == 0:
        return True
    try:
        info = read_info(path)
    except RunError:
        return False
    begun = any(m.plan is not None or m.status == "finished" for m in info.models.values())
    return info.status != "finished" and not begun


def write_tables(place: Path, tables: Mapping[str, polars.DataFrame]) -> dict[str, str]:
    """Every table as parquet; scores by sentence as CSV, which other tools read.

    The hash of each file, by its name.
    """
    hashes = {}
    for name, table in tables.items():
        file = place / (TABLE if name == "scores" else f"{name}.parquet")
        with replacing(file) as temporary:
            if name == "scores":
                table.write_csv(temporary)
            else:
                table.write_parquet(temporary)
            hashes[file.name] = hash_of(temporary)
    return hashes


def with_names(
    table: polars.DataFrame, model: str, data: str, facts: DataFacts, usual: Sequence[str]
) -> polars.DataFrame:
    """The table with model, data and levels first, unless it has them already or has no sets.

    There is one column for each level of the taxonomy; the levels in `usual` are always included,
    so that tables can be stacked.
    """
    if "set" not in table.columns or "model" in table.columns:
        return table
    import polars

    first = {"model": polars.lit(model), "data": polars.lit(data)}
    for level in dict.fromkeys((*usual, *facts.levels)):
        first[level] = polars.col("set").replace_strict(
            list(facts.sets),
            [facts.node(name, level) or None for name in facts.sets],
            default=None,
            return_dtype=polars.String,
        )
    others = (column for column in table.columns if column not in first)
    return table.select(*(made.alias(name) for name, made in first.items()), *others)
