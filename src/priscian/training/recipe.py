"""Recipes: everything that decides how a model is trained, as one TOML file.

A recipe names an architecture and has up to six tables. Unknown keys are refused with the nearest
known name; flags of the command line override keys; the resolved recipe is saved with the model,
so that the same file gives the same training again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from priscian.errors import DataError, PriscianError, UnknownNameError, UsageError
from priscian.files import decode_toml, regular, shown
from priscian.files.convert import (
    Count,
    CountOrNone,
    Finite,
    Share,
    check_table,
    convert_table,
    renamed_keys,
)
from priscian.models.folder import ARCHITECTURES, PARSER
from priscian.training.amounts import checkpoint_counts, parse_amount

SAVED = "recipe.toml"
"""The resolved recipe in the folder of a model."""


class CorpusPart(msgspec.Struct, frozen=True, kw_only=True):
    """What is read."""

    files: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Text that is mixed in, such as short everyday sentences; never counted in `size`."""
    extra_share: Share = 0.15
    """Share of batches that come from `extra`."""
    size: str | int = "all"
    """Penn Treebank tokens of `files`: 16M; sizes nest."""
    order_seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] = 1
    trees_of: tuple[str, ...] = ()
    """For a grammar: the text that the trees in `files` are of. Subsets, dev and test are then
    those of this text."""


class TextPart(msgspec.Struct, frozen=True, kw_only=True):
    """How text becomes tokens."""

    tokenizer: str = "ptb"
    """`ptb`: whole words with UNK classes; `bpe:8192`: byte-level BPE learnt on the corpus."""
    vocabulary: Literal["subset", "shared"] = "subset"
    """`subset`: learnt on the part that is trained on; `shared`: on all of `files`."""
    min_count: Count = 2
    """How often a word must occur to be in the vocabulary."""
    max_vocab: CountOrNone = 0
    """Largest number of words in the vocabulary; 0 for no limit."""
    unk_classes: bool = True
    """Unknown words by their class, or all as UNK."""
    pack: Literal["sentence", "stream"] = "sentence"
    """`sentence`: rows are sentences of one length; `stream`: one running text."""
    max_length: Count = 60
    """Longest sentence in tokens; longer ones are not trained on."""


class TrainingPart(msgspec.Struct, frozen=True, kw_only=True):
    """How weights are learnt. Schedules count tokens, never seconds."""

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    tokens: str | int = ""
    epochs: Annotated[float, Meta(ge=0, le=1_000_000)] = 0.0
    """Instead of `tokens`: the number of passes through the corpus."""
    batch_tokens: Count = 2048
    grad_accumulation: Count = 1
    """Batches for each step of the optimiser."""
    stream_length: Count = 70
    optimiser: Literal["adamw", "sgd", "asgd", "muon"] = "adamw"
    learning_rate: Annotated[float, Meta(gt=0, le=sys.float_info.max)] = 1e-3
    weight_decay: Finite = 0.1
    betas: tuple[Share, Share] = (0.9, 0.95)
    warmup: Share = 0.02
    """Share of the training in which the learning rate rises."""
    schedule: Literal["linear", "cosine", "constant", "anneal", "geometric"] = "linear"
    final_learning_rate: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Share of the learning rate that is left at the end."""
    grad_clip: Annotated[float, Meta(gt=0)] = 1.0
    patience: CountOrNone = 0
    """Stop after this many epochs without a better dev perplexity; 0 never."""


class CheckpointsPart(msgspec.Struct, frozen=True, kw_only=True):
    """When weights are kept for scoring."""

    at: str | tuple[int, ...] = "log2"
    """`log2`, `babylm`, `none`, or a list of token counts."""


class MachinePart(msgspec.Struct, frozen=True, kw_only=True):
    """Where it runs; part of the record, since other threads give other last bits."""

    threads: Annotated[int, Meta(ge=1, le=1024)] = 1
    precision: Literal["float32", "bfloat16"] = "float32"
    compile: bool = False
    device: str = "auto"


PARTS: Mapping[str, type[msgspec.Struct]] = {
    "corpus": CorpusPart,
    "text": TextPart,
    "training": TrainingPart,
    "checkpoints": CheckpointsPart,
    "machine": MachinePart,
}
RENAMED: Mapping[str, Mapping[str, str]] = {
    "text": {
        "words": "tokenizer", "least": "min_count", "most": "max_vocab", "classes": "unk_classes",
        "longest": "max_length",
    },
    "training": {
        "passes": "epochs", "accumulate": "grad_accumulation", "rate": "learning_rate",
        "decay": "weight_decay", "warm_up": "warmup", "final_rate": "final_learning_rate",
        "clip": "grad_clip",
    },
}  # fmt: skip
"""Names that keys had up to version 0.2. Hashes in the folders of trainings are of these."""
LEARNT = frozenset(
    {
        "vocabulary", "labels", "tags", "pieces", "characters", "suffixes", "shapes",
        "piece_width", "reader_units", "reader_layers", "bands",
    }
)  # fmt: skip
"""Keys of a network's shape that the corpus decides."""
SIZES = ("tiny", "small", "paper")
DEVICE = re.compile(r"auto|cpu|(cuda|mps|xpu)(:[0-9]{1,3})?")
SOFTMAX = re.compile(r"full|adaptive(:[1-9][0-9]{0,8}(,[1-9][0-9]{0,8})*)?")
BPE_SIZES = range(257, 1_000_001)
"""At least 256 bytes and the boundary."""


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
        """Tokens to train on; 0 where epochs are counted."""
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
        raise UsageError(
            f"{folder} holds no training to resume; leave out `resume=True` to begin one"
        )
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
    warn = Path(where).name != SAVED  # those of a training that is resumed may be old
    merged = {
        name: renamed_keys(part, RENAMED.get(name, {}), name, where, warn=warn)
        if isinstance(part, Mapping)
        else part
        for name, part in tables.items()
    }
    for key, value in present_keys(overrides or {}, "overrides").items():
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
    shape, network = shapes[architecture], merged.get("network", {})
    remedy = "see docs/training.md"
    parts: dict[str, Any] = {
        name: convert_table(
            kind, merged.get(name, {}), name, where, remedy=remedy, refusal=UsageError
        )
        for name, kind in PARTS.items()
    }
    check_table(
        shape, network, "network", where, remedy=remedy, refusal=UsageError, reserved=LEARNT
    )
    recipe = Recipe(architecture=architecture, network=dict(network), **parts)
    _check_together(recipe, shape, where)
    return recipe


