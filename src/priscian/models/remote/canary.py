"""The canary: short texts that show whether an engine's log-probabilities can be trusted.

It needs no second model. Every check follows from what a causal language model is: what comes
later changes nothing before it; another token has another probability, at its own place; scoring
texts together changes nothing; probabilities sum to at most 1; sampling options change nothing.
It is a pure function of the answers, so it works for any backend.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from priscian.errors import BackendError
from priscian.models.remote.backend import ALONE, PLAIN, Ask, Prompt, PromptEncoder, PromptScores

TOLERANCE = 0.02
"""How many nats a token's log-probability may depend on the other texts of a request."""
ROUNDING = 0.001
"""Log-probabilities are rounded to this in the model key."""
EXCESS = 0.005
"""How far above 1 a sum of probabilities may be, through rounding in half precision."""
CERTAIN = -3.0
"""What every trained model gives the near-certain words, at least, in nats."""
CALIBRATED = 4.5
"""How many standard deviations the top token may be right too often or too rarely."""
TEMPERATURES = (0.5, 2.0)


@dataclass(frozen=True, slots=True)
class CanaryLimits:
    """What the canary lets pass; `calibrated` is False for models known to be overconfident."""

    tolerance: float = TOLERANCE
    calibrated: bool = True


DEFAULT = CanaryLimits()
Score = Callable[[Sequence[Prompt], Ask], list[PromptScores]]


