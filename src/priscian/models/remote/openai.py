"""`openai:URL` — a server with OpenAI's completions and echoed log-probabilities.

Answers are typed, requests are repeated with back-off within one deadline, errors are one line.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from priscian.errors import BackendError, UsageError, brief, flat
from priscian.models.hf.loading import tokenizer_content
from priscian.models.hf.locate import Location
from priscian.models.remote.backend import (
    PLAIN,
    Ask,
    Prompt,
    PromptEncoder,
    PromptScorer,
    PromptScores,
)
from priscian.models.remote.echo import Completion, Models, read_choice
from priscian.models.remote.provider import SHARED_OPTIONS, BackendProvider, make_encoder, number
from priscian.models.spec import ModelSpec, some_of

if TYPE_CHECKING:
    from priscian.files.web import Reply, WebError

Form = TypeVar("Form")

TRIES = 6
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better a little later."""
TOKEN = "PRISCIAN_API_KEY"
"""Environment variable with the key of a server that wants one."""
KEPT = "what was scored is kept: repeat the command, with `resume=True` if it has `out=`"
MEGABYTE = 1 << 20
ROWS = 16
"""Texts in one request, where a server takes several."""
NOT_IDS = frozenset({400, 415, 422, 500, 501})
"""Answers of servers that do not take token ids as a prompt."""
ROOM = 4096
"""Bytes that the answer may have for each token: a few times what servers send."""
WAY = "completions"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that takes and gives JSON; `timeout` is for a request with all its retries."""

    base: str
    timeout: float = 120.0

    def ask(
        self,
        path: str,
        form: type[Form],
        what: str,
        *,
        body: dict[str, Any] | None = None,
        most: int = 4 * MEGABYTE,
        tries: int = TRIES,
    ) -> Form:
        """An answer to POST, or without a body to GET, which is asked once.

        Busy servers and lost connections are tried again while time is left. `what` names what is
        expected; `most` is the largest answer, in bytes.
        """
        wait, end = FIRST_WAIT, time.monotonic() + self.timeout
        for left in range(tries - 1, -1, -1):
            try:
                return self._send(path, body, form, what, end - time.monotonic(), most)
            except _Later as later:
                pause = min(max(wait, later.wait), LONGEST_WAIT)
                if not left or time.monotonic() + pause >= end:
                    raise later.error from None
            time.sleep(pause)
            wait *= 2
        raise AssertionError("a loop without end")

    def _send(
        self,
        path: str,
        body: dict[str, Any] | None,
        form: type[Form],
        what: str,
        seconds: float,
        most: int,
    ) -> Form:
        from priscian.files.web import RequestLimits, WebError, request

        url = f"{self.base}/{path}"
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if api_key():
            headers["Authorization"] = f"Bearer {api_key()}"
        try:
            reply = request(url, RequestLimits(seconds, most), headers=headers, body=data)
        except WebError as error:
            raise self._failed(url, error, f"; {KEPT}" if body else "") from None
        if not 200 <= reply.status < 300:
            raise _refused(url, reply)
        if reply.headers.get("content-encoding", "").lower() not in ("", "identity"):
            raise BackendError(f"{url} compresses its answers; turn that off on the server")
        try:
            return msgspec.json.decode(reply.body, type=form)
        except msgspec.ValidationError as error:
            wrong = f"{what} ({brief(flat(error))})"
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            wrong = "JSON"
        raise BackendError(
            f"{url} answered something that is not {wrong}; check the URL and the server"
        )

    def _failed(self, url: str, error: WebError, kept: str) -> Exception:
        """The error for a request without an answer, and whether it may be repeated."""
        match error.kind:
            case "address":
                return BackendError(f"{url} cannot be asked ({error}); correct the URL")
            case "trust":
                return BackendError(
                    f"{url} cannot be trusted ({error}); correct the URL, or name the file with "
                    f"its certificates in SSL_CERT_FILE"
                )
            case "size":
                return BackendError(f"{url} answered too much ({error}); check the server")
            case "time":
                return BackendError(
                    f"{url} did not answer within {self.timeout:g} s; raise timeout=SECONDS or "
                    f"lower parallel={kept}"
                )
            case "reach":
                return _Later(
                    f"no server at {self.base} ({error}); start it, or correct the URL{kept}"
                )
            case "broken":
                return _Later(f"lost the connection to {url} ({error}); check the server{kept}")


class _Later(Exception):
    """An error that may be gone after a while."""

    def __init__(self, said: str, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(said)
        self.error = BackendError(said, status)
        self.wait = wait


def api_key() -> str:
    """The key for servers, empty if there is none."""
    key = os.environ.get(TOKEN, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise BackendError(f"{TOKEN} has characters that no API key has; set it again")
    return key


@contextlib.contextmanager
def discreet() -> Iterator[None]:
    """Hides the API key in errors, where a server says it."""
    try:
        yield
    except BackendError as error:
        key, said = api_key(), str(error)
        if key and key in said:
            raise BackendError(said.replace(key, "…"), error.status) from None
        raise


def _refused(url: str, reply: Reply) -> Exception:
    """The error for a server that answered with one, or sends us elsewhere."""
    if reply.redirect is not None:
        return BackendError(
            f"{url} redirects to {brief(reply.redirect) or 'nowhere'}; nothing was sent there: "
            f"write the address of the server itself",
            reply.status,
        )
    remedy = {
        401: f"set {TOKEN} to the server's API key",
        403: f"set {TOKEN} to the server's API key",
        404: "check the URL and model= (the URL ends in /v1 for most servers)",
        429: f"it limits requests; {KEPT}",
    }.get(reply.status, KEPT if reply.status in BUSY else "check the server and its log")
    said = f"{url} answered {reply.status} ({_said(reply.body)}); {remedy}"
    if reply.status in BUSY:
        try:
            wait = max(0.0, float(reply.headers.get("retry-after", "")))
        except ValueError:  # it does not say a number of seconds
            wait = 0.0
        return _Later(said, reply.status, 0.0 if math.isnan(wait) else wait)
    return BackendError(said, reply.status)


def _said(body: bytes) -> str:
    """What a server says of an error, in a few words."""
    text = body.decode("utf-8", "replace")
    try:
        told: Any = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        told = text
    while isinstance(told, dict | list) and told:
        if isinstance(told, list):
            told = told[0]
        else:
            names = ("error", "message", "detail", "msg")
            told = next((told[n] for n in names if n in told), text)
    return brief(told if isinstance(told, str) else text) or "no reason given"


class OpenAIProvider(BackendProvider):
    """Models behind an OpenAI-compatible completion server (vLLM, llama-cpp-python)."""

    example = "openai:http://localhost:8000/v1?revision=REV&tokenizer=PATH"

    options = SHARED_OPTIONS | {"model", "revision", "timeout", "parallel"}
    may_change = True

    def identity(self, spec: ModelSpec) -> dict[str, str]:
        """URL, served model and the user's revision; tokenizer, BOS policy and tolerance."""
        revision = spec.revision or spec.options.get("revision", "")
        if not revision:
            raise UsageError(
                f"{spec} needs revision=: a server does not say which weights it has; "
                f"write the commit or step that you serve"
            )
        if "tokenizer" not in spec.options:
            raise UsageError(
                f"{spec} needs tokenizer=: the folder or Hub name of the served model's tokenizer"
            )
        return {
            "provider": spec.provider,
            "url": base_url(spec.id),
            "model": served_model(spec, server_of(spec)),
            "revision": revision,
            "tokenizer": tokenizer_content(spec),
            "bos": spec.options.get("bos", "auto"),
            "method": WAY,
        }

    def connect(self, spec: ModelSpec) -> tuple[PromptScorer, PromptEncoder]:
        """The server, after one small question in each form that it may understand."""
        server = server_of(spec)
        model = served_model(spec, server)
        encoder = make_encoder(spec, Location(""))
        parallel = number(spec, "parallel", "4", 1, 256)
        return shake_hands(server, model, encoder.row("The cat sat."), int(parallel)), encoder


