"""What the values of a recipe may be: choices, ranges, and sizes that must fit each other.

All of it is checked before a training writes anything, so that a wrong value is one line that
names its key, and a corrected recipe can use the same folder.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from priscian.errors import UnknownNameError, UsageError
from priscian.files import shown
from priscian.training.amounts import parse_amount
from priscian.training.schedule import checkpoint_counts

Tables = Mapping[str, Any]
"""A recipe as plain values; `network` has every key of the architecture."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`; NaN is in no range."""

    low: float = 0
    high: float = math.inf
    above: bool = False
    """Whether `low` itself is excluded."""
    below: bool = False
    """Whether `high` itself is excluded."""

    def __contains__(self, value: float) -> bool:
        left = value > self.low if self.above else value >= self.low
        return left and (value < self.high if self.below else value <= self.high)

    def __str__(self) -> str:
        low = f"{'greater than' if self.above else 'from'} {self.low:,}"
        if self.high == math.inf:
            return f"a number {low}"
        return f"a number {low} {'to below' if self.below else 'to'} {self.high:,}"


COUNT = Range(1, 2**31 - 1)
COUNT_OR_NONE = Range(0, 2**31 - 1)
SHARE = Range(0, 1, below=True)
FINITE = Range(0, math.inf, below=True)

RANGES: Mapping[str, Range] = {
    "corpus.extra_share": SHARE,
    "corpus.order_seed": Range(-(2**63), 2**63 - 1),
    "text.least": COUNT,
    "text.most": COUNT_OR_NONE,
    "text.longest": COUNT,
    "network.dropout": SHARE,
    "network.input_dropout": SHARE,
    "network.hidden_dropout": SHARE,
    "network.drop_connect": SHARE,
    "network.word_dropout": SHARE,
    "network.tagging": FINITE,
    "network.ar": FINITE,
    "network.tar": FINITE,
    "training.seed": Range(0, 2**63 - 1),
    "training.passes": Range(0, 1_000_000),
    "training.batch_tokens": COUNT,
    "training.accumulate": COUNT,
    "training.stream_length": COUNT,
    "training.rate": Range(0, math.inf, above=True, below=True),
    "training.decay": FINITE,
    "training.betas": SHARE,
    "training.warm_up": SHARE,
    "training.final_rate": Range(0, 1),
    "training.clip": Range(0, math.inf, above=True),
    "training.patience": COUNT_OR_NONE,
    "machine.threads": Range(1, 1024),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "text.vocabulary": ("subset", "shared"),
    "text.pack": ("sentence", "stream"),
    "network.history": ("stack", "full"),
    "training.optimiser": ("adamw", "sgd", "asgd", "muon"),
    "training.schedule": ("linear", "cosine", "constant", "anneal", "geometric"),
    "machine.precision": ("float32", "bfloat16"),
}
DEVICE = re.compile(r"auto|cpu|(cuda|mps|xpu)(:[0-9]{1,3})?")
SOFTMAX = re.compile(r"full|adaptive(:[1-9][0-9]{0,8}(,[1-9][0-9]{0,8})*)?")
BPE_SIZES = Range(257, 1_000_000)
"""256 bytes and the boundary at least."""

Fit = tuple[Callable[[Tables], bool], str]
_HEADS: Fit = (
    lambda t: (
        t["network"].get("head_size", 0) or t["network"]["width"] % t["network"]["heads"] == 0
    ),
    "network.width = {network[width]} is not a multiple of network.heads = {network[heads]}",
)

_FLOAT32: Fit = (
    lambda t: t["machine"]["precision"] == "float32",
    "machine.precision = {machine[precision]}; recurrent networks are trained in float32",
)


_WITHOUT_DEV: Fit = (
    lambda t: (
        not t["training"]["patience"]
        and t["training"]["schedule"] != "anneal"
        and t["training"]["optimiser"] != "asgd"
    ),
    "training.patience, schedule = anneal and optimiser = asgd need the loss on dev, but a parser "
    "is measured by F1 there; use a fixed number of passes",
)
_CHUNKS: tuple[Fit, Fit] = (
    (
        lambda t: t["network"]["hidden"] % t["network"]["chunk"] == 0,
        "network.hidden = {network[hidden]} is not a multiple of network.chunk = {network[chunk]}",
    ),
    (
        lambda t: (
            t["network"]["projected"] or t["network"]["embedding"] % t["network"]["chunk"] == 0
        ),
        "network.embedding = {network[embedding]} is not a multiple of network.chunk = "
        "{network[chunk]}, and the last layer is as wide; or set network.projected = true",
    ),
)
"""An ON-LSTM's layers are made of whole chunks."""


