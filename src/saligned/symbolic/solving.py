"""Equations → exact answers, and the one definition of a correct answer.

Three ways, tried in this order; only the last imports SymPy (about half a second, once):

1. `x = expression`: evaluated directly.
2. Linear equations, any number of unknowns: elimination over fractions.
3. Everything else: `polynomials`, by SymPy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from saligned.problem import Failure, Reason
from saligned.symbolic.expression import (
    MAX_BITS,
    Equation,
    Expression,
    Number,
    Operation,
    Operator,
    Unknown,
    apply,
    bits,
    evaluate,
    unknowns,
)
from saligned.symbolic.numbers import format_number

__all__ = ["Answer", "Irrational", "as_float", "covers", "exact_string", "matches", "solve", "solve_all"]

# Data sets round their decimals; most to two places or more of a value above 1.
TOLERANCE = Fraction(1, 10_000)
# Elimination is cubic; the stack machine writes at most six.
MAX_UNKNOWNS = 20


@dataclass(frozen=True, slots=True)
class Irrational:
    """A real number that is no fraction: its exact form, such as `sqrt(2)`, and its value."""

    exact: str
    value: float


Answer = Fraction | Irrational

# Coefficients by the name of the unknown; the constant stands under "".
_LinearForm = dict[str, Fraction]
_NOT_LINEAR = Failure(Reason.TOO_HARD, "not linear")


def solve(equations: Sequence[Equation]) -> tuple[Answer, ...] | Failure:
    """The values of the unknowns in the order of their first appearance.

    Of several real solutions one with positive values is taken, else one with zeros, else one with negative
    values; among equals the one nearest to zero, unknown by unknown. A quantity is seldom negative, and of
    two positive roots the smaller usually fits (a path 20 m wide leaves nothing of a garden 20 m wide).

    >>> from saligned.symbolic.notation import parse_equation
    >>> solve([parse_equation("x+y=10"), parse_equation("x-y=5")])
    (Fraction(15, 2), Fraction(5, 2))
    >>> str(solve([parse_equation("x=5/(3-3)")]))
    'division by zero: 5 / 0'
    """
    found = solve_all(equations)
    return found if isinstance(found, Failure) else found[0]


def solve_all(equations: Sequence[Equation]) -> tuple[tuple[Answer, ...], ...] | Failure:
    """Every real solution, the one that `solve` takes first.

    >>> from saligned.symbolic.notation import parse_equation
    >>> solve_all([parse_equation("x*(x+2)=168")])
    ((Fraction(12, 1),), (Fraction(-14, 1),))
    """
    names = unknowns(*equations)
    if not names:
        return Failure(Reason.NO_UNKNOWN)
    answers = _solve_directly(equations)
    if answers is _NOT_LINEAR:
        answers = _solve_linear(equations, names)
    if answers is _NOT_LINEAR:
        from saligned.symbolic.polynomials import solve_polynomials

        found = solve_polynomials(equations, names)
    else:
        found = answers if isinstance(answers, Failure) else (answers,)
    if isinstance(found, Failure):
        return found
    if any(isinstance(answer, Fraction) and bits(answer) > MAX_BITS for point in found for answer in point):
        return Failure(Reason.TOO_HARD, "a number beyond 2^1000")
    return found


def covers(equations: Sequence[Equation], gold: Sequence[Fraction]) -> bool:
    """Whether equations count as right, as published systems count them: each gold value is the value of an unknown
    at a real solution. A data set may ask for one of two unknowns, or list both roots of a quadratic equation, or one.

    >>> from saligned.symbolic.notation import parse_equation
    >>> covers([parse_equation("x+y=10"), parse_equation("x-y=4")], [Fraction(3)])
    True
    """
    found = solve_all(equations)
    if isinstance(found, Failure) or not gold:
        return False
    values = [answer for point in found for answer in point]
    return all(any(matches([value], [expected]) for value in values) for expected in gold)


def matches(answers: Sequence[Answer], gold: Sequence[Fraction]) -> bool:
    """Whether the answers are correct: as many as the gold ones, and each near its own.

    Near is 1e-4, relative above 1 and absolute below. Several unknowns are compared as multisets, because
    data sets order them arbitrarily.

    >>> matches([Fraction(1, 3)], [Fraction("0.3333")])
    True
    >>> matches([Fraction(2), Fraction(5)], [Fraction(5), Fraction(2)])
    True
    """
    found = sorted(answer if isinstance(answer, Fraction) else Fraction(answer.value) for answer in answers)
    return len(found) == len(gold) and all(
        abs(value - expected) <= TOLERANCE * max(Fraction(1), abs(expected))
        for value, expected in zip(found, sorted(gold), strict=True)
    )


def exact_string(answer: Answer) -> str:
    """ "13", "2.75", "5/12" or "sqrt(2)"."""
    return answer.exact if isinstance(answer, Irrational) else format_number(answer)


def as_float(answer: Answer) -> float:
    """The nearest float."""
    return answer.value if isinstance(answer, Irrational) else float(answer)


def _solve_directly(equations: Sequence[Equation]) -> tuple[Answer, ...] | Failure:
    """One equation with the unknown alone on one side."""
    expression = isolated_side(equations)
    if expression is None:
        return _NOT_LINEAR
    value = evaluate(expression)
    if isinstance(value, Failure):
        return _NOT_LINEAR if value.reason is Reason.TOO_HARD else value
    return (value,)


def isolated_side(equations: Sequence[Equation]) -> Expression | None:
    """The expression of `x = expression` or `expression = x`, when it has no unknown."""
    if len(equations) != 1:
        return None
    left, right = equations[0].left, equations[0].right
    if isinstance(left, Unknown) and not unknowns(right):
        return right
    return left if isinstance(right, Unknown) and not unknowns(left) else None


def _solve_linear(equations: Sequence[Equation], names: Sequence[str]) -> tuple[Answer, ...] | Failure:
    """Gauss-Jordan elimination; the failure `_NOT_LINEAR` when some equation is not linear."""
    if len(names) > MAX_UNKNOWNS:
        return Failure(Reason.TOO_HARD, f"{len(names)} unknowns")
    rows: list[_LinearForm] = []
    for equation in equations:
        form = _linear(Operation(Operator.SUBTRACT, equation.left, equation.right))
        if isinstance(form, Failure):
            return form
        rows.append(form)
    pivots: dict[str, _LinearForm] = {}
    for name in names:
        row = next((row for row in rows if row.get(name)), None)
        if row is None:
            continue
        rows.remove(row)
        pivot = _scale(row, 1 / row[name])
        rows = [_without(name, other, pivot) for other in rows]
        pivots = {key: _without(name, other, pivot) for key, other in pivots.items()} | {name: pivot}
    if any(row.get("") for row in rows):
        return Failure(Reason.INCONSISTENT)
    if len(pivots) < len(names):
        return Failure(Reason.UNDERDETERMINED, ", ".join(name for name in names if name not in pivots))
    return tuple(-pivots[name].get("", Fraction(0)) for name in names)


def _linear(tree: Expression) -> _LinearForm | Failure:
    """The coefficients of a linear expression."""
    if isinstance(tree, Number):
        return {"": tree.value}
    if isinstance(tree, Unknown):
        return {tree.name: Fraction(1)}
    left, right = _linear(tree.left), _linear(tree.right)
    if isinstance(left, Failure) or isinstance(right, Failure):
        return left if isinstance(left, Failure) else right
    if tree.operator is Operator.ADD:
        return _add(left, right)
    if tree.operator is Operator.SUBTRACT:
        return _add(left, _scale(right, Fraction(-1)))
    if tree.operator is Operator.MULTIPLY and _is_constant(left):
        return _scale(right, left.get("", Fraction(0)))
    return _linear_by_constant(tree.operator, left, right)


def _linear_by_constant(operator: Operator, left: _LinearForm, right: _LinearForm) -> _LinearForm | Failure:
    """Multiplication, division and powers whose right operand has no unknown."""
    if not _is_constant(right):
        return _NOT_LINEAR
    factor = right.get("", Fraction(0))
    if _is_constant(left):
        value = apply(operator, left.get("", Fraction(0)), factor)
        if isinstance(value, Failure):
            return _NOT_LINEAR if operator is Operator.POWER and factor.denominator > 1 else value
        return {"": value}
    if operator is Operator.POWER:
        return left if factor == 1 else _NOT_LINEAR
    if operator is Operator.MULTIPLY:
        return _scale(left, factor)
    return _scale(left, 1 / factor) if factor else Failure(Reason.DIVISION_BY_ZERO)


def _is_constant(form: _LinearForm) -> bool:
    return not any(coefficient for name, coefficient in form.items() if name)


def _scale(form: _LinearForm, factor: Fraction) -> _LinearForm:
    return {name: coefficient * factor for name, coefficient in form.items()}


def _add(left: _LinearForm, right: _LinearForm) -> _LinearForm:
    zero = Fraction(0)
    return {name: left.get(name, zero) + right.get(name, zero) for name in left | right}


def _without(name: str, row: _LinearForm, pivot: _LinearForm) -> _LinearForm:
    """A row from which the pivot row removes one unknown."""
    return _add(row, _scale(pivot, -row.get(name, Fraction(0))))
