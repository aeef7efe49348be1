"""The header of a GGUF file, read before the libraries that would believe every number in it.

magic | version, tensors, facts | facts: name, type, value | tensors: name, shape, type, offset
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path

from priscian.errors import ModelError, install
from priscian.files import regular

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
