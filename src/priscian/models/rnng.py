"""`rnng:` — recurrent neural network grammars from a folder that `priscian train rnng` has made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from priscian.errors import ModelError, TooLongError, UsageError
from priscian.files import whole_number
from priscian.models.folder import (
    FolderProvider,
    FolderScores,
    folder_key,
    load_network,
    model_folder,
)
from priscian.models.protocol import Traits
from priscian.models.spec import ModelKey, ModelSpec
from priscian.models.text_offsets import shorten
from priscian.models.vocabulary import Coded
from priscian.models.vocabulary.words import WordVocabulary
from priscian.records import Text
from priscian.trees import Action, Tree, tree_of

if TYPE_CHECKING:
    from priscian.models.networks.beam import BeamReading
    from priscian.models.networks.rnng import Rnng, RnngShape


OPTIONS = frozenset({"name", "beam"})
LARGEST = 10_000
MOST_OPEN = 10_000
"""Constituents that a grammar may let be open; the search goes through all of them."""
LONGEST = 300
"""Words of a text; a grammar is about sentences, and its stack grows with them."""
REMEMBERED = 20_000
"""Texts whose search is kept, since words, ends and trees come from the same one."""


@dataclass(frozen=True, slots=True)
class Beam:
    """Sizes of the beam: successors, fast-tracked shifts, and hypotheses between words."""

    actions: int = 100
    fast: int = 5
    words: int = 10

    @classmethod
    def of(cls, spec: ModelSpec) -> Beam:
        """The beam that a model string asks for."""
        spec.check_options(OPTIONS)
        return cls.parse(spec.options["beam"]) if "beam" in spec.options else cls()

    @classmethod
    def parse(cls, text: str) -> Beam:
        """As the option `beam` has it: `100,5,10`."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != 3 or not all(part.isascii() and part.isdecimal() for part in parts):
            raise UsageError(f"beam={text[:60]}: give three numbers, as beam=100,5,10")
        sizes = [size for part in parts if (size := whole_number(part, LARGEST)) is not None]
        if len(sizes) != 3:
            raise UsageError(
                f"beam={text[:60]}: a beam this large is too slow; give numbers up to {LARGEST:,}"
            )
        made = cls(*sizes)
        if not made.actions or not made.words:
            raise UsageError(f"beam={text}: a beam of 0 finds nothing; give numbers from 1")
        if made.words > made.actions:
            raise UsageError(
                f"beam={text}: no more than {made.actions} can shift a word; "
                f"give beam={made.words},{made.fast},{made.words}"
            )
        return made

    def __str__(self) -> str:
        return f"{self.actions},{self.fast},{self.words}"


class RnngProvider(FolderProvider):
    """Recurrent neural network grammars from a folder; `beam` is actions, fast-track, words."""

    name = "rnng"
    example = "rnng:DIR?beam=100,5,10"

    def check(self, spec: ModelSpec) -> None:
        """Refuse unknown options and beams, without a folder."""
        Beam.of(spec)

    def key(self, spec: ModelSpec) -> ModelKey:
        """The contents, and the beam."""
        beam, found = str(Beam.of(spec)), folder_key(model_folder(spec), self.name)
        return ModelKey({**found.fields, "method": "beam", "beam": beam})

    def load(self, spec: ModelSpec) -> RnngModel:
        """The model, ready to score."""
        return RnngModel(model_folder(spec), Beam.of(spec))

    def traits(self, spec: ModelSpec) -> Traits:
        """Whole words, sentence ends and trees."""
        return Traits(
            options=OPTIONS, closed_vocabulary=True, scores_end=True, trees=True,
            references=("rnng", "word-beam"),
        )  # fmt: skip


class RnngModel(FolderScores):
    """Sentences word by word; the probability of a word is summed over trees in the beam."""

    vocabulary: WordVocabulary

    def __init__(self, folder: Path, beam: Beam) -> None:
        self.network: Rnng = load_network(folder, "rnng", _check)
        super().__init__(folder, "rnng", self.network.shape.vocabulary)
        if not isinstance(self.vocabulary, WordVocabulary):
            raise ModelError(
                f"{folder}: the vocabulary is not that of the weights; copy the folder again"
            )
        self.beam = beam
        self.reads_sentences = True
        self.notes = {
            "architecture": "rnng",
            "dtype": "float32",
            "vocabulary": str(self.vocabulary.size),
            "beam": str(beam),
            "bos": "none: a tree begins with its root",
        }
        self._found: dict[tuple[int, ...], BeamReading] = {}

    def encode(self, texts: Sequence[Text]) -> list[Coded]:
        """Contexts and texts as ids; one that is too long for a grammar is refused."""
        found = super().encode(texts)
        for text, code in zip(texts, found, strict=True):
            if len(code.ids) > LONGEST:
                raise TooLongError(
                    f"a text has {len(code.ids)} words, but a grammar reads {LONGEST}: "
                    f"{shorten(text.text)!r}; give single sentences"
                )
        return found

    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[Sequence[float]]:
        """log p of every word of every sequence."""
        return [reading.logps for reading in self._readings(sequences)]

    def score_ends(self, texts: Sequence[Text]) -> list[float]:
        """Log-probability that everything closes after each text."""
        return [reading.end for reading in self._readings([c.ids for c in self.encode(texts)])]

    def best_trees(self, texts: Sequence[Text]) -> list[Tree]:
        """The most probable tree in the beam, context included."""
        coded = self.encode(texts)
        forms = []
        for text, code in zip(texts, coded, strict=True):
            if not code.ids:
                raise ModelError(
                    f"no tree for {shorten(text.text)!r}: it has no words; leave it out"
                )
            whole = text.context + text.text
            spans = zip(code.starts, code.ends, strict=True)
            forms.append([whole[start:end] for start, end in spans])
        return self._trees(forms, self._readings([code.ids for code in coded]))

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """The most probable tree in the beam of each sentence, a list of words; none is empty."""
        ids = [[self.vocabulary.word_id(word) for word in words] for words in sentences]
        forms = [[str(word) for word in words] for words in sentences]  # a Word knows its tag
        return self._trees(forms, self._readings(ids))

    def _trees(
        self, sentences: Sequence[Sequence[str]], readings: Sequence[BeamReading]
    ) -> list[Tree]:
        trees = []
        for forms, reading in zip(sentences, readings, strict=True):
            words = iter(forms)
            labels = self.network.shape.labels
            named = [Action("REDUCE"), None, *(Action("NT", label) for label in labels)]
            trees.append(tree_of(named[k] or Action("SHIFT", next(words)) for k in reading.actions))
        return trees

    def _readings(self, ids: Sequence[Sequence[int]]) -> list[BeamReading]:
        from priscian.models.networks.beam import read_texts

        # a grammar has no boundary between sentences: its words are counted from 0
        asked = [tuple(max(0, word - 1) for word in some) for some in ids]
        missing = [words for words in dict.fromkeys(asked) if words not in self._found]
        if len(self._found) > REMEMBERED:
            self._found = {words: self._found[words] for words in asked if words in self._found}
        found = read_texts(self.network, missing, self.beam)
        self._found |= dict(zip(missing, found, strict=True))
        return [self._found[words] for words in asked]


def _check(shape: RnngShape) -> None:
    limits = (shape.most_open, shape.most_opening)
    if min(limits) < 1 or max(limits) > MOST_OPEN:
        raise ValueError(f"a limit of open constituents is not from 1 to {MOST_OPEN:,}")
