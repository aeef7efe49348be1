"""Score models on data sets: the whole job, from strings to a run folder."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priscian.datasets import Dataset, PairColumns, read_dataset
from priscian.errors import ModelError, PriscianWarning, RunError, UsageError
from priscian.metrics import TieRule
from priscian.models import (
    LanguageModel,
    ModelSpec,
    PrecomputedScores,
    TorchModel,
    as_list,
    expand_revisions,
    load,
    model_key,
    parse_model,
    traits_of,
)
from priscian.records import Text, TokenScores
from priscian.runs.folder import RunFolder, safe_name
from priscian.runs.precomputed import LookedUp
from priscian.runs.results import Result, evaluate
from priscian.runs.suites import (
    DEFAULT_SUITE_OPTIONS,
    SuiteOptions,
    SuitesResult,
    boundary_texts,
    choose_suites,
    ending_for,
    evaluate_suites,
    fit_to_model,
    is_suites,
    punctuation_for,
)
from priscian.runs.unigrams import describe_unigrams, score_unigrams, unigram_spec
from priscian.runs.unknown import count_unknown
from priscian.scoring import (
    DEFAULTS,
    Options,
    Plan,
    SavedPlan,
    ScoredTexts,
    ScoreStore,
    score_texts,
)

Watch = Callable[[str, int, int], None]  # model, texts done, texts in all


@dataclass(frozen=True, slots=True)
class Run:
    """Results of every model on every data set, and the folder they are in, if any."""

    results: tuple[Result | SuitesResult, ...]
    folder: Path | None = None
    refused: tuple[str, ...] = ()
    """A line for each file of the data that could not be used."""

    @property
    def failures(self) -> tuple[str, ...]:
        """A line for everything that was asked for and could not be done."""
        found = [f for r in self.results if isinstance(r, SuitesResult) for f in r.failures]
        return (*self.refused, *dict.fromkeys(found))

    def __getitem__(self, key: tuple[str, str]) -> Result | SuitesResult:
        for result in self.results:
            if (result.model, result.data.name) == key:
                return result
        raise KeyError(key)


def score(
    models: str | ModelSpec | LanguageModel | Sequence[str | ModelSpec | LanguageModel],
    on: str | Dataset | Sequence[str | Dataset],
    *,
    out: str | Path | None = None,
    resume: bool = False,
    limit: int | None = None,
    good: str | None = None,
    bad: str | None = None,
    measure: str = "surprisal",
    unigram: str | ModelSpec | None = None,
    tie: str = "wrong",
    seed: int = 0,
    revisions: str | None = None,
    suites: SuiteOptions = DEFAULT_SUITE_OPTIONS,
    options: Options = DEFAULTS,
    store: ScoreStore | None = None,
    watch: Watch = lambda model, done, total: None,
) -> Run:
    """Score models on data sets; with `out`, write a run folder.

    >>> score("gpt2", "blimp:data/blimp", out="runs/gpt2")                 # doctest: +SKIP
    """
    unigram_model = unigram_spec(measure, unigram)
    TieRule.parse(tie)
    suites.check()
    specs = _models(models, revisions)
    data = [choose_suites(d, suites) for d in read_data(on, limit, good, bad)]
    if any(map(is_suites, data)):
        _check_suites(specs, measure, suites)
    elif suites.boundary != "plain":
        raise UsageError("--boundary corrected is for regions of suites: --on sg or --on sg:PATH")
    named = _named(specs)
    for spec, _ in named:
        model_key(spec)  # a model that is not there is complained of before a folder is made
    request: dict[str, Any] = {
        "models": [str(s) for s in specs],
        "data": {d.name: describe(d) for d in data},
        "limit": limit,
        "measure": measure,
        "tie": tie,
        "seed": seed,
    }
    if any(map(is_suites, data)):
        request["sg"] = suites.to_dict()
    unigrams = None
    if unigram_model is not None:
        request["unigram"] = describe_unigrams(unigram_model)
        unigrams = score_unigrams(unigram_model, texts_of(data))
    folder = None
    if out is not None:
        folder = (RunFolder.resume if resume else RunFolder.create)(Path(out), request)
    results: list[Result | SuitesResult] = []
    with nullcontext(store) if store else ScoreStore.default() as kept:  # close only our own
        for spec, name in named:
            fitted = [fit_to_model(d, spec, suites) for d in data]
            ending = ending_for(spec, fitted, suites)
            texts = [
                ending.text(s) if is_suites(d) else Text(s.text, s.context)
                for d in fitted
                for itemset in d.sets
                for s in itemset.sentences()
            ]
            boundary = boundary_texts(fitted, ending, suites)
            scores, model = _score_one(spec, name, texts, boundary, kept, options, folder, watch)
            pairs = texts_of(d for d in fitted if not is_suites(d))
            unknown = count_unknown(spec, pairs, model) if pairs else None
            for d in fitted:
                result: Result | SuitesResult
                if is_suites(d):
                    result = evaluate_suites(
                        name,
                        d,
                        scores,
                        options=suites,
                        ending=ending,
                        punctuation=punctuation_for(spec, suites),
                        tie=tie,
                        seed=seed,
                    )
                else:
                    result = evaluate(
                        name,
                        d,
                        scores,
                        measure=measure,
                        unigrams=unigrams,
                        unknown=unknown,
                        tie=tie,
                        seed=seed,
                    )
                results.append(result)
                if folder is not None:
                    result.write(folder.path / safe_name(name) / safe_name(d.name))
    if folder is not None:
        folder.update(status="finished")
    refused = tuple(line for d in data for line in d.refused)
    return Run(tuple(results), folder.path if folder else None, refused)


def texts_of(data: Iterable[Dataset]) -> list[Text]:
    """Every sentence of some data sets, as it stands."""
    return [Text(s.text, s.context) for d in data for sets in d.sets for s in sets.sentences()]


def _check_suites(specs: Sequence[ModelSpec], measure: str, options: SuiteOptions) -> None:
    """Refuse, or warn of, what makes no sense of region surprisals."""
    if measure != "surprisal":
        raise UsageError(f"suites are judged by surprisal; score them without --measure {measure}")
    for spec in specs:
        traits = traits_of(spec)
        if options.boundary == "corrected" and not traits.boundary:
            raise ModelError(
                f"{spec.label} has no pieces with leading spaces to correct for: --boundary "
                "corrected is for causal models (hf:); leave it out"
            )
        if traits.bidirectional:
            warnings.warn(
                f"{spec.label} reads both ways: it sees what follows a region, so its surprisals "
                "are not those of a reader from left to right",
                PriscianWarning,
                stacklevel=3,
            )


def _score_one(
    spec: ModelSpec,
    name: str,
    texts: Sequence[Text],
    boundary: Sequence[Text],
    store: ScoreStore,
    options: Options,
    folder: RunFolder | None,
    watch: Watch,
) -> tuple[Mapping[Text, TokenScores], LanguageModel | TorchModel | None]:
    """Scores of every text, and the model, where it had to be loaded."""
    saved = _saved_plan(folder, name)
    if folder is not None:
        key = model_key(spec)
        before = folder.read()["models"].get(name, {}).get("digest", key.digest)
        if before != key.digest:
            raise RunError(
                f"{spec} is not what it was when {folder.path} was begun: its files have changed; "
                f"give another --out"
            )
        folder.update_model(
            name,
            string=str(spec),
            folder=safe_name(name),
            key=dict(key.fields),
            digest=key.digest,
            status="running",
        )

    def keep(plan: Plan) -> None:
        if folder is not None:
            folder.update_model(name, plan=plan.to_dict())

    if traits_of(spec).precomputed:
        table = load(spec)
        assert isinstance(table, PrecomputedScores)
        if folder is not None:
            folder.update_model(name, status="finished", texts=len(set(texts)), computed=0)
        return LookedUp(table, texts), None
    began = time.monotonic()
    scored = score_texts(
        spec,
        texts,
        store,
        boundary=boundary,
        options=options,
        saved=SavedPlan(saved, keep),
        progress=lambda done, total: watch(name, done, total),
    )
    _warn_if_absurd(name, scored)
    if folder is not None:
        changes: dict[str, Any] = {
            "status": "finished",
            "texts": len(scored.scores),
            "computed": scored.computed,
            "seconds": round(time.monotonic() - began, 2),
        }
        if scored.notes:
            changes["notes"] = scored.notes
        folder.update_model(name, **changes)
    return scored.scores, scored.model


def _saved_plan(folder: RunFolder | None, name: str) -> Plan | None:
    if folder is None:
        return None
    known = folder.read()["models"].get(name, {}).get("plan")
    return Plan.from_dict(known) if known else None


def _models(
    models: str | ModelSpec | LanguageModel | Sequence[str | ModelSpec | LanguageModel],
    revisions: str | None,
) -> list[ModelSpec]:
    listed = as_list(models)
    if not listed:
        raise UsageError("name at least one model, as smollm2, hf:gpt2 or a folder")
    if revisions is None:
        return [parse_model(m) for m in listed]
    return [spec for m in listed for spec in expand_revisions(m, revisions)]


def read_data(
    on: str | Dataset | Sequence[str | Dataset],
    limit: int | None,
    good: str | None,
    bad: str | None,
) -> list[Dataset]:
    """The data sets that are asked for, under names of their own."""
    listed = [on] if isinstance(on, str | Dataset) else list(on)
    if not listed:
        raise UsageError("name at least one data set: --on blimp:DIR or --on pairs:FILE")
    data = [
        d if isinstance(d, Dataset) else read_dataset(d, PairColumns(good, bad), limit=limit)
        for d in listed
    ]
    names = [safe_name(d.name) for d in data]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise UsageError(f"two data sets are called {twice[0]!r}; rename a file or folder")
    return data


def describe(data: Dataset) -> dict[str, Any]:
    """What `run.json` says of a data set."""
    return {
        "spec": data.spec,
        "levels": list(data.taxonomy_levels),
        "sets": {
            s.name: {
                "n": len(s),
                "hash": s.content_hash[:16],
                "taxonomy": list(s.taxonomy),
                "reference": s.reference,
            }
            for s in data.sets
        },
    }


def _named(specs: Iterable[ModelSpec]) -> list[tuple[ModelSpec, str]]:
    """Each model with a name of its own: its label, told apart by its key where two are alike."""
    specs = list(dict.fromkeys(specs))
    folders = [safe_name(s.label) for s in specs]
    named = {
        s.label if folders.count(folder) == 1 else f"{s.label}-{model_key(s).digest[:6]}": s
        for s, folder in zip(specs, folders, strict=True)
    }
    return [(s, name) for name, s in named.items()]


def _warn_if_absurd(name: str, scored: ScoredTexts) -> None:
    """A model that does worse than a uniform guess is probably fed the wrong way."""
    vocabulary = int(scored.notes.get("vocabulary", 0))
    mean = mean_surprisal(scored.scores.values())
    if vocabulary and mean > math.log(vocabulary):
        warnings.warn(
            f"{name}: mean surprisal is {mean / math.log(2):.1f} bits a token, worse than guessing "
            f"among its {vocabulary} tokens; check the tokenizer and the BOS policy (?bos=…)",
            PriscianWarning,
            stacklevel=2,
        )


def mean_surprisal(scores: Iterable[TokenScores]) -> float:
    """Nats a token, over all tokens that were scored."""
    logps = [p for s in scores for p in s.logps if p == p]
    return -math.fsum(logps) / len(logps) if logps else 0.0
