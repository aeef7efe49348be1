"""What a training leaves behind: weights, card, log and a picture of the loss."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import torch
from torch import nn

from priscian.errors import DataError, OutputError, TrainingError
from priscian.files import read_bytes, replacing, write_json, write_text
from priscian.models.vocabulary import Vocabulary
from priscian.training.loop import Loop, Moment, mean_nats

if TYPE_CHECKING:
    from priscian.training.prepare import PartFacts, Prepared
    from priscian.training.rows import Encoded

EVERY = 50
"""Steps between two lines of the log."""


def export(folder: Path, network: nn.Module, vocabulary: Vocabulary) -> None:
    """Weights as safetensors, configuration and vocabulary: all that scoring needs."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    config = network.config()  # type: ignore[operator]
    write_json(folder / "config.json", config)
    vocabulary.save(folder)
    weights = {
        name: value.detach().to("cpu", torch.float32).contiguous()
        for name, value in network.state_dict().items()
    }
    with replacing(folder / "model.safetensors") as temporary:
        temporary.write_bytes(save(weights, metadata={"format": "pt"}))


class LogLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of `log.jsonl`: some steps, a checkpoint, or a look at dev."""

    step: int | None = None
    tokens: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    loss: float | None = None
    rate: float | None = None
    tokens_per_second: float | None = None
    checkpoint: int | None = None
    dev_perplexity: Annotated[float, msgspec.Meta(ge=1)] | None = None
    dev_f1: float | None = None


class StepLog:
    """`log.jsonl`: the loss now and then, and whatever else is measured on the way."""

    def __init__(self, out: Path, loop: Loop) -> None:
        self.out, self.loop = out, loop
        self.path = out / "log.jsonl"
        self.lines = self._read()

    def _read(self) -> list[LogLine]:
        """Lines of an earlier start, up to where this one resumes."""
        if not self.path.is_file():
            return []
        *whole, last = read_bytes(self.path).split(b"\n")
        kept = [self._decode(line, number) for number, line in enumerate(whole, 1)]
        with contextlib.suppress(DataError):  # of a training that was killed while it wrote
            kept += [self._decode(last, len(whole) + 1)] if last else []
        kept = [line for line in kept if line.tokens <= self.loop.progress.tokens]
        write_text(self.path, "".join(map(_line, kept)))
        return kept

    def _decode(self, line: bytes, number: int) -> LogLine:
        try:
            return msgspec.json.decode(line, type=LogLine)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise DataError(
                f"{self.path}:{number}: not a line of the log ({error}); delete it, or the file"
            ) from None

    def step(self, moment: Moment) -> None:
        """Add the mean loss of the last steps now and then, and after the last step."""
        unlogged = self.loop.progress.unlogged
        unlogged.append(moment.loss)
        last = moment.tokens >= moment.total or self.loop.progress.stopped
        if moment.step % EVERY and not last:
            return
        if self.loop.machine.rank == 0:
            self.add(
                LogLine(
                    step=moment.step,
                    tokens=moment.tokens,
                    loss=math.fsum(unlogged) / len(unlogged),
                    rate=moment.rate,
                    tokens_per_second=round(moment.speed, 1),
                )
            )
        unlogged.clear()

    def add(self, line: LogLine) -> None:
        """One more line."""
        self.lines.append(line)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(line))
        except OSError as error:
            raise OutputError(
                f"cannot write {self.path}: {error.strerror}; free some space"
            ) from None


class Log(StepLog):
    """`log.jsonl`, `card.json` and `loss.svg`."""

    def __init__(self, out: Path, loop: Loop, ready: Prepared) -> None:
        super().__init__(out, loop)
        self.ready = ready

    def checkpoint(self, count: int, folder: Path) -> None:
        """Perplexity on dev at a checkpoint, in the log and in the checkpoint's own card."""
        nats = mean_nats(self.loop.network, self.ready.dev, self.loop.machine.device)
        value = self._per_word(nats, "dev")
        line = LogLine(tokens=self.loop.progress.tokens, checkpoint=count, dev_perplexity=value)
        if line not in self.lines:  # made again where a training had ended
            self.add(line)
        write_json(folder / "card.json", self._card() | {"dev": {"perplexity": value}})

    def finish(self) -> dict[str, Any]:
        """Measure dev and test, and write the card."""
        card = self._card()
        for part in ("dev", "test"):
            data = getattr(self.ready, part)
            nats = mean_nats(self.loop.network, data, self.loop.machine.device)
            card[part] = {
                "perplexity": self._per_word(nats, part),
                "nats_per_token": nats,
                "of": data.predicts,
                **msgspec.to_builtins(getattr(self.ready.facts, part)),
            }
        write_json(self.out / "card.json", card)
        write_text(self.out / "loss.svg", draw_loss(self.lines))
        return card

    def _card(self) -> dict[str, Any]:
        recipe, progress = self.loop.recipe, self.loop.progress
        facts = msgspec.json.decode(msgspec.json.encode(self.ready.facts))
        return {
            "architecture": recipe.architecture,
            "parameters": sum(p.numel() for p in self.loop.network.parameters()),
            "tokens_seen": progress.tokens,
            "steps": progress.step,
            "passes": progress.passes,
            "seconds": round(progress.seconds),
            "threads": recipe.machine.threads,
            "seed": recipe.training.seed,
            "words": recipe.text.tokenizer,
            "pack": recipe.text.pack,
            "closed_vocabulary": not recipe.text.tokenizer.startswith("bpe"),
            "corpus": {
                "files": facts["files"],
                **({"trees": facts["trees"]} if "trees" in facts else {}),
                "size": recipe.corpus.size,
                "sentences": facts["sentences"],
                "words": facts["words"],
                "left_out": facts["left_out"],
                **({"extra": facts["extra"]} if recipe.corpus.extra and "extra" in facts else {}),
            },
            "vocabulary": facts["vocabulary"],
        }

    def _per_word(self, nats: float, part: str) -> float:
        data, facts = getattr(self.ready, part), getattr(self.ready.facts, part)
        try:
            value = perplexity_per_word(nats, data, facts)
        except OverflowError:
            raise TrainingError(
                f"the training has diverged: {nats:,.0f} nats a token on {part}; lower "
                "training.learning_rate or training.grad_clip, and name a new `out=`"
            ) from None
        return round(value, 3)


