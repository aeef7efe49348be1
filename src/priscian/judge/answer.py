"""Models answer the questionnaire: by the probability of the sentences, or by that of the answers.

In a prompt the instructions and the trial are the context, and the possible answers are the texts
that are scored, so that nothing is generated and the ordinary scorer and its store serve.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from priscian.errors import UsageError
from priscian.files.convert import Count, Finite, check_parameters
from priscian.judge.design import PlannedTrial, TrialList
from priscian.judge.frozen import Frozen
from priscian.judge.items import BAD, GOOD
from priscian.judge.sitting import shown
from priscian.judge.store import Arrival, SentAnswer, Store
from priscian.judge.study import texts
from priscian.records import Text

TIE = 1e-6
"""Nats by which two log-probabilities may differ and still tie."""
Mode = Literal["probability", "prompt"]
Score = Callable[[Sequence[Text]], Mapping[Text, float]]
"""Log-probabilities of texts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a model is asked; with a temperature, `raters` draws of its answers."""

    mode: Mode = "probability"
    raters: Count = 1
    temperature: Finite = 0.0
    seed: int = 1


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """How many answers a model gave, and how far it prefers the first of two sentences.

    `bias` is the mean probability of answering A, over both orders, minus one half.
    """

    name: str
    answers: int
    bias: float | None


@dataclass(frozen=True, slots=True)
class _Opinion:
    """Probabilities of the answers to one trial."""

    probabilities: Mapping[str, float]

    def likeliest(self) -> str:
        """The likeliest answer; of a tie the last, so that a tied pair counts as wrong."""
        top = max(self.probabilities.values())
        near = [k for k, p in self.probabilities.items() if p * math.exp(TIE) >= top]
        return near[-1]

    def expected(self) -> float:
        return math.fsum(float(k) * p for k, p in self.probabilities.items())

    def draw(self, rng: random.Random) -> str:
        """An answer drawn by its probability."""
        return rng.choices(list(self.probabilities), list(self.probabilities.values()))[0]


def answer_study(
    store: Store, frozen: Frozen, name: str, score: Score, asked: Asked
) -> ModelAnswers:
    """Let a model answer every item once; what it answered before in this mode is replaced."""
    check_parameters(asked)
    task = frozen.study.task
    if asked.mode == "probability" and task not in ("choice", "magnitude"):
        raise UsageError(
            f"by probability a model can choose between two sentences or estimate magnitudes, not "
            f"answer a {task} study; use `mode=prompt`"
        )
    if task == "magnitude" and asked.mode == "prompt":
        raise UsageError(
            "magnitudes have no fixed list of answers to score after a prompt; use "
            "`mode=probability`"
        )
    if task == "magnitude" and (asked.temperature or asked.raters > 1):
        raise UsageError("a model's magnitudes are computed, not drawn; leave out `temperature=`")
    if asked.raters > 1 and not asked.temperature:
        raise UsageError("without a temperature all raters are the same; give `temperature=1`")
    plans: list[TrialList] = []  # which show everything once: of choices, one list of each part
    for plan in frozen.plans:
        if task != "choice" or plan.part not in {known.part for known in plans}:
            plans.append(plan)
    trials = [t for plan in plans for t in plan.trials if t.kind == "item"]
    opinions, bias = (
        (_magnitudes(frozen, trials, score), None)
        if task == "magnitude"
        else _opinions(frozen, trials, score, asked)
    )
    count = 0
    with store.backend.transaction():
        for number in range(1, asked.raters + 1):
            suffix = f"#{number}" if asked.raters > 1 else ""
            person = f"{name}/{asked.mode}{suffix}"
            for old in store.sittings_of(person):
                if old.version == frozen.version:
                    store.remove(old.id)
            rng = random.Random(f"{asked.seed}/{number}") if asked.temperature else None
            for plan in plans:
                count += _sit(store, frozen, plan, person, opinions, rng)
    return ModelAnswers(name, count, bias)


Opinions = Mapping[tuple[str, str], _Opinion]


def _magnitudes(
    frozen: Frozen, trials: Sequence[PlannedTrial], score: Score
) -> dict[tuple[str, str], _Opinion]:
    """The modulus times the ratio of a sentence's probability per word to the reference's.

    The geometric mean over words, since a magnitude should not shrink with every further word.
    """
    scale = frozen.study.scale
    sentences = {
        (t.item, t.condition): frozen.materials[t.item].conditions[t.condition] for t in trials
    }
    wanted = {s: Text(s) for s in (*sentences.values(), scale.reference)}
    scored = score(list(wanted.values()))
    levels = {s: scored[t] / max(1, len(s.split())) for s, t in wanted.items()}
    zero = levels[scale.reference]
    return {
        key: _Opinion({f"{scale.modulus * math.exp(levels[s] - zero):.12g}": 1.0})
        for key, s in sentences.items()
    }


def _opinions(
    frozen: Frozen, trials: Sequence[PlannedTrial], score: Score, asked: Asked
) -> tuple[dict[tuple[str, str], _Opinion], float | None]:
    """Probabilities of the answers, by item and condition; for pairs those of good and bad."""
    wanted: dict[tuple[str, str], list[dict[str, Text]]] = {}
    for trial in trials:
        wanted[trial.item, trial.condition] = _questions(frozen, trial, asked.mode)
    scored = score([text for asks in wanted.values() for ask in asks for text in ask.values()])
    temperature = asked.temperature or 1.0
    found: dict[tuple[str, str], _Opinion] = {}
    firsts: list[float] = []
    for key, asks in wanted.items():
        each = [_softmax({k: scored[t] / temperature for k, t in ask.items()}) for ask in asks]
        if len(each) == 2:  # both orders: the good sentence was A, then B
            firsts += [each[0][GOOD], each[1][BAD]]
        options = each[0].keys()
        found[key] = _Opinion({k: math.fsum(p[k] for p in each) / len(each) for k in options})
    bias = math.fsum(firsts) / len(firsts) - 0.5 if firsts else None
    return found, bias


def _softmax(logs: Mapping[str, float]) -> dict[str, float]:
    top = max(logs.values())
    weights = {k: math.exp(v - top) for k, v in logs.items()}
    whole = math.fsum(weights.values())
    return {k: w / whole for k, w in weights.items()}


def _questions(frozen: Frozen, trial: PlannedTrial, mode: Mode) -> list[dict[str, Text]]:
    """The texts to score for a trial, by answer; for a prompted pair in both orders."""
    study, material = frozen.study, frozen.materials[trial.item]
    if study.task == "choice" and mode == "probability":
        return [{c: Text(material.conditions[c]) for c in (GOOD, BAD)}]
    plain = texts(study.language)["instructions"][study.task]
    head = (study.pages.instructions or plain).replace("**", "")
    question = study.question or study.title
    if study.task == "choice":
        asks = []
        for order in ((GOOD, BAD), (BAD, GOOD)):
            one, two = (material.conditions[c] for c in order)
            context = f"{head.strip()}\n\nA: {one}\nB: {two}\n\n{question}\nAnswer:"
            asks.append(
                {c: Text(f" {letter}", context) for c, letter in zip(order, "AB", strict=True)}
            )
        return asks
    sentence = material.conditions[trial.condition]
    if study.task == "binary":
        context = f"{head.strip()}\n\nSentence: {sentence}\n\n{question} (yes or no)\nAnswer:"
        return [{said: Text(f" {said}", context) for said in ("yes", "no")}]
    top = study.scale.points
    scale = f"1 ({study.scale.low}) to {top} ({study.scale.high})"
    context = f"{head.strip()}\n\nSentence: {sentence}\n\n{question} {scale}\nAnswer:"
    return [{str(n): Text(f" {n}", context) for n in range(1, top + 1)}]


def _sit(
    store: Store,
    frozen: Frozen,
    plan: TrialList,
    person: str,
    opinions: Opinions,
    rng: random.Random | None,
) -> int:
    """One list as a sitting of a model; with a generator answers are drawn, else the likeliest."""
    trials = [t for t in plan.trials if t.kind == "item"]
    expected: dict[str, float] = {}
    answers = []
    for position, trial in enumerate(trials, start=1):
        opinion = opinions[trial.item, trial.condition]
        said = opinion.likeliest() if rng is None else opinion.draw(rng)
        if frozen.study.task == "choice":
            expected[str(position)] = opinion.probabilities[GOOD]
            other = {"left": "right", "right": "left"}[trial.side]
            said = trial.side if said == GOOD else other
        elif frozen.study.task in ("likert", "magnitude"):
            expected[str(position)] = opinion.expected()
        else:
            expected[str(position)] = opinion.probabilities["yes"]
        answers.append(SentAnswer(position, said))
    arrival = Arrival("model", person, plan.number, "model", {"expected": expected})
    sitting = store.add_sitting(arrival, person, frozen.version, plan.number, shown(trials))
    for answer in answers:
        store.answer(sitting.id, frozen.version, answer)
    store.finish(sitting.id, "model")
    return len(answers)
