"""`priscian corpus`: nested subsets of a corpus, with dev and test parts that all sizes share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.cli.screen import Progress
from priscian.cli.screen import out as screen
from priscian.training.subsets import write_corpus


def corpus_command(
    *files: Path,
    sizes: str,
    out: Path,
    order_seed: int = 1,
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Make nested subsets of a text for training, and describe them.

    Dev (1,500 sentences) and test (3,000) are cut off first and are the same for every size and
    seed. Sizes count Penn Treebank tokens; each is the beginning of the next.

    Examples:
      priscian corpus books.txt.xz --sizes 250k,1M,4M --out corpus
      priscian train lstm --corpus corpus/train-1M.txt --epochs 6 --out my-lstm

    Parameters
    ----------
    files
        Text files, one paragraph per line; plain, .gz or .xz.
    sizes
        Tokens in each subset, separated by commas: 250k,1M,4M.
    out
        A new or empty folder.
    order_seed
        Seed of the choice of paragraphs.
    quiet
        No progress bar.
    """
    from rich.table import Table

    with Progress(quiet) as progress:
        facts = write_corpus(
            files,
            [size for size in sizes.split(",") if size.strip()],
            out,
            order_seed=order_seed,
            progress=lambda done, total: progress("reading", done, total),
        )
    table = Table(title=str(out), title_justify="left")
    table.add_column("part")
    for name in ("sentences", "tokens", "types", "in vocabulary", "UNK classes"):
        table.add_column(name, justify="right")
    for name, part in facts.items():
        numbers = (part.sentences, part.tokens, part.types, part.known_types, part.unk_types)
        table.add_row(name, *(f"{number:,}" for number in numbers))
    screen().print(table)
