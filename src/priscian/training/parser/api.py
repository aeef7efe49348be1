"""Train a parser from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import ModelError, UsageError, install
from priscian.models.folder import PARSER
from priscian.training.parser.corpus import paths_of
from priscian.training.recipe import Recipe, choose_recipe, make_recipe, read_recipe
from priscian.workers import Say

if TYPE_CHECKING:
    from priscian.training.loop import Moment


def train_parser(
    trees: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    recipe: str | Path = "",
    resume: bool = False,
    overrides: Mapping[str, Any] | None = None,
    say: Say = lambda line: None,
    report: Callable[[Moment], None] = lambda moment: None,
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
        changes["corpus.files"] = [str(path) for path in paths_of(trees)]
    made = resolve_parser_recipe(choose_recipe(recipe, Path(out), resume=resume), changes)
    from priscian.training.parser.job import train_parser as run  # needs torch

    return run(made, Path(out), resume=resume, say=say, report=report)


def resolve_parser_recipe(recipe: str | Path, overrides: Mapping[str, Any]) -> Recipe:
    """The recipe of a parser, checked."""
    if str(recipe) in ("tiny", "paper"):
        raise UsageError(f"parsers have one built-in recipe, small, not {recipe}; leave it out")
    tables = read_recipe(str(recipe), PARSER)
    try:
        from priscian.models.networks.span_parser import SpanParserShape
    except ImportError:
        raise ModelError(f"parsing needs PyTorch: {install('hf')}") from None
    made = make_recipe(tables, {PARSER: SpanParserShape}, overrides, str(recipe))
    if not made.corpus.files:
        raise UsageError("no treebank; name a file of trees: `trees=gum.txt.xz`")
    if made.corpus.extra or made.corpus.size != "all" or made.text.pack != "sentence":
        raise UsageError(
            "a parser is trained on all trees of its files; leave out corpus.size, corpus.extra "
            "and text.pack"
        )
    return made
