"""Style sheets, scripts and icons: files of our packages at addresses that change with them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


class Assets:
    """Files by the name at which they are served, each made of one file of a package or more.

    >>> assets = Assets({"look.css": ["priscian.web/look.css"]})
    >>> assets.address("look.css").startswith("/static/look.css?v=")
    True
    """

    def __init__(self, files: Mapping[str, Sequence[str]]) -> None:
        self.contents = {name: b"".join(map(_read, parts)) for name, parts in files.items()}
        self.versions = {
            name: hashlib.sha256(content).hexdigest()[:12]
            for name, content in self.contents.items()
        }

    def address(self, name: str) -> str:
        """The address of a file, below that of the pages."""
        return f"/static/{name}?v={self.versions[name]}"

    async def respond(self, request: Request) -> Response:
        """The file that a request names; only those that are listed."""
        name = str(request.path_params["name"])
        if name not in self.contents:
            raise HTTPException(404, "There is no such file.")
        version = self.versions[name]
        tag = f'"{version}"'
        current = request.query_params.get("v") == version
        headers = {"Cache-Control": FOREVER if current else "no-cache", "ETag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        kind = TYPES[name.rpartition(".")[2]]
        return Response(self.contents[name], media_type=kind, headers=headers)


def _read(file: str) -> bytes:
    """The bytes of `PACKAGE/NAME`, from the folder `static` of the package."""
    package, _, name = file.partition("/")
    return (resources.files(package) / "static" / name).read_bytes()
