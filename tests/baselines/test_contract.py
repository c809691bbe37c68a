"""One suite over all systems of the tables: they learn, solve, fail with reasons, resume and repeat themselves."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from saligned.baselines.contract import System, program_of_solution
from saligned.errors import ConfigError, DataError
from saligned.problem import Problem, Reason
from saligned.runtime.evaluation import is_correct
from saligned.runtime.solution import Solution
from saligned.symbolic.actions import Kind
from tests.baselines.corpus import KINDS, SYSTEM_NAMES, TRAINED, fit, small_system
from tests.problems import PROBLEMS

WITHOUT_NUMBER = Problem("no-number", "小明有一些苹果，又买了一些，现在有多少个？")
BLANK = Problem("blank", " ")


class KillError(Exception):
    """Stands for a kill."""


def kill_after_epochs(count: int) -> Any:
    """Counts epochs of whatever is trained: a Seq2Seq trains twice."""
    seen = 0

    def report(phase: str, *_: object) -> None:
        nonlocal seen
        seen += phase == "epoch"
        if seen == count:
            raise KillError

    return report


def programs(solutions: list[Solution]) -> list[Any]:
    return [program_of_solution(solution) or str(solution.failure) for solution in solutions]


@pytest.fixture(scope="module", params=SYSTEM_NAMES)
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    """Every system, fitted once."""
    fitted = small_system(request.param)
    fit(fitted, tmp_path_factory.mktemp("system"))
    return fitted


def test_a_solution_for_each_problem(system: System) -> None:
    asked = [WITHOUT_NUMBER, *PROBLEMS[:3], BLANK, *PROBLEMS[3:]]
    solutions = system.solve(asked)
    assert [solution.text for solution in solutions] == [problem.text for problem in asked]
    assert all(solution.model == system.name for solution in solutions)
    for solution in solutions:
        assert solution.solved == bool(solution.answers)
        assert solution.solved or (solution.failure is not None and solution.failure.reason in Reason)
    assert solutions[0].failure is not None
    assert solutions[0].failure.reason is Reason.NO_QUANTITY
    assert solutions[4].failure is not None
    assert solutions[4].failure.reason is Reason.UNREADABLE


def test_nothing_to_solve(system: System) -> None:
    assert system.solve([]) == []


def test_alone_as_in_company(system: System) -> None:
    """The same programs; they may part only where two actions were equally likely: these networks learned little."""
    for problem, together in zip(PROBLEMS[:8], system.solve(PROBLEMS), strict=False):
        alone = system.solve([problem])[0]
        one, other = (program_of_solution(solution) for solution in (alone, together))
        if one == other:
            assert programs([alone]) == programs([together])
            continue
        assert one
        assert other
        assert alone.best
        step, parted = next((k, pair) for k, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
        decision = alone.best.hypothesis.decisions[step]
        first, second = (
            decision.actions[action.kind] + (decision.operands[action.operand] if action.kind is Kind.PUSH else 0)
            for action in parted
        )
        assert first == pytest.approx(second, abs=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_the_same_seed_gives_the_same_programs(name: str, tmp_path: Path) -> None:
    first, second = small_system(name), small_system(name)
    figures = [fit(first, tmp_path / "1"), fit(second, tmp_path / "2")]
    assert figures[0].best_epoch == figures[1].best_epoch
    assert figures[0].valid_accuracy == figures[1].valid_accuracy
    assert programs(first.solve(PROBLEMS)) == programs(second.solve(PROBLEMS))


# The fourth epoch of a Seq2Seq is the first of its second training.
@pytest.mark.parametrize(("name", "epochs"), [*((name, 2) for name in TRAINED), ("seq2seq-sni", 4)])
def test_a_killed_training_resumes_to_the_same_result(name: str, epochs: int, tmp_path: Path) -> None:
    whole = small_system(name, epochs=3)
    expected = fit(whole, tmp_path / "whole")
    with pytest.raises(KillError):
        fit(small_system(name, epochs=3), tmp_path / "killed", report=kill_after_epochs(epochs))
    resumed = small_system(name, epochs=3)
    found = fit(resumed, tmp_path / "killed")
    assert (found.best_epoch, found.valid_accuracy) == (expected.best_epoch, expected.valid_accuracy)
    assert programs(resumed.solve(PROBLEMS)) == programs(whole.solve(PROBLEMS))


@pytest.mark.parametrize("name", TRAINED)
def test_a_finished_training_is_not_repeated(name: str, tmp_path: Path) -> None:
    first = small_system(name)
    fit(first, tmp_path)
    again = small_system(name)

    def fail(*_: object) -> None:
        raise AssertionError("trained again")

    fit(again, tmp_path, report=fail)
    assert programs(again.solve(PROBLEMS)) == programs(first.solve(PROBLEMS))


@pytest.mark.parametrize("name", KINDS)
def test_problems_without_an_equation_teach_nothing(name: str, tmp_path: Path) -> None:
    unwritable = [
        Problem("a", "甲有3个，乙有多少个？", ("x=3+77",)),
        Problem("b", "甲有4个，乙有多少个？", ("x=4+78",)),
    ]
    with pytest.raises(DataError):
        fit(small_system(name), tmp_path, unwritable)


# Two templates, ten problems each, told apart by one word.
LEARNABLE = [
    problem
    for a in range(20, 30)
    for problem in (
        Problem(f"plus-{a}", f"小明有{a}个苹果，又买了7个，现在有多少个？", (f"x={a}+7",), (Fraction(a + 7),)),
        Problem(f"minus-{a}", f"小明有{a}个苹果，吃掉了7个，现在有多少个？", (f"x={a}-7",), (Fraction(a - 7),)),
    )
]


@pytest.mark.parametrize("name", KINDS)
def test_it_learns(name: str, tmp_path: Path) -> None:
    system = small_system(name, epochs=16, dropout=0.0, schedule="constant")
    fit(system, tmp_path, LEARNABLE)
    assert sum(map(is_correct, system.solve(LEARNABLE), LEARNABLE)) >= 18


@pytest.mark.parametrize("name", [name for name in TRAINED if name != "paper-word"])
def test_what_varies_programs_is_refused_by_systems_without_programs(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="swap"):
        fit(small_system(name, swap=0.25), tmp_path)
