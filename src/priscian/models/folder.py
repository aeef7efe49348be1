"""Folders that `priscian train` writes: weights, and `config.json` with the architecture.

All models from them share words to ids, boundaries, and scores by offsets. Options of the model
string say what stands around a text: `bos=none` reads it without a boundary before it, so that its
first word is not scored (as LM Zoo does); `eos=yes` counts the boundary after it as one more token
(as BLiMP's scores of LSTMs do).
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from priscian.errors import DataError, ModelError, UsageError, install
from priscian.files import decode_toml, names_in, regular, shown
from priscian.models.fingerprint import hash_file, read_bytes
from priscian.models.protocol import Traits
from priscian.models.spec import ModelKey, ModelSpec
from priscian.models.text_offsets import own_tokens
from priscian.models.vocabulary import BOUNDARY_ID, Coded, Vocabulary, load_vocabulary
from priscian.records import Text, TokenScores

if TYPE_CHECKING:
    from torch import nn

CLASSIFIER = ("classifier.json", "classifier")
"""The file of a classifier's folder, and its provider."""
PARSER = "span-parser"
"""An architecture of ours that is not a language model."""
PARSER_NETWORK = "span_parser.SpanParser"
PARTS = ("config.json", "model.safetensors", "tokenizer.json", "vocabulary.json")
OPTIONS = frozenset({"name", "bos", "eos"})
S = TypeVar("S")


class Architecture(NamedTuple):
    """A language model that `priscian train` trains; its recipes are in `training/recipes/`."""

    what: str
    """For help pages."""
    network: str
    """Its class in a module of `models/networks/`; `Shape` is added for that of its sizes."""
    provider: str
    """What scores its folders: `hf` where Transformers reads them."""
    recurrent: bool = True
    """Trained in float32 only."""
    trees: bool = False
    """Trained on trees instead of text."""


ARCHITECTURES: Mapping[str, Architecture] = {
    "gpt2": Architecture(
        "a GPT-2, saved as an ordinary Hugging Face folder", "gpt2.Gpt2", "hf", recurrent=False
    ),
    "lstm": Architecture("an LSTM, which scores on NumPy alone", "lstm.Lstm", "lstm"),
    "on-lstm": Architecture(
        "an ordered-neurons LSTM, which scores on NumPy alone", "on_lstm.OnLstm", "lstm"
    ),
    "rnng": Architecture(
        "a recurrent neural network grammar, from trees", "rnng.Rnng", "rnng", trees=True
    ),
    "transformer-xl": Architecture(
        "a Transformer-XL with relative positions and memory", "transformer_xl.TransformerXl",
        "txl", recurrent=False,
    ),
}  # fmt: skip


def provider_of(folder: Path) -> str | None:
    """The provider of a folder of ours, or None for any other folder."""
    if (folder / CLASSIFIER[0]).is_file():
        return CLASSIFIER[1]
    architecture = architecture_of(folder)
    if architecture == PARSER:
        raise ModelError(
            f"{folder} holds a parser, which gives trees and no probabilities; use it with "
            f"priscian parse FILE `model={folder}`"
        )
    known = ARCHITECTURES.get(architecture)
    return known.provider if known is not None and known.provider != "hf" else None


def architecture_of(folder: Path) -> str:
    """The architecture that `config.json` names; "" if the folder is not one of ours.

    A training that has not ended has checkpoints and a recipe, but no configuration yet.
    """
    file = folder / "config.json"
    if not file.is_file():
        return str(_read_recipe(folder).get("architecture", ""))
    config = _read_object(file)
    return "" if "model_type" in config else str(config.get("architecture", ""))


def trained_on_sentences(folder: Path) -> bool:
    """Whether `priscian train` made a folder or a checkpoint from single sentences."""
    card = _read_object(folder / "card.json")
    if "pack" in card:
        return bool(card["pack"] == "sentence")
    training = folder.parent if folder.name.startswith("tokens-") else folder
    text = _read_recipe(training).get("text")  # cards of 0.1 do not say
    return isinstance(text, dict) and text.get("pack") == "sentence"


