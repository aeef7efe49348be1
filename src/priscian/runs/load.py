"""Read run folders back: `run.json`, every summary, and tables on demand."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from priscian.errors import ChangedError, RunError, UnknownNameError
from priscian.files import inside, regular
from priscian.files.reading import Stamp, stamp_of
from priscian.runs.facts import FORMAT, DataFacts, ModelFacts, RunInfo
from priscian.runs.kinds.registry import find_kind, kinds
from priscian.runs.result import SUMMARY, FolderTables, Result, Run, check_columns

T = TypeVar("T")
Stamps = Mapping[Path, Stamp | None]
FILE = "run.json"
WAITS = (0.05, 0.2, 0.0)
"""Seconds after a failed attempt to read a folder that another process writes to."""


def load_run(path: str | Path) -> Run:
    """Load a run folder, as `score(…, out=path)` or `priscian score --out` wrote it.

    Numbers are read at once, tables of items only when they are used. An unfinished run
    has the results so far; `run.missing` names the others.

    >>> import os, tempfile
    >>> import priscian
    >>> folder = os.path.join(tempfile.mkdtemp(), "run")
    >>> _ = priscian.score("builtin:ngram", "generated:7,5", out=folder, only="wh_island")
    >>> run = priscian.load_run(folder)
    >>> run.finished, [result.kind for result in run]
    (True, ['pairs'])
    >>> sorted(set(run["builtin:ngram"].frame()["set"]))
    ['wh_island']
    """
    path = Path(path)
    for wait in WAITS:
        try:
            return _load(path)
        except ChangedError as error:  # another process may be writing a result just now
            failure = error
            time.sleep(wait)
    raise RunError(str(failure))


def _load(path: Path) -> Run:
    """Every file must be the one that `run.json` names by its hash.

    In runs of older versions, which have no hashes, it must be what it was when reading began.
    """
    stamps = {file: stamp_of(file) for file in (path / FILE, *path.glob("*/*/*"))}
    info = read_info(path)
    results = []
    for model, about in info.models.items():
        for name, data in info.request.data.items():
            place = inside(path, about.folder, data.folder)
            if (place / SUMMARY).is_file():
                results.append(_result(model, name, data, about, place, stamps))
    if any(r.data not in r.about.files for r in results):
        _refuse_changed(path / FILE, stamps)
    return Run(info, tuple(results), path)


def load_runs(paths: Sequence[str | Path]) -> list[Run]:
    """The runs in some folders, in their order; at least one result must be there."""
    if not paths:
        raise RunError("no runs; name the folders that priscian score `out=` made")
    runs = [load_run(path) for path in dict.fromkeys(map(Path, paths))]
    if not any(run.results for run in runs):
        names = ", ".join(str(path) for path in paths)
        raise RunError(
            f"nothing was finished in {names}; continue with priscian score `resume=True`"
        )
    return runs


def read_info(path: Path) -> RunInfo:
    """`run.json`, checked."""
    file = path / FILE
    if not file.is_file():
        raise RunError(f"{path} is not a run folder: it has no run.json")
    return read_record(file, RunInfo, str(path))


def read_record(file: Path, wanted: type[T], where: str = "") -> T:
    """A file of this version that is like `run.json`, checked."""
    raw = _decode(file, _read(file))
    if raw.get("format") != FORMAT and (not where or isinstance(raw.get("format"), int)):
        raise RunError(
            f"{where or file} was made by another version of Priscian; update to read it, or score "
            "again into another folder"
        )
    return _convert(raw, wanted, file)


def _result(
    model: str, name: str, data: DataFacts, about: ModelFacts, place: Path, stamps: Stamps
) -> Result:
    file = place / SUMMARY
    hashes = about.files.get(name, {})
    tables = FolderTables(place, hashes, {} if hashes else stamps)
    content = _read(file)
    known = hashes.get(SUMMARY)
    if known is None:
        _refuse_changed(file, stamps)
    elif hashlib.sha256(content).hexdigest() != known:
        raise ChangedError(
            f"{file} is not the one that run.json belongs to: a run is being written there, or "
            "files of two runs are mixed; read it later, or score again into another folder"
        )
    raw = _decode(file, content)
    try:
        kind = find_kind(str(raw.get("kind")))
    except UnknownNameError as error:
        raise RunError(f"{file}: {error} score it again into another folder") from None
    summary = _convert(raw, kind.summary, file)
    for what, said, wanted in (
        ("model", summary.model, model),
        ("data", summary.data, name),
        ("kind", summary.kind, data.kind),
    ):
        if said != wanted:
            raise _damaged(file, f"its {what} is {said!r}, in run.json {wanted!r}")
    strangers = [s for s in summary.by_set() if s not in data.sets]
    if strangers:
        raise _damaged(file, f"its set {strangers[0]!r} is not in run.json")
    result = Result(model, name, summary, data, about, tables)
    check_columns(result, "items", tables.columns("items"))
    return result


def _read(file: Path) -> bytes:
    try:
        return regular(file).read_bytes()
    except (OSError, ValueError) as error:
        raise _damaged(file, str(error)) from None


def _decode(file: Path, data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
        found = json.loads(text)
        if "\\ud" in text.lower():  # half of a character, which no file can hold
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise _damaged(file, str(error)) from None
    if not isinstance(found, dict):
        raise _damaged(file, "it is not a JSON object")
    return found


def _convert(raw: dict[str, Any], wanted: type[T], file: Path) -> T:
    try:
        return msgspec.convert(raw, wanted)
    except msgspec.ValidationError as error:
        raise _damaged(file, str(error)) from None


def _refuse_changed(file: Path, stamps: Stamps) -> None:
    if stamp_of(file) != stamps.get(file):
        raise RunError(f"{file} changed while it was read; run again when nothing writes to it")


def _damaged(file: Path, reason: str) -> RunError:
    return RunError(f"{file} cannot be read: {reason}; start again with another `out=`")


DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILES = ("run", "summary")


def json_schema(file: str) -> dict[str, Any]:
    """The schema of `run` or `summary`; a summary is one of the kinds of data.

    >>> json_schema("run")["$ref"]
    '#/$defs/RunInfo'
    """
    if file not in FILES:
        raise UnknownNameError("schema", file, FILES)
    wanted: Any = RunInfo
    if file == "summary":
        wanted = reduce(or_, (kind.summary for kind in kinds().values()))
    return {"$schema": DIALECT, "title": f"{file}.json", **msgspec.json.schema(wanted)}
