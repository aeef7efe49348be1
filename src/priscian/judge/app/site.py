"""What every page needs: the study, its store, its words and templates, and the limits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from priscian.judge.app.limits import Buckets
from priscian.judge.desk import Desk
from priscian.judge.frozen import Frozen
from priscian.judge.markdown import render
from priscian.judge.opening import Versions
from priscian.judge.records import Sitting
from priscian.judge.store import Store
from priscian.judge.study import Study
from priscian.judge.texts import texts
from priscian.judge.words import page_language, words

LOOPBACK = ("127.0.0.1", "::1", "testclient")


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("priscian.judge", "pages"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters["markdown"] = lambda text: Markup(render(text))
    return made


@dataclass(slots=True)
class Site:
    """A study that is being served."""

    frozen: Frozen
    desk: Desk
    behind_proxy: bool = False
    spare_loopback: bool = True
    """Do not count entries from this machine: simulated raters and the researcher."""
    versions: Versions = field(init=False)
    sessions: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Sessions of the researcher: token against forged requests, and when it ends."""
    per_sitting: Buckets = field(default_factory=lambda: Buckets(30, 200))
    per_entry: Buckets = field(default_factory=lambda: Buckets(0.5, 60))
    per_login: Buckets = field(default_factory=lambda: Buckets(0.1, 6))
    environment: Environment = field(default_factory=_environment)

    def __post_init__(self) -> None:
        self.versions = Versions({self.frozen.version: self.frozen})

    def address(self, request: Request) -> str:
        """Whom to count a request for; never stored, never logged."""
        if self.behind_proxy:
            forwarded = request.headers.get("x-forwarded-for", "").split(",")[-1].strip()
            if forwarded:
                return forwarded
        return request.client.host if request.client else ""

    def count_entry(self, request: Request) -> None:
        """Refuse too many entries from one address."""
        address = self.address(request)
        if self.behind_proxy or not self.spare_loopback or address not in LOOPBACK:
            self.per_entry.take(address)

    def token(self, request: Request) -> str:
        """The token of a request, which counts for the limit of its sitting."""
        token = str(request.path_params["token"])
        self.per_sitting.take(token)
        return token

    def known(self, store: Store, token: str) -> Sitting:
        """The sitting of a token; 404 for any other."""
        found = store.sitting(token) if len(token) < 64 else None
        if found is None or found.kind != "person":
            raise HTTPException(404, "There is no such page.")
        return found

    async def sitting(self, request: Request) -> Sitting:
        """The sitting of a request's token."""
        token = self.token(request)
        return await self.desk.read(lambda store: self.known(store, token))

    async def study_of(self, sitting: Sitting) -> Frozen:
        """The version that a sitting began with."""
        found = self.versions.found.get(sitting.version)
        if found is not None:
            return found
        return await self.desk.read(lambda store: self.versions.of(store, sitting.version))

    def page(
        self,
        name: str,
        request: Request,
        values: Mapping[str, Any],
        status: int = 200,
        study: Study | None = None,
    ) -> HTMLResponse:
        """A page of the study; `study` is an earlier version that somebody began with."""
        study = study or self.frozen.study
        text = self.environment.get_template(f"{name}.html").render(
            study=study,
            base=request.scope.get("root_path", ""),
            w=words(study),
            default=texts(study.language),
            page_language=page_language(study),
            now=time.time(),
            **values,
        )
        return HTMLResponse(text, status)
