"""What Transformers may build: `config.json` can name any size, whatever the weights are.

Nothing is built from a folder before its numbers were compared with its files: so many layers, or
so wide ones, that memory or patience would end are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import get_ident
from typing import Any

from priscian.errors import ModelError
from priscian.files import shown
from priscian.models.fingerprint import WEIGHTS
from priscian.models.hf.gguf_header import read_header
from priscian.models.hf.locate import Place

COUNTS = re.compile("layer|depth|label|expert|block_count")
MOST = 100_000
"""Layers, labels or experts: Transformers makes lists of them before it looks at the weights."""
GROWTH = 4
"""Bytes in memory for each in the files: eight-bit weights become float32."""
ROOM = 512 << 20
"""Bytes of what files lack: tables of positions, masks, a pooling layer."""
PARTS, PART = 5_000, 5_000
"""Parts that any network may have, and bytes in the files for which it may have one more."""


def check_numbers(spec: object, config: Mapping[str, Any]) -> None:
    """Refuse a configuration that asks for lists without end."""
    for name, value in config.items():
        if isinstance(value, Mapping):
            check_numbers(spec, value)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, int) and one > MOST and COUNTS.search(str(name)):
                raise ModelError(
                    f"the configuration of {spec} says {name} = {shown(one)}, and {MOST:,} is the "
                    "most that a model can have; copy the model again"
                )


def stored_size(spec: object, place: Place) -> int | None:
    """Bytes of a model's weights (of a GGUF file: weights); None for one on the Hub.

    PyTorch and safetensors themselves refuse files that would unpack to more than they are.
    """
    if place.commit:
        return None
    folder = Path(place.source)
    if place.gguf:
        header = read_header(folder / place.gguf)
        check_numbers(spec, header.numbers)
        return header.weights
    found = {path for pattern in WEIGHTS for path in folder.glob(pattern) if path.is_file()}
    return sum(path.stat().st_size for path in found)


@contextmanager
def bounded(spec: object, stored: int | None) -> Iterator[None]:
    """Refuse a network while it is built: one too large for the size of its files."""
    from torch.nn.modules import module as hooks

    if stored is None:
        yield
        return
    mine, parts, size = get_ident(), 0, 0
    most_parts, most = PARTS + stored // PART, GROWTH * stored + ROOM

    def count(*_: object) -> None:
        nonlocal parts
        parts += get_ident() == mine
        if parts > most_parts:
            raise _too_large(spec, f"more than {most_parts:,} parts")

    def measure(_module: object, _name: str, value: Any) -> None:
        nonlocal size
        if get_ident() == mine and value is not None and value.device.type == "meta":
            size += value.numel() * value.element_size()
            if size > most:
                raise _too_large(spec, f"more than {most:,} bytes")

    with ExitStack() as kept:
        for register, hook in (
            (hooks.register_module_module_registration_hook, count),
            (hooks.register_module_parameter_registration_hook, measure),
            (hooks.register_module_buffer_registration_hook, measure),
        ):
            kept.callback(register(hook).remove)
        yield


def _too_large(spec: object, what: str) -> ModelError:
    return ModelError(
        f"the configuration of {spec} describes a network of {what}, which its weights cannot "
        "fill; check that config.json and the weights are of one model"
    )
