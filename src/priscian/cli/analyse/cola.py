"""`priscian analyse cola`: Matthews' correlation with CoLA's labels, by split and by feature."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from priscian.cli.output import print_json, print_tables
from priscian.errors import UsageError


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
    print_tables(found.tables(features=features))
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
