"""`saligned data check`."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from saligned.cli.options import data_format
from saligned.data.check import check as inspect


@click.group()
def data() -> None:
    """Look at data sets."""


@data.command()
@click.argument("file", type=click.Path(path_type=Path))
@data_format
@click.option("--rows", is_flag=True, help="Name every row that cannot be used, and why.")
def check(file: Path, *, format_name: str, rows: bool) -> None:
    """Report what of FILE can be used for training and evaluation."""
    report = inspect(file, format_name)
    console = Console(highlight=False, soft_wrap=True)
    table = Table.grid(padding=(0, 2))
    for name in ("rows", "readable", "parsable", "confirmed"):
        table.add_row(name, f"{getattr(report, name):,}")
    for reason, count in report.reasons.items():
        table.add_row(f"  {reason}", f"{count:,}", style="dim")
    console.print(table)
    if rows:
        for finding in report.findings:
            click.echo(f"{file}:{finding.line}: id {finding.id}: {finding.reason}")
