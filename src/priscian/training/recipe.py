"""Recipes: everything that decides how a model is trained, as one TOML file.

A recipe names an architecture and has up to six tables. Unknown keys are refused with the nearest
known name; flags of the command line override keys; the resolved recipe is saved with the model,
so that the same file gives the same training again.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.files import decode_toml, regular, shown
from priscian.training.amounts import parse_amount
from priscian.training.checks import COUNT, check_values

SAVED = "recipe.toml"
"""The resolved recipe in the folder of a model."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a recipe."""


class CorpusPart(Part, frozen=True, kw_only=True):
    """What is read."""

    files: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Text that is mixed in, such as short everyday sentences; never counted in `size`."""
    extra_share: float = 0.15
    """Share of batches that come from `extra`."""
    size: str | int = "all"
    """Penn Treebank tokens of `files`: 16M; sizes nest."""
    order_seed: int = 1
    trees_of: tuple[str, ...] = ()
    """For a grammar: the text that the trees in `files` are of. Subsets, dev and test are then
    those of this text."""


class TextPart(Part, frozen=True, kw_only=True):
    """How text becomes tokens."""

    words: str = "ptb"
    """`ptb`: whole words with UNK classes; `bpe:8192`: byte-level BPE learnt on the corpus."""
    vocabulary: str = "subset"
    """`subset`: learnt on the part that is trained on; `shared`: on all of `files`."""
    least: int = 2
    """How often a word must occur to be in the vocabulary."""
    most: int = 0
    """Words in the vocabulary at most; 0 for no limit."""
    classes: bool = True
    """Unknown words by their class, or all as UNK."""
    pack: str = "sentence"
    """`sentence`: rows are sentences of one length; `stream`: one running text."""
    longest: int = 60
    """Tokens of a sentence at most; longer ones are not trained on."""


class TrainingPart(Part, frozen=True, kw_only=True):
    """How weights are learnt. Schedules count tokens, never seconds."""

    seed: int = 1
    tokens: str | int = ""
    passes: float = 0.0
    """Instead of `tokens`: so many times through the corpus."""
    batch_tokens: int = 2048
    accumulate: int = 1
    """Batches for each step of the optimiser."""
    stream_length: int = 70
    optimiser: str = "adamw"
    rate: float = 1e-3
    decay: float = 0.1
    betas: tuple[float, float] = (0.9, 0.95)
    warm_up: float = 0.02
    schedule: str = "linear"
    final_rate: float = 0.0
    """Share of the rate that is left at the end."""
    clip: float = 1.0
    patience: int = 0
    """Stop after so many passes without a better dev perplexity; 0 never."""


class CheckpointsPart(Part, frozen=True, kw_only=True):
    """When weights are kept for scoring."""

    at: str | tuple[int, ...] = "log2"
    """`log2`, `babylm`, `none`, or a list of token counts."""


class MachinePart(Part, frozen=True, kw_only=True):
    """Where it runs; part of the record, since other threads give other last bits."""

    threads: int = 1
    precision: str = "float32"
    compile: bool = False
    device: str = "auto"


PARTS: Mapping[str, type[Part]] = {
    "corpus": CorpusPart,
    "text": TextPart,
    "training": TrainingPart,
    "checkpoints": CheckpointsPart,
    "machine": MachinePart,
}
LEARNT = frozenset(
    {
        "vocabulary", "labels", "tags", "pieces", "characters", "suffixes", "shapes",
        "piece_width", "reader_units", "reader_layers", "bands",
    }
)  # fmt: skip
"""Keys of a network's shape that the corpus decides."""
KINDS = {
    "bool": "true or false",
    "int": f"a whole number: {COUNT}",
    "float": "a number from 0",
    "str": "a text",
}
SIZES = ("tiny", "small", "paper")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A resolved recipe; `network` has the architecture's own keys."""

    architecture: str
    corpus: CorpusPart
    text: TextPart
    network: Mapping[str, Any]
    training: TrainingPart
    checkpoints: CheckpointsPart
    machine: MachinePart

    @property
    def tokens(self) -> int:
        """Tokens to train on; 0 where passes are counted."""
        return parse_amount(self.training.tokens, "tokens") if self.training.tokens else 0

    def to_dict(self) -> dict[str, Any]:
        """Tables of plain values."""
        parts = {name: msgspec.to_builtins(getattr(self, name)) for name in PARTS}
        if not self.corpus.trees_of:  # recipes that were saved before the key existed lack it
            del parts["corpus"]["trees_of"]
        found = {"architecture": self.architecture, **parts, "network": dict(self.network)}
        return {name: found[name] for name in ("architecture", *ORDER)}


ORDER = ("corpus", "text", "network", "training", "checkpoints", "machine")


