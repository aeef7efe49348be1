"""`llamacpp:` and `vllm:` against stand-ins of their packages, which run everywhere."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.models.remote.stand_in import StandInModel, answer

from priscian.errors import BackendError, ModelError, UsageError
from priscian.models import load, model_key
from priscian.models.registry import find_provider
from priscian.models.remote import llamacpp
from priscian.models.remote.backend import PromptEncoder
from priscian.models.remote.llamacpp import read_logits
from priscian.records import Text

TEXTS = [Text("She was looking at the painting."), Text("us!", context="Nobody admired ")]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Providers keep one model open; none is left to the next test."""
    find_provider.cache_clear()
    yield
    find_provider.cache_clear()


class StandInLlama:
    """llama-cpp-python's `Llama`, as far as it is used."""

    def __init__(self, module: Any, **asked: Any) -> None:
        module.asked = asked
        module.llama = self
        self.module = module
        self.ctx = self.model = object()

    def n_vocab(self) -> int:
        return int(self.module.model.size)

    def n_ctx(self) -> int:
        return int(self.module.asked["n_ctx"])


def stand_in_llama_cpp(model: StandInModel, tokenizer: Any) -> Any:
    """A module with the functions of llama.cpp that are used."""
    module: Any = ModuleType("llama_cpp")
    module.__version__ = "0"
    module.model, module.tokenizer = model, tokenizer
    module.read = []

    def batch_init(size: int, embd: int, seqs: int) -> Any:
        return SimpleNamespace(n_tokens=0, token=[0] * size, pos=[0] * size, logits=[0] * size,
                               n_seq_id=[0] * size, seq_id=[[0] for _ in range(size)])  # fmt: skip

    def decode(context: object, batch: Any) -> int:
        count = batch.n_tokens
        assert batch.pos[:count] == list(range(len(module.read), len(module.read) + count))
        module.read += batch.token[:count]
        tables = model.distributions(module.read)[-count:]
        module.values = (np.array(tables) + 3.0).astype(np.float32)  # logits, not probabilities
        return 0

    def get_logits(context: object) -> Any:
        return module.values.ctypes.data_as(ctypes.POINTER(ctypes.c_float))

    def token_to_piece(
        vocabulary: object, token: int, buffer: Any, size: int, lstrip: int, special: bool
    ) -> int:
        spelled = module.tokenizer.decode([token]) or module.tokenizer.id_to_token(token)
        data = spelled.encode()
        assert special
        assert len(data) <= size
        ctypes.memmove(buffer, data, len(data))
        return len(data)

    module.llama_model_get_vocab = lambda model: model
    module.llama_token_to_piece = token_to_piece
    module.Llama = lambda **asked: StandInLlama(module, **asked)
    module.llama_get_memory = lambda context: context
    module.llama_memory_clear = lambda memory, data: module.read.clear()
    module.llama_batch_init, module.llama_batch_free = batch_init, lambda batch: None
    module.llama_decode, module.llama_get_logits = decode, get_logits
    return module


@pytest.fixture
def llama(
    models: list[StandInModel], encoder: PromptEncoder, monkeypatch: pytest.MonkeyPatch
) -> Any:
    module = stand_in_llama_cpp(models[0], encoder.tokenizer.fast)
    monkeypatch.setitem(sys.modules, "llama_cpp", module)
    monkeypatch.setattr(llamacpp, "_version", lambda: "0")
    return module


@pytest.fixture
def gguf(tmp_path: Path, tokenizer_folder: Path) -> str:
    (tmp_path / "toy.gguf").write_bytes(b"GGUF")
    return f"llamacpp:{tmp_path}/toy.gguf?tokenizer={tokenizer_folder}"


def wanted(model: StandInModel, encoder: PromptEncoder, text: Text) -> tuple[float, ...]:
    encoding = encoder.encode([text])[0]
    return answer(model, encoder.rows([text], [encoding])[0]).logps[encoding.first :]


def test_logits_become_logprobs_worked_out_by_hand() -> None:
    logits = np.log(np.array([[1, 2, 5], [4, 4, 2]], dtype=np.float32)) + 7
    found = read_logits([0, 2, 1], list(logits))
    assert found.logps[1:] == pytest.approx([math.log(5 / 8), math.log(4 / 10)], abs=1e-6)
    assert found.best[1:] == pytest.approx([math.log(5 / 8), math.log(4 / 10)], abs=1e-6)
    assert found.mass[1:] == pytest.approx([1, 1])


