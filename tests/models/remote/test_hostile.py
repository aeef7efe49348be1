"""Servers that answer anything but what they were asked: one line, and nothing is stored."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.hostile import RESET, Pieces, answer, drip, endless, hostile
from tests.models.remote.stand_in import StandInModel, StandInServer

from priscian.cli import run
from priscian.models.registry import find_provider
from priscian.models.remote import openai as http
from priscian.models.remote.backend import PromptEncoder

KEY = "SECRET-KEY-1234567890"
TEXT = "Some geese admired lawyers."
DIGITS = "1" * 5000
ESCAPES = "\x1b[2J\x1b]0;owned\x07\u202e"
DEEP = b"[" * 100_000 + b"]" * 100_000
Change = Callable[[Any], Any]


def ok(text: str) -> bytes:
    return answer(text.encode())


def status(line: str, body: bytes = b"", *headers: str) -> bytes:
    return answer(body, *headers, status=line)


def chunked(*chunks: str) -> bytes:
    return answer("".join(chunks).encode(), "Transfer-Encoding: chunked")


ENDLESS = answer(b"", "Content-Type: application/json", "Transfer-Encoding: chunked")
WRONG_ANYWHERE: dict[str, bytes | Callable[[], Pieces]] = {
    "closed at once": b"",
    "reset": lambda: [RESET],
    "reset in the body": lambda: [answer(b'{"data"', "Content-Length: 100"), RESET],
    "garbage": b"\x00\xff\x80 not HTTP at all\r\n\r\n",
    "its own request back": b"GET /v1/models HTTP/1.1\r\n\r\n",
    "HTTP 0.9": b'{"data": [{"id": "toy"}]}',
    "HTTP 9.9": b"HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "SSH": b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n",
    "status of many digits": b"HTTP/1.1 " + DIGITS.encode() + b" OK\r\n\r\n{}",
    "status in letters": b"HTTP/1.1 abc OK\r\n\r\n{}",
    "status 999": status("999 Odd", b"{}"),
    "length below zero": answer(b"{}", "Content-Length: -1"),
    "length in letters": answer(b"{}", "Content-Length: two"),
    "length of many digits": answer(b"{}", f"Content-Length: {DIGITS}"),
    "two lengths": answer(b"{}", "Content-Length: 2", "Content-Length: 3"),
    "length too large": answer(b'{"data": []}', "Content-Length: 5000"),
    "length too small": answer(b'{"data": [{"id": "toy"}]}', "Content-Length: 9"),
    "chunk size in letters": chunked("zz\r\n{}\r\n0\r\n\r\n"),
    "chunk size of many digits": chunked(f"{DIGITS}\r\n{{}}\r\n0\r\n\r\n"),
    "chunks without an end": chunked("2\r\n{}\r\n"),
    "endless chunks": lambda: endless(ENDLESS, b"10000\r\n" + b" " * 65536 + b"\r\n"),
    "endless body": lambda: endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65536),
    "endless headers": lambda: endless(b"HTTP/1.1 200 OK\r\n", b"X-Header: 1\r\n" * 4096),
    "endless status line": lambda: endless(b"HTTP/1.1 200 ", b"OK" * 32768),
    "a header of 300 kB": answer(b"{}", f"X-Header: {'x' * 300_000}"),
    "a header without a colon": answer(b"{}", "X-Header"),
    "a header with a zero byte": answer(b"{}", "X-Header: a\0b"),
    "switching protocols": status("101 Switching Protocols", b"", "Upgrade: websocket"),
    "not modified": status("304 Not Modified"),
    "no content": status("204 No Content"),
    "an empty body": ok(""),
    "HTML": ok("<html><body>Log in first</body></html>"),
    "JSON of another kind": ok("[1, 2, 3]"),
    "a number": ok("12"),
    "null": ok("null"),
    "a string": ok(json.dumps(ESCAPES)),
    "an empty object": ok("{}"),
    "half an object": ok('{"data": [{"id": "to'),
    "two objects": ok('{"data": []}{"data": []}'),
    "a number of 5,000 digits": ok(DIGITS),
    "1e999": ok("1e999"),
    "NaN": ok("NaN"),
    "Infinity": ok("-Infinity"),
    "nested 100,000 deep": answer(DEEP),
    "nested in a field": answer(b'{"x": ' + DEEP + b"}"),
    "a lone surrogate": ok('{"x": "\\ud800"}'),
    "not UTF-8": answer(b'"\xff\xfe"'),
    "UTF-16": answer('{"data": []}'.encode("utf-16")),
    "zero bytes": answer(b"\0" * 1000),
    "compressed": answer(gzip.compress(b'{"data": []}'), "Content-Encoding: gzip"),
    "a bomb": answer(gzip.compress(b" " * 50_000_000), "Content-Encoding: gzip"),
    "not really compressed": answer(b"{}", "Content-Encoding: br"),
    "redirect elsewhere": status("302 Found", b"", "Location: http://127.0.0.2:9/v1/models"),
    "redirect to another scheme": status("301 Moved", b"", "Location: file:///etc/passwd"),
    "redirect to itself": status("307 Temporary Redirect", b"", "Location: models"),
    "redirect to nowhere": status("308 Permanent Redirect"),
    "redirect to nonsense": status("303 See Other", b"", "Location: http://[::1:99999/\xff"),
    "redirect with escapes": status("302 Found", b"", f"Location: /{ESCAPES[:4]}"),
    "redirect with a key": status("302 Found", b"", f"Location: http://127.0.0.2/?key={KEY}"),
    "redirect to 5,000 digits": status("302 Found", b"", f"Location: http://127.0.0.2/{DIGITS}"),
    "not allowed, with the key": status("401 Unauthorized", f"your key {KEY} is wrong".encode()),
    "not allowed, in nested JSON": status("403 Forbidden", DEEP),
    "an error with escapes": status("418 Teapot", json.dumps({"error": ESCAPES}).encode()),
    "an error with many digits": status("400 Bad", f'{{"error": {DIGITS}}}'.encode()),
    "an error that is not UTF-8": status("500 Oops", b"\xff\xfe\x1b[2J"),
    "an error of 3 MB": status("402 Pay", b"x" * 3_000_000),
    "an endless error": lambda: endless(b"HTTP/1.1 410 Gone\r\n\r\n", b"x" * 65536),
    "busy for ever": status("503 Busy", b"{}", "Retry-After: inf"),
    "busy for NaN": status("429 Slow", b"[[[]]]", "Retry-After: nan"),
    "busy for many digits": status("429 Slow", b'{"error": {}}', f"Retry-After: {DIGITS}"),
    "cookies": answer(b"[]", f"Set-Cookie: a=b; expires={DIGITS}", "Set-Cookie: =;=;\x01"),
}
SLOW: dict[str, Callable[[], Pieces]] = {
    "silent": lambda: [3600.0],
    "a byte of a header now and then": lambda: drip(b"HTTP/1.1 200 OK\r\nX-Header: "),
    "a byte of the body now and then": lambda: drip(b"HTTP/1.1 200 OK\r\n\r\n"),
    "a chunk now and then": lambda: endless(ENDLESS, b"1\r\n \r\n", 0.05),
    "hints for ever": lambda: endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 99),
}
WRONG_MODELS = {
    "no list": '{"data": null}',
    "a list of numbers": '{"data": [1, 2]}',
    "a list of null": '{"data": [null]}',
    "an id of null": '{"data": [{"id": null}]}',
    "an id of 5,000 digits": f'{{"data": [{{"id": {DIGITS}}}]}}',
    "an empty id": '{"data": [{"id": ""}]}',
    "an id of 1 MB": json.dumps({"data": [{"id": "x" * 1_000_000}]}),
    "an id with escapes": json.dumps({"data": [{"id": f"toy{ESCAPES}"}]}),
    "an id with a line break": json.dumps({"data": [{"id": "toy\npriscian: done"}]}),
    "two ids with escapes": json.dumps({"data": [{"id": ESCAPES}, {"id": ESCAPES * 99}]}),
    "the key as two ids": json.dumps({"data": [{"id": KEY}, {"id": f"{KEY}2"}]}),
    "5,000 ids": json.dumps({"data": [{"id": f"m{n}"} for n in range(5000)]}),
    "no models": '{"data": []}',
}


def choices(value: Any) -> Change:
    return lambda told: {**told, "choices": value}


def choice(**changes: Any) -> Change:
    return lambda told: {**told, "choices": [{**c, **changes} for c in told["choices"]]}


def tables(change: Callable[[Any], Any]) -> Change:
    """Another table of probabilities at the second place, in vLLM's form."""

    def changed(told: Any) -> Any:
        rows = [list(c["prompt_logprobs"]) for c in told["choices"]]
        for row in rows:
            row[1] = change(row[1])
        pairs = zip(told["choices"], rows, strict=True)
        return {**told, "choices": [{**c, "prompt_logprobs": row} for c, row in pairs]}

    return changed


