"""Files of problems: one line out for each line in, whatever the line is."""

import json
from pathlib import Path

import pytest

from saligned.errors import DataError
from saligned.runtime.batch import solve_file
from saligned.runtime.models import load

GOOD = '{"id": "a", "text": "有12个苹果，吃了5个，还剩几个？"}'
BAD = [
    b"{broken",
    b'{"id": "no text"}',
    b'"just a string"',
    b'{"id": 7, "text": 12}',
    b'{"id": "u", "text": "\xff\xfe"}',
    b'{"id": "s", "text": "\\ud800 1"}',
    b'{"id": "e", "text": ""}',
    b"[" * 5000,
]


def run(tmp_path: Path, content: bytes, **options: bool) -> list[dict]:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(content)
    list(solve_file(load(), source, target, **options))
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_bad_lines_become_failed_lines(tmp_path: Path) -> None:
    rows = run(tmp_path, b"\n".join([GOOD.encode(), *BAD, GOOD.encode()]))
    assert [row["status"] for row in rows] == ["solved", *["failed"] * len(BAD), "solved"]
    assert all(row["reason"] for row in rows[1:-1])
    assert rows[2]["id"] == "no text"
    assert rows[4]["id"] == "7"


def test_blank_lines_and_missing_ids(tmp_path: Path) -> None:
    rows = run(tmp_path, b'\n{"text": "3+5=?"}\n\n')
    assert [row["id"] for row in rows] == ["line 1"]


def test_more_lines_than_a_chunk_keep_their_order(tmp_path: Path) -> None:
    lines = [json.dumps({"id": str(n), "text": f"{n}加{n + 1}等于多少？"}) for n in range(2, 602)]
    rows = run(tmp_path, "\n".join(lines).encode())
    assert [row["id"] for row in rows] == [str(n) for n in range(2, 602)]


def test_nothing_is_overwritten_silently(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("precious")
    with pytest.raises(DataError, match="--force"):
        run(tmp_path, GOOD.encode())
    assert (tmp_path / "out.jsonl").read_text() == "precious"
    assert len(run(tmp_path, GOOD.encode(), force=True)) == 1


def test_input_is_never_the_output(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(GOOD)
    with pytest.raises(DataError, match="same file"):
        list(solve_file(load(), path, path, force=True))
    assert path.read_text() == GOOD


def test_a_stopped_batch_leaves_no_target(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(f"{GOOD}\n{GOOD}\n")
    rows = solve_file(load(), source, target)
    next(rows)
    rows.close()
    assert not target.exists()
