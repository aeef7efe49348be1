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

from priscian.errors import UsageError
from priscian.models.folder import folder_key
from priscian.models.key import ModelKey
from priscian.models.spec import ModelSpec
from priscian.models.text_offsets import own_tokens
from priscian.models.traits import Traits
from priscian.models.vocabulary import BOUNDARY_ID, Vocabulary
from priscian.records import Text, TokenScores

OPTIONS = frozenset({"name", "bos", "eos"})


@dataclass(frozen=True, slots=True)
class Around:
    """Whether a boundary is read before a text, and counted after it."""

    bos: bool = True
    eos: bool = False

    @classmethod
    def of(cls, spec: ModelSpec) -> Around:
        """As the options of a model string say."""
        spec.check_options(OPTIONS)
        bos, eos = spec.options.get("bos", "auto"), spec.options.get("eos", "no")
        if bos not in ("auto", "none"):
            raise UsageError(f"bos must be auto or none, not {bos!r} (in {spec})")
        if eos not in ("yes", "no"):
            raise UsageError(f"eos must be yes or no, not {eos!r} (in {spec})")
        return cls(bos == "auto", eos == "yes")

    def key(self, folder: Path, provider: str) -> ModelKey:
        """The key of a folder that is read this way."""
        extra = {} if self.bos else {"bos": "none"}
        extra |= {"eos": "counted"} if self.eos else {}
        return ModelKey({**folder_key(folder, provider).fields, **extra})

    def traits(self, folder: Path) -> Traits:
        """A folder with a list of whole words meets unknown ones; pieces never do."""
        return Traits(
            options=OPTIONS,
            closed_vocabulary=(folder / "vocabulary.json").is_file(),
            scores_first=self.bos,
            scores_end=not self.eos,
        )

    @property
    def note(self) -> str:
        """What the run says about the beginning of texts."""
        return "boundary of sentences (id 0)" if self.bos else "none; the first word is not scored"


class FolderScores(ABC):
    """Scores texts through `logprobs`, which a network offers."""

    vocabulary: Vocabulary
    around: Around

    @abstractmethod
    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """log p of every token of every sequence; NaN for a first one that nothing precedes."""

    def score(self, texts: Sequence[Text]) -> Iterable[TokenScores]:
        """Token scores, in the order of the texts."""
        coded = [self.vocabulary.encode(text.context + text.text) for text in texts]
        after = [BOUNDARY_ID] if self.around.eos else []
        found = self.logprobs([[*ids, *after] for ids, _, _ in coded])
        for text, (_, starts, ends), logps in zip(texts, coded, found, strict=True):
            first, own_starts, own_ends = own_tokens(text, list(zip(starts, ends, strict=True)))
            if self.around.eos and own_starts:
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
