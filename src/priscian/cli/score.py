"""`priscian score`: models on data sets, into a run folder."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.errors import DataError, UsageError

if TYPE_CHECKING:
    from priscian.runs import Run


def score_command(
    *models: str,
    on: Annotated[list[str], Parameter(alias="--tasks", negative="", consume_multiple=False)],
    out: Annotated[Path | None, Parameter(alias=("--output-path", "--output_path"))] = None,
    resume: Annotated[bool, Parameter(negative="")] = False,
    limit: int | None = None,
    good: str | None = None,
    bad: str | None = None,
    measure: str = "surprisal",
    unigram: str | None = None,
    tie: str = "wrong",
    seed: int = 0,
    revisions: str | None = None,
    predictions: str = "first",
    eos: str = "exclude",
    punctuation: str = "auto",
    suites: str | None = None,
    boundary: str = "plain",
    bos: str | None = None,
    dtype: str | None = None,
    device: str | None = None,
    batch_tokens: Annotated[str, Parameter(alias="--batch_tokens")] = "auto",
    workers: str = "auto",
    model: str | None = None,
    model_args: Annotated[str, Parameter(alias="--model_args")] = "",
    from_scores: Path | None = None,
    log_samples: Annotated[bool, Parameter(alias="--log_samples", negative="", show=False)] = False,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Score models on minimal pairs or suites and write a run folder.

    Scores are kept in a store: nothing is ever computed twice, and a run that was killed goes on
    with --resume where it stopped.

    Examples:
      priscian score smollm2 --on blimp:data/blimp
      priscian score hf:gpt2 mlm:bert-base-cased --on blimp:data --on pairs:mine.csv --out runs/two
      priscian score EleutherAI/pythia-70m --revisions 'step*' --on blimp:data --limit 100
      priscian score smollm2 --on li-adger:data/li_adger --measure slor --unigram ngram:words.pngm
      priscian score smollm2 --on sg --on sg:syntaxgym/ --suites 31
      priscian score surprisals:reading.tsv --on sg:syntaxgym/npz_ambig.json

    Parameters
    ----------
    models
        Model strings, provider:id@revision?option=value; a bare name or folder is hf:.
    on
        Data sets: blimp:PATH, pairs:FILE, sg, sg:PATH, li-adger:DIR, graded:FILE, or a path.
        Repeat for several.
    out
        Run folder to make; by default runs/ and the date and time.
    resume
        Go on with the run in --out.
    limit
        Only the first N items of each paradigm.
    good
        Column of the acceptable sentence (pairs).
    bad
        Column of the unacceptable sentence (pairs).
    measure
        surprisal, surprisal_per_token, surprisal_per_char, mean_lp, pen_lp, norm_lp or slor.
    unigram
        For slor and norm_lp: the n-gram model whose unigrams tell how frequent words are;
        builtin:ngram unless told.
    tie
        What a tie counts: wrong (or fail), half, random or vote:N.
    seed
        For random ties.
    revisions
        Score every revision, or checkpoint folder, that matches: 'step*'.
    predictions
        Suites: first counts a suite's first formula, as Hu et al. (2020); all counts every one.
    eos
        Suites: exclude the end of the text, or last-region to count it there.
    punctuation
        Suites: attached, detached, or auto (detached for n-gram models).
    suites
        Suites: only 31 (the paper's figures), 33 (the six circuits), 34 or ours.
    boundary
        Suites: plain sums over pieces, or corrected, so that a word's probability has its own end
        in it and not the leading space of its first piece (causal models of hf:).
    bos
        Token that opens a text: auto, none, a token or an id.
    dtype
        float32 (default), bfloat16, float16 or auto.
    device
        cpu, cuda, mps or auto (default).
    batch_tokens
        Tokens in a batch, or auto.
    workers
        Processes on the CPU, or auto.
    model
        As in lm-evaluation-harness: hf, with --model-args.
    model_args
        As in lm-evaluation-harness: pretrained=ID,revision=REV,dtype=TYPE.
    from_scores
        Instead of models: a table of scores computed elsewhere, with a column id or sentence and a
        column for each model (higher is better).
    log_samples
        Accepted and ignored: items are always kept.
    json_
        Print the summaries as JSON.
    quiet
        No progress bar, no table.
    """
    if from_scores is not None:
        if measure != "surprisal" or unigram is not None:
            raise UsageError("--from-scores takes scores as they are; leave --measure out")
        _score_table(from_scores, models, on, out, limit, good, bad, tie, seed, json_, quiet)
        return
    from priscian.cli.screen import Progress
    from priscian.models import parse_model, traits_of
    from priscian.runs import SuiteOptions, score
    from priscian.scoring import Options

    options = Options(
        batch_tokens=_number("--batch-tokens", batch_tokens), workers=_number("--workers", workers)
    )
    if resume and out is None:
        raise UsageError("--resume needs --out RUN, the folder of the run to go on with")
    named = [*models, *([_harness_model(model or "hf", model_args)] if model_args else [])]
    if model and not model_args:
        named.append(model)
    specs = [parse_model(m) for m in named]
    specs = [
        s.with_options(
            dtype=dtype, device=device, bos=bos if "bos" in traits_of(s).options else None
        )
        for s in specs
    ]
    out = out or Path("runs") / time.strftime("%Y%m%d-%H%M%S")
    with Progress(quiet) as progress:
        run = score(
            specs,
            on,
            out=out,
            resume=resume,
            limit=limit,
            good=good,
            bad=bad,
            measure=measure,
            unigram=unigram,
            tie="wrong" if tie == "fail" else tie,
            seed=seed,
            revisions=revisions,
            suites=SuiteOptions(predictions, eos, punctuation, suites, boundary),
            options=options,
            watch=progress,
        )
    _tell(run, json_, quiet)


def _score_table(
    table: Path,
    models: Sequence[str],
    on: list[str],
    out: Path | None,
    limit: int | None,
    good: str | None,
    bad: str | None,
    tie: str,
    seed: int,
    json_: bool,
    quiet: bool,
) -> None:
    from priscian.runs.from_scores import score_table

    if models:
        raise UsageError(f"--from-scores takes no model: leave out {models[0]!r}")
    run = score_table(table, on, out=out, limit=limit, good=good, bad=bad, tie=tie, seed=seed)
    _tell(run, json_, quiet)


def _tell(run: Run, json_: bool, quiet: bool) -> None:
    if json_:
        print(json.dumps([r.summary for r in run.results], ensure_ascii=False))
    elif not quiet:
        from priscian.cli.tables.run import print_run

        print_run(run)
    if run.failures:
        for line in run.failures[:-1]:
            print(f"priscian: {' '.join(line.split())}", file=sys.stderr)
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


def _number(name: str, text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"{name} takes a whole number from 1, or auto; not {text!r}")
    return int(text)
