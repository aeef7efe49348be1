"""`ngram:` — n-gram models from a `.pngm` or an ARPA file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from priscian.errors import ModelError, UsageError
from priscian.files import regular, shown, whole_number
from priscian.models.fingerprint import hash_file
from priscian.models.key import ModelKey
from priscian.models.ngram.arpa import read_arpa
from priscian.models.ngram.model import NgramModel
from priscian.models.ngram.pngm import MAGIC, read_facts
from priscian.models.ngram.trie import Trie
from priscian.models.ngram.trie_file import open_trie
from priscian.models.spec import ModelSpec, files_beside
from priscian.models.traits import Traits
from priscian.models.vocabulary.tokenise import Tokenisation

OPTIONS = frozenset({"words", "case", "eos", "order", "name"})


class NgramProvider:
    """N-gram models from a file: .pngm, .arpa, .arpa.gz."""

    example = "ngram:model.arpa.gz?case=lower"

    def key(self, spec: ModelSpec) -> ModelKey:
        """The file's contents, how texts are split into words, what is scored."""
        path = _file(spec)
        eos = _eos(spec)
        chosen = _tokenisation(spec, _facts(path))
        return ModelKey(
            {
                "provider": "ngram",
                "weights": hash_file(path),
                "words": chosen.words,
                "case": chosen.case,
                "method": "ngram",
            }
            | ({"eos": "channel"} if eos else {})
            | ({"order": str(_order(spec))} if "order" in spec.options else {})
        )

    def check(self, spec: ModelSpec) -> None:
        """Refuse unknown options and values, without a file."""
        _eos(spec)
        _tokenisation(spec, {})
        if "order" in spec.options:
            _order(spec)

    def load(self, spec: ModelSpec) -> NgramModel:
        """The model, its file verified."""
        return load_ngram(_file(spec), spec)

    def traits(self, spec: ModelSpec) -> Traits:
        """A word-level model with `<unk>` and `</s>`."""
        return Traits(
            options=OPTIONS,
            closed_vocabulary=True,
            detached_punctuation=True,
            scores_end=True,
            unigrams=True,
        )

    def revisions(self, spec: ModelSpec, pattern: str) -> list[ModelSpec]:
        """Model files in the same folder whose names match."""
        return files_beside(spec, pattern)


def load_ngram(path: Path, spec: ModelSpec | None = None) -> NgramModel:
    """A model from a file of either kind."""
    spec = spec or ModelSpec("ngram", str(path))
    if is_pngm(path):
        trie, facts = open_trie(path)
    else:
        trie, facts = read_arpa(path), {}
    return NgramModel(_shorten(trie, spec), _tokenisation(spec, facts), facts, _eos(spec))


def _shorten(trie: Trie, spec: ModelSpec) -> Trie:
    """The model's lower orders only, if the model string says so: order=1 is its unigrams.

    Each order of a back-off model is a distribution of its own. With Kneser–Ney smoothing the lower
    ones count in how many contexts a word was seen, not how often.
    """
    if "order" not in spec.options:
        return trie
    order = _order(spec)
    if order > trie.order:
        raise UsageError(f"{spec}: the model has order {trie.order}; give 1 to {trie.order}")
    return Trie(trie.words, trie.levels[:order])


def _order(spec: ModelSpec) -> int:
    order = whole_number(spec.options["order"])
    if not order:
        raise UsageError(
            f"order must be a whole number from 1, not {shown(spec.options['order'])} (in {spec})"
        )
    return order


def is_pngm(path: Path) -> bool:
    """Whether a file is one of ours; any other is read as ARPA."""
    try:
        with regular(path).open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise ModelError(
            f"cannot read {path}: {error.strerror}; check the path and its permissions"
        ) from None
    return head == MAGIC or path.suffix == ".pngm"


def _facts(path: Path) -> dict[str, Any]:
    return read_facts(path) if is_pngm(path) else {}


def _tokenisation(spec: ModelSpec, facts: dict[str, Any]) -> Tokenisation:
    """The tokenisation: from the model string, else from the file; PTB for an ARPA file."""
    said = facts.get("tokenisation", {"words": "ptb"})
    if not isinstance(said, dict):
        raise ModelError(f"the file of {spec} does not say how it splits words; train it again")
    stored = Tokenisation.from_facts(said)
    return Tokenisation.of(
        spec.options.get("words", stored.words), spec.options.get("case", stored.case)
    )


def _eos(spec: ModelSpec) -> bool:
    spec.check_options(OPTIONS)
    asked = spec.options.get("eos", "no")
    if asked not in {"yes", "no"}:
        raise UsageError(f"eos must be yes or no, not {asked!r} (in {spec})")
    return asked == "yes"


def _file(spec: ModelSpec) -> Path:
    path = spec.path
    if not path.is_file():
        raise ModelError(f"no model file {path} (in {spec}); make one: priscian train ngram")
    return path
