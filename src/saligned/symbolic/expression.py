"""Expression trees over exact numbers and unknowns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from saligned.problem import Failure, Reason


class Operator(StrEnum):
    """The binary operators. The stack machine applies the first four; `^` is only read in equations."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    POWER = "^"


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number; `form` is how it was written ("25%", "1(3/4)") and plays no part in equality."""

    value: Fraction
    form: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A quantity the problem asks for."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """`left operator right`."""

    operator: Operator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Equation:
    """`left = right`."""

    left: "Expression"
    right: "Expression"


Expression = Number | Unknown | Operation

# An exponent beyond this is a misreading.
MAX_EXPONENT = 64
# Numerators and denominators beyond 2^1000 come from misread powers such as ((9^64)^64)^64: computing them
# would not end, and below it every value is a finite float.
MAX_BITS = 1000


def leaves(tree: Expression | Equation) -> Iterator[Number | Unknown]:
    """The numbers and unknowns, left to right."""
    if isinstance(tree, Number | Unknown):
        yield tree
    else:
        yield from leaves(tree.left)
        yield from leaves(tree.right)


def unknowns(*trees: Expression | Equation) -> tuple[str, ...]:
    """The names of the unknowns in order of first appearance."""
    names = (leaf.name for tree in trees for leaf in leaves(tree) if isinstance(leaf, Unknown))
    return tuple(dict.fromkeys(names))


def bits(value: Fraction) -> int:
    """The size of a fraction in memory."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def apply(operator: Operator, left: Fraction, right: Fraction) -> Fraction | Failure:
    """The exact value of `left operator right`."""
    value = _compute(operator, left, right)
    if isinstance(value, Fraction) and bits(value) > MAX_BITS:
        return Failure(Reason.TOO_HARD, f"a number of {bits(value)} bits")
    return value


def _compute(operator: Operator, left: Fraction, right: Fraction) -> Fraction | Failure:
    if operator is Operator.ADD:
        return left + right
    if operator is Operator.SUBTRACT:
        return left - right
    if operator is Operator.MULTIPLY:
        return left * right
    if operator is Operator.DIVIDE:
        return left / right if right else Failure(Reason.DIVISION_BY_ZERO, f"{left} / {right}")
    if right.denominator != 1 or abs(right) > MAX_EXPONENT or bits(left) * abs(right) > 2 * MAX_BITS:
        return Failure(Reason.TOO_HARD, f"{left} ^ {right}")
    if not left and right < 0:
        return Failure(Reason.DIVISION_BY_ZERO, f"{left} ^ {right}")
    return left ** int(right)


def evaluate(expression: Expression) -> Fraction | Failure:
    """The exact value of an expression without unknowns.

    >>> evaluate(Operation(Operator.DIVIDE, Number(Fraction(1)), Number(Fraction(3))))
    Fraction(1, 3)
    """
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Unknown):
        return Failure(Reason.UNDERDETERMINED, expression.name)
    left = evaluate(expression.left)
    if isinstance(left, Failure):
        return left
    right = evaluate(expression.right)
    if isinstance(right, Failure):
        return right
    return apply(expression.operator, left, right)