def perplexity_per_word(nats_per_token: float, data: Encoded, facts: PartFacts) -> float:
    """exp(nats of words and sentence ends / (words + sentences))."""
    return math.exp(nats_per_token * data.tokens / (facts.words + facts.sentences))


def _line(line: LogLine) -> str:
    return json.dumps(msgspec.to_builtins(line)) + "\n"


def draw_loss(lines: Sequence[LogLine]) -> str:
    """The loss against tokens as an SVG line; dev perplexity at checkpoints as dots."""
    points = [(line.tokens, line.loss) for line in lines if line.loss is not None]
    dots = [
        (line.tokens, math.log(line.dev_perplexity))
        for line in lines
        if line.dev_perplexity is not None
    ]
    width, height, left, bottom = 640, 360, 60, 40
    shown = [*points, *dots] or [(1, 0.0)]
    most_x = max(x for x, _ in shown)
    low, high = min(y for _, y in shown), max(y for _, y in shown)
    span = (high - low) or 1.0

    def place(x: float, y: float) -> str:
        across = left + (width - left - 20) * x / most_x
        down = 20 + (height - bottom - 20) * (high - y) / span
        return f"{across:.1f},{down:.1f}"

    path = " ".join(place(x, y) for x, y in (points * 2 if len(points) == 1 else points))
    marks = "".join(
        '<circle cx="{}" cy="{}" r="3.5" fill="#c2410c"/>'.format(*place(x, y).split(","))
        for x, y in dots
    )
    ticks = "".join(
        f'<text x="{left - 8}" y="{place(0, y).split(",")[1]}" text-anchor="end" '
        f'dominant-baseline="middle">{y:.1f}</text>'
        for y in (low, low + span / 2, high)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="system-ui, sans-serif" font-size="12" role="img">'
        "<title>Training loss in nats per token; dots: log perplexity per word on dev</title>"
        f'<rect width="{width}" height="{height}" fill="white"/>{ticks}'
        f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">'
        f"tokens seen, to {most_x:,}</text>"
        f'<polyline points="{path}" fill="none" stroke="#1d4ed8" stroke-width="1.5" '
        'stroke-linecap="round"/>'
        f"{marks}</svg>\n"
    )
