"""What is measured on a fold, and what is written down of each problem."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from saligned.baselines.contract import program_of_solution
from saligned.config import Config
from saligned.data.programs import gold_program, program_of
from saligned.errors import InputError, NotationError
from saligned.problem import Failure, Problem, Reading
from saligned.runtime.evaluation import is_correct, read_problem
from saligned.runtime.solution import Solution
from saligned.symbolic.actions import OperandLayout, Program
from saligned.symbolic.expression import Equation, Expression, Operation, Operator
from saligned.symbolic.machine import run
from saligned.symbolic.notation import parse_equation, to_infix
from saligned.symbolic.numbers import format_number

SPELLED = ("numeral", "word")  # 三, half: that code reads digits only
CONSTANTS = (Fraction(1), Fraction("3.14"))


def score(problems: Sequence[Problem], solutions: Sequence[Solution], config: Config) -> dict[str, Any]:
    """Counts and accuracies, and a row for each problem."""
    rows = [describe(problem, solution, config) for problem, solution in zip(problems, solutions, strict=True)]
    kept = [row for row in rows if row["kept"]]
    return {
        "counts": {
            "problems": len(rows),
            "kept": len(kept),
            "correct": sum(row["correct"] for row in rows),
            "correct_kept": sum(row["correct"] for row in kept),
            "same_equation": sum(row["same_equation"] for row in rows),
            "failed": sum(row["status"] == "failed" for row in rows),
        },
        "accuracy": _share(rows, "correct"),
        "accuracy_kept": _share(kept, "correct"),
        "equation_accuracy": _share(rows, "same_equation"),
        "rows": rows,
    }


def describe(problem: Problem, solution: Solution, config: Config) -> dict[str, Any]:
    """One problem with its gold equation and the system's."""
    reading = _read(problem, config)
    layout = config.layout
    gold = gold_program(problem, reading.quantities, layout) if reading else None
    return {
        "id": problem.id,
        "text": problem.text,
        "quantities": [format_number(quantity.value) for quantity in reading.quantities] if reading else [],
        "gold": _gold_equations(problem, reading, gold, layout),
        "gold_answers": [format_number(answer) for answer in problem.answers],
        "equations": solution.equations,
        "answer": solution.answer,
        "status": "solved" if solution.solved else "failed",
        "reason": str(solution.failure) if solution.failure else "",
        "correct": is_correct(solution, problem),
        "same_equation": gold is not None and not isinstance(gold, Failure) and program_of_solution(solution) == gold,
        "kept": reading is not None and is_kept(problem, reading),
    }


def is_kept(problem: Problem, reading: Reading) -> bool:
    """Whether the authors' code keeps the problem: + - * / over the numbers of the text, 1 and 3.14.

    A written fraction that the text does not have is a division of its two numbers.
    """
    digits = [quantity for quantity in reading.quantities if quantity.kind not in SPELLED]
    try:
        trees = [parse_equation(equation) for equation in problem.equations]
    except NotationError:
        return False
    layout = OperandLayout(CONSTANTS, max_unknowns=1)
    return not any(map(_has_power, trees)) and not isinstance(program_of(trees, digits, layout), Failure)


def _has_power(tree: Expression | Equation) -> bool:
    if not isinstance(tree, Operation | Equation):
        return False
    if isinstance(tree, Operation) and tree.operator is Operator.POWER:
        return True
    return _has_power(tree.left) or _has_power(tree.right)


def _gold_equations(
    problem: Problem, reading: Reading | None, gold: Program | Failure | None, layout: OperandLayout
) -> list[str]:
    """As the gold program writes them, so that they compare with a system's; the data set's own otherwise."""
    if reading is not None and gold is not None and not isinstance(gold, Failure):
        equations = run(gold, layout.expressions(reading.quantities), layout)
        if not isinstance(equations, Failure):
            return [to_infix(equation) for equation in equations]
    return list(problem.equations)


def _read(problem: Problem, config: Config) -> Reading | None:
    try:
        return read_problem(problem, config.tokenizer)
    except InputError:
        return None


def _share(rows: Sequence[dict[str, Any]], name: str) -> float:
    return round(sum(bool(row[name]) for row in rows) / max(1, len(rows)), 6)
