"""What every system of the tables can do: learn from problems, and solve problems.

To add a system: a class with `fit` and `solve`, and a line in `saligned.experiments.systems`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from saligned.config import Config
from saligned.data.programs import gold_program
from saligned.errors import InputError
from saligned.problem import Failure, Problem, Reading, Reason
from saligned.runtime.evaluation import read_problem, read_problems
from saligned.runtime.search import Focus, Hypothesis
from saligned.runtime.solution import Candidate, Solution, failed
from saligned.symbolic.actions import Kind, OperandLayout, Program
from saligned.symbolic.machine import run
from saligned.symbolic.solving import solve

Report = Callable[[str, int, int, dict[str, float]], None]  # phase, done, total, figures: see `Trainer`


@dataclass(frozen=True, slots=True)
class Fitted:
    """How the learning went; epoch 0 stands for a system that has no epochs."""

    best_epoch: int = 0
    valid_accuracy: float | None = None


class System(Protocol):
    """A row of a table."""

    name: str
    config: Config

    def fit(self, train: Sequence[Problem], valid: Sequence[Problem], directory: Path, report: Report) -> Fitted:
        """Learn. What takes long is kept in the directory: a second call goes on where the first one stopped."""

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """One solution a problem, order kept; what cannot be solved is a solution with its failure."""


def gold_pairs(problems: Sequence[Problem], config: Config) -> list[tuple[Problem, Reading, Program]]:
    """The problems whose equation can be written over the numbers of their text."""
    out = []
    for problem, reading in zip(*read_problems(problems, config.tokenizer), strict=True):
        program = gold_program(problem, reading.quantities, config.layout)
        if not isinstance(program, Failure):
            out.append((problem, reading, program))
    return out


def solve_each(
    name: str,
    config: Config,
    problems: Sequence[Problem],
    write: Callable[[list[Reading]], list[Program | Failure]],
) -> list[Solution]:
    """Read the texts, let a system write programs for those with numbers, and run the programs."""
    readings = [_read(problem, config) for problem in problems]
    usable = [reading for reading in readings if isinstance(reading, Reading) and reading.quantities]
    programs = iter(write(usable) if usable else [])
    solutions = []
    for problem, reading in zip(problems, readings, strict=True):
        if isinstance(reading, Failure):
            solutions.append(failed(problem.text, name, reading.reason, reading.detail))
        elif not reading.quantities:
            solutions.append(failed(problem.text, name, Reason.NO_QUANTITY))
        else:
            solutions.append(as_solution(name, reading, next(programs), config.layout))
    return solutions


def as_solution(name: str, reading: Reading, program: Program | Failure, layout: OperandLayout) -> Solution:
    """What a program comes to."""
    operands = layout.expressions(reading.quantities)
    equations = program if isinstance(program, Failure) else run(program, operands, layout)
    if isinstance(program, Failure) or isinstance(equations, Failure):
        failure = program if isinstance(program, Failure) else equations
        assert isinstance(failure, Failure)
        return Solution(reading.text, name, reading, failure=failure)
    answers = solve(equations)
    failure_of = answers if isinstance(answers, Failure) else None
    best = Candidate(equations, answers, _seen_nothing(program))
    return Solution(reading.text, name, reading, best, failure=failure_of, operands=tuple(operands))


def quantities_needed(program: Program, layout: OperandLayout) -> int:
    """How many quantities a text must have for this program."""
    pushed = (action.operand for action in program if action.kind is Kind.PUSH)
    return max(0, max(pushed, default=-1) + 1 - layout.quantity(0))


def program_of_solution(solution: Solution) -> Program | None:
    """The program behind a solution."""
    return solution.best.hypothesis.program if solution.best else None


def _read(problem: Problem, config: Config) -> Reading | Failure:
    try:
        return read_problem(problem, config.tokenizer)
    except InputError as error:
        return Failure(Reason.UNREADABLE, str(error))


def _seen_nothing(program: Program) -> Hypothesis:
    """A program that no search wrote: there are no vectors to show."""
    nothing = np.zeros(0, dtype=np.float32)
    return Hypothesis(0.0, program, (), Focus(nothing, nothing))
