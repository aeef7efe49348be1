"""What a sweep began with: hashes of its corpus, and the test part that all its models share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from priscian.errors import DataError, RunError
from priscian.files import is_free, read_json, write_json, write_text
from priscian.runs.choose import INDEX
from priscian.sweeps.jobs import LOCK, Hashes, Place
from priscian.sweeps.sweep import Sweep, largest_size
from priscian.training.subsets import Corpus, hash_text, read_corpus

VERSION = 1


class CorpusFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file by its content; the same text packed in another way has the same hash."""

    name: str
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`manifest.json`."""

    version: int
    corpus: tuple[CorpusFile, ...]
    test: str
    """Hash of `corpus/test.txt`."""
    test_sentences: int


def hash_files(sweep: Sweep) -> dict[str, str]:
    """The hash of the text of every file, by its path."""
    return {name: hash_text(Path(name)) for name in (*sweep.corpus.files, *sweep.corpus.trees)}


def refuse_changed(sweep: Sweep, hashes: Hashes) -> None:
    """Compare the files with what they were when the jobs of a sweep were named."""
    now = hash_files(sweep)
    changed = [Path(name).name for name, mark in now.items() if hashes.get(name, mark) != mark]
    if changed:
        raise RunError(
            f"{', '.join(changed)} changed while the sweep was running; run the same command again"
        )


def begin(place: Place, sweep: Sweep) -> Hashes:
    """Start a sweep in a folder, or go on with one that has the same corpus.

    Trees may change, since a grammar's job is identified by them: more text may be parsed later.
    """
    hashes = hash_files(sweep)
    files = sweep.corpus.files
    corpus = tuple(CorpusFile(name=Path(name).name, sha256=hashes[name]) for name in files)
    if not place.manifest.is_file():
        test = check_start(place, sweep).test
        text = "".join(f"{sentence}\n" for sentence in test)
        write_text(place.test, text)
        made = Manifest(version=VERSION, corpus=corpus, test=_sha(text), test_sentences=len(test))
        write_json(place.manifest, msgspec.to_builtins(made))
        write_json(place.root / INDEX, [])  # from now on it is the folder of a sweep
        return hashes
    _compare(place, read_manifest(place).corpus, corpus)
    return hashes


def check_start(place: Place, sweep: Sweep) -> Corpus:
    """The corpus of a sweep that can begin here: long enough, and the folder has nothing else."""
    _refuse_other_contents(place.root)
    whole = read_corpus([Path(name) for name in sweep.corpus.files])
    whole.subset(largest_size(sweep), 1)  # or the last of all jobs would find it too short
    return whole


def read_manifest(place: Place) -> Manifest:
    """The manifest of a sweep that has begun."""
    return read_json(place.manifest, Manifest)


def read_test(place: Place) -> list[str]:
    """The sentences of the test part, as they were when the sweep began."""
    text = place.test.read_text("utf-8")
    if _sha(text) != read_manifest(place).test:
        raise DataError(
            f"{place.test} has changed since the sweep began; restore it, or begin again with "
            "another --out"
        )
    return text.split("\n")[:-1]  # other separators may be part of a sentence


def _refuse_other_contents(root: Path) -> None:
    if root.is_file():
        raise RunError(f"{root} is a file; give --out a folder")
    if not is_free(root, beside={"corpus", LOCK}):
        raise RunError(f"{root} is not empty and holds no sweep; give another --out")


def _compare(place: Place, old: Sequence[CorpusFile], new: Sequence[CorpusFile]) -> None:
    if [file.sha256 for file in old] == [file.sha256 for file in new]:
        return
    before = {file.name: file.sha256 for file in old}
    changed = [file.name for file in new if before.get(file.name, file.sha256) != file.sha256]
    if changed:
        said = f"{', '.join(changed)} changed since the sweep in {place.root} began"
    else:
        said = (
            f"the sweep in {place.root} began with other files of its corpus: "
            f"{', '.join(file.name for file in old)}"
        )
    raise RunError(
        f"{said}, so its models would not be comparable; restore the corpus, or give another --out"
    )


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
