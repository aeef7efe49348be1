"""Whether people can reach a study at its public address: through a proxy, with TLS."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import urljoin, urlsplit

from priscian.errors import DataError
from priscian.files.web import Reply, RequestLimits, WebError, is_local, request

LIMITS = RequestLimits(seconds=20.0, most=1 << 20)
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
        said = json.loads(_get(f"{root}/health", {"Origin": origin}).body)
        served = said["study"]
    except (ValueError, TypeError, KeyError):
        yield f"{root}/health is not an answer of judge serve; does the proxy lead to its port?"
        return
    except WebError as error:
        yield f"{root}/health: {error}; is the study being served, and the proxy running?"
        return
    if parts.scheme == "http" and not is_local(parts.hostname):
        yield f"{root} is not encrypted: anybody on the way can read the answers; set up TLS"
    if served not in hashes:
        yield f"{root} serves another study, or one that was edited since; start judge serve again"
    if not said.get("forms"):
        yield (
            "nobody can log in at /admin, since the proxy changes the Host header: serve with "
            f"`behind_proxy=True` `url={root}`, or let the proxy pass Host and X-Forwarded-Proto"
        )
    if not said.get("addresses"):
        yield (
            "the proxy does not say where requests come from, so that all people share one limit: "
            "let it set X-Forwarded-For"
        )
    try:
        page = _get(f"{root}/admin")  # the first page may ask for an id of the platform
        policy = page.headers.get(
            "content-security-policy", ""
        )  # two headers are joined by a comma
        if "," in policy or not policy.startswith("default-src 'none'"):
            yield (
                "the proxy removes or adds a Content-Security-Policy; let it pass ours unchanged"
            )
        if mturk and "x-frame-options" in page.headers:
            yield "the proxy adds X-Frame-Options, so that MTurk cannot show the study; remove it"
        style = _STYLE.search(page.body.decode("utf-8", "replace"))
        place = urljoin(f"{root}/", style[1]) if style else f"{root}/static/judge.css"
        try:
            kind = _get(place).headers.get("content-type", "").partition(";")[0].strip()
        except WebError:
            kind = "nothing"
        if kind != "text/css":
            yield (
                f"{place} is not our style sheet but {kind}: where the proxy removes a part of the "
                f"path, serve with `url={root}`"
            )
    except WebError as error:
        yield f"{root}/admin: {error}"


def _get(url: str, headers: Mapping[str, str] | None = None) -> Reply:
    """What is at an address; every other status than 200 is an error."""
    reply = request(url, LIMITS, headers=headers)
    if reply.redirect:
        raise WebError("address", f"it redirects to {reply.redirect}; give that address")
    if reply.status != 200:
        raise WebError("broken", f"status {reply.status}")
    return reply
