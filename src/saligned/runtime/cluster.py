"""Files of problems on a Ray cluster: the same lines as `batch.solve_file`, solved by many workers."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from saligned.errors import DataError, SalignedError
from saligned.runtime.batch import prepare_target, solve_lines
from saligned.runtime.choice import AutoSolver
from saligned.runtime.models import load
from saligned.runtime.solver import BEAM, Solver

ROWS_PER_TASK = 512


@cache
def _solver(model: str | None) -> Solver | AutoSolver:
    """One solver a worker process, with one thread: the workers are the parallelism."""
    return load(model, threads=1)


def _solve_block(block: dict[str, Any], model: str | None, beam: int, min_confidence: float) -> dict[str, Any]:
    """A Ray Data batch of numbered lines → numbered solutions."""
    numbers = [int(number) for number in block["number"]]
    solver, lines = _solver(model), list(block["line"])
    rows = solve_lines(solver, lines, beam=beam, min_confidence=min_confidence, numbers=numbers)
    return {"number": block["number"], "row": [json.dumps(row) for row in rows]}


def solve_file_with_ray(
    model: str | None,
    source: Path,
    target: Path,
    *,
    beam: int = BEAM,
    min_confidence: float = 0.0,
    force: bool = False,
) -> Iterator[dict[str, Any]]:
    """Like `batch.solve_file`, with Ray Data; RAY_ADDRESS names a cluster, otherwise one is started here."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise SalignedError("--engine ray needs Ray: pip install 'saligned[cluster]'") from error
    part = prepare_target(source, target, force=force)
    try:
        lines = [line for line in source.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise DataError(f"{error.filename}: {error.strerror}") from error
    ray.init(ignore_reinit_error=True, log_to_driver=False, include_dashboard=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    numbered = ray.data.from_items([{"number": n, "line": line} for n, line in enumerate(lines, 1)])
    options = {"model": model, "beam": beam, "min_confidence": min_confidence}
    solved = numbered.map_batches(_solve_block, batch_size=ROWS_PER_TASK, fn_kwargs=options)
    with part.open("w", encoding="utf-8", errors="backslashreplace") as out:
        for item in solved.sort("number").iter_rows():
            row = json.loads(item["row"])
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            yield row
    part.replace(target)
