"""Pages of the researcher: progress, agreement, exclusions, pause, export; behind a token."""

from __future__ import annotations

import hashlib
import hmac
import io
import re
import secrets
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from priscian.judge.app.limits import read_form
from priscian.judge.app.site import Site
from priscian.judge.store import Store
from priscian.judge.summary import summarise

COOKIE = "judge_admin"
HOURS = 12
KEY = "admin"


def new_token(store: Store) -> str:
    """A new token for the researcher; only its hash is kept."""
    token = secrets.token_urlsafe(18)
    salt = secrets.token_bytes(16)
    with store.backend.transaction():
        store.put(KEY, f"{salt.hex()}:{_hash(token, salt)}")
    return token


def _hash(token: str, salt: bytes) -> str:
    return hashlib.scrypt(token.encode(), salt=salt, n=2**14, r=8, p=1).hex()


def _matches(token: str, stored: str) -> bool:
    salt, _, known = stored.partition(":")
    return bool(known) and hmac.compare_digest(_hash(token, bytes.fromhex(salt)), known)


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _same_origin(request: Request) -> None:
    """Refuse a form that another site has sent."""
    if not _site(request).is_same_origin(request):
        raise HTTPException(
            403,
            "The request does not come from this page. If a proxy is in front of the study, serve "
            "it with --behind-proxy and --url, the address that you see in your browser.",
        )


def _session(request: Request) -> str:
    """The token against forged requests of the researcher's session; 403 without one."""
    site = _site(request)
    csrf, until = site.sessions.get(request.cookies.get(COOKIE, ""), ("", 0.0))
    if not csrf or until < time.time():
        raise HTTPException(403, "Log in first.")
    return csrf


async def _form(request: Request) -> dict[str, str]:
    """The form of a logged-in researcher, sent from our own page."""
    csrf = _session(request)
    _same_origin(request)
    form = await read_form(request)
    if not hmac.compare_digest(form.get("csrf", "").encode(), csrf.encode()):
        raise HTTPException(403, "The form is out of date; load the page again.")
    return form


async def login(request: Request) -> Response:
    """Take the token; too many attempts are refused."""
    site = _site(request)
    site.per_login.take(site.address(request))
    _same_origin(request)
    form = await read_form(request)
    stored = await site.desk.read(lambda store: store.setting(KEY))
    if not await run_in_threadpool(_matches, form.get("token", "")[:200], stored):
        return site.page("login", request, {"problem": "This is not the token."}, 403)
    now = time.time()
    site.sessions = {k: v for k, v in site.sessions.items() if v[1] > now}
    session = secrets.token_urlsafe(24)
    site.sessions[session] = (secrets.token_urlsafe(18), now + 3600 * HOURS)
    answer = _home(request)
    answer.set_cookie(
        COOKIE,
        session,
        max_age=3600 * HOURS,
        path=f"{request.scope.get('root_path', '')}/admin",
        httponly=True,
        samesite="strict",
        secure=site.origin(request).startswith("https:"),
    )
    return answer


def _home(request: Request) -> RedirectResponse:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/admin", 303)


async def logout(request: Request) -> Response:
    """End the session."""
    await _form(request)
    _site(request).sessions.pop(request.cookies.get(COOKIE, ""), None)
    return _home(request)


async def overview(request: Request) -> Response:
    """Progress, agreement, accuracy, times and exclusions."""
    site = _site(request)
    try:
        csrf = _session(request)
    except HTTPException:
        return site.page("login", request, {"problem": ""})
    await site.desk.write(lambda store: store.test_key())
    values = await site.desk.read(lambda store: _values(store, site))
    return site.page("admin", request, {**values, "csrf": csrf})


def _values(store: Store, site: Site) -> dict[str, object]:
    """What the page shows."""
    known = (site.frozen.version, site.frozen.hash) in store.versions()
    summary = summarise(store, site.frozen)
    return {
        "summary": summary,
        "lists": [(*row, summary.target or "no limit") for row in summary.lists],
        "paused": bool(store.setting("paused")),
        "test_key": store.test_key(),
        "replaced": not known,
    }


async def data(request: Request) -> Response:
    """The same as JSON, for charts."""
    _session(request)
    site = _site(request)
    summary = await site.desk.read(lambda store: summarise(store, site.frozen))
    return JSONResponse(summary.as_dict())


async def pause(request: Request) -> Response:
    """Let nobody begin for a while, or go on."""
    form = await _form(request)
    paused = "1" if form.get("paused") else ""
    await _site(request).desk.write(lambda store: store.put("paused", paused))
    return _home(request)


async def release(request: Request) -> Response:
    """Give the places that are held to others."""
    await _form(request)
    site = _site(request)
    await site.desk.write(lambda store: store.release(site.frozen.version))
    return _home(request)


async def export_zip(request: Request) -> Response:
    """Everything that `judge export` writes, in one file."""
    _session(request)
    site = _site(request)
    made = await site.desk.read(lambda store: _zipped(store, site))
    name = f"{site.frozen.study.name}.zip"
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)  # for what does not read the second
    said = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": said}
    return Response(made, media_type="application/zip", headers=headers)


def _zipped(store: Store, site: Site) -> bytes:
    from priscian.judge.export import export_store

    with TemporaryDirectory() as folder:
        export_store(store, site.frozen, Path(folder))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(Path(folder).rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(folder).as_posix())
        return buffer.getvalue()
