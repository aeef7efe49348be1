"""Headers of every response: a strict content policy, no referrer, no cache, no sniffing."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MTURK_SUBMIT = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""The only hosts that results may be submitted to."""
MTURK_FRAMES = ("https://worker.mturk.com", "https://workersandbox.mturk.com",
                "https://requester.mturk.com", "https://requestersandbox.mturk.com")  # fmt: skip
"""Where workers do a task and requesters preview one: the pages that may show it in a frame."""


def content_policy(mturk: bool) -> str:
    """What pages may load: nothing from elsewhere."""
    # browsers apply form-action to where a submitted form is redirected, too
    hosts = dict.fromkeys((*MTURK_SUBMIT, *MTURK_FRAMES))
    forms = " ".join(("'self'", *hosts)) if mturk else "'self'"
    frames = " ".join(MTURK_FRAMES) if mturk else "'none'"
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
                given = list(message.get("headers", ()))
                own = [*self.headers, (b"referrer-policy", referrer)]
                if not any(name == b"cache-control" for name, _ in given):
                    own.append((b"cache-control", b"no-store"))
                message["headers"] = [*given, *own]
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)
