"""Model strings: `provider:id@revision?option=value&…`, parsed once and printed back the same."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote

from priscian.errors import UsageError
from priscian.files import names_in

DTYPE_ALIASES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}

_PROVIDER = re.compile(r"([a-z][a-z0-9_-]*):(?!//)(.*)", re.DOTALL)
HARMLESS = frozenset({"device", "name"})
"""Options that change how a score is computed, but not its value."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A parsed model string.

    >>> ModelSpec.parse("hf:EleutherAI/pythia-70m@step1000?dtype=bfloat16").revision
    'step1000'
    """

    provider: str
    id: str
    revision: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dtype = self.options.get("dtype")
        if dtype in DTYPE_ALIASES:  # one model has one spelling, and so one key and one name
            options = {**self.options, "dtype": DTYPE_ALIASES[dtype]}
            object.__setattr__(self, "options", options)

    @classmethod
    def parse(cls, text: str, default: str = "hf") -> ModelSpec:
        """Read a model string; a bare name or path belongs to the default provider."""
        head, _, query = text.partition("?")
        match = _PROVIDER.fullmatch(head)
        provider, name = (match[1], match[2]) if match else (default, head)
        revision = ""
        if not os.path.exists(as_path(name)):  # an existing path is used as it is
            if "@" in name:
                name, _, revision = name.rpartition("@")
            name, revision = unquote(name), unquote(revision)
        if not name:
            raise UsageError(f"model string {text!r} names no model; write provider:id (hf:gpt2)")
        parts = query.split("&") if query else []
        options = dict(parse_qsl(query, keep_blank_values=True))
        if len(options) != len(parts) or "" in options or any("=" not in p for p in parts):
            raise UsageError(f"options of {text!r} must be name=value, joined by &, each once")
        return cls(provider, name, revision, options)

    def __str__(self) -> str:
        at = f"@{escape(self.revision)}" if self.revision else ""
        query = "&".join(f"{k}={quote(v, safe='/|<>')}" for k, v in sorted(self.options.items()))
        return f"{self.provider}:{escape(self.id)}{at}{'?' + query if query else ''}"

    def __hash__(self) -> int:
        return hash(str(self))

    def with_options(self, **options: str | None) -> ModelSpec:
        """The same model with options added; None leaves one as it is."""
        merged = dict(self.options) | {k: v for k, v in options.items() if v is not None}
        return ModelSpec(self.provider, self.id, self.revision, merged)

    def at(self, revision: str) -> ModelSpec:
        """The same model at another revision."""
        return ModelSpec(self.provider, self.id, revision, self.options)

    @property
    def path(self) -> Path:
        """The id as a path, for models that are files."""
        return as_path(self.id)

    @property
    def label(self) -> str:
        """A short name for tables: the last part of the id, with revision and options."""
        if "name" in self.options:
            return self.options["name"]
        if "://" in self.id:  # a server: what it serves, or its address
            served = self.options.get("model") or self.id.partition("://")[2].partition("/")[0]
            return f"{self.provider}:{served}@{self.revision or self.options.get('revision', '')}"
        name = Path(self.id).name or self.id
        at = f"@{self.revision}" if self.revision else ""
        extra = "".join(f",{k}={v}" for k, v in sorted(self.options.items()) if k not in HARMLESS)
        prefix = "" if self.provider == "hf" else f"{self.provider}:"
        return f"{prefix}{name}{at}{extra}"

    def check_options(self, known: frozenset[str]) -> None:
        """Refuse options that the provider does not have."""
        for name in self.options:
            if name not in known:
                listed = ", ".join(sorted(known))
                raise UsageError(
                    f"{self.provider}: has no option {name!r} (in {self}); it has {listed}"
                )


def files_beside(spec: ModelSpec, pattern: str) -> list[ModelSpec]:
    """The models whose files are in the same folder and match; of a folder, those inside it."""
    folder = spec.path if spec.path.is_dir() else spec.path.parent
    return [
        ModelSpec(spec.provider, str(folder / name), "", spec.options)
        for name in names_in(folder, pattern)
    ]


def as_path(name: str) -> Path:
    """A name as a path: `~` is the home folder, but `~nobody` only itself."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def some_of(names: Sequence[str], shown: int = 12) -> str:
    """A list of names for a message, shortened if long.

    >>> some_of(["main", "step1", "step2"], shown=2)
    'main, step1 and 1 more'
    """
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def escape(part: str) -> str:
    """An id or revision with special characters written as %XX."""
    return part.replace("%", "%25").replace("?", "%3F").replace("@", "%40")


@dataclass(frozen=True, slots=True)
class ModelKey:
    """Fields that identify a model's scores, and their digest.

    Provider, id, resolved revision or content hash, tokenizer hash, dtype, BOS policy, method.
    Two keys are equal only if every field is: no model ever gets another model's scores.
    """

    fields: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Hexadecimal name of the key in the score store."""
        payload = json.dumps(dict(sorted(self.fields.items())), separators=(",", ":"))
        return hashlib.sha256(payload.encode()).hexdigest()[:32]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelKey) and dict(self.fields) == dict(other.fields)
