"""`saligned tables`."""

from pathlib import Path

import click


@click.command()
@click.option("--results", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("docs/results.md"), show_default=True)
def tables(*, results: Path, out: Path) -> None:
    """Write the page of the paper's tables from the measured results."""
    from saligned.experiments.report import make_page

    page = make_page(results)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8")
    click.echo(f"{out} written")
