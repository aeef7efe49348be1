"""Train a model from Python: one function for every architecture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import UsageError
from priscian.training.architectures import architectures, shape_of
from priscian.training.recipe import Recipe, choose_recipe, make_recipe, read_recipe


def resolve_recipe(
    architecture: str, recipe: str | Path = "small", overrides: Mapping[str, Any] | None = None
) -> Recipe:
    """A recipe by name or file, with keys overridden: `{"network.layers": 4}`."""
    tables = read_recipe(str(recipe), architecture)
    named = tables.setdefault("architecture", architecture)
    if isinstance(named, str) and named != architecture:
        raise UsageError(f"{recipe} is a recipe for {named}; run priscian train {named}")
    shapes = {architecture: shape_of(architecture)}
    made = make_recipe(tables, shapes, overrides, str(recipe))
    if not made.corpus.files:
        raise UsageError("no corpus; name text files: `corpus=books.txt`")
    return made


def train(
    architecture: str,
    out: str | Path,
    *,
    corpus: Sequence[str | Path] = (),
    recipe: str | Path = "",
    resume: bool = False,
    overrides: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = lambda line: None,
    report: Callable[[Any], None] = lambda moment: None,
) -> dict[str, Any]:
    """Train a model on plain text into a folder that every other function reads; its card.

    >>> import priscian
    >>> priscian.train("gpt2", "my-gpt2", corpus=["books.txt"],
    ...                overrides={"training.tokens": "4M"})            # doctest: +SKIP
    >>> priscian.score("my-gpt2", "generated:7", revisions="tokens-*")  # doctest: +SKIP

    architecture
        gpt2, transformer-xl, lstm, on-lstm or rnng.
    out
        Folder of the model, its checkpoints (`tokens-N`), recipe, card and log.
    corpus
        Text files, a paragraph a line, or for rnng a tree a line; they may stand in the recipe.
    recipe
        `"tiny"`, `"small"`, `"paper"`, or a TOML file; where none is given, `"small"`, or the
        saved one of a training to resume.
    resume
        Go on with the training in `out`; the weights are bit-identical to those without a stop.
    overrides
        Keys of the recipe: `{"network.layers": 4, "training.seed": 2}`.
    """
    if architecture not in architectures():
        listed = ", ".join(architectures())
        raise UsageError(f"no architecture {architecture!r}; known: {listed}")
    changes = dict(overrides or {})
    if corpus:
        changes["corpus.files"] = [str(path) for path in corpus]
    made = resolve_recipe(architecture, choose_recipe(recipe, Path(out), resume=resume), changes)
    from priscian.training.job import train as run  # needs torch

    return run(made, Path(out), resume=resume, say=say, report=report)
