"""Parts of a report that need more than the runs: people's ratings, training sizes, perplexity."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from priscian.errors import PriscianError, PriscianWarning

if TYPE_CHECKING:
    from priscian.analysis.graded.adc import AdcAnalysis
    from priscian.datasets.graded import GradedSet
    from priscian.reporting.sections import Section
    from priscian.runs import Run


def read_graded_sets(runs: Sequence[Run]) -> dict[str, AdcAnalysis]:
    """The ADC analysis of each graded data set with ratings whose files are still there."""
    from priscian.analysis.graded.adc import analyse_adc
    from priscian.datasets.graded_scores import match_scores, read_scores
    from priscian.runs import GradedSummary

    files: dict[str, list[Path]] = {}
    specs: dict[str, str] = {}
    for run in runs:
        for result in run.results:
            summary = result.summary
            if run.path is None or not isinstance(summary, GradedSummary) or not summary.graded.adc:
                continue
            place = run.path / result.about.folder / result.facts.folder / "scores.csv"
            files.setdefault(result.data, []).append(place)
            specs[result.data] = result.facts.spec
    found = {}
    for data, places in files.items():
        try:
            graded = _read(specs[data])
            scores = [match_scores(s, graded) for place in places for s in read_scores(place)]
            found[data] = analyse_adc(graded, scores)
        except (PriscianError, OSError) as error:
            warnings.warn(
                f"the figures of graded judgements are left out: {error}",
                PriscianWarning,
                stacklevel=2,
            )
    return found


def _read(spec: str) -> GradedSet:
    from priscian.datasets.graded_read import read_graded, read_textbook
    from priscian.datasets.li_adger import read_li_adger

    kind, _, target = spec.partition(":")
    if kind == "li-adger":
        return read_li_adger(target, scores=False).graded
    return read_textbook() if target == "textbook" else read_graded(target)


def extra_sections(
    runs: Sequence[Run],
    sizes: Path | None,
    tokens: Sequence[str],
    perplexity: Path | None,
) -> list[Section]:
    """Figures that rest on files of the user's."""
    from priscian.reporting.sections import Section

    figures = []
    if sizes is not None or tokens:
        from priscian.analysis.curves.training_size import analyse_training_size
        from priscian.analysis.curves.training_size_figure import training_size_figure
        from priscian.cli.analyse.training_size import known_sizes, trained_models

        trained = trained_models(runs, known_sizes(sizes, tokens))
        figures.append(training_size_figure(analyse_training_size(trained)))
    if perplexity is not None:
        from priscian.analysis.sg.circuits import (
            against_perplexity,
            analyse_sg_runs,
            perplexity_figure,
        )
        from priscian.cli.analyse.sg import read_perplexity

        scores = analyse_sg_runs([result for run in runs for result in run.results])
        figures.append(perplexity_figure(against_perplexity(scores, read_perplexity(perplexity))))
    return [Section("Training size and perplexity", tuple(figures), ())] if figures else []
