"""From a gold equation to the gold program: the postfix form, with each number pointing at an operand.

Decisions, each of which only matters where a problem leaves a choice:
- a 1 is always the learned constant, also when the text has a 1 (as the authors' code does);
- another number is the first quantity of the text with that value, then an external constant;
- a number that is neither is a quantity times or by a constant 10, 100 or 1000 (a discount of 8/10, kilometres);
- the quantities are unsigned: -5 is a constant -1 times 5;
- a written fraction `(a/b)` that is no quantity of the text is a division of a by b;
- a percentage written as a plain number is the percentage (`percents`);
- a small power is a product: the machine has no `^`.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from saligned.data.percents import with_percents
from saligned.errors import NotationError
from saligned.problem import Failure, Problem, Quantity, Reason
from saligned.symbolic.actions import KINDS, OPERATORS, Action, Kind, OperandLayout, Program
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown, unknowns
from saligned.symbolic.machine import run
from saligned.symbolic.notation import parse_equation

MAX_POWER = 3
COMMUTATIVE = (Kind.ADD, Kind.MULTIPLY)
MINUS_ONE = Fraction(-1)
SCALES = (Fraction(10), Fraction(100), Fraction(1000))

# The actions that leave a value on top of the stack.
_Operands = Mapping[Fraction, Program]


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
        for equation in with_percents(equations, quantities):
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


def with_swaps(program: Program, swaps: Iterator[bool]) -> Program:
    """An equivalent program: the operands of a + or × trade places where `swaps` says so.

    >>> push = [Action(Kind.PUSH, i) for i in range(3)]
    >>> [a.operand for a in with_swaps((*push, Action(Kind.SUBTRACT), Action(Kind.ADD)), iter([True]))]
    [1, 2, -1, 0, -1]
    """
    stack: list[Program] = [()]
    for action in program:
        if action.kind is Kind.PUSH:
            stack.append((action,))
        elif action.kind in OPERATORS:
            top, second = stack.pop(), stack.pop()
            if action.kind in COMMUTATIVE and next(swaps):
                top, second = second, top
            stack.append((*second, *top, action))
        elif action.kind is Kind.EQUAL:
            right, left = stack.pop(), stack.pop()
            stack[-1] += (*left, *right, action)
        else:
            stack[-1] += (action,)
    return tuple(action for part in stack for action in part)


def _operands(quantities: Sequence[Quantity], layout: OperandLayout) -> _Operands:
    """What stands for each value: an operand, else a quantity that a power of ten scales."""
    constants = {constant: (Action(Kind.PUSH, i),) for i, constant in enumerate(layout.constants)}
    found: dict[Fraction, Program] = dict(constants)
    for i, quantity in reversed(list(enumerate(quantities))):
        if quantity.value != 1 or Fraction(1) not in layout.constants:
            found[quantity.value] = (Action(Kind.PUSH, layout.quantity(i)),)
    for i, quantity in enumerate(quantities):
        for scale in SCALES:
            if scale in constants:
                pushes = (Action(Kind.PUSH, layout.quantity(i)), *constants[scale])
                found.setdefault(quantity.value / scale, (*pushes, Action(Kind.DIVIDE)))
                found.setdefault(quantity.value * scale, (*pushes, Action(Kind.MULTIPLY)))
    return found


def _postfix(tree: Expression, operands: _Operands, symbols: Mapping[str, int]) -> Iterator[Action]:
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


def _number(number: Number, operands: _Operands) -> Iterator[Action]:
    value = number.value
    if value in operands:
        yield from operands[value]
        return
    if value < 0 and MINUS_ONE in operands:
        yield from operands[MINUS_ONE]
        yield from _number(Number(-value, number.form.removeprefix("-")), operands)
        yield Action(Kind.MULTIPLY)
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


def _power(tree: Operation, operands: _Operands, symbols: Mapping[str, int]) -> Iterator[Action]:
    exponent = tree.right.value if isinstance(tree.right, Number) else Fraction(0)
    if exponent not in range(1, MAX_POWER + 1):
        raise _NotExpressibleError("a power that is no small whole number")
    yield from _postfix(tree.left, operands, symbols)
    for _ in range(int(exponent) - 1):
        yield from _postfix(tree.left, operands, symbols)
        yield Action(Kind.MULTIPLY)
