"""What causal and masked Transformers models share: keys, configuration, weights, devices."""

from __future__ import annotations

import contextlib
import io
import re
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priscian.errors import (
    ModelError,
    PriscianWarning,
    ScoreError,
    WrongKindError,
    counted,
)
from priscian.models.cpu import check_dtype
from priscian.models.hf.bounds import bounded, check_numbers, stored_size
from priscian.models.hf.locate import (
    Location,
    cached_weights,
    find_packaged,
    import_transformers,
    list_revisions,
    locate,
    locate_tokenizer,
    make_ready,
    remove_weights,
)
from priscian.models.protocol import Floats, Traits
from priscian.models.spec import ModelKey, ModelSpec

if TYPE_CHECKING:
    from torch import Tensor

_DIGITS = re.compile("[0-9]+")
DTYPES = ("float32", "bfloat16", "float16", "auto")
NO_MEMORY = ("out of memory", "can't allocate memory")
"""What PyTorch says, whose errors have no type of their own on CPUs."""
NO_LIMIT = 10**7
"""Some configurations use a context length this large, or larger, for no limit."""

EQUAL = 1e-6


class HuggingFaceProvider:
    """Places, keys and revisions; subclasses load."""

    options: frozenset[str] = frozenset()

    def method(self, spec: ModelSpec) -> dict[str, str]:
        """The key's fields about the scoring method."""
        raise NotImplementedError

    def place(self, spec: ModelSpec) -> Location:
        """Where the model is; weights from a package are prepared first."""
        packaged = find_packaged(spec.id)
        if packaged is not None:
            make_ready(packaged)
        return locate(spec)

    def check(self, spec: ModelSpec) -> None:
        """Refuse unknown options, without a model."""
        spec.check_options(self.options)

    def key(self, spec: ModelSpec) -> ModelKey:
        """Contents of the model's files, dtype, BOS policy and method."""
        spec.check_options(self.options)
        dtype = spec.options.get("dtype", "float32")
        if dtype not in DTYPES:
            raise ModelError(f"{spec}: dtype {dtype!r} is not one of {', '.join(DTYPES)}")
        fields = {"provider": spec.provider, "dtype": dtype} | locate(spec).fields()
        if "tokenizer" in spec.options:
            fields["option tokenizer"] = tokenizer_content(spec)
        if "attention" in spec.options:
            fields["option attention"] = spec.options["attention"]
        return ModelKey(fields | self.method(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """What all have in common.

        To load another dtype than float32, Transformers changes PyTorch's default for all threads.
        """
        return Traits(
            options=self.options,
            loads_ahead=spec.options.get("dtype", "float32") == "float32",
            references=("transformers", *(["smollm2"] if spec.label.startswith("smollm2") else [])),
        )

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """The model at every matching revision or checkpoint folder."""
        return list_revisions(spec, pattern)

    def downloaded(self, spec: ModelSpec) -> bool:
        """Whether the weights are on this machine: in a folder, or in the Hub's cache."""
        place = locate(spec)
        return not place.commit or bool(cached_weights(place))

    def discard(self, spec: ModelSpec) -> int:
        """Remove weights from the Hub's cache; how many bytes that freed."""
        place = locate(spec)
        return remove_weights(place) if place.commit else 0


def tokenizer_content(spec: ModelSpec) -> str:
    """A hash of the tokenizer that `tokenizer=` names."""
    fields = locate_tokenizer(spec, Location("")).fields()
    return fields.get("tokenizer") or ":".join(fields.values())


def load_config(spec: ModelSpec, place: Location) -> Any:
    """The model's configuration."""
    transformers = import_transformers()
    try:
        if place.gguf:
            stored_size(spec, place)
        else:
            raw, _ = transformers.PreTrainedConfig.get_config_dict(
                place.source, revision=place.commit or None
            )
            check_numbers(spec, raw)
        return transformers.AutoConfig.from_pretrained(place.source, **place.arguments(spec))
    except ModelError:
        raise
    except Exception as error:
        raise _cannot_load(spec, "configuration", error) from error


def load_weights(
    auto: Any, spec: ModelSpec, place: Location, device: str, unused: tuple[str, ...] = ()
) -> Any:
    """The model in evaluation mode; safetensors or `weights_only`, so no pickle is executed.

    Weights whose names begin as in `unused` may be missing.
    """
    import torch

    name = spec.options.get("dtype", "float32")
    check_dtype(str(spec), name, device)
    dtype: Any = "auto" if name == "auto" else getattr(torch, name)
    extra = place.arguments(spec)
    if "attention" in spec.options:
        extra["attn_implementation"] = spec.options["attention"]
    try:
        with contextlib.ExitStack() as around:
            if threading.current_thread() is threading.main_thread():
                # a progress bar that cannot be turned off; other threads keep their errors
                around.enter_context(contextlib.redirect_stderr(io.StringIO()))
            around.enter_context(bounded(spec, stored_size(spec, place)))
            model, told = auto.from_pretrained(
                place.source, dtype=dtype, output_loading_info=True, **extra
            )
        if place.commit and getattr(model, "_hf_peft_config_loaded", False):
            raise ModelError(
                f"{spec} is an adapter, and which version of its base model it gets is not known; "
                "merge the two (peft's merge_and_unload) and give the folder"
            )
        needed = [name for name in told["missing_keys"] if not name.startswith(unused)]
        _check_names(spec, model, needed, told["unexpected_keys"])
        model = model.to(device=device) if name == "auto" else model.to(device=device, dtype=dtype)
        model = model.eval().requires_grad_(False)
        if name == "auto":
            check_dtype(str(spec), str(model.dtype).removeprefix("torch."), device)
    except ModelError:
        raise
    except Exception as error:
        raise _cannot_load(spec, "weights", error) from error
    with torch.inference_mode():
        fuse_gelu(model)
    return model


def _check_names(spec: ModelSpec, model: Any, missing: list[str], left_out: list[str]) -> None:
    """Refuse missing weights, which Transformers would initialise at random.

    If whole layers of the file are not used (names that differ only in a number), it warns.
    """
    absent = sorted(name for name, _ in model.named_parameters() if name in missing)
    saved = ", ".join(architectures(model.config))
    if (
        absent
        and saved.endswith("Model")
        and not any(name.startswith(f"{model.base_model_prefix}.") for name in absent)
    ):
        masked = type(model).__name__.endswith("ForMaskedLM")
        what = "an encoder without a masked-LM head" if masked else "without a language-model head"
        raise WrongKindError(
            f"{spec} is {what} ({saved}): it gives vectors, not probabilities; use a checkpoint "
            f"that was saved with its head (…For{'MaskedLM' if masked else 'CausalLM'}), or train "
            f"a classifier on it: priscian train classifier `encoder={spec.label}`"
        )
    if absent:
        raise ModelError(
            f"the files of {spec} lack {len(absent)} of the model's weights ({absent[0]}, …); "
            f"they are not those of a whole language model: give one saved with its output layer"
        )

    used = {_DIGITS.sub("#", name) for name, _ in model.named_parameters()}
    layers = sorted(name for name in left_out if _DIGITS.sub("#", name) in used)
    if layers:
        warnings.warn(
            f"{spec}: its configuration leaves out {counted(len(layers), 'tensor')} of layers that "
            f"the file has ({layers[0]}, …); check the number of layers",
            PriscianWarning,
            stacklevel=2,
        )


@contextlib.contextmanager
def running(name: str) -> Iterator[None]:
    """While a model runs: its configuration may be one that fails only then."""
    try:
        yield
    except (MemoryError, ModelError):
        raise
    except Exception as error:
        reason = _reason(error)
        if any(sign in reason for sign in NO_MEMORY):
            raise MemoryError(reason) from error
        raise ModelError(
            f"{name} was loaded but does not run: {reason}; check its config.json"
        ) from error


def architectures(config: Any) -> list[str]:
    """The names of classes that a configuration gives; whatever else stands there is left out."""
    named = config.architectures
    return [n for n in (named if isinstance(named, list) else [named]) if isinstance(n, str)]


def check_ids(name: str, outputs: int, *ids: npt.NDArray[np.int64] | None) -> None:
    """Refuse tokens for which a model has no vector: tokenizer and weights are not of one model."""
    largest = max((int(some.max()) for some in ids if some is not None and some.size), default=0)
    if largest >= outputs:
        raise ModelError(
            f"the tokenizer of {name} gives the token {largest:,}, but the weights are for "
            f"{outputs:,} tokens; put the files of one model together, or name its tokenizer with "
            "?tokenizer=PATH"
        )


def _reason(error: Exception) -> str:
    """The first line of an error; also the second where that is only a heading."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if lines and "ignore_mismatched_sizes" in lines[0]:
        return "the sizes in its configuration are not those of its weights"
    if len(lines) > 1 and lines[0].endswith(":"):
        lines[0] += f" {lines[1]}"
    return lines[0].rstrip(".") if lines else type(error).__name__


def _cannot_load(spec: ModelSpec, part: str, error: Exception) -> ModelError:
    reason = _reason(error)
    if "trust_remote_code" in str(error):
        return ModelError(
            f"{spec} comes with code of its own, which is run only if you trust it: "
            f"read it, then add the option remote_code=yes"
        )
    return ModelError(
        f"the {part} of {spec} cannot be loaded: {reason}; "
        f"check that the model's files are whole and of one model"
    )


def pick_device(spec: ModelSpec) -> str:
    """The device named by the spec, else the best one on this machine."""
    import torch

    asked = spec.options.get("device", "auto")
    here = ["cpu"]
    if torch.cuda.is_available():
        here.insert(0, "cuda")
    elif torch.backends.mps.is_available():
        here.insert(0, "mps")
    if asked == "auto":
        return here[0]
    if asked.partition(":")[0] not in here:
        raise ModelError(f"{spec}: no device {asked!r} on this machine; it has {', '.join(here)}")
    return asked


def context_length(config: Any) -> int | None:
    """How many tokens the model can read, or None if its configuration gives no real limit."""
    text = config.get_text_config()
    for name in ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx"):
        value = getattr(text, name, None)
        if isinstance(value, int) and 0 < value < NO_LIMIT:
            return value
    return None


def to_numpy(values: Tensor) -> Floats:
    """Values of a tensor; NaN and infinity are refused, and the engine adds the text."""
    found: Floats = values.double().cpu().numpy()
    if not np.isfinite(found).all():
        raise ScoreError("the model gave NaN or infinite log-probabilities")
    return found


def fuse_gelu(model: Any) -> int:
    """Replace a spelled-out tanh-GELU by PyTorch's fused one; returns how many were replaced.

    0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) costs GPT-2 a tenth of its time on a CPU when each
    operation makes its own pass over the activations.
    """
    import torch

    fused = torch.nn.GELU(approximate="tanh")
    probe = torch.linspace(-12, 12, 4001, device=model.device)
    replaced = 0
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            spelt_out = type(child).__module__ == "transformers.activations"
            if not spelt_out or "GELU" not in type(child).__name__:
                continue
            if bool((child(probe) - fused(probe)).abs().max() <= EQUAL):
                setattr(parent, name, fused)
                replaced += 1
    return replaced
