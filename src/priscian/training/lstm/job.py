"""A whole training: prepare, train or resume, measure, export."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import UsageError
from priscian.training.lstm.export import export, restore
from priscian.training.lstm.loop import Schedule, Trainer, perplexity
from priscian.training.lstm.network import Shape
from priscian.training.lstm.prepare import Corpus, prepare

HEAD, MIDDLE = 0.1, 0.4
"""Shares of the vocabulary where the head and the middle band of the softmax end."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is trained, and how."""

    vocabulary: int
    width: int
    hidden: int
    schedule: Schedule

    def shape(self, tokens: int) -> Shape:
        """The network's sizes, for as many tokens as were learnt."""
        cutoffs = (int(self.vocabulary * HEAD), int(self.vocabulary * MIDDLE), tokens)
        widths = (self.width, max(1, self.width // 2), max(1, self.width // 4))
        return Shape(cutoffs, widths, self.hidden)


def train(
    corpus: Sequence[Path],
    extra: Sequence[Path],
    settings: Settings,
    folder: Path,
    out: Path,
    *,
    resume: bool,
    report: Callable[[str], None],
) -> dict[str, str]:
    """Train and export; the model's card."""
    if not resume and (folder / "checkpoint.pt").exists():
        raise UsageError(f"{folder} holds a training; go on with --resume, or name a new folder")
    data = prepare(corpus, extra, settings.vocabulary, folder, report)
    shape = settings.shape(len(data.pieces.tokens))
    trainer = Trainer(shape, settings.schedule, data.main, data.extra, folder)
    if resume and trainer.resume():
        report(f"resumed at step {trainer.progress.step:,}")
    trainer.run(data.held_out, report)
    return finish(trainer, data, out, [*corpus, *extra])


def finish(trainer: Trainer, data: Corpus, out: Path, files: Sequence[Path]) -> dict[str, str]:
    """Write the model file and measure what it holds, float16 weights and all."""
    card = {
        "corpus": ", ".join(path.name for path in files),
        "seed": str(trainer.schedule.seed),
        "steps": str(trainer.progress.step),
        "tokens": str(trainer.progress.tokens),
        "seconds": f"{trainer.progress.seconds:.0f}",
    }
    export(out, trainer.network, data.pieces, card)
    token = perplexity(restore(out), data.held_out)
    card["perplexity per token"] = f"{token:.2f}"
    if data.held_out_words:
        rate = data.held_out.tokens / data.held_out_words
        card["perplexity per word"] = f"{math.exp(math.log(token) * rate):.2f}"
    export(out, trainer.network, data.pieces, card)
    return card
