"""Whether people can reach a study at its public address: through a proxy, with TLS."""

from __future__ import annotations

import http.client
import ipaddress
import json
import re
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator
from email.message import Message
from urllib.parse import urljoin, urlsplit

from priscian.errors import DataError

PATIENCE = 20.0
"""Seconds to wait for an answer."""
_STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)"')


def reach_problems(url: str, hashes: Collection[str], mturk: bool = False) -> Iterator[str]:
    """What keeps people from a study at `url`, or from its researcher's page; one line each.

    `hashes` are those of the study that should be there.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(f"url {url!r} is not an address; write https://study.example.org")
    root = url.rstrip("/")
    origin = f"{parts.scheme}://{parts.netloc}"
    try:
        _, body = _get(f"{root}/health", {"Origin": origin})
        said = json.loads(body)
        served = said["study"]
    except (ValueError, TypeError, KeyError):
        yield f"{root}/health is not an answer of judge serve; does the proxy lead to its port?"
        return
    except OSError as error:
        yield f"{root}/health: {_reason(error)}; is the study being served, and the proxy running?"
        return
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        yield f"{root} is not encrypted: anybody on the way can read the answers; set up TLS"
    if served not in hashes:
        yield f"{root} serves another study, or one that was edited since; start judge serve again"
    if not said.get("forms"):
        yield (
            "nobody can log in at /admin, since the proxy changes the Host header: serve with "
            f"--behind-proxy --url {root}, or let the proxy pass Host and X-Forwarded-Proto"
        )
    if not said.get("addresses"):
        yield (
            "the proxy does not say where requests come from, so that all people share one limit: "
            "let it set X-Forwarded-For"
        )
    try:
        yield from _page_problems(root, mturk)
    except OSError as error:
        yield f"{root}/admin: {_reason(error)}"


def _page_problems(root: str, mturk: bool) -> Iterator[str]:
    headers, body = _get(f"{root}/admin")  # the first page may ask for an id of the platform
    policies = headers.get_all("Content-Security-Policy") or []
    if len(policies) != 1 or not policies[0].startswith("default-src 'none'"):
        yield "the proxy removes or adds a Content-Security-Policy; let it pass ours unchanged"
    if mturk and headers.get("X-Frame-Options"):
        yield "the proxy adds X-Frame-Options, so that MTurk cannot show the study; remove it"
    style = _STYLE.search(body)
    place = urljoin(f"{root}/", style[1]) if style else f"{root}/static/judge.css"
    try:
        kind = _get(place)[0].get_content_type()
    except OSError:
        kind = "nothing"
    if kind != "text/css":
        yield (
            f"{place} is not our style sheet but {kind}: where the proxy removes a part of the "
            f"path, serve with --url {root}"
        )


def _get(url: str, headers: dict[str, str] | None = None) -> tuple[Message, str]:
    """The headers and the text of an answer; other statuses than 200 are errors."""
    request = urllib.request.Request(url, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.headers, answer.read(1_000_000).decode("utf-8", "replace")
    except http.client.HTTPException as error:
        raise OSError(f"not HTTP ({error!r})") from None


def _reason(error: OSError) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"status {error.code}"
    return str(getattr(error, "reason", "") or error.strerror or error)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host).is_loopback
    except ValueError:
        return False
