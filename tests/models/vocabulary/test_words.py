"""The vocabulary of a folder: a list of texts, and nothing that only looks like one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import ModelError
from priscian.models.vocabulary import load_vocabulary
from priscian.models.vocabulary.words import WordVocabulary


@pytest.mark.parametrize(
    "words", [["<s>", "UNK", []], ["<s>", "UNK", 3], ["<s>", "UNK", None], "<s>", {"<s>": 0}, None]
)
def test_words_that_are_no_texts_are_refused(words: Any, tmp_path: Path) -> None:
    WordVocabulary(["<s>", "UNK", "the"]).save(tmp_path)
    file = tmp_path / "vocabulary.json"
    assert load_vocabulary(tmp_path).size == 3
    file.write_text(json.dumps(json.loads(file.read_text()) | {"words": words}))
    with pytest.raises(ModelError, match=r"vocabulary\.json cannot be read: .*words is not a list"):
        load_vocabulary(tmp_path)
