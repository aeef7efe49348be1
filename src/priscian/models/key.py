"""Model keys: everything that can change a score, known without loading the model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelKey:
    """Fields that identify a model's scores, and their digest.

    Provider, id, resolved revision or content hash, tokenizer hash, dtype, BOS policy, method.
    Two keys are equal only if every field is: no model ever gets another model's scores.
    """

    fields: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Hexadecimal name of the key in the score store."""
        payload = json.dumps(dict(sorted(self.fields.items())), separators=(",", ":"))
        return hashlib.sha256(payload.encode()).hexdigest()[:32]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelKey) and dict(self.fields) == dict(other.fields)
