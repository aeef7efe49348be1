"""Make a study, open its store, freeze it; what an edit after the first participant means."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from priscian.errors import DataError, UsageError
from priscian.files import refuse_replacing, write_bytes, write_text
from priscian.judge.databases import Postgres, Sqlite
from priscian.judge.frozen import (
    FROZEN,
    Frozen,
    build,
    decode,
    encode,
    is_current,
    read_frozen,
)
from priscian.judge.store import Store
from priscian.judge.study import FILE, preset, texts

DATABASE = "judge.sqlite"


@dataclass(frozen=True, slots=True)
class NewStudy:
    """Where a study was written, and what it comes to."""

    file: Path
    frozen: Frozen


def new_study(name: str, on: str, out: Path) -> NewStudy:
    """A folder with the study of a preset on a data set; rules that cannot be kept are loosened.

    With items of a single set no order keeps them apart, so the rule about sets is set to 0.
    """
    file = out / FILE
    if file.exists():
        raise UsageError(f"{file} exists; choose another folder, or edit it")
    form, colon, target = on.partition(":")
    if colon and target and Path(target).exists():  # a string that means the same from the folder
        on = f"{form}:{Path(target).resolve()}"
    elif Path(on).exists():
        on = str(Path(on).resolve())
    listed = "\n".join(f"# {word} = {_quoted(said)}" for word, said in texts()["words"].items())
    text = preset(name).replace('"SOURCE"', _quoted(on)) + (
        "\n[pages]\n# welcome, instructions, end: Markdown of your own\n\n"
        "[consent]\n# text, retention, contact: shown before anything else\n\n"
        f"[words]  # of the pages, in the language of your participants\n{listed}\n"
    )
    write_text(file, text)
    try:
        return NewStudy(file, build(out))
    except DataError as error:
        if "cannot be ordered" not in str(error):
            file.unlink()
            raise
    write_text(file, text.replace("between_same_set = 1", "between_same_set = 0"))
    return NewStudy(file, build(out))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def refuse_own_files(out: Path, folder: Path, database: str = "") -> None:
    """Refuse an output that would take the place of the study's own files, or of its answers."""
    frozen = read_frozen(folder)
    names = [FILE, FROZEN, *(frozen.sources if frozen else ())]
    answers = database or str(folder / DATABASE)
    own = [answers, f"{answers}-wal", f"{answers}-shm", *(folder / name for name in names)]
    refuse_replacing(out, map(Path, own), "the study's own file")


def open_store(folder: Path, database: str = "") -> Store:
    """The store of a study: a file in its folder unless another file or Postgres is named."""
    if database.startswith(("postgresql://", "postgres://")):
        return Store(Postgres(database))
    if not database:
        _must_exist(folder)
    return Store(Sqlite(Path(database) if database else folder / DATABASE))


def _must_exist(folder: Path) -> None:
    if not (folder / FILE).is_file():
        raise DataError(f"no study {str(folder / FILE)!r}; make one with priscian judge new")


def freeze_study(folder: Path, database: str = "") -> Frozen:
    """Freeze a study as it stands; once somebody has begun, an edit makes a new version."""
    made = build(folder)
    with closing(open_store(folder, database)) as store, store.backend.transaction():
        store.backend.lock()
        versions = store.versions()
        number = versions[-1][0] if versions else 1
        if versions and versions[-1][1] != made.hash and _begun(store, number):
            number += 1
        frozen = msgspec.structs.replace(made, version=number)
        lists = {plan.number: plan.part for plan in frozen.plans}
        store.add_version(number, frozen.hash, encode(frozen).decode(), lists)
    write_bytes(folder / FROZEN, encode(frozen))
    return frozen


def _begun(store: Store, version: int) -> bool:
    return any(s.version == version for s in store.sittings())


def ready(folder: Path, database: str = "") -> Frozen:
    """The frozen study to serve; frozen now if it was not, or if nobody has begun yet."""
    _must_exist(folder)
    frozen = read_frozen(folder)
    if frozen is None:
        return freeze_study(folder, database)
    with closing(open_store(folder, database)) as store:
        known = (frozen.version, frozen.hash) in store.versions()
        begun = _begun(store, frozen.version)
    if known and is_current(folder, frozen):
        return frozen
    if begun:
        raise DataError(
            f"{folder}: the study was edited after version {frozen.version} was frozen and people "
            f"have begun it; run priscian judge freeze {folder} to make version "
            f"{frozen.version + 1}, or undo the edit"
        )
    return freeze_study(folder, database)


def latest(store: Store, folder: Path) -> Frozen:
    """The latest version that the store has; nothing is frozen or changed."""
    versions = store.versions()
    if not versions:
        raise DataError(f"{folder}: nothing has been served yet; run priscian judge serve {folder}")
    return stored_version(store, versions[-1][0])


def stored_version(store: Store, version: int) -> Frozen:
    """The study that a version of the store is of."""
    return decode(store.body(version), f"version {version}")


@dataclass(slots=True)
class Versions:
    """Frozen studies by version, read from the store when first needed."""

    found: dict[int, Frozen]

    def of(self, store: Store, version: int) -> Frozen:
        """The study that somebody saw."""
        if version not in self.found:
            self.found[version] = stored_version(store, version)
        return self.found[version]
