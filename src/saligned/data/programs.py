"""From a gold equation to the gold program: the postfix form, with each number pointing at an operand.

Decisions, each of which only matters where a problem leaves a choice:
- a 1 is always the learned constant, also when the text has a 1 (as the authors' code does);
- another number is the first quantity of the text with that value, then an external constant;
- a written fraction `(a/b)` that is no quantity of the text is a division of a by b;
- a small power is a product: the machine has no `^`.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from saligned.errors import NotationError
from saligned.problem import Failure, Problem, Quantity, Reason
from saligned.symbolic.actions import KINDS, Action, Kind, OperandLayout, Program
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown, unknowns
from saligned.symbolic.machine import run
from saligned.symbolic.notation import parse_equation

MAX_POWER = 3


class _NotExpressibleError(Exception):
    """Raised inside this module only; leaves it as a Failure."""


def gold_program(problem: Problem, quantities: Sequence[Quantity], layout: OperandLayout) -> Program | Failure:
    """The program that writes the problem's equations over the quantities of its text."""
    try:
        equations = [parse_equation(equation) for equation in problem.equations]
    except NotationError as error:
        return Failure(Reason.NOT_EXPRESSIBLE, str(error))
    return program_of(equations, quantities, layout)


def program_of(
    equations: Sequence[Equation], quantities: Sequence[Quantity], layout: OperandLayout
) -> Program | Failure:
    """The program that writes these equations."""
    names = unknowns(*equations)
    if not names:
        return Failure(Reason.NO_UNKNOWN)
    if len(names) > layout.max_unknowns:
        return Failure(Reason.NOT_EXPRESSIBLE, f"{len(names)} unknowns")
    if len(names) != len(equations):
        return Failure(Reason.NOT_EXPRESSIBLE, f"{len(equations)} equations for {len(names)} unknowns")
    operands = _operands(quantities, layout)
    symbols = {name: layout.unknown(index) for index, name in enumerate(names)}
    program = [Action(Kind.GENERATE) for _ in names]
    try:
        for equation in equations:
            left, right = equation.left, equation.right
            if isinstance(right, Unknown) and not isinstance(left, Unknown):
                left, right = right, left
            program += _postfix(left, operands, symbols)
            program += _postfix(right, operands, symbols)
            program.append(Action(Kind.EQUAL))
    except _NotExpressibleError as reason:
        return Failure(Reason.NOT_EXPRESSIBLE, str(reason))
    outcome = run(program, layout.expressions(quantities), layout)
    return outcome if isinstance(outcome, Failure) else tuple(program)


def _operands(quantities: Sequence[Quantity], layout: OperandLayout) -> dict[Fraction, int]:
    """The operand that stands for each value."""
    index = {constant: i for i, constant in enumerate(layout.constants)}
    for i, quantity in reversed(list(enumerate(quantities))):
        if quantity.value != 1 or Fraction(1) not in layout.constants:
            index[quantity.value] = layout.quantity(i)
    return index


def _postfix(tree: Expression, operands: Mapping[Fraction, int], symbols: Mapping[str, int]) -> Iterator[Action]:
    """The actions that leave the tree's value on top of the stack."""
    if isinstance(tree, Unknown):
        yield Action(Kind.PUSH, symbols[tree.name])
    elif isinstance(tree, Number):
        yield from _number(tree, operands)
    elif tree.operator is Operator.POWER:
        yield from _power(tree, operands, symbols)
    else:
        yield from _postfix(tree.left, operands, symbols)
        yield from _postfix(tree.right, operands, symbols)
        yield Action(KINDS[tree.operator])


def _number(number: Number, operands: Mapping[Fraction, int]) -> Iterator[Action]:
    value = number.value
    if value in operands:
        yield Action(Kind.PUSH, operands[value])
        return
    if "/" not in number.form:
        raise _NotExpressibleError(f"{number.form or value} is neither in the text nor a constant")
    # The form, not the value: 4/6 in an equation means the 4 and the 6 of the text.
    top, bottom = (Fraction(part.strip("() ")) for part in number.form.rsplit("(")[-1].split("/"))
    whole = value - top / bottom
    if whole:
        yield from _number(Number(whole), operands)
    yield from _number(Number(top), operands)
    yield from _number(Number(bottom), operands)
    yield Action(Kind.DIVIDE)
    if whole:
        yield Action(Kind.ADD)


def _power(tree: Operation, operands: Mapping[Fraction, int], symbols: Mapping[str, int]) -> Iterator[Action]:
    exponent = tree.right.value if isinstance(tree.right, Number) else Fraction(0)
    if exponent not in range(1, MAX_POWER + 1):
        raise _NotExpressibleError("a power that is no small whole number")
    yield from _postfix(tree.left, operands, symbols)
    for _ in range(int(exponent) - 1):
        yield from _postfix(tree.left, operands, symbols)
        yield Action(Kind.MULTIPLY)
