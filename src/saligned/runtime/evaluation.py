"""Answer accuracy of a solver on the problems of a data set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from saligned.errors import InputError
from saligned.problem import Problem, Reading
from saligned.runtime.solution import Solution
from saligned.runtime.solver import Solver
from saligned.symbolic.solving import matches
from saligned.text.tokenizers import read, read_words


@dataclass(frozen=True, slots=True)
class Outcome:
    """One problem with what the solver made of it."""

    problem: Problem
    solution: Solution
    correct: bool


def read_problem(problem: Problem, tokenizer: str) -> Reading:
    """A data set's text as a solver reads it.

    The equations of the data sets leave 万 to the text (20万 is their 20), a user's text does not.
    """
    if tokenizer == "segmented" and problem.words:
        return read_words(problem.words, problem.text, myriads=False)
    return read(problem.text, tokenizer, myriads=False)


def read_problems(problems: Sequence[Problem], tokenizer: str) -> tuple[list[Problem], list[Reading]]:
    """The problems whose text can be read, with what was read."""
    kept, readings = [], []
    for problem in problems:
        try:
            readings.append(read_problem(problem, tokenizer))
        except InputError:
            continue
        kept.append(problem)
    return kept, readings


def is_correct(solution: Solution, problem: Problem) -> bool:
    """The one definition of correct: the answer's value is the data set's answer (see `matches`)."""
    return solution.solved and matches(solution.answers, problem.answers)


def evaluate(
    solver: Solver, problems: Sequence[Problem], *, beam: int, advance: Callable[[int], None] = lambda _: None
) -> list[Outcome]:
    """Solve every problem; one that cannot be read counts as wrong, and the denominator stays whole."""
    outcomes: list[Outcome] = []
    for start in range(0, len(problems), 256):
        chunk = problems[start : start + 256]
        kept, readings = read_problems(chunk, solver.config.tokenizer)
        solutions = dict(zip((p.id for p in kept), solver.solve_readings(readings, beam=beam), strict=True))
        for problem in chunk:
            solution = solutions.get(problem.id) or solver.solve_many([problem.text])[0]
            outcomes.append(Outcome(problem, solution, is_correct(solution, problem)))
        advance(len(chunk))
    return outcomes
