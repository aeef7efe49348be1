"""The folder of a sweep: what it began with, its test part, and what of each job is done."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from priscian.errors import DataError, RunError
from priscian.files import as_json, inside, read_bytes, read_json, write_json, write_text
from priscian.files.folder import JobFolder
from priscian.runs import Run, load_run
from priscian.runs.choose import INDEX
from priscian.sweeps.jobs import Hashes, SweepJob
from priscian.sweeps.sweep import Sweep, largest_size, shared_sentences
from priscian.training.corpora import hash_text
from priscian.training.subsets import Corpus, ManifestFile, read_corpus

VERSION = 1
CARD = "card.json"
Note = TypeVar("Note")
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`manifest.json`: what a sweep began with."""

    version: int
    corpus: tuple[ManifestFile, ...]
    test: str
    """Hash of `corpus/test.txt`."""
    test_sentences: int


class PerplexityOnTest(msgspec.Struct, frozen=True, kw_only=True):
    """Perplexity per word on the shared test part."""

    perplexity: float
    nats: float
    words: int
    sentences: int
    unknown: int | None
    asked: int
    """Number of sentences that were asked for; there may be fewer."""
    longest: int
    options: str = ""
    """Options of the model string."""


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`jobs/NAME/record.json`: what of a job is done."""

    name: str
    trained: str
    scored: str = ""
    """Hash of the scoring that is done."""
    measured: PerplexityOnTest | None = None
    """On all the sentences that its model asks for."""
    shared: PerplexityOnTest | None = None
    """On those that all models of the sweep are measured on, if they are fewer."""
    seconds: dict[str, float] = msgspec.field(default_factory=dict)


class JobRecordFolder(JobFolder[str]):
    """The record and the log of one job of a sweep."""

    what, record = "job", "record.json"

    def read(self) -> str:
        """What decides its weights, as a hash."""
        return read_json(self.path / self.record, JobRecord).trained

    def differences(self, before: str, now: str) -> Sequence[str]:
        """Nothing: the name of the folder has the hash."""
        return []


class SweepFolder(JobFolder[tuple[ManifestFile, ...]]):
    """Where everything about a sweep is; it is known by its corpus.

    What is about all jobs is written by one process at a time, in the block of `locked`.
    """

    what, record, lock = "sweep", "manifest.json", ".sweep.lock"
    beside = frozenset({"corpus"})

    def read(self) -> tuple[ManifestFile, ...]:
        """The corpus that it began with."""
        return self.manifest().corpus

    def manifest(self) -> Manifest:
        """What the sweep began with."""
        return read_json(self.path / self.record, Manifest)

    def differences(
        self, before: tuple[ManifestFile, ...], now: tuple[ManifestFile, ...]
    ) -> Sequence[str]:
        """Files that have changed, or that are others."""
        if [file.sha256 for file in before] == [file.sha256 for file in now]:
            return []
        old = {file.name: file.sha256 for file in before}
        changed = [file.name for file in now if old.get(file.name, file.sha256) != file.sha256]
        if changed:
            return [f"{', '.join(changed)} changed since the sweep in {self.path} began"]
        named = ", ".join(file.name for file in before)
        return [f"the sweep in {self.path} began with other files of its corpus: {named}"]

    def refuse_other(self, different: Sequence[str]) -> None:
        """Refuse another corpus."""
        raise RunError(
            f"{different[0]}, so its models would not be comparable; restore the corpus, or give "
            "another `out=`"
        )

    def model(self, job: SweepJob) -> Path:
        """The folder of a job's model."""
        return inside(self.path, "models", job.model_folder)

    def run(self, job: SweepJob) -> Path:
        """The run folder of a job's model."""
        return inside(self.path, "runs", job.run_folder)

    def job(self, job: SweepJob) -> JobRecordFolder:
        """The folder of a job's record and log."""
        return JobRecordFolder(inside(self.path, "jobs", job.model_folder))

    @property
    def test(self) -> Path:
        """The sentences of the test part."""
        return self.path / "corpus" / "test.txt"


class CardCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """What a card says of its part of the corpus."""

    words: Count
    left_out: Count = 0


class SweepCard(msgspec.Struct, frozen=True, kw_only=True):
    """`card.json` of a model of a sweep."""

    parameters: Count
    tokens_seen: Count
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    vocabulary: Count
    closed_vocabulary: bool
    corpus: CardCorpus


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
        test=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
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


def _corpus(sweep: Sweep, hashes: Hashes) -> tuple[ManifestFile, ...]:
    return tuple(ManifestFile(name=Path(n).name, sha256=hashes[n]) for n in sweep.corpus.files)


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


def read_record(place: SweepFolder, job: SweepJob) -> JobRecord:
    """What of a job is done; nothing if it has not begun."""
    folder = place.job(job)
    if not folder.has_begun():
        return JobRecord(name=job.name, trained=job.trained)
    return _read_note(folder.path / folder.record, JobRecord)


def write_record(place: SweepFolder, job: SweepJob, **changes: Any) -> None:
    """Change what is said of a job."""
    folder = place.job(job)
    record = msgspec.structs.replace(read_record(place, job), **changes)
    write_json(folder.path / folder.record, msgspec.to_builtins(record))


def _read_note(file: Path, form: type[Note]) -> Note:
    try:
        return read_json(file, form)
    except DataError as error:
        raise DataError(f"{error}; or delete it, and it is made again") from None


def read_card(place: SweepFolder, job: SweepJob) -> SweepCard:
    """The card of a model that is trained."""
    return _read_note(place.model(job) / CARD, SweepCard)


def read_run(place: SweepFolder, job: SweepJob) -> Run:
    """The run of a job that is scored, with a result for each of its data strings."""
    run = load_run(place.run(job))
    if not len(job.on) == len(run.results) == len(run.info.request.data):
        raise RunError(
            f"{place.run(job)} has results on other data than {', '.join(job.on)}; delete it, and "
            "it is scored again"
        )
    return run


def missing_of(place: SweepFolder, job: SweepJob, sweep: Sweep) -> list[str]:
    """The stages of a job that are still to be done: train, score, perplexity."""
    record = read_record(place, job)
    found = []
    if not (place.model(job) / CARD).is_file():
        found.append("train")
    if job.on and (record.scored != job.scored or not (place.run(job) / "run.json").is_file()):
        found.append("score")
    if not all(measured_on(record, asked, job, sweep) for asked in asked_of(job, sweep)):
        found.append("perplexity")
    return found


def measured_on(
    record: JobRecord, asked: int, job: SweepJob, sweep: Sweep
) -> PerplexityOnTest | None:
    """The perplexity on a number of sentences, if it is there and was made with these settings."""
    wanted = (asked, sweep.scoring.max_length, job.options)
    for made in (record.shared, record.measured):
        if made is not None and wanted == (made.asked, made.longest, made.options):
            return made
    return None


def asked_of(job: SweepJob, sweep: Sweep) -> list[int]:
    """Numbers of test sentences: the model's own, and that of the sweep if it is smaller."""
    return sorted({job.test_sentences, shared_sentences(sweep)}) if job.test_sentences else []
