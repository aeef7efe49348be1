"""What a transfer analysis saves: how it was made, and counts for every classifier and paradigm.

Accuracies, correlations, intervals, asymmetries and clusters are computed from the counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from priscian.errors import DataError
from priscian.files import HIDDEN, read_json, write_text

FILE = "transfer.json"

Trained = Literal["matrix", "without_phenomenon", "without_paradigm", "size_without", "size_within"]
"""On one phenomenon; on all but one phenomenon or paradigm; the first and the second of these
on fewer pairs of each paradigm, tested on the phenomenon itself."""
Learner = Literal["probe", "equal", "shuffled", "bag"]
"""A probe on hidden states; one whose training phenomena have equally many pairs; one whose labels
are shuffled; a bag of n-grams."""
Words = Literal["same", "other"]
"""Test pairs with the words of the training half of the lexicon, or with those of the other."""

LEARNERS: tuple[Learner, ...] = ("probe", "equal", "shuffled", "bag")
WORDS: tuple[Words, ...] = ("same", "other")


class Tally(msgspec.Struct, frozen=True, array_like=True):
    """How one classifier did on the test pairs of one paradigm, summed over `draws` fits.

    `right` counts pairs whose good sentence has the higher logit, ties as halves. The last four
    count single sentences: a logit above 0 says acceptable.
    """

    trained: Trained
    learner: Learner
    words: Words
    source: str
    size: int
    target: str
    draws: int
    pairs: int
    right: float
    ties: int
    true_good: int
    true_bad: int
    false_good: int
    false_bad: int


class OwnChoice(msgspec.Struct, frozen=True, array_like=True):
    """How often the model itself gives the good sentence of a pair the higher log-probability."""

    words: Words
    target: str
    pairs: int
    right: float
    ties: int


class ParadigmPlace(msgspec.Struct, frozen=True, array_like=True):
    """A paradigm's place in the taxonomy."""

    uid: str
    phenomenon: str
    field: str


class TransferRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The whole analysis, as `transfer.json` holds it; JSON of a result hides the counts."""

    kind: Annotated[Literal["transfer"], HIDDEN] = "transfer"
    version: Annotated[Literal[1], HIDDEN] = 1
    encoder: str
    view: str
    chosen_by: str
    """The name of the probe whose view and penalty are used; empty if they were given."""
    c: float
    pairs: int
    test_pairs: int
    seed: int
    test_seed: int
    draws: int
    sizes: Annotated[tuple[int, ...], HIDDEN]
    model: str = ""
    """The language model of `own`; empty if there is none."""
    paradigms: Annotated[tuple[ParadigmPlace, ...], HIDDEN]
    tallies: Annotated[tuple[Tally, ...], HIDDEN]
    own: Annotated[tuple[OwnChoice, ...], HIDDEN] = ()
    made_by: str = ""


class _Kind(msgspec.Struct, frozen=True):
    kind: str = ""


def write_record(folder: Path, record: TransferRecord) -> Path:
    """Write `transfer.json` of a folder, atomically."""
    file = folder / FILE
    write_text(file, msgspec.json.encode(record).decode() + "\n")
    return file


def read_record(path: Path) -> TransferRecord:
    """The record of a folder, or of the file itself."""
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise DataError(f"{path} has no {FILE}; give the folder of a saved transfer analysis")
    return read_json(file, TransferRecord)


def is_record(path: Path) -> bool:
    """Whether a path is a saved transfer analysis, or the folder of one."""
    if path.is_dir():
        return (path / FILE).is_file()
    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        return read_json(path, _Kind).kind == "transfer"
    except DataError:
        return False
