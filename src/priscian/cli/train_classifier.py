"""`priscian train classifier`: acceptability classifiers on CoLA, and their baselines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Annotated, get_type_hints

from cyclopts import Parameter, Token

from priscian.cli.edge import printable
from priscian.cli.output import FLAT
from priscian.models.classifier.folder import THRESHOLDS
from priscian.training.classifiers.settings import ClassifierSettings


def _text(of: object, tokens: Sequence[Token]) -> str:
    """A choice as it was typed: the settings say what is wrong with it, and the nearest one."""
    return tokens[0].value


CHOICE = Parameter(show_choices=False, converter=_text)
SPELLED = {
    "method": CHOICE,
    "select": CHOICE,
    "pooling": CHOICE,
    "without_sources": Parameter(name="--without-source", negative="", consume_multiple=False),
}
for _name, _hint in get_type_hints(ClassifierSettings, include_extras=True).items():
    ClassifierSettings.__annotations__[_name] = Annotated[_hint, SPELLED.get(_name, Parameter())]
FLAT(ClassifierSettings)


def classifier_command(
    *,
    out: Path,
    on: str,
    settings: Annotated[ClassifierSettings | None, FLAT] = None,
    resume: Annotated[bool, Parameter(negative="")] = False,
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Train an acceptability classifier on CoLA's labelled sentences.

    probe: logistic regression on frozen states of the encoder. mlp: one hidden layer on the same
    states. finetune: all weights of the encoder. lora: low-rank changes of its attention, with
    peft. Baselines: majority, ngrams (a bag of 1- to 3-grams), and logp or slor, the score of the
    language model --encoder with a threshold.

    Every restart is tested on in-domain dev, out-of-domain dev and test. One that gives all
    sentences the same label has collapsed; it is counted and kept. In other verbs the classifier
    is classifier:OUT, one of its restarts classifier:OUT@restart-3.

    Examples:
      priscian train classifier --encoder minilm --on cola:DIR --out my-probe
      priscian train classifier --encoder minilm --method finetune --on cola:DIR --out tuned
      priscian train classifier --method ngrams --on cola:DIR --out bag
      priscian score classifier:tuned --on li-adger:DIR --out runs/li
      priscian analyse cola tuned my-probe bag

    Parameters
    ----------
    out
        Folder of the classifier.
    on
        Labelled sentences: cola:DIR, CoLA's public release with its annotations.
    resume
        Continue in OUT: complete restarts are kept.
    quiet
        No progress.
    """
    from priscian.training.classifiers.job import train_classifier

    def say(line: str) -> None:
        if not quiet:
            print(printable(line), file=sys.stderr, flush=True)

    made = settings or ClassifierSettings()
    card = train_classifier(on, out, made, resume=resume, say=say)
    if not quiet:
        found = [r.mcc["out-of-domain test"] for r in card.restarts]
        shown = f"MCC on out-of-domain test {mean(found):.3f}"
        if len(found) > 1:
            shown += f" (mean of {len(found)}; sd {stdev(found):.3f}; highest {max(found):.3f})"
        collapsed = sum(r.collapsed for r in card.restarts)
        chosen = card.restart(card.chosen)
        where = "in-domain dev" if card.select == "dev" else "out-of-domain test, as the paper did"
        print(
            f"{out}: {shown}; {collapsed} collapsed; chosen on {where}: "
            f"{chosen.folder}{f', view {chosen.view}' if chosen.view else ''}"
            f"{'' if card.method in THRESHOLDS else f'; use it as classifier:{out}'}"
        )
