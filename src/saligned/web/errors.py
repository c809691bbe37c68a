"""The one error shape of the API: `{"error": {"code", "message", "hint"}}`, whatever went wrong."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

# What to do next, for the errors that the framework finds by itself.
_HINTS = {
    HTTPStatus.BAD_REQUEST: 'Send a JSON object such as {"text": "…"} with Content-Type: application/json.',
    HTTPStatus.NOT_FOUND: "The endpoints are listed at /docs.",
    HTTPStatus.METHOD_NOT_ALLOWED: "The Allow header says which methods this address has; see /docs.",
}


class ApiError(HTTPException):
    """An error on purpose: a status, a code for programs, a message and a hint for people."""

    def __init__(
        self, status: int, code: str, message: str, hint: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, message, dict(headers or {}))
        self.code = code
        self.hint = hint

    def response(self) -> Response:
        """The error as the client gets it."""
        return error_response(self.status_code, self.code, str(self.detail), self.hint, headers=self.headers)


def error_response(
    status: int, code: str, message: str, hint: str, *, headers: Mapping[str, str] | None = None
) -> Response:
    """ASCII only, so that a lone surrogate quoted from the request cannot break the answer."""
    return _AsciiResponse({"error": {"code": code, "message": message, "hint": hint}}, status, headers)


def install(app: FastAPI) -> None:
    """Give every error of the app the one shape."""
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)


class _AsciiResponse(JSONResponse):
    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def _on_http(_: Request, error: Exception) -> Response:
    if isinstance(error, ApiError):
        return error.response()
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    hint = _HINTS.get(status, "The endpoints are described at /docs.")
    return error_response(status, status.name.lower(), f"{error.detail}.", hint, headers=error.headers)


def _on_invalid(_: Request, error: Exception) -> Response:
    """The first thing wrong with a body; the value itself is not quoted, it may be a megabyte."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    code = "invalid_json" if first["type"] == "json_invalid" else "invalid_request"
    where = _place(first["loc"][1:]) if code == "invalid_request" else ""
    message = f"{where}: {first['msg']}." if where else f"{first['msg']}."
    return error_response(HTTPStatus.BAD_REQUEST, code, message, _HINTS[HTTPStatus.BAD_REQUEST])


def _place(path: Sequence[Any]) -> str:
    """Where in the body.

    >>> _place(("problems", 3, "text"))
    'problems[3].text'
    """
    parts = [f"[{step}]" if isinstance(step, int) else f".{str(step)[:60]}" for step in path]
    return "".join(parts).removeprefix(".")
