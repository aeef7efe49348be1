"""The app of a study: routes, errors as pages, and headers on everything."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from priscian.errors import StoreError, StoreFullError
from priscian.judge.app import admin, participant
from priscian.judge.app.headers import SafeHeaders
from priscian.judge.app.limits import PlainFraming
from priscian.judge.app.site import Site
from priscian.judge.app.static import static
from priscian.judge.words import error_text


def make_app(site: Site, closing: Callable[[], None] = lambda: None) -> Starlette:
    """The ASGI app of a study."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        closing()

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
            Route("/static/{name}", static),
            Route("/health", health),
        ],
        middleware=[
            Middleware(SafeHeaders, mturk=site.frozen.study.platform.kind == "mturk"),
            Middleware(PlainFraming),
        ],
        exception_handlers={
            HTTPException: _refused,
            StoreFullError: _store_full,
            StoreError: _store_error,
            500: _unexpected,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return app


async def health(request: Request) -> Response:
    """Whether the store answers, and what a proxy in front says of a request (`judge check`)."""
    site: Site = request.app.state.site
    version = await site.desk.read(lambda store: store.versions()[-1][0])
    return JSONResponse(
        {
            "ok": True,
            "version": version,
            "study": site.frozen.hash,
            "addresses": bool(site.address(request)),
            "forms": site.is_same_origin(request),
        }
    )


def _answer(request: Request, status: int, said: str) -> Response:
    if request.url.path.endswith(("/answers", "/block", ".json")):
        return JSONResponse({"error": said}, status)
    site: Site = request.app.state.site
    said = error_text(site.frozen.study, status, said)
    return site.page("error", request, {"said": said, "status": status}, status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    unknown = error.status_code == 404 and error.detail == "Not Found"  # no route
    said = "There is no such page." if unknown else error.detail
    made = _answer(request, error.status_code, said)
    made.headers.update(error.headers or {})
    return made


async def _store_full(request: Request, error: Exception) -> Response:
    return _answer(request, 507, "The answer could not be saved yet: the disk is full.")


async def _store_error(request: Request, error: Exception) -> Response:
    return _answer(request, 503, "The answer could not be saved yet. Please try again.")


async def _unexpected(request: Request, error: Exception) -> Response:
    return _answer(request, 500, "Something went wrong. Please try again.")
