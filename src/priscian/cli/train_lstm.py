"""`priscian train lstm`: a recurrent model from plain text, which then runs without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.errors import ModelError, UsageError
from priscian.models.hf import INSTALL


def train_lstm_command(
    *,
    corpus: Annotated[list[Path], Parameter(consume_multiple=True, negative="")],
    out: Path,
    extra: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None,
    work: Path | None = None,
    vocabulary: int = 20_000,
    width: int = 256,
    hidden: int = 320,
    seconds: float = 3600.0,
    steps: int = 1_000_000,
    rate: float = 3e-3,
    seed: int = 1,
    threads: int = 1,
    resume: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Train a 2-layer LSTM on sentences; it ends after --seconds or --steps.

    The learning rate follows the wall clock: it falls to zero at the end of the given time, on
    fast and slow machines alike. So two runs with the same seed and steps end with different
    models; --seed fixes the first weights and the order of sentences only.
    A checkpoint is kept every five minutes; --resume goes on from the last one.

    Examples:
      priscian train lstm --corpus books.txt --extra everyday.txt --seconds 5000 --out my.plstm
      priscian score lstm:my.plstm --on blimp:DIR --out runs/mine

    Parameters
    ----------
    corpus
        Plain text, one paragraph per line; .gz and .xz too. One paragraph in 100 is held out.
    out
        The model file to write.
    extra
        Text with short sentences that is seen more often, above all in the last fifth.
    work
        Where checkpoint, pieces and log are kept; OUT with .training after it by default.
    vocabulary
        Tokens: words, and pieces of rarer words.
    width
        Of the embeddings of the commonest tokens; rarer ones have a half and a quarter of it.
    hidden
        Units of each layer.
    seconds
        Wall time to train for, over all resumptions.
    steps
        Batches of about 1,024 tokens to train on at most.
    rate
        The highest learning rate.
    seed
        Of the first weights and the order of sentences; not enough to repeat a training.
    threads
        Threads of torch.
    resume
        Go on with the training in the work folder.
    """
    if min(vocabulary, width, hidden, steps, threads) < 1 or seconds <= 0 or rate <= 0:
        raise UsageError("sizes, steps, seconds, rate and threads are greater than 0")
    try:
        from priscian.training.lstm.job import Settings, train
    except ImportError:
        raise ModelError(f"training needs torch: {INSTALL}") from None
    from priscian.training.lstm.loop import Schedule

    schedule = Schedule(seconds=seconds, steps=steps, rate=rate, seed=seed, threads=threads)
    folder = work or out.with_name(out.name + ".training")
    settings = Settings(vocabulary, width, hidden, schedule)
    card = train(corpus, extra or [], settings, folder, out, resume=resume, report=print)
    print(f"{out}: held-out perplexity {card['perplexity per word']} a word; use it as lstm:{out}")
