"""The verbs: a one-line summary of each, and where its code is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from priscian import __version__
from priscian.cli.edge import USAGE, guard, refuse_bytes, refuse_odd_places
from priscian.cli.streams import set_up_streams

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
    verb, *rest = arguments
    actions: dict[str, Callable[[], object]] = {
        "--help": _print_help,
        "-h": _print_help,
        "help": _print_help,
        "--version": lambda: print(__version__),
        "-V": lambda: print(__version__),
        "--install-completion": lambda: _complete("install_completion", rest),
        "--show-completion": lambda: _complete("show_completion", rest),
    }

    def act() -> None:
        refuse_bytes(arguments)
        actions.get(verb, lambda: _dispatch(verb, rest))()

    return guard(verb, act)


def _print_help() -> None:
    width = max(map(len, VERBS))
    listed = "\n".join(f"  {verb:{width}}  {what}" for verb, (_, what) in VERBS.items())
    print(HELP.format(verbs=listed))


def _complete(name: str, arguments: Sequence[str]) -> None:
    from priscian.cli import completion
    from priscian.cli.commands import whole_app

    app = whole_app({verb: place for verb, (place, _) in VERBS.items()})
    getattr(completion, name)(app, arguments)


def _dispatch(verb: str, arguments: Sequence[str]) -> None:
    from priscian.cli.commands import load_command
    from priscian.errors import UnknownNameError

    if verb not in VERBS:
        raise UnknownNameError("verb", verb, VERBS, "priscian --help lists them.")
    refuse_odd_places()
    app = load_command(VERBS[verb][0], f"priscian {verb}", arguments)
    app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
