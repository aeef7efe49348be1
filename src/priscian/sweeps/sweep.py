"""Sweeps: which models are trained on which sizes with which seeds, as one TOML file.

    sizes = ["250k", "1M", "4M"]
    seeds = [1, 2, 3]
    epochs = { 250k = 12, 1M = 6, 4M = 2 }

    [corpus]
    files = ["books.txt.xz"]

    [models.5-gram]
    [models.lstm]

    [scoring]
    on = ["generated:7", "sg"]

Unknown keys are refused with the nearest known name. Paths of corpus, trees and recipes are
relative to the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.files import decode_toml, regular
from priscian.files.convert import Count, CountOrNone, convert_table, renamed_keys
from priscian.runs.options import ScoreOptions
from priscian.training.amounts import parse_amount
from priscian.training.architectures import TREES, architectures, check_trained_options
from priscian.training.recipe import present_keys

SHIPPED = ("reference", "tiny")
NGRAM = "ngram"
GROUP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NGRAM = re.compile(r"([1-6])-gram")

Epochs = float | dict[str, float]
Part = TypeVar("Part")


class SweepCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """What all models are trained and tested on."""

    files: tuple[str, ...] = ()
    """Text, one paragraph per line."""
    trees: tuple[str, ...] = ()
    """Trees of the sentences of `files`, for grammars."""
    order_seed: int | str = 1
    """Which paragraphs a size has; `seed` takes another sample for every seed."""


class SweepModel(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of model; sizes, seeds, epochs and limits override those of the sweep."""

    architecture: str = ""
    """By default the name of the table."""
    recipe: str = "tiny"
    """`tiny`, `small`, `paper`, or a TOML file."""
    sizes: tuple[str | int, ...] = ()
    seeds: tuple[int, ...] = ()
    epochs: Epochs | None = None
    set: dict[str, Any] = msgspec.field(default_factory=dict)
    """Keys of the recipe: `"network.layers" = 4`."""
    options: str = ""
    """Options of the model string: `beam=100,5,10`."""
    limit: CountOrNone | None = None
    test_sentences: CountOrNone | None = None
    order: Annotated[int, Meta(ge=0, le=6)] = 0
    """N-gram models: the longest n-gram."""
    min_count: Count = 2
    """N-gram models: words that occur less often are unknown."""


class SweepScoring(msgspec.Struct, frozen=True, kw_only=True):
    """What trained models are scored on."""

    on: tuple[str, ...] = ("generated:1", "sg")
    limit: CountOrNone = 0
    """Only the first N items of each set; 0 for all."""
    tie: str = "half"
    """How a tie counts: half, wrong, random or vote:N. Counts of small texts tie often, and if ties
    are wrong, accuracy rises only because they get rare."""
    test_sentences: CountOrNone = 3000
    """Sentences of the test part that perplexity is measured on; 0 for none."""
    max_length: Count = 60
    """Words of a test sentence at most, so that all models measure the same sentences."""


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """A whole sweep, checked."""

    sizes: tuple[str | int, ...]
    corpus: SweepCorpus
    models: dict[str, SweepModel]
    seeds: tuple[int, ...] = (1,)
    epochs: Epochs = 0.0
    scoring: SweepScoring = SweepScoring()


RENAMED_KEYS = {"passes": "epochs", "longest": "max_length"}
"""Names that keys had up to version 0.2."""
NEURAL, COUNTED = ("recipe", "set", "epochs"), ("order", "min_count")
"""Keys of a model that only networks have, and only n-gram models."""
KEYS = ("sizes", "seeds", "epochs", "corpus", "models", "scoring")


def read_sweep(
    name: str | Path,
    corpus: Sequence[str | Path] = (),
    trees: Sequence[str | Path] = (),
) -> Sweep:
    """A sweep from a file, or `reference` or `tiny`; `corpus` and `trees` replace its files."""
    where = str(name)
    if where in SHIPPED:
        text = (resources.files("priscian.sweeps") / "data" / f"{name}.toml").read_text("utf-8")
        folder = Path()
    else:
        try:
            text = regular(Path(name)).read_text("utf-8")
            folder = Path(name).resolve().parent
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise DataError(
                f"cannot read the sweep {name}: {reason}; give a TOML file or {', '.join(SHIPPED)}"
            ) from None
    tables = renamed_keys(decode_toml(text, where), RENAMED_KEYS, "", where, warn=True)
    for key in tables:
        if key not in KEYS:
            raise UnknownNameError(f"key of a sweep ({name})", key, KEYS)
    parts: dict[str, Any] = {k: tables[k] for k in ("sizes", "seeds", "epochs") if k in tables}
    own = convert_table(SweepCorpus, tables.get("corpus", {}), "corpus", where)
    files = [str(Path(p).resolve()) for p in corpus] or [str(folder / f) for f in own.files]
    parsed = [str(Path(p).resolve()) for p in trees] or [str(folder / f) for f in own.trees]
    if not files:
        raise UsageError(f"{where}: no corpus; name text files in [corpus] files, or `corpus=`")
    if isinstance(own.order_seed, str) and own.order_seed != "seed":
        raise DataError(f'{where}: order_seed = {own.order_seed!r}; give a number, or "seed"')
    parts["corpus"] = msgspec.structs.replace(own, files=tuple(files), trees=tuple(parsed))
    parts["scoring"] = _convert(SweepScoring, tables.get("scoring", {}), "scoring", where)
    models = tables.get("models", {})
    if not isinstance(models, Mapping) or not models:
        raise DataError(f"{where}: no models; add a table such as [models.lstm]")
    parts["models"] = {
        group: _model(group, values, where, folder) for group, values in models.items()
    }
    if "sizes" not in parts:
        raise DataError(f'{where}: no sizes; add sizes = ["250k", "1M", "4M"]')
    try:
        sweep = msgspec.convert(parts, Sweep)
    except msgspec.ValidationError as error:
        raise DataError(f"{where}: {error}; see docs/curves.md") from None
    _check(sweep, where)
    return sweep