def _check_together(recipe: Recipe, shape: type, where: str) -> None:
    """Refuse values that have forms of their own, or that do not fit each other.

    All of it is checked before a training writes anything, so that a wrong value is one line that
    names its key, and a corrected recipe can use the same folder.
    """
    corpus, text, training, machine = recipe.corpus, recipe.text, recipe.training, recipe.machine
    defaults = {field.name: field.default for field in dataclasses.fields(shape)}
    network: dict[str, Any] = {**defaults, **recipe.network}
    architecture = recipe.architecture

    def must(holds: bool, otherwise: str) -> None:
        if not holds:
            raise UsageError(f"{where}: {otherwise}")

    must(
        not (corpus.trees_of and corpus.extra),
        "trees_of and extra cannot be combined; leave out extra",
    )
    must(
        bool(training.tokens) != bool(training.epochs),
        'give [training] tokens = "24M" or epochs = 4, one of them',
    )
    if corpus.size != "all":
        parse_amount(corpus.size, f"size in {where}")
    if training.tokens:
        parse_amount(training.tokens, f"tokens in {where}")
    checkpoint_counts(recipe.checkpoints.at, 1)
    must(
        DEVICE.fullmatch(machine.device) is not None,
        f"machine.device = {shown(machine.device)}; it takes auto, cpu, cuda or cuda:1",
    )
    kind, _, size = text.tokenizer.partition(":")
    must(
        text.tokenizer == "ptb"
        or (
            kind == "bpe"
            and parse_amount(size or "8192", f"text.tokenizer in {where}") in BPE_SIZES
        ),
        f"text.tokenizer = {shown(text.tokenizer)}; it takes ptb, or bpe:N with N a number from "
        f"{BPE_SIZES[0]} to {BPE_SIZES[-1]:,}",
    )
    softmax = network.get("softmax", "full")
    ends = [int(end) for end in re.findall("[0-9]+", softmax)]
    must(
        SOFTMAX.fullmatch(softmax) is not None and ends == sorted(set(ends)),
        f"network.softmax = {shown(softmax)}; it takes full, adaptive, or adaptive with the ranks "
        "of words where its bands end: adaptive:2000,10000",
    )
    if architecture in ("gpt2", "transformer-xl"):
        width, heads = network["width"], network["heads"]
        must(
            network.get("head_size", 0) or width % heads == 0,
            f"network.width = {width} is not a multiple of network.heads = {heads}",
        )
        must(architecture == "gpt2" or width % 2 == 0, f"network.width = {width} must be even")
    if architecture == "gpt2":
        must(
            kind == "bpe",
            f"text.tokenizer = {text.tokenizer}; a GPT-2 is saved for Transformers, which reads "
            "pieces of words: write bpe:8192, or train an lstm on whole words",
        )
        positions = network["positions"]
        must(  # a sentence of n tokens is read after its boundary
            text.max_length < positions,
            f"text.max_length = {text.max_length} must be smaller than network.positions = "
            f"{positions}",
        )
        must(
            text.pack != "stream" or training.stream_length <= positions,
            f"training.stream_length = {training.stream_length} must not be larger than "
            f"network.positions = {positions}",
        )
    if architecture == PARSER or ARCHITECTURES[architecture].recurrent:
        must(
            machine.precision == "float32",
            f"machine.precision = {machine.precision}; recurrent networks are trained in float32",
        )
    if architecture == "on-lstm":  # its layers are made of whole chunks
        hidden, embedding, chunk = (network[key] for key in ("hidden", "embedding", "chunk"))
        must(
            hidden % chunk == 0,
            f"network.hidden = {hidden} is not a multiple of network.chunk = {chunk}",
        )
        must(
            network["projected"] or embedding % chunk == 0,
            f"network.embedding = {embedding} is not a multiple of network.chunk = {chunk}, and "
            "the last layer is as wide; or set network.projected = true",
        )
    if architecture == "span-parser":
        must(
            not training.patience
            and training.schedule != "anneal"
            and training.optimiser != "asgd",
            "training.patience, schedule = anneal and optimiser = asgd need the loss on dev, but "
            "a parser is measured by F1 there; use a fixed number of epochs",
        )


