"""Cross-validation on the invented problems: whole, stopped, resumed, in processes."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from saligned.cli.crossval import crossval as crossval_command
from saligned.config import Config
from saligned.data.splits import data_hash
from saligned.errors import ConfigError, DataError
from saligned.experiments import crossval
from saligned.experiments.crossval import PREDICTIONS, Task, read_progress, run_task, split, unfinished
from saligned.experiments.engines import run_local
from saligned.experiments.scoring import is_kept
from saligned.experiments.systems import BASE, CONFIGS, load_config, recipe
from saligned.problem import Problem
from saligned.text.tokenizers import read
from tests.experiments.corpus import command, tasks_of, timeless, write_data
from tests.problems import PROBLEMS


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path)


def test_every_problem_is_in_one_part(data: Path) -> None:
    for task in tasks_of(data, "paper-word"):
        train, valid, test = split(task, 1)
        assert [len(part) for part in (train, valid, test)] == [14, 2, 8]
        assert len({problem.id for part in (train, valid, test) for problem in part}) == len(PROBLEMS)


def test_a_result_says_what_was_measured(data: Path) -> None:
    task = tasks_of(data, "retrieval-jaccard")[0]
    result = run_task(task)
    assert result == json.loads(task.result.read_text())
    assert result["data"]["sha256"] == data_hash(data)
    assert result["config"] == json.loads(json.dumps(task.config))
    assert result["counts"]["problems"] == 8
    assert result["accuracy"] == pytest.approx(result["counts"]["correct"] / 8)
    rows = [json.loads(line) for line in (task.run / PREDICTIONS).read_text().splitlines()]
    assert sum(row["correct"] for row in rows) == result["counts"]["correct"]
    assert not any(problem.text in task.result.read_text() for problem in PROBLEMS)


def test_a_finished_fold_is_not_measured_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = tasks_of(data, "retrieval-cosine")
    run_task(tasks[1])
    assert [task.fold for task in unfinished(tasks)] == [0, 2]
    monkeypatch.setattr(crossval, "split", lambda *_: pytest.fail("measured again"))
    run_task(tasks[1])


def test_a_result_of_another_configuration_is_noticed(data: Path) -> None:
    run_task(tasks_of(data, "retrieval-cosine")[0])
    with pytest.raises(DataError, match="another configuration"):
        unfinished(tasks_of(data, "retrieval-cosine", seed=2))


@pytest.mark.parametrize("system", ["paper-word", "seq2seq-sni", "classification-blstm"])
def test_a_killed_task_resumes_to_the_same_result(system: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run_task(tasks_of(data, system, "-whole", epochs=3)[0])
    task = tasks_of(data, system, epochs=3)[0]
    note = crossval.Notes.__call__

    def kill(self: Any, phase: str, done: int, total: int, figures: dict[str, float]) -> None:
        note(self, phase, done, total, figures)
        if phase == "epoch" and done == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(crossval.Notes, "__call__", kill)
        with pytest.raises(KeyboardInterrupt):
            run_task(task)
    assert not task.result.exists()
    assert read_progress(task)["done"] == 2
    assert timeless(run_task(task)) == timeless(expected)


def test_the_cost_is_that_of_all_attempts(data: Path) -> None:
    task = tasks_of(data, "retrieval-jaccard")[0]
    task.run.mkdir(parents=True)
    notes = crossval.Notes(task)
    notes.since = notes.since[0] - 500, notes.since[1] - 400
    notes("epoch", 1, 2, {})
    resumed = run_task(task)
    assert 500 <= resumed["seconds"] < 600
    assert 400 <= resumed["core_seconds"] < 500


def test_progress_of_an_earlier_attempt_is_old(data: Path) -> None:
    task = tasks_of(data, "retrieval-jaccard")[0]
    task.run.mkdir(parents=True)
    crossval.Notes(task)("epoch", 1, 2, {})
    assert read_progress(task, since=time.time() - 60)["done"] == 1
    assert read_progress(task, since=time.time() + 60) == {}
    assert crossval.Notes(task).epoch == 1


def test_a_task_ends_with_its_parent(data: Path) -> None:
    task = Task(**{**_fields(tasks_of(data, "paper-word")[0]), "parent": os.getppid() + 1_000_000})
    with pytest.raises(SystemExit, match="gone"):
        run_task(task)


def _fields(task: Task) -> dict[str, Any]:
    return {name: getattr(task, name) for name in Task.__slots__}


def test_processes_side_by_side_give_the_same_results(data: Path) -> None:
    tasks = tasks_of(data, "retrieval-jaccard")
    broken = Task(**{**_fields(tasks[0]), "fold": 7})
    finished = {task.fold: outcome for some in run_local([*tasks[:2], broken], workers=2) for task, outcome in some}
    assert "IndexError" in str(finished[7])
    alone = run_task(tasks_of(data, "retrieval-jaccard", "-alone")[1])
    assert not isinstance(finished[1], BaseException)
    assert timeless(finished[1]) == timeless(alone)


def test_the_command(data: Path, tmp_path: Path) -> None:
    task = tasks_of(data, "retrieval-jaccard")[1]
    run_task(task)
    arguments = command(tmp_path, "retrieval-jaccard")[1:]
    again = CliRunner().invoke(crossval_command, [*arguments, "--fold", "1"], standalone_mode=False)
    assert "1 tasks, 1 finished before" in again.stderr
    done = CliRunner().invoke(crossval_command, [*arguments, "--workers", "1", "--fold", "2"], standalone_mode=False)
    assert done.return_value == 0, done.stderr
    assert json.loads((task.result.parent / "fold2.json").read_text())["fold"] == 2


ABLATED = {
    "paper-char": {"tokenizer"},
    "no-gate": {"use_gate"},
    "no-gate-attention": {"use_gate", "use_attention"},
    "no-gate-attention-stack": {"use_gate", "use_attention", "use_stack"},
    "no-semantic-transformer": {"use_semantic_transformer"},
    "no-semantic-representation": {"operand_vectors", "use_semantic_transformer"},
    "affine-gate": {"gate"},
    "self-attention-operands": {"operand_vectors"},
}


@pytest.mark.parametrize("name", sorted(ABLATED))
def test_an_ablation_differs_by_its_field_only(name: str) -> None:
    base, config = load_config(BASE).to_dict(), load_config(name).to_dict()
    assert {field for field in base if base[field] != config[field]} == ABLATED[name]


def test_every_configuration_file_is_one() -> None:
    for path in CONFIGS.glob("*.json"):
        Config.load(path)


def test_an_unknown_system_is_an_error() -> None:
    with pytest.raises(ConfigError, match="retrieval-jaccard"):
        recipe("nothing")


@pytest.mark.parametrize(
    ("equation", "kept"),
    [
        ("x=12+5", True),
        ("x=12*3.14-1", True),
        ("x=12+7", False),
        ("x=5^2", False),
        ("x=(5/12)*5", True),
        ("x=(5/7)*5", False),
    ],
)
def test_what_the_authors_code_keeps(equation: str, kept: bool) -> None:
    text = "甲有12个，乙有5个，一共多少个？"
    assert is_kept(Problem("p", text, (equation,)), read(text, "char")) is kept
