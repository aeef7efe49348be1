"""`priscian score`: score models on data sets and write a run folder."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, get_type_hints

from cyclopts import Parameter, Token

from priscian.cli.edge import complain
from priscian.datasets import PairColumns
from priscian.errors import DataError, UsageError, counted
from priscian.files import shown, whole_number
from priscian.models import ModelSpec
from priscian.runs.options import ScoreOptions, SuiteOptions
from priscian.runs.result import Run
from priscian.scoring import Options, Shard

FLAT = Parameter(name="*")


def _number(of: object, tokens: Sequence[Token]) -> int | None:
    """A whole number from 1; None for `auto`."""
    (token,) = tokens
    number = whole_number(token.value)
    if token.value != "auto" and not number:
        raise UsageError(
            f"{token.keyword} takes a whole number from 1, or auto; not {shown(token.value)}"
        )
    return number if token.value != "auto" else None


def _executor(of: object, tokens: Sequence[Token]) -> str | None:
    return None if tokens[0].value == "auto" else tokens[0].value


def _spell(record: type, **fields: Parameter) -> None:
    """Say how some fields of a record are given as options; the others are given otherwise."""
    hints = get_type_hints(record)
    for name, hint in hints.items():
        record.__annotations__[name] = Annotated[hint, fields.get(name, Parameter(parse=False))]
    FLAT(record)


_spell(PairColumns, good=Parameter(), bad=Parameter(), group=Parameter())
_spell(
    Options,
    batch_tokens=Parameter(alias="--batch_tokens", converter=_number),
    workers=Parameter(converter=_number),
    threads=Parameter(converter=_number),
    shard=Parameter(
        converter=lambda of, tokens: Shard.parse(tokens[0].value), accepts_keys=False, n_tokens=1
    ),
    executor=Parameter(converter=_executor),
)
FLAT(SuiteOptions)
ScoreOptions.__annotations__["tokens"] = Annotated[bool, Parameter(negative="--no-tokens")]


@dataclass(frozen=True, slots=True)
class ScoreInput:
    """What is scored besides the models.

    `from_scores` are existing scores.
    """

    n: Annotated[int | None, Parameter(name=("--n", "-n"))] = None
    """The same as --limit."""
    from_scores: Path | None = None
    """Instead of models: a table with id or sentence and one column of scores per model."""


@dataclass(frozen=True, slots=True)
class Running:
    """Options of every model string, and models in the form of lm-evaluation-harness."""

    bos: str | None = None
    """Token that opens a text: auto, none, a token or an id."""
    dtype: str | None = None
    """float32 (default), bfloat16, float16 or auto."""
    device: str | None = None
    """cpu, cuda, mps or auto (default)."""
    model: str | None = None
    """As in lm-evaluation-harness: hf, with --model-args."""
    model_args: Annotated[str, Parameter(alias="--model_args")] = ""
    """As in lm-evaluation-harness: pretrained=ID,revision=REV,dtype=TYPE."""


@dataclass(frozen=True, slots=True)
class ScoreOutput:
    """What is printed."""

    json: Annotated[bool, Parameter(negative="")] = False
    """Print the summaries as JSON."""
    quiet: Annotated[bool, Parameter(negative="")] = False
    """No progress bar, no table."""
    log_samples: Annotated[bool, Parameter(alias="--log_samples", negative="", show=False)] = False
    """Accepted and ignored: items are always kept."""


GIVEN, RUNNING, SHOWN, OPTIONS = ScoreInput(), Running(), ScoreOutput(), ScoreOptions()


def score_command(
    *models: str,
    on: Annotated[list[str], Parameter(alias="--tasks", negative="", consume_multiple=False)],
    out: Annotated[Path | None, Parameter(alias=("--output-path", "--output_path"))] = None,
    resume: Annotated[bool, Parameter(negative="")] = False,
    options: Annotated[ScoreOptions, FLAT] = OPTIONS,
    given: Annotated[ScoreInput, FLAT] = GIVEN,
    running: Annotated[Running, FLAT] = RUNNING,
    shown: Annotated[ScoreOutput, FLAT] = SHOWN,
) -> None:
    """Score models on minimal pairs or suites and write a run folder.

    Scores are kept in a store: nothing is ever computed twice, and a run that was killed continues
    with --resume where it stopped.

    Examples:
      priscian score smollm2 --on blimp:data/blimp
      priscian score hf:gpt2 mlm:bert-base-cased --on blimp:data --on pairs:mine.csv --out runs/two
      priscian score builtin:lstm --on generated:7 --only wh_island --n 50
      priscian score EleutherAI/pythia-70m --revisions 'step*' --on blimp:data --limit 100
      priscian score smollm2 --on li-adger:data/li_adger --measure slor --unigram ngram:words.pngm
      priscian score smollm2 --on sg --on sg:syntaxgym/ --suites 31
      priscian score surprisals:reading.tsv --on sg:syntaxgym/npz_ambig.json
      priscian score smollm2 --on blimp:data --out runs/a --shard 3/8
      priscian score smollm2 --on blimp:data --executor ray:10.0.0.1:6379

    Parameters
    ----------
    models
        Model strings, provider:id@revision?option=value; a bare name or folder is hf:.
    on
        Data sets: blimp:PATH, pairs:FILE, sg, sg:PATH, li-adger:DIR, graded:FILE, or a path.
        Repeat for several.
    out
        Run folder to create; by default runs/ followed by the date and time.
    resume
        Continue the run in --out.
    """
    options = complete_options(options, given)
    if given.from_scores is not None:
        from priscian.runs import score_table

        if models:
            raise UsageError(f"--from-scores takes no model: leave out {models[0]!r}")
        tell(score_table(given.from_scores, on, out=out, options=options), shown)
        return
    from priscian.cli.screen import Progress
    from priscian.runs import score

    if resume and out is None:
        raise UsageError("--resume needs --out RUN, the folder of the run to continue")
    if options.compute.shard and out is None:
        raise UsageError("--shard needs --out RUN, the folder that all shards of a run share")
    specs = name_specs(models, running)
    out = out or Path("runs") / time.strftime("%Y%m%d-%H%M%S")
    with Progress(shown.quiet) as progress:
        run = score(specs, on, out=out, resume=resume, options=options, watch=progress)
    shard = options.compute.shard
    if not shard:
        tell(run, shown)
    elif not shown.quiet:
        texts = sum(facts.texts or 0 for facts in run.info.models.values())
        print(f"Shard {shard} of {run.path}: {counted(texts, 'text')} scored.")
        print(f"When all {shard.count} are there: priscian merge {shlex.quote(str(run.path))}")


def complete_options(options: ScoreOptions, given: ScoreInput) -> ScoreOptions:
    """The options, with -n for --limit."""
    if None not in (options.limit, given.n) and options.limit != given.n:
        raise UsageError(
            f"--limit {options.limit} and --n {given.n} are the same option; give one of them"
        )
    return replace(options, limit=given.n if options.limit is None else options.limit)


def name_specs(models: Sequence[str], running: Running) -> list[ModelSpec]:
    """The models with their options; one may be in the form of lm-evaluation-harness."""
    from priscian.models import parse_model, traits_of

    named = list(models)
    if running.model_args:
        named.append(_harness_model(running.model or "hf", running.model_args))
    elif running.model:
        named.append(running.model)
    return [
        spec.with_options(
            dtype=running.dtype,
            device=running.device,
            bos=running.bos if running.bos and "bos" in traits_of(spec).options else None,
        )
        for spec in map(parse_model, named)
    ]


def tell(run: Run, shown: ScoreOutput) -> None:
    """Print a run, as a table or as JSON; what failed is an error."""
    if shown.json:
        print(json.dumps([r.summary.to_dict() for r in run.results], ensure_ascii=False))
    elif not shown.quiet:
        from priscian.cli.tables import print_run

        print_run(run)
    if run.failures:
        for line in run.failures[:-1]:
            complain(" ".join(line.split()))
        raise DataError(run.failures[-1])


def _harness_model(provider: str, arguments: str) -> str:
    """`hf` and `pretrained=ID,revision=REV,dtype=TYPE` as a model string."""
    parts = dict(part.partition("=")[::2] for part in arguments.split(",") if part)
    if "pretrained" not in parts:
        raise UsageError("--model-args needs pretrained=ID")
    name = parts.pop("pretrained")
    revision = parts.pop("revision", "")
    if parts.pop("trust_remote_code", "").lower() == "true":
        parts["remote_code"] = "yes"
    query = "&".join(f"{key}={value}" for key, value in parts.items())
    return (
        f"{provider}:{name}" + (f"@{revision}" if revision else "") + (f"?{query}" if query else "")
    )
