"""Tasks side by side: as processes of this machine, or on a Ray cluster. The task function is the same."""

import multiprocessing
import os
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from typing import Any

from saligned.errors import SalignedError
from saligned.experiments.crossval import Task, run_task
from saligned.model.checkpoint import write_json

# Seconds between two looks at the tasks.
LOOK_EVERY = 1.0

Finished = tuple[Task, dict[str, Any] | BaseException]


def run_local(tasks: Sequence[Task], workers: int) -> Generator[list[Finished], None, None]:
    """Yield what finished, about once a second. A task that fails does not stop the others.

    Spawned, not forked: a forked PyTorch may hang. A task notices when this process is gone, and stops.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts) as pool:
        running: dict[Future[dict[str, Any]], Task] = {}
        try:
            for task in tasks:
                running[pool.submit(run_task, replace(task, parent=os.getpid()))] = task
            while running:
                done, _ = wait(running, timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
                yield [(running.pop(future), future.exception() or future.result()) for future in done]
        finally:
            if running:  # stopped: checkpoints are whole after every epoch, so nothing has to be asked politely
                for process in multiprocessing.active_children():
                    process.terminate()
                pool.shutdown(wait=False, cancel_futures=True)


def run_on_ray(tasks: Sequence[Task], address: str | None) -> Generator[list[Finished], None, None]:
    """The same tasks on a Ray cluster, one core each; nodes must see the data file, the runs and the results."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise SalignedError("--engine ray needs Ray: pip install 'saligned[cluster]'") from error
    ray.init(
        address=address, ignore_reinit_error=True, log_to_driver=False, include_dashboard=False, logging_level="error"
    )
    remote = ray.remote(num_cpus=1, max_retries=0)(run_task)
    running = {remote.remote(task): task for task in tasks}
    while running:
        done, _ = ray.wait(list(running), num_returns=1, timeout=LOOK_EVERY)
        yield [(running.pop(reference), _fetch(ray, reference)) for reference in done]


def keep_result(task: Task, result: dict[str, Any]) -> None:
    """Write a result that another machine measured and could not write here."""
    if not task.result.exists():
        task.result.parent.mkdir(parents=True, exist_ok=True)
        write_json(task.result, result)


def _fetch(ray: Any, reference: Any) -> dict[str, Any] | BaseException:
    try:
        result: dict[str, Any] = ray.get(reference)
    except ray.exceptions.RayError as error:
        return SalignedError(str(error))
    return result


def _ignore_interrupts() -> None:
    """Ctrl-C reaches the whole process group; the parent decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