def write_recipe(recipe: Recipe) -> str:
    """The recipe as TOML, every key with its value."""
    tables = recipe.to_dict()
    lines = [f"architecture = {_toml(tables.pop('architecture'))}"]
    for name, values in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def present_keys(overrides: Mapping[str, Any], where: str) -> dict[str, Any]:
    """`table.key` = value, with the present names of the keys."""
    names = {f"{t}.{old}": f"{t}.{new}" for t, own in RENAMED.items() for old, new in own.items()}
    return renamed_keys(overrides, names, "", where, warn=True)


def old_names(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a recipe under the names of version 0.2, for hashes that outlive a name."""
    found = dict(tables)
    for table, names in RENAMED.items():
        if table in found:
            old = {new: old for old, new in names.items()}
            found[table] = {old.get(key, key): value for key, value in found[table].items()}
    return found


def recipe_differences(saved: str, recipe: Recipe) -> list[str]:
    """Keys in which a saved recipe decides another training, however its amounts are written."""
    try:
        tables = tomllib.loads(saved)
        for table, names in RENAMED.items():
            tables[table] = renamed_keys(tables[table], names, table, "", warn=False)
        before = _decided(tables)
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError, PriscianError):
        return ["its recipe.toml is not one that Priscian has written"]
    now = _flat(_decided(tomllib.loads(write_recipe(recipe))))
    old = _flat(before)
    return [key for key in dict.fromkeys((*now, *old)) if now.get(key) != old.get(key)]


def _flat(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables as `table.key` = value."""
    found: dict[str, Any] = {}
    for name, value in tables.items():
        if isinstance(value, Mapping) and value:
            found |= {f"{name}.{key}": each for key, each in value.items()}
        else:
            found[name] = value
    return found


def digest_of(recipe: Recipe) -> str:
    """A hash of what a recipe decides, the same however its amounts are written."""
    tables = old_names(tomllib.loads(write_recipe(recipe)))
    text = json.dumps(_decided(tables), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _decided(tables: dict[str, Any]) -> dict[str, Any]:
    """Tables with amounts as numbers: "1.5k", 1500 and 1500.0 are the same."""
    for table, key, none in (("corpus", "size", "all"), ("training", "tokens", "")):
        if tables[table].get(key, none) != none:
            tables[table][key] = parse_amount(tables[table][key], key)

    def whole(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: whole(one) for key, one in value.items()}
        if isinstance(value, list):
            return [whole(one) for one in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    return {name: whole(part) for name, part in tables.items()}


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)
