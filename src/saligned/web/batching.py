"""Requests that arrive together are solved as one batch, by the workers.

    route ── submit ──▶ queue of a model ── collect ≤ 8, ≤ 2 ms ──▶ worker: solve_many, render ──▶ future ──▶ route

The workers also write the JSON, so that the event loop only moves bytes.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from saligned.runtime.solution import Solution
from saligned.web.errors import ApiError
from saligned.web.limits import Limits
from saligned.web.metrics import Metrics
from saligned.web.workers import Workers

# Writes the JSON; it is sent to the workers, so it must be a function of a module, or a partial of one.
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


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker returns for a problem."""

    body: bytes
    solved: bool


class Batcher:
    """The queue of one model."""

    def __init__(self, solver: BatchSolver, workers: Workers, limits: Limits, metrics: Metrics) -> None:
        self._solver = solver
        self._workers = workers
        self._limits = limits
        self._metrics = metrics
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to empty the queue; call it inside the event loop."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._run()) for _ in range(self._workers.count)]

    async def close(self) -> None:
        """Stop; the server calls it when the last request has been answered."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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
        while True:
            jobs = await self._collect()
            for beam, group in _by_beam(jobs).items():
                self._metrics.count_batch(self._solver.name, len(group), self._queue.qsize())
                problems = [(job.text, job.render) for job in group]
                try:
                    answers = await self._workers.run(answer, self._solver, problems, beam)
                except Exception:
                    log.exception("a batch of %d problems was lost", len(group))
                    answers = [None] * len(group)
                for job, found in zip(group, answers, strict=True):
                    self._settle(job.future, found)

    async def _collect(self) -> list[Job]:
        """The next batch: the first problem waits a moment for others; those given up are left out."""
        jobs = [await self._queue.get()]
        if self._queue.qsize() + 1 < self._limits.together:
            await asyncio.sleep(self._limits.wait)
        while len(jobs) < self._limits.together and not self._queue.empty():
            jobs.append(self._queue.get_nowait())
        return [job for job in jobs if not job.future.done()]

    def _settle(self, future: asyncio.Future[bytes], found: Answer | None) -> None:
        """Answer, unless the request has been given up."""
        if found:
            self._metrics.count_problem(self._solver.name, solved=found.solved)
        if future.done():
            return
        if found:
            future.set_result(found.body)
        else:
            future.set_exception(RuntimeError("a problem could not be processed; the log says why"))


def answer(solver: BatchSolver, problems: Sequence[tuple[str, Render]], beam: int) -> list[Answer | None]:
    """In a worker. A batch that fails is tried one by one: a fault is the fault of one problem, and logged."""
    try:
        solutions = solver.solve_many([text for text, _ in problems], beam=beam)
        return [
            Answer(render(solution), solution.solved) for (_, render), solution in zip(problems, solutions, strict=True)
        ]
    except Exception:
        if len(problems) > 1:
            return [found for problem in problems for found in answer(solver, [problem], beam)]
        log.exception("a problem of %d characters could not be processed", len(problems[0][0]))
        return [None]


def _by_beam(jobs: Sequence[Job]) -> dict[int, list[Job]]:
    """Problems are searched together only at the same width."""
    groups: defaultdict[int, list[Job]] = defaultdict(list)
    for job in jobs:
        groups[job.beam].append(job)
    return groups
