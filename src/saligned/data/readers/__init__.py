"""Data files in their native formats → problems.

To add a format: a function in `formats` that makes a `Problem` of a row, and a line in `READERS`.
A broken row becomes a `Rejection` and never stops the reading; a file that is not in the format at all is a
`DataError`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from saligned.data.readers import formats, rows
from saligned.data.readers.rows import Rejection, Row, Scanner
from saligned.errors import DataError
from saligned.problem import Problem

__all__ = ["READERS", "Reader", "Rejection", "detect", "read_content", "read_problems", "read_rows"]

_PROBE = 20  # rows looked at to guess a format


@dataclass(frozen=True, slots=True)
class Reader:
    """How a format is read: file → rows → problems. `keys` are the fields by which a row is recognised."""

    scan: Scanner
    problem: Callable[[Row], Problem]
    keys: frozenset[str]

    def recognises(self, row: Row | Rejection) -> bool:
        """Whether the row has the fields of this format."""
        return isinstance(row, Row) and self.keys <= row.fields.keys()


def _reader(scan: Scanner, problem: Callable[[Row], Problem], *keys: str) -> Reader:
    return Reader(scan, problem, frozenset(keys))


# Formats with more specific keys stand first: `detect` names them in this order.
READERS: dict[str, Reader] = {
    "math23k": _reader(rows.json_objects, formats.math23k, "original_text", "segmented_text"),
    "ape210k": _reader(rows.json_lines, formats.math23k, "original_text", "segmented_text"),
    "mwptoolkit": _reader(rows.json_objects, formats.mwptoolkit, "original_text", "equation"),
    "mwptoolkit-csv": _reader(rows.csv_rows, formats.mwptoolkit, "original_text", "equation"),
    "kushman": _reader(rows.json_objects, formats.kushman, "sQuestion"),
    "svamp": _reader(rows.json_objects, formats.svamp, "ID", "Body", "Equation"),
    "svamp-mawps": _reader(rows.json_objects, formats.svamp_training, "Question", "Equation", "Numbers"),
    "asdiv": _reader(rows.xml_problems, formats.asdiv, "Body", "Formula"),
    "asdiv-json": _reader(rows.json_objects, formats.asdiv, "Body", "Formula"),
    "dolphin": _reader(rows.json_objects, formats.dolphin, "text", "equations"),
    "jsonl": _reader(rows.json_lines, formats.pairs, "text"),
}


def read_problems(path: str | Path, format: str) -> tuple[list[Problem], list[Rejection]]:  # noqa: A002
    """The problems of a file, in its order, and the rows that give none."""
    outcomes = [outcome for _, outcome in read_rows(path, format)]
    problems = [outcome for outcome in outcomes if isinstance(outcome, Problem)]
    return problems, [outcome for outcome in outcomes if isinstance(outcome, Rejection)]


def read_rows(path: str | Path, format: str) -> list[tuple[int, Problem | Rejection]]:  # noqa: A002
    """Every row of a file: the line it starts on, and what it gives."""
    if format not in READERS:
        raise DataError(f"there is no format {format!r}; the formats are {', '.join(READERS)}")
    reader = READERS[format]
    content = read_content(path)
    found = list(reader.scan(content))
    if not any(reader.recognises(row) for row in found):
        raise DataError(f"{path} is not in the format {format!r}: {_advice(content)}")
    return [(row.line, _read(reader, row)) for row in found]


def detect(content: str) -> list[str]:
    """The formats that the first rows of a file may be in, the likeliest first."""
    return [
        name
        for name, reader in READERS.items()
        if any(reader.recognises(row) for row in islice(reader.scan(content), _PROBE))
    ]


def read_content(path: str | Path) -> str:
    """The text of a file; every way in which it has none is a `DataError`."""
    try:
        content = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory; name a file in it") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (byte {error.start}); convert it first") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    if not content.strip():
        raise DataError(f"{path} is empty")
    return content


def _read(reader: Reader, row: Row | Rejection) -> Problem | Rejection:
    if isinstance(row, Rejection):
        return row
    try:
        return reader.problem(row)
    except formats.UnreadableRowError as reason:
        return Rejection(formats.row_id(row), row.line, str(reason))


def _advice(content: str) -> str:
    likely = detect(content)
    if likely:
        return f"it looks like {' or '.join(likely)}; name that format"
    return f"no row has the fields of any known format ({', '.join(READERS)})"
