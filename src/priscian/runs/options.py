"""Options of `score`: which data are read, how they are judged, how scores are computed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from priscian.datasets import Dataset, PairColumns, read_dataset
from priscian.datasets.syntaxgym import Punctuation
from priscian.errors import UnknownNameError, UsageError
from priscian.metrics import TieRule
from priscian.metrics.generalization import Predictions
from priscian.metrics.regions import Boundary, Eos
from priscian.scoring import Options, Shard
from priscian.scoring.executors import address_of

KeepWeights = Literal["all", "none"]
CHOICES = {
    "predictions": get_args(Predictions),
    "eos": get_args(Eos),
    "boundary": get_args(Boundary),
    "punctuation": ("auto", *get_args(Punctuation)),
}
"""The options of suites that take one of a few words."""


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """How suites are read and judged."""

    predictions: str = "first"
    """Suites: first uses a suite's first formula, as in Hu et al. (2020); all uses every one."""
    eos: str = "exclude"
    """Suites: exclude the end of the text, or last-region to count it there."""
    punctuation: str = "auto"
    """Suites: attached, detached, or auto (detached for ngram: models)."""
    suites: str | None = None
    """Suites: only 31 (the paper's figures), 33 (the six circuits), 34 or ours."""
    boundary: str = "plain"
    """Suites: plain sums over tokens, or corrected for leading spaces (causal hf: models)."""

    def check(self) -> None:
        """Refuse what is invalid."""
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                named = f"{', '.join(choices[:-1])} or {choices[-1]}"
                raise UsageError(f"`{name}=` takes {named}, not {value!r}")


COLUMNS = ("good", "bad", "group")
COMPUTE = ("shard", "executor")
IN_ONE_PROCESS = Options(workers=1)
"""For callers that use the other cores themselves."""
_GENERATED = re.compile(r"generated(-\w+)?:\d+")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """Which data are read, how items are judged, and how scores are computed."""

    limit: int | None = None
    """Only the first N items of each set."""
    only: Sequence[str] = ()
    """Only the sets with these names or patterns, such as wh_island or 'distractor_*'."""
    measure: str = "surprisal"
    """surprisal, surprisal_per_token, surprisal_per_char, mean_lp, pen_lp, slln_lp, norm_lp or
    slor."""
    unigram: str | None = None
    """For slor and norm_lp: the model of word frequencies, an n-gram; builtin:ngram by default."""
    tie: str = "wrong"
    """How a tie counts: wrong (or fail), half, random or vote:N."""
    seed: int = 0
    """Seed of random ties and of bootstrap intervals."""
    revisions: str | None = None
    """Score every revision, or checkpoint folder, that matches: 'step*'."""
    keep_weights: KeepWeights = "all"
    """none: remove weights that this run downloads from the Hub, each after it was scored."""
    tokens: bool = True
    """Keep the log-probability of every token in the run folder: tokens.parquet."""
    columns: PairColumns = field(default_factory=PairColumns)
    suites: SuiteOptions = field(default_factory=SuiteOptions)
    compute: Options = field(default_factory=Options)

    def updated(self, settings: Mapping[str, Any]) -> ScoreOptions:
        """The options with some of them changed by name, and checked.

        >>> ScoreOptions(limit=50, tie="half").updated({"only": "wh_*,passive_1"}).only
        ('wh_*', 'passive_1')
        """
        known = {f.name for f in fields(self)}
        for name in settings:
            if name not in known and name not in (*COLUMNS, *COMPUTE):
                raise UnknownNameError("option of score", name, [*known, *COLUMNS, *COMPUTE])
        named = {k: v for k, v in settings.items() if k in COLUMNS}
        made = replace(self, **{k: v for k, v in settings.items() if k in known})
        only = (made.only,) if isinstance(made.only, str) else made.only
        patterns = tuple(part for text in only for part in text.split(",") if part)
        tie = "wrong" if made.tie == "fail" else made.tie
        columns = replace(made.columns, **named)
        TieRule.parse(tie)
        if made.keep_weights not in get_args(KeepWeights):
            raise UnknownNameError("choice of `keep_weights=`", made.keep_weights, ["all", "none"])
        made.suites.check()
        compute, shard, executor = made.compute, settings.get("shard"), settings.get("executor")
        if shard is not None:
            compute = replace(compute, shard=Shard.parse(shard))
        if executor is not None:
            compute = replace(compute, executor=None if executor == "auto" else executor)
        if compute.executor is not None:
            address_of(compute.executor)
        return replace(made, only=patterns, tie=tie, columns=columns, compute=compute)


def name_generated(spec: str, options: ScoreOptions) -> str:
    """The data string of generated data, with the requested number of items and sets.

    Nothing else is then generated, and more items than the default are possible.

    >>> name_generated("generated:7", ScoreOptions(limit=50, only=("wh_island",)))
    'generated:7,50,wh_island'
    >>> name_generated("blimp:data", ScoreOptions(limit=50))
    'blimp:data'
    """
    found = _GENERATED.fullmatch(spec)
    if found is None or any(_WILD.search(pattern) for pattern in options.only):
        return spec
    parts = (spec, str(options.limit or ""), *options.only)
    return ",".join(parts).rstrip(",")


def read_chosen(spec: str, options: ScoreOptions) -> Dataset:
    """The requested sets and items of a data set.

    >>> read_chosen("generated:7", ScoreOptions(limit=2, only=("wh_island",))).sets[0].items[1].id
    'wh_island/1'
    """
    data = read_dataset(name_generated(spec, options), options.columns, limit=options.limit)
    return choose_sets(data, options.only)


def choose_sets(data: Dataset, patterns: Sequence[str]) -> Dataset:
    """The sets whose names match one of the patterns; a pattern without a match is an error."""
    if not patterns:
        return data
    names = [s.name for s in data.sets]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UnknownNameError(f"set of {data.spec}", pattern, names, "Correct `only=`.")
    chosen = (s for s in data.sets if any(fnmatchcase(s.name, p) for p in patterns))
    return replace(data, sets=tuple(chosen))
