"""`priscian parse`: trees for a corpus, and the parser that makes them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from priscian.errors import UsageError


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

    def overrides(self) -> dict[str, Any]:
        """As `table.key` = value."""
        from priscian.cli.train_network import setting

        plain = {
            "training.epochs": self.epochs,
            "training.seed": self.seed,
            "machine.threads": self.threads,
        }
        found = {key: value for key, value in plain.items() if value is not None}
        return found | dict(setting(text) for text in self.set_ or [])


NO_TRAINING = ParserTraining()


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


DEFAULTS = ParsingOptions()


def parse_command(
    *files: Path,
    model: Path | None = None,
    out: Path | None = None,
    train: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None,
    test: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None,
    training: ParserTraining = NO_TRAINING,
    parsing: ParsingOptions = DEFAULTS,
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
    given = _given(training) | _given(parsing)
    given |= {name for name, value in (("model", model), ("out", out)) if value is not None}
    _check_mode("--train" if train else "--test" if test else "parsing", given)
    if train:
        _train(train, _needed(out, "--out", "a folder for the parser"), training, json, quiet)
        return
    parser = _needed(model, "--model", "the folder of a parser (make one with --train)")
    if test:
        _test(parser, test, parsing, json, quiet)
        return
    target = _needed(out, "--out", "a file for the trees")
    _parse(list(files), parser, target, parsing, json, quiet)


TRAINING_OPTIONS = {field.name for field in fields(ParserTraining)}
OPTIONS = {
    "parsing": {"model", "out", "longest", "workers"},
    "--test": {"model", "longest", "part", "limit"},
    "--train": {"out"} | TRAINING_OPTIONS,
}


def _given(options: ParserTraining | ParsingOptions) -> set[str]:
    """Names of options that are not as they were."""
    return {f.name for f in fields(options) if getattr(options, f.name) != f.default}


def _check_mode(mode: str, given: set[str]) -> None:
    """Refuse options that would have no effect."""
    for name in sorted(given - OPTIONS[mode]):
        own = " and ".join(other for other, names in OPTIONS.items() if name in names)
        raise UsageError(f"--{name.strip('_')} is an option of {own}, not of {mode}; leave it out")


def _needed(path: Path | None, flag: str, what: str) -> Path:
    if path is None:
        raise UsageError(f"give {flag} with {what}")
    return path


def _train(trees: list[Path], out: Path, training: ParserTraining, json: bool, quiet: bool) -> None:
    from priscian.cli.output import print_json
    from priscian.cli.train_network import TrainingLine
    from priscian.training.parser.api import train_parser

    with TrainingLine(quiet) as line:
        card = train_parser(
            trees, out, recipe=training.recipe, resume=training.resume,
            overrides=training.overrides(), say=line.say, report=line.show,
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
    from priscian.cli.output import grid, print_json
    from priscian.cli.screen import Progress, out
    from priscian.training.parser.treebank import evaluate_parser

    longest = parsing.most_words
    with Progress(quiet) as progress:
        found, left_out = evaluate_parser(
            model, trees, part=parsing.part or "all", longest=longest, limit=parsing.limit,
            progress=lambda done, total: progress("parsing", done, total),
        )  # fmt: skip
    if json:
        print_json({**found.as_dict(), "left_out": left_out})
        return
    title = f"{model} on {found.sentences:,} trees of {', '.join(path.name for path in trees)}"
    made = grid(title, ["as EVALB counts", "%"])
    for name, value in found.shares().items():
        made.add_row(ROWS[name], f"{value:.2f}")
    out().print(made)
    if left_out:
        out().print(f"{left_out:,} trees of more than {longest} words left out: raise --longest")


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
    from dataclasses import asdict

    from priscian.cli.output import print_json
    from priscian.cli.screen import Progress
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
