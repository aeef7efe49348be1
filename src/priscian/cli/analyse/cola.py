"""`priscian analyse cola`: Matthews' correlation with CoLA's labels, by split and by feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from priscian.cli.output import print_json
from priscian.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.graded.cola import Cola, ColaModel
    from priscian.metrics.labels import Matthews


def cola_command(
    *scores: Path,
    data: Path | None = None,
    threshold: str = "best",
    features: Literal["major", "minor", "none"] = "major",
    seed: int = 0,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Matthews' correlation of scores with CoLA's labels, by split and by annotated feature.

    A sentence with a score above the threshold counts as acceptable. The threshold is chosen for
    the highest correlation in domain, on the training sentences if they are scored, else on the
    dev sentences, and then used everywhere. Intervals are 95 %, from 10,000 draws of
    the table of labels and predictions; there is none if all sentences get the same label.

    Of a classifier's folder every restart counts, with its own threshold of 0: mean, standard
    deviation, highest and majority vote on the out-of-domain test set beside the published rows,
    with a 95 % interval of the mean from a bootstrap over sentences and restarts; the mean on test
    sentences that were not in training (unseen); and the mean and range over restarts by feature.

    Examples:
      priscian score builtin:lstm --on cola:data/cola --out runs/cola
      priscian analyse cola runs/cola
      priscian analyse cola classifier.csv --data data/cola --threshold 0 --features minor
      priscian analyse cola my-probe tuned --figures pictures

    Parameters
    ----------
    scores
        Run folders on cola:DIR, folders of classifiers (priscian train classifier), or tables of
        scores (sentence, and one column per model). A column of 0 and 1 is read as labels.
    data
        Folder of CoLA's release, with its annotations; by default that of the first run or
        classifier.
    threshold
        best, or a number that scores must exceed.
    features
        Which annotated features to show: major, minor or none. JSON has both.
    seed
        Seed of the draws.
    figures
        Folder for pictures: classifiers by major and by minor feature.
    json_
        Print JSON.
    """
    from priscian import analyse

    found = analyse.cola(scores, data=data, threshold=_threshold(threshold), seed=seed)
    if figures is not None:
        found.write_figures(figures)
    if json_:
        print_json(found.as_dict())
        return
    if found.restarts is not None:
        from priscian.cli.tables.restarts import print_restarts

        print_restarts(found.restarts, features)
    if found.models:
        _print(found.cola, found.models, features)
    if figures is not None:
        print(f"Written to {figures}")


def _threshold(text: str) -> float | None:
    if text == "best":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"--threshold takes best or a number, not {text!r}")
    return value


def _print(cola: Cola, models: Sequence[ColaModel], features: str) -> None:
    from priscian.cli.screen import out

    console = out()
    console.print(_splits(cola, models))
    for name in dict.fromkeys(m.chosen_on for m in models):
        if name in cola.sets:
            print(f"Thresholds were chosen on {name}: correlations there are too good")
    if features != "none":
        console.print(_features(models, features))


def _splits(cola: Cola, models: Sequence[ColaModel]) -> Table:
    from rich.table import Table

    title = f"CoLA: Matthews' correlation, {len(cola.analysed):,} sentences of the analysis set"
    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    made.add_column("model")
    made.add_column("threshold", justify="right")
    made.add_column("overall", justify="right")
    names = [name for name in cola.sets if any(name in m.sets for m in models)]
    for name in names:
        made.add_column(name, justify="right")
    for m in models:
        cells = [_cell(m.sets[name]) if name in m.sets else "" for name in names]
        made.add_row(m.name, f"{m.threshold:.4g}", _cell(m.overall), *cells)
    return made


def _features(models: Sequence[ColaModel], kind: str) -> Table:
    from rich.table import Table

    made = Table(title=f"by {kind} feature", title_justify="left", title_style="bold")
    made.add_column("feature")
    made.add_column("n", justify="right")
    for model in models:
        made.add_column(model.name, justify="right")
    for name, first in models[0].features[kind].items():
        made.add_row(name, str(first.n), *(_cell(m.features[kind][name]) for m in models))
    return made


def _cell(found: Matthews) -> str:
    from priscian.cli.tables.run import matthews_cell

    return matthews_cell(found.mcc, found.ci)
