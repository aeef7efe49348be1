"""`lstm:` — recurrent models that `priscian train` has made; they run on NumPy alone.

A folder (`config.json`, `model.safetensors`, a vocabulary) holds an LSTM or an ON-LSTM; a single
file `.plstm` is the older form, which the embedded model has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from priscian.errors import ModelError
from priscian.files import shown
from priscian.models.fingerprint import hash_file
from priscian.models.folder import model_folder, read_config
from priscian.models.folder_scores import (
    BOUNDARIES,
    BoundaryPolicy,
    FolderProvider,
    FolderScores,
)
from priscian.models.key import ModelKey
from priscian.models.lstm.model_file import read_model
from priscian.models.lstm.recurrent import NumpyLstm
from priscian.models.safetensors_file import read_safetensors
from priscian.models.spec import ModelSpec, files_beside
from priscian.models.text_offsets import own_tokens
from priscian.models.traits import Traits
from priscian.records import Text, TokenScores

FILE_OPTIONS = frozenset({"name"})


class LstmProvider(FolderProvider):
    """Recurrent models from a folder or a file."""

    name = "lstm"
    example = "lstm:DIR"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents: vocabulary and weights."""
        if spec.path.is_dir():
            return super().key(spec)
        return ModelKey(
            {"provider": "lstm", "weights": hash_file(_file(spec)), "method": "recurrent"}
        )

    def load(self, spec: ModelSpec) -> LstmModel | FolderModel:
        """The model, its file verified."""
        if spec.path.is_dir():
            return FolderModel(model_folder(spec), BoundaryPolicy.of(spec))
        return LstmModel(_file(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """Those of a folder; a file has pieces, which know every word."""
        if spec.path.is_dir():
            return super().traits(spec)
        _file(spec)
        return Traits(options=FILE_OPTIONS)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Checkpoint folders inside this one, or files beside it, whose names match."""
        of_folder = spec.path.is_dir()
        return super().revisions(spec, pattern) if of_folder else files_beside(spec, pattern)


def _file(spec: ModelSpec) -> Path:
    if not spec.path.exists():
        raise ModelError(f"no model file {spec.path} (in {spec}); make one: priscian train lstm")
    spec.check_options(FILE_OPTIONS)
    return spec.path


class FolderModel(FolderScores):
    """An LSTM or ON-LSTM from a folder; a text begins after a sentence boundary."""

    def __init__(self, folder: Path, boundaries: BoundaryPolicy = BOUNDARIES) -> None:
        config = read_config(folder, ("lstm", "on-lstm"))
        weights = read_safetensors(folder / "model.safetensors")
        dropped = config.get("drop_connect", 0.0)
        if not isinstance(dropped, int | float) or not 0 <= dropped < 1:
            raise ModelError(
                f"{folder}: drop_connect is {shown(dropped)} in config.json, and it is a share "
                "from 0 to 1; copy it again"
            )
        keep = 1.0 - dropped
        try:
            self.network = NumpyLstm(
                {name.removeprefix("words."): value for name, value in weights.items()}, keep
            )
            # a token of every band: shapes that do not fit are found now
            self.network.logprobs([[int(end) - 1] for end in self.network.softmax.ends])
        except (KeyError, IndexError, ValueError) as error:
            raise ModelError(
                f"{folder}: weights do not make a network ({error}); copy it again"
            ) from None
        super().__init__(folder, str(config["architecture"]), self.network.vocabulary, boundaries)

    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token of every sequence."""
        found = self.network.logprobs(sequences, opened=self.boundaries.bos)
        return [values.tolist() for values in found]


class LstmModel:
    """Sentences token by token, the first one after a sentence boundary."""

    reads_sentences = True

    def __init__(self, path: Path) -> None:
        stored = read_model(path)
        self.pieces = stored.pieces
        self.network = NumpyLstm(stored.weights)
        self.card = dict(stored.card)
        self.notes = {
            "dtype": "float32 (stored as float16)",
            "vocabulary": str(self.network.vocabulary),
            "bos": "<s> (id 0), the boundary of sentences",
        }

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        coded = [self.pieces.encode(text.context + text.text) for text in texts]
        found = self.network.logprobs([ids for ids, _, _ in coded])
        for text, (_, starts, ends), logps in zip(texts, coded, found, strict=True):
            first, own_starts, own_ends = own_tokens(text, list(zip(starts, ends, strict=True)))
            yield TokenScores(own_starts, own_ends, tuple(logps[first:].tolist()))

    def score_entropies(self, texts: Sequence[Text]) -> Iterable[tuple[float, ...]]:
        """Before each token of each text, the entropy of what may come next, in nats."""
        coded = [self.pieces.encode(text.context + text.text) for text in texts]
        found = self.network.entropies([ids for ids, _, _ in coded])
        for text, (_, starts, ends), values in zip(texts, coded, found, strict=True):
            first = own_tokens(text, list(zip(starts, ends, strict=True)))[0]
            yield tuple(values[first:].tolist())