FITS: Mapping[str, tuple[Fit, ...]] = {
    "gpt2": (
        _HEADS,
        (
            lambda t: t["text"]["words"].startswith("bpe"),
            "text.words = {text[words]}; a GPT-2 is saved for Transformers, which reads pieces of "
            "words: write bpe:8192, or train an lstm on whole words",
        ),
        (  # a sentence of n tokens is read after its boundary
            lambda t: t["text"]["longest"] < t["network"]["positions"],
            "text.longest = {text[longest]} must be smaller than network.positions = "
            "{network[positions]}",
        ),
        (
            lambda t: (
                t["text"]["pack"] != "stream"
                or t["training"]["stream_length"] <= t["network"]["positions"]
            ),
            "training.stream_length = {training[stream_length]} must not be larger than "
            "network.positions = {network[positions]}",
        ),
    ),
    "transformer-xl": (
        _HEADS,
        (lambda t: t["network"]["width"] % 2 == 0, "network.width = {network[width]} must be even"),
    ),
    "lstm": (_FLOAT32,),
    "on-lstm": (_FLOAT32, *_CHUNKS),
    "rnng": (_FLOAT32,),
    "span-parser": (_FLOAT32, _WITHOUT_DEV),
}


def check_values(tables: Tables, shape: type, where: str) -> None:
    """Refuse a recipe with a value that no training can use.

    `shape` is the dataclass of the architecture's network; keys that are left out have its values.
    """
    defaults = {field.name: field.default for field in dataclasses.fields(shape)}
    tables = {**tables, "network": {**defaults, **tables["network"]}}
    for place, value in _values(tables, CHOICES):
        if value not in CHOICES[place]:
            raise UnknownNameError(f"{place} in {where}", value, CHOICES[place])
    for place, value in _values(tables, RANGES):
        if not all(each in RANGES[place] for each in _each(value)):
            raise UsageError(f"{where}: {place} = {_shown(value)}; it takes {RANGES[place]}")
    training, machine = tables["training"], tables["machine"]
    if bool(training["tokens"]) == bool(training["passes"]):
        raise UsageError(f'{where}: give [training] tokens = "24M" or passes = 4, one of them')
    if tables["corpus"]["size"] != "all":
        parse_amount(tables["corpus"]["size"], f"size in {where}")
    if training["tokens"]:
        parse_amount(training["tokens"], f"tokens in {where}")
    checkpoint_counts(tables["checkpoints"]["at"], 1)
    if not DEVICE.fullmatch(machine["device"]):
        device = machine["device"]
        raise UsageError(
            f"{where}: machine.device = {shown(device)}; it takes auto, cpu, cuda or cuda:1"
        )
    _check_words(tables["text"]["words"], where)
    _check_softmax(tables["network"].get("softmax", "full"), where)
    for holds, text in FITS.get(tables["architecture"], ()):
        if not holds(tables):
            raise UsageError(f"{where}: {text.format(**tables)}")


def check_device(device: str) -> None:
    """Refuse a device that this machine does not have."""
    import torch

    if device == "auto":
        return
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError):  # torch has no name of its own
        raise UsageError(
            f"machine.device = {device!r}, which torch does not find on this machine; "
            "set it to auto or cpu"
        ) from None


def _values(tables: Tables, places: Mapping[str, object]) -> list[tuple[str, Any]]:
    """The values of keys, those that the architecture has."""
    pairs = [(place, *place.split(".")) for place in places]
    return [(place, tables[table][key]) for place, table, key in pairs if key in tables[table]]


def _each(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _shown(value: Any) -> str:
    return shown(list(value) if isinstance(value, tuple) else value)


def _check_softmax(softmax: str, where: str) -> None:
    known = SOFTMAX.fullmatch(softmax) is not None
    ends = [int(end) for end in re.findall("[0-9]+", softmax)] if known else []
    if not known or ends != sorted(set(ends)):
        raise UsageError(
            f"{where}: network.softmax = {shown(softmax)}; it takes full, adaptive, or adaptive "
            "with the ranks of words where its bands end: adaptive:2000,10000"
        )


def _check_words(words: str, where: str) -> None:
    kind, _, size = words.partition(":")
    if kind == "bpe" and parse_amount(size or "8192", f"text.words in {where}") in BPE_SIZES:
        return
    if words != "ptb":
        raise UsageError(
            f"{where}: text.words = {shown(words)}; it takes ptb, or bpe:N with N {BPE_SIZES}"
        )


__all__ = ["check_device", "check_values"]