@cache
def _texts() -> dict[str, list[list[str]]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class CanaryTexts:
    """The canary's texts as token ids of one tokenizer."""

    causality: tuple[tuple[Prompt, Prompt], ...]
    place: tuple[tuple[Prompt, Prompt], ...]
    certain: tuple[tuple[Prompt, int], ...]  # with the place of the first certain token
    plain: tuple[Prompt, ...]
    bare: Prompt  # begins without BOS

    @classmethod
    def encode(cls, encoder: PromptEncoder) -> CanaryTexts:
        """All texts, encoded by the tokenizer that the run will use."""
        texts, row = _texts(), encoder.row
        certain = [(row(a + b), _common(row(a).ids, row(a + b).ids)) for a, b in texts["certain"]]
        return cls(
            causality=tuple((row(a), row(b)) for a, b in texts["causality"]),
            place=tuple((row(stem + a), row(stem + b)) for stem, a, b in texts["place"]),
            certain=tuple(certain),
            plain=tuple(row(str(text)) for text in texts["plain"]),
            bare=encoder.bare_row(str(texts["plain"][0])),
        )

    def rows(self) -> list[Prompt]:
        """Every row that is scored with BOS, each once."""
        paired = (r for pair in (*self.causality, *self.place) for r in pair)
        return list(dict.fromkeys((*self.plain, *(r for r, _ in self.certain), *paired)))


@dataclass(frozen=True, slots=True)
class Canary:
    """A canary that passed: its log-probabilities, and how much batching changes them."""

    logps: tuple[float, ...]
    error: float = 0.0
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def rounded(self) -> str:
        """The log-probabilities as they enter the model key."""
        return " ".join(f"{round(p / ROUNDING) * ROUNDING:.3f}" for p in self.logps)

    def distance(self, other: Canary) -> float:
        """The largest difference of any log-probability, in nats."""
        if len(self.logps) != len(other.logps):
            return math.inf
        return difference(self.logps, other.logps)


def run_canary(
    name: str, probes: CanaryTexts, score: Score, limits: CanaryLimits = DEFAULT
) -> Canary:
    """Run every check; the first that fails is an error that says what is wrong and what to do."""
    trial = _Trial(name, probes, score)
    trial.score_alone()
    trial.check_causality(limits.tolerance)
    error = trial.check_together(limits.tolerance)
    trial.check_place(max(ROUNDING, error))
    trial.check_temperature(max(limits.tolerance, error))
    check_mass(name, trial.heard)
    certain = trial.check_certain()
    plain = [trial.found[row] for row in probes.plain]
    calibration = _calibration(plain)
    if limits.calibrated and abs(calibration) > CALIBRATED:
        # a temperature that is built into a server makes every claim too weak or too strong
        much = (
            "weak, as with a temperature above" if calibration > 0 else "strong, as with one below"
        )
        raise BackendError(
            f"{name}: its probabilities are too {much} 1 ({calibration:+.1f} standard deviations); "
            f"serve raw log-probabilities at temperature 1, or add calibration=ignore for a model "
            f"that is known to be overconfident"
        )
    notes = {"canary": "passed", "batching error": f"{error:.2g} nats"}
    notes["near-certain words"] = f"{certain:.2f} nats" + (
        "" if certain > CERTAIN else ": not expected by this model"
    )
    if not math.isnan(calibration):
        notes["calibration"] = f"{calibration:+.1f} standard deviations"
    return Canary(_fingerprint(plain), error, notes)


@dataclass(slots=True)
class _Trial:
    """What an engine has answered: each row alone, and everything."""

    name: str
    probes: CanaryTexts
    score: Score
    found: dict[Prompt, PromptScores] = field(default_factory=dict)
    heard: list[PromptScores] = field(default_factory=list)

    def ask(self, rows: Sequence[Prompt], how: Ask) -> list[PromptScores]:
        """Answers, which are remembered."""
        answers = self.score(rows, how)
        self.heard.extend(answers)
        return answers

    def score_alone(self) -> None:
        """Every row alone; a server that adds BOS itself shows in the one without BOS."""
        for row in (*self.probes.rows(), self.probes.bare):
            answer = self.ask([row], ALONE)[0]
            self.found.setdefault(row, answer)
            if len(answer.logps) != len(row.ids):
                raise BackendError(
                    f"{self.name} scored {len(answer.logps)} of {len(row.ids)} tokens"
                )
            bad = [p for p in answer.logps[1:] if not -math.inf < p <= EXCESS]
            if bad:
                raise BackendError(
                    f"{self.name}: the canary got {bad[0]} as a log-probability; it must be a "
                    f"finite number up to 0, in nats: check the server's settings"
                )

    def check_causality(self, tolerance: float) -> None:
        """What comes later changes nothing before it."""
        for short, long in (*self.probes.causality, *self.probes.place):
            shared = _common(short.ids, long.ids)
            off = difference(self.found[short].logps[1:shared], self.found[long].logps[1:shared])
            if off > tolerance:
                raise BackendError(
                    f"{self.name}: the canary found log-probabilities that depend on what follows "
                    f"(by {off:.2g} nats): they are shifted by a token, or the model is not "
                    f"causal; update the server, or turn off prefix caching and chunked prefill"
                )

    def check_together(self, tolerance: float) -> float:
        """The largest difference between rows scored alone and together."""
        rows = self.probes.rows()
        error = max(
            difference(self.found[row].logps[1:], answer.logps[1:])
            for row, answer in zip(rows, self.ask(rows, PLAIN), strict=True)
        )
        if error > tolerance:
            raise BackendError(
                f"{self.name}: texts scored together differ from each alone by {error:.2g} nats, "
                f"more than {tolerance:g}; serve the model in float32 or batch-invariant mode, or "
                f"accept it with tolerance={math.ceil(error * 100) / 100:g}"
            )
        return error

    def check_place(self, noise: float) -> None:
        """Another token has another probability, at its own place."""
        for a, b in self.probes.place:
            at = _common(a.ids, b.ids)
            if abs(self.found[a].logps[at] - self.found[b].logps[at]) > noise:
                return
        raise BackendError(
            f"{self.name}: the canary found that another token at a place does not change the "
            f"log-probability there: log-probabilities are shifted by a token; update the server"
        )

    def check_temperature(self, tolerance: float) -> None:
        """Sampling options change nothing."""
        row = sentinel(self.probes)
        for temperature in TEMPERATURES:
            answer = self.ask([row], Ask(together=False, temperature=temperature))[0]
            off = difference(self.found[row].logps[1:], answer.logps[1:])
            if off > tolerance:
                raise BackendError(
                    f"{self.name}: log-probabilities change with the sampling temperature (by "
                    f"{off:.2g} nats at {temperature:g}): they are not the model's own; set the "
                    f"server to return raw ones (vLLM: logprobs-mode raw_logprobs)"
                )

    def check_certain(self) -> float:
        """Mean log-probability of the near-certain words; they may not be certain one place off."""
        places = [(self.found[row].logps, at) for row, at in self.probes.certain]
        mean = sum(logps[at] for logps, at in places) / len(places)
        before = sum(logps[at - 1] for logps, at in places) / len(places)
        if mean <= CERTAIN < -1 < before:
            raise BackendError(
                f"{self.name}: the canary's near-certain words have {mean:.1f} nats, but "
                f"{before:.1f} one token before: log-probabilities are shifted by a token; update "
                f"the server"
            )
        return mean


def sentinel(probes: CanaryTexts) -> Prompt:
    """One row that shows a swapped model; it is scored with every batch."""
    return probes.plain[0]


def check_sentinel(name: str, canary: Canary, answer: PromptScores, tolerance: float) -> None:
    """Refuse answers of another model than the one that passed the canary."""
    logps = _fingerprint([answer])
    if difference(logps, canary.logps[: len(logps)]) > max(tolerance, canary.error):
        raise changed(name)


def check_mass(name: str, answers: Iterable[PromptScores]) -> None:
    """Refuse answers in which different tokens at one place are more than certain together."""
    most = max((m for a in answers for m in a.mass if not math.isnan(m)), default=0.0)
    if most > 1 + EXCESS:
        raise BackendError(
            f"{name} gives probabilities that sum to {most:.3f}, above 1; the server does not "
            f"return natural-log probabilities: check its settings, or use another server"
        )


def changed(name: str) -> BackendError:
    """The error where a model was swapped during a run."""
    return BackendError(
        f"{name} now gives other log-probabilities than when the run began: another model or "
        f"another setting is behind it; what was scored before is kept: start a new run folder "
        f"with its own revision="
    )


def difference(a: Sequence[float], b: Sequence[float]) -> float:
    """The largest difference between two lists of log-probabilities; infinite if one is NaN."""
    off = (x - y for x, y in zip(a, b, strict=True))
    return max((math.inf if math.isnan(d) else abs(d) for d in off), default=0.0)


def _fingerprint(answers: Iterable[PromptScores]) -> tuple[float, ...]:
    return tuple(p for answer in answers for p in answer.logps[1:])


def _calibration(answers: Sequence[PromptScores]) -> float:
    """How much more often the top token is right than it claims, in standard deviations.

    (hits − Σp) / √Σp(1−p), with p the probability of the top token at each place of the prose.
    """
    expected = variance = hits = 0.0
    for answer in answers:
        for logp, best in zip(answer.logps[2:], answer.best[2:], strict=False):
            claim = math.exp(min(best, 0.0))
            expected += claim
            variance += claim * (1 - claim)
            hits += logp >= best - 1e-9
    return (hits - expected) / math.sqrt(variance) if variance >= 1 else math.nan


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many ids two rows share from their beginning."""
    differ = (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differ, min(len(a), len(b)))
