"""The record of a run while it is made: in memory and, with `--out`, in its folder.

A run folder holds `run.json` and, for each model and data set, tables and `summary.json`.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import sys
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from priscian import __version__
from priscian.errors import OutputError, PriscianError, PriscianWarning, RunError, flat
from priscian.files import inside, is_free, is_leftover, replacing, write_json
from priscian.files.digest import hash_of
from priscian.files.lock import FolderLock, lock_folder
from priscian.runs.facts import FORMAT, DataFacts, ModelFacts, Request, RunInfo, plain
from priscian.runs.kinds.registry import Evaluated, find_kind
from priscian.runs.load import FILE as FILE
from priscian.runs.load import read_info
from priscian.runs.result import SUMMARY, TABLE, FolderTables, OpenTable, Result, in_memory

if TYPE_CHECKING:
    import polars

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


@dataclass(slots=True)
class Record:
    """The current `run.json`, and the folder that it is written to, if any."""

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
        beside: Collection[str] = (),
    ) -> Record:
        """Start a new run or continue an earlier one; a folder with other contents is refused.

        `beside` has names of what may be in the folder already.
        """
        if out is None:
            return cls(new_info(request))
        if resume:
            return _resume(out, request)
        if out.is_file():
            raise RunError(f"{out} is a file; give --out a folder that does not exist")
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot write {out / FILE}: {error.strerror}; change --out"
            ) from None
        lock = lock_folder(out)
        try:
            _clear(out, beside)
            record = cls(new_info(request), out, lock)
            _create(out / FILE, record.info)
        except BaseException:
            lock.release()
            raise
        return record

    def update(self, **changes: Any) -> None:
        """Change some entries of `run.json`."""
        self.info = msgspec.structs.replace(self.info, **changes)
        if self.path is not None:
            write_json(self.path / self.file, plain(self.info))

    def update_model(self, name: str, **changes: Any) -> None:
        """Change the entries of one model in `run.json`."""
        before = self.info.models.get(name)
        after = msgspec.structs.replace(before, **changes) if before else ModelFacts(**changes)
        self.update(models={**self.info.models, name: after})

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
            self.update_model(summary.model, files={**about.files, summary.data: hashes})
            about = self.info.models[summary.model]
            open_table = FolderTables(place, hashes)
        return Result(summary.model, summary.data, summary, data, about, open_table)

    def finish(self) -> None:
        """Mark the run as finished."""
        self.update(status="finished", error="")

    @contextlib.contextmanager
    def under_way(self) -> Iterator[None]:
        """Around the work of a run: it ends with the block, whatever happens in it."""
        failure: BaseException | None = None
        try:
            yield
        except BaseException as error:
            failure = error
            raise
        finally:
            self.end(failure)

    def end(self, error: BaseException | None) -> None:
        """Release the folder; record why a run failed, and remove one that scored nothing."""
        try:
            if error is not None and self.path is not None:
                if not (self.worth_keeping or self.resumed):
                    _discard(self.path)
                elif isinstance(error, PriscianError):
                    self._say(status="failed", error=flat(error))
                elif isinstance(error, KeyboardInterrupt):
                    self._say(error=STOPPED)
        finally:
            self.lock.release()

    def _say(self, **changes: Any) -> None:
        with contextlib.suppress(OutputError):  # the original error matters more
            self.update(**changes)


def new_info(request: Request) -> RunInfo:
    """The `run.json` of a run that begins."""
    return RunInfo(
        format=FORMAT,
        priscian=__version__,
        created=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        status="running",
        request=request,
        environment=environment(),
    )


def _resume(path: Path, request: Request) -> Record:
    """An earlier run, if it was made with the same request; a note says how it ended."""
    if not (path / FILE).is_file():
        raise RunError(
            f"{path} is not a run folder: it has no run.json; to begin a run leave out --resume"
        )
    lock = lock_folder(path)
    try:
        info = read_info(path)
        different = info.request.differences(request)
        if different:
            raise RunError(
                f"{path} was made with other settings ({', '.join(different)}); "
                f"repeat them exactly, or give another --out"
            )
    except BaseException:
        lock.release()
        raise
    if info.status != "finished":
        warnings.warn(_story(path, info), PriscianWarning, stacklevel=4)
    return Record(
        msgspec.structs.replace(info, status="running", error=""), path, lock, resumed=True
    )


def _story(path: Path, info: RunInfo) -> str:
    """How an unfinished run ended."""
    how = info.error or "it ended without a message: it was killed, or the machine stopped"
    asked = len(info.request.models) * len(info.request.data)
    there = len(list(path.glob("*/*/summary.json")))
    return (
        f"{path} was not finished: {how.rstrip('.')}. {there} of {asked} results exist; what "
        "was scored is kept and the rest is computed now"
    )


def _clear(path: Path, beside: Collection[str] = ()) -> None:
    """Make sure that a folder is empty; what a killed process left is removed.

    So is a run that scored nothing.
    """
    if is_free(path, beside):
        for entry in path.glob(f".{FILE}.*"):  # we hold the lock: nobody is writing it
            with contextlib.suppress(OSError):
                entry.unlink()
        return
    there = {entry.name for entry in path.iterdir()}.difference(beside)
    if SHARDS in there and FILE not in there:
        raise RunError(
            f"{path} has shards of a run; make the run of them with priscian merge {path}, or "
            "give another --out"
        )
    if not (path / FILE).is_file():
        raise RunError(f"{path} exists and is not empty; give another --out")
    if not came_to_nothing(path):
        raise RunError(
            f"{path} exists and is not empty; continue it with --resume, or give another --out"
        )
    warnings.warn(
        f"{path} held a run that ended before anything was scored; starting again",
        PriscianWarning,
        stacklevel=4,
    )
    _discard(path, folder=False)


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


def _discard(path: Path, *, folder: bool = True) -> None:
    with contextlib.suppress(OSError):
        (path / FILE).unlink(missing_ok=True)
        if folder:
            path.rmdir()


def _create(path: Path, info: RunInfo) -> None:
    """Write `run.json` if it does not exist; of two processes only one succeeds."""
    text = (json.dumps(plain(info), indent=1, ensure_ascii=False) + "\n").encode()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(text)
        try:
            os.link(temporary, path)
        except (OSError, NotImplementedError) as error:
            if isinstance(error, FileExistsError):
                raise
            with path.open("xb") as file:  # a disk without hard links
                file.write(text)
    except FileExistsError:
        raise RunError(
            f"another priscian score has just started in {path.parent}; give another --out"
        ) from None
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror}; free some space or give another --out"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


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


def environment() -> dict[str, str]:
    """Versions of the software that computed the scores."""
    found = {"python": platform.python_version(), "platform": sys.platform}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def name_columns(
    model: str, data: str, facts: DataFacts, usual: Sequence[str]
) -> list[polars.Expr]:
    """Model, data and one column for each level of the taxonomy, for a table with a column `set`.

    The levels in `usual` are always included, so that tables can be stacked.
    """
    import polars

    sets = list(facts.sets)
    classes = [
        polars.col("set")
        .replace_strict(
            sets,
            [facts.node(name, level) or None for name in sets],
            default=None,
            return_dtype=polars.String,
        )
        .alias(level)
        for level in dict.fromkeys((*usual, *facts.levels))
    ]
    return [polars.lit(model).alias("model"), polars.lit(data).alias("data"), *classes]


def with_names(
    table: polars.DataFrame, model: str, data: str, facts: DataFacts, usual: Sequence[str]
) -> polars.DataFrame:
    """The table with these columns first, unless it has them already or has no sets."""
    if "set" not in table.columns or "model" in table.columns:
        return table
    first = name_columns(model, data, facts, usual)
    names = {expression.meta.output_name() for expression in first}
    return table.select(*first, *(column for column in table.columns if column not in names))
