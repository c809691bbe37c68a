"""Answer accuracy of a solver on the problems of a data set."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import stdev
from typing import Any

from saligned.errors import InputError
from saligned.problem import Problem, Reading
from saligned.runtime.choice import specialty
from saligned.runtime.confidence import UNCALIBRATED, Calibration, calibration_error, fit_curve, reliability
from saligned.runtime.models import CARD, load, read_card
from saligned.runtime.solution import Solution
from saligned.runtime.solver import BEAM, Solver
from saligned.symbolic.solving import covers, matches
from saligned.text.tokenizers import read, read_words

# Student's t, 97.5 %, by degrees of freedom.
T_QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}

CHUNK = 256


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
    """The one definition of correct: the answer's value is the data set's answer (see `matches`).

    With several unknowns or several roots, the equations are right when the gold values are among theirs (`covers`).
    """
    if not solution.solved or solution.best is None:
        return False
    return matches(solution.answers, problem.answers) or covers(solution.best.equations, problem.answers)


def evaluate(
    solver: Solver, problems: Sequence[Problem], *, beam: int, advance: Callable[[int], None] = lambda _: None
) -> list[Outcome]:
    """Solve every problem; one that cannot be read counts as wrong, and the denominator stays whole."""
    outcomes: list[Outcome] = []
    for start in range(0, len(problems), CHUNK):
        chunk = problems[start : start + CHUNK]
        kept, readings = read_problems(chunk, solver.config.tokenizer)
        solved = iter(solver.solve_readings(readings, beam=beam))
        readable = {id(problem) for problem in kept}
        for problem in chunk:
            solution = next(solved) if id(problem) in readable else solver.solve_many([problem.text])[0]
            outcomes.append(Outcome(problem, solution, is_correct(solution, problem)))
        advance(len(chunk))
    return outcomes


def fit_calibration(
    solver: Solver, problems: Sequence[Problem], *, advance: Callable[[int], None] = lambda _: None
) -> Calibration:
    """What makes this solver's confidence true on these problems; they must not be the training problems.

    Answers with a signal are doubted anyway, and take no part.
    """
    bare = replace(solver, calibration=UNCALIBRATED)
    curves = []
    for beam in (1, BEAM):
        outcomes = evaluate(bare, problems, beam=beam, advance=advance)
        plain = [outcome for outcome in outcomes if outcome.solution.solved and not outcome.solution.warnings]
        likelihoods = [outcome.solution.confidence for outcome in plain]
        curves.append(fit_curve(likelihoods, [outcome.correct for outcome in plain]))
    return Calibration(*curves)


def add_calibration(directory: Path, problems: Sequence[Problem]) -> None:
    """Fit the calibration of a model directory on validation problems; the card gets it, with what the model is for."""
    solver = load(directory)
    fitted = fit_calibration(solver, problems).to_dict() | {"problems": len(problems)}
    card = read_card(directory) | specialty(solver.config) | {"calibration": fitted}
    (directory / CARD).write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def summarize_confidence(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The expected calibration error over all problems, a failure being an answer of confidence 0, and its bins."""
    confidences = [outcome.solution.confidence for outcome in outcomes]
    correct = [outcome.correct for outcome in outcomes]
    return {
        "calibration_error": calibration_error(confidences, correct),
        "reliability": reliability(confidences, correct),
        "warned": sum(bool(outcome.solution.warnings) for outcome in outcomes),
    }


def summarize(outcomes: Sequence[Outcome]) -> dict[str, float | int]:
    """Counts, and the accuracy with its 95 % interval (Wilson)."""
    total = len(outcomes)
    correct = sum(outcome.correct for outcome in outcomes)
    low, high = wilson(correct, total)
    return {
        "problems": total,
        "correct": correct,
        "accuracy": correct / max(1, total),
        "low": low,
        "high": high,
        "failed": sum(not outcome.solution.solved for outcome in outcomes),
    }


def wilson(successes: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share.

    >>> [round(bound, 3) for bound in wilson(66, 100)]
    [0.563, 0.745]
    """
    if not total:
        return 0.0, 1.0
    z, share = 1.96, successes / total
    centre = share + z * z / (2 * total)
    spread = z * ((share * (1 - share) + z * z / (4 * total)) / total) ** 0.5
    scale = 1 + z * z / total
    return (centre - spread) / scale, (centre + spread) / scale


def interval(values: Sequence[float]) -> float:
    """Half the width of the 95 % t-interval of a mean; infinite for a single value.

    >>> round(interval([64.0, 65.0, 66.0, 65.0, 65.0]), 2)
    0.88
    """
    if len(values) < 2:
        return float("inf")
    freedom = min(len(values) - 1, max(T_QUANTILES))
    return T_QUANTILES[freedom] * stdev(values) / math.sqrt(len(values))
