"""Analyses of what is behind the scores of runs, and of the files of published papers.

Every function is one analysis. It takes run folders, runs in memory or released files, and returns
a typed result with `as_dict()` and, where there is something to draw, `figures` and
`write_figures(folder)`. Each is in its own module of `priscian.analysis`, where `@analysis` names
it, and is imported when it is used.

>>> import priscian
>>> run = priscian.score(["builtin:lstm", "builtin:ngram"], "generated:7,5,wh_island,causative")
>>> table = priscian.analyse.tables(run, by="paradigm", baselines="none")
>>> [column.name for column in table.columns], [row.name for row in table.rows]
(['builtin:lstm', 'builtin:ngram'], ['causative', 'wh_island', 'overall'])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from priscian.analysis.registry import find_analysis, list_analyses

if TYPE_CHECKING:  # for type checkers; written by scripts/list_analyses.py
    from priscian.analysis.blimp.accuracy_table import tables as tables
    from priscian.analysis.blimp.contamination import contamination as contamination
    from priscian.analysis.blimp.distance import distance as distance
    from priscian.analysis.blimp.methods import methods as methods
    from priscian.analysis.blimp.model_summary import published as published
    from priscian.analysis.blimp.shallow import shallow as shallow
    from priscian.analysis.compare.correlation import correlation as correlation
    from priscian.analysis.curves.training_size import training_size as training_size
    from priscian.analysis.graded.cola import cola as cola
    from priscian.analysis.graded.of_paths import adc as adc
    from priscian.analysis.people.agreement import human as human
    from priscian.analysis.sg.of_release import sg_results as sg_results
    from priscian.analysis.sg.of_runs import sg as sg
    from priscian.analysis.transfer.job import transfer as transfer
    from priscian.analysis.trees import trees as trees

__all__ = [name.replace("-", "_") for name in list_analyses()]


def __getattr__(name: str) -> Any:
    """An analysis by its name."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return find_analysis(name.replace("_", "-")).function


def __dir__() -> list[str]:
    return list(__all__)