def _read_object(file: Path) -> dict[str, Any]:
    """A JSON object; {} if there is none that can be read."""
    try:
        found = json.loads(regular(file).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_recipe(folder: Path) -> dict[str, Any]:
    try:
        return decode_toml(regular(folder / "recipe.toml").read_text("utf-8"), "")
    except (OSError, ValueError, DataError):
        return {}


def model_folder(spec: ModelSpec) -> Path:
    """The folder of a model, or of its checkpoint if the spec has a revision."""
    folder = spec.path / spec.revision if spec.revision else spec.path
    if not (folder / "model.safetensors").is_file():
        raise ModelError(
            f"{folder} has no model.safetensors; give a folder that priscian train has finished, "
            "or a checkpoint in it: DIR@tokens-N"
        )
    return folder


def read_config(folder: Path, architectures: Sequence[str]) -> dict[str, Any]:
    """`config.json` of one of these architectures."""
    file = folder / "config.json"
    try:
        config = json.loads(read_bytes(file).decode())
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file} is not valid JSON ({error}); copy the folder again") from None
    name = config.get("architecture") if isinstance(config, dict) else None
    if name not in architectures:
        what, trees = name or "a model of another kind", ""
        if PARSER not in architectures:
            raise ModelError(
                f"{folder} holds {what}, not {' or '.join(architectures)}; give the bare path, "
                "which finds the provider"
            )
        if name == "rnng":
            what = "a grammar"
            trees = (
                f"; trees of the grammar itself: priscian surprisal rnng:{folder} `file=FILE` "
                "`trees=True`"
            )
        raise ModelError(
            f"{folder} holds {what}, not a parser; train one: priscian parse `train=TREES` "
            f"`out=DIR`{trees}"
        )
    return config  # type: ignore[no-any-return]


def folder_key(folder: Path, provider: str) -> ModelKey:
    """The key of a folder: a hash of its files."""
    hashes = {
        name.partition(".")[0]: hash_file(folder / name)
        for name in PARTS
        if (folder / name).is_file()
    }
    return ModelKey({"provider": provider, "method": "folder", **hashes})


def checkpoints(spec: ModelSpec, pattern: str) -> list[ModelSpec]:
    """The model at every checkpoint folder whose name matches, by the number in the name."""
    return [
        spec.at(name)
        for name in names_in(spec.path, pattern)
        if (spec.path / name / "model.safetensors").is_file()
    ]


@dataclass(frozen=True, slots=True)
class BoundaryPolicy:
    """Whether a boundary is read before a text, and counted after it."""

    bos: bool = True
    eos: bool = False

    @classmethod
    def of(cls, spec: ModelSpec) -> BoundaryPolicy:
        """As the options of a model string say."""
        spec.check_options(OPTIONS)
        bos, eos = spec.options.get("bos", "auto"), spec.options.get("eos", "no")
        if bos not in ("auto", "none"):
            raise UsageError(f"bos must be auto or none, not {bos!r} (in {spec})")
        if eos not in ("yes", "no"):
            raise UsageError(f"eos must be yes or no, not {eos!r} (in {spec})")
        return cls(bos == "auto", eos == "yes")


BOUNDARIES = BoundaryPolicy()


class FolderProvider:
    """Models from a folder that `priscian train` has written, and its checkpoints."""

    name = ""

    def check(self, spec: ModelSpec) -> None:
        """Refuse unknown options and values, without a folder."""
        BoundaryPolicy.of(spec)

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents, vocabulary and weights, and how boundaries are read."""
        boundaries = BoundaryPolicy.of(spec)
        extra = {} if boundaries.bos else {"bos": "none"}
        extra |= {"eos": "counted"} if boundaries.eos else {}
        return ModelKey({**folder_key(model_folder(spec), self.name).fields, **extra})

    def traits(self, spec: ModelSpec) -> Traits:
        """A folder with a list of whole words meets unknown ones; pieces never do."""
        boundaries = BoundaryPolicy.of(spec)
        return Traits(
            options=OPTIONS,
            closed_vocabulary=(model_folder(spec) / "vocabulary.json").is_file(),
            scores_first=boundaries.bos,
            scores_end=not boundaries.eos,
        )

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Checkpoint folders inside this one whose names match."""
        return checkpoints(spec, pattern)


