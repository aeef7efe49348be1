"""`priscian surprisal`: how unexpected each token or word of a text is."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from priscian.cli.edge import as_it_is, printable
from priscian.errors import UsageError, counted
from priscian.files import refuse_replacing
from priscian.runs.surprisal.words import DEFAULTS, SurprisalOptions

if TYPE_CHECKING:
    from priscian.runs.surprisal import Passage, SurprisalTable

Flat = Parameter(name="*")


@dataclass(frozen=True, slots=True)
class SurprisalInput:
    """What is scored.

    Parameters
    ----------
    also
        Another model to show next to the first. Repeat for several.
    file
        Texts from a file, one per line; - is standard input.
    passages
        With --file: lines up to a blank line are one passage, and each line is conditioned on
        those before it.
    join
        What joins the lines of a passage: space or newline.
    """

    also: Annotated[list[str] | None, Parameter(consume_multiple=False)] = None
    file: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None
    passages: bool = False
    join: Literal["space", "newline"] = "space"


@dataclass(frozen=True, slots=True)
class SurprisalOutput:
    """Where the result goes.

    Parameters
    ----------
    out
        File for the table: .tsv, .csv, .jsonl or .parquet.
    tsv
        Print a table even on a terminal.
    json
        One JSON object per text.
    trees
        Show the most probable tree of each text too, for a model that builds trees (rnng:). If a
        table is printed, trees go to standard error. With --json each text has the key tree. Not
        with --passages.
    """

    out: Path | None = None
    tsv: bool = False
    json: bool = False
    trees: bool = False


def surprisal_command(
    model: str,
    /,
    *texts: str,
    given: Annotated[SurprisalInput, Flat] = SurprisalInput(),
    options: Annotated[SurprisalOptions, Flat] = DEFAULTS,
    output: Annotated[SurprisalOutput, Flat] = SurprisalOutput(),
) -> None:
    """Show the surprisal of every token, or word, of some texts, in bits.

    On a terminal the words are coloured by surprisal. With --tsv, --out or in a pipe the output is
    a table for regressions on reading times, one row per token or word: text, line, index, word,
    start, end, length, surprisal and the other requested columns.

    Examples:
      priscian surprisal builtin:lstm "The keys to the cabinet is here."
      priscian surprisal builtin:lstm --also builtin:ngram --words "The keys are here."
      priscian surprisal smollm2 --words --file stories.txt --passages --out stories.tsv
      priscian surprisal smollm2 --words --frequency builtin:ngram --previous 2 --file -

    Parameters
    ----------
    model
        A model string: smollm2, builtin:lstm, hf:gpt2, mlm:bert-base-cased, a folder.
    texts
        Texts to score, each in quotes.
    """
    from priscian.cli.screen import is_terminal
    from priscian.runs.surprisal import surprisals
    from priscian.scoring import ScoreStore

    models = [model, *(given.also or ())]
    options.check()
    if output.trees and given.passages:
        raise UsageError(
            "--trees shows trees of single lines, but with --passages a line is read after those "
            "before it; leave out one of the two"
        )
    passages = _passages(models, texts, given)
    if output.out is not None and given.file is not None:
        refuse_replacing(output.out, [given.file], "the text")
    with ScoreStore.default() as store:
        table = surprisals(models, passages, options, store=store)
    trees = _trees(models, passages, options.context) if output.trees else []
    prints_table = output.out is None and (output.tsv or not is_terminal())
    if output.out is not None:
        table.write(output.out)
        print(f"{output.out}  {counted(len(table.rows()), 'row')}")
    elif output.json:
        _print_json(table, passages, options, trees)
    elif prints_table:
        as_it_is(sys.stdout).write(table.text())
    else:
        _print_colour(table, options.context)
    if trees and (output.out is not None or not output.json):
        where = sys.stderr if prints_table else sys.stdout  # so that the table can be read
        print(printable("\n".join(tree for found in trees for tree in found)), file=where)


def _trees(models: list[str], passages: list[Passage], context: str) -> list[list[str]]:
    """Of each model, the best tree of each text."""
    from priscian.models import TreeModel, resolve
    from priscian.records import Text

    found: list[list[str]] = []
    for model in map(resolve, models):
        if not model.traits.trees:
            raise UsageError(f"{model} builds no trees; leave out --trees, or name a rnng: model")
        loaded = model.load().model
        assert isinstance(loaded, TreeModel)
        texts = [Text(line.text, context) for passage in passages for line in passage.lines]
        found.append([str(tree) for tree in loaded.best_trees(texts)])
    return found


def _passages(models: list[str], texts: tuple[str, ...], given: SurprisalInput) -> list[Passage]:
    """The texts of the command line and of the file; likely mistakes are errors."""
    from priscian.models import names_model
    from priscian.runs.surprisal import make_passages, read_passages

    first = models[0]
    if len(first.split()) > 1 and not os.path.exists(first):
        raise UsageError(
            f"{first!r} is a text, not a model; name the model first: "
            f'priscian surprisal builtin:lstm "{first}"'
        )
    for number, text in enumerate(texts, 1):
        if not text.strip():
            raise UsageError(f"text {number} is empty")
        if _is_file(text):
            raise UsageError(
                f"{text!r} is a file; to score its lines: priscian surprisal {first} --file {text}"
            )
        if names_model(text):
            raise UsageError(
                f"{text!r} is a model, not a text; several models: "
                f'priscian surprisal {first} --also {text} "TEXT"'
            )
    if given.file is None and given.passages:
        raise UsageError("--passages is for the lines of a file; add --file FILE")
    found = make_passages(texts)
    if given.file is not None:
        joint = "\n" if given.join == "newline" else " "
        found += read_passages(given.file, together=given.passages, joint=joint)
    if not found:
        raise UsageError("give a text in quotes, or --file FILE with one text per line")
    return found


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or not a path
        return False


def _print_json(
    table: SurprisalTable,
    passages: list[Passage],
    options: SurprisalOptions,
    trees: list[list[str]],
) -> None:
    from priscian.runs.surprisal.table import short_names

    lines = [line.text for passage in passages for line in passage.lines]
    facts: dict[str, Any] = {"boundary": options.boundary} if options.boundary != "plain" else {}
    rows = map(json.loads, table.json_lines())
    for (model, number), group in groupby(rows, key=lambda row: (row.get("model"), row["text"])):
        pieces = list(group)
        about = {"text": lines[number - 1], "line": pieces[0]["line"], **facts}
        if model is not None:
            about["model"] = model
        if trees and model is None and len(table.models) > 1:  # one object for all models
            names = short_names(table.models).values()
            about |= {f"tree_{n}": found[number - 1] for n, found in zip(names, trees, strict=True)}
        elif trees:
            place = list(table.models).index(model) if model is not None else 0
            about["tree"] = trees[place][number - 1]
        for piece in pieces:
            for name in ("model", "passage", "text", "line", "index"):
                piece.pop(name, None)
        print(json.dumps(about | {"pieces": pieces}, ensure_ascii=False))


def _print_colour(table: SurprisalTable, context: str) -> None:
    import math

    from rich.text import Text as Rich

    from priscian.cli.screen import out, shade

    console = out()
    for model in table.models:
        if len(table.models) > 1:
            console.print(Rich(model, style="bold"))
        for _, units in groupby(table.of(model), key=lambda unit: unit.text):
            line = Rich()
            total = 0.0
            for unit in units:
                bits, word = unit.surprisal, unit.word.strip() or "␣"
                known = not math.isnan(bits)
                line.append(f"{word} ", style=shade(bits) if known else "grey50")
                line.append(f"{bits:.1f}  " if known else "–  ", style="dim")
                total += bits if known else 0.0
            line.append(f"= {total:.1f} bits", style="bold")
            if context:
                console.print(Rich(f"after {context!r}", style="dim"))
            console.print(line)
