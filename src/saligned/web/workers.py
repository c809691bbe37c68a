"""Where batches are solved: in processes that hold the models, or in threads over solvers of this process.

Python runs one thread at a time, so a second core needs a second process. Threads are for tests, and for apps that
bring solvers of their own.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from saligned.errors import SalignedError
from saligned.runtime.models import find, load, read_card
from saligned.runtime.solution import Solution
from saligned.runtime.solver import Solver

T = TypeVar("T")


class Workers(Protocol):
    """Runs functions beside the event loop."""

    count: int

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Call it in a worker and wait for what it returns."""

    def close(self) -> None:
        """Wait for what is running, and end."""


class Threads:
    """Workers in this process."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="solve")

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """See `Workers`."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)

    def close(self) -> None:
        """See `Workers`."""
        self._pool.shutdown()


@dataclass(frozen=True, slots=True)
class RemoteSolver:
    """A model of the worker processes, by its name; it solves where it is sent."""

    name: str

    def solve_many(self, texts: Sequence[str], *, beam: int) -> list[Solution]:
        """In a worker process: by the solver that it holds."""
        return _solvers[self.name].solve_many(texts, beam=beam)


class Processes:
    """Worker processes, each with all the models; those that die are replaced."""

    def __init__(self, models: Sequence[str | Path], count: int) -> None:
        self.count = count
        self._models = tuple(find(model) for model in models)
        self.solvers = [RemoteSolver(str(read_card(directory)["name"])) for directory in self._models]
        self._pool = self._start()
        # Each of these calls finds no process idle and starts one; a model that cannot be loaded is raised here.
        for ready in [self._pool.submit(_check_ready) for _ in range(count)]:
            ready.result()

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """See `Workers`. When a process dies, all that runs is lost with its pool, and is tried once more."""
        loop, pool = asyncio.get_running_loop(), self._pool
        try:
            return await loop.run_in_executor(pool, function, *arguments)
        except BrokenProcessPool:
            if pool is self._pool:
                self._pool = self._start()
            return await loop.run_in_executor(self._pool, function, *arguments)

    def close(self) -> None:
        """See `Workers`."""
        self._pool.shutdown()

    def _start(self) -> ProcessPoolExecutor:
        # Spawned, not forked: ONNX Runtime's threads do not survive a fork.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.count, context, _hold_models, (self._models,))


# What a worker process holds.
_solvers: dict[str, Solver] = {}
_errors: list[SalignedError] = []


def _hold_models(models: Sequence[Path]) -> None:
    """The beginning of a worker process. Ctrl-C reaches the whole process group; the server decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        _solvers.update((solver.name, solver) for solver in map(load, models))
    except SalignedError as error:  # raised here it would be lost
        _errors.append(error)


def _end_with_the_server() -> None:
    """A server that was killed cannot end its workers."""
    server = multiprocessing.parent_process()
    if server:
        server.join()
        os._exit(1)


def _check_ready() -> None:
    for error in _errors:
        raise error
