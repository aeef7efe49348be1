"""Analyses of what is behind the scores of runs, and of the files of published papers.

Every function is one analysis. It takes run folders, runs in memory or released files, and returns
a typed result with `as_dict()` and, where there is something to draw, `figures` and
`write_figures(folder)`.

>>> import priscian
>>> run = priscian.score(["builtin:lstm", "builtin:ngram"], "generated:7,5,wh_island,causative")
>>> table = priscian.analyse.tables(run, by="paradigm", baselines="none")
>>> [column.name for column in table.columns], [row.name for row in table.rows]
(['builtin:lstm', 'builtin:ngram'], ['causative', 'wh_island', 'overall'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.analysis.registry import find_analysis
from priscian.runs.choose import Choice

if TYPE_CHECKING:
    from priscian.analysis.blimp.accuracy_table import tables as tables
    from priscian.analysis.blimp.contamination import contamination as contamination
    from priscian.analysis.blimp.distance import distance as distance
    from priscian.analysis.blimp.methods import methods as methods
    from priscian.analysis.blimp.model_summary import published as published
    from priscian.analysis.blimp.shallow import shallow as shallow
    from priscian.analysis.compare.correlation import correlation as correlation
    from priscian.analysis.curves.training_size import TrainingSize
    from priscian.analysis.graded.adc import AdcAnalysis
    from priscian.analysis.graded.cola import ColaAnalysis
    from priscian.analysis.people.agreement import HumanAgreement
    from priscian.analysis.sg.of_release import SgResults
    from priscian.analysis.sg.of_runs import SgAnalysis
    from priscian.analysis.transfer.job import Watch
    from priscian.analysis.transfer.settings import TransferSettings
    from priscian.analysis.transfer.transfer import Transfer
    from priscian.datasets.choices import Raters
    from priscian.metrics.adc import AdcRule
    from priscian.models.unsupervised_trees import TreeScores

Runs = Choice | Iterable[Choice]

__all__ = [
    "adc",
    "cola",
    "contamination",
    "correlation",
    "distance",
    "human",
    "methods",
    "published",
    "sg",
    "sg_results",
    "shallow",
    "tables",
    "training_size",
    "transfer",
    "trees",
]


def __getattr__(name: str) -> Any:
    """An analysis by its name."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return find_analysis(name.replace("_", "-")).function


def training_size(
    runs: Runs,
    tokens: Mapping[str, str | float] | Sequence[str] = (),
    *,
    sizes: Path | str | None = None,
    method: str = "full",
) -> TrainingSize:
    """Accuracy against log2 of training tokens, and how many tokens would reach people's level.

    `tokens` gives the training size of each model, `{"lstm-1M": "1M"}`; `sizes` is a table with the
    columns model and tokens. The folder of a sweep needs neither.

    >>> import priscian
    >>> models = [f"builtin:ngram?order={n}" for n in (1, 2, 3)]
    >>> run = priscian.score(models, "generated:7,5,wh_island,causative")
    >>> tokens = {model: 10 ** (5 + n) for n, model in enumerate(run.models)}
    >>> [curve.name for curve in priscian.analyse.training_size(run, tokens).curves][-1]
    'overall'
    """
    from priscian.analysis.curves.of_runs import training_sizes_of
    from priscian.analysis.curves.sizes import known_sizes

    return training_sizes_of(
        runs, known_sizes(None if sizes is None else Path(sizes), tokens), method
    )


def sg(
    runs: Runs,
    perplexity: Mapping[str, float] | Path | str | None = None,
    *,
    mixed_effects: bool = False,
) -> SgAnalysis:
    """Syntactic generalization: by circuit and suite, stability under modifiers, perplexity.

    `perplexity` gives the perplexity of each model, or is a table with the columns model and
    perplexity. `mixed_effects` also fits the regressions of Hu et al. (2020) to models that were
    trained with `train` or `curve`.

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated-sg:7,3,mvrr,mvrr_mod")
    >>> found = priscian.analyse.sg(run)
    >>> [score.name for score in found.scores.suites], found.modifiers.suites[0].suite
    (['mvrr', 'mvrr_mod'], 'mvrr')
    """
    from priscian.analysis.curves.of_runs import sg_of
    from priscian.analysis.sg.of_runs import read_perplexity

    if isinstance(perplexity, str | Path):
        perplexity = read_perplexity(Path(perplexity))
    return sg_of(runs, perplexity, mixed_effects)


