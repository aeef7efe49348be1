"""Small valid folders: runs that were scored, and models that were trained."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from priscian.models import ModelKey
from priscian.models.lstm import FolderModel
from priscian.models.parser import Parser, ParserWords
from priscian.models.plstm import BYTES, WordPieces
from priscian.records import Text, TokenScores
from priscian.runs import load_run
from priscian.scoring.store import ScoreStore
from priscian.training.recipe import read_recipe
from tests.fuzz.data_samples import text_sample
from tests.fuzz.harness import Sample
from tests.scored_runs import rights, save_run, scored_pairs, scored_suites
from tests.small_lstm import weights


def run(folder: Path) -> None:
    """Pairs and suites by one model."""
    taxonomy = {"a": ("syntax", "islands"), "b": ("syntax", "binding")}
    pairs = scored_pairs("m", {"a": rights(3, 4), "b": rights(1, 3, 1)}, taxonomy)
    suites = scored_suites("m", {"cleft": ("Center Embedding", rights(2, 3))})
    save_run(folder / "run", pairs, suites)


def read_run(folder: Path) -> list[str]:
    """Everything that a run says of itself."""
    found = load_run(folder / "run")
    for result in found.results:
        result.frame()
        repr(result.overall)
    return [repr(found), found._repr_html_()]


def safetensors(arrays: Mapping[str, Any]) -> bytes:
    header, data = {}, b""
    for name, array in arrays.items():
        end = len(data) + array.nbytes
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [len(data), end]}
        data += array.tobytes()
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + data


def model(folder: Path) -> None:
    """A trained LSTM: 260 words, two bands, one layer."""
    (folder / "config.json").write_text(
        json.dumps({"architecture": "lstm", "vocabulary": 260, "embedding": 4, "hidden": 3})
    )
    words = ["<s>", "UNK", "the", *(f"w{n}" for n in range(257))]
    facts = {"kind": "words", "tokenisation": {"words": "ptb", "case": "keep"}, "classes": True}
    (folder / "vocabulary.json").write_text(json.dumps({**facts, "words": words}, indent=0))
    (folder / "model.safetensors").write_bytes(safetensors(weights()))


def read_model(folder: Path) -> list[str]:
    return [str(list(FolderModel(folder).score([Text("the w3 w250 zebra")])))]


SIZES = {"filters": 3, "context": 2, "hidden": 2, "span": 3, "reader_units": 2, "piece_width": 3}


def parser(folder: Path) -> None:
    """A parser of a few words, with random weights."""
    from priscian.models.networks.span_parser import SpanParser, SpanParserShape  # needs torch
    from priscian.training.save import export

    pieces = WordPieces(("<s>", *BYTES, "the"), (("d", "##o"),))
    words = ParserWords.learn([["the", "dog"]], pieces, least=1)
    network = SpanParser(
        SpanParserShape(labels=("NP", "S VP"), tags=("NN", "DT"), **words.sizes, **SIZES)
    )
    export(folder, network, words)


def read_parser(folder: Path) -> list[str]:
    """A tree, whatever it is."""
    return [str(tree) for tree in Parser.load(folder).parse([["the", "zebra", "1,0"]])]


RECIPE = """\
architecture = "lstm"
[corpus]
files = ["text.txt"]
size = "1M"
[text]
words = "ptb"
[network]
embedding = 16
[training]
tokens = "1M"
"""

KEY = ModelKey({"provider": "toy", "weights": "1"})
STORED = {
    Text(f"The cat {n} sat."): TokenScores((0, 4, 8), (3, 7, 11), (-1.5, -float(n), -0.25))
    for n in range(8)
}


def store(folder: Path) -> None:
    """A score store of a few texts."""
    with ScoreStore(folder / "scores.sqlite") as kept:
        kept.write(KEY, "toy", STORED.items())


def read_store(folder: Path) -> None:
    """The scores that a damaged store still has: those that were written, or none."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(shutil.copy(folder / "scores.sqlite", name))
        with ScoreStore(copy) as kept:
            kept.models()
            found = kept.read(KEY, list(STORED))
    for text, scores in found.items():
        assert scores == STORED[text], f"{text}: {scores}"


RUN_FILES = (
    "run.json",
    "m/pairs/summary.json",
    "m/pairs/items.parquet",
    "m/sg/summary.json",
    "m/sg/items.parquet",
)
FOLDERS: list[Sample] = [
    *(
        Sample(f"run, {file}", f"run/{file}", run, read_run, binary=file.endswith(".parquet"))
        for file in RUN_FILES
    ),
    *(
        Sample(f"trained model, {file}", file, model, read_model, binary=file.endswith("tensors"))
        for file in ("config.json", "vocabulary.json", "model.safetensors")
    ),
    *(
        Sample(f"parser, {file}", file, parser, read_parser, binary=file.endswith("tensors"))
        for file in ("config.json", "vocabulary.json", "model.safetensors")
    ),
    Sample("score store", "scores.sqlite", store, read_store, lambda found: (), binary=True),
    text_sample("recipe", "r.toml", RECIPE, lambda file: read_recipe(str(file))),
]
