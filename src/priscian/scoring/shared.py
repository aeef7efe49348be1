"""What the models of one run share: encodings of texts, and their division into batches.

The checkpoints of a training have one tokenizer. Their texts are tokenized and divided into
batches once, for the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from priscian.models import Encoding, SharedEncoder, TorchModel
from priscian.records import Text
from priscian.scoring.batches import Batching


class Shared:
    """Keeps the encodings and batches of the last tokenizer, for the next model that has it."""

    def __init__(self) -> None:
        self._key = ""
        self._encodings: dict[Text, Encoding] = {}
        self._groups: dict[Batching, tuple[list[Encoding], list[list[int]]]] = {}

    def encode(self, model: TorchModel, texts: Sequence[Text]) -> list[Encoding]:
        """The texts as the model reads them; only new ones are tokenized."""
        if not isinstance(model, SharedEncoder):
            return model.encode(texts)
        if model.encoding_key != self._key:
            self._key, self._encodings, self._groups = model.encoding_key, {}, {}
        new = [text for text in texts if text not in self._encodings]
        if new:
            self._encodings.update(zip(new, model.encode(new), strict=True))
        return [self._encodings[text] for text in texts]

    def group(self, way: Batching, encodings: list[Encoding]) -> list[list[int]]:
        """Batches of the encodings; those of the same encodings are the same."""
        kept = self._groups.get(way)
        if kept is None or kept[0] != encodings:
            kept = self._groups[way] = (encodings, way.group(encodings))
        return kept[1]
