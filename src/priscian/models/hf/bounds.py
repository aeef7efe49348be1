"""What Transformers may build: `config.json` can name any size, whatever the weights are.

Nothing is built from a folder before its numbers were compared with its files: configurations with
so many layers, or such wide ones, that memory or patience would end are refused. The header of a
GGUF file is read before the libraries that would believe every number in it:

magic | version, tensors, facts | facts: name, type, value | tensors: name, shape, type, offset
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from threading import get_ident
from typing import Any

from priscian.errors import ModelError, install
from priscian.files import regular, shown
from priscian.models.fingerprint import WEIGHTS
from priscian.models.hf.locate import Location

MAGIC = b"GGUF"
OTHER_ORDER = 0xFFFF
"""The low half of a version is empty where the file has the other order of bytes."""
STRING, ARRAY = 8, 9
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
WHOLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 10: "Q", 11: "q"}
"""Types of values: their bytes, and of whole numbers how they are written."""
MOST_VALUES, FEW_VALUES, PER_VALUE = 1_600_000, 300_000, 100
"""Values in all lists: the gguf library takes more than a kilobyte and ten microseconds for each.
Any file may have a few, and one more for so many of its bytes.

A vocabulary of 262,144 tokens with scores, kinds and merges has 1,300,000.
"""
FACT, TENSOR = 4, 8
"""Values that a fact and the description of a tensor count as."""
MOST_AXES = 8

COUNTS = re.compile("layer|depth|label|expert|block_count")
MOST = 100_000
"""Layers, labels or experts: Transformers makes lists of them before it looks at the weights."""
GROWTH = 4
"""Bytes in memory for each in the files: eight-bit weights become float32."""
ROOM = 512 << 20
"""Bytes of what files lack: tables of positions, masks, a pooling layer."""
PARTS, PART = 5_000, 5_000
"""Parts that any network may have, and bytes in the files for which it may have one more."""


@dataclass(frozen=True, slots=True)
class Header:
    """Whole numbers among the facts, and how many weights the tensors have."""

    numbers: dict[str, int]
    weights: int


def read_header(path: Path) -> Header:
    """The header of a file; one that does not fit its file, or is far too long, is refused."""
    try:
        with regular(path).open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ModelError(f"{path} is not a GGUF file; give one that begins with GGUF")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data).header()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}; check the path") from None
    except ImportError:
        raise ModelError(f"GGUF files need the package gguf: {install('hf')}") from None
    except (ValueError, LookupError) as error:
        raise ModelError(f"{path} is damaged ({error}); copy it again") from None


class _Reader:
    """Goes through a file from its beginning."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at, self.values, self.order = data, len(MAGIC), 0, "<"

    def header(self) -> Header:
        if not self.number("I") & OTHER_ORDER:
            self.order = ">"
        tensors, facts = self.number("Q"), self.number("Q")
        self.count(FACT * facts + TENSOR * tensors)
        numbers: dict[str, int] = {}
        for _ in range(facts):
            name, kind = self.string(), self.number("I")
            if kind in WHOLE:
                numbers[name] = self.number(WHOLE[kind])
            else:
                self.skip(kind)
        weights = size = 0
        for _ in range(tensors):
            own, taken = self.tensor()
            weights, size = weights + own, size + taken
            if size > len(self.data):
                raise ValueError("its tensors do not fit the file")
        return Header(numbers, weights)

    def number(self, form: str) -> int:
        form, begin = f"{self.order}{form}", self.at
        self.move(struct.calcsize(form))
        return int(struct.unpack_from(form, self.data, begin)[0])

    def string(self) -> str:
        size, begin = self.number("Q"), self.at
        self.move(size)
        return self.data[begin : self.at].decode()

    def skip(self, kind: int) -> None:
        """A value; a list of lists is not known to be in any file."""
        if kind == STRING:
            self.move(self.number("Q"))
        elif kind == ARRAY:
            inner, count = self.number("I"), self.number("Q")
            self.count(count)
            if inner == STRING:
                for _ in range(count):
                    self.move(self.number("Q"))
            else:
                self.move(count * self.size(inner))
        else:
            self.move(self.size(kind))

    def tensor(self) -> tuple[int, int]:
        """How many weights a tensor has, and how many bytes they take."""
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        self.string()
        axes = self.number("I")
        if axes > MOST_AXES:
            raise ValueError(f"a tensor has {axes:,} axes")
        weights = prod(self.number("Q") for _ in range(axes))
        together, size = GGML_QUANT_SIZES[GGMLQuantizationType(self.number("I"))]
        self.number("Q")
        return weights, weights // together * size

    def count(self, values: int) -> None:
        self.values += values
        most = min(MOST_VALUES, FEW_VALUES + len(self.data) // PER_VALUE)
        if self.values > most:
            raise ValueError(f"its lists have more than {most:,} values, far too many for its size")

    def move(self, size: int) -> None:
        self.at += size
        if self.at > len(self.data):
            raise ValueError("it is cut off")

    @staticmethod
    def size(kind: int) -> int:
        if kind not in SIZES:
            raise ValueError(f"it has a value of the unknown type {kind}")
        return SIZES[kind]


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


def stored_size(spec: object, place: Location) -> int | None:
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
