"""The logits of a classifier's restarts on CoLA's sets, if these are the sets of its training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from priscian.analysis.graded.cola import Cola
from priscian.datasets.cola import IN_DEV, OUT_DEV, OUT_TEST
from priscian.datasets.graded import listed
from priscian.errors import DataError
from priscian.stats.matthews import matthews
from priscian.training.classifiers.data import Labelled
from priscian.training.classifiers.reading import TrainedRestarts


def tested_sets(cola: Cola) -> list[str]:
    """The sets that classifiers are tested on and that have sentences."""
    return [name for name in (OUT_TEST, IN_DEV, OUT_DEV) if cola.sets.get(name)]


def check_tested(cola: Cola, classifier: TrainedRestarts) -> None:
    """Refuse sentences or labels that are not those of the training: ids are only row numbers.

    A classifier of an older version has no hashes; the recorded correlations must come out again.
    """
    for name in tested_sets(cola):
        ids = cola.sets[name]
        labels = [cola.labels[i] for i in ids]
        if classifier.tested:
            texts = tuple(cola.texts[i] for i in ids)
            same = classifier.tested.get(name) == Labelled(name, texts, tuple(labels)).digest
        else:
            same = all(
                math.isclose(
                    known[name],
                    matthews(labels, [value > 0 for value in logits_of(classifier, one, ids)]),
                    abs_tol=1e-6,
                )
                for one, known in zip(classifier.logits, classifier.recorded, strict=False)
                if name in known
            )
        if not same:
            raise DataError(
                f"{classifier.name} was tested on other sentences or labels of {name} than these; "
                f"give the files that it was trained with (--data {classifier.data}), or train it "
                "again"
            )


def logits_of(
    classifier: TrainedRestarts, logits: Mapping[str, float], ids: Sequence[str]
) -> list[float]:
    """The logits of some sentences, in order; a missing one is an error."""
    missing = [i for i in ids if i not in logits]
    if missing:
        raise DataError(
            f"{classifier.name} has no logit for {listed(missing)}; it was trained with another "
            "release of CoLA: train it again, or give its folder with --data"
        )
    return [logits[i] for i in ids]