def entry(logprob: Any) -> Change:
    return tables(lambda table: {token: {"logprob": logprob} for token in table})


def echo(**changes: Any) -> Change:
    """The answer of a server that echoes text, with a change."""
    told = {"tokens": ["a"], "token_logprobs": [None], "top_logprobs": [None]}
    return choice(prompt_logprobs=None, logprobs={**told, **changes})


WRONG_COMPLETIONS: dict[str, Change] = {
    "no choices": lambda told: {},
    "choices of null": choices(None),
    "choices as an object": choices({}),
    "choices as a text": choices("abc"),
    "no choice": choices([]),
    "a choice of null": choices([None]),
    "a choice as a text": choices(["abc"]),
    "a choice as a list": choices([[]]),
    "too many choices": lambda told: {"choices": told["choices"] * 9},
    "an index in letters": choice(index="abc"),
    "an index of null": choice(index=None),
    "an index below zero": choice(index=-1),
    "an index that is too large": choice(index=10**6),
    "an index of 1.5": choice(index=1.5),
    "an index of NaN": choice(index=float("nan")),
    "an index of Infinity": choice(index=float("inf")),
    "an index of 5,000 digits": choice(index="@1"),
    "an index that is true": choice(index=True),
    "tables of text": choice(prompt_logprobs="abc"),
    "tables of a number": choice(prompt_logprobs=-1.0),
    "tables of numbers": choice(prompt_logprobs=[None, -1.0]),
    "tables of null": choice(prompt_logprobs=[None] * 9),
    "one table": choice(prompt_logprobs=[None]),
    "a table of null": tables(lambda table: None),
    "a table of a number": tables(lambda table: -1.0),
    "an empty table": tables(lambda table: {}),
    "entries of null": tables(lambda table: dict.fromkeys(table)),
    "entries of numbers": tables(lambda table: dict.fromkeys(table, -1.0)),
    "entries without a value": tables(lambda table: {t: {} for t in table}),
    "other tokens": tables(lambda table: {f"{t}{DIGITS}": e for t, e in table.items()}),
    "log-probability 1e9": entry(1e9),
    "log-probability 0.1": entry(0.1),
    "log-probability -1e308": entry(-1e308),
    "log-probability 1e308": entry(1e308),
    "log-probability NaN": entry(float("nan")),
    "log-probability -Infinity": entry(float("-inf")),
    "log-probability Infinity": entry(float("inf")),
    "log-probability null": entry(None),
    "log-probability true": entry(True),
    "log-probability text": entry("-1"),
    "log-probability list": entry([-1]),
    "log-probability 5,000 digits": entry("@1"),
    "log-probability -10^400": entry("@2"),
    "log-probability 1e999": entry("@3"),
    "impossible further tokens": tables(
        lambda table: {**table, **{str(n): {"logprob": -0.1} for n in range(900_000, 900_009)}}
    ),
    "log-probabilities of text": choice(prompt_logprobs=None, logprobs="abc"),
    "log-probabilities of a list": choice(prompt_logprobs=None, logprobs=[1]),
    "no log-probabilities": choice(prompt_logprobs=None, logprobs=None),
    "tokens of null": echo(tokens=[None]),
    "tokens of numbers": echo(tokens=[1, 2], token_logprobs=[None, -1.0]),
    "tokens without values": echo(tokens=["a", "b"]),
    "tokens with escapes": echo(tokens=[ESCAPES, KEY], token_logprobs=[None, -1]),
    "a lone surrogate as a token": echo(tokens=["\ud800"]),
    "ids of 5,000 digits": echo(tokens=[f"token_id:{DIGITS}"]),
    "ids with a superscript": echo(tokens=["token_id:²"]),
    "ids in another script": echo(tokens=["token_id:٣"]),
    "bytes that are none": echo(tokens=["bytes:\\xzz"]),
    "top tokens as a number": echo(top_logprobs=5),
    "top tokens as text": echo(top_logprobs="abc"),
    "top tokens of numbers": echo(top_logprobs=[5]),
    "top tokens of null": echo(top_logprobs=[{"a": None}]),
    "top tokens above 0": echo(top_logprobs=[{"a": 800.0}]),
    "values as text": echo(token_logprobs="a"),
    "values that are objects": echo(token_logprobs=[{}]),
}
# What Python's own JSON does not write.
MARKS = [("@1", DIGITS), ("@2", "-1" + "0" * 400), ("@3", "1e999")]


