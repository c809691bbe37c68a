"""The check counts what can be used and says of every other row why not."""

import json
from pathlib import Path

from saligned.data.check import check

ROWS: list[object] = [
    {"text": "3个5？", "equation": "x=3*5", "ans": "15"},
    {"text": "3个5？", "equation": "x=3*5", "ans": "16"},
    {"text": "3个5？", "equation": "x=3*(5", "ans": "15"},
    {"text": "3个5？", "equation": "x=3/(5-5)", "ans": "15"},
    {"text": "3个5？", "equation": "x=3*5", "ans": "够"},
    {"text": "3个5？", "ans": "15"},
    {"text": "", "ans": "15"},
    {"text": "甲乙和10差4", "equation": "x+y=10;x-y=4", "ans": [7, 3]},
    {"text": "甲乙和10差4，甲？", "equation": "x+y=10;x-y=4", "ans": 7},
]


def test_report(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n{broken\n", encoding="utf-8")
    report = check(path, "jsonl")
    assert (report.rows, report.readable, report.parsable, report.confirmed) == (10, 8, 6, 2)
    assert [(finding.line, finding.reason.partition(":")[0]) for finding in report.findings] == [
        (2, "another value"),
        (3, "equation unparsable"),
        (4, "equation without solution"),
        (5, "no readable answer"),
        (6, "no equation"),
        (7, "no text"),
        (9, "more unknowns than answers"),
        (10, "invalid JSON"),
    ]
    assert report.reasons["another value"] == 1
    assert sum(report.reasons.values()) == 8
