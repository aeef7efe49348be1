"""What a sweep began with: hashes of its corpus, and the test part that all its models share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from priscian.errors import DataError, RunError
from priscian.files import is_free, read_bytes, read_json, write_json, write_text
from priscian.runs.choose import INDEX
from priscian.sweeps.jobs import LOCK, Hashes, Place
from priscian.sweeps.sweep import Sweep, largest_size
from priscian.training.corpora import hash_text
from priscian.training.subsets import Corpus, read_corpus

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


def begin(place: Place, sweep: Sweep) -> Hashes:
    """Start a sweep in a folder, or go on with one that has the same corpus.

    Trees may change, since a grammar's job is identified by them: more text may be parsed later.
    """
    if place.manifest.is_file():
        hashes = hash_files(sweep)
        _compare(place, read_manifest(place).corpus, _corpus(sweep, hashes))
        return hashes
    whole, hashes = check_start(place, sweep)
    text = "".join(f"{sentence}\n" for sentence in whole.test)
    write_text(place.test, text)
    made = Manifest(
        version=VERSION,
        corpus=_corpus(sweep, hashes),
        test=_sha(text),
        test_sentences=len(whole.test),
    )
    write_json(place.manifest, msgspec.to_builtins(made))
    write_json(place.root / INDEX, [])  # from now on it is the folder of a sweep
    return hashes


def check_start(place: Place, sweep: Sweep) -> tuple[Corpus, dict[str, str]]:
    """The corpus of a sweep that can begin here: long enough, and the folder has nothing else.

    And the hashes of its files, as they were read, and of the trees.
    """
    _refuse_other_contents(place.root)
    files = sweep.corpus.files
    whole = read_corpus([Path(name) for name in files])
    whole.subset(largest_size(sweep), 1)  # or the last of all jobs would find it too short
    hashes = {name: mark for name, (_, mark) in zip(files, whole.files, strict=True)}
    return whole, hashes | {name: hash_text(Path(name)) for name in sweep.corpus.trees}


def _corpus(sweep: Sweep, hashes: Hashes) -> tuple[CorpusFile, ...]:
    return tuple(CorpusFile(name=Path(n).name, sha256=hashes[n]) for n in sweep.corpus.files)


def read_manifest(place: Place) -> Manifest:
    """The manifest of a sweep that has begun."""
    return read_json(place.manifest, Manifest)


def read_test(place: Place) -> list[str]:
    """The sentences of the test part, as they were when the sweep began."""
    data = read_bytes(place.test)
    if hashlib.sha256(data).hexdigest() != read_manifest(place).test:
        raise DataError(
            f"{place.test} has changed since the sweep began; restore it, or begin again with "
            "another --out"
        )
    # other separators may be part of a sentence
    return data.decode("utf-8", "surrogatepass").split("\n")[:-1]


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
