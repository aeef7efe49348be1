"""Recipes: everything that decides how a model is trained, as one TOML file.

A recipe names an architecture and has up to six tables. Unknown keys are refused with the nearest
known name; flags of the command line override keys; the resolved recipe is saved with the model,
so that the same file gives the same training again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.training.amounts import parse_amount

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


CHOICES: Mapping[str, tuple[str, ...]] = {
    "text.vocabulary": ("subset", "shared"),
    "text.pack": ("sentence", "stream"),
    "training.optimiser": ("adamw", "sgd", "asgd", "muon"),
    "training.schedule": ("linear", "cosine", "constant", "anneal", "geometric"),
    "machine.precision": ("float32", "bfloat16"),
}
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
        "piece_width", "reader_units", "reader_layers",
    }
)  # fmt: skip
"""Keys of a network's shape that the corpus decides."""
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
            text, where = path.read_text("utf-8"), str(path)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            listed = ", ".join(SIZES)
            raise DataError(
                f"cannot read the recipe {name}: {reason}; give a TOML file or {listed}"
            ) from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is the former
        raise DataError(f"{where}: not valid TOML ({error}); fix the line") from None


def choose_recipe(given: str | Path, folder: Path, *, resume: bool) -> str | Path:
    """The recipe that was named; else that of a training to resume, else the built-in `small`."""
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
        merged.setdefault(table, {})[name] = value
    known = ("architecture", *ORDER)
    for name in merged:
        if name not in known:
            raise UnknownNameError(f"table of a recipe ({where})", name, known)
    architecture = merged.get("architecture")
    if not isinstance(architecture, str) or architecture not in shapes:
        raise UnknownNameError(f"architecture ({where})", str(architecture), shapes)
    parts = {
        name: read_part(kind, merged.get(name, {}), name, where) for name, kind in PARTS.items()
    }
    network = _network(merged.get("network", {}), shapes[architecture], where)
    recipe = Recipe(architecture=architecture, network=network, **parts)
    _check(recipe, where)
    return recipe


def read_part(kind: type[Part], values: Any, table: str, where: str) -> Any:
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
        raise DataError(f"{where}, [{table}]: {error}; see docs/training.md") from None


def _network(values: Any, shape: type, where: str) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise DataError(f"{where}: [network] must be a table of keys and values")
    kinds = {k: v for k, v in shape.__annotations__.items() if k not in LEARNT}
    for name, value in values.items():
        if name not in kinds:
            raise UnknownNameError(f"key in [network] of {where}", name, kinds)
        if not _fits(value, str(kinds[name])):
            raise DataError(f"{where}: network.{name} = {value!r}; it takes {kinds[name]}")
    return dict(values)


def _fits(value: Any, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool) and value > 0
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return isinstance(value, str) if kind == "str" else isinstance(value, Sequence)


def _check(recipe: Recipe, where: str) -> None:
    for place, allowed in CHOICES.items():
        table, _, name = place.partition(".")
        value = getattr(getattr(recipe, table), name)
        if value not in allowed:
            raise UnknownNameError(f"{name} in {where}", value, allowed)
    training = recipe.training
    if bool(training.tokens) == bool(training.passes):
        raise UsageError(f'{where}: give [training] tokens = "24M" or passes = 4, one of them')
    if recipe.corpus.size != "all":
        parse_amount(recipe.corpus.size, f"size in {where}")
    _ = recipe.tokens
    positive = {
        "rate": training.rate, "clip": training.clip, "batch_tokens": training.batch_tokens,
        "accumulate": training.accumulate, "threads": recipe.machine.threads,
        "longest": recipe.text.longest, "stream_length": training.stream_length,
    }  # fmt: skip
    for name, value in positive.items():
        if not value > 0:
            raise UsageError(f"{where}: {name} = {value} must be greater than 0")
    if recipe.corpus.trees_of and recipe.corpus.extra:
        raise UsageError(f"{where}: trees_of and extra cannot be combined; leave out extra")
    if not 0 <= recipe.corpus.extra_share < 1 or not 0 <= training.warm_up < 1:
        raise UsageError(f"{where}: extra_share and warm_up are shares, from 0 to below 1")


def write_recipe(recipe: Recipe) -> str:
    """The recipe as TOML, every key with its value."""
    tables = recipe.to_dict()
    lines = [f"architecture = {_toml(tables.pop('architecture'))}"]
    for name, values in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)


__all__ = ["Recipe", "make_recipe", "read_recipe", "write_recipe"]
