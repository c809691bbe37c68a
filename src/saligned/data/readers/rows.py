"""A file's content → its rows, each with the line it starts on; a row that is no row becomes a `Rejection`.

Nothing here knows what the fields mean: that is `formats`.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a data file, as written."""

    line: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that cannot be used; the reason's part before the first colon is its category."""

    id: str
    line: int
    reason: str


Rows = Iterator[Row | Rejection]
Scanner = Callable[[str], Rows]

_DECODER = json.JSONDecoder()
_BETWEEN_OBJECTS = re.compile(r"[\s,\[\]]*")
_AFTER_OBJECT = re.compile(r"\}\s*,?\s*(?=\{)")
_PROBLEM_TAG = re.compile(r"<Problem\b")
_PROBLEM_END = "</Problem>"


def json_objects(content: str) -> Rows:
    """The objects of a JSON array, or of a file that just writes one object after the other.

    After a broken object the reading goes on at the next one that starts like the first did: on a line of its
    own with the same indentation, or behind `}`.

    >>> [row.line for row in json_objects('[\\n {"a": 1},\\n {"a": },\\n {"a": 3}\\n]')]
    [2, 3, 4]
    """
    next_object = _object_start(content)
    position, line = 0, 1
    while True:
        start = _end_of(_BETWEEN_OBJECTS, content, position)
        if start >= len(content):
            return
        line += content.count("\n", position, start)
        row, end = _row_at(content, start, line)
        yield row
        if end is None:
            found = next_object.search(content, start + 1)
            if found is None:
                return
            end = found.end() if next_object is _AFTER_OBJECT else found.start()
        line += content.count("\n", start, end)
        position = end


def json_lines(content: str) -> Rows:
    """One JSON object a line; blank lines are skipped. `\\n` alone ends a line: a text may hold U+2028."""
    for line, text in enumerate(content.split("\n"), start=1):
        stripped = text.strip()
        if not stripped:
            continue
        row, end = _row_at(stripped, 0, line)
        if end is not None and end < len(stripped):
            row = Rejection("", line, "invalid JSON: more than one value on the line")
        yield row


def csv_rows(content: str) -> Rows:
    """A CSV file with a header; a quoted field may span lines."""
    reader = csv.DictReader(io.StringIO(content, newline=""))
    line = 1
    try:
        for fields in reader:
            start, line = line + 1, reader.line_num
            if None in fields:
                yield Rejection("", start, "invalid CSV: more fields than the header names")
            else:
                yield Row(start, {name: value for name, value in fields.items() if value is not None})
    except csv.Error as error:
        yield Rejection("", line + 1, f"invalid CSV: {error}")


def xml_problems(content: str) -> Rows:
    """The `<Problem>` elements, each parsed alone so that a damaged one does not hide the others."""
    starts = [match.start() for match in _PROBLEM_TAG.finditer(content)]
    position, line = 0, 1
    for start, limit in pairwise([*starts, len(content)]):
        line += content.count("\n", position, start)
        position = start
        end = content.find(_PROBLEM_END, start, limit)
        if end < 0:
            yield Rejection("", line, f"invalid XML: no {_PROBLEM_END}")
            continue
        try:
            element = ElementTree.fromstring(content[start : end + len(_PROBLEM_END)])
        except ElementTree.ParseError as error:
            yield Rejection("", line, f"invalid XML: {error}")
            continue
        children = {child.tag: child.text or "" for child in element}
        yield Row(line, {**element.attrib, **children})


def _row_at(content: str, start: int, line: int) -> tuple[Row | Rejection, int | None]:
    """The row of the JSON value at `start`, and where it ends, which only a sound value tells."""
    try:
        value, end = _DECODER.raw_decode(content, start)
    except json.JSONDecodeError as error:
        return Rejection("", line, f"invalid JSON: {error.msg}"), None
    except (ValueError, RecursionError):  # an integer of thousands of digits; brackets nested thousands deep
        return Rejection("", line, "invalid JSON: too large"), None
    row = Row(line, value) if isinstance(value, dict) else Rejection("", line, "not a JSON object")
    return row, end


def _object_start(content: str) -> re.Pattern[str]:
    """What the start of an object looks like in this file."""
    first = content.find("{")
    indent = content[content.rfind("\n", 0, first) + 1 : max(first, 0)]
    if indent.strip():
        return _AFTER_OBJECT
    return re.compile(rf"^{re.escape(indent)}(?=\{{)", re.MULTILINE)


def _end_of(pattern: re.Pattern[str], content: str, position: int) -> int:
    match = pattern.match(content, position)
    return match.end() if match else position