@pytest.fixture
def asked(
    encoder: PromptEncoder,
    models: list[StandInModel],
    tokenizer_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Callable[..., str]]:
    """Score a text with a server that is honest but for one thing; returns the error's line."""
    monkeypatch.setenv(http.TOKEN, KEY)
    monkeypatch.setattr(http, "FIRST_WAIT", 0.001)
    find_provider.cache_clear()
    assert encoder.bos is not None
    inside = StandInServer(models[0], encoder.tokenizer.fast, encoder.bos)
    scored = list(encoder.row(TEXT).ids)

    def ask(stage: str, wrong: bytes | Callable[..., Any], options: str = "") -> str:
        def reply(request: bytes) -> Pieces:
            head, _, body = request.partition(b"\r\n\r\n")
            if head.startswith(b"GET"):
                now, told = "models", {"data": [{"id": "toy"}]}
            else:
                asking = json.loads(body)
                last = any(prompt == scored for prompt in asking["prompt"])
                now, told = ("text" if last else "completions"), inside.complete(asking)[1]
            if now != stage and not (stage == "completions" and now == "text"):
                return [answer(json.dumps(told).encode())]
            assert f"Authorization: Bearer {KEY}".encode() in head
            if isinstance(wrong, bytes):
                return [wrong]
            if wrong in WRONG_ANYWHERE.values() or wrong in SLOW.values():
                return wrong()
            text = json.dumps(wrong(told))
            for mark, stands_for in MARKS:
                text = text.replace(f'"{mark}"', stands_for)
            return [answer(text.encode())]

        with hostile(reply) as server:
            string = f"openai:{server.url}/v1?revision=r1&tokenizer={tokenizer_folder}{options}"
            capsys.readouterr()
            code = run(["surprisal", string, TEXT, "--tsv"])
        shown = capsys.readouterr()
        assert code == 1, shown
        assert shown.out == ""
        (line,) = shown.err.splitlines()
        assert line.startswith("priscian: ")
        assert "unexpected" not in line
        assert "Traceback" not in line
        assert KEY not in line
        assert line.isprintable()
        assert len(line) < 1600
        assert stored(cache) == 0
        return line

    yield ask
    find_provider.cache_clear()


