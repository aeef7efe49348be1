"""Headers of every response: a strict content policy, no referrer, no cache, no sniffing."""

from __future__ import annotations

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
        headers = {
            "content-security-policy": content_policy(mturk),
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }
        if not mturk:
            headers["x-frame-options"] = "DENY"
        self.headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                admin = scope["path"].removeprefix(scope.get("root_path", "")).startswith("/admin")
                # with no-referrer browsers send the forms of the page with `Origin: null`
                referrer = b"same-origin" if admin else b"no-referrer"
                own = [*self.headers, (b"referrer-policy", referrer)]
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)