def largest_size(sweep: Sweep) -> int:
    """Tokens of the largest part of the corpus that a model is trained on."""
    used = [model.sizes or sweep.sizes for model in sweep.models.values()]
    return max(parse_amount(size, "sizes") for sizes in used for size in sizes)


def _convert(kind: type[Part], values: Any, table: str, where: str) -> Part:
    """A table as a record, under the old names of its keys too."""
    if isinstance(values, Mapping):
        values = renamed_keys(values, RENAMED_KEYS, table, where, warn=True)
    return convert_table(kind, values, table, where)


def _model(group: str, values: Any, where: str, folder: Path) -> SweepModel:
    part = _convert(SweepModel, values, f"models.{group}", where)
    found = _NGRAM.fullmatch(part.architecture or group)
    architecture = NGRAM if found else part.architecture or group
    if architecture not in (NGRAM, *architectures()):
        known = ("5-gram", NGRAM, *architectures())
        raise UnknownNameError(f"architecture of [models.{group}] ({where})", architecture, known)
    if not GROUP.fullmatch(group):
        raise DataError(
            f"{where}: [models.{group}] is part of file names; use letters, digits, - _ and ."
        )
    useless = NEURAL if architecture == NGRAM else COUNTED
    given = {RENAMED_KEYS.get(key, key) for key in values}
    if wrong := [key for key in useless if key in given]:
        kind = "n-gram models" if architecture == NGRAM else architecture
        raise DataError(
            f"{where}: {wrong[0]} of [models.{group}] has no effect on {kind}; delete it"
        )
    if found and part.order not in (0, int(found[1])):
        raise DataError(
            f"{where}: [models.{group}] is of order {found[1]}, not {part.order}; delete order"
        )
    order = part.order or (int(found[1]) if found else 5)
    recipe = part.recipe
    if recipe.endswith(".toml"):
        recipe = str(folder / recipe)
    return msgspec.structs.replace(
        part,
        architecture=architecture,
        order=order,
        recipe=recipe,
        set=present_keys(_flat(part.set), where),
    )


def _flat(given: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Dotted names as keys: without quotation marks, TOML reads `network.hidden` as two tables."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        inside = _flat(value, f"{before}{key}.") if isinstance(value, Mapping) else None
        found |= {f"{before}{key}": value} if inside is None else inside
    return found


def _check(sweep: Sweep, where: str) -> None:
    """Refuse now what would fail after a training."""
    ScoreOptions().updated({"tie": sweep.scoring.tie})
    for group, model in sweep.models.items():
        if model.architecture in TREES and not sweep.corpus.trees:
            raise UsageError(
                f"{where}: {group} is trained on trees; parse the corpus (priscian parse) and name "
                "the file in [corpus] trees, or `trees=`"
            )
        if model.options:
            try:
                check_trained_options(model.architecture, model.options)
            except UsageError as error:
                raise DataError(f"{where}: options of {group}: {error}") from None
        if "bos=none" in model.options.split("&") and sentences_of(sweep, model):
            raise DataError(
                f"{where}: {group} with bos=none does not score first words, so it has no "
                "perplexity; give it test_sentences = 0, or leave out bos=none"
            )
        sizes, seeds = model.sizes or sweep.sizes, model.seeds or sweep.seeds
        if not sizes or not seeds:
            raise DataError(f"{where}: {group} has no sizes or no seeds; name at least one")
        for size in sizes:
            epochs_of(sweep, group, size, where)


def shared_sentences(sweep: Sweep) -> int:
    """Test sentences that every model is measured on: the smallest number of any; 0 for none."""
    own = [sentences_of(sweep, model) for model in sweep.models.values()]
    return min((number for number in own if number), default=0)


def sentences_of(sweep: Sweep, model: SweepModel) -> int:
    """Test sentences that were asked for a kind of model."""
    own = model.test_sentences
    return sweep.scoring.test_sentences if own is None else own


def epochs_of(sweep: Sweep, group: str, size: str | int, where: str = "sweep") -> float:
    """How often a model reads a corpus of a size; 0 for n-gram models, which read it once."""
    model = sweep.models[group]
    wanted = parse_amount(size, f"sizes in {where}")
    if model.architecture == NGRAM:
        return 0.0
    epochs = sweep.epochs if model.epochs is None else model.epochs
    if isinstance(epochs, dict):
        by_size = {parse_amount(name, f"epochs in {where}"): n for name, n in epochs.items()}
        epochs = by_size.get(wanted, 0.0)
    if not epochs > 0:
        raise DataError(
            f"{where}: no epochs for {group} at {size}; write epochs = 6, or "
            f"epochs = {{ {size} = 6 }}"
        )
    return epochs