def stored(cache: Path) -> int:
    """Rows of all score stores in the cache folder."""
    rows = 0
    for file in cache.rglob("*.sqlite"):
        with sqlite3.connect(file) as db:
            tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
            if "scores" in tables:
                rows += db.execute("SELECT count(*) FROM scores").fetchone()[0]
        db.close()
    return rows


@pytest.mark.parametrize("elsewhere", ["127.0.0.2", "127.0.0.1"])
@pytest.mark.parametrize("stage", ["models", "completions"])
@pytest.mark.parametrize("status_line", ["301 Moved", "302 Found", "307 Temporary", "308 Gone"])
def test_the_key_and_the_texts_are_never_sent_to_where_a_server_redirects(
    asked: Callable[..., str], stage: str, elsewhere: str, status_line: str
) -> None:
    with hostile(lambda request: [ok("{}")], host=elsewhere) as other:
        line = asked(stage, status(status_line, b"", f"Location: {other.url}/v1/models"))
        assert f"redirects to {other.url}/v1/models; nothing was sent there" in line
        assert other.heard == []


@pytest.mark.parametrize("name", WRONG_ANYWHERE)
def test_any_wrong_answer_to_the_first_question_is_one_line(
    asked: Callable[..., str], name: str
) -> None:
    assert "127.0.0.1" in asked("models", WRONG_ANYWHERE[name])


@pytest.mark.parametrize("name", WRONG_MODELS)
def test_a_wrong_list_of_models_is_one_line(asked: Callable[..., str], name: str) -> None:
    asked("models", ok(WRONG_MODELS[name]))


@pytest.mark.parametrize("name", WRONG_ANYWHERE)
def test_any_wrong_answer_to_a_text_is_one_line(asked: Callable[..., str], name: str) -> None:
    asked("completions", WRONG_ANYWHERE[name])


@pytest.mark.parametrize("stage", ["models", "completions"])
@pytest.mark.parametrize("name", SLOW)
def test_a_server_that_never_ends_is_left_at_the_deadline(
    asked: Callable[..., str], name: str, stage: str
) -> None:
    line = asked(stage, SLOW[name], "&timeout=0.4")
    assert "did not answer within 0.4 s; raise timeout=SECONDS" in line


@pytest.mark.parametrize("name", WRONG_COMPLETIONS)
def test_a_wrong_completion_is_one_line(asked: Callable[..., str], name: str) -> None:
    asked("completions", WRONG_COMPLETIONS[name])


@pytest.mark.parametrize("name", WRONG_COMPLETIONS)
def test_a_wrong_completion_after_the_canary_is_one_line(
    asked: Callable[..., str], name: str
) -> None:
    asked("text", WRONG_COMPLETIONS[name])
