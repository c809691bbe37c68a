"""`saligned errors`."""

from pathlib import Path

import click

from saligned.errors import DataError


@click.command()
@click.argument("first", metavar="A", type=click.Path(path_type=Path))
@click.argument("second", metavar="B", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The page, in Markdown; outside this repo.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Problems of a kind to show.")
def errors(first: Path, second: Path, *, out: Path, limit: int) -> None:
    """Compare two runs of `saligned crossval` on the same fold: who solves what, and which errors are made.

    A and B are run directories or prediction files. The page quotes the data set, so it is not written into the
    repository.
    """
    from saligned.experiments.error_analysis import make_page, pair_up, read_predictions

    if _in_repository(out):
        raise DataError(
            f"{out} lies in the repository, and the page quotes the data set; name a file outside or in runs/"
        )
    pairs = pair_up(read_predictions(first), read_predictions(second))
    page = make_page(pairs, (_name(first), _name(second)), limit=limit)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8")
    click.echo(f"{out}: {len(pairs)} problems compared")


def _name(path: Path) -> str:
    """The system and fold of a run directory."""
    directory = path.resolve() if path.is_dir() else path.resolve().parent
    return f"{directory.parent.name}/{directory.name}"


def _in_repository(path: Path) -> bool:
    """In a checkout, but not in its ignored directory `runs`."""
    folders = path.resolve().parents
    root = next((folder for folder in folders if (folder / ".git").exists()), None)
    return root is not None and root / "runs" not in folders
