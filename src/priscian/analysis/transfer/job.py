"""From settings to a result: generate, read hidden states, fit, count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian import __version__
from priscian.analysis.registry import analysis
from priscian.analysis.transfer.learners import Bags, Probes
from priscian.analysis.transfer.record import (
    WORDS,
    OwnChoice,
    ParadigmPlace,
    TransferRecord,
)
from priscian.analysis.transfer.settings import NO_MODEL, Chosen, TransferSettings, choose
from priscian.analysis.transfer.train import count_own, run_trials
from priscian.analysis.transfer.transfer import Transfer, read_transfer
from priscian.analysis.transfer.trials import by_phenomenon, list_trials
from priscian.datasets.split_pairs import SplitPairs, split_pairs
from priscian.errors import UsageError, WrongKindError
from priscian.metrics.contrasts import TIE
from priscian.training.classifiers.baselines import language_model_scores
from priscian.training.classifiers.states import pooled_states

Floats32 = npt.NDArray[np.float32]
Watch = Callable[[str, int, int], None]  # what is done, how many, of how many

GENERATING, READING = "pairs", "hidden states"
OWN, FITTING = "log-probabilities", "classifiers"


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
    model, own = _own_choices(settings, chosen, pairs, _named(watch, OWN))
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
        own=tuple(own),
        made_by=f"priscian {__version__}",
    )
    return Transfer.of(record)


def read_states(
    pairs: Sequence[SplitPairs],
    chosen: Chosen,
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


def _own_choices(
    settings: TransferSettings,
    chosen: Chosen,
    pairs: Sequence[SplitPairs],
    progress: Callable[[int, int], None],
) -> tuple[str, list[OwnChoice]]:
    """The choices of the language model that was named, else of the encoder, if it is one."""
    if settings.model == NO_MODEL:
        return "", []
    model = settings.model or chosen.encoder
    sets = {words: {p.uid: getattr(p, words) for p in pairs} for words in WORDS}
    texts = [t for own in sets.values() for some in own.values() for pair in some for t in pair]
    try:
        scores = language_model_scores(model, "logp", texts, progress)
    except WrongKindError:
        if settings.model:
            raise
        return "", []  # an encoder without a language-model head has no choices of its own
    return model, count_own(scores, sets, TIE)


def _named(watch: Watch, what: str) -> Callable[[int, int], None]:
    return lambda done, total: watch(what, done, total)
