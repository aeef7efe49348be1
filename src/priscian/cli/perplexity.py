"""`priscian perplexity`: how well a model predicts a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.errors import UsageError, counted

if TYPE_CHECKING:
    from priscian.api import Unit
    from priscian.runs.surprisal import Perplexity


def perplexity_command(
    model: str,
    /,
    *files: Path,
    lines: bool = False,
    passages: bool = False,
    with_ends: bool = False,
    json_: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Measure how well a model predicts held-out text.

    Perplexities per token can be compared only between models with the same tokenizer. Per word,
    character and byte they can be compared between all models that know every word. N-gram models
    always count the ends of sentences; compare them with others by --with-ends.

    Examples:
      priscian perplexity builtin:lstm held-out.txt
      priscian perplexity hf:gpt2 held-out.txt --passages
      priscian perplexity ngram:books.pngm held-out.txt.xz --json
      priscian perplexity gpt2-small test.txt --with-ends

    Parameters
    ----------
    model
        A model string: builtin:ngram, smollm2, hf:gpt2, ngram:FILE.
    files
        Text files, plain, .gz or .xz.
    lines
        Score every line alone. By default, lines are split into sentences for models that were
        trained on single sentences.
    passages
        Score the lines up to a blank one as one text, with a sliding window if it is long.
    with_ends
        Count the ends of sentences too, and Penn Treebank words instead of those between spaces:
        the perplexity of card.json and of sweeps.
    json_
        Print JSON.
    """
    from priscian import perplexity
    from priscian.scoring import ScoreStore

    if not files:
        raise UsageError("name a text file to measure the model on")
    if lines and passages:
        raise UsageError("--lines and --passages cannot be combined")
    if with_ends and (lines or passages):
        raise UsageError("--with-ends counts sentences; leave out --lines and --passages")
    with ScoreStore.default() as store:
        by: Unit = "line" if lines else "passage" if passages else "auto"
        found = perplexity(model, files, by=by, ends=with_ends, store=store)
    if json_:
        print(json.dumps(found.as_dict()))
    else:
        _print(found)


def _print(found: Perplexity) -> None:
    tokens = counted(found.tokens, "token")
    ends = f" and {counted(found.ends, 'sentence end')}" if found.ends else ""
    print(f"{counted(found.words, 'word')} ({tokens}){ends} in {counted(found.texts, 'text')}")
    rows: list[tuple[str, str]] = []
    if found.unknown is not None:
        share = found.unknown / found.tokens
        rows.append(("unknown words", f"{found.unknown:>12,}  ({share:.2%})"))
    what = "pseudo-perplexity" if found.pseudo else "perplexity"
    rows.append((f"{what} per token", _shown(found.per_token)))
    if found.without_unknown is not None:
        rows.append(("  without unknown words", _shown(found.without_unknown)))
    rows += [
        (f"{what} per word", _shown(found.per_word)),
        ("bits per character", f"{found.bits_per_character:>12.3f}"),
        ("bits per byte", f"{found.bits_per_byte:>12.3f}"),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:{width}} {value}")
    if found.ends:
        print("ends of sentences are predicted too and count as tokens and words")
    if found.unscored:
        print(f"{found.unscored:,} first tokens are not scored: the model has no BOS")
    if found.unknown:
        print("an unknown word counts as its whole class: figures per word and character are low")
    if found.pseudo:
        print("the model is bidirectional: compare it with other masked models only")


def _shown(value: float) -> str:
    return f"{value:>12.2f}" if value < 1e15 else f"{value:>12.3g}"
