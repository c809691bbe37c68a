"""The contract of the command line: outputs, exit codes, help."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from saligned.cli.main import COMMANDS
from saligned.cli.terminal import print_solution
from saligned.runtime.models import DEFAULT, load
from tests.problems import PROBLEMS

TEXT = "食堂有大米80千克，吃了35千克，还剩多少千克？"
FIELDS = {
    "id",
    "text",
    "status",
    "answer",
    "value",
    "equations",
    "confidence",
    "warnings",
    "steps",
    "alternatives",
    "model",
}


def saligned(*args: str | bytes, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "saligned", *args]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    return subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment)


def test_the_bare_call_solves() -> None:
    done = saligned(TEXT)
    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "x = 80 − 35" in shown
    assert "80 − 35 = 45" in shown


def test_a_doubtful_answer_is_called_one(capsys: pytest.CaptureFixture[str]) -> None:
    solution = load().solve(TEXT)
    for confidence, doubtful in ((0.5, False), (0.49, True)):
        print_solution(replace(solution, confidence=confidence))
        assert ("more likely wrong" in capsys.readouterr().out) is doubtful


def test_json_has_the_contract_s_fields() -> None:
    row = json.loads(saligned("solve", TEXT, "--json", "--beam", "1").stdout)
    assert set(row) == FIELDS
    assert (row["status"], row["answer"], row["value"]) == ("solved", "45", 45)
    assert row["steps"] == [{"operator": "-", "left": "80", "right": "35", "value": "45"}]


def test_answers_that_are_not_sure_enough_are_failures(tmp_path: Path) -> None:
    done = saligned("solve", TEXT, "--min-confidence", "1")
    assert done.returncode == 1
    assert "not sure enough" in done.stdout.decode()
    row = json.loads(saligned("solve", TEXT, "--min-confidence", "1", "--json").stdout)
    assert (row["status"], row["answer"]) == ("failed", None)
    assert 0 < row["confidence"] <= 1
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"id": "7", "text": TEXT}), encoding="utf-8")
    saligned("solve", "--input", str(source), "--output", str(target), "--min-confidence", "1")
    assert json.loads(target.read_text(encoding="utf-8"))["status"] == "failed"


def test_an_odd_answer_is_shown_with_a_warning() -> None:
    shown = saligned("有7个人，走了9个，还剩几个人？", "--beam", "1").stdout.decode()
    assert ("the answer is negative" in shown) == ("−2" in shown or "-2" in shown)


def test_standard_input() -> None:
    assert json.loads(saligned("solve", "-", "--json", stdin=TEXT.encode()).stdout)["answer"] == "45"
    assert saligned("solve", "-", stdin=b"\xff\xfe").returncode == 2


def test_a_text_without_numbers_is_not_solvable() -> None:
    done = saligned("今天天气真好")
    assert done.returncode == 1
    assert "no quantity" in done.stdout.decode()


@pytest.mark.parametrize(
    "args",
    [
        ("",),
        ("一" * 30_000,),
        ("3+5\x07=?",),
        (b"\xff\xfe 3 + 5",),
        ("solve",),
        ("solve", TEXT, "--input", "x.jsonl"),
        ("solve", "--input", "missing.jsonl", "--output", "out.jsonl"),
        ("solve", TEXT, "--model", "no-such-model"),
        ("solve", TEXT, "--beam", "0"),
        ("solve", TEXT, "--min-confidence", "1.5"),
        ("solve", TEXT, "--no-such-option"),
        ("evaluate", "missing.json", "--format", "math23k"),
        ("data", "check", "pyproject.toml", "--format", "math23k"),
    ],
)
def test_bad_input_is_explained(args: tuple[str | bytes, ...]) -> None:
    done = saligned(*args)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert b"Traceback" not in done.stderr


def test_a_file_of_problems(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"id": "7", "text": TEXT}) + "\n{oops\n", encoding="utf-8")
    args = ("solve", "--input", str(source), "--output", str(target))
    assert saligned(*args).returncode == 0
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [(row["id"], row["status"]) for row in rows] == [("7", "solved"), ("line 2", "failed")]
    assert saligned(*args).returncode == 2


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("data", "check")])
def test_help(command: tuple[str, ...]) -> None:
    done = saligned(*command, "--help")
    assert done.returncode == 0, done.stderr
    assert b"Usage:" in done.stdout


def test_models_lists_the_default() -> None:
    assert f"{DEFAULT} (default)" in saligned("models").stdout.decode()
    assert {card["name"] for card in json.loads(saligned("models", "--json").stdout)} >= {DEFAULT, "zh-char"}


def test_evaluate_counts_every_problem(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "original_text": TEXT, "segmented_text": "", "equation": "x=80-35", "ans": "45"},
        {"id": "2", "original_text": TEXT, "segmented_text": "", "equation": "x=80+35", "ans": "115"},
    ]
    path = tmp_path / "data.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    figures = json.loads(saligned("evaluate", str(path), "--format", "math23k", "--json").stdout)
    assert (figures["problems"], figures["correct"], figures["accuracy"]) == (2, 1, 0.5)
    assert 0 <= figures["calibration_error"] <= 1
    assert sum(row["problems"] for row in figures["reliability"]) == 2


def test_data_check_names_bad_rows(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "original_text": TEXT, "segmented_text": "", "equation": "x=80-35", "ans": "45"},
        {"id": "2", "original_text": TEXT, "segmented_text": "", "equation": "x=80-", "ans": "45"},
    ]
    path = tmp_path / "data.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    done = saligned("data", "check", str(path), "--format", "math23k", "--rows")
    assert done.returncode == 0
    assert "id 2" in done.stdout.decode()


def test_the_page_about_the_models_is_not_stale() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "models.md"
    assert saligned("models", "--markdown").stdout.decode() == page.read_text(encoding="utf-8")


def test_train_evaluate_and_solve_with_one_s_own_data(tmp_path: Path) -> None:
    rows = [
        {"id": problem.id, "original_text": problem.text, "segmented_text": "", "equation": problem.equations[0]}
        | {"ans": str(problem.answers[0])}
        for problem in PROBLEMS
    ]
    data, config, out = tmp_path / "data.json", tmp_path / "config.json", tmp_path / "model"
    data.write_text(json.dumps(rows), encoding="utf-8")
    config.write_text('{"hidden": 16, "embedding": 8, "epochs": 2, "min_count": 1}')
    command = ("train", str(data), "--format", "math23k", "--out", str(out))
    done = saligned(*command, "--config", str(config))
    assert done.returncode == 0, done.stderr.decode()
    assert b"best epoch" in done.stderr
    assert saligned("solve", TEXT, "--model", str(out), "--json").returncode in {0, 1}
    figures = saligned("evaluate", str(data), "--format", "math23k", "--model", str(out), "--json")
    assert json.loads(figures.stdout)["problems"] == len(PROBLEMS)
    again = saligned(*command, "--config", str(config))
    assert again.returncode == 2
    assert b"--resume" in again.stderr
    assert saligned(*command, "--config", str(config), "--resume").returncode == 0
