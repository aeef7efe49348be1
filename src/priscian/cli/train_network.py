"""`priscian train gpt2|transformer-xl|lstm|on-lstm|rnng`: a neural model from text or trees."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.control import Control
from rich.segment import ControlType

from priscian.cli.screen import Screen
from priscian.errors import UsageError
from priscian.models.folder import ARCHITECTURES

if TYPE_CHECKING:
    from priscian.training.loop import Moment


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Changes:
    """Keys of the recipe that have a flag of their own.

    Parameters
    ----------
    corpus
        Text files, one paragraph per line; plain, .gz or .xz. For rnng: trees, one per line.
    extra
        Text that is mixed in, such as short everyday sentences.
    size
        Tokens of the corpus to train on: 250k, 16M. Smaller sizes are part of larger ones.
    tokens
        Total number of training tokens: 24M.
    epochs
        Instead of --tokens: the number of passes through the corpus.
    seed
        Seed of the initial weights and of the order of sentences.
    order_seed
        Seed of the choice of paragraphs for --size.
    threads
        Threads of torch.
    set_
        Any key of the recipe: --set network.layers=4 --set training.learning_rate=5e-4
    """

    corpus: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None
    extra: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None
    size: str | None = None
    tokens: str | None = None
    epochs: Annotated[float | None, Parameter(name=("--epochs", "--passes"))] = None
    seed: int | None = None
    order_seed: int | None = None
    threads: int | None = None
    set_: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None

    def overrides(self) -> dict[str, Any]:
        """As `table.key` = value."""
        found = overrides(self, KEYS)
        if self.tokens is not None:
            found.setdefault("training.epochs", 0.0)
        elif self.epochs is not None:
            found.setdefault("training.tokens", "")
        return found


KEYS = {
    "corpus": "corpus.files",
    "extra": "corpus.extra",
    "size": "corpus.size",
    "order_seed": "corpus.order_seed",
    "tokens": "training.tokens",
    "epochs": "training.epochs",
    "seed": "training.seed",
    "threads": "machine.threads",
}
"""Keys of the recipe by the names of their options."""


def overrides(given: Any, keys: Mapping[str, str]) -> dict[str, Any]:
    """Options of a record that were given, as `table.key` = value; those of `--set` last."""
    values = {key: getattr(given, name) for name, key in keys.items()}
    found = {
        key: [str(path) for path in value] if isinstance(value, list) else value
        for key, value in values.items()
        if value is not None and value != []
    }
    return found | dict(setting(text) for text in given.set_ or [])


NO_CHANGES = Changes()


def setting(text: str) -> tuple[str, Any]:
    """`network.layers=4` as a key and a TOML value."""
    key, equals, value = text.partition("=")
    if not equals or "." not in key:
        raise UsageError(f"--set takes table.key=value, such as network.layers=4; not {text!r}")
    try:
        return key.strip(), tomllib.loads(f"x = {value}")["x"]
    except (ValueError, RecursionError):  # a number of thousands of digits is the former
        return key.strip(), value.strip()


def train_command(architecture: str) -> Callable[..., None]:
    """The command of one architecture."""

    def command(
        recipe: str = "",
        /,
        *,
        out: Path,
        changes: Changes = NO_CHANGES,
        resume: Annotated[bool, Parameter(negative="")] = False,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        seconds: Annotated[str | None, Parameter(show=False)] = None,
        steps: Annotated[str | None, Parameter(show=False)] = None,
    ) -> None:
        if seconds is not None or steps is not None:
            raise UsageError("schedules count tokens, not --seconds or --steps; give --tokens 24M")
        from priscian.training.job import train

        with TrainingLine(quiet) as line:
            card = train(
                architecture, out, recipe=recipe, resume=resume, say=line.say, report=line.show,
                overrides=changes.overrides(),
            )  # fmt: skip
        if card and not quiet:
            test, of = card["test"]["perplexity"], card["test"]["of"]
            joint = "" if of == "words" else f" of {of} together"
            print(
                f"{out}: {card['parameters']:,} parameters, {card['tokens_seen']:,} tokens seen, "
                f"test perplexity {test:,.1f} per word{joint}; use it as {out}, "
                f"its checkpoints with --revisions 'tokens-*'"
            )

    corpus = "trees.txt" if ARCHITECTURES[architecture].trees else "books.txt"
    command.__doc__ = f"""Train {ARCHITECTURES[architecture].what}.

    A recipe sets everything: corpus, tokens, network, schedule. Three are built in: tiny, small
    (for a laptop; one thread unless --threads says otherwise) and paper (published sizes, for
    GPUs); or give a TOML file of your own. Flags override it. The resolved recipe is saved in OUT;
    a training that was stopped continues with --resume and gives bit-identical weights.

    Examples:
      priscian train {architecture} --corpus {corpus}.xz --out my-model
      priscian train {architecture} tiny --corpus {corpus} --size 1M --epochs 6 --out my-model
      priscian score my-model --revisions 'tokens-*' --on generated:7 --out runs/curve

    Parameters
    ----------
    recipe
        tiny, small, paper, or a TOML file; small if none is named.
    out
        Folder of the model.
    resume
        Continue the training in OUT, with its own recipe unless one is named.
    quiet
        No progress line.
    """
    return command


class TrainingLine:
    """A line that shows loss, speed and time left; a terminal updates it in place."""

    def __init__(self, quiet: bool) -> None:
        self.console = Screen(stderr=True, highlight=False)
        self.quiet = quiet
        self._last = 0.0
        self._shown = False

    def __enter__(self) -> TrainingLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self.console.print()

    def say(self, line: str) -> None:
        """Say what is being prepared."""
        if not self.quiet:
            self.console.print(line)

    def show(self, moment: Moment) -> None:
        """Update twice a second in a terminal, every half minute in a log."""
        now = time.monotonic()
        if self.quiet or now - self._last < (0.5 if self.console.is_terminal else 30):
            return
        self._last = now
        left = (moment.total - moment.tokens) / max(moment.speed, 1e-9)
        text = (
            f"{moment.tokens:,} of {moment.total:,} tokens  loss {moment.loss:.3f}  "
            f"{moment.speed:,.0f} tokens/s  {_hours(left)} left"
        )
        if self.console.is_terminal:
            self._shown = True
            self.console.control(Control(ControlType.CARRIAGE_RETURN))  # print would drop it
            self.console.print(f"{text}   ", end="")
        else:
            self.console.print(text)


def _hours(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
