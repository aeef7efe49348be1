"""Our engine and score store behind the model interface of lm-evaluation-harness.

`register` enters it there under the name `priscian`; the harness has no entry points for models.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Protocol

from priscian.errors import UsageError, install
from priscian.models import LoadedModel, parse_model
from priscian.records import Text
from priscian.scoring import Options, ScoreStore, score_texts

NAME = "priscian"
ABSENT = f"lm-evaluation-harness is not installed: {install('lm-eval')}"
IGNORED = frozenset({"batch_size", "max_batch_size", "device", "trust_remote_code"})
"""What the harness hands to every model: batches are planned, and the device is in the string."""


class HarnessRequest(Protocol):
    """What we use of the harness's `Instance`."""

    task_name: str | None
    doc_id: int | None
    idx: int

    @property
    def args(self) -> tuple[Any, ...]:
        """Context and continuation, or one text."""
        ...


class Engine:
    """Log-likelihoods of requests; needs nothing of the harness, so that it can be tested alone.

    Scores are read from the store, and only what is missing is computed; the model is loaded when
    the first score is missing.
    """

    def __init__(self, model: str = "", pretrained: str = "", **options: Any) -> None:
        super().__init__()
        if bool(model) == bool(pretrained):
            raise UsageError(
                "the model priscian needs one of model=STRING and pretrained=ID in its arguments, "
                "such as model=smollm2"
            )
        given = {k: str(v) for k, v in options.items() if k not in IGNORED and v is not None}
        given.pop("workers", None)
        revision = given.pop("revision", "")
        spec = parse_model(model or f"hf:{pretrained}")
        self.spec = (spec.at(revision) if revision else spec).with_options(**given)
        workers = options.get("workers")
        self._options = Options(workers=None if workers is None else int(workers))
        self._loaded: LoadedModel | None = None

    @property
    def tokenizer_name(self) -> str:
        """Distinguishes requests that the harness keeps for several models."""
        return str(self.spec)

    def loglikelihood(
        self, requests: Sequence[HarnessRequest], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Log-probability of each continuation after its context.

        Whether a continuation is the model's first choice is not computed and always False; a task
        that depends on it is refused.
        """
        # a task with one continuation for a document asks whether it is the model's first choice
        choices: dict[tuple[str | None, int | None], set[int]] = {}
        for request in requests:
            choices.setdefault((request.task_name, request.doc_id), set()).add(request.idx)
        for (task, _), found in choices.items():
            if len(found) < 2:
                raise UsageError(
                    f"the task {task} asks whether a text is the model's first choice, which "
                    "Priscian does not compute; use `model=hf`, or a task with several choices"
                )
        totals = self._totals([Text(r.args[1], r.args[0]) for r in requests])
        return [(total, False) for total in totals]

    def loglikelihood_rolling(
        self, requests: Sequence[HarnessRequest], disable_tqdm: bool = False
    ) -> list[float]:
        """Log-probability of each text; one that is longer than the model's context is refused."""
        return self._totals([Text(r.args[0]) for r in requests])

    def generate_until(
        self, requests: Sequence[HarnessRequest], disable_tqdm: bool = False
    ) -> list[str]:
        """An error: we score texts and never generate any."""
        raise UsageError(
            f"the task {requests[0].task_name} needs generated text, and Priscian only scores "
            "text; use `model=hf`"
        )

    def _totals(self, texts: list[Text]) -> list[float]:
        with ScoreStore.default() as store:
            scored = score_texts(
                self.spec, texts, store, loaded=self._loaded, options=self._options
            )
        self._loaded = scored.loaded
        return [scored.scores[text].total for text in texts]


def register() -> None:
    """Enter our engine in the harness's registry as the model `priscian`."""
    try:
        import lm_eval.models  # noqa: F401 - the harness fills an empty registry only
        from lm_eval.api.model import LM
        from lm_eval.api.registry import model_registry, register_model
    except ImportError:
        raise UsageError(ABSENT) from None
    if NAME not in model_registry:
        register_model(NAME)(type("PriscianLM", (Engine, LM), {"__doc__": Engine.__doc__}))


def run_harness(arguments: Sequence[str]) -> None:
    """Call the harness's command line with our engine registered."""
    register()
    from lm_eval.__main__ import cli_evaluate

    before = sys.argv
    sys.argv = ["lm-eval", *arguments]
    try:
        cli_evaluate()
    finally:
        sys.argv = before
