"""Make a run of its shards: check that they belong together, insert their scores, evaluate."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from priscian.errors import PriscianError, RunError, counted
from priscian.files.cache import network_disk
from priscian.files.reading import hash_of, stamp_of
from priscian.models import cache_folder
from priscian.records import Text
from priscian.runs.job import set_up
from priscian.runs.record import FILE, SHARDS, MergedFolder, Record
from priscian.runs.result import Run
from priscian.runs.shards import (
    ShardInfo,
    missing_line,
    missing_lines,
    part_of_model,
    read_shard,
    score_options,
    shard_file,
    shard_store,
)
from priscian.runs.work import RunWork, Watch, texts_to_score
from priscian.scoring import ScoreStore, Shard
from priscian.scoring.boundary import BOUNDARY
from priscian.scoring.engine import SCORE
from priscian.scoring.executors import warn_of_mixture
from priscian.scoring.shard import missing_shards
from priscian.scoring.store.scores import local_folder, open_to_read

PLANNED = ("way", "batch_tokens", "row_tokens", "digest", "inputs")
"""What the plans of all shards have in common."""
SUFFIXES = frozenset({".json", ".sqlite"})
_NAME = re.compile(r"(\d+)-of-(\d+)\.json")
_Shards = Mapping[Shard, ShardInfo]


def merge(run: str | Path, *, store: ScoreStore | None = None, watch: Watch | None = None) -> Run:
    """Make a run of the shards in its folder, as if one process had computed it.

    All shards must be there and finished, and agree about the request, the models' keys and the
    digests of the plans; every text must be in exactly one of them. Their scores go into the
    store, then every item is judged. The order in which shards were made is irrelevant.

    >>> import os, tempfile
    >>> import priscian
    >>> folder = os.path.join(tempfile.mkdtemp(), "run")
    >>> for number in (2, 1):
    ...     part = priscian.score("builtin:ngram", "generated:7,5,wh_island", out=folder,
    ...                           shard=(number, 2))
    >>> priscian.merge(folder)                                            # doctest: +ELLIPSIS
    <Run ...: 1 result, finished>
      <Result builtin:ngram on generated-7,5,wh_island (pairs): ... % (...), n = 5, 1 paradigm>
    """
    path = Path(run)
    files = _Files(path)
    shards = read_shards(path)
    if not os.access(path, os.W_OK):
        raise RunError(
            f"{path} cannot be written, and the run goes beside its shards; copy the folder to a "
            "place where you may write, and merge it there"
        )
    work = _set_up_again(path, shards)
    with nullcontext(store) if store else _usual_store() as kept:
        for number, source in enumerate(work.sources):
            assert source.model is not None
            if not source.traits.precomputed:
                _insert(shards, work, number, files, kept)
        files.check()
        record = Record.begin(
            _first(shards).request, path, resume=(path / FILE).is_file(), folder=MergedFolder
        )
        for source in work.sources:
            parts = [s.models[source.name] for s in shards.values() if source.name in s.models]
            if not parts:
                continue
            notes = {name: note for part in parts for name, note in part.notes.items()}
            if machines := dict.fromkeys(
                p.notes["machines"] for p in parts if "machines" in p.notes
            ):
                notes["machines"] = "; ".join(machines)
            record.update_model(
                source.name,
                string=parts[0].string,
                folder=parts[0].folder,
                key=parts[0].key,
                digest=parts[0].digest,
                plan=parts[0].plan,
                computed=sum(part.computed or 0 for part in parts),
                seconds=round(sum(part.seconds or 0.0 for part in parts), 2),
                notes=notes,
            )
        return work.run(record, kept, watch)


class _Files:
    """The files of shards, which must not change while they are merged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: set[Shard] = set()
        found = (path / SHARDS).glob("*-of-*.*")
        self.stamps = {file: stamp_of(file) for file in found if file.suffix in SUFFIXES}

    def check(self, *files: Path) -> None:
        """Refuse if one of some files, by default of all, is not what it was."""
        for file in files or self.stamps:
            if stamp_of(file) != self.stamps.get(file):
                raise RunError(
                    f"{file} changed while it was merged; merge again when nothing writes to "
                    f"{file.parent}"
                )

    def confirm(self, shard: Shard, info: ShardInfo) -> None:
        """The scores must be those that the shard computed; they are hashed once."""
        file = shard_store(self.path, shard)
        if shard not in self.known and info.store and file.is_file():
            if hash_of(file) != info.store:
                raise RunError(
                    f"{self.path}: {file.name} is not the file that shard {shard} made; delete "
                    f"{file.with_suffix('')}.* and "
                    + missing_line(info, self.path, shard, "is then missing")
                )
            self.known.add(shard)


