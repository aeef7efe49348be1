"""The folder of a classifier: `classifier.json`, and one sub-folder for each restart."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal, Self

import msgspec
from msgspec import structs

from priscian.errors import DataError, ModelError
from priscian.files import read_json, write_text

CARD = "classifier.json"
RESTART = "restart.json"
HEAD = "head.safetensors"
WEIGHTS = "model.safetensors"
TRAINED_ON = "trained_on.json"

MOST = 1e6
"""Largest temperature or intercept; larger ones mean damage."""

PROBE, MLP, FINETUNE, LORA = "probe", "mlp", "finetune", "lora"
MAJORITY, NGRAMS, LOGP, SLOR = "majority", "ngrams", "logp", "slor"
ON_STATES = (PROBE, MLP)
TUNED = (FINETUNE, LORA)
BASELINES = (MAJORITY, NGRAMS, LOGP, SLOR)
THRESHOLDS = (LOGP, SLOR)
"""Baselines that are a language model's score and a threshold; they score no new texts."""


class Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """A record that has a hash of itself, by which damage is noticed."""

    job: str = ""
    """A hash of data, encoder, method and settings."""
    digest: str = ""
    """A hash of all of this; older records have neither."""

    def sealed(self) -> Self:
        """The same with its hash."""
        return structs.replace(self, digest=self._hash())

    @property
    def is_whole(self) -> bool:
        """Whether nothing in it has changed since."""
        return self.digest == self._hash() or not (self.digest or self.job)

    def _hash(self) -> str:
        """Of every field that has a value, so that later versions may have more fields."""
        facts = {key: value for key, value in structs.asdict(self).items() if value}
        facts.pop("digest", None)
        return hashlib.sha256(msgspec.json.encode(facts, order="sorted")).hexdigest()[:32]


class RestartCard(Sealed, frozen=True, kw_only=True):
    """One restart: its seed, what it was fitted on, and Matthews' correlation on each set.

    `view` is the layer and pooling of a probe, the pooling of a tuned encoder. `collapsed`: all
    sentences of in-domain dev got one label.
    """

    number: int
    seed: int
    view: str = ""
    temperature: float = 1.0
    intercept: float = 0.0
    collapsed: bool = False
    mcc: dict[str, float] = msgspec.field(default_factory=dict)
    accuracy: dict[str, float] = msgspec.field(default_factory=dict)
    seconds: float = 0.0
    log: dict[str, object] = msgspec.field(default_factory=dict)

    @property
    def folder(self) -> str:
        """The name of its folder, which is also its revision in a model string."""
        return f"restart-{self.number}"


class ClassifierCard(msgspec.Struct, frozen=True, kw_only=True):
    """How a classifier was trained, its restarts, and which of them is used."""

    version: int = 1
    architecture: Literal["classifier"] = "classifier"
    method: str
    encoder: str = ""
    encoder_key: str = ""
    data: str
    data_digest: str
    tested: dict[str, str] = msgspec.field(default_factory=dict)
    """A hash of the texts and labels of every tested set; empty in older cards."""
    without_sources: tuple[str, ...] = ()
    wanted: int = 1
    seed: int = 1
    select: str = "dev"
    settings: dict[str, object] = msgspec.field(default_factory=dict)
    restarts: tuple[RestartCard, ...] = ()
    chosen: int = 0
    """The number of the restart that is used; 0 while restarts are missing."""

    def restart(self, number: int) -> RestartCard:
        """A restart by number."""
        return next(r for r in self.restarts if r.number == number)


def write_card(folder: Path, card: ClassifierCard) -> None:
    """Write `classifier.json` atomically."""
    write_text(
        folder / CARD, msgspec.json.format(msgspec.json.encode(card), indent=1).decode() + "\n"
    )


def read_card(folder: Path) -> ClassifierCard:
    """`classifier.json` of a folder; an error says what is missing."""
    file = folder / CARD
    if not file.is_file():
        raise ModelError(
            f"{folder} has no {CARD}; give a folder that `priscian train classifier` has written"
        )
    try:
        card = read_json(file, ClassifierCard)
    except DataError as error:
        raise ModelError(str(error)) from None
    for restart in card.restarts:
        if not 1 / MOST <= restart.temperature <= MOST or abs(restart.intercept) > MOST:
            raise ModelError(
                f"{file}: {restart.folder} has a temperature or an intercept that no training "
                "gives; copy the folder again"
            )
        if not restart.is_whole:
            raise ModelError(
                f"{file}: restart {restart.number} is not as it was written; copy the file again, "
                "or delete its entry and train again with `resume=True`"
            )
    known = [r.number for r in card.restarts]
    if card.chosen and card.chosen not in known:
        raise ModelError(
            f"{file}: the chosen restart is {card.chosen}, but it has "
            f"{', '.join(map(str, known)) or 'none'}; write 0 there and train again "
            "with `resume=True`"
        )
    return card


def write_restart(folder: Path, card: RestartCard) -> None:
    """Write a restart's card; it is written last, so a restart that has one is complete."""
    text = msgspec.json.format(msgspec.json.encode(card), indent=1).decode()
    write_text(folder / card.folder / RESTART, text + "\n")


def read_restart(folder: Path, number: int) -> RestartCard | None:
    """The card of a complete restart, else None."""
    file = folder / f"restart-{number}" / RESTART
    if not file.is_file():
        return None
    try:
        card = read_json(file, RestartCard)
        if not card.is_whole:
            raise DataError(f"{file}: it is not as it was written")
    except DataError as error:
        raise DataError(
            f"{error}; or delete {file.parent} to train it again with `resume=True`"
        ) from None
    return card


def find_restart(folder: Path, revision: str = "") -> tuple[ClassifierCard, RestartCard]:
    """The restart that a model string names, by default the chosen one."""
    card = read_card(folder)
    if not revision:
        if not card.chosen:
            raise ModelError(
                f"{folder} has {len(card.restarts)} of {card.wanted} restarts; finish its "
                "training with `resume=True`, or name one: classifier:DIR@restart-1"
            )
        return card, card.restart(card.chosen)
    for restart in card.restarts:
        if restart.folder == revision:
            return card, restart
    known = ", ".join(r.folder for r in card.restarts) or "none yet"
    raise ModelError(f"{folder} has no restart {revision!r}; it has {known}")
