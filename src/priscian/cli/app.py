"""The verbs: a one-line summary of each, where its code is, and the parser of its arguments.

The parser (cyclopts) is imported only when a verb is run, not to print the list of verbs.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast, get_args, get_type_hints

from priscian import __version__
from priscian.cli.edge import USAGE, guard, refuse_bytes, set_up_streams
from priscian.errors import UnknownNameError, UsageError
from priscian.files.cache import cache_folder

if TYPE_CHECKING:
    from cyclopts import App

VERBS = {
    "demo": ("demo:demo_command", "start here: fresh pairs, the built-in models, a report"),
    "generate": ("generate:generate_command", "fresh minimal pairs or suites, from any seed"),
    "show": ("show:show_command", "pairs of a paradigm, or a suite's items by region"),
    "check": ("check:check_command", "find mistakes in minimal pairs and suites"),
    "score": ("score:score_command", "models on data sets; writes a run folder"),
    "merge": ("merge:merge_command", "make a run of its shards (score --shard 3/8)"),
    "slurm": ("slurm:slurm_command", "scripts that compute a run as shards under SLURM"),
    "watch": ("watch:watch_command", "score checkpoints as a training writes them, with a report"),
    "surprisal": ("surprisal:surprisal_command", "how unexpected each token or word is, in bits"),
    "list": ("list:list_command", "paradigms, suites, models, data sets, measures, coverage"),
    "report": ("report:report_command", "one page with scores, sentences and figures of runs"),
    "export": ("export:export_command", "a run as lm-eval, BabyLM, SyntaxGym or CSV files"),
    "export-tasks": ("lm_eval:export_tasks_command", "pairs as tasks of lm-evaluation-harness"),
    "lm-eval": ("lm_eval:lm_eval_command", "lm-evaluation-harness with our engine as its model"),
    "compare": ("compare:compare_command", "two models, item by item: tests, and what flipped"),
    "analyse": (
        "analyse.app:analyse_app",
        "what is behind scores: length, distance, people, ADC",
    ),
    "judge": ("judge.app:judge_app", "collect people's judgements: the web app, and exports"),
    "train": ("train:train_app", "GPT-2, LSTM, Transformer-XL, n-gram … on your own text"),
    "curve": ("curve:curve_command", "sizes × seeds × architectures: train, score, draw"),
    "parse": ("parse:parse_command", "trees for a corpus; train and test the parser on a treebank"),
    "corpus": ("corpus:corpus_command", "nested subsets of a corpus, with dev and test parts"),
    "convert": ("convert:convert_app", "published PyTorch models, without running their code"),
    "perplexity": ("perplexity:perplexity_command", "how well a model predicts a text"),
    "models": ("models:models_app", "download the weights of smollm2 or minilm in advance"),
    "cache": ("cache:cache_app", "the score store: list, size, prune"),
    "cite": ("cite:cite_command", "BibTeX of everything a run is based on"),
    "schema": ("schema:schema_command", "JSON schemas of run.json and summary.json"),
}
HELP = """\
Usage: priscian VERB …

Targeted linguistic evaluation of language models.

{verbs}

Try:
  priscian show adjunct_island
  priscian surprisal smollm2 "The keys to the cabinet is here."
  priscian score smollm2 --on blimp:DIR --out runs/first

