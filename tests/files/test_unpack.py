"""Compressed files: streamed, bounded, and one line for a damaged one."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from priscian.errors import DataError, ModelError
from priscian.files import open_unpacked, unpack

TEXT = b"".join(b"line %d\n" % number for number in range(50_000))


def pack(path: Path, data: bytes = TEXT) -> Path:
    pack_one = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)
    path.write_bytes(pack_one(data))
    return path


def read(path: Path, ratio: int | None = None) -> bytes:
    with open_unpacked(path, ModelError, ratio) as (stream, _):
        return stream.read()


@pytest.mark.parametrize("name", ["t.gz", "t.xz", "t.txt"])
class TestStreams:
    def test_the_contents_are_those_that_were_packed(self, tmp_path: Path, name: str) -> None:
        path = pack(tmp_path / name)
        assert read(path) == TEXT
        with open_unpacked(path) as (stream, raw):
            assert stream.readline() == b"line 0\n"
            assert len(list(stream)) == 49_999
            assert raw.tell() == path.stat().st_size

    def test_files_that_were_joined_are_read_one_after_the_other(
        self, tmp_path: Path, name: str
    ) -> None:
        path = pack(tmp_path / name)
        path.write_bytes(path.read_bytes() * 2)
        assert read(path) == TEXT * 2


@pytest.mark.parametrize("name", ["t.gz", "t.xz"])
class TestDamage:
    def test_a_flipped_bit_anywhere_is_one_error_or_nothing(
        self, tmp_path: Path, name: str
    ) -> None:
        path = pack(tmp_path / name, TEXT[:3000])
        whole = path.read_bytes()
        refused = 0
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
            try:
                assert read(path) == TEXT[:3000]  # a flag or a time that nothing depends on
            except ModelError as error:
                refused += "cannot be unpacked" in str(error)
        assert refused > 0.9 * len(whole)

    def test_a_file_that_is_cut_off_is_one_error(self, tmp_path: Path, name: str) -> None:
        path = pack(tmp_path / name)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ModelError, match=r"cannot be unpacked: .*; copy it again"):
            read(path)

    def test_a_name_that_promises_packing_is_believed(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_bytes(b"plain text")
        with pytest.raises(ModelError, match=rf"it is not a {name[-2:]} file"):
            read(tmp_path / name)

    def test_a_file_that_unfolds_too_far_is_refused_before_it_is_read(
        self, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(unpack, "FREE", 1_000_000)
        path = pack(tmp_path / name, b"a " * 5_000_000)
        with pytest.raises(ModelError, match="unpacks to more than 1,000,000 bytes"):
            read(path, ratio=50)
        assert len(read(path)) == 10_000_000  # whoever streams it sets no bound
        path = pack(tmp_path / name)
        assert read(path, ratio=50) == TEXT


@pytest.mark.parametrize("zeros", [4, 1 << 18, (1 << 19) + 4, 3 << 20])
@pytest.mark.parametrize("name", ["t.gz", "t.xz"])
def test_what_follows_any_amount_of_padding_is_read(tmp_path: Path, name: str, zeros: int) -> None:
    path = pack(tmp_path / name, b"one\n" * 3)
    first = path.read_bytes()
    second = pack(path, b"two\n" * 3).read_bytes()
    path.write_bytes(first + bytes(zeros) + second + bytes(zeros))
    assert read(path) == b"one\n" * 3 + b"two\n" * 3


def test_an_xz_file_that_asks_for_too_much_memory_is_refused(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
    (tmp_path / "t.xz").write_bytes(lzma.compress(b"hello", filters=filters))
    with pytest.raises(ModelError, match="cannot be unpacked: Memory usage limit exceeded"):
        read(tmp_path / "t.xz")


def test_a_file_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*gone"), open_unpacked(tmp_path / "gone"):
        pass
