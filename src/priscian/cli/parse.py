"""`priscian parse`: trees for a corpus, and the parser that makes them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.cli.output import grid, print_json
from priscian.cli.screen import Progress
from priscian.cli.screen import out as console
from priscian.errors import UsageError
from priscian.files import plain


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ParserTraining:
    """Options of --train.

    Parameters
    ----------
    recipe
        With --train: a TOML file; by default the built-in recipe.
    resume
        With --train: continue the training in OUT; it gives bit-identical weights.
    epochs
        With --train: number of passes through the treebank.
    seed
        With --train: seed of the initial weights and of the order of sentences.
    threads
        With --train: threads of torch.
    set_
        With --train: any key of the recipe: --set network.dropout=0.4
    """

    recipe: str = ""
    resume: Annotated[bool, Parameter(negative="")] = False
    epochs: Annotated[float | None, Parameter(name=("--epochs", "--passes"))] = None
    seed: int | None = None
    threads: int | None = None
    set_: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None


KEYS = {"epochs": "training.epochs", "seed": "training.seed", "threads": "machine.threads"}
"""Keys of the recipe by the names of their options."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ParsingOptions:
    """Options of parsing and of --test.

    Parameters
    ----------
    longest
        Words per sentence at most; 150 by default.
    workers
        While parsing: number of processes; by default one per core.
    part
        With --test: all, train, dev or test, as --train divides the file (18 : 1 : 1); by default
        all.
    limit
        With --test: only the first trees.
    """

    longest: int | None = None
    workers: int | None = None
    part: str | None = None
    limit: int | None = None

    @property
    def most_words(self) -> int:
        """The limit that holds."""
        from priscian.training.parser.corpus import LONGEST

        return LONGEST if self.longest is None else self.longest


def parse_command(
    *files: Path,
    model: Path | None = None,
    out: Path | None = None,
    train: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None,
    test: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None,
    training: ParserTraining = ParserTraining(),
    parsing: ParsingOptions = ParsingOptions(),
    json: Annotated[bool, Parameter(negative="")] = False,
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Parse every sentence of a corpus, with a parser trained on your own treebank.

    Text is split into sentences and Penn Treebank tokens. The output has one tree per line, which
    priscian train rnng reads. Sentences over the limit are left out and counted. A run that was
    killed continues when it is started again.

    Examples:
      priscian parse --train gum.txt.xz --out parser
      priscian parse books.txt.xz --model parser --out trees.txt.xz
      priscian parse --model parser --test gum.txt.xz --part test

    Parameters
    ----------
    files
        Text files, one paragraph per line; plain, .gz or .xz.
    model
        Folder of a parser; with --test also of a grammar (priscian train rnng), whose most probable
        tree is compared.
    out
        Output file for the trees, compressed if it ends in .xz or .gz. With --train: folder of the
        parser.
    train
        Train a parser on trees in Penn Treebank brackets, on one or several lines each.
    test
        Compare with trees, as EVALB does: labelled recall, precision and F1.
    json
        Print JSON.
    quiet
        No progress.
    """
    if sum(map(bool, (files, train, test))) != 1:
        raise UsageError("give text FILES, or --train TREES, or --test TREES, one of them")
    mode = "--train" if train else "--test" if test else "parsing"
    given = {name for name, value in (("model", model), ("out", out)) if value is not None}
    for record in (training, parsing):
        given |= {f.name for f in fields(record) if getattr(record, f.name) != f.default}
    for name in sorted(given - OPTIONS[mode]):  # it would have no effect
        own = " and ".join(other for other, names in OPTIONS.items() if name in names)
        raise UsageError(f"--{name.strip('_')} is an option of {own}, not of {mode}; leave it out")
    if train:
        if out is None:
            raise UsageError("give --out with a folder for the parser")
        _train(train, out, training, json, quiet)
        return
    if model is None:
        raise UsageError("give --model with the folder of a parser (make one with --train)")
    if test:
        _test(model, test, parsing, json, quiet)
        return
    if out is None:
        raise UsageError("give --out with a file for the trees")
    _parse(list(files), model, out, parsing, json, quiet)


OPTIONS = {
    "parsing": {"model", "out", "longest", "workers"},
    "--test": {"model", "longest", "part", "limit"},
    "--train": {"out", *(field.name for field in fields(ParserTraining))},
}


def _train(trees: list[Path], out: Path, training: ParserTraining, json: bool, quiet: bool) -> None:
    from priscian.cli.train_network import TrainingLine, overrides  # with the models
    from priscian.training.parser.api import train_parser

    with TrainingLine(quiet) as line:
        card = train_parser(
            trees, out, recipe=training.recipe, resume=training.resume,
            overrides=overrides(training, KEYS), say=line.say, report=line.show,
        )  # fmt: skip
    if json:
        print_json(card)
    elif not quiet:
        dev, test = card["dev"]["f1"], card["test"]["f1"]
        print(
            f"{out}: labelled F1 {dev:.2f} on dev, {test:.2f} on test; "
            f"use it with priscian parse FILE --model {out} --out trees.txt.xz"
        )


def _test(model: Path, trees: list[Path], parsing: ParsingOptions, json: bool, quiet: bool) -> None:
    from priscian.training.parser.treebank import evaluate_parser

    longest = parsing.most_words
    with Progress(quiet) as progress:
        found, left_out = evaluate_parser(
            model, trees, part=parsing.part or "all", longest=longest, limit=parsing.limit,
            progress=lambda done, total: progress("parsing", done, total),
        )  # fmt: skip
    if json:
        print_json({**found.shares(), **plain(found), "left_out": left_out})
        return
    title = f"{model} on {found.sentences:,} trees of {', '.join(path.name for path in trees)}"
    made = grid(title, ["as EVALB counts", "%"])
    for name, value in found.shares().items():
        made.add_row(ROWS[name], f"{value:.2f}")
    console().print(made)
    if left_out:
        print(f"{left_out:,} trees of more than {longest} words left out: raise --longest")


ROWS = {
    "recall": "labelled recall",
    "precision": "labelled precision",
    "f1": "labelled F1",
    "complete_match": "complete match",
    "tagging": "tagging accuracy",
}


def _parse(
    files: list[Path],
    model: Path,
    target: Path,
    parsing: ParsingOptions,
    json: bool,
    quiet: bool,
) -> None:
    from priscian.training.parser.corpus import parse_corpus

    with Progress(quiet) as progress:
        found = parse_corpus(
            files, model, target, longest=parsing.most_words, workers=parsing.workers,
            progress=lambda done, total: progress("parsing", done, total),
        )  # fmt: skip
    if json:
        print_json(asdict(found))
        return
    print(f"{target}: {found.trees:,} trees, {found.words:,} words")
    if found.resumed:
        print(f"{found.resumed:,} of the trees were there from a run that was stopped")
    if found.left_out:
        named = ", ".join(found.places)
        more = ", …" if found.left_out > len(found.places) else ""
        print(
            f"{found.left_out:,} sentences of more than {parsing.most_words} words left out "
            f"({named}{more}); "
            "raise --longest to parse them"
        )
