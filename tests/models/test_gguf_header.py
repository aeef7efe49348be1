"""The headers of GGUF files: read with bounds before a library that believes each number."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import ModelError
from priscian.models import load
from priscian.models.hf import bounds as gguf_header
from priscian.models.hf.bounds import read_header


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def fact(name: str, kind: int, value: bytes) -> bytes:
    return string(name) + struct.pack("<I", kind) + value


def tensor(name: str, offset: int, *axes: int, kind: int = 0) -> bytes:
    shape = struct.pack(f"<I{len(axes)}Q", len(axes), *axes)
    return string(name) + shape + struct.pack("<IQ", kind, offset)


ARCHITECTURE = fact("general.architecture", 8, string("llama"))
LAYERS = fact("llama.block_count", 4, struct.pack("<I", 2))


def gguf(
    path: Path, facts: list[bytes], tensors: list[bytes], data: int = 0, said: Any = None
) -> Path:
    """A GGUF file with these facts and tensors, and so many bytes of weights."""
    said = {"tensors": len(tensors), "facts": len(facts)} | (said or {})
    head = b"GGUF" + struct.pack("<IQQ", 3, said["tensors"], said["facts"])
    path.write_bytes(head + b"".join([*facts, *tensors]) + bytes(data))
    return path


class TestGgufHeaders:
    def test_numbers_and_weights_are_found(self, tmp_path: Path) -> None:
        listed = fact("tokenizer.list", 9, struct.pack("<IQ", 8, 2) + string("a") + string("bc"))
        facts = [ARCHITECTURE, LAYERS, listed, fact("x", 9, struct.pack("<IQ3H", 2, 3, 1, 2, 3))]
        header = read_header(
            gguf(tmp_path / "m.gguf", facts, [tensor("a", 0, 4, 8), tensor("b", 128, 5)], 148)
        )
        assert (header.numbers, header.weights) == ({"llama.block_count": 2}, 37)

    @pytest.mark.parametrize(
        ("facts", "tensors", "said", "says"),
        [
            ([ARCHITECTURE], [], {"facts": 200}, "cut off"),
            ([ARCHITECTURE], [], {"facts": 10**12}, "more than 300,00[0-9] values"),
            ([ARCHITECTURE], [], {"tensors": 10**12}, "more than 300,00[0-9] values"),
            ([fact("x", 9, struct.pack("<IQ", 0, 10**7))], [], {}, "more than 300,00[0-9] values"),
            ([fact("x", 9, struct.pack("<IQ", 0, 10**5))], [], {}, "cut off"),
            ([fact("x", 9, struct.pack("<IQ", 9, 1))], [], {}, "unknown type 9"),
            ([fact("x", 77, b"")], [], {}, "unknown type 77"),
            ([b"\xff" * 396], [], {"facts": 1}, "cut off"),
            ([], [tensor("a", 0, 1000)], {}, "its tensors do not fit the file"),
            ([], [tensor(f"t{n}", 0, 100) for n in range(20)], {}, "its tensors do not fit"),
            ([], [tensor("a", 0, *[1] * 9)], {}, "a tensor has 9 axes"),
            ([], [tensor("a", 0, 8, kind=99)], {}, "99 is not a valid"),
        ],
    )  # fmt: skip
    def test_one_that_does_not_fit_its_file_is_one_line(
        self,
        tmp_path: Path,
        facts: list[bytes],
        tensors: list[bytes],
        said: dict[str, int],
        says: str,
    ) -> None:
        path = gguf(tmp_path / "m.gguf", facts, tensors, 400, said)
        with pytest.raises(ModelError, match=rf"m\.gguf is damaged \(.*{says}.*copy it again"):
            read_header(path)

    def test_a_model_of_endless_layers_is_refused(self, tmp_path: Path) -> None:
        many = fact("llama.block_count", 4, struct.pack("<I", 10**9))
        path = gguf(tmp_path / "m.gguf", [ARCHITECTURE, many], [])
        with pytest.raises(ModelError, match=r"llama\.block_count = 1000000000, and 100,000"):
            load(f"hf:{path}")

    def test_what_is_not_one_is_one_line(self, tmp_path: Path) -> None:
        for data in (b"", b"GGUX", b"GGUF"):
            (tmp_path / "m.gguf").write_bytes(data)
            with pytest.raises(ModelError, match=r"m\.gguf is (not a GGUF file|damaged)"):
                load(f"hf:{tmp_path / 'm.gguf'}")

    def test_the_other_order_of_bytes_is_read(self, tmp_path: Path) -> None:
        name = struct.pack(">Q", 1) + b"n"
        head = b"GGUF" + struct.pack(">IQQ", 3, 0, 1) + name + struct.pack(">IH", 2, 7)
        (tmp_path / "m.gguf").write_bytes(head)
        assert read_header(tmp_path / "m.gguf").numbers == {"n": 7}

    def test_the_limit_has_room_for_the_largest_vocabularies(self) -> None:
        # tokens, scores, kinds and merges of 262,144 tokens, in a file of 200 MB
        most = min(gguf_header.MOST_VALUES, 300_000 + 200_000_000 // gguf_header.PER_VALUE)
        assert most > 5 * 262_144 + 100_000
