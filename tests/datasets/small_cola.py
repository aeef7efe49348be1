"""A CoLA of a few sentences in the files of the public release."""

from __future__ import annotations

from pathlib import Path

from priscian.datasets.cola import FEATURES, SPLITS

# sentence, label, in domain?, major features
ANNOTATED = (
    ("Owls hoot.", 1, "In", ("Simple",)),
    ("Owls hoots.", 0, "In", ("Simple", "Violations")),
    ("What did owls hoot?", 1, "In", ("Question",)),
    ("What owls hoot did?", 0, "In", ("Question",)),
    ("Geese swim.", 1, "Out", ("Simple",)),
    ("Geese swims.", 0, "Out", ("Simple", "Violations")),
    ("Who do geese see?", 1, "Out", ("Question",)),
    ("Who geese do see?", 0, "Out", ("Question",)),
)
TRAIN = (("Ducks quack.", 1), ("Ducks quacks.", 0), ("Ducks can quack.", 1))
TEST = (("Hens cluck.", 1), ("Hens clucks.", 0))
NAMES = ("Simple", "Question", "Violations")


def write_cola(folder: Path, *, annotations: bool = True) -> Path:
    """Write the files; without annotations the in-domain dev sentences are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    dev = [(text, label) for text, label, domain, _ in ANNOTATED if domain == "Out"]
    for split, rows in (("train", TRAIN), ("dev", dev), ("test", TEST)):
        lines = [f"{n},x01,{label},,{text}" for n, (text, label) in enumerate(rows)]
        header = ",sentence_source,label,label_notes,sentence"
        (folder / SPLITS[split]).write_text("\n".join([header, *lines]) + "\n")
    if annotations:
        header = "\t".join(("Source", "Domain", "Acceptability", "Sentence", *NAMES))
        lines = [
            "\t".join(("x01", domain, str(label), text, *(str(int(n in found)) for n in NAMES)))
            for text, label, domain, found in ANNOTATED
        ]
        for kind in FEATURES:
            (folder / FEATURES[kind]).write_text("\n".join([header, *lines]) + "\n")
    return folder
