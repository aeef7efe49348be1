"""The app of a study: routes, errors as pages, and headers on everything; and how it is served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from priscian.errors import StoreError, StoreFullError
from priscian.judge.app import admin, participant
from priscian.judge.app.platforms import MTURK_FRAMES, MTURK_SUBMIT
from priscian.judge.app.site import ASSETS, Site, site_of
from priscian.judge.desk import Desk
from priscian.judge.opening import open_store, ready
from priscian.judge.study import texts, words
from priscian.web.front import Front, public_address
from priscian.web.headers import SafeHeaders
from priscian.web.limits import PlainFraming
from priscian.web.serve import bound, configured


def make_app(site: Site, closing: Callable[[], None] = lambda: None) -> Starlette:
    """The ASGI app of a study."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        closing()

    mturk = site.frozen.study.platform.kind == "mturk"
    hosts = {"submit_to": MTURK_SUBMIT, "framed_by": MTURK_FRAMES} if mturk else {}
    app = Starlette(
        routes=[
            Route("/", participant.welcome),
            Route("/start", participant.start, methods=["POST"]),
            Route("/s/{token}", participant.show),
            Route("/s/{token}", participant.send, methods=["POST"]),
            Route("/s/{token}/block", participant.block),
            Route("/s/{token}/answers", participant.answers, methods=["POST"]),
            Route("/s/{token}/again", participant.again, methods=["POST"]),
            Route("/admin", admin.overview),
            Route("/admin/login", admin.login, methods=["POST"]),
            Route("/admin/logout", admin.logout, methods=["POST"]),
            Route("/admin/pause", admin.pause, methods=["POST"]),
            Route("/admin/release", admin.release, methods=["POST"]),
            Route("/admin/export.zip", admin.export_zip),
            Route("/admin/data.json", admin.data),
            Route("/static/{name}", ASSETS.respond),
            Route("/health", health),
        ],
        middleware=[
            Middleware(SafeHeaders, own_forms="/admin", **hosts),
            Middleware(PlainFraming),
        ],
        exception_handlers={
            HTTPException: _refused,
            StoreFullError: _saying(507, "The answer could not be saved yet: the disk is full."),
            StoreError: _saying(503, "The answer could not be saved yet. Please try again."),
            500: _saying(500, "Something went wrong. Please try again."),
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return app


async def health(request: Request) -> Response:
    """Whether the store answers, and what a proxy in front says of a request (`judge check`)."""
    site = site_of(request)
    version = await site.desk.read(lambda store: store.versions()[-1][0])
    return JSONResponse(
        {
            "ok": True,
            "version": version,
            "study": site.frozen.hash,
            "addresses": bool(site.front.address(request)),
            "forms": site.front.is_same_origin(request),
        }
    )


def _answer(request: Request, status: int, english: str) -> Response:
    """An error as JSON or as a page: our own words in English, else the study's for this status."""
    if request.url.path.endswith(("/answers", "/block", ".json")):
        return JSONResponse({"error": english}, status)
    site = site_of(request)
    known = words(site.frozen.study)
    said = known.get(f"error_{status}", known["error_500" if status >= 500 else "error_400"])
    said = english if said in texts()["words"].values() else said
    return site.page("error", request, {"said": said, "status": status}, status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    unknown = error.status_code == 404 and error.detail == "Not Found"  # no route
    said = "There is no such page." if unknown else error.detail
    made = _answer(request, error.status_code, said)
    made.headers.update(error.headers or {})
    return made


def _saying(status: int, said: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def respond(request: Request, error: Exception) -> Response:
        return _answer(request, status, said)

    return respond


def serve_study(
    folder: Path,
    *,
    database: str = "",
    host: str = "127.0.0.1",
    port: int = 8000,
    behind_proxy: bool = False,
    url: str = "",
    new_admin_token: bool = False,
    told: Callable[[str], None] = print,
) -> None:
    """Serve a study until it is stopped; the researcher's token is shown once.

    `url` is where people find it behind a proxy; its path is what the proxy has removed.
    """
    public = public_address(url)
    with closing(bound(host, port, behind_proxy)) as listening:
        frozen = ready(folder, database)
        with closing(open_store(folder, database)) as store:
            if new_admin_token or not store.setting(admin.KEY):
                told(f"Researcher's token, shown only now: {admin.new_token(store)}")
            if store.backend.is_open_to_others():
                told(
                    f"warning: others on this machine can read {store.backend.place}: it has what "
                    f"people say about themselves; chmod 600 {store.backend.place}"
                )
        desk = Desk(lambda: open_store(folder, database))
        app = make_app(Site(frozen, desk, Front(behind_proxy, url)), desk.close)
        where = listening.getsockname()
        place = url.rstrip("/") or f"http://{where[0]}:{where[1]}"
        told(f"{frozen.study.name}, version {frozen.version}: {place}/  (you: {place}/admin)")
        uvicorn.Server(configured(app, public.path.rstrip("/"))).run(sockets=[listening])
