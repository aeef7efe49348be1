"""Headers of every response: a strict content policy, no referrer, no cache, no sniffing."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send


def content_policy(submit_to: Sequence[str] = (), framed_by: Sequence[str] = ()) -> str:
    """What pages may load: nothing from elsewhere, apart from forms and frames of listed hosts."""
    # browsers apply form-action to where a submitted form is redirected, too
    forms = " ".join(("'self'", *dict.fromkeys((*submit_to, *framed_by))))
    frames = " ".join(framed_by) or "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"img-src 'self'; form-action {forms}; base-uri 'none'; frame-ancestors {frames}"
    )


class SafeHeaders:
    """Adds the headers to every response.

    `submit_to` and `framed_by` list other hosts that forms may go to, or that may show the pages in
    a frame. Pages below `own_forms` send their origin with forms, which `Front` compares.
    """

    def __init__(
        self,
        app: ASGIApp,
        submit_to: Sequence[str] = (),
        framed_by: Sequence[str] = (),
        own_forms: str = "/",
    ) -> None:
        self.app = app
        self.own_forms = own_forms
        headers = {
            "content-security-policy": content_policy(submit_to, framed_by),
            "x-content-type-options": "nosniff",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }
        if not framed_by:
            headers["x-frame-options"] = "DENY"
        self.headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = scope["path"].removeprefix(scope.get("root_path", ""))
                # with no-referrer browsers send the forms of the page with `Origin: null`
                own = path.startswith(self.own_forms)
                referrer = b"same-origin" if own else b"no-referrer"
                given = list(message.get("headers", ()))
                added = [*self.headers, (b"referrer-policy", referrer)]
                if not any(name == b"cache-control" for name, _ in given):
                    added.append((b"cache-control", b"no-store"))
                message["headers"] = [*given, *added]
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)
