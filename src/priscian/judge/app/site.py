"""What every page needs: the study, its store, its words and templates, and the limits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from priscian.judge.desk import Desk
from priscian.judge.frozen import Frozen
from priscian.judge.opening import Versions
from priscian.judge.sitting import At
from priscian.judge.store import Sitting, Store
from priscian.judge.study import Study, page_language, texts, words
from priscian.web.assets import Assets
from priscian.web.front import Front, is_local, root_of
from priscian.web.limits import Buckets
from priscian.web.sessions import Sessions

ASSETS = Assets(
    {
        "judge.css": ["priscian.web/look.css", "priscian.judge/judge.css"],
        "judge.js": ["priscian.judge/judge.js"],
        "visit.js": ["priscian.judge/visit.js"],
        "icon.svg": ["priscian.judge/icon.svg"],
    }
)
REFUSED_FORM = (
    "The request does not come from this page. If a proxy is in front of the study, serve it with "
    "behind_proxy and url, the address that you see in your browser."
)
_MARKDOWN = MarkdownIt("zero").enable(["heading", "list", "emphasis", "backticks", "link"])
_MARKDOWN.validateLink = lambda url: url.startswith(("http://", "https://", "mailto:"))  # type: ignore[method-assign]


@cache
def render(text: str) -> str:
    """HTML of a text in Markdown; every character that HTML could read as its own is escaped.

    >>> render("**Two** sentences < one.")
    '<p><strong>Two</strong> sentences &lt; one.</p>'
    """
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"  # the page's own title is the only h1
        for part in token.children or ():
            if part.type == "link_open":
                part.attrSet("rel", "noreferrer noopener")
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})).strip()


PAGES = Environment(
    loader=PackageLoader("priscian.judge", "pages"), autoescape=True, trim_blocks=True,
    lstrip_blocks=True,
)  # fmt: skip
PAGES.filters["markdown"] = lambda text: Markup(render(text))


def site_of(request: Request) -> Site:
    """The study that a request is about."""
    site: Site = request.app.state.site
    return site


@dataclass(slots=True)
class Site:
    """A study that is being served."""

    frozen: Frozen
    desk: Desk
    front: Front = field(default_factory=Front)
    spare_loopback: bool = True
    """Do not count entries from this machine: simulated raters and the researcher."""
    versions: Versions = field(init=False)
    sessions: Sessions = field(
        default_factory=lambda: Sessions("judge_admin", "/admin", REFUSED_FORM)
    )
    """Sessions of the researcher."""
    per_sitting: Buckets = field(default_factory=lambda: Buckets(30, 200))
    per_entry: Buckets = field(default_factory=lambda: Buckets(0.5, 60))
    per_login: Buckets = field(default_factory=lambda: Buckets(0.1, 6))
    unknown: Buckets = field(default_factory=lambda: Buckets(10, 300))
    """Entries behind a proxy that does not say where they come from."""

    def __post_init__(self) -> None:
        self.versions = Versions({self.frozen.version: self.frozen})

    def count_entry(self, request: Request) -> None:
        """Refuse too many entries from one address."""
        address = self.front.address(request)
        if not address:
            self.unknown.take("")
        elif self.front.behind_proxy or not self.spare_loopback or not is_local(request):
            self.per_entry.take(address)

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
        text = PAGES.get_template(f"{name}.html").render(
            study=study,
            base=root_of(request),
            w=words(study),
            default=texts(study.language),
            page_language=page_language(study),
            now=time.time(),
            static=ASSETS.address,
            **values,
        )
        return HTMLResponse(text, status)
