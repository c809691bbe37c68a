"""`saligned evaluate`."""

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from saligned.cli.options import data_format
from saligned.cli.terminal import progress
from saligned.data.readers import read_problems
from saligned.data.splits import read_ids, select
from saligned.runtime.confidence import BINS
from saligned.runtime.evaluation import evaluate as measure
from saligned.runtime.evaluation import summarize, summarize_confidence
from saligned.runtime.models import DEFAULT, load
from saligned.runtime.solver import BEAM


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@data_format
@click.option("--ids", type=click.Path(path_type=Path), help="Only the problems whose ids this file lists, one a line.")
@click.option("--model", default=DEFAULT, show_default=True, metavar="NAME|DIR")
@click.option("--beam", type=click.IntRange(1, 50), default=BEAM, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--output", type=click.Path(path_type=Path), help="Also write every solution, a JSON line each.")
def evaluate(
    data: Path,
    *,
    format_name: str,
    ids: Path | None,
    model: str,
    beam: int,
    as_json: bool,
    output: Path | None,
) -> None:
    """Measure answer accuracy on a data set; every problem counts, also one that cannot be read."""
    if output is not None and output.exists():
        raise click.UsageError(f"{output} exists; name another file")
    problems, rejections = read_problems(data, format_name)
    if ids is not None:
        problems = select(problems, read_ids(ids))
    solver = load(model, threads=0)
    with progress(f"evaluating {solver.name}", len(problems)) as advance:
        outcomes = measure(solver, problems, beam=beam, advance=advance)
    if output is not None:
        rows = (outcome.solution.to_dict(outcome.problem.id) | {"correct": outcome.correct} for outcome in outcomes)
        output.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    confidence = summarize_confidence(outcomes)
    bins = confidence.pop("reliability")
    figures = {"model": solver.name, "data": data.name, "beam": beam} | summarize(outcomes) | confidence
    if ids is None:
        figures["rejected_rows"] = len(rejections)
    if as_json:
        click.echo(json.dumps(figures | {"reliability": bins}))
        return
    table = Table.grid(padding=(0, 2))
    for name, figure in figures.items():
        table.add_row(name.replace("_", " "), f"{figure:.4f}" if isinstance(figure, float) else str(figure))
    console = Console(highlight=False)
    console.print(table)
    console.print(_reliability_table(bins))


def _reliability_table(bins: list[dict[str, float]]) -> Table:
    """How often the answers of each confidence are right."""
    table = Table(title="how sure, how right", title_justify="left", title_style="dim", box=None)
    for column in ("confidence", "problems", "mean", "right"):
        table.add_column(column, justify="right")
    for row in bins:
        span = f"{row['from']:.0%}–{row['from'] + 1 / BINS:.0%}"
        table.add_row(span, str(row["problems"]), f"{row['confidence']:.1%}", f"{row['accuracy']:.1%}")
    return table
