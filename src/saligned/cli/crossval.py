"""`saligned crossval`."""

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from saligned.cli.options import data_format
from saligned.errors import SalignedError

if TYPE_CHECKING:
    from saligned.experiments.crossval import Task


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@data_format
@click.option("--folds", type=click.Path(path_type=Path), required=True, help='JSON: {"folds": [[id, …], …]}.')
@click.option("--system", "systems", multiple=True, required=True, metavar="NAME", help="May be repeated; or: all.")
@click.option("--fold", "only", type=int, multiple=True, help="Only these folds, counted from 0.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Instead of the system's own.")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True)
@click.option("--address", help="A Ray cluster; without it one is started here.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--runs", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--workers", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="one a core")
def crossval(  # noqa: PLR0913
    data: Path,
    *,
    format_name: str,
    folds: Path,
    systems: tuple[str, ...],
    only: tuple[int, ...],
    config_file: Path | None,
    engine: str,
    address: str | None,
    out: Path,
    runs: Path,
    workers: int,
) -> int:
    """Measure systems of the paper's tables by cross-validation on DATA.

    Each fold of each system is a task of its own, with one thread. Stop it when you like: started again, every task
    goes on from its last finished epoch, and what is finished stays finished.
    """
    try:
        from saligned.config import Config
        from saligned.experiments.crossval import make_tasks, unfinished
        from saligned.experiments.engines import run_local, run_on_ray
        from saligned.experiments.systems import SYSTEMS, load_config
    except ModuleNotFoundError as error:
        raise SalignedError(
            f"experiments need {error.name}: first pip install torch==2.13.0, then pip install 'saligned[train]'"
        ) from error
    places = {"results": str(out.resolve()), "runs": str(runs.resolve())}
    tasks: list[Task] = []
    for system in SYSTEMS if "all" in systems else systems:
        config = Config.load(config_file) if config_file else load_config(system)
        tasks += make_tasks(system, config, data=data, format_name=format_name, folds=folds, **places)
    tasks = [task for task in tasks if not only or task.fold in only]
    waiting = unfinished(tasks)
    console = Console(stderr=True, highlight=False)
    console.print(f"{len(tasks)} tasks, {len(tasks) - len(waiting)} finished before")
    if not waiting:
        return 0
    running = run_on_ray(waiting, address) if engine == "ray" else run_local(waiting, workers)
    with closing(running):
        return _show(running, waiting, console)


class _Display:
    """A bar over all tasks, and below it one for each task that is at work: epoch, rate, time left."""

    def __init__(self, tasks: Sequence["Task"], console: Console) -> None:
        self.tasks = {task.result: task for task in tasks}
        self.started = time.time()
        self.lines: dict[Path, TaskID] = {}
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}"),
            TextColumn("{task.fields[left]}"),
            console=console,
        )
        self.whole = self.bar.add_task("tasks", total=len(tasks), figures=f"0/{len(tasks)}", left="")

    def look(self) -> None:
        """What the tasks noted since this display began."""
        from saligned.experiments.crossval import read_progress

        for key, task in self.tasks.items():
            note = read_progress(task, since=self.started)
            if not note:
                continue
            if key not in self.lines:
                self.lines[key] = self.bar.add_task(f"{task.system} {task.fold}", figures="", left="")
            figures, left = _describe(note)
            self.bar.update(self.lines[key], completed=note["done"], total=note["total"], figures=figures, left=left)
        self.bar.update(self.whole, left=f"{_clock(time.time() - self.started)} passed")

    def finish(self, task: "Task", outcome: str) -> None:
        """A finished task leaves the bars for a line above them."""
        del self.tasks[task.result]
        if task.result in self.lines:
            self.bar.remove_task(self.lines.pop(task.result))
        self.bar.console.print(f"{task.system} {task.fold}: {outcome}", markup=False)
        self.bar.advance(self.whole)
        done, total = self.bar.tasks[0].completed, self.bar.tasks[0].total
        self.bar.update(self.whole, figures=f"{done:.0f}/{total:.0f}")


def _describe(note: dict[str, float]) -> tuple[str, str]:
    """What a task does, and the time it has left by what its epochs took so far."""
    done, total = note["done"], note["total"]
    if done >= total:
        return "solving", ""
    if not note["rate"]:
        return "preparing", ""
    figures = f"epoch {done:.1f}/{total:.0f}  {note['rate']:.0f} problems/s"
    return figures, f"{_clock(note['seconds'] * (total / done - 1))} left" if done else ""


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _show(running: Iterable[list[tuple["Task", Any]]], tasks: Sequence["Task"], console: Console) -> int:
    """Follow the tasks to their end; a failed one decides the exit code."""
    from saligned.experiments.engines import keep_result

    failed = 0
    display = _Display(tasks, console)
    with display.bar:
        for finished in running:
            for task, outcome in finished:
                if isinstance(outcome, SalignedError):
                    failed += 1
                    display.finish(task, f"failed: {outcome}")
                else:
                    keep_result(task, outcome)
                    display.finish(task, f"accuracy {outcome['accuracy']:.1%}, {outcome['seconds']:,.0f} s")
            display.look()
    return 1 if failed else 0
