"""Pages of the researcher: progress, agreement, exclusions, pause, export; behind a token."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from priscian.judge.app.site import site_of
from priscian.judge.export import export_store
from priscian.judge.store import Store
from priscian.judge.summary import summarise
from priscian.web import sessions
from priscian.web.front import go
from priscian.web.limits import read_form

KEY = "admin"
"""The setting of the store that has the hash of the token."""


def new_token(store: Store) -> str:
    """A new token for the researcher; only its hash is kept."""
    token, kept = sessions.new_token()
    with store.backend.transaction():
        store.put(KEY, kept)
    return token


async def login(request: Request) -> Response:
    """Take the token; too many attempts are refused."""
    site = site_of(request)
    site.per_login.take(site.front.address(request))
    site.sessions.check_origin(request, site.front)
    form = await read_form(request)
    kept = await site.desk.read(lambda store: store.setting(KEY))
    if not await run_in_threadpool(sessions.is_token, form.get("token", "")[:200], kept):
        return site.page("login", request, {"problem": "This is not the token."}, 403)
    home = go(request, "/admin")
    site.sessions.begin(request, home, site.front)
    return home


async def logout(request: Request) -> Response:
    """End the session."""
    site = site_of(request)
    await site.sessions.form(request, site.front)
    site.sessions.end(request)
    return go(request, "/admin")


async def overview(request: Request) -> Response:
    """Progress, agreement, accuracy, times and exclusions."""
    site = site_of(request)
    csrf = site.sessions.csrf(request)
    if not csrf:
        return site.page("login", request, {"problem": ""})
    await site.desk.write(lambda store: store.test_key())

    def read(store: Store) -> dict[str, object]:
        summary = summarise(store, site.frozen)
        known = (site.frozen.version, site.frozen.hash) in store.versions()
        return {
            "summary": summary,
            "lists": [(*row, summary.target or "no limit") for row in summary.lists],
            "paused": bool(store.setting("paused")),
            "test_key": store.test_key(),
            "replaced": not known,
            "csrf": csrf,
        }

    return site.page("admin", request, await site.desk.read(read))


async def data(request: Request) -> Response:
    """The same as JSON, for charts."""
    site = site_of(request)
    site.sessions.require(request)
    summary = await site.desk.read(lambda store: summarise(store, site.frozen))
    return Response(msgspec.json.encode(summary), media_type="application/json")


async def pause(request: Request) -> Response:
    """Let nobody begin for a while, or go on."""
    site = site_of(request)
    form = await site.sessions.form(request, site.front)
    paused = "1" if form.get("paused") else ""
    await site.desk.write(lambda store: store.put("paused", paused))
    return go(request, "/admin")


async def release(request: Request) -> Response:
    """Give the places that are held to others."""
    site = site_of(request)
    await site.sessions.form(request, site.front)
    await site.desk.write(lambda store: store.release(site.frozen.version))
    return go(request, "/admin")


async def export_zip(request: Request) -> Response:
    """Everything that `judge export` writes, in one file."""
    site = site_of(request)
    site.sessions.require(request)

    def zipped(store: Store) -> bytes:
        buffer = io.BytesIO()
        with TemporaryDirectory() as folder:
            made = export_store(store, site.frozen, Path(folder))
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in sorted(made.files):
                    archive.write(file, file.name)
        return buffer.getvalue()

    made = await site.desk.read(zipped)
    name = f"{site.frozen.study.name}.zip"
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)  # for what does not read the second
    said = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": said}
    return Response(made, media_type="application/zip", headers=headers)