def read_shards(path: Path) -> dict[Shard, ShardInfo]:
    """The shards of a run, complete and in agreement; otherwise an error with the remedy."""
    shards = find_shards(path)
    if not shards:
        raise RunError(f"{path} has no shards; make them with priscian score … `shard=1/8` `out=`")
    counts = sorted({shard.count for shard in shards})
    if len(counts) > 1:
        few = min(counts, key=lambda n: sum(shard.count == n for shard in shards))
        raise RunError(
            f"{path} has shards of runs with {' and with '.join(map(str, counts))} shards; delete "
            f"those that you do not want, such as {path / SHARDS}/*-of-{few}.*"
        )
    first = _first(shards)
    for shard, info in shards.items():
        if info.part != shard:
            raise RunError(
                f"{shard_file(path, shard)} is a copy of shard {info.part}; delete it and "
                + missing_line(info, path, shard, "is missing")
            )
        _agree(path, first, info)
    missing = missing_shards({shard.number for shard in shards}, counts[0])
    if missing:
        raise RunError(missing_lines(first, path, missing))
    for shard, info in shards.items():
        if info.status != "finished":
            why = f"failed ({info.error})" if info.error else "is not finished"
            raise RunError(missing_line(info, path, shard, why))
    for name in dict.fromkeys(name for info in shards.values() for name in info.models):
        told = [s.models[name].notes.get("machines") for s in shards.values() if name in s.models]
        machines = {machine for machine in told if machine}
        if len(machines) > 1:
            warn_of_mixture(name, list(machines))
    return shards


def find_shards(path: Path) -> dict[Shard, ShardInfo]:
    """The shards in a folder by the names of their files, in order; nothing is compared."""
    if not path.is_dir():
        raise RunError(f"{path} is not a folder; name the run folder that has the shards")
    found = {}
    for file in (path / SHARDS).glob("*-of-*.json"):
        name = _NAME.fullmatch(file.name)
        if name:
            found[Shard(int(name[1]), int(name[2]))] = read_shard(file)
    return dict(sorted(found.items(), key=lambda pair: (pair[0].count, pair[0].number)))


def _first(shards: _Shards) -> ShardInfo:
    return next(iter(shards.values()))


def _agree(path: Path, first: ShardInfo, other: ShardInfo) -> None:
    """Refuse a shard that was made of other data, another model or another plan."""
    different = first.request.differences(other.request)
    for name in first.models.keys() & other.models.keys():
        one, two = first.models[name], other.models[name]
        if one.digest and two.digest and one.digest != two.digest:
            different.append(f"key of {name}")
        if one.plan and two.plan and any(one.plan.get(f) != two.plan.get(f) for f in PLANNED):
            different.append(f"plan of {name}")
    if different:
        raise RunError(
            f"{path}: shards {first.part} and {other.part} do not belong together: they differ in "
            f"{', '.join(different)}; delete {shard_store(path, other.part).with_suffix('')}.* and "
            + missing_line(first, path, other.part, "is then missing")
        )


