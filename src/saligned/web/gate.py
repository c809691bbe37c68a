"""The gate that every request passes: key, body size, security headers, metrics, and a last net for faults.

Plain ASGI, one layer: every request pays for it.
"""

import hmac
import logging
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saligned.web.errors import ApiError, error_response
from saligned.web.limits import Limits
from saligned.web.metrics import Metrics

log = logging.getLogger("saligned.web")

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Labels of the metrics; everything else is counted as "other", so that a scan cannot fill the memory.
_PATHS = frozenset({"/", "/api/solve", "/api/solve/batch", "/api/models", "/api/examples", "/healthz", "/metrics"})


class Gate:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, key: str | None, limits: Limits, metrics: Metrics) -> None:
        self._app = app
        self._key = key.encode() if key else None
        self._limits = limits
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 0

        async def send_secured(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        try:
            await self._pass(scope, receive, send_secured)
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if not status:
                await _internal_error()(scope, receive, send_secured)
        path = scope["path"]
        label = path if path in _PATHS else "static" if path.startswith("/static/") else "other"
        self._metrics.count_request(label, status, time.perf_counter() - start)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check_key(scope["path"], headers)
            body = await self._read(headers, receive) if scope["method"] == "POST" else None
        except ApiError as error:
            await error.response()(scope, receive, send)
            return
        await self._app(scope, receive if body is None else _replay(body, receive), send)

    def _check_key(self, path: str, headers: Headers) -> None:
        """The page itself holds no secrets and asks for the key; the API and the metrics need it."""
        if self._key is None or not (path.startswith("/api/") or path == "/metrics"):
            return
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(key.strip().encode(), self._key):
            raise ApiError(
                401,
                "unauthorized",
                "This server needs an API key.",
                "Send the header Authorization: Bearer KEY; the key is the server's SALIGNED_API_KEY.",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body, or 413 as soon as it is clear that it is too long."""
        limit = self._limits.body
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > limit:
            raise _too_large(limit)
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            part = message.get("body", b"")
            parts.append(part)
            size += len(part)
            more = message["type"] == "http.request" and message.get("more_body", False)
            if size > limit:
                raise _too_large(limit)
        return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """`receive` for an app that has not seen the body yet."""
    pending = [body]

    async def again() -> Message:
        return {"type": "http.request", "body": pending.pop()} if pending else await receive()

    return again


def _too_large(limit: int) -> ApiError:
    return ApiError(
        413,
        "too_large",
        f"The body is longer than {limit:,} bytes.",
        "Send fewer problems in a request.",
        # The rest of the body is not worth reading.
        headers={"Connection": "close"},
    )


def _internal_error() -> ASGIApp:
    return error_response(500, "internal_error", "The server failed.", "The log of the server says why; report it.")
