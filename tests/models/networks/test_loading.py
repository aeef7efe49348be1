"""Folders of our networks: sizes in `config.json` are compared with the arrays, then built."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
from tests.fuzz.folder_samples import parser

from priscian.errors import ModelError, UsageError
from priscian.models import load
from priscian.models.networks.rnng import Rnng, RnngShape
from priscian.models.networks.transformer_xl import (
    TransformerXl,
    TransformerXlShape,
)
from priscian.models.parser import Parser
from priscian.models.vocabulary import WordVocabulary
from priscian.records import Text
from priscian.training.save import export

WORDS = WordVocabulary(["<s>", "UNK", *(f"w{n}" for n in range(118))])
TEXTS = [Text("w3 w4 w5"), Text("zebra w7")]


def txl(folder: Path) -> None:
    shape = TransformerXlShape(120, layers=2, width=8, heads=2, inner=12, softmax="adaptive")
    export(folder, TransformerXl(shape), WORDS)


def rnng(folder: Path) -> None:
    export(folder, Rnng(RnngShape(120, ("S", "NP"), embedding=8, hidden=8, layers=2)), WORDS)


def read(kind: str, folder: Path) -> Any:
    return Parser.load(folder) if kind == "parser" else load(f"{kind}:{folder}")


@pytest.fixture(params=["txl", "rnng", "parser"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The provider of a network that was saved in `tmp_path`."""
    {"txl": txl, "rnng": rnng, "parser": parser}[request.param](tmp_path)
    return str(request.param)


def change(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


@pytest.mark.parametrize("layers", [3, 10**6, 10**12])
def test_more_layers_than_arrays_are_refused_before_they_are_built(
    kind: str, layers: int, tmp_path: Path
) -> None:
    change(tmp_path, layers=layers)
    with pytest.raises((ModelError, UsageError), match=r"layers|shape None|lstm|cells"):
        read(kind, tmp_path)


@pytest.mark.parametrize("size", [10**6, 10**15])
def test_wide_layers_take_no_memory(kind: str, size: int, tmp_path: Path) -> None:
    name = {"txl": "inner", "rnng": "hidden", "parser": "hidden"}[kind]
    change(tmp_path, **{name: size})
    with pytest.raises(ModelError, match=r"weights do not fit the network \(.*; copy it again"):
        read(kind, tmp_path)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"dropout": float("nan")}, "dropout is nan"),
        ({"dropout": "x"}, r"Expected `float`, got `str` - at `\$.dropout`"),
        ({"layers": [2]}, r"Expected `int`, got `array` - at `\$.layers`"),
        ({"layers": True}, r"Expected `int`, got `bool` - at `\$.layers`"),
        ({"more": 1}, "unknown size 'more'"),
        ({"vocabulary": -1}, ""),
    ],
)
def test_a_size_of_another_type_is_one_line(
    kind: str, changes: dict[str, Any], says: str, tmp_path: Path
) -> None:
    change(tmp_path, **changes)
    with pytest.raises(ModelError, match=rf"weights do not fit the network \(.*({says})"):
        read(kind, tmp_path)


@pytest.mark.parametrize(
    ("make", "changes", "says"),
    [
        (txl, {"softmax": ["full"]}, r"Expected `str`, got `array` - at `\$.softmax`"),
        (txl, {"softmax": "adaptive:x"}, "invalid literal"),
        (txl, {"zero_memory": True, "memory": 10**12}, r"`int` <= 2147483647 - at `\$.memory`"),
        (rnng, {"labels": ["S", 3]}, r"Expected `str`, got `int` - at `\$.labels\[1\]`"),
        (rnng, {"most_open": 10**9}, "a limit of open constituents is not from 1 to 10,000"),
        (rnng, {"most_opening": 0}, r"Expected `int` >= 1 - at `\$.most_opening`"),
    ],
)  # fmt: skip
def test_sizes_that_make_no_network_are_one_line(
    make: Any, changes: dict[str, Any], says: str, tmp_path: Path
) -> None:
    make(tmp_path)
    change(tmp_path, **changes)
    with pytest.raises(ModelError, match=says):
        read(make.__name__, tmp_path)


def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path) -> None:
    for make in (txl, rnng):
        make(tmp_path)
        WordVocabulary([*WORDS.words, "more"]).save(tmp_path)
        with pytest.raises(ModelError, match="vocabulary"):
            read(make.__name__, tmp_path)


def test_weights_are_those_of_the_file_bit_by_bit(tmp_path: Path) -> None:
    import torch

    shape = TransformerXlShape(120, layers=2, width=8, heads=2, inner=12, softmax="adaptive")
    network = TransformerXl(shape).eval()
    export(tmp_path, network, WORDS)
    loaded = load(f"txl:{tmp_path}")
    for name, value in network.state_dict().items():
        assert torch.equal(value, loaded.network.state_dict()[name])  # type: ignore[union-attr]
    rows = torch.tensor([[0, 5, 6, 7, 1]])
    with torch.inference_mode():
        assert torch.equal(network.read(rows)[0], loaded.network.read(rows)[0])  # type: ignore[union-attr]


@pytest.mark.parametrize("share", [float("nan"), [1], "x", 1, -0.5, None])
def test_a_share_of_dropped_weights_that_is_none_is_refused(share: Any, tmp_path: Path) -> None:
    from tests.fuzz.folder_samples import model

    model(tmp_path)
    change(tmp_path, drop_connect=share)
    with pytest.raises(ModelError, match=r"drop_connect is .* in config\.json, and it is a share"):
        load(f"lstm:{tmp_path}")
