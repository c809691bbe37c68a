"""Files of problems: JSON lines in, JSON lines out, order kept; a bad line never stops the batch."""

import json
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

from saligned.errors import DataError
from saligned.problem import Reason
from saligned.runtime.choice import AutoSolver
from saligned.runtime.solution import failed
from saligned.runtime.solver import BEAM, Solver

CHUNK = 256


def solve_lines(
    solver: Solver | AutoSolver,
    lines: Iterable[bytes],
    *,
    beam: int = BEAM,
    min_confidence: float = 0.0,
    numbers: Iterable[int] | None = None,
) -> Iterator[dict[str, Any]]:
    """A solution for every line `{"id": …, "text": …}`, also for those that cannot be read."""
    numbered = zip(numbers or count(1), lines, strict=False)
    while chunk := list(islice(numbered, CHUNK)):
        rows = [read_line(line, number) for number, line in chunk]
        texts = [text for _, text, fault in rows if not fault]
        solutions = iter(solver.solve_many(texts, beam=beam, min_confidence=min_confidence))
        for identifier, text, fault in rows:
            if fault:
                yield failed(text, solver.name, Reason.UNREADABLE, fault).to_dict(identifier)
            else:
                yield next(solutions).to_dict(identifier)


def read_line(line: bytes, number: int) -> tuple[str, str, str]:
    """The id and text of a line, and what is wrong with it ("" when nothing is)."""
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"line {number}", "", f"line {number} is no UTF-8 at byte {error.start}"
    except (ValueError, RecursionError) as error:
        return f"line {number}", "", f"line {number} is no JSON: {error}"
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        identifier = row.get("id", f"line {number}") if isinstance(row, dict) else f"line {number}"
        return str(identifier), "", f'line {number} has no "text"; a line is {{"id": "1", "text": "…"}}'
    return str(row.get("id", f"line {number}")), row["text"], ""


def solve_file(
    solver: Solver | AutoSolver,
    source: Path,
    target: Path,
    *,
    beam: int = BEAM,
    min_confidence: float = 0.0,
    force: bool = False,
) -> Iterator[dict[str, Any]]:
    """Solve a file into another one, giving each line as it is written.

    The lines grow in `<target>.part`, which gets the target's name when all is done.
    """
    part = prepare_target(source, target, force=force)
    try:
        with source.open("rb") as lines, part.open("w", encoding="utf-8", errors="backslashreplace") as out:
            filled = (line for line in lines if line.strip())
            for row in solve_lines(solver, filled, beam=beam, min_confidence=min_confidence):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                yield row
    except OSError as error:
        raise DataError(f"{error.filename}: {error.strerror}") from error
    part.replace(target)


def prepare_target(source: Path, target: Path, *, force: bool) -> Path:
    """Where the lines grow; DataError where something would be overwritten."""
    if target.exists() and source.exists() and target.samefile(source):
        raise DataError("--input and --output are the same file")
    if target.exists() and not force:
        raise DataError(f"{target} exists; give another --output, or --force to replace it")
    return target.with_name(target.name + ".part")