def read_recipe(name: str, architecture: str | None = None) -> dict[str, Any]:
    """The tables of a recipe: a file, or `tiny`, `small` or `paper` of an architecture."""
    if name in SIZES:
        if architecture is None:
            raise UsageError(f"{name} is a recipe of every architecture; say which")
        place = resources.files("priscian.training") / "recipes" / f"{architecture}-{name}.toml"
        text, where = place.read_text("utf-8"), f"{architecture}-{name}"
    else:
        path = Path(name)
        try:
            text, where = regular(path).read_text("utf-8"), str(path)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            listed = ", ".join(SIZES)
            raise DataError(
                f"cannot read the recipe {name}: {reason}; give a TOML file or {listed}"
            ) from None
    return decode_toml(text, where)


def choose_recipe(given: str | Path, folder: Path, *, resume: bool) -> str | Path:
    """The recipe that was named; else that of a training to resume, else the built-in `small`."""
    if resume and not (folder / "training").is_dir():
        raise UsageError(f"{folder} holds no training to resume; leave out --resume to begin one")
    saved = folder / SAVED
    return given or (saved if resume and saved.is_file() else "small")


def make_recipe(
    tables: Mapping[str, Any],
    shapes: Mapping[str, type],
    overrides: Mapping[str, Any] | None = None,
    where: str = "recipe",
) -> Recipe:
    """Check tables against what an architecture knows; `overrides` are `table.key` = value.

    `shapes` gives the dataclass of each architecture's network.
    """
    merged = {k: dict(v) if isinstance(v, Mapping) else v for k, v in tables.items()}
    for key, value in (overrides or {}).items():
        table, _, name = key.partition(".")
        part = merged.setdefault(table, {})
        if not isinstance(part, dict):
            raise DataError(f"{where}: {table} = {shown(part)} has no key {name}; write [{table}]")
        part[name] = value
    known = ("architecture", *ORDER)
    for name in merged:
        if name not in known:
            raise UnknownNameError(f"table of a recipe ({where})", name, known)
    architecture = merged.get("architecture")
    if not isinstance(architecture, str) or architecture not in shapes:
        named = architecture if isinstance(architecture, str) else shown(architecture)
        raise UnknownNameError(f"architecture ({where})", named, shapes)
    parts = {
        name: read_part(kind, merged.get(name, {}), name, where, "see docs/training.md")
        for name, kind in PARTS.items()
    }
    network = _network(merged.get("network", {}), shapes[architecture], where)
    recipe = Recipe(architecture=architecture, network=network, **parts)
    if recipe.corpus.trees_of and recipe.corpus.extra:
        raise UsageError(f"{where}: trees_of and extra cannot be combined; leave out extra")
    check_values(recipe.to_dict(), shapes[architecture], where)
    return recipe


def read_part(
    kind: type[Part], values: Any, table: str, where: str, remedy: str = "correct the value"
) -> Any:
    """A table of keys and values as a record; unknown keys are refused with the nearest name."""
    if not isinstance(values, Mapping):
        raise DataError(f"{where}: [{table}] must be a table of keys and values")
    fields = [field.name for field in msgspec.structs.fields(kind)]
    for name in values:
        if name not in fields:
            raise UnknownNameError(f"key in [{table}] of {where}", name, fields)
    try:
        return msgspec.convert(dict(values), kind)
    except msgspec.ValidationError as error:
        raise DataError(f"{where}, [{table}]: {error}; {remedy}") from None


def _network(values: Any, shape: type, where: str) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise DataError(f"{where}: [network] must be a table of keys and values")
    kinds = {k: v for k, v in shape.__annotations__.items() if k not in LEARNT}
    for name, value in values.items():
        if name not in kinds:
            raise UnknownNameError(f"key in [network] of {where}", name, kinds)
        if not _fits(value, str(kinds[name])):
            takes = KINDS.get(str(kinds[name]), "a list")
            raise DataError(f"{where}: network.{name} = {shown(value)}; it takes {takes}")
    return dict(values)


def _fits(value: Any, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool) and value in COUNT
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return isinstance(value, str) if kind == "str" else isinstance(value, Sequence)


def write_recipe(recipe: Recipe) -> str:
    """The recipe as TOML, every key with its value."""
    tables = recipe.to_dict()
    lines = [f"architecture = {_toml(tables.pop('architecture'))}"]
    for name, values in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def is_same(saved: str, recipe: Recipe) -> bool:
    """Whether a saved recipe decides the same training, however its amounts are written."""
    try:
        return _decided(tomllib.loads(saved)) == _decided(tomllib.loads(write_recipe(recipe)))
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError, UsageError):
        return False  # not a recipe that we have written


def digest_of(recipe: Recipe) -> str:
    """A hash of what a recipe decides, the same however its amounts are written."""
    text = json.dumps(_decided(tomllib.loads(write_recipe(recipe))), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _decided(tables: dict[str, Any]) -> dict[str, Any]:
    """Tables with amounts as numbers: "1.5k", 1500 and 1500.0 are the same."""
    corpus, training = tables["corpus"], tables["training"]
    amounts = [(corpus, "size", "all"), (training, "tokens", "")]
    for table, key, none in amounts:
        if table.get(key, none) != none:
            table[key] = parse_amount(table[key], key)
    found: dict[str, Any] = _whole(tables)
    return found


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)


__all__ = ["Recipe", "digest_of", "is_same", "make_recipe", "read_recipe", "write_recipe"]
