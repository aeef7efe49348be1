"""What all models from our own folders share: words to ids, boundaries, and scores by offsets.

Options of the model string say what stands around a text: `bos=none` reads it without a boundary
before it, so that its first word is not scored (as LM Zoo does); `eos=yes` counts the boundary
after it as one more token (as BLiMP's scores of LSTMs do).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import ModelError, UsageError
from priscian.models.folder import checkpoints, folder_key, model_folder, trained_on_sentences
from priscian.models.key import ModelKey
from priscian.models.spec import ModelSpec
from priscian.models.text_offsets import own_tokens
from priscian.models.traits import Traits
from priscian.models.vocabulary import BOUNDARY_ID, Vocabulary, load_vocabulary
from priscian.records import Text, TokenScores

OPTIONS = frozenset({"name", "bos", "eos"})


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
        self, folder: Path, architecture: str, rows: int, boundaries: BoundaryPolicy
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
    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token of every sequence; NaN for a first one that nothing precedes."""

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        coded = [self.vocabulary.encode(text.context + text.text) for text in texts]
        after = [BOUNDARY_ID] if self.boundaries.eos else []
        found = self.logprobs([[*ids, *after] for ids, _, _ in coded])
        for text, (_, starts, ends), logps in zip(texts, coded, found, strict=True):
            first, own_starts, own_ends = own_tokens(text, list(zip(starts, ends, strict=True)))
            if self.boundaries.eos and own_starts:
                own_starts, own_ends = (*own_starts, len(text.text)), (*own_ends, len(text.text))
            yield TokenScores(own_starts, own_ends, tuple(logps[first : first + len(own_starts)]))

    def score_ends(self, texts: Sequence[Text]) -> list[float]:
        """Log-probability of the boundary after each text."""
        coded = [self.vocabulary.encode(text.context + text.text) for text in texts]
        return [logps[-1] for logps in self.logprobs([[*c.ids, BOUNDARY_ID] for c in coded])]

    def oov_counts(self, texts: Sequence[Text]) -> list[int]:
        """How many words of each text are outside the vocabulary."""
        return [self.vocabulary.unknown(text.text) for text in texts]

    def unknown_words(self, text: str) -> list[str]:
        """The words of a text that are outside the vocabulary."""
        return self.vocabulary.unknown_words(text)
