"""Labelled sentences to train a classifier on, and to test it on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.cola import (
    FEATURES,
    IN_DEV,
    OUT_DEV,
    OUT_TEST,
    SPLITS,
    TRAIN,
    read_cola,
    read_cola_sets,
)
from priscian.errors import DataError, UsageError
from priscian.files import steady

FILES = {
    TRAIN: SPLITS["train"],
    IN_DEV: FEATURES["major"],
    OUT_DEV: FEATURES["major"],
    OUT_TEST: SPLITS["test"],
}
"""Where the sentences of each set are."""
_OTHER = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Labelled:
    """Sentences with their labels; True is acceptable."""

    name: str
    texts: tuple[str, ...]
    labels: tuple[bool, ...]
    ids: tuple[str, ...] = ()
    file: str = ""
    """Where they are from."""

    @property
    def digest(self) -> str:
        """A hash of the sentences and labels, in order."""
        rows = list(zip(self.texts, self.labels, strict=True))
        return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()

    def check_both(self, *, folds: bool = False) -> None:
        """Refuse sentences that all have one label; with `folds`, two must have the rarer one.

        Cross-validation needs both labels in what is left when one fold is held out.
        """
        good = sum(self.labels)
        rarer, label = min((good, "acceptable"), (len(self.labels) - good, "unacceptable"))
        if rarer > folds:
            return
        if rarer:
            found = f"only 1 of {len(self.labels)} sentences is {label}; cross-validation needs 2"
        elif self.labels:
            other = {"acceptable": "unacceptable", "unacceptable": "acceptable"}[label]
            found = f"all {len(self.labels)} sentences are {other}; a classifier needs"
            found += " acceptable and unacceptable ones"
        else:
            found = "no sentences; a classifier needs acceptable and unacceptable ones"
        where = f"{self.file}: " if self.file else ""
        raise DataError(f"{where}{self.name}: {found}; add {label} sentences")


@dataclass(frozen=True, slots=True)
class ClassifierData:
    """What a classifier is trained on, and the sets that it is tested on, by name."""

    spec: str
    train: Labelled
    sets: Mapping[str, Labelled]
    without_sources: tuple[str, ...] = ()

    @property
    def dev(self) -> Labelled:
        """The set on which a restart is chosen and probabilities are calibrated."""
        return self.sets[IN_DEV]

    @property
    def test(self) -> Labelled:
        """The out-of-domain test set."""
        return self.sets[OUT_TEST]

    @property
    def digest(self) -> str:
        """A hash of the training sentences and labels, in order."""
        return self.train.digest

    @property
    def tested(self) -> dict[str, str]:
        """A hash of every set that classifiers are tested on, by name."""
        return {name: found.digest for name, found in self.sets.items()}

    def all_texts(self) -> list[str]:
        """Every sentence once, training sentences first."""
        every = [self.train.texts, *(s.texts for s in self.sets.values())]
        return list(dict.fromkeys(text for texts in every for text in texts))


def read_data(spec: str, without_sources: Sequence[str] = ()) -> ClassifierData:
    """The data of a string `cola:DIR`."""
    form, _, target = spec.partition(":")
    if form != "cola" or not target:
        raise UsageError(
            f"classifiers are trained on CoLA's labelled sentences, not on {spec!r}; give "
            "`on=cola:DIR`"
        )
    return read_cola_data(Path(target), without_sources)


def read_cola_data(folder: Path, without_sources: Sequence[str] = ()) -> ClassifierData:
    """CoLA: training sentences, without those of in-domain dev and of some sources, and the rest.

    In-domain dev is the annotated sentences marked `In`; some of them are also in the training
    file, from which they are removed.
    """
    names = (*SPLITS.values(), *FEATURES.values())
    with steady(folder / name for name in names):
        found = {itemset.name: itemset for itemset in read_cola_sets(folder)}
        missing = [name for name in (IN_DEV, OUT_TEST) if name not in found]
        if missing:
            raise DataError(
                f"{folder}: no {' and no '.join(missing)} sentences; give the folder of CoLA's "
                "public release with its annotations (CoLA_grammatical_annotations_*.tsv)"
            )
        rows = read_cola(folder, "train")
    sets = {
        name: Labelled(
            name,
            tuple(item["sentence"].text for item in itemset.items),
            tuple(bool(item.meta["label"]) for item in itemset.items),
            tuple(item.id for item in itemset.items),
            str(folder / FILES[name]),
        )
        for name, itemset in found.items()
    }
    sources = {row.group for row in rows}
    for source in without_sources:
        if source not in sources:
            raise UsageError(
                f"CoLA's training sentences have no source {source!r}; they have "
                f"{', '.join(sorted(sources))}"
            )
    dev = set(sets[IN_DEV].texts)
    kept = [r for r in rows if r.text not in dev and r.group not in without_sources]
    train = Labelled(
        TRAIN,
        tuple(r.text for r in kept),
        tuple(bool(r.acceptable) for r in kept),
        tuple(r.id for r in kept),
        str(folder / FILES[TRAIN]),
    )
    train.check_both()
    return ClassifierData(f"cola:{folder}", train, sets, tuple(without_sources))


def plain(text: str) -> str:
    """A sentence without case and punctuation, as leaks between data sets are counted.

    >>> plain("John's cat, alas, LEFT!")
    'john s cat alas left'
    """
    return _OTHER.sub(" ", text.lower()).strip()


def plain_hash(text: str) -> str:
    """A hash of a sentence that ignores case and punctuation."""
    return hashlib.blake2b(plain(text).encode(), digest_size=8).hexdigest()
