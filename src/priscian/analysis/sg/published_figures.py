"""The figures of Hu et al. (2020) from the released item-by-item results.

Hu, Gauthier, Qian, Wilcox & Levy (2020). A systematic assessment of syntactic generalization in
neural language models. ACL, 1725–1744. doi:10.18653/v1/2020.acl-main.158
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TypeVar

from priscian.analysis.sg.released import Instance, Perplexity, SuiteScore
from priscian.datasets.reference import published_suites

Key = TypeVar("Key", bound=Hashable)
Means = dict[str, float]
Figure = Means | dict[str, Means]

OWN_PIECES = "-gptbpe"
"""Corpora in GPT-2's tokens: only one model was trained on them, so corpus means omit them."""
DIGITS = 6


def figures(
    scores: Sequence[SuiteScore], perplexities: Sequence[Perplexity] = ()
) -> dict[str, Figure]:
    """Figures 1 and 3–6 and, given perplexities, Table 4, to six decimals."""
    deltas = delta(scores)
    same_corpora = [d for d in deltas if not d.instance.corpus.endswith(OWN_PIECES)]
    by_circuit, by_circuit_same = circuit_means(deltas), circuit_means(same_corpora)
    made: dict[str, Figure] = {
        "fig1_model_mean": _rounded(model_means(scores)),
        "fig3_left_delta_by_model": _rounded(model_means(deltas)),
        "fig3_right_delta_by_corpus_noGPT2": _rounded(
            means((d.instance.corpus, d.score) for d in same_corpora)
        ),
        "fig4_left": _rounded(means((f"{c}|{i.model}", d) for (i, c), d in by_circuit.items())),
        "fig4_right": _rounded(
            means((f"{c}|{i.corpus}", d) for (i, c), d in by_circuit_same.items())
        ),
        "fig5": _rounded(
            means((f"{c}|{i.model}", score) for (i, c), score in circuit_means(scores).items())
        ),
        "fig6": {model: _rounded(pair) for model, pair in stability(scores).items()},
    }
    if perplexities:
        made["table4_perplexity_mean"] = _rounded(
            means((f"{p.instance.model}|{p.instance.corpus}", p.value) for p in perplexities)
        )
    return made


def model_means(scores: Iterable[SuiteScore]) -> Means:
    """Mean over all (corpus, seed, suite) rows of a class of models: seeds weigh equally."""
    return means((s.instance.model, s.score) for s in scores)


def delta(scores: Iterable[SuiteScore]) -> list[SuiteScore]:
    """Scores of the controlled models minus the suite's mean over (model, corpus) cells."""
    controlled = [s for s in scores if s.instance.controlled]
    cells = means(((s.instance.model, s.instance.corpus, s.suite), s.score) for s in controlled)
    of_suite = means((suite, score) for (_, _, suite), score in cells.items())
    return [replace(s, score=s.score - of_suite[s.suite]) for s in controlled]


def circuit_means(scores: Iterable[SuiteScore]) -> dict[tuple[Instance, str], float]:
    """Mean over each circuit's suites for every instance; Figures 4 and 5 average these."""
    return means(((s.instance, s.circuit), s.score) for s in scores)


def stability(scores: Sequence[SuiteScore]) -> dict[str, Means]:
    """Figure 6: the suites that have a version with a modifier, and those versions."""
    base = {s.name: s.modifier_of for s in published_suites().values() if s.modifier_of}
    plain = model_means(s for s in scores if s.suite in base.values())
    modified = model_means(s for s in scores if s.suite in base)
    return {
        model: {"no_modifier": plain[model], "modifier": modified[model]}
        for model in plain
        if model in modified
    }


def means(pairs: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """Mean of the values of each key.

    >>> means([("a", 1.0), ("b", 5.0), ("a", 2.0)])
    {'a': 1.5, 'b': 5.0}
    """
    values: dict[Key, list[float]] = defaultdict(list)
    for key, value in pairs:
        values[key].append(value)
    return {key: fmean(found) for key, found in values.items()}


def _rounded(values: Means) -> Means:
    return {key: round(values[key], DIGITS) for key in sorted(values)}