class Completions:
    """Requests to `/completions` with `echo`, as token ids or as text."""

    def __init__(
        self, server: Server, model: str, *, ids: bool, rows: int = 1, parallel: int = 1
    ) -> None:
        self.server = server
        self.model = model
        self.ids = ids
        self.rows = rows
        self.parallel = parallel
        self.context_length: int | None = None
        self.notes: Mapping[str, str] = {
            "engine": f"completion server, {model}",
            "requests": f"{'token ids' if ids else 'text'}, {rows} in a request",
        }

    def logprobs(self, rows: Sequence[Prompt], ask: Ask = PLAIN) -> list[PromptScores]:
        """Answers in the order of the rows, several requests at a time."""
        size = self.rows if ask.together else 1
        parts = [rows[at : at + size] for at in range(0, len(rows), size)]
        if len(parts) == 1 or not ask.together:
            return [answer for part in parts for answer in self.request(part, ask)]
        with ThreadPoolExecutor(self.parallel) as pool:
            found = pool.map(lambda part: self.request(part, ask), parts)
            return [answer for part in found for answer in part]

    def request(self, rows: Sequence[Prompt], ask: Ask, tries: int = TRIES) -> list[PromptScores]:
        """One request; the answers are checked token by token."""
        prompts: list[Any] = [list(row.ids) if self.ids else row.text for row in rows]
        body = {
            "model": self.model,
            "prompt": prompts if self.ids or len(prompts) > 1 else prompts[0],
            "echo": True,
            "logprobs": ask.top,
            "max_tokens": 1,
            "temperature": ask.temperature,
            "seed": 0,
            "add_special_tokens": False,  # this and the next two are understood by vLLM
            "return_tokens_as_token_ids": True,
            "prompt_logprobs": ask.top,
        }
        most = MEGABYTE + ROOM * sum(len(row.ids) for row in rows)
        url, what = self.server.base, "a completion with log-probabilities"
        with discreet():
            told = self.server.ask(
                "completions", Completion, what, body=body, most=most, tries=tries
            )
            choices = sorted(told.choices, key=lambda choice: choice.index)
            if len(choices) != len(rows):
                raise BackendError(
                    f"{url} gave {len(choices)} answers to {len(rows)} prompts; check the server"
                )
            if [choice.index for choice in choices] != [*range(len(rows))]:
                raise BackendError(
                    f"{url} does not say which answer is to which prompt (index); update the server"
                )
            return [read_choice(url, *pair) for pair in zip(rows, choices, strict=True)]