def sg_results(
    folder: Path | str, perplexity: Path | str | None = None, *, mixed_effects: bool = False
) -> SgResults:
    """Figures 1 and 3–6, Table 4 and the regressions of Hu et al. (2020), from released files.

    >>> import priscian
    >>> priscian.analyse.sg_results("results").values["fig1_model_mean"]      # doctest: +SKIP
    {'gpt-2': 0.7..., ...}
    """
    from priscian.analysis.sg.of_release import analyse_release

    return analyse_release(
        Path(folder), None if perplexity is None else Path(perplexity), mixed_effects
    )


def adc(
    data: Path | str,
    scores: Sequence[Path | str] = (),
    *,
    deltas: Sequence[float] = (),
    rule: str | AdcRule = "paper",
    cola: Path | str | None = None,
) -> AdcAnalysis:
    """BLiMP's criterion, the Acceptability Delta Criterion and correlations with people.

    `data` is a run on graded data, the folder of the LI-Adger release, or a table of rated
    sentences; `scores` are further tables or runs. `rule` is paper or strict, or an `AdcRule`.
    Classifiers that were trained on CoLA are shown three ways (`ways`); `cola`, CoLA's folder, does
    the same for the released ones.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import priscian
    >>> folder = Path(tempfile.mkdtemp())
    >>> rows = ["sentence,rating,acceptable,phenomenon,lexicalisation", "It rains.,1.2,1,a,1",
    ...         "It rain.,-1,0,a,1", "She left.,0.9,1,b,1", "She leave.,-0.8,0,b,1"]
    >>> _ = (folder / "rated.csv").write_text("\\n".join(rows))
    >>> _ = priscian.score("builtin:lstm", f"graded:{folder / 'rated.csv'}", out=folder / "run")
    >>> found = priscian.analyse.adc(folder / "run")
    >>> len(found.graded.pairs), [model.name for model in found.models]
    (2, ['builtin:lstm'])
    """
    from priscian.analysis.graded.of_paths import adc_of_paths

    return adc_of_paths(data, scores, deltas, rule, cola)


def cola(
    scores: Path | str | Sequence[Path | str],
    *,
    data: Path | str | None = None,
    threshold: float | None = None,
    seed: int = 0,
) -> ColaAnalysis:
    """Matthews' correlation of scores with CoLA's labels, by split and by annotated feature.

    `scores` are runs on cola:DIR, tables of scores, or folders of classifiers, whose restarts are
    then compared with the published ones; `data` is CoLA's folder, by default that of the first run
    or classifier. The threshold is chosen in domain by default.

    >>> import priscian
    >>> found = priscian.analyse.cola("runs/cola")                            # doctest: +SKIP
    >>> found.models[0].overall.mcc                                           # doctest: +SKIP
    0.1...
    """
    from priscian.analysis.graded.of_paths import cola_of_paths

    paths = [Path(p) for p in ([scores] if isinstance(scores, str | Path) else scores)]
    return cola_of_paths(paths, None if data is None else Path(data), threshold, seed)


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
    from priscian.analysis.transfer.job import analyse_transfer
    from priscian.analysis.transfer.transfer import read_transfer

    if isinstance(source, str | Path):
        return read_transfer(source)
    return analyse_transfer(source, watch or (lambda what, done, total: None))


def human(
    file: Path | str,
    *,
    rule: str = "4/5",
    keep_failed: bool = False,
    raters: Raters = "people",
) -> HumanAgreement:
    """People's forced choices: individual and majority agreement with the labels.

    `rule` says which sets count: at least K of N pairs with a majority for the label, or "none".
    `raters` says whose answers count: people, models (rows with kind model) or all.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import priscian
    >>> file = Path(tempfile.mkdtemp()) / "choices.csv"
    >>> rows = ["set,item,rater,response", "wh_island,1,ann,good", "wh_island,1,bob,bad"]
    >>> _ = file.write_text("\\n".join(rows))
    >>> priscian.analyse.human(file, rule="none").individual
    0.5
    """
    from priscian.analysis.people.agreement import human_agreement
    from priscian.datasets.choices import read_choices

    return human_agreement(read_choices(Path(file), raters), rule=rule, keep_failed=keep_failed)


def trees(model: str, file: Path | str, *, layer: int = 2, limit: int | None = None) -> TreeScores:
    """Trees that an ON-LSTM has found by itself, against those of a treebank: unlabelled F1.

    Baselines: right-branching trees, random trees and random distances.

    >>> import priscian
    >>> found = priscian.analyse.trees("my-onlstm", "gum.txt.xz")       # doctest: +SKIP
    >>> found.f1 - found.random_distances                               # doctest: +SKIP
    12.3
    """
    from priscian.models.unsupervised_trees import score_trees

    return score_trees(model, Path(file), layer, limit)
