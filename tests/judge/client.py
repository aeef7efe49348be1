"""A study in this process, and participants who fill in its forms."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import httpx
from starlette.testclient import TestClient

from priscian.judge.app.admin import new_token
from priscian.judge.app.serve import make_app
from priscian.judge.app.site import Site
from priscian.judge.desk import Desk
from priscian.judge.opening import open_store, ready
from priscian.judge.store import Store


@dataclass
class Served:
    """A study that is served in this process."""

    folder: Path
    site: Site
    client: TestClient

    def store(self) -> Store:
        return open_store(self.folder)

    @cached_property
    def token(self) -> str:
        """The researcher's token; its hash is slow on purpose, and few tests log in."""
        with closing(self.store()) as store:
            return new_token(store)

    def close(self) -> None:
        self.client.__exit__()
        self.site.desk.close()


def serve(folder: Path) -> Served:
    """Serve a folder; redirects are not followed."""
    site = Site(ready(folder), Desk(lambda: open_store(folder)))
    client = TestClient(make_app(site), follow_redirects=False, base_url="http://study.test")
    client.__enter__()  # one event loop for all requests, not a thread for each
    return Served(folder, site, client)


def begin(client: TestClient, **parameters: str) -> str:
    """Agree, and read the instructions; the address of the sitting."""
    done = client.post("/start", data={"consent": "yes", **parameters})
    assert done.status_code == 303, done.text
    place = done.headers["location"]
    client.post(place, data={"step": "instructions"})
    return place


def fields(page: httpx.Response) -> dict[str, str]:
    """Hidden fields of a page's form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text)
    return {name: html.unescape(value) for name, value in found}


def sentences(page: httpx.Response) -> list[str]:
    """The sentences that a trial shows."""
    found = re.findall(r"<span data-sentence [^>]*>([^<]*)<", page.text)
    return [html.unescape(text) for text in found]


def walk(
    client: TestClient, place: str, answer: Callable[[list[str]], str], most: int = 500
) -> httpx.Response:
    """Answer trials by the page's own form until there are no more."""
    for _ in range(most):
        page = client.get(place)
        sent = fields(page)
        if sent.get("step") != "trial":
            return page
        done = client.post(place, data={**sent, "answer": answer(sentences(page))})
        assert done.status_code == 303, done.text
    raise AssertionError("no end")
