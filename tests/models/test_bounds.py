"""Sizes that a folder only claims: they are compared with its files before anything is built."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import ModelError, PriscianWarning
from priscian.models import load
from priscian.records import Text
from priscian.scoring import score_texts
from priscian.scoring.store import ScoreStore

TEXT = Text("The old nurse has admired us!")


@pytest.fixture(params=["hf", "mlm"])
def folder(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    causal: Callable[..., Path],
    masked: Callable[..., Path],
) -> str:
    """The model string of a copy that a test may damage: a Llama, or a BERT."""
    source = causal("llama") if request.param == "hf" else masked()
    return f"{request.param}:{shutil.copytree(source, tmp_path / 'm')}"


def change(model: str | Path, file: str = "config.json", **changes: Any) -> None:
    path = Path(str(model).partition(":")[2] or model) / file
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def total(model: str | Path) -> float:
    return score_texts(str(model), [TEXT], ScoreStore()).scores[TEXT].total


class TestConfigurations:
    @pytest.mark.parametrize("odd", [[None], [[]], [True], True, 5])
    def test_architectures_that_are_no_names_change_nothing(self, folder: str, odd: Any) -> None:
        whole = total(folder)
        change(folder, architectures=odd)
        assert total(folder) == whole

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"num_hidden_layers": 10**6}, "num_hidden_layers = 1000000, and 100,000 is the most"),
            ({"num_hidden_layers": 10**12}, "num_hidden_layers = 1000000000000, and 100,000"),
            ({"num_labels": 10**9}, "num_labels = 1000000000, and 100,000 is the most"),
            ({"parts": {"depths": [2, 10**9]}}, "depths = 1000000000, and 100,000 is the most"),
            ({"num_hidden_layers": 90_000}, r"a network of more than [\d,]+ parts"),
            ({"hidden_size": 10**6}, r"a network of more than [\d,]+ bytes"),
            ({"vocab_size": 10**12}, r"a network of more than [\d,]+ bytes"),
            ({"intermediate_size": 72}, "sizes in its configuration are not those of its weights"),
        ],
    )
    def test_sizes_beyond_the_files_are_refused_before_they_are_built(
        self, folder: str, changes: dict[str, Any], says: str
    ) -> None:
        change(folder, **changes)
        with pytest.raises(ModelError, match=says):
            load(folder)

    def test_fewer_layers_than_the_file_has_are_noted(self, folder: str) -> None:
        change(folder, num_hidden_layers=1)
        with pytest.warns(PriscianWarning, match=r"leaves out \d+ tensors of layers that the file"):
            load(folder)

    def test_what_fails_only_when_the_model_runs_is_one_line(
        self, causal: Callable[..., Path], masked: Callable[..., Path], tmp_path: Path
    ) -> None:
        gpt2, bert = tmp_path / "gpt2", tmp_path / "bert"
        shutil.copytree(causal("gpt2"), gpt2)
        change(gpt2, embd_pdrop=float("nan"))
        with pytest.raises(ModelError, match=r"gpt2 was loaded but does not run: dropout prob"):
            load(f"hf:{gpt2}")
        shutil.copytree(masked(), bert)
        change(bert, chunk_size_feed_forward=5)
        with pytest.raises(ModelError, match=r"bert was loaded but does not run: The dimension to"):
            total(f"mlm:{bert}")

    def test_a_token_without_a_vector_is_refused(
        self, causal: Callable[..., Path], tmp_path: Path
    ) -> None:
        folder = shutil.copytree(causal("gpt2"), tmp_path / "m")
        change(folder, "tokenizer_config.json", bos_token="<new>")
        with pytest.raises(ModelError, match=r"gives the token 400, but the weights are for 400"):
            load(f"hf:{folder}")
        change(folder, "tokenizer_config.json", bos_token="<|endoftext|>", eos_token="admired")
        with pytest.raises(ModelError, match=r"gives the token 400, but the weights are for 400"):
            total(f"hf:{folder}")


class TestWeights:
    def test_arrays_that_share_bytes_are_refused_by_the_library_that_reads_them(
        self, causal: Callable[..., Path], tmp_path: Path
    ) -> None:
        folder = Path(shutil.copytree(causal("gpt2"), tmp_path / "m"))
        file = folder / "model.safetensors"
        data = file.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        header |= {f"more{n}": header["transformer.wte.weight"] for n in range(1000)}
        head = json.dumps(header).encode()
        file.write_bytes(len(head).to_bytes(8, "little") + head + data[8 + length :])
        with pytest.raises(ModelError, match=r"the weights of .* cannot be loaded: .*header"):
            load(f"hf:{folder}")
