"""What a completion server answers, damaged on its way: it is refused, or read as it stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from priscian.models.remote.backend import PLAIN, Prompt, PromptScores
from priscian.models.remote.echo import Models
from priscian.models.remote.openai import Completions, Server
from tests.fuzz.harness import Sample
from tests.fuzz.truths import numbers
from tests.hostile import answer, hostile

FILE = "answer.json"
ROWS = (
    Prompt((1, 5, 7, 9), "<s>The cat sat", (3, 6, 10, 14), opening=3),
    Prompt((1, 6, 8), "<s>Geese ran", (3, 8, 12), opening=3),
)


def logp(row: int, place: int) -> float:
    return -1.25 - row - place / 8


def pieces(row: Prompt) -> list[str]:
    return [row.text[a:b] for a, b in zip((0, *row.ends), row.ends, strict=False)]


def write(folder: Path, choices: list[dict[str, Any]]) -> None:
    told = {"id": "x", "choices": [{"index": n, **c} for n, c in enumerate(choices)]}
    (folder / FILE).write_text(json.dumps(told, indent=1) + "\n")


def make_tables(folder: Path) -> None:
    """In vLLM's form: a table for each place."""
    write(folder, [
        {"prompt_logprobs": [None, *(
            {str(token): {"logprob": logp(n, i), "rank": 1}, "99": {"logprob": -1.0}}
            for i, token in enumerate(row.ids) if i
        )]}
        for n, row in enumerate(ROWS)
    ])  # fmt: skip


def make_echo(folder: Path) -> None:
    """In OpenAI's form: lists of tokens and of their log-probabilities."""
    write(folder, [
        {"logprobs": {
            "tokens": pieces(row),
            "token_logprobs": [None, *(logp(n, i) for i in range(1, len(row.ids)))],
            "top_logprobs": [None, *({" a": -1.0, " b": -2.0} for _ in row.ids[1:])],
        }}
        for n, row in enumerate(ROWS)
    ])  # fmt: skip


def make_models(folder: Path) -> None:
    told = {"object": "list", "data": [{"id": "toy", "created": 7}, {"id": "other"}]}
    (folder / FILE).write_text(json.dumps(told, indent=1) + "\n")


def asked(ask: Callable[[Server], Any]) -> Callable[[Path], Any]:
    """Ask a server that answers with the file."""

    def read(folder: Path) -> Any:
        body = (folder / FILE).read_bytes()
        with hostile(lambda request: [answer(body)]) as server:
            return ask(Server(server.url, timeout=10))

    return read


def scored(ids: bool) -> Callable[[Path], Any]:
    return asked(
        lambda server: Completions(server, "toy", ids=ids, rows=2).request(ROWS, PLAIN, tries=1)
    )


def told(found: list[PromptScores]) -> list[str]:
    return numbers(logp for scores in found for logp in scores.logps[1:])


def choices_of(folder: Path) -> list[dict[str, Any]]:
    """The answers in the order of their prompts."""
    found = json.loads((folder / FILE).read_bytes())["choices"]
    assert sorted(one["index"] for one in found) == [*range(len(ROWS))]
    return sorted(found, key=lambda one: int(one["index"]))


def true_tables(folder: Path) -> list[str]:
    return numbers(
        one["prompt_logprobs"][i][str(token)]["logprob"]
        for row, one in zip(ROWS, choices_of(folder), strict=True)
        for i, token in enumerate(row.ids)
        if i
    )


def true_echo(folder: Path) -> list[str]:
    """Only where all tokens are those that were sent, and no tables come first."""
    values = []
    for row, one in zip(ROWS, choices_of(folder), strict=True):
        assert one["logprobs"]["tokens"][: len(row.ids)] == pieces(row)
        values += one["logprobs"]["token_logprobs"][1 : len(row.ids)]
    return numbers(values)


def true_models(folder: Path) -> list[str]:
    return [one["id"] for one in json.loads((folder / FILE).read_bytes())["data"]]


SERVERS = [
    Sample("answer of a server with tables", FILE, make_tables, scored(ids=True), plain=told,
           truth=true_tables, fields=True),
    Sample("answer of a server that echoes", FILE, make_echo, scored(ids=False), plain=told,
           truth=true_echo, fields=True),
    Sample("answer of a server about its models", FILE, make_models,
           asked(lambda server: server.ask("models", Models, "a list of models", tries=1)),
           plain=lambda found: [one.id for one in found.data], truth=true_models, fields=True),
]  # fmt: skip
