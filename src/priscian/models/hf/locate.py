"""Where a Transformers model is: a local folder, a GGUF file, or a commit on the Hub."""

from __future__ import annotations

import contextlib
import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import ModelError
from priscian.files import natural_order
from priscian.models.fingerprint import CONFIG, TOKENIZER, WEIGHTS, hash_file, hash_folder
from priscian.models.hf.libraries import import_hub
from priscian.models.hf.packaged import find_packaged
from priscian.models.spec import ModelSpec, as_path, some_of

_COMMIT = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)?")


@dataclass(frozen=True, slots=True)
class Location:
    """A folder or repository, the commit of the latter, and the GGUF file if there is one.

    `content` is the hash of the weights, if it is known without reading them.
    """

    source: str
    commit: str = ""
    gguf: str = ""
    content: str = ""

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
        names = _hub_references(spec.id)
    return [spec.at(name) for name in sorted(fnmatch.filter(names, pattern), key=natural_order)]


def _hub_references(repository: str) -> list[str]:
    hub = import_hub()
    try:
        found = hub.HfApi().list_repo_refs(repository)
    except Exception as error:
        raise _hub_error(repository, "", error) from error
    return [reference.name for reference in (*found.branches, *found.tags)]


def _known_references(repository: str) -> list[str]:
    """The same for an error message; empty if the Hub does not answer."""
    try:
        found = import_hub().HfApi().list_repo_refs(repository)
    except Exception:  # from any library that the Hub's client uses
        return []
    return [reference.name for reference in (*found.branches, *found.tags)]


def _resolve(repository: str, revision: str) -> str:
    """The commit of a revision: from the Hub, or offline from the local cache."""
    if _COMMIT.fullmatch(revision):
        return revision
    hub = import_hub()
    if not hub.constants.HF_HUB_OFFLINE:
        try:
            return str(hub.HfApi().model_info(repository, revision=revision, timeout=10).sha)
        except Exception as error:
            cached = _cached_commit(repository, revision)
            if cached and not isinstance(error, hub.errors.RepositoryNotFoundError):
                return cached
            raise _hub_error(repository, revision, error) from error
    cached = _cached_commit(repository, revision)
    if cached:
        return cached
    raise ModelError(
        f"{repository}@{revision} is not in the local Hub cache and HF_HUB_OFFLINE is set; "
        f"give a local folder instead: hf:PATH"
    )


def _cached_commit(repository: str, revision: str) -> str:
    folder = hub_cache_folder() / f"models--{repository.replace('/', '--')}"
    reference = folder / "refs" / revision
    commit = reference.read_text("utf-8", "replace").strip() if reference.is_file() else ""
    return commit if commit and (folder / "snapshots" / commit).is_dir() else ""


def hub_cache_folder() -> Path:
    """Where the Hub's client keeps what it has downloaded."""
    return Path(import_hub().constants.HF_HUB_CACHE)


def _hub_error(repository: str, revision: str, error: Exception) -> ModelError:
    name = type(error).__name__
    if name == "RevisionNotFoundError":
        known = sorted(_known_references(repository), key=natural_order)
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
    snapshot = _repository(place) / "snapshots" / place.commit
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
        others = (_repository(place) / "snapshots").glob(f"*/{file.name}")
        if all(other.resolve() != data for other in others):
            with contextlib.suppress(FileNotFoundError):  # it was not a link
                data.unlink()
            freed += size
    return freed


def _repository(place: Location) -> Path:
    return hub_cache_folder() / f"models--{place.source.replace('/', '--')}"
