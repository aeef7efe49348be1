"""From settings to a result: what a transfer analysis is made with, generate, read, fit, count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian import __version__
from priscian.analysis.registry import analysis
from priscian.analysis.transfer.record import WORDS, OwnChoice, ParadigmPlace, TransferRecord
from priscian.analysis.transfer.train import Bags, Probes, count_own, run_trials
from priscian.analysis.transfer.transfer import Transfer, read_transfer
from priscian.analysis.transfer.trials import by_phenomenon, list_trials
from priscian.datasets.split_pairs import SplitPairs, SplitPlan, split_pairs
from priscian.errors import UsageError, WrongKindError
from priscian.metrics.contrasts import TIE
from priscian.models.classifier.encoder import View, encoder_spec
from priscian.models.classifier.states import pooled_states
from priscian.training.classifiers.fits import language_model_scores
from priscian.training.classifiers.reading import read_probe

SIZES = (10, 25, 50, 100)
DEFAULT_C = 0.01
NO_MODEL = "none"
Floats32 = npt.NDArray[np.float32]
Watch = Callable[[str, int, int], None]  # what is done, how many, of how many

GENERATING, READING = "pairs", "hidden states"
OWN, FITTING = "log-probabilities", "classifiers"


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """How many pairs, from which seeds, and which states of the encoder.

    The states, and the penalty `c`, are those of a probe that was trained on CoLA (`probe`, its
    folder), or `layer` and `pooling` give them. `model` is the language model whose own choices
    are shown: by default the encoder, if it is one; "none" for none.
    """

    encoder: str = ""
    probe: str | Path = ""
    layer: int | None = None
    pooling: str = ""
    c: float | None = None
    pairs: int = 200
    test_pairs: int = 100
    seed: int = 1
    test_seed: int = 2
    draws: int = 5
    sizes: tuple[int, ...] = SIZES
    only: tuple[str, ...] = ()
    model: str = ""

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise UsageError(f"`draws={self.draws}`: draw at least once")
        if self.c is not None and not self.c > 0:
            raise UsageError(f"`c={self.c:g}`: the inverse penalty must be above 0")
        if any(size < 1 for size in self.sizes):
            raise UsageError(f"`sizes={min(self.sizes)}`: train on at least one pair")
        if self.probe and (self.layer is not None or self.pooling):
            raise UsageError(
                "`probe=` has a layer and a pooling; leave `layer=` and `pooling=` out"
            )

    @property
    def plan(self) -> SplitPlan:
        """The pairs to generate."""
        return SplitPlan(self.pairs, self.test_pairs, self.seed, self.test_seed)


@dataclass(frozen=True, slots=True)
class ChosenStates:
    """The encoder, its states, the inverse penalty, and the name of the probe they come from."""

    encoder: str
    view: View
    c: float
    chosen_by: str = ""


def choose(settings: TransferSettings) -> ChosenStates:
    """The states to use; a probe of another encoder is refused."""
    if settings.probe:
        found = read_probe(Path(settings.probe))
        if settings.encoder and settings.encoder != found.encoder:
            raise UsageError(
                f"{settings.probe} is a probe of {found.encoder}, not of {settings.encoder}; leave "
                "`encoder=` out, or give `layer=` and `pooling=`"
            )
        c = found.c if settings.c is None else settings.c
        return ChosenStates(found.encoder, found.view, c, Path(settings.probe).name)
    if not settings.encoder:
        raise UsageError(
            "no encoder; give `probe=DIR`, a probe that priscian train classifier has trained on "
            "CoLA, or `encoder=` with `layer=` and `pooling=`"
        )
    if settings.layer is None or not settings.pooling:
        raise UsageError(
            f"which states of {settings.encoder}? Give `probe=DIR`, a probe that was trained on "
            "CoLA, or `layer=` and `pooling=` (cls, last, mean or max)"
        )
    encoder_spec(settings.encoder)  # a model without hidden states is refused here
    view = View.parse(f"{settings.layer}-{settings.pooling}")
    return ChosenStates(settings.encoder, view, DEFAULT_C if settings.c is None else settings.c)


@analysis("transfer", "train on some phenomena, test on others")
def transfer(source: TransferSettings | Path | str, *, watch: Watch | None = None) -> Transfer:
    """Classifiers that are trained on pairs of some phenomena and tested on others.

    `source` is what to train, or the path of a saved analysis. Hidden states and log-probabilities
    are kept; the classifiers of an interrupted analysis are trained again. `watch` is called as
    `watch(what, done, total)`.

    >>> import priscian
    >>> settings = priscian.TransferSettings(probe="smollm2-probe")           # doctest: +SKIP
    >>> found = priscian.analyse.transfer(settings)                           # doctest: +SKIP
    >>> found.cell("island_effects", "filler_gap_dependency").accuracy        # doctest: +SKIP
    0.7...
    >>> found.save("results/transfer")                                        # doctest: +SKIP
    """
    if isinstance(source, str | Path):
        return read_transfer(source)
    return analyse_transfer(source, watch or (lambda what, done, total: None))


def analyse_transfer(
    settings: TransferSettings, watch: Watch = lambda what, done, total: None
) -> Transfer:
    """Train on pairs of some paradigms, test on others, with every control.

    Hidden states and log-probabilities are kept as they are computed; an analysis that was
    interrupted reads them and trains its classifiers again. The same settings give the same result.
    """
    chosen = choose(settings)
    pairs = split_pairs(settings.plan, settings.only, _named(watch, GENERATING))
    places = [ParadigmPlace(p.uid, p.phenomenon, p.field) for p in pairs]
    if len(by_phenomenon(places)) < 2:
        raise UsageError(
            "all paradigms belong to one phenomenon; transfer needs at least two phenomena"
        )
    probes = read_states(pairs, chosen, _named(watch, READING))
    model = ""
    own: tuple[OwnChoice, ...] = ()
    if settings.model != NO_MODEL:
        sets = {words: {p.uid: getattr(p, words) for p in pairs} for words in WORDS}
        texts = [t for of in sets.values() for some in of.values() for pair in some for t in pair]
        named = settings.model or chosen.encoder
        try:
            scores = language_model_scores(named, "logp", texts, _named(watch, OWN))
            model, own = named, tuple(count_own(scores, sets, TIE))
        except WrongKindError:  # an encoder without a language-model head has no choices
            if settings.model:
                raise
    tallies = run_trials(
        list_trials(places, settings.pairs, settings.sizes),
        places,
        probes,
        Bags(pairs),
        seed=settings.seed,
        draws=settings.draws,
        watch=_named(watch, FITTING),
    )
    record = TransferRecord(
        encoder=chosen.encoder,
        view=str(chosen.view),
        chosen_by=chosen.chosen_by,
        c=chosen.c,
        pairs=settings.pairs,
        test_pairs=settings.test_pairs,
        seed=settings.seed,
        test_seed=settings.test_seed,
        draws=settings.draws,
        sizes=settings.sizes,
        model=model,
        paradigms=tuple(places),
        tallies=tuple(tallies),
        own=own,
        made_by=f"priscian {__version__}",
    )
    return Transfer.of(record)


def read_states(
    pairs: Sequence[SplitPairs],
    chosen: ChosenStates,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Probes:
    """The states of every sentence, as probes need them."""
    texts = list(
        dict.fromkeys(
            text for p in pairs for part in (p.train, p.same, p.other) for pair in part
            for text in pair
        )
    )  # fmt: skip
    states = pooled_states(chosen.encoder, texts, [chosen.view], progress=progress)[chosen.view]
    row = {text: n for n, text in enumerate(texts)}

    def array(part: str) -> Floats32:
        at = [[[row[text] for text in pair] for pair in getattr(p, part)] for p in pairs]
        found: Floats32 = states[np.array(at)]  # (paradigms, pairs, 2, width)
        return found

    return Probes(array("train"), {words: array(words) for words in WORDS}, chosen.c)


def _named(watch: Watch, what: str) -> Callable[[int, int], None]:
    return lambda done, total: watch(what, done, total)
