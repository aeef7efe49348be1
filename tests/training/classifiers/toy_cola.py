"""A small folder in CoLA's format, of our own sentences: `not` twice makes a sentence bad."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
VERBS = ("saw", "met", "heard", "liked", "drew", "found", "fed", "left")
THINGS = ("a dog", "the cat", "a horse", "the nurse", "two geese", "the mayor")
FEATURES = {"major": ("Simple", "Adjunct"), "minor": ("Pronoun", "Plural")}
FILES = {
    "major": "CoLA_grammatical_annotations_major_features.tsv",
    "minor": "CoLA_grammatical_annotations_minor_features.tsv",
}


def sentences(count: int, seed: int) -> list[tuple[str, int]]:
    """Different sentences with labels, about half of them bad."""
    rng = np.random.default_rng(seed)
    found: dict[str, int] = {}
    while len(found) < count:
        parts = [str(rng.choice(group)) for group in (NAMES, VERBS, THINGS, THINGS)]
        text = f"{parts[0]} {parts[1]} {parts[2]} near {parts[3]}."
        bad = bool(rng.random() < 0.5)
        found[text.replace(" near ", " near near ") if bad else text] = int(not bad)
    return list(found.items())


def write_cola(folder: Path, train: int = 120, dev: int = 40) -> Path:
    """Training sentences of two sources, both dev sets with features, and a test set."""
    folder.mkdir(parents=True, exist_ok=True)
    header = ",sentence_source,label,label_notes,sentence"
    every = sentences(train + 3 * dev, 1)
    parts = {
        "cola_in_domain_train.csv": every[:train],
        "cola_out_of_domain_dev.csv": every[train + dev : train + 2 * dev],
        "cola_out_of_domain_test.csv": every[train + 2 * dev :],
    }
    for name, rows in parts.items():
        lines = [
            f"{n},{'ad03' if n % 4 == 0 else 'gj04'},{label},,{text}"
            for n, (text, label) in enumerate(rows)
        ]
        (folder / name).write_text("\n".join([header, *lines, ""]))
    inside, outside = every[train : train + dev], parts["cola_out_of_domain_dev.csv"]
    for kind, names in FEATURES.items():
        lines = ["\t".join(["Source", "Domain", "Acceptability", "Sentence", *names])]
        for domain, rows in (("In", inside), ("Out", outside)):
            for n, (text, label) in enumerate(rows):
                lines.append(
                    "\t".join(["gj04", domain, str(label), text, str(n % 2), str(n % 3 // 2)])
                )
        (folder / FILES[kind]).write_text("\n".join([*lines, ""]))
    return folder
