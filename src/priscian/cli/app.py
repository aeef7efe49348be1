"""The verbs, and the edge where every error becomes one line and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from priscian import __version__
from priscian.errors import PriscianError, PriscianWarning

if TYPE_CHECKING:
    from cyclopts import App

INTERRUPTED = 130

VERBS = {
    "demo": ("demo:demo_command", "fresh pairs, a real model, a table: start here"),
    "generate": ("generate:generate_command", "minimal pairs in BLiMP's schema, from any seed"),
    "show": ("show:show_command", "pairs of a paradigm, or a suite's items by region"),
    "check": ("check:check_command", "lint minimal pairs: ours, the official, your own"),
    "score": ("score:score_command", "models on data sets, into a run folder"),
    "surprisal": ("surprisal:surprisal_command", "how unexpected each token or word is, in bits"),
    "list": ("list:list_command", "paradigms, suites, models, data sets, measures"),
    "report": ("report:report_command", "one page of scores, sentences and figures of runs"),
    "export": ("export:export_command", "a run as lm-eval, BabyLM, SyntaxGym or CSV files"),
    "compare": ("compare:compare_command", "two models, item by item: tests, and what flipped"),
    "analyse": ("analyse.app:analyse_app", "published results, reproduced from their files"),
    "train": ("train:train_app", "n-gram and recurrent models from your own text"),
    "perplexity": ("perplexity:perplexity_command", "an n-gram model on held-out text"),
    "cache": ("cache:cache_app", "the score store: list, size, prune"),
    "cite": ("cite:cite_command", "BibTeX of everything a run rests on"),
}
HELP = """\
Usage: priscian VERB …

Targeted linguistic evaluation of language models.

{verbs}

Try:
  priscian show adjunct_island
  priscian surprisal smollm2 "The keys to the cabinet is here."
  priscian score smollm2 --on blimp:DIR --out runs/first

priscian VERB --help explains a verb. Exit codes: 0 done, 1 failed, 2 usage."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code."""
    if not arguments or arguments[0] in {"--help", "-h", "help"}:
        width = max(map(len, VERBS))
        listed = "\n".join(f"  {verb:{width}}  {what}" for verb, (_, what) in VERBS.items())
        print(HELP.format(verbs=listed))
        return 0 if arguments else 2
    if arguments[0] in {"--version", "-V"}:
        print(__version__)
        return 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", PriscianWarning)
        warnings.showwarning = _show_warning
        return _dispatch(arguments)


def _dispatch(arguments: Sequence[str]) -> int:
    from cyclopts import CycloptsError

    try:
        _find(arguments[0])(
            arguments[1:], exit_on_error=False, print_error=False, result_action="return_value"
        )
    except CycloptsError as error:
        _complain(f"{_flat(error)}; see priscian {arguments[0]} --help")
        return 2
    except PriscianError as error:
        _complain(_flat(error))
        return error.exit_code
    except KeyboardInterrupt:
        _complain("stopped; what was scored is kept: run the same command again, with --resume")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        _complain(_os_error(error))
        return 1
    except Exception as error:
        if os.environ.get("PRISCIAN_DEBUG"):
            raise
        _complain(
            f"unexpected {type(error).__name__}: {_flat(error)}; "
            f"set PRISCIAN_DEBUG=1 to see where, and please report it"
        )
        return 1
    return 0


def _find(verb: str) -> App:
    """The verb's command, imported only now."""
    from importlib import import_module

    from cyclopts import App

    from priscian.errors import UnknownNameError

    if verb not in VERBS:
        raise UnknownNameError("verb", verb, VERBS, "priscian --help lists them.")
    module, _, name = VERBS[verb][0].partition(":")
    found = getattr(import_module(f"priscian.cli.{module}"), name)
    if isinstance(found, App):
        return found
    app = App(
        name=f"priscian {verb}",
        help_format="plaintext",
        version_flags=(),
        suppress_keyboard_interrupt=False,
    )
    app.default(found)
    return app


def _complain(line: str) -> None:
    print(f"priscian: {line}", file=sys.stderr)


def _flat(error: Exception) -> str:
    return " ".join(str(error).split())


def _os_error(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"the disk is full{where}; free some space and run again: what was scored is kept"
    return f"{error.strerror or error}{where}"


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, PriscianWarning):
        _complain(f"note: {message}")
