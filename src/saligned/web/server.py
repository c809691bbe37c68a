"""Running the app: the socket, the key, and an end that finishes what is in flight."""

import errno
import ipaddress
import socket
from collections.abc import Callable, Mapping

import uvicorn
from fastapi import FastAPI

from saligned.errors import ConfigError

KEY_VARIABLE = "SALIGNED_API_KEY"
# Seconds that requests in flight get when the server is told to stop; the longest request may take 30.
GRACE = 35


def require_key(host: str, environment: Mapping[str, str]) -> str | None:
    """The API key of the environment; an address that others can reach needs one.

    >>> require_key("127.0.0.1", {}) is None
    True
    """
    key = environment.get(KEY_VARIABLE, "")
    if not key and not is_loopback(host):
        raise ConfigError(
            f"{host} can be reached by others, so an API key is needed: set {KEY_VARIABLE}, or use --host 127.0.0.1"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"{KEY_VARIABLE} must be printable ASCII without spaces: it travels in a header")
    return key or None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        hint = "--port 0 takes a free port" if error.errno == errno.EADDRINUSE else "check --host"
        raise ConfigError(f"cannot listen on {host} port {port}: {error.strerror}; {hint}") from error


def run(app: FastAPI, listener: socket.socket, *, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGINT or SIGTERM; requests in flight are answered before the end."""
    make_server(app, ready).run(sockets=[listener])


def make_server(app: FastAPI, ready: Callable[[], None] = lambda: None) -> uvicorn.Server:
    """The server with its settings; `ready` is called when it answers."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        # A proxy's headers are not trusted: nothing here depends on who the client says it is.
        proxy_headers=False,
        ws="none",
    )
    return _Server(config, ready)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()
