"""`saligned crossval`."""

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from saligned.data.readers import READERS
from saligned.errors import SalignedError

if TYPE_CHECKING:
    from saligned.experiments.crossval import Task


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--format", "format_name", type=click.Choice(sorted(READERS)), required=True)
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


def _show(running: Iterable[list[tuple["Task", Any]]], tasks: Sequence["Task"], console: Console) -> int:
    """A line for each task: epoch, rate, time left. The number of failed tasks decides the exit code."""
    from saligned.experiments.crossval import read_progress
    from saligned.experiments.engines import keep_result

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[figures]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    failed = 0
    with Progress(*columns, console=console, speed_estimate_period=600) as bar:
        lines = {
            task.result: bar.add_task(f"{task.system} {task.fold}", start=False, total=None, figures="")
            for task in tasks
        }
        for finished in running:
            for task, outcome in finished:
                line = lines.pop(task.result)
                if isinstance(outcome, BaseException):
                    failed += 1
                    bar.update(line, figures=f"failed: {outcome}")
                    continue
                keep_result(task, outcome)
                bar.update(line, completed=1, total=1, figures=f"accuracy {outcome['accuracy']:.1%}")
            for task in tasks:
                if task.result in lines and (note := read_progress(task)):
                    bar.start_task(lines[task.result])
                    figures = f"epoch {note['done']:.1f}/{note['total']:.0f}  {note['rate']:.0f} problems/s"
                    bar.update(lines[task.result], completed=note["done"], total=note["total"], figures=figures)
    return 1 if failed else 0
