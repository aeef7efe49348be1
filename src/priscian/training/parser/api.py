"""Parse from Python: train a parser, test it, and let it parse texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import DataError, ModelError, UsageError, install
from priscian.training.recipe import Recipe, choose_recipe, make_recipe, read_recipe

if TYPE_CHECKING:
    from priscian.training.parser.corpus import Parsed
    from priscian.trees import Tree
    from priscian.trees.evalb import Evalb

ARCHITECTURE = "span-parser"
LONGEST = 150
"""Words of a sentence at most, unless another limit is given."""


def train_parser(
    trees: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    recipe: str | Path = "",
    resume: bool = False,
    overrides: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = lambda line: None,
    report: Callable[[Any], None] = lambda moment: None,
) -> dict[str, Any]:
    """Train a parser on a treebank into a folder; its card, with F1 on the dev and test parts.

    >>> import priscian
    >>> card = priscian.train_parser("gum.txt.xz", "parser")  # doctest: +SKIP
    >>> card["test"]["f1"]                                    # doctest: +SKIP

    trees
        Treebank files in Penn Treebank brackets; plain, .gz or .xz.
    out
        Folder of the parser, with recipe, card and log.
    recipe
        A TOML file; where none is given, the built-in one, or that of a training to resume.
    resume
        Resume the training in `out`; the weights are bit-identical to those without a stop.
    overrides
        Keys of the recipe: `{"training.epochs": 8}`.
    """
    changes = dict(overrides or {})
    if trees:
        changes["corpus.files"] = [str(path) for path in _paths(trees)]
    made = resolve_parser_recipe(choose_recipe(recipe, Path(out), resume=resume), changes)
    from priscian.training.parser.job import train_parser as run  # needs torch

    return run(made, Path(out), resume=resume, say=say, report=report)


def resolve_parser_recipe(recipe: str | Path, overrides: Mapping[str, Any]) -> Recipe:
    """The recipe of a parser, checked."""
    if str(recipe) in ("tiny", "paper"):
        raise UsageError(f"parsers have one built-in recipe, small, not {recipe}; leave it out")
    tables = read_recipe(str(recipe), ARCHITECTURE)
    try:
        from priscian.models.networks.span_parser import SpanParserShape
    except ImportError:
        raise ModelError(f"parsing needs PyTorch: {install('hf')}") from None
    made = make_recipe(tables, {ARCHITECTURE: SpanParserShape}, overrides, str(recipe))
    if not made.corpus.files:
        raise UsageError("no treebank; name a file of trees: `trees=gum.txt.xz`")
    if made.corpus.extra or made.corpus.size != "all" or made.text.pack != "sentence":
        raise UsageError(
            "a parser is trained on all trees of its files; leave out corpus.size, corpus.extra "
            "and text.pack"
        )
    return made


def parse(texts: str | Sequence[str], model: str | Path, *, longest: int = LONGEST) -> list[Tree]:
    """The tree of each sentence of some texts; `parse_corpus` is for files.

    >>> import priscian
    >>> [tree] = priscian.parse("The dogs bark.", "parser")  # doctest: +SKIP
    >>> print(tree)                                          # doctest: +SKIP
    (S (NP The dogs) (VP bark) .)
    """
    from priscian.models.parser import Parser
    from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
    from priscian.training.corpora import split_sentences

    splitter = WordSplitter(Tokenisation())
    given = [texts] if isinstance(texts, str) else list(texts)
    sentences = [s for text in given for line in text.split("\n") for s in split_sentences(line)]
    words = [splitter.words(sentence) for sentence in sentences]
    for text, found in zip(sentences, words, strict=True):
        if len(found) > longest:
            raise DataError(
                f"a sentence of {len(found)} words is over the limit of {longest} ({text[:60]}…); "
                "divide it, or raise the limit: longest"
            )
    return Parser.load(Path(model)).parse([found for found in words if found])


def parse_corpus(
    files: str | Path | Sequence[str | Path],
    model: str | Path,
    out: str | Path,
    *,
    longest: int = LONGEST,
    workers: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Parsed:
    """Write a tree for each sentence of text files; what was parsed and what was left out.

    >>> import priscian
    >>> priscian.parse_corpus("books.txt.xz", "parser", "trees.txt.xz")  # doctest: +SKIP

    files
        Plain text, one paragraph a line; plain, .gz or .xz.
    out
        One tree per line, compressed if it ends in .xz or .gz. Created only when it is complete: a
        run that was killed resumes where it stopped.
    longest
        Words of a sentence at most; longer ones are left out and counted.
    workers
        Processes; one for each core by default.
    progress
        Called with the number of sentences done and of all.
    """
    from priscian.training.parser.corpus import parse_corpus as run

    return run(
        _paths(files), Path(model), Path(out), longest=longest, workers=workers, progress=progress
    )


def evaluate_parser(
    model: str | Path,
    trees: str | Path | Sequence[str | Path],
    *,
    part: str = "all",
    longest: int = LONGEST,
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Evalb, int]:
    """A parser against a treebank, as EVALB counts; and how many trees had too many words.

    >>> import priscian
    >>> found, _ = priscian.evaluate_parser("parser", "gum.txt.xz", part="test")  # doctest: +SKIP
    >>> found.f1                                                                  # doctest: +SKIP

    model
        Folder of a parser, or of a grammar (`train rnng`): the most probable tree in its beam.
    part
        all, train, dev or test: the parts that the training of a parser makes of the same file.
    limit
        Only the first trees; a grammar needs a second for each.
    """
    from priscian.training.parser.evaluation import evaluate

    return evaluate(Path(model), _paths(trees), part, longest, limit, progress)


def _paths(given: str | Path | Sequence[str | Path]) -> list[Path]:
    return [Path(given)] if isinstance(given, str | Path) else [Path(path) for path in given]
