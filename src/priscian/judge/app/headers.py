"""Headers of every response: a strict content policy, no referrer, no cache, no sniffing."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MTURK = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""The only hosts that results may be submitted to, and that may show the study in a frame."""


def content_policy(mturk: bool) -> str:
    """What pages may load: nothing from elsewhere."""
    hosts = " ".join(MTURK)
    forms = f"'self' {hosts}" if mturk else "'self'"
    frames = hosts if mturk else "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"img-src 'self'; form-action {forms}; base-uri 'none'; frame-ancestors {frames}"
    )


class SafeHeaders:
    """Adds the headers to every response."""

    def __init__(self, app: ASGIApp, mturk: bool = False) -> None:
        self.app = app
        self.headers = {
            "Content-Security-Policy": content_policy(mturk),
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        }
        if not mturk:
            self.headers["X-Frame-Options"] = "DENY"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self.headers)
                if scope["path"].removeprefix(scope.get("root_path", "")).startswith("/admin"):
                    # with no-referrer browsers send the forms of the page with `Origin: null`
                    headers["Referrer-Policy"] = "same-origin"
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)
