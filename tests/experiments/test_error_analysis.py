"""The kinds of error, on invented pairs; the page; and that it stays out of the repository."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from saligned.cli.errors import errors
from saligned.errors import DataError
from saligned.experiments import error_analysis as kinds
from saligned.experiments.error_analysis import MANY, count, kinds_of, pair_up
from saligned.experiments.error_page import make_page


def row(made: str, gold: str = "x=12-5*3", *, correct: bool = False, **fields: Any) -> dict[str, Any]:
    return {
        "id": "p",
        "text": "甲有12个，分给5人，每人3个，还剩多少个？",
        "quantities": ["12", "5", "3"],
        "gold": [gold],
        "gold_answers": ["-3"],
        "equations": [made] if made else [],
        "answer": "1",
        "status": "solved" if made else "failed",
        "reason": "" if made else "no quantity in the text",
        "correct": correct,
        "same_equation": made == gold,
        **fields,
    }


@pytest.mark.parametrize(
    ("made", "gold", "expected"),
    [
        ("x=12+5*3", "x=12-5*3", [kinds.WRONG_OPERATOR]),
        ("x=5*3-12", "x=12-5*3", [kinds.SWAPPED]),
        ("x=(12-5)/3", "x=3/(5-12)", [kinds.SWAPPED]),
        ("x=12-5", "x=12-5*3", [kinds.MISSING_QUANTITY]),
        ("x=12-5*3*3", "x=12-5*3", [kinds.EXTRA_QUANTITY]),
        ("x=12-5*5", "x=12-5*3", [kinds.MISSING_QUANTITY, kinds.EXTRA_QUANTITY]),
        ("x=5+12", "x=5+12+1", [kinds.MISSING_CONSTANT]),
        ("x=5*3*1", "x=5*3", [kinds.EXTRA_CONSTANT]),
        ("x=(12-5)*3", "x=12-5*3", [kinds.OTHER_ORDER]),
        ("", "x=12-5*3", [kinds.NO_EQUATION]),
        ("x=12", "x=12-", [kinds.UNCOMPARABLE]),
    ],
)
def test_kinds(made: str, gold: str, expected: list[str]) -> None:
    assert list(kinds_of(row(made, gold))) == expected


def test_a_correct_answer_is_no_error() -> None:
    assert kinds_of(row("x=12-5*3", correct=True)) == ()
    assert kinds_of(row("x=12-3*5", correct=True)) == (kinds.OTHER_EQUATION,)


FIRST = [
    row("x=12-5*3", correct=True, id="1"),
    row("x=12+5*3", id="2"),
    row("x=12-5", id="3"),
    row("x=12-3*5", correct=True, id="4"),
]
SECOND = [
    row("x=12+5*3", id="1"),
    row("x=12-5*3", correct=True, id="2"),
    row("", id="3"),
    row("x=12-5*3", correct=True, id="4"),
]


def test_the_page() -> None:
    page = make_page(pair_up(FIRST, SECOND), ("A", "B"))
    assert "4 problems: both solve 1, only A 1, only B 1, neither 1." in page
    assert f"| {kinds.WRONG_OPERATOR} | 1 | 1 |" in page
    assert f"| {kinds.OTHER_EQUATION} | 1 | 0 |" in page
    assert "| 2 | 4 | 50.0% | 50.0% |" in page  # two operations
    assert "| 3 | 4 | 50.0% | 50.0% |" in page  # three quantities
    assert "B: no equation (no quantity in the text)" in page
    assert page.index("## Only A") < page.index("**1**") < page.index("## Only B") < page.index("**2**")


def test_counts_by_size_add_up() -> None:
    long = row("x=12-5*3", "x=12-5*3" + "+3" * MANY, id="5")
    counts = count(pair_up([*FIRST, long], [*SECOND, long]), ("A", "B"))
    assert counts["operations"] == {"2": (4, 2, 2), f"{MANY} or more": (1, 0, 0)}
    assert counts["quantities"] == {"3": (5, 2, 2)}
    assert counts["both"] + sum(counts["only"]) + counts["neither"] == counts["problems"] == 5


def test_runs_of_different_folds_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="same fold"):
        pair_up(FIRST, [row("", id="other")])


def test_the_command_writes_outside_the_repository_only(tmp_path: Path) -> None:
    files = []
    for name, rows in (("a", FIRST), ("b", SECOND)):
        files.append(tmp_path / name / "fold0")
        files[-1].mkdir(parents=True)
        (files[-1] / "predictions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    arguments = [*map(str, files), "--out"]
    refused = CliRunner().invoke(errors, [*arguments, str(tmp_path / "checkout" / "docs" / "errors.md")])
    assert isinstance(refused.exception, DataError)
    for out in (tmp_path / "errors.md", tmp_path / "checkout" / "runs" / "errors.md"):
        assert CliRunner().invoke(errors, [*arguments, str(out)]).exit_code == 0
        assert out.read_text(encoding="utf-8").startswith("# a/fold0 and b/fold0")


def test_all_folds_at_once_and_their_counts(tmp_path: Path) -> None:
    for name, rows in (("a", FIRST), ("b", SECOND)):
        for fold, part in enumerate((rows[:2], rows[2:])):
            directory = tmp_path / name / f"fold{fold}"
            directory.mkdir(parents=True)
            (directory / "predictions.jsonl").write_text("\n".join(map(json.dumps, part)) + "\n")
    out, counts = tmp_path / "errors.md", tmp_path / "results" / "a-b.json"
    arguments = [str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(out), "--counts", str(counts)]
    assert CliRunner().invoke(errors, arguments).exit_code == 0
    assert out.read_text(encoding="utf-8").startswith("# a and b\n\n4 problems")
    assert json.loads(counts.read_text())["systems"] == ["a", "b"]
    assert "甲" not in counts.read_text(encoding="utf-8")
