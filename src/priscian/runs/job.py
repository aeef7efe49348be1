"""Score models on data sets: the whole job, from strings to results and a run folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from msgspec import structs

from priscian.datasets import Dataset, read_dataset
from priscian.datasets.graded_read import read_scores
from priscian.errors import UsageError
from priscian.files import file_names, name_files
from priscian.formulas import print_formula
from priscian.models import (
    LanguageModel,
    ModelSpec,
    as_list,
    expand_revisions,
    parse_model,
    resolve,
)
from priscian.records import Text
from priscian.runs.facts import DataFacts, Request, SetFacts, UnigramModel
from priscian.runs.kinds.registry import find_kind
from priscian.runs.options import ScoreOptions, choose_sets, name_generated
from priscian.runs.record import OWN, Record
from priscian.runs.result import Run
from priscian.runs.shards import score_shard
from priscian.runs.sources import ScoreSource, look_up_sentences, score_unigrams, unigram_spec
from priscian.runs.work import RunWork, Watch
from priscian.scoring import ScoreStore

Models = str | ModelSpec | LanguageModel | Sequence[str | ModelSpec | LanguageModel]


HASH = 16
"""Hexadecimal digits of a set's hash in `run.json`."""


def score(
    models: Models,
    on: str | Dataset | Sequence[str | Dataset],
    *,
    out: str | Path | None = None,
    resume: bool = False,
    options: ScoreOptions | None = None,
    store: ScoreStore | None = None,
    watch: Watch | None = None,
    **settings: Any,
) -> Run:
    """Score models on data sets: minimal pairs, suites, graded or labelled sentences.

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,5", only="wh_island")
    >>> run                                                               # doctest: +ELLIPSIS
    <Run: 1 result, finished>
      <Result builtin:ngram on generated-7,5 (pairs): ... % (...), n = 5, 1 paradigm>
    >>> result = run["builtin:ngram", "generated-7,5"]
    >>> 0 <= result.overall <= 1
    True
    >>> result.summary.methods["full"].paradigms["wh_island"].n
    5
    >>> result.frame().columns[:6]
    ['model', 'data', 'field', 'phenomenon', 'set', 'item']

    `score(["gpt2", "mlm:bert-base-cased"], ["blimp:data", "sg"], out="runs/two")` writes a run
    folder with four results, which `load_run` reads back.

    models
        Model strings `provider:id@revision?option=value`, such as `"hf:gpt2"` or `"builtin:lstm"`,
        or objects with a method `score(texts)`.
    on
        Data strings, such as `"blimp:DIR"`, `"pairs:FILE"`, `"sg"`, `"graded:FILE"`, or data sets
        that were read with `read_dataset`.
    out
        Folder for the run. Scores are kept in a store in any case: nothing is computed twice.
        With `resume` an earlier run in it is continued, if it was made with the same settings.
    options
        A `ScoreOptions`. Each of its fields may also be given by name: `limit` (items of each
        set), `only` (names or patterns of sets), `measure`, `unigram`, `tie`, `seed`, `revisions`,
        `suites` (a `SuiteOptions`), `columns` (a `PairColumns`), `compute` (an `Options`); and
        `good`, `bad` and `group`, columns of a table of pairs; `shard` and `executor`.
        With `shard=(3, 8)` only the third of eight parts is computed, into `out`; `merge(out)`
        makes the run when all parts are there. `executor="ray"` computes on a Ray cluster.
    store, watch
        Where scores are kept, by default the user's store; and a function that is called with
        the model's name, texts done and texts in all.
    """
    work = set_up(models, on, (options or ScoreOptions()).updated(settings))
    if work.options.compute.shard is not None:
        if out is None or store is not None:
            raise UsageError("a shard needs `out=RUN`, where it keeps its own store")
        return score_shard(work, Path(out), watch)
    place = Path(out) if out is not None else None
    return work.run(Record.begin(work.request, place, resume=resume), store, watch)


def set_up(
    models: Models, on: str | Dataset | Sequence[str | Dataset], options: ScoreOptions
) -> RunWork:
    """Everything that is needed to score, checked; nothing is computed or written yet."""
    unigram = unigram_spec(options.measure, options.unigram)
    # a model that `load_model` returned stands for its spec
    given = [
        spec if isinstance(spec := getattr(m, "spec", m), ModelSpec) else m for m in as_list(models)
    ]
    if not given:
        raise UsageError("name at least one model, such as smollm2, hf:gpt2 or a folder")
    if options.revisions is None:
        specs = [m if isinstance(m, ModelSpec) else parse_model(m) for m in given]
    else:
        specs = [spec for m in given for spec in expand_revisions(m, options.revisions)]
    data = read_data(on, options)
    sources = name_models(specs)
    check(sources, data, options)
    request = describe_request(sources, data, options)
    if unigram is None:
        return RunWork(request, sources, data, options)
    known = resolve(unigram)
    facts = UnigramModel(model=str(unigram), digest=known.key.digest)
    request = structs.replace(request, unigram=facts)
    is_part = options.compute.shard is not None
    found = None if is_part else score_unigrams(known, texts_of(data))
    return RunWork(request, sources, data, options, found)


