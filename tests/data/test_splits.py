"""Splits name their problems exactly and repeat."""

import hashlib
from pathlib import Path

import pytest

from saligned.data.splits import data_hash, read_folds, read_ids, select, split_validation
from saligned.errors import DataError
from saligned.problem import Problem

PROBLEMS = [Problem(str(number), f"{number}个") for number in range(10)]


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    return path


def test_ids_skip_blank_lines_and_comments(tmp_path: Path) -> None:
    assert read_ids(write(tmp_path, "# test part\n3\n\n  a-7 \r\n")) == ["3", "a-7"]


@pytest.mark.parametrize("content", ["", "\n\n", "# only this\n"])
def test_an_id_file_without_ids(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError):
        read_ids(write(tmp_path, content))


def test_folds_are_strings_whatever_the_file_writes(tmp_path: Path) -> None:
    assert read_folds(write(tmp_path, '{"note": "n", "folds": [["1", 2], [3]]}')) == [["1", "2"], ["3"]]


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        "nonsense",
        '{"folds": []}',
        '{"folds": [["1"]]}',
        '{"folds": [["1"], []]}',
        '{"folds": ["1", "2"]}',
        '{"folds": [["1"], [null]]}',
        '{"folds": [["1", "2"], ["2"]]}',
    ],
)
def test_impossible_folds(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError):
        read_folds(write(tmp_path, content))


def test_selection_follows_the_ids() -> None:
    assert [problem.id for problem in select(PROBLEMS, ["7", "2", "7"])] == ["7", "2"]


def test_an_id_of_two_rows_selects_both() -> None:
    twice = [*PROBLEMS, Problem("2", "again")]
    assert [problem.text for problem in select(twice, ["2"])] == ["2个", "again"]


def test_missing_ids_are_counted_and_named() -> None:
    with pytest.raises(DataError, match=r"6 of 7 ids .* a, b, c, d, e, …"):
        select(PROBLEMS, ["1", *"abcdef"])


def test_validation_is_a_repeatable_partition() -> None:
    train, valid = split_validation(PROBLEMS, 0.3, 5)
    assert len(valid) == 3
    assert sorted([*train, *valid], key=PROBLEMS.index) == PROBLEMS
    assert split_validation(PROBLEMS, 0.3, 5) == (train, valid)
    assert any(split_validation(PROBLEMS, 0.3, seed)[1] != valid for seed in range(5))


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 0.01])
def test_an_empty_side_is_refused(fraction: float) -> None:
    with pytest.raises(DataError):
        split_validation(PROBLEMS, fraction, 0)


def test_hash(tmp_path: Path) -> None:
    assert data_hash(write(tmp_path, "abc")) == hashlib.sha256(b"abc").hexdigest()
    with pytest.raises(DataError):
        data_hash(tmp_path / "none")
