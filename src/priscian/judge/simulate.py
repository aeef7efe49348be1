"""Simulated raters over HTTP: they read the pages, answer by a seed, and keep a ledger."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from urllib.parse import urlencode

import msgspec

from priscian.errors import DataError
from priscian.files.web import Reply, RequestLimits, WebError, ask, connect, request
from priscian.judge.frozen import Frozen
from priscian.judge.items import BAD, GOOD
from priscian.judge.study import Study

RETRY = (429, 503, 507)
PATIENCE = 60.0
"""Seconds that somebody tries again before giving up; the page itself never does."""
LIMITS = RequestLimits(30, 1 << 24)
_CODE = re.compile(r'id="code">([^<]*)<')


@dataclass(frozen=True, slots=True)
class Habits:
    """How simulated people answer; everything follows from the seed."""

    raters: int = 20
    seed: int = 1
    pause: float = 0.0
    """Mean seconds between two answers."""
    accuracy: float = 0.9
    """How often somebody prefers the acceptable sentence."""
    patience: float = PATIENCE
    first: int = 0
    """Number of the first rater, so that more can be added later."""
    test_key: str = ""
    """The key of the store, so that they are tests and not people."""


@dataclass(slots=True)
class Ledger:
    """What the server has acknowledged, how long each request took, and the codes given."""

    answers: dict[tuple[str, int], str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    refused: int = 0

    def quantile(self, share: float) -> float:
        """A quantile of the response times in seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


class Client:
    """Sends requests to one server; lost connections are made anew."""

    def __init__(
        self,
        url: str,
        timed: Callable[[float], None] = lambda seconds: None,
        patience: float = PATIENCE,
    ) -> None:
        self.url = url.rstrip("/")
        self.timed = timed
        self.patience = patience
        self._connections = connect(self.url)

    async def get(self, path: str) -> Reply:
        """GET a path."""
        return await self._patiently(path, None, "")

    async def form(self, path: str, fields: Mapping[str, str]) -> Reply:
        """POST a form."""
        body = urlencode(fields).encode()
        return await self._patiently(path, body, "application/x-www-form-urlencoded")

    async def json(self, path: str, data: object) -> Reply:
        """POST JSON."""
        return await self._patiently(path, json.dumps(data).encode(), "application/json")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    async def _patiently(self, path: str, body: bytes | None, kind: str) -> Reply:
        """Send a request until it is answered, as the page's outbox does."""
        wait, given_up = 0.1, time.monotonic() + self.patience
        url, headers = f"{self.url}{path}", {"Content-Type": kind} if kind else {}
        while True:
            begun = time.monotonic()
            try:
                reply = await ask(self._connections, url, LIMITS, headers=headers, body=body)
                self.timed(time.monotonic() - begun)
                if reply.status not in RETRY or time.monotonic() > given_up:
                    return reply
            except WebError as error:
                lasting = error.kind in ("address", "trust", "size")
                if lasting or time.monotonic() > given_up:
                    raise DataError(f"{url}: {error}; is the study served there?") from None
            await asyncio.sleep(wait)
            wait = min(2.0, 2 * wait)


def simulate(url: str, frozen: Frozen, habits: Habits) -> Ledger:
    """Let simulated people take part in a study that is being served at `url`."""
    ledger, labels = Ledger(), labels_of(frozen)

    async def person(number: int) -> None:
        async with aclosing(Client(url, ledger.seconds.append, habits.patience)) as client:
            await _take_part(client, frozen.study, labels, habits, number, ledger)

    async def everybody() -> None:
        numbers = range(habits.first, habits.first + habits.raters)
        await asyncio.gather(*map(person, numbers))

    asyncio.run(everybody())
    return ledger


def labels_of(frozen: Frozen) -> dict[str, tuple[float, str]]:
    """How good each sentence is, from 0 to 1, and the answer that a check asks for."""
    found: dict[str, tuple[float, str]] = {}
    for material in frozen.materials.values():
        for condition, sentence in material.conditions.items():
            label = material.labels.get(condition)
            known = {GOOD: 1.0, BAD: 0.0}.get(condition, 0.5) if label is None else float(label)
            found[sentence] = (known, material.answer)
    return found


