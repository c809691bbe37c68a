"""The calculation of an answer as the small steps a person would write down."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from saligned.problem import Failure
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, apply, unknowns


@dataclass(frozen=True, slots=True)
class Step:
    """`left operator right = value`, all exact."""

    operator: Operator
    left: Fraction
    right: Fraction
    value: Fraction


def calculation_steps(equations: Sequence[Equation]) -> tuple[Step, ...]:
    """The operations of `x = expression` in the order of the program; a part with unknowns has no steps.

    >>> from saligned.symbolic.notation import parse_equation
    >>> [str(step.value) for step in calculation_steps([parse_equation("x=(10-1*5)/0.5")])]
    ['5', '5', '10']
    """
    steps: list[Step] = []
    for equation in equations:
        for side in (equation.left, equation.right):
            _walk(side, steps)
    return tuple(steps)


def _walk(tree: Expression, steps: list[Step]) -> Fraction | None:
    """Append the steps below a tree; its value, or None where an unknown or a failure is in it."""
    if isinstance(tree, Number):
        return tree.value
    if not isinstance(tree, Operation) or unknowns(tree):
        return None
    left, right = _walk(tree.left, steps), _walk(tree.right, steps)
    if left is None or right is None:
        return None
    value = apply(tree.operator, left, right)
    if isinstance(value, Failure):
        return None
    steps.append(Step(tree.operator, left, right, value))
    return value