def score_table(
    table: str | Path,
    on: str | Dataset | Sequence[str | Dataset],
    *,
    out: str | Path | None = None,
    options: ScoreOptions | None = None,
    **settings: Any,
) -> Run:
    """Judge data sets by scores that were computed elsewhere; no model is needed.

    The table has a column `id` or `sentence` and a column for each model, higher being better.
    """
    options = (options or ScoreOptions()).updated(settings)
    if options.measure != "surprisal" or options.unigram is not None:
        raise UsageError("`from_scores=` takes scores as they are; leave `measure=` out")
    data = read_data(on, options)
    columns = read_scores(table)
    folders = name_files({column.name: column.name for column in columns}, taken=OWN)
    sources = [ScoreSource(c.name, folders[c.name], f"{c.source}:{c.name}") for c in columns]
    check(sources, data, options)
    sources = [
        replace(source, table=look_up_sentences(column, data))
        for source, column in zip(sources, columns, strict=True)
    ]
    request = describe_request(sources, data, options)
    request = structs.replace(request, measure="score", from_scores=Path(table).name)
    record = Record.begin(request, Path(out) if out else None)
    with ScoreStore() as unused:
        return RunWork(request, sources, data, options).run(record, unused)


def check(sources: Sequence[ScoreSource], data: Sequence[Dataset], options: ScoreOptions) -> None:
    """Refuse invalid options, before anything is written."""
    for d in data:
        find_kind(d.kind).check(d, sources, options)
    if options.suites.boundary != "plain" and all(d.kind != "suites" for d in data):
        raise UsageError("`boundary=corrected` is for regions of suites: `on=sg` or `on=sg:PATH`")
    for source in sources:
        if source.measure is not None and options.measure != "surprisal":
            raise UsageError(
                f"{source.name} gives one number for a whole sentence, so there is no "
                f"{options.measure} of it; leave out `measure=`, or the model"
            )


def texts_of(data: Iterable[Dataset]) -> list[Text]:
    """Every sentence of some data sets, unchanged."""
    return [Text(s.text, s.context) for d in data for sets in d.sets for s in sets.sentences()]


def read_data(on: str | Dataset | Sequence[str | Dataset], options: ScoreOptions) -> list[Dataset]:
    """The requested data sets, under unique names."""
    listed = [on] if isinstance(on, str | Dataset) else list(on)
    if not listed:
        raise UsageError("name at least one data set: `on=blimp:DIR` or `on=pairs:FILE`")
    data = []
    for d in listed:
        if isinstance(d, str):
            d = read_dataset(name_generated(d, options), options.columns, limit=options.limit)
        data.append(find_kind(d.kind).select(choose_sets(d, options.only), options))
    names = [d.name for d in data]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise UsageError(f"two data sets are called {twice[0]!r}; rename a file or folder")
    return data


def describe_request(
    sources: Sequence[ScoreSource], data: Sequence[Dataset], options: ScoreOptions
) -> Request:
    """The request, as `run.json` records it."""
    folders = file_names(d.name for d in data)
    return Request(
        models=tuple(s.string for s in sources),
        data={d.name: describe_data(d, folders[d.name]) for d in data},
        limit=options.limit,
        only=tuple(options.only),
        measure=options.measure,
        tie=options.tie,
        seed=options.seed,
        sg=options.suites if any(d.kind == "suites" for d in data) else None,
    )


def describe_data(data: Dataset, folder: str) -> DataFacts:
    """A data set, as `run.json` records it; of suites also regions and formulas."""
    sets = {}
    for s in data.sets:
        regions: Sequence[str] = ()
        formulas: list[str] = []
        if data.kind == "suites":
            regions = cast(tuple[str, ...], s.meta.get("region_names", ()))
            formulas = [print_formula(contrast.expression) for contrast in s.contrasts]
        sets[s.name] = SetFacts(
            n=len(s),
            hash=s.content_hash[:HASH],
            taxonomy=s.taxonomy,
            reference=s.reference,
            licence=s.licence,
            regions=tuple(regions),
            formulas=tuple(formulas),
        )
    return DataFacts(
        spec=data.spec,
        kind=data.kind,
        folder=folder,
        levels=data.taxonomy_levels,
        refused=data.refused,
        sets=sets,
    )


def name_models(specs: Iterable[ModelSpec]) -> list[ScoreSource]:
    """Each model under its label; equal labels are made different by the models' keys."""
    specs = list(dict.fromkeys(specs))
    labels = [s.label for s in specs]
    named = {}
    for model in map(resolve, specs):
        unique = labels.count(model.label) == 1
        named[model.label if unique else f"{model.label}-{model.key.digest[:6]}"] = model
    folders = name_files({name: name for name in named}, taken=OWN)
    return [ScoreSource(name, folders[name], str(model), model) for name, model in named.items()]