class _Trial(msgspec.Struct, frozen=True):
    """What a page asks; the rest of it does not matter here."""

    position: int
    sentences: tuple[str, ...]


class _Block(msgspec.Struct, frozen=True):
    trials: tuple[_Trial, ...]


async def _take_part(
    client: Client,
    study: Study,
    labels: Mapping[str, tuple[float, str]],
    habits: Habits,
    number: int,
    ledger: Ledger,
) -> None:
    rng = random.Random(f"{habits.seed}/{number}")
    await asyncio.sleep(rng.random() * min(habits.pause, 2))
    identity = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "sona": "id"}
    name = identity.get(study.platform.kind)
    entry = {"test": habits.test_key} if habits.test_key else {}
    if name:
        entry[name] = f"rater{number}"
    begun = await client.form("/start", {"consent": "yes", **entry})
    if begun.status == 403:
        raise DataError(
            f"{client.url} serves another database than the one of this study; name the study that "
            "is being served, and its `database=`"
        )
    place = begun.redirect or ""
    if begun.status != 303 or not place.startswith("/"):
        ledger.refused += 1
        return
    token = place.rsplit("/", 1)[-1]
    await client.form(place, {"step": "instructions"})
    if study.checks.comprehension:
        right = {f"q{n}": q.answer for n, q in enumerate(study.checks.comprehension, start=1)}
        await client.form(place, {"step": "comprehension", **right})
    found = await client.get(f"{place}/block")
    try:
        trials = msgspec.json.decode(found.body, type=_Block).trials
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        trials = ()
    shown = 2 if study.task == "choice" else 1
    if not trials or any(len(trial.sentences) < shown for trial in trials):
        raise DataError(f"{client.url} does not serve this study; correct the address")
    for trial in trials:
        if habits.pause:
            await asyncio.sleep(rng.expovariate(1 / habits.pause))
        said = answer(study, trial.sentences, labels, habits, rng)
        seconds = round(math.exp(rng.gauss(0.5, 0.4)), 3)
        row = {"position": trial.position, "response": said, "time": seconds, "hidden": 0}
        done = await client.json(f"{place}/answers", {"answers": [row]})
        if done.status != 200:
            raise DataError(f"the server answered {done.status} to an answer: {done.body[:200]!r}")
        ledger.answers[token, trial.position] = said
    if study.demographics:
        about = {q: {"age": "30", "native_languages": "en"}.get(q, "") for q in study.demographics}
        await client.form(place, {"step": "about", **about})
    end = (await client.get(place)).body.decode("utf-8", "replace")
    if code := _CODE.search(end):
        ledger.codes[token] = code[1]


def answer(
    study: Study,
    sentences: Sequence[str],
    labels: Mapping[str, tuple[float, str]],
    habits: Habits,
    rng: random.Random,
) -> str:
    """What a simulated person says: the label with some noise; checks as they ask."""
    level, wanted = labels.get(sentences[0], (0.5, ""))
    if study.task == "choice":
        other, asked = labels.get(sentences[1], (0.5, ""))
        best = "left" if level > other else "right"
        wrong = rng.random() >= habits.accuracy and not (wanted or asked)
        return {"left": "right", "right": "left"}[best] if wrong else best
    if wanted:
        return wanted.split("-")[0] or wanted.split("-")[-1]
    if rng.random() >= habits.accuracy:
        level = 1 - level
    if study.task == "binary":
        return "yes" if level > 0.5 else "no"
    if study.task == "likert":
        top = study.scale.points
        mean = 1 + (0.15 + 0.7 * level) * (top - 1)
        return str(min(top, max(1, round(rng.gauss(mean, 1.0)))))
    return f"{study.scale.modulus * math.exp(rng.gauss(level - 0.5, 0.4)):.2f}"


def wait_for(url: str, seconds: float = 30.0) -> None:
    """Wait until a server answers."""
    until = time.monotonic() + seconds
    while True:
        try:
            reply = request(f"{url.rstrip('/')}/health", RequestLimits(5, 1 << 16))
            said = f"{reply.status} {reply.reason}"
            if reply.status == 200:
                return
        except WebError as error:
            said = str(error)
        if time.monotonic() > until:
            raise DataError(f"{url}: no answer ({said}); is the study being served?")
        time.sleep(0.1)
