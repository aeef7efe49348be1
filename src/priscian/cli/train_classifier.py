"""`priscian train classifier`: acceptability classifiers on CoLA, and their baselines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from priscian.models.classifier.folder import ClassifierCard


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Fitting:
    """How restarts are fitted, and which one is used.

    Parameters
    ----------
    restarts
        Restarts of mlp, finetune and lora, 10 by default; the others have one solution.
    seed
        Seed of the first restart; the next ones count up.
    select
        Which restart is used: dev, the best on in-domain dev, or paper, the best on out-of-domain
        test, as in Vázquez Martínez (2021).
    without_source
        Leave out the training sentences of a source, such as ad03; may be repeated.
    rate
        Highest learning rate of finetune, lora or mlp.
    epochs
        Passes through the training sentences.
    batch
        Sentences in a batch.
    layer
        Only this layer, 0 for the embeddings; probe and mlp choose one by cross-validation.
    pooling
        cls or last (the state that has seen the whole text), mean or max.
    """

    restarts: int | None = None
    seed: int = 1
    select: str = "dev"
    without_source: Annotated[list[str] | None, Parameter(negative="")] = None
    rate: float | None = None
    epochs: int | None = None
    batch: int | None = None
    layer: int | None = None
    pooling: str = ""


NO_CHANGES = Fitting()


def classifier_command(
    *,
    out: Path,
    on: str,
    encoder: str = "",
    method: str = "probe",
    fitting: Fitting = NO_CHANGES,
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
    encoder
        minilm, smollm2, hf:ID, mlm:ID or the folder of a Transformers model.
    method
        probe, mlp, finetune, lora, majority, ngrams, logp or slor.
    resume
        Continue in OUT: complete restarts are kept.
    quiet
        No progress.
    """
    from priscian.training.classifiers.job import train_classifier
    from priscian.training.classifiers.settings import ClassifierSettings

    settings = ClassifierSettings(
        encoder=encoder,
        method=method,
        restarts=fitting.restarts,
        seed=fitting.seed,
        select=fitting.select,
        without_sources=tuple(fitting.without_source or ()),
        rate=fitting.rate,
        epochs=fitting.epochs,
        batch=fitting.batch,
        layer=fitting.layer,
        pooling=fitting.pooling,
    )
    card = train_classifier(on, out, settings, resume=resume, say=_silent if quiet else _say)
    if not quiet:
        _report(card, out)


def _say(line: str) -> None:
    import sys

    from priscian.cli.edge import printable

    print(printable(line), file=sys.stderr, flush=True)


def _silent(line: str) -> None:
    """Say nothing."""


def _report(card: ClassifierCard, out: Path) -> None:
    from statistics import mean, stdev

    from priscian.models.classifier.folder import THRESHOLDS

    found = [r.mcc["out-of-domain test"] for r in card.restarts]
    shown = f"MCC on out-of-domain test {mean(found):.3f}"
    if len(found) > 1:
        shown += f" (mean of {len(found)}; sd {stdev(found):.3f}; highest {max(found):.3f})"
    collapsed = sum(r.collapsed for r in card.restarts)
    chosen = card.restart(card.chosen)
    print(
        f"{out}: {shown}; {collapsed} collapsed; chosen on "
        f"{'in-domain dev' if card.select == 'dev' else 'out-of-domain test, as the paper did'}: "
        f"{chosen.folder}{f', view {chosen.view}' if chosen.view else ''}"
        f"{'' if card.method in THRESHOLDS else f'; use it as classifier:{out}'}"
    )