priscian VERB --help explains a verb; priscian --install-completion lets the shell complete verbs
and options. Exit codes: 0 done, 1 failed, 2 usage."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    set_up_streams()
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code."""
    if not arguments:
        guard("", _print_help)
        return USAGE
    return guard(arguments[0], lambda: _act(arguments))


def _act(arguments: Sequence[str]) -> None:
    """Print help or a version, or run the verb."""
    for number, argument in enumerate(arguments, 1):
        refuse_bytes(f"argument {number}", argument)
    verb, *rest = arguments
    if verb in ("--help", "-h", "help"):
        _print_help()
    elif verb in ("--version", "-V"):
        print(__version__)
    elif verb == "--install-completion":
        install_completion(whole_app(), rest)
    elif verb == "--show-completion":
        print(whole_app().generate_completion(shell=find_shell(rest)))
    elif verb not in VERBS:
        raise UnknownNameError("verb", verb, VERBS, "priscian --help lists them.")
    else:
        with contextlib.suppress(OSError):  # it is gone; whatever needs it will say so
            refuse_bytes("the current folder", os.getcwd())
        with contextlib.suppress(RuntimeError):  # there is no home
            refuse_bytes("the cache folder", str(cache_folder()))
        app = load_command(VERBS[verb][0], f"priscian {verb}", rest)
        app(rest, exit_on_error=False, print_error=False, result_action="return_value")


def _print_help() -> None:
    width = max(map(len, VERBS))
    listed = "\n".join(f"  {verb:{width}}  {what}" for verb, (_, what) in VERBS.items())
    print(HELP.format(verbs=listed))


# ---------------------------------------------------------------- parsers


def load_command(place: str, name: str, arguments: Sequence[str] = ()) -> App:
    """The app of `module:function` or `module:app`; the module is imported only now."""
    from cyclopts import App, Parameter

    # a default worth showing is shown; an option that is off needs no mention
    usual = Parameter(
        show_default=lambda given: (
            None if given in (None, "", ()) or given is False else str(given)
        ),
        negative=(),
    )
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"priscian.cli.{module}"), attribute)
    if isinstance(found, App):
        app = found
        app.suppress_keyboard_interrupt = False
        app.default_parameter = usual
        if arguments and arguments[0][:1] != "-" and arguments[0] in app:
            _reflow(app[arguments[0]])
        return app
    app = App(
        name=name,
        help_format="plaintext",
        version_flags=(),
        suppress_keyboard_interrupt=False,
        default_parameter=usual,
    )
    app.default(found)
    _reflow(app)
    return app


def command_group(verb: str, about: str, commands: Mapping[str, tuple[str, str]]) -> App:
    """`priscian VERB NAME`: for each name its place in `cli/VERB/` and a line of help.

    `about` is the help page of the verb; `{commands}` in it becomes the list of names.
    """
    from cyclopts import App

    width = max(map(len, commands))
    listed = "\n".join(f"  {name:{width}}  {what}" for name, (_, what) in commands.items())
    app = App(
        name=f"priscian {verb}",
        usage=f"Usage: priscian {verb} NAME …",
        help=about.format(commands=listed),
        help_format="plaintext",
        version_flags=(),
        suppress_keyboard_interrupt=False,
    )
    for name, (place, _) in commands.items():
        # not printed by the parser, which would have to import every command to describe it
        app.command(f"priscian.cli.{verb}.{place}", name=name, show=False)
    return app


def whole_app() -> App:
    """Every verb under one app, for shell completion: all modules are imported."""
    from cyclopts import App

    app = App(name="priscian", help_format="plaintext", version_flags=("--version", "-V"))
    for verb, (place, _) in VERBS.items():
        command = load_command(place, verb)
        for name in command:
            if not name.startswith("-"):
                command[name].show = True  # some are hidden so that help imports less
        app.command(command, name=verb)
    return app


def _reflow(app: App) -> None:
    """Let the help of a command use the terminal's width, not the docstring's line breaks."""
    command = app.default_command
    if command is None:
        return
    records = [hint for hint in get_type_hints(command).values() if is_dataclass(hint)]
    for written in (command, *records):
        if written.__doc__:
            written.__doc__ = reflow(written.__doc__)


def reflow(doc: str) -> str:
    r"""A docstring with each paragraph, and each parameter's description, on one line.

    Lines that are indented in the text, such as examples, stay as they are, and so do sessions
    of Python.

    >>> reflow("A\nb.\n\nExamples:\n  x\n  y\n\nParameters\n----------\nn\n    Some\n    words.")
    'A b.\n\nExamples:\n  x\n  y\n\nParameters\n----------\nn\n    Some words.'
    """
    text, mark, parameters = inspect.cleandoc(doc).partition("\nParameters\n----------\n")
    return _join(text, "") + mark + _join(parameters, "    ")


def _join(text: str, indent: str) -> str:
    lines: list[str] = []
    session = False  # in an example for Python, up to the next blank line
    runs_on = False  # whether the line before is part of a paragraph with this indentation
    for line in text.split("\n"):
        session = line.startswith(f"{indent}>>>") or (session and line.strip() != "")
        inner = line.removeprefix(indent)
        is_text = line.startswith(indent) and inner[:1].strip() != "" and line != "Examples:"
        if not session and runs_on and is_text:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
            runs_on = is_text
    return "\n".join(lines)


# ---------------------------------------------------------------- shell completion

Shell = Literal["bash", "zsh", "fish"]
RESTART = {
    "bash": "open a new shell, or run: source ~/.bashrc",
    "zsh": "open a new shell, or run: exec zsh",
    "fish": "open a new shell",
}


def install_completion(app: App, arguments: Sequence[str]) -> None:
    """Write the completion script of this shell, or of the named one."""
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    try:
        shell = find_shell(arguments or [detect_shell()])
    except ShellDetectionError:
        raise UsageError(
            "cannot tell which shell this is; name it: priscian --install-completion bash"
        ) from None
    path = app.install_completion(shell=shell)
    print(f"Completion for {shell} is in {path}; {RESTART[shell]}")


def find_shell(arguments: Sequence[str]) -> Shell:
    """The named shell, checked."""
    if len(arguments) != 1:
        raise UsageError(f"name one shell: {', '.join(get_args(Shell))}")
    if arguments[0] not in get_args(Shell):
        raise UnknownNameError("completion for the shell", arguments[0], get_args(Shell))
    return cast(Shell, arguments[0])
