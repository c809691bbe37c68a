"""`saligned train`."""

from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from saligned.cli.options import data_format
from saligned.config import Config
from saligned.data.readers import read_problems
from saligned.data.splits import data_hash, read_ids, select, split_validation
from saligned.errors import DataError, SalignedError


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@data_format
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The model's directory.")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="JSON with the fields that differ from the default.",
)
@click.option("--valid-ids", type=click.Path(path_type=Path), help="Problems that select the epoch; default: a tenth.")
@click.option("--test-ids", type=click.Path(path_type=Path), help="Problems that training must not see.")
@click.option("--resume", is_flag=True, help="Go on where --out stopped.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
def train(
    data: Path,
    *,
    format_name: str,
    out: Path,
    config_file: Path | None,
    valid_ids: Path | None,
    test_ids: Path | None,
    resume: bool,
    threads: int,
) -> None:
    """Train a model on DATA and export it for solving: `saligned solve --model OUT TEXT`.

    A checkpoint is written after each epoch; --resume continues to the same result.
    """
    try:
        import torch

        from saligned.model.packaging import package
        from saligned.model.training import STATE, Trainer, prepare
    except ModuleNotFoundError as error:
        raise SalignedError(
            f"training needs {error.name}: first pip install torch==2.13.0, then pip install 'saligned[train]'"
        ) from error
    torch.set_num_threads(threads)
    config = Config.load(config_file) if config_file else Config()
    state = out / STATE
    if state.exists() and not resume:
        raise DataError(f"{out} holds a training; add --resume to go on, or name another --out")
    if resume and not state.exists():
        raise DataError(f"{out} holds no training to resume; leave --resume out to start one")
    problems, rejections = read_problems(data, format_name)
    hidden = set(read_ids(test_ids)) if test_ids else set()
    problems = [problem for problem in problems if problem.id not in hidden]
    if valid_ids:
        valid = select(problems, read_ids(valid_ids))
        chosen = {problem.id for problem in valid}
        training = [problem for problem in problems if problem.id not in chosen]
    else:
        training, valid = split_validation(problems, 0.1, config.seed)
    console = Console(stderr=True, highlight=False)
    console.print(
        f"{len(training):,} problems to train on, {len(valid):,} to select on, {len(rejections):,} rows unreadable"
    )
    out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(config, prepare(training, config), prepare(valid, config), out)
    if resume:
        trainer.resume()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[figures]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        epochs = bar.add_task("epochs", total=config.epochs, completed=trainer.progress.epoch, figures="")
        batches = bar.add_task("batches", total=trainer.batches_per_epoch, figures="")

        def report(phase: str, done: int, total: int, figures: dict[str, float]) -> None:
            if phase == "epoch":
                text = (
                    f"{done}/{total}  valid {figures['valid_accuracy']:.1%}  best epoch {trainer.progress.best_epoch}"
                )
                bar.update(epochs, completed=done, figures=text)
            else:
                text = f"loss {figures['loss']:.3f}  {figures['problems_per_second']:.0f} problems/s"
                bar.update(batches, completed=done, total=total, figures=text)

        progress = trainer.run(report)
    package(
        out,
        valid,
        data={
            "file": data.name,
            "sha256": data_hash(data),
            "format": format_name,
            "train": len(training),
            "valid": len(valid),
        },
    )
    console.print(f"best epoch {progress.best_epoch}: {progress.best_accuracy:.1%} on validation data → {out}")