def _set_up_again(path: Path, shards: _Shards) -> RunWork:
    """Models and data of the request, read again; they must not have changed."""
    first = _first(shards)
    try:
        specs = [data.spec for data in first.request.data.values()]
        work = set_up(list(first.request.models), specs, score_options(first))
    except PriscianError as error:
        if Path.cwd() == Path(first.folder):
            raise
        raise RunError(
            f"{error} (the shards were made in {first.folder}: merge them there)"
        ) from None
    different = first.request.differences(work.request)
    if different:
        raise RunError(
            f"{path}: {', '.join(different)} changed since the shards were made; restore the files "
            "or score again with another `out=`"
        )
    for source in work.sources:
        assert source.model is not None
        digest = source.model.key.digest
        known = {s.models[source.name].digest for s in shards.values() if source.name in s.models}
        if known - {digest, ""}:
            raise RunError(
                f"{path}: the files of {source.model} changed since the shards were made; restore "
                "them or score again with another `out=`"
            )
    return work


def _insert(shards: _Shards, work: RunWork, number: int, files: _Files, kept: ScoreStore) -> None:
    """Insert one model's scores; every text must be in exactly one shard."""
    path, source = files.path, work.sources[number]
    assert source.model is not None
    key = source.model.key
    texts, boundary = texts_to_score(work.prepare(source))
    channels = {SCORE if source.traits.grades else "logp": list(dict.fromkeys(texts))}
    if boundary:
        channels[BOUNDARY] = list(dict.fromkeys(boundary))
    found: dict[str, dict[Text, Shard]] = {channel: {} for channel in channels}
    for shard, info in shards.items():
        if part_of_model(shard, number, len(work.sources)) is None:
            continue
        with _opened(path, shard, info) as store:
            for channel, wanted in channels.items():
                missing = store.missing(key, wanted, channel)
                for text in (t for t, gone in zip(wanted, missing, strict=True) if not gone):
                    other = found[channel].setdefault(text, shard)
                    if other != shard:
                        raise RunError(
                            f"{path}: shards {other} and {shard} both have scores of "
                            f"{text.text!r}; delete {shard_store(path, shard).with_suffix('')}.* "
                            "and " + missing_line(info, path, shard, "is then missing")
                        )
        said = info.models[source.name].texts or 0 if source.name in info.models else 0
        there = sum(owner == shard for owner in next(iter(found.values())).values())
        if there < said:
            what = f"has scores of {there} texts where it computed {said}"
            raise RunError(missing_line(info, path, shard, what))
    for channel, wanted in channels.items():
        lacking = [text for text in wanted if text not in found[channel]]
        if lacking:
            raise RunError(
                f"{path}: no shard has scores of {counted(len(lacking), 'text')} of {source.name}, "
                f"such as {lacking[0].text!r}; score again with another `out=`"
            )
    for shard, info in shards.items():
        with _opened(path, shard, info) as store:
            for channel, wanted in channels.items():
                rows = store.read(key, wanted, channel)
                files.confirm(shard, info)
                files.check(shard_store(path, shard), shard_file(path, shard))
                if rows:
                    kept.write(key, source.model.label, list(rows.items()), channel)


@contextmanager
def _opened(path: Path, shard: Shard, info: ShardInfo) -> Iterator[ScoreStore]:
    """A shard's store; an empty one if it had nothing to compute."""
    file = shard_store(path, shard)
    if file.is_file():
        with open_to_read(file, finished=True) as store:
            yield store
    elif any(facts.texts for facts in info.models.values()):
        raise RunError(missing_line(info, path, shard, f"has lost its store {file.name}"))
    else:
        with ScoreStore() as store:
            yield store


@contextmanager
def _usual_store() -> Iterator[ScoreStore]:
    """The user's store; one in a temporary folder if that would be on a network disk."""
    if not network_disk(cache_folder() / "scores.sqlite"):
        with ScoreStore.default() as store:
            yield store
        return
    with local_folder() as folder, ScoreStore(folder / "scores.sqlite") as store:
        yield store
