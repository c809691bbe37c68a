"""The stack machine: legality, and programs that write equations."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saligned.problem import Failure, Quantity, Reason
from saligned.symbolic.actions import KINDS, Action, Kind, OperandLayout, Program
from saligned.symbolic.expression import Expression, unknowns
from saligned.symbolic.machine import StackMachine, advance, run
from saligned.symbolic.notation import to_infix

LAYOUT = OperandLayout((Fraction(1), Fraction("3.14")), max_unknowns=1)
QUANTITIES = [Quantity(Fraction(10), "10", 0, 2, "integer"), Quantity(Fraction(1, 4), "25%", 3, 6, "percent")]
OPERANDS = LAYOUT.expressions(QUANTITIES)
GENERATE, EQUAL = Action(Kind.GENERATE), Action(Kind.EQUAL)


def push(operand: int) -> Action:
    return Action(Kind.PUSH, operand)


def test_a_program_writes_its_equation() -> None:
    ten, quarter = LAYOUT.quantity(0), LAYOUT.quantity(1)
    program = (
        GENERATE,
        push(LAYOUT.unknown(0)),
        push(ten),
        push(0),
        push(quarter),
        Action(Kind.SUBTRACT),
        Action(Kind.MULTIPLY),
        EQUAL,
    )
    equations = run(program, OPERANDS, LAYOUT)
    assert isinstance(equations, tuple)
    assert [to_infix(equation) for equation in equations] == ["x=10*(1-25%)"]


def test_two_unknowns_need_two_equations() -> None:
    layout = OperandLayout((), max_unknowns=2)
    x, y, ten = layout.unknown(0), layout.unknown(1), layout.quantity(0)
    first = (GENERATE, GENERATE, push(x), push(y), Action(Kind.ADD), push(ten), EQUAL)
    operands = layout.expressions(QUANTITIES)
    assert run(first, operands, layout) == Failure(Reason.INCOMPLETE, "0 elements left on the stack")
    equations = run((*first, push(x), push(y), EQUAL), operands, layout)
    assert isinstance(equations, tuple)
    assert [to_infix(equation) for equation in equations] == ["x+y=10", "x=y"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ((), Reason.INCOMPLETE),
        ((GENERATE, push(2)), Reason.INCOMPLETE),
        ((push(0),), Reason.ILLEGAL_ACTION),
        ((GENERATE, GENERATE), Reason.ILLEGAL_ACTION),
        ((GENERATE, push(2), Action(Kind.ADD)), Reason.ILLEGAL_ACTION),
        ((GENERATE, push(2), push(0), push(0), EQUAL), Reason.ILLEGAL_ACTION),
        ((GENERATE, push(2), push(0), EQUAL, push(0)), Reason.ILLEGAL_ACTION),
        ((GENERATE, push(99)), Reason.ILLEGAL_ACTION),
        ((GENERATE, Action(Kind.PUSH)), Reason.ILLEGAL_ACTION),
        ((GENERATE, *[push(0)] * 60), Reason.ACTION_LIMIT),
        ((GENERATE, push(2), push(0), *[push(0), Action(Kind.ADD)] * 30, EQUAL), Reason.ACTION_LIMIT),
    ],
)
def test_a_bad_program_fails_with_its_reason(program: Program, reason: Reason) -> None:
    result = run(program, OPERANDS, LAYOUT)
    assert isinstance(result, Failure)
    assert result.reason is reason


def test_an_unknown_must_be_generated_before_it_is_pushed() -> None:
    layout = OperandLayout((), max_unknowns=2)
    result = run((GENERATE, push(layout.unknown(1))), layout.expressions(QUANTITIES), layout)
    assert isinstance(result, Failure)
    assert result.reason is Reason.ILLEGAL_ACTION


@given(st.data(), st.integers(1, 4), st.integers(4, 40))
def test_every_legal_walk_ends(data: st.DataObject, max_unknowns: int, limit: int) -> None:
    layout = OperandLayout((Fraction(1),), max_unknowns)
    operands = layout.expressions(QUANTITIES)
    machine: StackMachine[Expression] = StackMachine(max_unknowns, limit)
    program: list[Action] = []
    while not machine.done:
        kinds = machine.legal()
        assert kinds, f"stuck after {program}"
        kind = data.draw(st.sampled_from(kinds))
        able = [index for index in range(len(operands)) if machine.can_push(index, layout)]
        action = Action(kind, data.draw(st.sampled_from(able)) if kind is Kind.PUSH else -1)
        program.append(action)
        machine = advance(machine, action, operands)
    assert machine.legal() == ()
    assert machine.length == len(program) <= limit
    equations = run(program, operands, layout, limit)
    assert isinstance(equations, tuple)
    assert len(equations) == machine.generated
    assert len(unknowns(*equations)) <= machine.generated


def test_the_last_actions_before_the_limit_only_finish() -> None:
    machine: StackMachine[str] = StackMachine(limit=4).generate().push("x").push("1")
    assert machine.legal() == (Kind.EQUAL,)
    assert StackMachine(limit=3).legal() == ()


def test_top_and_second() -> None:
    machine: StackMachine[str] = StackMachine().generate()
    assert (machine.top, machine.second) == (None, None)
    machine = machine.push("a").push("b")
    assert (machine.top, machine.second) == ("b", "a")
    assert set(KINDS.values()) <= set(machine.legal())
