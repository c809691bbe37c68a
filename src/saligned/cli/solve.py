"""`saligned solve`: one text, or a file of them."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from saligned.cli.terminal import print_solution, progress
from saligned.errors import InputError
from saligned.runtime.batch import solve_file
from saligned.runtime.models import load
from saligned.runtime.solver import BEAM


@click.command()
@click.argument("text", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the solution as one JSON object.")
@click.option("--explain", is_flag=True, help="Show how sure the model was at each step, and what else it considered.")
@click.option(
    "--beam",
    type=click.IntRange(1, 50),
    default=BEAM,
    show_default=True,
    help="Programs kept in mind; 1 is greedy.",
)
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="P",
    help="Give no answer that is right with less than this probability.",
)
@click.option(
    "--model",
    metavar="NAME|DIR",
    help="A shipped model or a model directory.  [default: the shipped model that fits the text]",
)
@click.option("--input", "source", type=click.Path(path_type=Path), help='JSON lines {"id", "text"} to solve.')
@click.option("--output", "target", type=click.Path(path_type=Path), help="Where their solutions go, a line each.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where a file is solved.",
)
@click.option("--force", is_flag=True, help="Replace an existing output file.")
def solve(  # noqa: PLR0913
    text: str | None,
    *,
    as_json: bool,
    explain: bool,
    beam: int,
    min_confidence: float,
    model: str | None,
    source: Path | None,
    target: Path | None,
    engine: str,
    force: bool,
) -> int:
    """Solve the problem TEXT ("-" reads it from standard input), or the problems of --input.

    Exit code: 0 solved, 1 not solvable (the reason is printed), 2 wrong usage or unreadable input.
    """
    if (source is None) == (text is None):
        raise click.UsageError('give either a TEXT or --input FILE.jsonl; for example: saligned "3.8-2.54+1.46=？"')
    if (source is None) != (target is None):
        raise click.UsageError("--input and --output go together")
    if source is not None and target is not None:
        options = {"beam": beam, "min_confidence": min_confidence, "force": force}
        return _solve_file(source, target, engine, model, **options)
    problem = _read_stdin() if text == "-" else text or ""
    solution = load(model).solve(problem, beam=beam, min_confidence=min_confidence)
    if as_json:
        click.echo(json.dumps(solution.to_dict(), ensure_ascii=False))
    else:
        print_solution(solution, explain=explain)
    return 0 if solution.solved else 1


def _read_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"standard input is no UTF-8 at byte {error.start}") from error


def _solve_file(source: Path, target: Path, engine: str, model: str | None, **options: Any) -> int:
    if engine == "ray":
        from saligned.runtime.cluster import solve_file_with_ray

        rows = solve_file_with_ray(model, source, target, **options)
    else:
        rows = solve_file(load(model, threads=0), source, target, **options)
    total = _count_lines(source)
    solved = failed = 0
    with progress(f"solving {source.name}", total) as advance:
        for row in rows:
            solved += row["status"] == "solved"
            failed += row["status"] == "failed"
            advance(1)
    click.echo(f"{solved} solved, {failed} failed → {target}", err=True)
    return 0


def _count_lines(path: Path) -> int:
    if not path.is_file():
        raise click.UsageError(f"{path} is no file")
    with path.open("rb") as lines:
        return sum(1 for line in lines if line.strip())
