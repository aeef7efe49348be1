"""`priscian perplexity`: how well an n-gram model foretells a text."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.errors import DataError, UsageError


def perplexity_command(
    model: str,
    *files: Path,
    lines: Annotated[bool, Parameter(negative="")] = False,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Perplexity of an n-gram model on held-out text, with and without unknown words.

    The ends of sentences count as words. Perplexities of models with other vocabularies or other
    ways of cutting words cannot be compared.

    Examples:
      priscian perplexity ngram:books.pngm held-out.txt
      priscian perplexity builtin:ngram held-out.txt.xz --json

    Parameters
    ----------
    model
        ngram:FILE or builtin:ngram.
    files
        Text files, plain, .gz or .xz.
    lines
        Every line is one sentence; by default as the model was trained.
    json_
        Print JSON.
    """
    from priscian.models import load
    from priscian.models.ngram import NgramModel, measure_perplexity
    from priscian.training.corpora import read_sentences

    if not files:
        raise UsageError("name a text file to measure the model on")
    loaded = load(model)
    if not isinstance(loaded, NgramModel):
        raise UsageError(f"{model} is not an n-gram model; priscian surprisal scores any model")
    split = not lines and loaded.facts.get("sentences") == "split"
    found = measure_perplexity(loaded, read_sentences(list(files), split))
    if not found.words:
        raise DataError(f"no words in {', '.join(map(str, files))}; give a text with words in it")
    if json_:
        print(json.dumps(asdict(found)))
        return
    share = found.unknown / found.words
    print(f"{found.words:,} words in {found.sentences:,} sentences")
    print(f"unknown words         {found.unknown:>12,}  ({share:.2%})")
    print(f"perplexity            {found.with_unknown:>12.2f}")
    print(f"without unknown words {found.without_unknown:>12.2f}")
