"""Tasks side by side: as processes of this machine, or on a Ray cluster. The task function is the same."""

import json
import multiprocessing
import os
import signal
from collections.abc import Generator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from typing import Any

from saligned.errors import SalignedError
from saligned.experiments.crossval import Task, run_task
from saligned.model.checkpoint import write_json

# Seconds between two looks at the tasks.
LOOK_EVERY = 1.0

Finished = tuple[Task, dict[str, Any] | SalignedError]


def run_local(tasks: Sequence[Task], workers: int) -> Generator[list[Finished], None, None]:
    """Yield what finished, about once a second. A task that fails or is killed does not stop the others.

    A process for each task, spawned, not forked: a forked PyTorch may hang. A task notices when this process is gone,
    and stops.
    """
    waiting, running = list(tasks), dict[int, _Running]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                started = _Running(waiting.pop(0))
                running[started.process.sentinel] = started
            done = wait(list(running), timeout=LOOK_EVERY)
            yield [running.pop(sentinel).finish() for sentinel in done if isinstance(sentinel, int)]
    finally:  # stopped: checkpoints are whole after every epoch, so nothing has to be asked politely
        for one in running.values():
            one.process.kill()
            one.finish()


def run_on_ray(tasks: Sequence[Task], address: str | None) -> Generator[list[Finished], None, None]:
    """The same tasks on a Ray cluster, one core each; nodes must see the data file, the runs and the results."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise SalignedError("--engine ray needs Ray: pip install 'saligned[cluster]'") from error
    # Ray runs its workers at a lower priority than this process; tasks should have that of local ones.
    own: dict[str, Any] = {} if address else {"_system_config": {"worker_niceness": 0}}
    quiet: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "logging_level": "error"}
    ray.init(address=address, ignore_reinit_error=True, **quiet, **own)
    remote = ray.remote(num_cpus=1, max_retries=0)(run_task)
    running = {remote.remote(task): task for task in tasks}
    try:
        while running:
            done, _ = ray.wait(list(running), num_returns=1, timeout=LOOK_EVERY)
            yield [(running.pop(reference), _fetch(ray, reference)) for reference in done]
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def keep_result(task: Task, result: dict[str, Any]) -> None:
    """Write a result that another machine measured and could not write here."""
    if not task.result.exists():
        task.result.parent.mkdir(parents=True, exist_ok=True)
        write_json(task.result, result)


class _Running:
    """A task in a process of its own, which sends back why it failed."""

    def __init__(self, task: Task) -> None:
        context = multiprocessing.get_context("spawn")
        self.task = task
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=_run, args=(replace(task, parent=os.getpid()), sender))
        self.process.start()
        sender.close()

    def finish(self) -> Finished:
        """The result, once the process has ended."""
        self.process.join()
        with self.receiver:
            if self.process.exitcode == 0:
                return self.task, json.loads(self.task.result.read_text(encoding="utf-8"))
            try:
                reason = self.receiver.recv()
            except EOFError:
                reason = f"its process was ended by signal {-(self.process.exitcode or 0)}"
        return self.task, SalignedError(reason)


def _run(task: Task, sender: Connection) -> None:
    """What the process does. Ctrl-C reaches the whole process group; the parent decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run_task(task)
    except Exception as error:  # whatever it is, the runner has to show it
        sender.send(f"{type(error).__name__}: {error}")
        raise SystemExit(1) from None


def _fetch(ray: Any, reference: Any) -> dict[str, Any] | SalignedError:
    try:
        result: dict[str, Any] = ray.get(reference)
    except ray.exceptions.RayError as error:
        return SalignedError(str(error).strip().splitlines()[-1])
    return result
