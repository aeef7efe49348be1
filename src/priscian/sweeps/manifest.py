"""What a sweep began with: hashes of its corpus, and the test part that all its models share."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from priscian.errors import DataError
from priscian.files import as_json, read_bytes, write_json, write_text
from priscian.runs.choose import INDEX
from priscian.sweeps.jobs import CorpusFile, Hashes, Manifest, SweepFolder
from priscian.sweeps.sweep import Sweep, largest_size
from priscian.training.corpora import hash_text
from priscian.training.subsets import Corpus, read_corpus

VERSION = 1


def hash_files(sweep: Sweep) -> dict[str, str]:
    """The hash of the text of every file, by its path."""
    return {name: hash_text(Path(name)) for name in (*sweep.corpus.files, *sweep.corpus.trees)}


def begin(place: SweepFolder, sweep: Sweep) -> Hashes:
    """Start a sweep in a folder, or go on with one that has the same corpus.

    Trees may change, since a grammar's job is identified by them: more text may be parsed later.
    """
    if place.has_begun():
        hashes = hash_files(sweep)
        place.check(_corpus(sweep, hashes), resume=True)
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
    place.begin(as_json(msgspec.to_builtins(made)))
    write_json(place.path / INDEX, [])  # from now on it is the folder of a sweep
    return hashes


def check_start(place: SweepFolder, sweep: Sweep) -> tuple[Corpus, dict[str, str]]:
    """The corpus of a sweep that can begin here: long enough, and the folder has nothing else.

    And the hashes of its files, as they were read, and of the trees.
    """
    place.check((), resume=True)
    files = sweep.corpus.files
    whole = read_corpus([Path(name) for name in files])
    whole.subset(largest_size(sweep), 1)  # or the last of all jobs would find it too short
    hashes = {name: mark for name, (_, mark) in zip(files, whole.files, strict=True)}
    return whole, hashes | {name: hash_text(Path(name)) for name in sweep.corpus.trees}


def _corpus(sweep: Sweep, hashes: Hashes) -> tuple[CorpusFile, ...]:
    return tuple(CorpusFile(name=Path(n).name, sha256=hashes[n]) for n in sweep.corpus.files)


def read_test(place: SweepFolder) -> list[str]:
    """The sentences of the test part, as they were when the sweep began."""
    data = read_bytes(place.test)
    if hashlib.sha256(data).hexdigest() != place.manifest().test:
        raise DataError(
            f"{place.test} has changed since the sweep began; restore it, or begin again with "
            "another `out=`"
        )
    # other separators may be part of a sentence
    return data.decode("utf-8", "surrogatepass").split("\n")[:-1]


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
