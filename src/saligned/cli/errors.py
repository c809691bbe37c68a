"""`saligned errors`."""

import json
from pathlib import Path

import click

from saligned.errors import DataError


@click.command()
@click.argument("first", metavar="A", type=click.Path(path_type=Path))
@click.argument("second", metavar="B", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The page, in Markdown; outside this repo.")
@click.option("--counts", type=click.Path(path_type=Path), help="Also write the counts alone, as JSON.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Problems of a kind to show.")
def errors(first: Path, second: Path, *, out: Path, counts: Path | None, limit: int) -> None:
    """Compare two runs of `saligned crossval` on the same problems: who solves what, and which errors are made.

    A and B are directories of a system (all its folds) or of one fold, or prediction files. The page quotes the data
    set, so it is not written into the repository; the counts quote nothing, and `saligned tables` shows those that
    lie in results/errors/.
    """
    from saligned.experiments.error_analysis import count, pair_up, read_predictions
    from saligned.experiments.error_page import make_page

    if _in_repository(out):
        raise DataError(
            f"{out} lies in the repository, and the page quotes the data set; name a file outside or in runs/"
        )
    pairs = pair_up(read_predictions(first), read_predictions(second))
    names = _name(first), _name(second)
    _write(out, make_page(pairs, names, limit=limit))
    if counts:
        _write(counts, json.dumps(count(pairs, names), indent=1, ensure_ascii=False) + "\n")
    click.echo(f"{out}: {len(pairs)} problems compared")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _name(path: Path) -> str:
    """The system of a directory, and its fold where it holds one."""
    directory = path.resolve() if path.is_dir() else path.resolve().parent
    return f"{directory.parent.name}/{directory.name}" if directory.name.startswith("fold") else directory.name


def _in_repository(path: Path) -> bool:
    """In a checkout, but not in its ignored directory `runs`."""
    folders = path.resolve().parents
    root = next((folder for folder in folders if (folder / ".git").exists()), None)
    return root is not None and root / "runs" not in folders
