"""`saligned explain`."""

from pathlib import Path

import click

from saligned.explain.document import to_html
from saligned.explain.figures import FIGURES, draw
from saligned.explain.trace import make_trace
from saligned.runtime.models import load
from saligned.runtime.solver import BEAM

SUFFIXES = (".html", ".svg", ".png")


@click.command()
@click.argument("text")
@click.option(
    "--out",
    "target",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to write: .html (everything), .svg or .png (one figure).",
)
@click.option(
    "--figure",
    type=click.Choice(list(FIGURES)),
    help="What a picture shows: the solving process (default), the stack, word attention and gates, or the "
    "self-attention of the quantities.",
)
@click.option("--language", type=click.Choice(["zh", "en"]), help="Of the .html file; that of TEXT unless told.")
@click.option("--model", metavar="NAME|DIR", help="[default: the shipped model that fits TEXT]")
@click.option("--beam", type=click.IntRange(1, 50), default=BEAM, show_default=True)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def explain(
    text: str, *, target: Path, figure: str | None, language: str | None, model: str | None, beam: int, force: bool
) -> int:
    """Show how the problem TEXT is solved, as a page or a picture.

    Exit code: 0 solved, 1 not solvable (what there is to see is still written), 2 wrong usage.
    """
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise click.UsageError(f"--out {target} must end in {', '.join(SUFFIXES)}")
    if suffix == ".html" and figure:
        raise click.UsageError("--figure goes with .svg and .png; an .html file shows all of it")
    if suffix != ".html" and language:
        raise click.UsageError("--language goes with .html")
    if target.exists() and not force:
        raise click.UsageError(f"{target} exists; name another file, or --force to replace it")
    if not target.absolute().parent.is_dir():
        raise click.UsageError(f"there is no directory {target.parent}")
    solution = load(model).solve(text, beam=beam)
    trace = make_trace(solution)
    if suffix == ".html":
        target.write_text(to_html(trace, "en" if language == "en" else "zh" if language else None), encoding="utf-8")
    else:
        draw(trace, figure or "solving", target)
    return 0 if solution.solved else 1
