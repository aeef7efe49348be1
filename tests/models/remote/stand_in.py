"""A small causal model and a completion server around it that behaves, or misbehaves, on demand."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from priscian.models.remote.backend import Ask, Prompt, PromptScores

MEMORY = 3  # tokens that the model looks back
SURE = 0.9


class StandInModel:
    """Calibrated: of the tokens that it claims with 90 %, nine in ten are right."""

    def __init__(self, known: Sequence[Sequence[int]], size: int, seed: int = 1) -> None:
        self.size, self.seed = size, seed
        self.kept: dict[tuple[tuple[int, ...], float], Any] = {}
        self.seen: dict[tuple[int, ...], int] = {}
        for ids in known:
            for at in range(1, len(ids)):
                self.seen.setdefault(tuple(ids[max(0, at - MEMORY) : at]), ids[at])

    def distributions(self, ids: Sequence[int], temperature: float = 1.0) -> list[Any]:
        """Log-probabilities of every token after each id."""
        found = []
        for i in range(len(ids)):
            asked = tuple(ids[max(0, i + 1 - MEMORY) : i + 1]), temperature
            if asked not in self.kept:
                self.kept[asked] = self._after(*asked)
            found.append(self.kept[asked])
        return found

    def _after(self, context: tuple[int, ...], temperature: float) -> Any:
        digest = hashlib.blake2b(f"{self.seed}{context}".encode(), digest_size=8).digest()
        drawn = int.from_bytes(digest, "big")
        logits = np.random.default_rng(drawn).normal(scale=0.5, size=self.size)
        logps = logits - np.log(np.exp(logits).sum())
        if context in self.seen and drawn % 20 < 10:
            right = self.seen[context] if drawn % 20 < 9 else (self.seen[context] + 1) % self.size
            logps += math.log(1 - SURE)
            logps[right] = math.log(math.exp(logps[right]) + SURE)
        logps = logps / temperature
        return logps - np.log(np.exp(logps).sum())


def answer(
    model: StandInModel, row: Prompt, temperature: float = 1.0, top: int = 5
) -> PromptScores:
    """The right answer to a row."""
    tables = model.distributions(row.ids[:-1], temperature)
    own = [float(t[i]) for t, i in zip(tables, row.ids[1:], strict=True)]
    best = [np.sort(np.partition(t, -top)[-top:])[::-1] for t in tables]
    return PromptScores(
        (math.nan, *own),
        (math.nan, *(float(b[0]) for b in best)),
        (math.nan, *(float(np.exp(b).sum()) for b in best)),
    )


@dataclass
class InProcess:
    """A backend around the model."""

    model: StandInModel
    context_length: int | None = None
    notes: dict[str, str] = field(default_factory=dict)

    def logprobs(self, rows: Sequence[Prompt], ask: Ask = Ask()) -> list[PromptScores]:  # noqa: B008
        return [answer(self.model, row) for row in rows]


@dataclass
class StandInServer:
    """What the server does; tests change it while it runs."""

    model: StandInModel
    tokenizer: Any  # of the `tokenizers` library
    bos: int
    style: str = "vllm"  # vllm, llama-cpp-python, llama-server, chat-only
    fault: str = ""
    failures: list[int] = field(default_factory=list)  # answers to the next requests
    delay: float = 0.0
    fail_after: int | None = None  # requests after which the server only answers 503
    served: str = "toy"
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""

    def complete(self, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and answer to one request."""
        self.bodies.append(body)
        if self.fail_after is not None and len(self.bodies) > self.fail_after:
            return 503, {"error": {"message": "overloaded"}}
        if self.failures:
            return self.failures.pop(0), {"error": {"message": "try later"}}
        prompts = body["prompt"]
        if self.style == "llama-cpp-python":
            if isinstance(prompts, list) and not all(isinstance(p, str) for p in prompts):
                return 422, {"detail": [{"msg": "Input should be a valid string"}]}
            if isinstance(prompts, list) and len(prompts) > 1:
                return 500, {"error": {"message": "assertion failed"}}
        if isinstance(prompts, str) or (prompts and isinstance(prompts[0], int)):
            prompts = [prompts]
        return 200, {"choices": [
            {"index": i, "text": "", **self._choice(prompt, body, len(prompts))}
            for i, prompt in enumerate(prompts)
        ][::-1]}  # fmt: skip

    def _choice(self, prompt: Any, body: dict[str, Any], together: int) -> dict[str, Any]:
        ids = prompt
        if isinstance(prompt, str):
            ids = self.tokenizer.encode(prompt, add_special_tokens=False).ids
        if self.style == "llama-server":
            return {"logprobs": {"content": [{"id": 5, "token": "x", "logprob": -0.1}]}}
        shown = ids
        if self.fault == "other ids":
            ids = shown = [n + 1 for n in ids]
        if self.fault.startswith("doubled bos"):
            ids = [self.bos, *ids]
            shown = ids if self.fault == "doubled bos" else shown
        temperature = {"cold": 0.6, "hot": 2.0, "obedient": body["temperature"]}
        tables = self.model.distributions(ids, temperature.get(self.fault, 1.0))
        logps = [None, *(float(t[i]) for t, i in zip(tables, ids[1:], strict=False))]
        tops = [None, *tables[:-1]]
        last = int(tables[-1].argmax())
        shown, logps, tops = [*shown, last], [*logps, float(tables[-1][last])], [*tops, tables[-1]]
        logps, tops = logps[-len(shown) :], tops[-len(shown) :]
        return self._told(shown, self._spoiled(logps, together), tops, body)

    def _spoiled(self, logps: list[Any], together: int) -> list[Any]:
        if self.fault == "shifted left":
            return [None, *logps[2:], -1.0]
        if self.fault == "shifted right":
            return [None, -5.0, *logps[1:-1]]
        if self.fault == "log10":
            return [None, *(p / math.log(10) for p in logps[1:])]
        if self.fault == "noisy" and together > 1:
            return [None, *(p - 0.05 for p in logps[1:])]
        return logps

    def _told(self, ids: Any, logps: Any, tops: Any, body: dict[str, Any]) -> dict[str, Any]:
        best = [None if t is None else [int(i) for i in np.argsort(t)[::-1][: body["logprobs"]]]
                for t in tops]  # fmt: skip
        scale = math.log(10) if self.fault == "log10" else 1.0
        count = len(ids) - 1
        if self.fault == "truncated echo":
            count -= 3
        if self.style == "vllm":
            tables = [
                None if p is None else {
                    **{str(b): {"logprob": float(t[b]) / scale} for b in found},
                    str(i): {"logprob": p},
                }
                for i, p, t, found in zip(ids, logps, tops, best, strict=True)
            ]  # fmt: skip
            return {"prompt_logprobs": tables[:count]}
        pieces = [self._piece(i) for i in ids]
        kept = [*range(count), len(ids) - 1]
        table = [
            None if t is None else {self._piece(b): float(t[b]) / scale for b in found}
            for t, found in zip(tops, best, strict=True)
        ]
        return {"logprobs": {
            "tokens": [pieces[k] for k in kept],
            "token_logprobs": [logps[k] for k in kept],
            "top_logprobs": [table[k] for k in kept],
        }}  # fmt: skip

    def _piece(self, number: int) -> str:
        return str(self.tokenizer.decode([number], skip_special_tokens=True))


@contextmanager
def running(server: StandInServer) -> Iterator[StandInServer]:
    """The server at an address of its own, in a thread."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._reply(200, {"data": [{"id": server.served}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.paths.append(self.path)
            time.sleep(server.delay)
            if server.style == "chat-only":
                self._reply(404, {"detail": "Not Found"})
            else:
                self._reply(*server.complete(body))

        def _reply(self, status: int, told: Any) -> None:
            data = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *args: object) -> None:  # a client that no longer waits
            pass

    web = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.url = f"http://127.0.0.1:{web.server_port}/v1"
    try:
        yield server
    finally:
        web.shutdown()
        thread.join()
        web.server_close()
