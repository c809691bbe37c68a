"""A real server in a thread, for tests that speak HTTP."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import uvicorn
from fastapi import FastAPI

from saligned.runtime.solution import Solution
from saligned.web.server import make_server, open_socket


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str
    server: uvicorn.Server
    thread: threading.Thread

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=20, **options)


@contextmanager
def serving(app: FastAPI) -> Iterator[Served]:
    """Serve an app on a free port until the block ends."""
    listener = open_socket("127.0.0.1", 0)
    started = threading.Event()
    server = make_server(app, started.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert started.wait(10)
    try:
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", server, thread)
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
        assert not thread.is_alive(), "the server did not stop"


class SlowSolver:
    """A solver that waits until it is let go, and remembers its batches."""

    name = "slow"

    def __init__(self, *, open_gate: bool = False) -> None:
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.batches: list[list[str]] = []
        if open_gate:
            self.gate.set()

    def solve_many(self, texts: Sequence[str], *, beam: int) -> list[Solution]:
        self.batches.append(list(texts))
        self.entered.set()
        assert self.gate.wait(10)
        if "fault" in texts:
            raise RuntimeError("a fault on purpose")
        return [Solution(text, self.name) for text in texts]
