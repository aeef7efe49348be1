"""The folder of a training, known by its saved recipe."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.errors import UsageError
from priscian.files import read_text
from priscian.files.folder import JobFolder
from priscian.training.recipe import SAVED, Recipe, recipe_differences


class TrainingFolder(JobFolder[Recipe | str]):
    """A training of a model or parser; text that an earlier start prepared may be there."""

    what, record, lock = "training", SAVED, "training/lock"
    beside = frozenset({"vocabulary.json", "tokenizer.json", "tokenizer_config.json"})
    refusal = UsageError

    def read(self) -> str:
        """The saved recipe, as it was written."""
        return read_text(self.path / SAVED)

    def differences(self, before: Recipe | str, now: Recipe | str) -> Sequence[str]:
        """Keys of the recipe."""
        assert isinstance(before, str)
        assert isinstance(now, Recipe)
        return recipe_differences(before, now)
