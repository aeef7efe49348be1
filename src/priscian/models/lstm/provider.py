"""`lstm:` — recurrent models that `priscian train lstm` has made; they run on NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from priscian.errors import ModelError
from priscian.models.fingerprint import hash_file
from priscian.models.key import ModelKey
from priscian.models.lstm.model_file import read_model
from priscian.models.lstm.recurrent import NumpyLstm
from priscian.models.spec import ModelSpec
from priscian.models.text_offsets import own_tokens
from priscian.models.traits import Traits
from priscian.records import Text, TokenScores

OPTIONS = frozenset({"name"})


class LstmProvider:
    """Recurrent models from a file."""

    example = "lstm:model.plstm"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The file's contents: pieces and weights."""
        spec.check_options(OPTIONS)
        return lstm_key(_file(spec))

    def load(self, spec: ModelSpec) -> LstmModel:
        """The model, its file verified."""
        spec.check_options(OPTIONS)
        return LstmModel(_file(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """A model of word pieces that never meets an unknown word."""
        return Traits(options=OPTIONS)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Model files beside this one whose names match."""
        folder = spec.path
        folder = folder if folder.is_dir() else folder.parent
        return [ModelSpec("lstm", str(p), "", spec.options) for p in sorted(folder.glob(pattern))]


def lstm_key(path: Path) -> ModelKey:
    """What identifies the scores of a model file."""
    return ModelKey({"provider": "lstm", "weights": hash_file(path), "method": "recurrent"})


def _file(spec: ModelSpec) -> Path:
    path = spec.path
    if not path.is_file():
        raise ModelError(f"no model file {path} (in {spec}); make one: priscian train lstm")
    return path


class LstmModel:
    """Sentences token by token, the first one after a sentence boundary."""

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
