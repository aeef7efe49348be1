"""`llamacpp:FILE.gguf` — llama.cpp in this process, through llama-cpp-python's logits."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import BackendError, ModelError, install
from priscian.models.fingerprint import hash_file
from priscian.models.hf.loading import tokenizer_content
from priscian.models.hf.locate import Location, tokenizer_beside
from priscian.models.remote.backend import (
    PLAIN,
    TOP,
    Ask,
    Prompt,
    PromptEncoder,
    PromptScorer,
    PromptScores,
)
from priscian.models.remote.echo import check_tokens
from priscian.models.remote.provider import SHARED_OPTIONS, BackendProvider, make_encoder, number
from priscian.models.spec import ModelSpec

CONTEXT = 1024
"""Tokens that a text may have, unless `context=` says otherwise."""
STEP = 256
"""Tokens read at once: llama.cpp keeps the logits of each."""
LONGEST = 1024
"""Bytes of the longest token."""
FLOAT32 = 0
"""GGML's number for float32: the cache of keys and values is not rounded to float16."""


def read_logits(ids: Sequence[int], logits: Sequence[npt.NDArray[np.float32]]) -> PromptScores:
    """The answer of a row of ids; `logits[i]` are those after ids 0 … i, in float32."""
    own, best, mass = [math.nan], [math.nan], [math.nan]
    for target, values in zip(ids[1:], logits, strict=True):
        wide = values.astype(np.float64)
        peak = float(wide.max())
        total = peak + math.log(float(np.exp(wide - peak).sum()))
        own.append(float(wide[target]) - total)
        best.append(peak - total)
        top = np.partition(wide, -min(TOP, len(wide)))[-TOP:]
        mass.append(float(np.exp(top - total).sum()))
    return PromptScores(tuple(own), tuple(best), tuple(mass))


class LlamaCppProvider(BackendProvider):
    """GGUF files in llama.cpp itself, with its quantised arithmetic."""

    example = "llamacpp:model.Q4_K_M.gguf"

    options = SHARED_OPTIONS | {"threads", "context", "gpu_layers"}

    def identity(self, spec: ModelSpec) -> dict[str, str]:
        """Contents of the file, version of llama-cpp-python, tokenizer and BOS policy."""
        path = spec.path
        if not path.is_file() or path.suffix != ".gguf":
            raise ModelError(f"no GGUF file {path} (in {spec}); give the path of a .gguf file")
        fields = {
            "provider": spec.provider,
            "weights": hash_file(path),
            "engine": f"llama-cpp-python {_version()}",
            "bos": spec.options.get("bos", "auto"),
            "gpu_layers": spec.options.get("gpu_layers", "0"),
            "method": "logits",
        }
        if "tokenizer" in spec.options:
            return fields | {"tokenizer": tokenizer_content(spec)}
        return fields | tokenizer_beside(path.parent)

    def connect(self, spec: ModelSpec) -> tuple[PromptScorer, PromptEncoder]:
        """The loaded file, and the tokenizer in it, unless another is named."""
        path = spec.path
        encoder = make_encoder(spec, Location(str(path.parent), gguf=path.name))
        return LlamaCpp(spec), encoder


class LlamaCpp:
    """One model and one context; each text is read alone, so batches change nothing."""

    def __init__(self, spec: ModelSpec) -> None:
        self.lib = import_llama_cpp()
        self.name = spec.label
        threads = int(number(spec, "threads", "0", 0, 1024)) or None
        context = int(number(spec, "context", str(CONTEXT), 8, 10**7))
        try:
            self.llama: Any = self.lib.Llama(
                model_path=str(spec.path),
                n_ctx=context,
                n_batch=min(STEP, context),
                n_ubatch=min(STEP, context),
                n_threads=threads,
                n_threads_batch=threads,
                n_gpu_layers=int(number(spec, "gpu_layers", "0", -1, 10_000)),
                type_k=FLOAT32,
                type_v=FLOAT32,
                flash_attn=False,
                verbose=False,
            )
        except (ValueError, RuntimeError, AssertionError) as error:
            raise BackendError(
                f"llama.cpp cannot load {spec.path}: {error or 'no reason given'}; check that the "
                f"file is whole and that this version of llama-cpp-python knows its architecture"
            ) from error
        self.size = int(self.llama.n_vocab())
        self.vocabulary: Any = self.lib.llama_model_get_vocab(self.llama.model)
        self.buffer = ctypes.create_string_buffer(LONGEST)
        self.context_length: int | None = int(self.llama.n_ctx())
        self.notes: Mapping[str, str] = {
            "engine": f"llama-cpp-python {_version()}",
            "vocabulary": str(self.size),
        }

    def logprobs(self, rows: Sequence[Prompt], ask: Ask = PLAIN) -> list[PromptScores]:
        """Answers computed here from the raw logits; no sampling is involved."""
        return [self._score(row) for row in rows]

    def _score(self, row: Prompt) -> PromptScores:
        wrong = [i for i in row.ids if not 0 <= i < self.size]
        if wrong:
            raise BackendError(
                f"{self.name} has {self.size:,} tokens, but the tokenizer gave id {wrong[0]}; "
                f"give the tokenizer of the model with tokenizer="
            )
        check_tokens(self.name, row, [self._piece(i) for i in row.ids])
        return read_logits(row.ids, self._logits(row.ids[:-1]))

    def _piece(self, token: int) -> str:
        """A token's spelling; llama-cpp-python's own method cuts off at 32 bytes."""
        count = self.lib.llama_token_to_piece(
            self.vocabulary, token, self.buffer, len(self.buffer), 0, True
        )
        piece = self.buffer.raw[: max(count, 0)]
        try:
            return piece.decode()
        except UnicodeDecodeError:  # a part of a character
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in piece)

    def _logits(self, ids: Sequence[int]) -> list[npt.NDArray[np.float32]]:
        """Logits after each id, read from the beginning."""
        lib, context = self.lib, self.llama.ctx
        lib.llama_memory_clear(lib.llama_get_memory(context), True)
        batch = lib.llama_batch_init(STEP, 0, 1)
        found: list[npt.NDArray[np.float32]] = []
        try:
            for at in range(0, len(ids), STEP):
                part = ids[at : at + STEP]
                batch.n_tokens = len(part)
                for i, token in enumerate(part):
                    batch.token[i] = token
                    batch.pos[i] = at + i
                    batch.n_seq_id[i] = 1
                    batch.seq_id[i][0] = 0
                    batch.logits[i] = True
                status = lib.llama_decode(context, batch)
                if status:
                    raise BackendError(
                        f"{self.name}: llama.cpp could not read a text of {len(ids)} tokens (code "
                        f"{status}); raise context= or free some memory"
                    )
                values = np.ctypeslib.as_array(
                    lib.llama_get_logits(context), shape=(len(part), self.size)
                )
                found.extend(np.array(values, dtype=np.float32))  # a copy: the next step overwrites
        finally:
            lib.llama_batch_free(batch)
        return found


def import_llama_cpp() -> Any:
    """llama-cpp-python, or one line that says how to install it."""
    try:
        import llama_cpp
    except ImportError as error:
        raise ModelError(
            f"llamacpp: needs llama-cpp-python ({error}): {install('llamacpp')}; "
            f"where it dies with an illegal instruction, see docs/backends.md"
        ) from None
    except (OSError, RuntimeError) as error:
        raise ModelError(
            f"llama-cpp-python cannot be loaded: {error}; build it again (docs/backends.md)"
        ) from None
    return llama_cpp


def _version() -> str:
    try:
        return version("llama-cpp-python")
    except PackageNotFoundError:
        return str(import_llama_cpp().__version__)
