"""What every page needs: the study, its store, its words and templates, and the limits."""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from priscian.judge.app.flow import Step, step_of
from priscian.judge.app.limits import Buckets
from priscian.judge.app.static import address
from priscian.judge.desk import Desk
from priscian.judge.frozen import Frozen
from priscian.judge.markdown import render
from priscian.judge.opening import Versions
from priscian.judge.records import Entry, Shown, Sitting
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


def _last(header: str) -> str:
    """What the nearest proxy has added to a header that others may have begun."""
    return header.rpartition(",")[2].strip()


def visit_key(entry: Entry) -> str:
    """Under which name a browser remembers the sitting of somebody, without their id."""
    if entry.kind == "test" or not entry.identity:
        return "-" if entry.kind == "person" else entry.kind
    return hashlib.sha256(f"{entry.identity}\n{entry.session}".encode()).hexdigest()[:12]


def _is_local(request: Request) -> bool:
    return request.client is not None and request.client.host in LOOPBACK


@dataclass(frozen=True, slots=True)
class At:
    """Where somebody is: the sitting, the version of the study that it began with, its trials."""

    sitting: Sitting
    frozen: Frozen
    trials: list[Shown]
    identity: str

    @property
    def step(self) -> Step:
        """The page that comes next."""
        return step_of(self.frozen.study, self.sitting, self.trials)

    @property
    def visit(self) -> str:
        """Under which name a browser remembers the sitting."""
        session = str(self.sitting.facts.get("session", ""))
        return visit_key(Entry(identity=self.identity, kind=self.sitting.kind, session=session))


@dataclass(slots=True)
class Site:
    """A study that is being served."""

    frozen: Frozen
    desk: Desk
    behind_proxy: bool = False
    url: str = ""
    """Where participants find the study, if a proxy does not say so."""
    spare_loopback: bool = True
    """Do not count entries from this machine: simulated raters and the researcher."""
    versions: Versions = field(init=False)
    sessions: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Sessions of the researcher: token against forged requests, and when it ends."""
    per_sitting: Buckets = field(default_factory=lambda: Buckets(30, 200))
    per_entry: Buckets = field(default_factory=lambda: Buckets(0.5, 60))
    per_login: Buckets = field(default_factory=lambda: Buckets(0.1, 6))
    unknown: Buckets = field(default_factory=lambda: Buckets(10, 300))
    """Entries behind a proxy that does not say where they come from."""
    environment: Environment = field(default_factory=_environment)

    def __post_init__(self) -> None:
        self.versions = Versions({self.frozen.version: self.frozen})

    def address(self, request: Request) -> str:
        """Whom to count a request for; never stored, never logged.

        Behind a proxy that does not say it, nobody. Of IPv6 the network, since one house has all
        of it.
        """
        if self.behind_proxy:
            said = _last(request.headers.get("x-forwarded-for", ""))
        else:
            said = request.client.host if request.client else ""
        try:
            found = ipaddress.ip_address(said)
        except ValueError:
            return said
        return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else said

    def count_entry(self, request: Request) -> None:
        """Refuse too many entries from one address."""
        address = self.address(request)
        if not address:
            self.unknown.take("")
        elif self.behind_proxy or not self.spare_loopback or not _is_local(request):
            self.per_entry.take(address)

    def origin(self, request: Request) -> str:
        """Scheme and host of our pages, as browsers see them."""
        headers = request.headers
        scheme, host = request.url.scheme, headers.get("host", "")
        if self.behind_proxy:
            scheme = _last(headers.get("x-forwarded-proto", "")) or "https"
            host = _last(headers.get("x-forwarded-host", "")) or host
        if self.url:
            scheme, host, *_ = urlsplit(self.url)
        return f"{scheme}://{host}".lower()

    def is_same_origin(self, request: Request) -> bool:
        """Whether a form comes from a page of ours."""
        return request.headers.get("origin", "").lower() == self.origin(request)

    def token(self, request: Request) -> str:
        """The token of a request, which counts for the limit of its sitting."""
        token = str(request.path_params["token"])
        self.per_sitting.take(token)
        return token

    def known(self, store: Store, token: str) -> Sitting:
        """The sitting of a token; 404 for any other."""
        found = store.sitting(token) if len(token) < 64 else None
        if found is None or found.kind == "model":
            raise HTTPException(404, "There is no such page.")
        return found

    def at(self, store: Store, token: str) -> At:
        """Where the sitting of a token is, as the store has it now."""
        sitting = self.known(store, token)
        frozen = self.versions.of(store, sitting.version)
        return At(sitting, frozen, store.trials(sitting.id), store.identity(sitting.person))

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
            static=address,
            **values,
        )
        return HTMLResponse(text, status)
