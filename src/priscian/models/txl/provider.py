"""`txl:` — Transformer-XL from a folder that `priscian train transformer-xl` has made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import ModelError
from priscian.models.folder import checkpoints, folder_key, model_folder, read_config
from priscian.models.key import ModelKey
from priscian.models.safetensors_file import read_safetensors
from priscian.models.spec import ModelSpec
from priscian.models.text_offsets import own_tokens
from priscian.models.traits import Traits
from priscian.models.vocabulary import BOUNDARY_ID, load_vocabulary
from priscian.records import Text, TokenScores

OPTIONS = frozenset({"name"})
TOGETHER = 4096
"""Tokens that are read at once."""


class TransformerXlProvider:
    """Transformer-XL models from a folder."""

    example = "txl:DIR"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents: vocabulary and weights."""
        spec.check_options(OPTIONS)
        return folder_key(model_folder(spec), "txl")

    def load(self, spec: ModelSpec) -> TransformerXlModel:
        """The model, ready to score."""
        spec.check_options(OPTIONS)
        return TransformerXlModel(model_folder(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """A folder with a list of whole words meets unknown ones; pieces never do."""
        closed = (model_folder(spec) / "vocabulary.json").is_file()
        return Traits(options=OPTIONS, closed_vocabulary=closed, scores_end=True)

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Checkpoint folders inside this one whose names match."""
        return checkpoints(spec, pattern)


class TransformerXlModel:
    """A text is one segment after a sentence boundary, read with an empty memory."""

    def __init__(self, folder: Path) -> None:
        try:
            import torch

            from priscian.models.networks.transformer_xl import TransformerXl, TransformerXlShape
        except ImportError:
            raise ModelError(
                "txl: models need PyTorch: pip install torch==2.13.0 -c constraints.txt"
            ) from None
        config = read_config(folder, ("transformer-xl",))
        sizes = {name: value for name, value in config.items() if name != "architecture"}
        weights = read_safetensors(folder / "model.safetensors")
        try:
            self.network = TransformerXl(TransformerXlShape(**sizes)).eval()
            self.network.load_state_dict({n: torch.from_numpy(w) for n, w in weights.items()})
        except (TypeError, RuntimeError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise ModelError(f"{folder}: weights do not fit the network ({reason})") from None
        self.vocabulary = load_vocabulary(folder)
        self.notes = {
            "architecture": "transformer-xl",
            "dtype": "float32",
            "vocabulary": str(self.vocabulary.size),
            "bos": "boundary of sentences (id 0)",
        }

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        coded = [self.vocabulary.encode(text.context + text.text) for text in texts]
        found = self._logprobs([ids for ids, _, _ in coded])
        for text, (_, starts, ends), logps in zip(texts, coded, found, strict=True):
            first, own_starts, own_ends = own_tokens(text, list(zip(starts, ends, strict=True)))
            yield TokenScores(own_starts, own_ends, tuple(logps[first:]))

    def score_ends(self, texts: Sequence[Text]) -> list[float]:
        """Log-probability of the boundary after each text."""
        coded = [self.vocabulary.encode(text.context + text.text) for text in texts]
        return [logps[-1] for logps in self._logprobs([[*c.ids, BOUNDARY_ID] for c in coded])]

    def oov_counts(self, texts: Sequence[Text]) -> list[int]:
        """How many words of each text are outside the vocabulary."""
        return [self.vocabulary.unknown(text.text) for text in texts]

    def _logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token, sequences of one length together, so that nothing is padded."""
        import torch

        results: list[list[float]] = [[]] * len(sequences)
        with torch.inference_mode():
            for group in _same_length(sequences):
                rows = torch.tensor([[BOUNDARY_ID, *sequences[n]] for n in group])
                states, _ = self.network.read(rows[:, :-1])
                found: Any = self.network.words.logprobs(
                    states.reshape(-1, states.shape[-1]), rows[:, 1:].reshape(-1)
                )
                values = found.view(len(group), -1).double().tolist()
                for number, row in zip(group, values, strict=True):
                    results[number] = row
        return results


def _same_length(sequences: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    order = sorted(range(len(sequences)), key=lambda n: len(sequences[n]))
    group: list[int] = []
    for number in order:
        length = len(sequences[number])
        if not length:
            continue
        full = group and (len(group) + 1) * (length + 1) > TOGETHER
        if full or (group and len(sequences[group[0]]) != length):
            yield group
            group = []
        group.append(number)
    if group:
        yield group