class TestLlamaCpp:
    def test_scores_are_those_of_the_logits(
        self, llama: Any, gguf: str, encoder: PromptEncoder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(llamacpp, "STEP", 7)  # a text is read in several steps
        for text, found in zip(TEXTS, load(gguf).score(TEXTS), strict=True):  # type: ignore[union-attr]
            assert found.logps == pytest.approx(wanted(llama.model, encoder, text), abs=1e-5)
            assert found.ends[-1] == len(text.text)

    def test_keys_and_values_are_kept_in_float32(self, llama: Any, gguf: str) -> None:
        load(f"{gguf}&threads=2&context=64")
        asked = {k: llama.asked[k] for k in ("type_k", "type_v", "flash_attn", "n_threads")}
        assert asked == {"type_k": 0, "type_v": 0, "flash_attn": False, "n_threads": 2}
        assert llama.asked["n_ctx"] == 64

    def test_the_key_needs_the_model_only_once(self, llama: Any, gguf: str, tmp_path: Path) -> None:
        first = model_key(gguf)
        find_provider.cache_clear()
        del llama.Llama
        assert model_key(gguf) == first
        (tmp_path / "toy.gguf").write_bytes(b"GGUF 2")
        with pytest.raises(AttributeError):
            model_key(gguf)

    def test_another_tokenizer_is_refused(
        self, llama: Any, gguf: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        vocabulary = llama.tokenizer
        llama.tokenizer = SimpleNamespace(
            decode=lambda ids: vocabulary.decode([max(ids[0] - 1, 0)]),
            id_to_token=vocabulary.id_to_token,
        )
        with pytest.raises(BackendError, match="another way than tokenizer="):
            model_key(gguf)

    def test_a_vocabulary_that_is_too_small_is_refused(self, llama: Any, gguf: str) -> None:
        llama.model = StandInModel([], 50)
        with pytest.raises(BackendError, match="has 50 tokens, but the tokenizer gave id"):
            model_key(gguf)

    def test_a_missing_file_or_package_is_said(
        self, llama: Any, gguf: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(ModelError, match="no GGUF file"):
            model_key(f"llamacpp:{tmp_path}/none.gguf")
        monkeypatch.setitem(sys.modules, "llama_cpp", None)
        with pytest.raises(ModelError, match=r"needs llama-cpp-python .*\.\[llamacpp\]"):
            model_key(gguf)


class StandInVllm(ModuleType):
    """vLLM, as far as it is used."""

    __version__ = "0"

    def __init__(self, model: StandInModel) -> None:
        super().__init__("vllm")
        self.model = model
        self.hidden = False  # leave out what a prefix cache holds
        self.SamplingParams = SimpleNamespace
        self.calls: list[int] = []

    def LLM(self, **asked: Any) -> Any:  # noqa: N802
        self.asked = asked
        config = SimpleNamespace(max_model_len=asked.get("max_model_len", 512))
        engine = SimpleNamespace(model_config=config)
        return SimpleNamespace(llm_engine=engine, generate=self.generate)

    def generate(self, prompts: list[Any], params: Any, use_tqdm: bool) -> list[Any]:
        assert params.max_tokens == 1
        self.calls.append(len(prompts))
        return [self._output(p["prompt_token_ids"], params) for p in prompts]

    def _output(self, ids: list[int], params: Any) -> Any:
        tables: list[Any] = [None]
        for token, logps in zip(ids[1:], self.model.distributions(ids[:-1]), strict=True):
            top = {int(i) for i in np.argsort(logps)[::-1][: params.prompt_logprobs]} | {token}
            tables.append({i: SimpleNamespace(logprob=float(logps[i])) for i in top})
        found = tables[5:] if self.hidden else tables
        return SimpleNamespace(prompt_token_ids=ids, prompt_logprobs=found)


@pytest.fixture
def vllm(models: list[StandInModel], monkeypatch: pytest.MonkeyPatch) -> StandInVllm:
    module = StandInVllm(models[0])
    monkeypatch.setitem(sys.modules, "vllm", module)
    return module


@pytest.fixture
def folder(tmp_path: Path, tokenizer_folder: Path) -> str:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return f"vllm:{tmp_path}?tokenizer={tokenizer_folder}"


class TestVllm:
    def test_scores_are_the_prompt_logprobs(
        self, vllm: StandInVllm, folder: str, encoder: PromptEncoder
    ) -> None:
        for text, found in zip(TEXTS, load(folder).score(TEXTS), strict=True):  # type: ignore[union-attr]
            assert found.logps == pytest.approx(wanted(vllm.model, encoder, text))
        assert vllm.calls[-1] == len(TEXTS) + 1  # one call, with one text of the canary

    def test_it_is_asked_for_exact_scores(self, vllm: StandInVllm, folder: str) -> None:
        model = load(f"{folder}&context=128")
        assert vllm.asked["dtype"] == "float32"
        assert vllm.asked["enable_prefix_caching"] is False
        assert vllm.asked["enforce_eager"] is True
        assert model.backend.context_length == 127  # type: ignore[union-attr]

    def test_logprobs_that_a_prefix_cache_swallowed_are_refused(
        self, vllm: StandInVllm, folder: str
    ) -> None:
        vllm.hidden = True
        with pytest.raises(BackendError, match="turn off prefix caching"):
            model_key(folder)

    def test_weights_dtype_and_bos_are_in_the_key(
        self, vllm: StandInVllm, folder: str, tmp_path: Path
    ) -> None:
        keys = [model_key(folder), model_key(f"{folder}&dtype=bfloat16"),
                model_key(f"{folder}&bos=none")]  # fmt: skip
        (tmp_path / "model.safetensors").write_bytes(b"others")
        keys.append(model_key(folder))
        assert len(set(keys)) == 4

    def test_a_missing_package_and_wrong_options_are_said(
        self, vllm: StandInVllm, folder: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(UsageError, match="tensor_parallel=0 must be"):
            load(f"{folder}&tensor_parallel=0")
        monkeypatch.setitem(sys.modules, "vllm", None)
        with pytest.raises(ModelError, match=r"needs vLLM .*\.\[vllm\]"):
            model_key(folder)
