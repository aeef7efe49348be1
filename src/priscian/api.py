"""Models in three lines of Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, overload

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.models import (
    LanguageModel,
    LoadedModel,
    ModelKey,
    ModelSpec,
    TorchModel,
    open_model,
    parse_model,
)
from priscian.records import Text, TokenScores
from priscian.runs.surprisal.perplexity import Perplexity
from priscian.scoring import DEFAULTS, Options, ScoreStore, score_texts


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model; its scores are kept in a store, by default in memory."""

    loaded: LoadedModel
    store: ScoreStore

    @property
    def spec(self) -> ModelSpec:
        """The parsed model string."""
        return self.loaded.spec

    @property
    def model(self) -> LanguageModel | TorchModel:
        """The model itself."""
        return self.loaded.model

    @property
    def key(self) -> ModelKey:
        """Everything that can change its scores, as it was when the model was loaded."""
        return self.loaded.key

    def score(
        self, texts: Sequence[str | Text], *, context: str = "", options: Options = DEFAULTS
    ) -> list[TokenScores]:
        """Token scores of each text, in order."""
        asked = [t if isinstance(t, Text) else Text(t, context) for t in texts]
        scored = score_texts(self.spec, asked, self.store, loaded=self.loaded, options=options)
        return [scored.scores[text] for text in asked]

    @overload
    def surprisals(self, texts: str, *, context: str = "") -> list[tuple[str, float]]: ...

    @overload
    def surprisals(
        self, texts: list[str] | tuple[str, ...], *, context: str = ""
    ) -> list[list[tuple[str, float]]]: ...

    def surprisals(
        self, texts: str | list[str] | tuple[str, ...], *, context: str = ""
    ) -> list[Any]:
        """Each token of a text, or of each of several, with its surprisal in bits.

        NaN where a token could not be scored. `priscian.surprisals` makes a table of them.

        >>> model = load_model("builtin:lstm")
        >>> [(token, round(bits, 1)) for token, bits in model.surprisals("The cat sat.")]
        [('The', 4.0), ('cat', 8.1), ('sat', 7.2), ('.', 7.7)]
        >>> len(model.surprisals(["The cat sat.", "The cats sat."]))
        2
        """
        given = [texts] if isinstance(texts, str) else list(texts)
        found = [
            [
                (text[start:end], -logp / math.log(2))
                for start, end, logp in zip(scores.starts, scores.ends, scores.logps, strict=True)
            ]
            for text, scores in zip(given, self.score(given, context=context), strict=True)
        ]
        return found[0] if isinstance(texts, str) else found

    def logprob(self, text: str, *, context: str = "") -> float:
        """Log-probability of a text, in nats."""
        return self.score([text], context=context)[0].total


def load_model(
    model: str | ModelSpec | LanguageModel, *, store: ScoreStore | None = None, **options: str
) -> Model:
    """Load a model by its string; options such as dtype or bos may be given by name.

    An object of your own that has `score(texts)` is used as it is.
    """
    spec = parse_model(model).with_options(**options)
    return Model(open_model(spec), store or ScoreStore())


def export_tasks(
    on: str | Sequence[str],
    out: str | Path,
    *,
    limit: int | None = None,
    only: str | Sequence[str] = (),
) -> list[Path]:
    """Write the pairs of data sets as tasks of lm-evaluation-harness; returns the files.

    >>> from tempfile import mkdtemp
    >>> made = export_tasks("generated:7,2,wh_island", mkdtemp())
    >>> [path.name for path in made]
    ['priscian_generated-7-2-wh_island.yaml', 'priscian_generated-7-2-wh_island_wh_island.yaml', \
'priscian_generated-7-2-wh_island_wh_island.jsonl']

    The first file is the group of all sets; `lm-eval --tasks GROUP --include_path DIR` runs it.
    Several data sets are named together, so that no file of one replaces one of another.
    """
    from priscian.bridges.lm_eval import write_tasks
    from priscian.runs import ScoreOptions
    from priscian.runs.job import read_data

    data = read_data(on, ScoreOptions(limit=limit).updated({"only": only}))
    return write_tasks({d.name: d.sets for d in data}, Path(out))


Unit = Literal["auto", "line", "sentence", "passage"]


def perplexity(
    model: str | ModelSpec,
    texts: str | Path | Iterable[str | Path],
    *,
    by: Unit = "auto",
    ends: bool = False,
    store: ScoreStore | None = None,
) -> Perplexity:
    """How well a model predicts some texts, or text files (paths), plain, .gz or .xz.

    `by` sets the unit that is scored: each line; each sentence of a line; or each passage, the
    lines up to a blank one. `auto` takes sentences if the model was trained on single sentences,
    and lines otherwise. Long texts are read with a sliding window. With `ends`, the ends of
    sentences are predicted too and words are those of the Penn Treebank: the figure of `card.json`.

    >>> found = perplexity("builtin:ngram", "The keys to the cabinet are here.")
    >>> round(found.per_token), found.words, found.unknown
    (78, 7, 0)
    """
    from priscian.runs.surprisal import measure_perplexity, measure_with_ends

    if by not in get_args(Unit):
        raise UnknownNameError("unit", by, get_args(Unit))
    spec = parse_model(model)
    given = [texts] if isinstance(texts, str | Path) else list(texts)
    for file in given:
        if isinstance(file, Path) and not file.is_file():
            raise DataError(f"no file {file}")
    if ends and by not in ("auto", "sentence"):
        raise UsageError(f"ends of sentences cannot be counted by {by}; leave one of the two out")
    if ends:
        return measure_with_ends(spec, _sentences(given), store)
    loaded = open_model(spec)
    if by == "auto":
        by = "sentence" if getattr(loaded.model, "reads_sentences", False) else "line"
    pieces = _sentences(given) if by == "sentence" else _pieces(given, by == "passage")
    return measure_perplexity(loaded, pieces, store)


def _sentences(given: Sequence[str | Path]) -> Iterator[str]:
    """Sentences of the lines of texts and files."""
    from priscian.training.corpora import split_sentences

    for line in _pieces(given, passages=False):
        yield from split_sentences(line)


def _pieces(given: Sequence[str | Path], passages: bool) -> Iterator[str]:
    """Lines of texts and files, or passages; blank lines are left out."""
    from priscian.runs.surprisal import read_passages
    from priscian.training.corpora import read_sentences

    for text in given:
        if isinstance(text, Path) and passages:
            yield from (passage.text for passage in read_passages(text, together=True))
        elif isinstance(text, Path):
            yield from read_sentences([text], split=False)
        elif passages:
            yield text
        else:
            yield from (line for line in text.split("\n") if line.strip())
