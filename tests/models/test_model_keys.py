"""A key changes with all that can change a score, and with nothing else."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from priscian.errors import ModelError
from priscian.models import ModelKey, find_provider, model_key, parse_model
from priscian.models.classifier.encoder import encoder_key, encoder_spec
from priscian.models.fingerprint import hash_file


@pytest.fixture
def copy(causal: Callable[..., Path], tmp_path: Path) -> Path:
    """A GPT-2 that may be changed."""
    return Path(shutil.copytree(causal("gpt2"), tmp_path / "model"))


def test_folders_of_one_name_with_other_weights_have_other_keys(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    one = shutil.copytree(causal("gpt2"), tmp_path / "a" / "model")
    two = shutil.copytree(causal("gpt2", n_layer=1), tmp_path / "b" / "model")
    assert model_key(f"hf:{one}") != model_key(f"hf:{two}")
    assert model_key(f"hf:{one}").digest != model_key(f"hf:{two}").digest


def test_weights_replaced_in_place_change_the_key_even_with_the_same_size_and_time(
    copy: Path,
) -> None:
    before = model_key(f"hf:{copy}")
    file = copy / "model.safetensors"
    stat = file.stat()
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    after = model_key(f"hf:{copy}")
    assert file.stat().st_size == stat.st_size
    assert file.stat().st_mtime_ns == stat.st_mtime_ns
    assert after.fields["weights"] != before.fields["weights"]
    assert after != before


def test_moving_a_folder_keeps_its_key(copy: Path, tmp_path: Path) -> None:
    before = model_key(f"hf:{copy}")
    moved = copy.rename(tmp_path / "another name")
    assert model_key(f"hf:{moved}") == before


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json", "config.json"])
def test_tokenizer_and_configuration_are_part_of_the_key(copy: Path, file: str) -> None:
    before = model_key(f"hf:{copy}")
    (copy / file).write_text((copy / file).read_text() + "\n")
    assert model_key(f"hf:{copy}") != before


def test_files_that_change_no_score_are_not(copy: Path) -> None:
    before = model_key(f"hf:{copy}")
    (copy / "README.md").write_text("A model.")
    (copy / "generation_config.json").unlink(missing_ok=True)
    assert model_key(f"hf:{copy}") == before


def test_options_that_change_a_score_are_part_of_the_key(
    causal: Callable[..., Path], copy: Path, tmp_path: Path
) -> None:
    other = causal("gpt2", bos="<s>")
    strings = [
        f"hf:{copy}{query}"
        for query in ("", "?dtype=bfloat16", "?bos=none", "?attention=eager", f"?tokenizer={other}")
    ]
    assert len({model_key(s).digest for s in strings}) == len(strings)
    assert model_key(f"hf:{copy}?device=cpu&name=mine") == model_key(strings[0])


def test_every_pll_variant_has_its_own_key(masked: Callable[..., Path]) -> None:
    folder = masked()
    variants = ("word-l2r", "original", "whole-word")
    assert len({model_key(f"mlm:{folder}?pll={v}").digest for v in variants}) == 3
    assert model_key(f"mlm:{folder}") == model_key(f"mlm:{folder}?pll=word-l2r")


def test_a_tokenizer_of_its_own_counts_by_its_content(copy: Path, tmp_path: Path) -> None:
    tokenizer = tmp_path / "tokenizer"
    tokenizer.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(copy / name, tokenizer)
    before = model_key(f"hf:{copy}?tokenizer={tokenizer}")
    moved = tokenizer.rename(tmp_path / "moved")
    assert model_key(f"hf:{copy}?tokenizer={moved}") == before
    (moved / "tokenizer.json").write_text((moved / "tokenizer.json").read_text() + " ")
    assert model_key(f"hf:{copy}?tokenizer={moved}") != before


def test_the_digest_depends_on_fields_and_not_on_their_order() -> None:
    a, b = ModelKey({"x": "1", "y": "2"}), ModelKey({"y": "2", "x": "1"})
    assert a == b
    assert a.digest == b.digest
    assert len({a, b}) == 1
    assert ModelKey({"x": "1", "y": "3"}).digest != a.digest


def test_a_key_needs_no_torch(causal: Callable[..., Path], masked: Callable[..., Path]) -> None:
    script = (
        "import sys; from priscian.models import model_key\n"
        "for name in sys.argv[1:]: print(model_key(name).digest)\n"
        "print(sorted({'torch', 'transformers', 'scipy'} & set(sys.modules)))"
    )
    strings = [f"hf:{causal('gpt2')}", f"mlm:{masked()}"]
    done = subprocess.run(
        [sys.executable, "-c", script, *strings], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == [*(model_key(s).digest for s in strings), "[]"]


def test_hashes_are_read_again_only_when_a_file_has_changed(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    digest = hashlib.file_digest

    def counted(file: BinaryIO, name: str) -> Any:
        read.append(Path(file.name).name)
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    monkeypatch.setattr("priscian.models.fingerprint.SETTLED", 0)
    model_key(f"hf:{copy}")
    assert "model.safetensors" in read
    read.clear()
    model_key(f"hf:{copy}")
    assert read == []
    (copy / "config.json").write_text((copy / "config.json").read_text() + "\n")
    model_key(f"hf:{copy}")
    assert read == ["config.json"]


def test_what_is_written_through_an_open_map_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"a" * 8192)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[0:1] = b"b"
        first = hash_file(path)
        mapped[0:1] = b"c"  # without a flush, the file's time would not change again
        assert hash_file(path) == hashlib.sha256(b"c" + b"a" * 8191).hexdigest()
        assert first == hashlib.sha256(b"b" + b"a" * 8191).hexdigest()


def test_a_file_that_is_written_while_it_is_hashed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"old")
    digest = hashlib.file_digest

    def slow(file: BinaryIO, name: str) -> Any:
        path.write_bytes(b"new, and longer")
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", slow)
    with pytest.raises(ModelError, match=r"m\.gguf is being written; run again when"):
        hash_file(path)


@pytest.mark.parametrize("name", ["adapter_config.json", "entity_vocab.json", "source.spm"])
def test_every_file_that_transformers_may_read_is_in_the_key(copy: Path, name: str) -> None:
    before = model_key(f"hf:{copy}")
    (copy / name).write_text("{}")
    assert model_key(f"hf:{copy}") != before


@pytest.mark.parametrize("string", ["hf:{}/m.gguf", "llamacpp:{}/m.gguf"])
def test_a_tokenizer_beside_a_gguf_file_is_in_its_key(
    string: str, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.models.remote.llamacpp._version", lambda: "0")
    folder = tmp_path / "gguf"
    folder.mkdir()
    (folder / "m.gguf").write_bytes(b"GGUF")

    def fields() -> Mapping[str, str]:
        spec = parse_model(string.format(folder))
        provider = find_provider(spec.provider)
        return provider.identity(spec) if spec.provider != "hf" else provider.key(spec).fields

    alone = fields()
    assert "tokenizer" not in alone
    (folder / "README.md").write_text("# A model")
    assert fields() == alone
    shutil.copy(copy / "tokenizer.json", folder)
    one = fields()
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + " ")
    assert len({alone.get("tokenizer"), one["tokenizer"], fields()["tokenizer"]}) == 3


def test_the_tokenizer_of_an_encoder_is_in_its_key_by_its_contents(copy: Path) -> None:
    spec = encoder_spec(f"hf:{copy}?tokenizer={copy}")
    before = encoder_key(spec)
    (copy / "tokenizer.json").write_text((copy / "tokenizer.json").read_text() + " ")
    assert encoder_key(spec).fields["option tokenizer"] != before.fields["option tokenizer"]


def test_a_cache_that_cannot_be_written_costs_time_only(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = model_key(f"hf:{copy}")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path / "file" / "cache"))
    assert model_key(f"hf:{copy}") == before


@pytest.mark.parametrize("damage", ["text", "zeros", "table", "hash"])
def test_a_damaged_memo_of_hashes_costs_time_only(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.models.fingerprint.SETTLED", 0)
    monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path))
    (tmp_path / "m.gguf").write_bytes(b"weights")
    before = hash_file(tmp_path / "m.gguf")
    memo = tmp_path / "hashes.sqlite"
    data = bytearray(memo.read_bytes())
    if damage == "text":
        data = bytearray(b"not a database, but longer than the head of one" * 9)
    elif damage == "zeros":
        data[4096:] = bytes(len(data) - 4096)
    elif damage == "table":
        memo.unlink()
        with contextlib.closing(sqlite3.connect(memo)) as made, made:
            made.execute("CREATE TABLE files (name TEXT)")
        data = bytearray(memo.read_bytes())
    else:
        data = bytearray(bytes(data).replace(before.encode(), before.upper().encode()))
        assert bytes(data) != memo.read_bytes()
    memo.write_bytes(data)
    assert hash_file(tmp_path / "m.gguf") == before
