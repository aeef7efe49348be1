"""The layer and pooling of a probe: chosen once for a classifier and kept in its folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from priscian.errors import DataError, UsageError
from priscian.files import read_json, write_json
from priscian.models.classifier.encoder import View, load_encoder
from priscian.models.classifier.folder import Sealed
from priscian.models.classifier.states import pooled_states
from priscian.training.classifiers.data import ClassifierData
from priscian.training.classifiers.probe import ProbeChoice, choose_probe
from priscian.training.classifiers.settings import ClassifierSettings

FILE = "views.json"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Bound:
    """What all restarts of a classifier have in common, as hashes."""

    job: str
    """Of data, encoder, method and settings."""
    encoder: str = ""
    """The encoder's key."""


class _Kept(Sealed, frozen=True, kw_only=True):
    view: str
    c: float
    views: dict[str, float]
    penalties: dict[str, float]


def choose_view(
    settings: ClassifierSettings, data: ClassifierData, out: Path, say: Say, bound: Bound
) -> ProbeChoice:
    """Layer, pooling and penalty by cross-validation on the training sentences.

    The result is kept in OUT/views.json, so that a resumed training has the same.
    """
    file = out / FILE
    if file.is_file():
        return _read(file, bound.job)
    encoder = load_encoder(settings.encoder, bound.encoder)
    views = [
        view
        for view in encoder.views()
        if settings.layer in (None, view.layer) and settings.pooling in ("", view.pooling)
    ]
    if not views:
        encoder.check([View(settings.layer or 0, settings.pooling or encoder.poolings[0])])
    say(f"hidden states of {len(data.train.texts):,} sentences, {len(views)} views …")
    told = [0.0]

    def progress(done: int, total: int) -> None:
        if done >= told[0] + total / 10 or done == total:
            told[0] = done
            say(f"hidden states: {done:,} of {total:,} sentences")

    states = pooled_states(encoder, data.train.texts, views, progress=progress)
    choice = choose_probe(states, data.train.labels, seed=settings.seed, say=say)
    kept = _Kept(
        view=str(choice.view),
        c=choice.c,
        views={str(view): value for view, value in choice.views.items()},
        penalties={repr(c): value for c, value in choice.penalties.items()},
        job=bound.job,
    )
    write_json(file, msgspec.to_builtins(kept.sealed()))
    return choice


def _read(file: Path, job: str) -> ProbeChoice:
    try:
        found = read_json(file, _Kept)
        if found.job not in ("", job):
            raise DataError("it is of another training")
        if not found.is_whole:
            raise DataError("it is not as it was written")
        return ProbeChoice(
            View.parse(found.view),
            found.c,
            {View.parse(view): value for view, value in found.views.items()},
            {float(c): value for c, value in found.penalties.items()},
        )
    except (DataError, UsageError, ValueError) as error:
        raise DataError(
            f"{file} does not hold a layer and a pooling ({error}); delete it, and it is made "
            "again with `resume=True`"
        ) from None
