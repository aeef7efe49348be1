"""A study with its items and lists as one frozen file: what is served, and its SHA-256."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from priscian.errors import DataError
from priscian.files import read_bytes, read_text
from priscian.judge.check import check_study
from priscian.judge.design import TrialList, draw_trials, make_lists, read_lists
from priscian.judge.items import BAD, GOOD, Kind, Material, read_items, read_materials
from priscian.judge.study import FILE, CheckTexts, Study, parse_study, read_study, texts

FROZEN = "frozen.json"
FORMAT = 1


def _plain(found: object) -> Any:
    """A struct as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(found))


LATER: Mapping[str, Mapping[str, object]] = {
    "checks": {"texts": _plain(CheckTexts())},
    "exclusion": {"total_time_below": 0.0, "one_side_above": 0.0, "implausible": False},
    "platform": {"required": True},
}
"""Settings that the first version of this format did not have, by table, with their defaults. A
study that leaves them alone keeps the hash that it was frozen or registered with."""


class Frozen(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that serving needs; `sources` has the SHA-256 of each file it was made from."""

    format: int = FORMAT
    version: int = 1
    hash: str = ""
    hashes: Mapping[str, str] = {}
    """SHA-256 of the study, the items and the lists, one by one."""
    sources: Mapping[str, str] = {}
    study: Study
    materials: Mapping[str, Material]
    plans: tuple[TrialList, ...]

    def plan(self, number: int) -> TrialList:
        """The list of a number."""
        return self.plans[number - 1]


def build(folder: Path) -> Frozen:
    """Read a study and everything it names, and make its lists; every rule is checked."""
    study = read_study(folder)
    check_study(study)
    items = read_items(study, folder)
    materials = {m.id: m for m in items}
    tables: dict[Kind, str] = {
        "filler": study.fillers.table,
        "practice": study.practice.table,
        "gold": study.checks.gold,
    }
    extras: list[Material] = []
    for kind, table in tables.items():
        if table:
            extras += read_materials(folder / table, study.task == "choice", kind)
    for extra in [*extras, *instructed(study)]:
        if extra.kind == "gold" and not extra.answer:
            raise DataError(f"gold sentence {extra.id} has no answer; fill in the column answer")
        if extra.id in materials:
            raise DataError(
                f"the id {extra.id!r} is used for an item and a {extra.kind}; rename one"
            )
        materials[extra.id] = extra
    if study.lists.table:
        plans = read_lists(folder / study.lists.table, study, materials)
    else:
        plans = make_lists(study, items)
    for plan in plans:
        draw_trials(study, materials, plan, "check")
    root, name = (folder, FILE) if folder.is_dir() else (folder.parent, folder.name)
    names = (name, study.items.table, study.lists.table, *tables.values())
    hashes = _hashes(study, list(materials.values()), plans)
    return Frozen(
        hash=_whole(hashes),
        hashes=hashes,
        sources={n: hashlib.sha256(read_bytes(root / n)).hexdigest() for n in names if n},
        study=study,
        materials=materials,
        plans=tuple(plans),
    )


def instructed(study: Study) -> list[Material]:
    """Checks that say what to answer; a few more than each sitting has, so that they vary."""
    if not study.checks.instructed:
        return []
    own = {name: said for name, said in _plain(study.checks.texts).items() if said}
    said = {**texts(study.language)["checks"], **own}
    rng = random.Random(f"{study.seed}/checks")
    made = []
    for n in range(max(3, study.checks.instructed)):
        if study.task == "choice":
            conditions = {
                GOOD: said["choose"][n % len(said["choose"])],
                BAD: said["avoid"][n % len(said["avoid"])],
            }
            answer = GOOD
        else:
            answer = {
                "likert": str(1 + (n * 4 + rng.randrange(2)) % study.scale.points),
                "binary": ("no", "yes")[n % 2],
                "magnitude": str((20, 70, 250)[n % 3]),
            }[study.task]
            shown = {"yes": study.scale.yes, "no": study.scale.no}.get(answer, answer)
            conditions = {"sentence": said[study.task].replace("{answer}", shown)}
        made.append(
            Material(
                id=f"check-{n + 1}", kind="check", set="check", conditions=conditions, answer=answer
            )
        )
    return made


def _hashes(study: object, items: object, lists: object) -> dict[str, str]:
    """SHA-256 of each part; settings of `LATER` are in it only if they are used."""
    settings: dict[str, Any] = _plain(study)
    for table, added in LATER.items():
        own = settings.get(table, {})
        settings[table] = {k: v for k, v in own.items() if k not in added or v != added[k]}
    parts = {"study": settings, "items": items, "lists": lists}
    return {
        name: hashlib.sha256(msgspec.json.encode(part, order="sorted")).hexdigest()
        for name, part in parts.items()
    }


def _whole(hashes: Mapping[str, str]) -> str:
    return hashlib.sha256("".join(hashes.values()).encode()).hexdigest()


def encode(frozen: Frozen) -> bytes:
    """The bytes of a frozen study."""
    return msgspec.json.encode(frozen)


def decode(data: bytes | str, where: str = FROZEN) -> Frozen:
    """A frozen study from its bytes."""
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        frozen = msgspec.json.decode(text, type=Frozen)
        raw = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DataError(f"{where}: damaged ({error}); run priscian judge freeze again") from None
    if frozen.format > FORMAT:
        raise DataError(
            f"{where}: written by a newer Priscian (format {frozen.format}); update this one"
        )
    # of the JSON itself, since a study of an earlier Priscian has fewer fields than ours
    hashes = _hashes(raw["study"], list(raw["materials"].values()), raw["plans"])
    named = all(name == material.id for name, material in frozen.materials.items())
    if not named or (hashes, _whole(hashes)) != (frozen.hashes, frozen.hash):
        raise DataError(
            f"{where}: changed since it was frozen, so that its hash is wrong; restore it, or run "
            "priscian judge freeze again"
        )
    return frozen


def read_frozen(folder: Path) -> Frozen | None:
    """The frozen study of a folder, if there is one."""
    file = folder / FROZEN
    return decode(read_bytes(file), str(file)) if file.is_file() else None


def is_current(folder: Path, frozen: Frozen) -> bool:
    """Whether the files of the folder are those that were frozen."""
    study = folder / FILE
    if study.is_file():
        parse_study(read_text(study), str(study))  # complain about the file, not the hash
    return all(
        (folder / name).is_file() and hashlib.sha256(read_bytes(folder / name)).hexdigest() == sha
        for name, sha in frozen.sources.items()
    )
