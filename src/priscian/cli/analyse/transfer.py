"""`priscian analyse transfer`: classifiers trained on some phenomena and tested on others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from priscian.cli.output import FLAT, Output, print_result
from priscian.errors import RunError, UsageError
from priscian.files import check_folder, shown, whole_number


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class States:
    """Which hidden states the probes read.

    Parameters
    ----------
    encoder
        minilm, smollm2, hf:ID, mlm:ID or the folder of a Transformers model; with --probe that of
        the probe.
    probe
        Folder of a probe that priscian train classifier has trained on CoLA: its encoder, layer,
        pooling and penalty are used.
    layer
        Without --probe: the layer, 0 for the embeddings.
    pooling
        Without --probe: cls, last, mean or max.
    c
        Inverse penalty of the regression; by default that of --probe, else 0.01.
    """

    encoder: str = ""
    probe: Path | None = None
    layer: int | None = None
    pooling: str = ""
    c: float | None = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Design:
    """How many pairs, from which seeds.

    Parameters
    ----------
    pairs
        Training pairs of each paradigm.
    test_pairs
        Test pairs of each paradigm, once with the same words and once with others.
    seed
        Seed of the training pairs and of what is drawn from them.
    test_seed
        Seed of the test pairs.
    draws
        How often pairs of equal sizes and shuffled labels are drawn.
    sizes
        Points of the size curve, separated by commas: training pairs of each paradigm.
    only
        Paradigms to use, by default BLiMP's 67; may be repeated.
    model
        Language model whose own choices on the test pairs are shown, by default the encoder if it
        is one; none for none.
    """

    pairs: int = 200
    test_pairs: int = 100
    seed: int = 1
    test_seed: int = 2
    draws: int = 5
    sizes: str = "10,25,50,100"
    only: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None
    model: str = ""


DEFAULT_STATES, DEFAULT_DESIGN = States(), Design()


def transfer_command(
    saved: Path | None = None,
    /,
    *,
    states: States = DEFAULT_STATES,
    design: Design = DEFAULT_DESIGN,
    out: Path | None = None,
    format_: Annotated[Literal["text", "md", "tex"], Parameter(name="--format")] = "text",
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Does a classifier that has learned some phenomena know others? Train on some, test on others.

    A probe, a logistic regression on frozen hidden states, learns to tell the good sentences of
    freshly generated pairs from the bad ones. It is trained on one phenomenon and tested on each
    (12 × 12 cells), trained on all phenomena but one and on all paradigms but one, and trained on
    fewer pairs. A cell is the share of test pairs whose good sentence gets the higher logit.

    A high cell alone does not show that grammar is shared, so these stand beside it: a bag of
    n-grams on the same pairs; probes with shuffled labels; test pairs that share no content word
    with training (other words); equally many pairs of every training phenomenon (equal sizes); and
    how often the model itself, untrained, finds the good sentence more probable.

    Hidden states and log-probabilities are kept and not computed again if a stopped analysis is run
    once more; its classifiers are trained again. With --out the result is saved, and shown again,
    drawn or reported without computing.

    Examples:
      priscian train classifier --encoder smollm2 --on cola:DIR --out smollm2-probe
      priscian analyse transfer --probe smollm2-probe --out results/transfer
      priscian analyse transfer results/transfer --figures pictures
      priscian report runs/two results/transfer --out report.html
      priscian analyse transfer --encoder minilm --layer 3 --pooling mean --pairs 20

    Parameters
    ----------
    saved
        Folder of a saved analysis to show; nothing is trained.
    out
        Folder to save the result in, as transfer.json.
    format_
        text, md or tex.
    quiet
        No progress.
    """
    from priscian import TransferSettings, analyse
    from priscian.cli.screen import Progress
    from priscian.reporting import markdown_tables, tex_tables

    if saved is not None:
        if states != DEFAULT_STATES or design != DEFAULT_DESIGN or out is not None:
            raise UsageError(
                f"{saved} is a saved analysis to show; leave the options of a new one out"
            )
        found = analyse.transfer(saved)
    else:
        if out is not None and (out / "transfer.json").exists():
            raise RunError(
                f"{out} has a transfer analysis; show it with priscian analyse transfer {out}, or "
                "give another --out"
            )
        if out is not None:
            check_folder(out)
        settings = TransferSettings(
            encoder=states.encoder,
            probe=states.probe or "",
            layer=states.layer,
            pooling=states.pooling,
            c=states.c,
            pairs=design.pairs,
            test_pairs=design.test_pairs,
            seed=design.seed,
            test_seed=design.test_seed,
            draws=design.draws,
            sizes=_sizes(design.sizes),
            only=tuple(design.only or ()),
            model=design.model,
        )
        with Progress(quiet, unit="") as progress:
            found = analyse.transfer(settings, watch=progress)
    try:
        if out is not None:
            found.save(out)
    finally:  # a disk that is full by now costs the file, not the tables
        if format_ == "text" or output.json:
            print_result(found, output)
        else:
            if output.figures is not None:
                found.write_figures(output.figures)
            made = markdown_tables if format_ == "md" else tex_tables
            print(made([], found.tables()), end="")
    if out is not None and not output.json:
        print(f"Saved in {out}")


def _sizes(text: str) -> tuple[int, ...]:
    sizes = {whole_number(part.strip()) for part in text.split(",") if part.strip()}
    known = {size for size in sizes if size is not None}
    if known != sizes:
        raise UsageError(f"--sizes takes whole numbers separated by commas, not {shown(text)}")
    return tuple(sorted(known))