def shake_hands(server: Server, model: str, row: Prompt, parallel: int) -> Completions:
    """Find out whether a server takes ids, and several prompts at once."""
    ids = True
    try:
        Completions(server, model, ids=True).request([row], PLAIN, tries=1)
    except BackendError as refused:
        if refused.status not in NOT_IDS:
            raise
        ids = False
        Completions(server, model, ids=False).request([row], PLAIN)
    several = Completions(server, model, ids=ids, rows=ROWS, parallel=parallel)
    try:
        several.request([row, row], PLAIN, tries=1)
    except BackendError:
        return Completions(server, model, ids=ids, parallel=parallel)
    return several


def base_url(text: str) -> str:
    """The address that `/completions` is added to; without a path it is `/v1`.

    >>> base_url("http://localhost:8000"), base_url("http://localhost:8000/v1/completions/")
    ('http://localhost:8000/v1', 'http://localhost:8000/v1')
    """
    url = text.rstrip("/").removesuffix("/completions").removesuffix("/chat")
    if not re.fullmatch(r"https?://[^/\s?#]+(/[^\s?#]*)?", url) or not url.isprintable():
        raise UsageError(f"{text!r} is not the address of a server; write openai:http://HOST:PORT")
    if not re.match(r"https?://([^/@:]+|\[[^/@]+\])(:[0-9]{1,5})?(/|$)", url):
        raise UsageError(  # without the password
            f"the address of a server is http://HOST:PORT, without user name or password; set "
            f"{TOKEN} to its API key"
        )
    return url if "/" in url.partition("://")[2] else f"{url}/v1"


def server_of(spec: ModelSpec) -> Server:
    """The server that a model string names."""
    return Server(base_url(spec.id), number(spec, "timeout", "120", 0.01, 86_400))


def served_model(spec: ModelSpec, server: Server) -> str:
    """The name of the model on the server: `model=`, or the only one that it has."""
    named = spec.options.get("model", "")
    with discreet():
        try:
            known = [m.id for m in server.ask("models", Models, "a list of models", tries=1).data]
        except BackendError as refused:
            if refused.status != 404:
                raise
            known = []  # a server that does not list its models
        if named and (named in known or not known):
            return named
        listed = some_of([brief(name) for name in known]) or "it lists none"
        if named:
            raise BackendError(f"{server.base} has no model {named!r} ({listed}); correct model=")
        if len(known) != 1:
            raise BackendError(
                f"{server.base} has {len(known)} models ({listed}); name one with model="
            )
        if not known[0].isprintable():
            raise BackendError(
                f"{server.base} has a model whose name cannot be printed ({listed}); serve it "
                f"under another name"
            )
        return known[0]