class FolderScores(ABC):
    """Scores texts through `logprobs`, which a network offers."""

    def __init__(
        self,
        folder: Path,
        architecture: str,
        rows: int,
        boundaries: BoundaryPolicy = BOUNDARIES,
    ) -> None:
        """`rows` is how many tokens the weights are for."""
        self.reads_sentences = trained_on_sentences(folder)
        self.vocabulary: Vocabulary = load_vocabulary(folder)
        self.boundaries = boundaries
        if self.vocabulary.size != rows:
            raise ModelError(
                f"{folder}: {rows} rows of weights for a vocabulary of {self.vocabulary.size}; "
                "copy it again"
            )
        self.notes = {
            "architecture": architecture,
            "dtype": "float32",
            "vocabulary": str(self.vocabulary.size),
            "bos": "boundary of sentences (id 0)"
            if boundaries.bos
            else "none; the first word is not scored",
        }

    @abstractmethod
    def logprobs(self, sequences: Sequence[Sequence[int]]) -> Sequence[Sequence[float]]:
        """log p of every token of every sequence; NaN for a first one that nothing precedes."""

    def encode(self, texts: Sequence[Text]) -> list[Coded]:
        """Contexts and texts as ids with offsets, without boundaries."""
        return [self.vocabulary.encode(text.context + text.text) for text in texts]

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        coded = self.encode(texts)
        after = [BOUNDARY_ID] if self.boundaries.eos else []
        found = self.logprobs([[*ids, *after] for ids, _, _ in coded])
        for text, (_, starts, ends), logps in zip(texts, coded, found, strict=True):
            first, own_starts, own_ends = own_tokens(text, list(zip(starts, ends, strict=True)))
            if self.boundaries.eos and own_starts:
                own_starts, own_ends = (*own_starts, len(text.text)), (*own_ends, len(text.text))
            yield TokenScores(own_starts, own_ends, tuple(logps[first : first + len(own_starts)]))

    def score_ends(self, texts: Sequence[Text]) -> list[float]:
        """Log-probability of the boundary after each text."""
        coded = [[*code.ids, BOUNDARY_ID] for code in self.encode(texts)]
        return [logps[-1] for logps in self.logprobs(coded)]

    def oov_counts(self, texts: Sequence[Text]) -> list[int]:
        """How many words of each text are outside the vocabulary."""
        return [self.vocabulary.unknown(text.text) for text in texts]

    def unknown_words(self, text: str) -> list[str]:
        """The words of a text that are outside the vocabulary."""
        return self.vocabulary.unknown_words(text)


def load_network(
    folder: Path, architecture: str, check: Callable[[Any], None] = lambda shape: None
) -> Any:
    """The network of a folder, ready to score; `check` raises a ValueError for a shape.

    It is built without memory, on the meta device: only a network of just the arrays in the file
    gets some.
    """
    from priscian.models.safetensors_file import read_safetensors  # needs NumPy

    config = read_config(folder, (architecture,))
    weights = read_safetensors(folder / "model.safetensors")
    sizes = {name: value for name, value in config.items() if name != "architecture"}
    known = ARCHITECTURES.get(architecture)
    module, _, network_name = (known.network if known else PARSER_NETWORK).partition(".")
    try:
        import torch

        for name, value in sizes.items():
            # a layer has an array at least; a million of them would take minutes to build
            if "layers" in name and isinstance(value, int) and value > len(weights):
                raise ValueError(f"{name} is {shown(value)} for {len(weights)} arrays")
        place = import_module(f"priscian.models.networks.{module}")
        shape = read_shape(getattr(place, f"{network_name}Shape"), sizes)
        check(shape)
        with torch.device("meta"):
            network: nn.Module = getattr(place, network_name)(shape)
        wanted = {name: tuple(value.shape) for name, value in network.state_dict().items()}
        for name in sorted(wanted.keys() | weights.keys()):
            found = weights[name].shape if name in weights else None
            if wanted.get(name) != found:
                raise ValueError(f"{name} has the shape {found}, not {wanted.get(name)}")
        network.to_empty(device="cpu")
        network.load_state_dict({n: torch.from_numpy(w) for n, w in weights.items()})
    except ImportError:
        name = known.provider if known else architecture
        raise ModelError(f"{name}: models need PyTorch: {install('hf')}") from None
    except (TypeError, LookupError, RuntimeError, ValueError, ArithmeticError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(
            f"{folder}: weights do not fit the network ({reason}); copy it again"
        ) from None
    return network.eval()


def read_shape(kind: type[S], sizes: Mapping[str, Any]) -> S:
    """The sizes of a network, each of its own type; a ValueError says which is not."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in sizes.items():
        if name not in known:
            raise ValueError(f"unknown size {shown(name)}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}")
    return msgspec.convert(sizes, kind)
