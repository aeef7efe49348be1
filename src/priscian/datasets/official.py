"""The official files of data sets: fetched once from their public homes into the cache.

Each file's SHA-256 is pinned, or recorded when it is first fetched and required afterwards. A data
set is a folder `CACHE/data/NAME/PART` with its record, `PART.json`, beside it; a folder that was
filled by hand is taken as it is, and recorded in the same way.
"""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

import msgspec

from priscian.datasets.reference import DATA
from priscian.errors import DataError, UnknownNameError, UsageError, counted
from priscian.files import TABLE_SUFFIXES, read_json, read_text, read_tsv, write_json
from priscian.files.cache import Say, cache_folder, move_into_place, scratch_folder, tell
from priscian.files.reading import hash_of, unnoted
from priscian.files.unpack import unpack

ALL = "all"
ARCHIVES = (".zip", ".tar.gz", ".tgz")
HUB = "https://huggingface.co/"


class Official(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the files of a data set are; the head of `official.toml` explains the fields."""

    home: str
    base: str = ""
    file: str = ""
    parts: tuple[str, ...] = ()
    terms: str = ""


class FetchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What was fetched: SHA-256 of each address, and of each file in the folder."""

    date: str
    downloads: Mapping[str, str]
    files: Mapping[str, str]


@cache
def officials() -> dict[str, Official]:
    """Every data set whose official files have a known home."""
    found = tomllib.loads(read_text(DATA / "official.toml"))
    return msgspec.convert(found, dict[str, Official])


@cache
def _pins() -> dict[str, dict[str, str]]:
    """By data set, the names of its files with their SHA-256, empty where it is not known."""
    found: dict[str, dict[str, str]] = {}
    for _, row in read_tsv(DATA / "official_files.tsv", ("data", "file"), ("sha256",)):
        found.setdefault(row["data"], {})[row["file"]] = row["sha256"]
    return found


def data_folder() -> Path:
    """Where fetched data sets are kept."""
    return cache_folder() / "data"


def official_paths(name: str, target: str, say: Say = tell) -> list[str]:
    """The paths that a data string's target stands for: itself, or folders of official files.

    Nothing stands for the whole data set, `deu` and `deu,fra` for parts of it.
    """
    source = officials().get(name)
    if source is None or (target and Path(target).exists()):
        return [target]
    asked = target.split(",") if target else []
    if source.parts and not asked:
        raise UsageError(
            f"{name} has {len(source.parts)} parts; name some, such as {name}:deu or "
            f"{name}:deu,fra, or give a path"
        )
    if not source.parts and target:
        return [target]  # the reader says that there is no such path
    for part in asked:
        if part not in source.parts:
            raise UnknownNameError(f"file, folder or part of {name}", part, source.parts)
    return [str(fetch_official(name, part, say)) for part in asked or [""]]


def fetch_official(name: str, part: str = "", say: Say = tell) -> Path:
    """The folder of a data set's official files; they are downloaded if they are not there."""
    source = officials()[name]
    if not source.base:
        raise UsageError(
            f"{name} is not fetched, because {source.terms}; get it from {source.home} and give "
            f"its path: `on={name}:PATH`"
        )
    folder = data_folder() / name / (part or ALL)
    note = folder.with_name(f"{folder.name}.json")
    with unnoted():
        known = read_json(note, FetchRecord) if note.is_file() else None
    wanted = {source.file.format(part=part): ""} if part else _pins()[name]
    if folder.is_dir():
        _accept(folder, note, known, {Path(file).name: pin for file, pin in wanted.items()})
        return folder
    say(f"{name}: fetching {counted(len(wanted), 'file')} from {source.home}, once …")
    from priscian.files.web import download  # httpx takes time to load

    mirror = os.environ.get("HF_ENDPOINT")  # of the Hub, as elsewhere
    base = source.base.replace(HUB, mirror.rstrip("/") + "/", 1) if mirror else source.base
    with unnoted(), scratch_folder(data_folder()) as shop:
        made = shop / "made"
        made.mkdir()
        downloads = {}
        for file, pin in wanted.items():
            url, got = base + file, shop / Path(file).name
            try:
                digest = downloads[url] = download(url, got)
            except ConnectionError as error:
                raise DataError(
                    f"cannot fetch {url} ({error}); download the files of {source.home} elsewhere "
                    f"and put them into {folder}, or give the path of your copy: `on={name}:PATH`"
                ) from None
            if pin and digest != pin:
                raise DataError(
                    f"{url} is not the published file: its SHA-256 is {digest}, not {pin}; nothing "
                    f"was kept. If you trust another copy, give its path: `on={name}:PATH`"
                )
            before = known.downloads.get(url) if known else None
            if known and before and digest != before:
                raise DataError(
                    f"{url} has changed since {known.date}: its SHA-256 is {digest}, not {before}; "
                    f"nothing was kept. If its authors have changed it on purpose, delete {note} "
                    "and run again"
                )
            if got.name.endswith(ARCHIVES):
                unpack(got, made, TABLE_SUFFIXES)
            else:
                got.rename(made / got.name)
        record = _record(made, downloads)
        write_json(note, msgspec.to_builtins(record))
        move_into_place(made, folder, shop, partial(_is_whole, record))
    return folder


def _record(folder: Path, downloads: Mapping[str, str]) -> FetchRecord:
    files = {f.name: hash_of(f) for f in sorted(folder.iterdir()) if f.is_file()}
    return FetchRecord(date=time.strftime("%Y-%m-%d"), downloads=downloads, files=files)


def _is_whole(record: FetchRecord, folder: Path) -> bool:
    try:
        return all(hash_of(folder / name) == digest for name, digest in record.files.items())
    except OSError:
        return False


def _accept(folder: Path, note: Path, known: FetchRecord | None, wanted: Mapping[str, str]) -> None:
    """Check a folder against its record, or record a folder that was filled by hand."""
    if known is not None:
        for name, digest in known.files.items():
            if not (folder / name).is_file() or hash_of(folder / name) != digest:
                raise DataError(
                    f"{folder / name} is missing or has changed since {known.date}; delete "
                    f"{folder} to fetch it again"
                )
        return
    plain = {name: pin for name, pin in wanted.items() if not name.endswith(ARCHIVES)}
    missing = [name for name in plain if not (folder / name).is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(
            f"{folder} has no {missing[0]}{more}; put it there too, or delete the folder to fetch "
            "everything"
        )
    record = _record(folder, {})
    for name, pin in plain.items():
        if pin and record.files[name] != pin:
            raise DataError(
                f"{folder / name} is not the published file: its SHA-256 is {record.files[name]}, "
                f"not {pin}; replace it"
            )
    write_json(note, msgspec.to_builtins(record))
