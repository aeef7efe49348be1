"""What is no file is refused before it is opened: a pipe would be waited for without end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fuzz.harness import limited

from priscian.errors import PriscianError
from priscian.files import open_unpacked, read_bytes, read_table, read_text, regular
from priscian.models.convert.torch_file import read_pickled
from priscian.models.fingerprint import hash_file
from priscian.models.folder import architecture_of, read_config, trained_on_sentences
from priscian.models.hf.bounds import read_header
from priscian.models.ngram.model import is_pngm
from priscian.models.plstm import read_model
from priscian.models.safetensors_file import read_safetensors
from priscian.models.vocabulary import load_vocabulary
from priscian.runs.watch import is_whole
from priscian.sweeps.sweep import read_sweep
from priscian.training.recipe import read_recipe


def unpacked(path: Path) -> object:
    with open_unpacked(path) as (stream, _):
        return stream.read()


REFUSED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a text": ("t.txt", read_text),
    "a table": ("t.csv", read_table),
    "parquet": ("t.parquet", read_table),
    "a corpus": ("t.txt.gz", unpacked),
    "anything that is hashed": ("m.bin", hash_file),
    "safetensors": ("m.safetensors", read_safetensors),
    "GGUF": ("m.gguf", read_header),
    "an n-gram model": ("m.arpa", is_pngm),
    "a file of LSTMs": ("m.plstm", read_model),
    "a pickle": ("m.pt", read_pickled),
    "a configuration": ("config.json", lambda file: read_config(file.parent, ("lstm",))),
    "a vocabulary": ("vocabulary.json", lambda file: load_vocabulary(file.parent)),
    "a sweep": ("s.toml", read_sweep),
    "a recipe": ("r.toml", lambda file: read_recipe(str(file))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_pipe_is_refused_by_every_reader(what: str, tmp_path: Path) -> None:
    name, read = REFUSED[what]
    os.mkfifo(tmp_path / name)
    with pytest.raises(PriscianError, match="a pipe, a socket or a device, not a file"):
        read(tmp_path / name)


def test_a_pipe_among_what_a_folder_may_have_is_as_none(tmp_path: Path) -> None:
    for name in ("card.json", "recipe.toml", "a.index.json", "a.safetensors"):
        os.mkfifo(tmp_path / name)
    assert not trained_on_sentences(tmp_path)
    assert architecture_of(tmp_path) == ""
    (tmp_path / "config.json").write_text("{}")
    assert not is_whole(tmp_path)


def test_sockets_and_links_to_devices_are_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as made, limited(20):
        made.bind("s.txt")
        (tmp_path / "z.txt").symlink_to("/dev/zero")
        for name in ("s.txt", "z.txt"):
            with pytest.raises(PriscianError, match="not a file"):
                read_text(tmp_path / name)


def test_what_the_shell_gives_may_be_a_pipe() -> None:
    read, write = os.pipe()
    os.write(write, b"Rain fell.\n")
    os.close(write)
    try:
        assert read_bytes(f"/dev/fd/{read}") == b"Rain fell.\n"
    finally:
        os.close(read)
    assert regular(Path("/dev/null")) == Path("/dev/null")
