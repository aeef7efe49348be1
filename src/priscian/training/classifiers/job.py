"""Train a classifier: restart after restart, into a folder that `classifier:DIR` reads."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import structs

from priscian.datasets.cola import IN_DEV, OUT_TEST
from priscian.errors import DataError, RunError, TrainingError
from priscian.files import read_table, write_delimited, write_json
from priscian.files.folder import JobFolder
from priscian.models import PRESETS, parse_model
from priscian.models.classifier.encoder import encoder_key, encoder_spec
from priscian.models.classifier.folder import (
    CARD,
    NGRAMS,
    ON_STATES,
    RESTART,
    THRESHOLDS,
    TRAINED_ON,
    ClassifierCard,
    RestartCard,
    read_card,
    read_restart,
    write_card,
    write_restart,
)
from priscian.stats.matthews import matthews
from priscian.training.classifiers.data import ClassifierData, plain_hash, read_data
from priscian.training.classifiers.fits import Fit, fitter
from priscian.training.classifiers.probe import FILE as VIEWS
from priscian.training.classifiers.probe import Bound
from priscian.training.classifiers.settings import ClassifierSettings
from priscian.workers import Say

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

COOLEST, HOTTEST = 0.05, 20.0
LOGITS = "logits.csv"
CROSS_VALIDATED = (*ON_STATES, NGRAMS)
"""Methods that choose something by cross-validation on the training sentences."""
FIXED_FIELDS = ("method", "encoder", "encoder_key", "data_digest", "without_sources", "seed",
                "settings")  # fmt: skip
"""Fields of a card that a resumed training must share."""
SELECT_ON = {"dev": IN_DEV, "paper": OUT_TEST}


def labels_of(logits: Sequence[float] | npt.NDArray[Any]) -> Bools:
    """The labels that logits give: above 0 is acceptable."""
    return np.asarray(logits, np.float64) > 0


def mcc(labels: Sequence[bool], logits: Sequence[float] | npt.NDArray[Any]) -> float:
    """Matthews' correlation of labels with those that the logits give.

    >>> round(mcc([True, True, False, False], [2.0, -1.0, -0.5, -3.0]), 4)
    0.5774
    """
    return matthews(list(map(bool, labels)), labels_of(logits).tolist())


def accuracy(labels: Sequence[bool], logits: Sequence[float] | npt.NDArray[Any]) -> float:
    """The share of right labels."""
    return float((labels_of(logits) == np.asarray(labels, bool)).mean())


def is_collapsed(logits: Sequence[float] | npt.NDArray[Any]) -> bool:
    """Whether all sentences get one label."""
    return len(set(labels_of(logits).tolist())) < 2


def ensemble(logits: Sequence[npt.NDArray[Any]]) -> Bools:
    """The majority label of several restarts; an even split is settled by the mean logit.

    >>> votes = [np.array([1.0, -1.0, 3.0]), np.array([2.0, -1.0, -1.0])]
    >>> ensemble(votes).tolist()
    [True, False, True]
    """
    if not logits:
        raise DataError("no restarts to put together; train at least one")
    stacked = np.stack([np.asarray(one, np.float64) for one in logits])  # (restarts, texts)
    votes = 2 * (stacked > 0).sum(0) - len(stacked)
    return np.asarray(np.where(votes == 0, stacked.mean(0) > 0, votes > 0), np.bool_)


def fit_temperature(labels: Sequence[bool], logits: Sequence[float] | npt.NDArray[Any]) -> float:
    """The temperature T under which σ(logit / T) predicts labels best (Guo et al. 2017).

    Where a restart separates the labels completely, or has nothing to say, T is at a limit.
    """
    from scipy.optimize import minimize_scalar

    x = np.asarray(logits, np.float64)
    signs = np.where(np.asarray(labels, bool), 1.0, -1.0)
    found = minimize_scalar(
        lambda log_t: float(np.logaddexp(0.0, -signs * x / np.exp(log_t)).mean()),
        bounds=(np.log(COOLEST), np.log(HOTTEST)),
        method="bounded",
    )
    return float(np.exp(found.x))


def train_classifier(
    on: str,
    out: str | Path,
    settings: ClassifierSettings,
    *,
    resume: bool = False,
    say: Say = lambda line: None,
) -> ClassifierCard:
    """Train every restart, choose one, and return the classifier's card.

    >>> import priscian
    >>> settings = priscian.ClassifierSettings(encoder="minilm")
    >>> priscian.train_classifier("cola:data/cola", "my-probe", settings)     # doctest: +SKIP

    A restart is complete when its card is written; one that was interrupted is trained again from
    its seed, so a resumed training ends with the same weights as one that never stopped.
    """
    folder = Path(out)
    data = read_data(on, settings.without_sources)
    for name in dict.fromkeys((IN_DEV, SELECT_ON[settings.select])):
        data.sets[name].check_both()
    if settings.method in CROSS_VALIDATED:
        data.train.check_both(folds=True)
    new = _new_card(settings, data)
    with ClassifierFolder(folder).opened(new, resume=resume) as before:
        card = new
        if before is not None:
            card = structs.replace(
                new, wanted=max(new.wanted, before.wanted), restarts=before.restarts
            )
        if not card.restarts:
            write_card(folder, card)
        write_json(folder / TRAINED_ON, sorted({plain_hash(text) for text in data.train.texts}))
        facts = [getattr(new, name) for name in (*FIXED_FIELDS, "tested")]
        digest = hashlib.sha256(msgspec.json.encode(facts, order="sorted")).hexdigest()[:32]
        bound = Bound(digest, new.encoder_key)
        job = _Job(folder, data, settings.seed, fitter(settings, data, folder, say, bound), digest)
        done = {restart.number: restart for restart in card.restarts}
        for number in range(1, card.wanted + 1):
            found = job.complete(number)
            if found is None:
                found = job.restart(number)
                shown = ", ".join(f"{name} {value:.3f}" for name, value in found.mcc.items())
                gave_up = "; collapsed: one label for all" if found.collapsed else ""
                say(
                    f"restart {number} (seed {found.seed}): MCC {shown}{gave_up}; "
                    f"{found.seconds:.0f} s"
                )
            done[number] = found
            listed = tuple(done[n] for n in range(1, card.wanted + 1) if n in done)
            card = structs.replace(card, restarts=listed)
            write_card(folder, card)
        card = structs.replace(card, chosen=choose_restart(card))
        write_card(folder, card)
        return card


class ClassifierFolder(JobFolder[ClassifierCard]):
    """One classifier; a card without a restart or a view is of a start that failed."""

    what, writer, record = "classifier", "training", CARD
    beside = frozenset({CARD, TRAINED_ON})

    def read(self) -> ClassifierCard:
        """The card."""
        return read_card(self.path)

    def has_begun(self) -> bool:
        """Whether it has a view or a restart, complete or not."""
        if not super().has_begun():
            return False
        kept = (self.path / VIEWS).is_file() or any(self.path.glob("restart-*"))
        return kept or bool(self.read().restarts)

    def describe(self) -> str:
        """How many restarts there are."""
        card = self.read()
        return f"has {len(card.restarts)} of {card.wanted} restarts of a classifier"

    def differences(self, before: ClassifierCard, now: ClassifierCard) -> Sequence[str]:
        """Fields of the card, and sets with other sentences or labels."""
        fields = [(name, getattr(before, name), getattr(now, name)) for name in FIXED_FIELDS]
        found = [f"{name.replace('_', ' ')} {a}, now {b}" for name, a, b in fields if a != b]
        if before.tested:
            sets = [name for name in now.tested if before.tested.get(name) != now.tested[name]]
            found += [f"other sentences or labels of {name}" for name in sets]
        return found


def choose_restart(card: ClassifierCard) -> int:
    """The number of the restart with the highest correlation where the card says; ties: the first.

    Collapsed restarts have the correlation 0 and count like any other.
    """
    where = SELECT_ON[card.select]
    return max(card.restarts, key=lambda r: (r.mcc[where], -r.number)).number


def read_logits(folder: Path, restart: RestartCard) -> dict[str, float]:
    """The logits of a restart by sentence id, on every set that it was tested on."""
    file = folder / restart.folder / LOGITS
    found: dict[str, float] = {}
    for line, row in read_table(file, needs=("id", "logit")):
        try:
            value = float(str(row["logit"]))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DataError(
                f"{file}:{line}: the logit {row['logit']} is not a finite number; delete the "
                "restart's folder and train it again with `resume=True`"
            )
        found[str(row["id"])] = value
    return found


@dataclass(frozen=True, slots=True)
class _Job:
    folder: Path
    data: ClassifierData
    seed: int
    fit: Fit
    job: str
    """What a restart must have been trained with, as a hash."""

    def complete(self, number: int) -> RestartCard | None:
        """A restart that an earlier start has completed; one of another training is refused."""
        found = read_restart(self.folder, number)
        if found is None:
            return None
        own = self.folder / f"restart-{number}"
        problem = ""
        if (found.number, found.seed) != (number, self.seed + number - 1):
            problem = (
                f"is restart {found.number} with seed {found.seed}, not {number} with seed "
                f"{self.seed + number - 1}"
            )
        elif found.job not in ("", self.job):
            problem = "was trained with other data or settings"
        elif found.mcc.keys() != self.data.sets.keys():
            problem = f"has results on other sets than {', '.join(self.data.sets)}"
        if problem:
            raise RunError(
                f"{own / RESTART} {problem}; delete {own} to train it again with `resume=True`, or "
                "give another `out=`"
            )
        return found

    def restart(self, number: int) -> RestartCard:
        """Fit one restart, test it on every set, and save it."""
        began = time.monotonic()
        seed = self.seed + number - 1
        fitted = self.fit(seed)
        logits = {name: fitted.logits(s.texts) for name, s in self.data.sets.items()}
        for name, values in logits.items():
            if not np.isfinite(values).all():
                raise TrainingError(
                    f"restart {number} (seed {seed}) gives logits on {name} that are not finite "
                    "numbers; lower the rate (`rate=`), or read another layer (`layer=`)"
                )
        dev = self.data.dev
        card = RestartCard(
            number=number,
            seed=seed,
            view=fitted.view,
            temperature=fit_temperature(dev.labels, logits[dev.name]),
            intercept=fitted.intercept,
            collapsed=is_collapsed(logits[dev.name]),
            job=self.job,
            mcc={name: mcc(s.labels, logits[name]) for name, s in self.data.sets.items()},
            accuracy={name: accuracy(s.labels, logits[name]) for name, s in self.data.sets.items()},
            seconds=round(time.monotonic() - began, 1),
            log=dict(fitted.log),
        ).sealed()
        fitted.save(self.folder / card.folder)
        rows = [
            {"id": name, "logit": repr(float(value))}
            for part, s in self.data.sets.items()
            for name, value in zip(s.ids, logits[part], strict=True)
        ]
        write_delimited(self.folder / card.folder / LOGITS, rows)
        write_restart(self.folder, card)
        return card


def _new_card(settings: ClassifierSettings, data: ClassifierData) -> ClassifierCard:
    name, key = settings.encoder, ""
    if settings.encoder and settings.method not in THRESHOLDS:
        spec = encoder_spec(settings.encoder)
        key = encoder_key(spec).digest
        if settings.encoder not in PRESETS:
            name = str(spec)
    elif settings.encoder and settings.encoder not in PRESETS:
        name = str(parse_model(settings.encoder))
    return ClassifierCard(
        method=settings.method,
        encoder=name,
        encoder_key=key,
        data=data.spec,
        data_digest=data.digest,
        tested=data.tested,
        without_sources=settings.without_sources,
        wanted=settings.count,
        seed=settings.seed,
        select=settings.select,
        settings=settings.recorded(),
    )
