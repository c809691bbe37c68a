"""`saligned bench`."""

import json

import click
from rich.console import Console
from rich.table import Table

from saligned.cli.terminal import progress
from saligned.runtime.measuring import measure
from saligned.runtime.models import DEFAULT


@click.command()
@click.option("--model", default=DEFAULT, show_default=True, metavar="NAME|DIR")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def bench(*, model: str, as_json: bool) -> None:
    """Measure start-up, latency, throughput and memory of solving on this machine."""
    with progress(f"measuring {model}", 5) as advance:
        figures = measure(model, advance)
    if as_json:
        click.echo(json.dumps(figures))
        return
    table = Table.grid(padding=(0, 2))
    for name, figure in figures.items():
        table.add_row(name.replace("_", " "), str(figure))
    Console(highlight=False).print(table)
