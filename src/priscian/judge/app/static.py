"""Style, scripts and icon: files of the package, whose addresses change with their content."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

KINDS = {"judge.css": "text/css", "judge.js": "text/javascript", "visit.js": "text/javascript",
         "icon.svg": "image/svg+xml"}  # fmt: skip
FOREVER = "public, max-age=31536000, immutable"


@cache
def _content(name: str) -> bytes:
    return (resources.files("priscian.judge") / "static" / name).read_bytes()


@cache
def _version(name: str) -> str:
    return hashlib.sha256(_content(name)).hexdigest()[:12]


def address(name: str) -> str:
    """The address of a file, below that of the study."""
    return f"/static/{name}?v={_version(name)}"


async def static(request: Request) -> Response:
    """A file; only those that are listed."""
    name = str(request.path_params["name"])
    if name not in KINDS:
        raise HTTPException(404, "There is no such file.")
    tag = f'"{_version(name)}"'
    current = request.query_params.get("v") == _version(name)
    headers = {"Cache-Control": FOREVER if current else "no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(_content(name), media_type=KINDS[name], headers=headers)
