"""Gold programs: each decision of the module, and that a program computes what its equation says."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.config import Config
from saligned.data.programs import gold_program, program_of, with_swaps
from saligned.problem import Failure, Problem, Reason
from saligned.symbolic.actions import Action, Kind, OperandLayout, Program
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown, evaluate
from saligned.symbolic.machine import run
from saligned.symbolic.notation import to_infix
from saligned.symbolic.numbers import read_number
from saligned.symbolic.solving import matches, solve
from saligned.text.quantities import find_quantities
from tests.problems import PROBLEMS, SYSTEMS

LAYOUT = Config().layout
TWO = Config(max_unknowns=2).layout
ARITHMETIC = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE)
SYMBOLS = {Kind.ADD: "+", Kind.SUBTRACT: "-", Kind.MULTIPLY: "*", Kind.DIVIDE: "/", Kind.EQUAL: "="}


def program(text: str, *equations: str, layout: OperandLayout = LAYOUT) -> Program | Failure:
    return gold_program(Problem("", text, equations), find_quantities(text), layout)


def shown(text: str, *equations: str, layout: OperandLayout = LAYOUT) -> str:
    """A program as text: `1` and `π` are the learned constants, `x` the unknown, `n0` the first number."""
    found = program(text, *equations, layout=layout)
    assert not isinstance(found, Failure), found
    names = ["1", "π", *"xy"[: layout.max_unknowns]] + [f"n{i}" for i in range(9)]
    return " ".join(_name(action, names) for action in found)


def _name(action: Action, names: list[str]) -> str:
    if action.kind is Kind.GENERATE:
        return "new"
    return names[action.operand] if action.kind is Kind.PUSH else SYMBOLS[action.kind]


def test_the_program_is_the_postfix_form() -> None:
    text = "每本0.5元，每支笔1元，有10元，买5支笔后还能买多少本？"
    assert shown(text, "x=(10-1*5)/0.5") == "new x n2 1 n3 * - n0 / ="


def test_a_one_is_the_learned_constant_also_when_the_text_has_a_one() -> None:
    assert shown("每支1元，买5支", "x=1*5") == "new x 1 n1 * ="


def test_a_number_that_is_missing_may_be_a_quantity_scaled_by_ten() -> None:
    layout = OperandLayout((Fraction(1), Fraction(10)), max_unknowns=1)
    text = "去年收50吨，今年收去年的8成，今年收多少吨？"
    assert shown(text, "x=50*0.8", layout=layout) == "new x n0 n1 π / * ="  # the second constant is 10 here
    assert shown(text, "x=500-8", layout=layout) == "new x n0 π * n1 - ="
    assert isinstance(program(text, "x=50*0.8"), Failure)  # no constant 10


def test_a_negative_number_is_minus_one_times_a_quantity() -> None:
    layout = OperandLayout((Fraction(1), Fraction(-1)), max_unknowns=2)
    text = "Two numbers add up to -9 and differ by 5."
    assert shown(text, "x+y=-9", "x-y=5", layout=layout) == "new new x y + π n1 * = x y - n2 ="
    assert isinstance(program(text, "x+y=-9", "x-y=5", layout=TWO), Failure)


def test_without_a_constant_one_the_one_of_the_text_is_taken() -> None:
    layout = OperandLayout((), max_unknowns=1)
    action = program("每支1元，买5支", "x=1*5", layout=layout)
    assert not isinstance(action, Failure)
    assert action[2] == Action(Kind.PUSH, layout.quantity(0))


def test_of_equal_numbers_the_first_is_taken() -> None:
    assert shown("上午11台，下午11台，每台9元", "x=(11+11)*9") == "new x n0 n0 + n2 * ="


def test_a_number_of_the_text_goes_before_an_external_constant() -> None:
    assert shown("半径2米，圆周率取3.14", "x=2*3.14") == "new x n0 n1 * ="
    assert shown("半径2米", "x=2*3.14") == "new x n0 π * ="


def test_numbers_are_compared_by_value() -> None:
    assert shown("有80吨，运走25%", "x=80*0.25") == "new x n0 n1 * ="
    assert shown("有80吨，运走(2/4)", "x=80*(1/2)") == "new x n0 n1 * ="


def test_a_fraction_that_is_no_quantity_is_a_division() -> None:
    assert shown("有80吨，分3次，运走2次", "x=80*(2/3)") == "new x n0 n2 n1 / * ="


def test_the_form_of_a_fraction_counts_not_its_value() -> None:
    """4/6 is the 4 and the 6 of the text, not 2 and 3."""
    assert shown("有60吨，分6次，运走4次", "x=60*(4/6)") == "new x n0 n2 n1 / * ="


def test_a_mixed_number_that_is_no_quantity_is_a_sum() -> None:
    assert shown("长2米、3米、4米", "x=4*2(3/4)") == "new x n2 n0 n1 n2 / + * ="


@pytest.mark.parametrize(("power", "expected"), [("5^1", "n0"), ("5^2", "n0 n0 *"), ("5^3", "n0 n0 * n0 *")])
def test_a_small_power_is_a_product(power: str, expected: str) -> None:
    assert shown("边长5厘米", f"x={power}") == f"new x {expected} ="


@pytest.mark.parametrize("power", ["5^4", "5^0", "5^0.5", "5^(5-5)"])
def test_other_powers_cannot_be_written(power: str) -> None:
    found = program("边长5厘米", f"x={power}")
    assert isinstance(found, Failure)
    assert found.reason is Reason.NOT_EXPRESSIBLE


def test_a_lone_unknown_stands_left() -> None:
    assert shown("有3个，又有4个", "3+4=x") == shown("有3个，又有4个", "x=3+4")
    assert shown("有3个，又有4个", "3+x=4") == "new n0 x + n1 ="


def test_unknowns_are_numbered_as_they_appear() -> None:
    text, equations = SYSTEMS[1].text, SYSTEMS[1].equations
    assert shown(text, *equations, layout=TWO) == "new new x y + n0 = x y - n1 ="
    renamed = tuple(equation.replace("x", "甲").replace("y", "乙") for equation in equations)
    assert program(text, *renamed, layout=TWO) == program(text, *equations, layout=TWO)


def test_a_problem_with_one_unknown_generates_one() -> None:
    assert shown(SYSTEMS[2].text, *SYSTEMS[2].equations, layout=TWO) == "new n0 x * n1 - n2 ="


@pytest.mark.parametrize(
    ("equations", "reason", "detail"),
    [
        (("x=3+8",), Reason.NOT_EXPRESSIBLE, "8 is neither in the text nor a constant"),
        (("x=3+(7/8)",), Reason.NOT_EXPRESSIBLE, "7 is neither in the text nor a constant"),
        (("x=3+",), Reason.NOT_EXPRESSIBLE, ""),
        (("3=3",), Reason.NO_UNKNOWN, ""),
        ((), Reason.NO_UNKNOWN, ""),
        (("x+y=3", "x=y"), Reason.NOT_EXPRESSIBLE, "2 unknowns"),
        (("x=3", "x=3"), Reason.NOT_EXPRESSIBLE, "2 equations for 1 unknowns"),
        (("x=" + "+".join(["3"] * 20),), Reason.ACTION_LIMIT, "40 actions"),
    ],
)
def test_what_cannot_be_written_has_a_reason(equations: tuple[str, ...], reason: Reason, detail: str) -> None:
    found = program("有3个", *equations)
    assert isinstance(found, Failure)
    assert found.reason is reason
    assert detail in found.detail


@pytest.mark.parametrize("problem", PROBLEMS + SYSTEMS, ids=lambda problem: problem.id)
def test_the_gold_program_gives_the_gold_answer(problem: Problem) -> None:
    quantities = find_quantities(problem.text)
    found = gold_program(problem, quantities, TWO)
    assert not isinstance(found, Failure), found
    equations = run(found, TWO.expressions(quantities), TWO)
    assert not isinstance(equations, Failure)
    answers = solve(equations)
    assert not isinstance(answers, Failure)
    assert matches(answers, problem.answers)


FORMS = ["12", "0.5", "25%", "(2/5)", "1(3/4)", "1,200", "7", "7", "100", "2", "3.5%", "1"]


@st.composite
def texts_with_trees(draw: st.DrawFn) -> tuple[str, Expression]:
    """An invented text, and an expression over its numbers and the constants."""
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=6))
    text = "，".join(f"第{'甲乙丙丁戊己'[i]}堆有{form}吨" for i, form in enumerate(forms))
    numbers = st.sampled_from([*forms, "1", "3.14"]).map(lambda form: Number(read_number(form), form))
    tree = draw(
        st.recursive(numbers, lambda side: st.builds(Operation, st.sampled_from(ARITHMETIC), side, side), max_leaves=12)
    )
    return text, tree


@given(texts_with_trees())
@settings(max_examples=150)
def test_a_program_computes_the_value_of_its_equation(case: tuple[str, Expression]) -> None:
    """Through the printed equation and the parser, as for a row of a data set."""
    text, tree = case
    equation = f"x={to_infix(tree)}"
    found = program(text, equation)
    assert not isinstance(found, Failure), (text, equation, found)
    operands = LAYOUT.expressions(find_quantities(text))
    equations = run(found, operands, LAYOUT)
    assert not isinstance(equations, Failure)
    value, answers = evaluate(tree), solve(equations)
    if isinstance(value, Failure):
        assert isinstance(answers, Failure)
        assert answers.reason is value.reason
    else:
        assert answers == (value,)


@given(texts_with_trees())
def test_a_tree_is_written_back_as_it_was(case: tuple[str, Expression]) -> None:
    """Postfix keeps the order of operands: the equation that the machine writes is the gold one."""
    text, tree = case
    quantities = find_quantities(text)
    gold = Equation(Unknown("x"), tree)
    found = program_of([gold], quantities, LAYOUT)
    assert not isinstance(found, Failure)
    assert run(found, LAYOUT.expressions(quantities), LAYOUT) == (gold,)


def test_the_layout_has_the_papers_constants() -> None:
    assert LAYOUT.constants == (Fraction(1), Fraction("3.14"))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PROBLEMS + SYSTEMS), st.lists(st.booleans(), min_size=20, max_size=20))
def test_swapped_programs_are_as_long_and_give_the_gold_answer(problem: Problem, swaps: list[bool]) -> None:
    quantities = find_quantities(problem.text)
    gold = gold_program(problem, quantities, TWO)
    assert not isinstance(gold, Failure)
    swapped = with_swaps(gold, iter(swaps))
    equations = run(swapped, TWO.expressions(quantities), TWO)
    assert not isinstance(equations, Failure)
    answers = solve(equations)
    assert not isinstance(answers, Failure)
    assert matches(answers, problem.answers)
    assert sorted(map(str, swapped)) == sorted(map(str, gold))


def test_only_operands_that_commute_are_swapped() -> None:
    gold = program("每本5元，有12元和3元", "x=(12-3)*5")
    assert not isinstance(gold, Failure)
    names = ["1", "π", "x", "n0", "n1", "n2"]
    assert " ".join(_name(action, names) for action in with_swaps(gold, iter([True]))) == "new x n0 n1 n2 - * ="
