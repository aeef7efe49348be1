"""CoLA: labelled sentences of the linguistic literature, and their annotated features.

The public release has in-domain sentences to train on and out-of-domain ones; its analysis set, the
sentences with annotated features, holds the development sentences of both domains.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from priscian.datasets.graded import GradedSentence
from priscian.datasets.graded_read import yes_or_no
from priscian.datasets.registry import data_format
from priscian.errors import DataError, UnknownNameError
from priscian.files import PathLike, read_table
from priscian.records import Item, ItemSet, Sentence

SPLITS = {
    "train": "cola_in_domain_train.csv",
    "dev": "cola_out_of_domain_dev.csv",
    "test": "cola_out_of_domain_test.csv",
}
FEATURES = {
    "major": "CoLA_grammatical_annotations_major_features.tsv",
    "minor": "CoLA_grammatical_annotations_minor_features.tsv",
}

TRAIN, IN_DEV, OUT_DEV, OUT_TEST = (
    "in-domain train",
    "in-domain dev",
    "out-of-domain dev",
    "out-of-domain test",
)
REFERENCE = "cola"

_DESCRIBES = ("Source", "Domain", "Acceptability", "Sentence")


@dataclass(frozen=True, slots=True)
class Annotated:
    """A sentence of the analysis set with the features that experts found in it."""

    text: str
    acceptable: bool
    source: str
    in_domain: bool
    features: frozenset[str]


@data_format(
    "cola",
    "CoLA's labelled sentences, dev and test: a folder; cola:DIR,train adds the training set",
    kind="labels",
)
def _read(target: str) -> list[ItemSet]:
    folder, comma, rest = target.rpartition(",")
    if comma and rest == "train" and not Path(target).exists():
        return read_cola_sets(folder, train=True)
    return read_cola_sets(target)


def read_cola(folder: PathLike, split: str = "dev") -> list[GradedSentence]:
    """A split: `train` (in domain), `dev` or `test` (out of domain); ids are split and row."""
    if split not in SPLITS:
        raise UnknownNameError("split of CoLA", split, SPLITS)
    file = _file(folder, SPLITS[split])
    found: list[GradedSentence] = []
    for line, row in read_table(file, needs=("label", "sentence")):
        missing = [key for key in ("label", "sentence") if not str(row.get(key) or "").strip()]
        if missing:
            raise DataError(f"{file}:{line}: no {missing[0]!r}; add it or delete the row")
        label = yes_or_no(row["label"], "the label", f"{file}:{line}")
        number = row.get("") or str(len(found))
        source = str(row.get("sentence_source", ""))
        found.append(GradedSentence(f"{split}.{number}", row["sentence"], label, group=source))
    return found


def read_cola_features(folder: PathLike, kind: str = "major") -> list[Annotated]:
    """The analysis set with its 15 `major` or 63 `minor` features."""
    if kind not in FEATURES:
        raise UnknownNameError("kind of CoLA's features", kind, FEATURES)
    file = _file(folder, FEATURES[kind])
    found = []
    for line, row in read_table(file, needs=("Acceptability", "Sentence")):
        where = f"{file}:{line}"
        marked = {
            " ".join(name.split())
            for name, value in row.items()
            if name not in _DESCRIBES and yes_or_no(value, repr(name), where)
        }
        acceptable = yes_or_no(row.get("Acceptability"), "'Acceptability'", where)
        if acceptable is None or not row.get("Sentence"):
            raise DataError(f"{where}: no label or no sentence; add it or delete the row")
        found.append(
            Annotated(
                row["Sentence"],
                acceptable,
                str(row.get("Source", "")),
                row.get("Domain") == "In",
                frozenset(marked),
            )
        )
    return found


def read_cola_sets(folder: PathLike, *, train: bool = False) -> list[ItemSet]:
    """What a model is scored on: dev and test sentences, with `train` the training ones too.

    Without annotations there is no in-domain dev set, so training sentences are needed.
    """
    found: dict[str, list[tuple[str, bool]]] = {}
    if (Path(folder) / FEATURES["major"]).is_file():
        annotated = read_cola_features(folder, "major")
        found[IN_DEV] = [(a.text, a.acceptable) for a in annotated if a.in_domain]
        found[OUT_DEV] = [(a.text, a.acceptable) for a in annotated if not a.in_domain]
    else:
        found[OUT_DEV] = _labelled(folder, "dev")
        train = True
    if (Path(folder) / SPLITS["test"]).is_file():
        found[OUT_TEST] = _labelled(folder, "test")
    if train:
        found = {TRAIN: _labelled(folder, "train")} | found
    return [
        ItemSet(
            name,
            tuple(
                Item(f"{name}.{number}", {"sentence": Sentence(text)}, {"label": label})
                for number, (text, label) in enumerate(sentences)
            ),
            chance=None,
            reference=REFERENCE,
        )
        for name, sentences in found.items()
        if sentences
    ]


def _labelled(folder: PathLike, split: str) -> list[tuple[str, bool]]:
    return [(s.text, bool(s.acceptable)) for s in read_cola(folder, split)]


def _file(folder: PathLike, name: str) -> Path:
    file = Path(folder) / name
    if not file.is_file():
        raise DataError(f"{folder}: no {name}; give the folder of CoLA's public release")
    return file
