"""Requests that arrive together are solved as one batch, in a few threads a model.

    route ── submit ──▶ queue ── collect ≤ 8, ≤ 2 ms ──▶ thread: solve_many, render ──▶ future ──▶ route

The threads also write the JSON, so that the event loop only moves bytes.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from saligned.runtime.solution import Solution
from saligned.web.errors import ApiError
from saligned.web.limits import Limits
from saligned.web.metrics import Metrics

Render = Callable[[Solution], bytes]

log = logging.getLogger("saligned.web")


class BatchSolver(Protocol):
    """What the server needs of `saligned.runtime.solver.Solver`."""

    @property
    def name(self) -> str:
        """The model's name."""

    def solve_many(self, texts: Sequence[str], *, beam: int) -> list[Solution]:
        """Solve texts together, order kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One problem on its way."""

    text: str
    beam: int
    render: Render
    future: asyncio.Future[bytes]


class Batcher:
    """The queue of one model and the threads that empty it."""

    def __init__(self, solver: BatchSolver, limits: Limits, metrics: Metrics) -> None:
        self._solver = solver
        self._limits = limits
        self._metrics = metrics
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix=f"solve-{solver.name}")
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to empty the queue; call it inside the event loop."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._run()) for _ in range(self._limits.workers)]

    async def close(self) -> None:
        """Stop; the server calls it when the last request has been answered."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown()

    def submit(self, texts: Sequence[str], beam: int, render: Sequence[Render]) -> list[asyncio.Future[bytes]]:
        """Queue problems, all or none."""
        if self._queue.qsize() + len(texts) > self._limits.queue:
            raise ApiError(
                503,
                "busy",
                "The server has as many problems waiting as it takes.",
                "Try again after the seconds that the Retry-After header names.",
                headers={"Retry-After": "1"},
            )
        loop = asyncio.get_running_loop()
        jobs = [Job(text, beam, write, loop.create_future()) for text, write in zip(texts, render, strict=True)]
        for job in jobs:
            self._queue.put_nowait(job)
        return [job.future for job in jobs]

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            jobs = await self._collect()
            for beam, group in _by_beam(jobs).items():
                self._metrics.count_batch(self._solver.name, len(group), self._queue.qsize())
                outcomes = await loop.run_in_executor(self._threads, self._solve, group, beam)
                for job, outcome in zip(group, outcomes, strict=True):
                    _settle(job.future, outcome)

    async def _collect(self) -> list[Job]:
        """The next batch: the first problem waits a moment for others; those given up are left out."""
        jobs = [await self._queue.get()]
        if self._queue.qsize() + 1 < self._limits.together:
            await asyncio.sleep(self._limits.wait)
        while len(jobs) < self._limits.together and not self._queue.empty():
            jobs.append(self._queue.get_nowait())
        return [job for job in jobs if not job.future.done()]

    def _solve(self, jobs: Sequence[Job], beam: int) -> list[bytes | Exception]:
        """In the thread. A batch that fails is tried one by one: a fault is the fault of one problem."""
        try:
            solutions = self._solver.solve_many([job.text for job in jobs], beam=beam)
            return [self._finish(job, solution) for job, solution in zip(jobs, solutions, strict=True)]
        except Exception as error:
            if len(jobs) > 1:
                return [outcome for job in jobs for outcome in self._solve([job], beam)]
            log.exception("a problem of %d characters could not be processed", len(jobs[0].text))
            return [error]

    def _finish(self, job: Job, solution: Solution) -> bytes:
        body = job.render(solution)
        self._metrics.count_problem(self._solver.name, solved=solution.solved)
        return body


def _by_beam(jobs: Sequence[Job]) -> dict[int, list[Job]]:
    """Problems are searched together only at the same width."""
    groups: defaultdict[int, list[Job]] = defaultdict(list)
    for job in jobs:
        groups[job.beam].append(job)
    return groups


def _settle(future: asyncio.Future[bytes], outcome: bytes | Exception) -> None:
    """Answer, unless the request has been given up."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
