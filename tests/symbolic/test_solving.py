"""Exact answers, failures with reasons, and what counts as correct."""

import subprocess
import sys
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.problem import Failure, Reason
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown, evaluate
from saligned.symbolic.notation import parse_equation
from saligned.symbolic.solving import Answer, Irrational, as_float, covers, exact_string, matches, solve, solve_all
from tests.symbolic.random_trees import expressions

ARITHMETIC = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE)


def solve_text(text: str) -> tuple[Answer, ...] | Failure:
    return solve([parse_equation(equation) for equation in text.split(";")])


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("x=(10-1*5)/0.5", ["10"]),
        ("5/12=x", ["5/12"]),
        ("2x+3=9", ["3"]),
        ("(x-1)/4=2.5-x", ["2.2"]),
        ("x-25%*x=60", ["80"]),
        ("x+y=10;x-y=5", ["7.5", "2.5"]),
        ("y=2x;y+x=9", ["6", "3"]),
        ("x+y+z=6;x-y=0;z=2", ["2", "2", "2"]),
        ("x=3;2x=6", ["3"]),
        ("20/x=5", ["4"]),
        ("x^2=16", ["4"]),
        ("x^2+5x=0", ["0"]),
        ("(x+1)(x+2)=0", ["-1"]),
        ("(30-2x)(20-2x)=200", ["5"]),
        ("x^2=2", ["sqrt(2)"]),
        ("x^3=2", ["2**(1/3)"]),
        ("x=2^0.5", ["sqrt(2)"]),
        ("x=2^0.5*8^0.5", ["4"]),
        ("x+y=7;x*y=12", ["3", "4"]),
        ("x/y=3;x+y=8", ["6", "2"]),
        ("x-y=1;x^2+y^2=25", ["4", "3"]),
        ("x+y=7;x*y=11", ["7/2 - sqrt(5)/2", "sqrt(5)/2 + 7/2"]),
        ("x*y=6;y*z=12;x*z=8", ["2", "3", "4"]),
        ("(1/x)^-2=9", ["3"]),
    ],
)
def test_solve(text: str, answers: list[str]) -> None:
    result = solve_text(text)
    assert isinstance(result, tuple), str(result)
    assert [exact_string(answer) for answer in result] == answers


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x=1/0", Reason.DIVISION_BY_ZERO),
        ("x+1=x/(2-2)", Reason.DIVISION_BY_ZERO),
        ("1/(x-x)=2", Reason.DIVISION_BY_ZERO),
        ("(x*x-x)/x=-1", Reason.DIVISION_BY_ZERO),
        ("x*x=1/0", Reason.DIVISION_BY_ZERO),
        ("x=1/(8^0.5-2*2^0.5)", Reason.DIVISION_BY_ZERO),
        ("3+4=7", Reason.NO_UNKNOWN),
        ("x-x=1", Reason.INCONSISTENT),
        ("x+y=3;x+y=4", Reason.INCONSISTENT),
        ("x^2=4;x^2=9", Reason.INCONSISTENT),
        ("1/x=0", Reason.INCONSISTENT),
        ("x=x", Reason.UNDERDETERMINED),
        ("x+y=3", Reason.UNDERDETERMINED),
        ("x+y=3;2x+2y=6", Reason.UNDERDETERMINED),
        ("x*y=3", Reason.UNDERDETERMINED),
        ("x/y=3;x^2=9*y^2", Reason.UNDERDETERMINED),
        ("x/x=1", Reason.UNDERDETERMINED),
        ("x^2=-1", Reason.NO_REAL_ROOT),
        ("x=(-2)^0.5", Reason.NO_REAL_ROOT),
        ("x^2+y^2=1;x+y=10", Reason.NO_REAL_ROOT),
        ("x^7=1+x", Reason.TOO_HARD),
        ("2^x=8", Reason.TOO_HARD),
        ("x^0.5=3", Reason.TOO_HARD),
        ("x=((9^64)^64)^64", Reason.TOO_HARD),
        ("x=" + "9" * 400, Reason.TOO_HARD),
        ("x^4+y=1;y^4+x=3", Reason.TOO_HARD),
        ("x*y=1;y*z=2;z*w=3;w*x=4", Reason.TOO_HARD),
    ],
)
def test_failures_have_reasons(text: str, reason: Reason) -> None:
    result = solve_text(text)
    assert isinstance(result, Failure), result
    assert result.reason is reason


def test_no_equation_has_no_unknown() -> None:
    assert solve([]) == Failure(Reason.NO_UNKNOWN)


def _sympy_tree(tree: Expression) -> sympy.Expr:
    if isinstance(tree, Number):
        return sympy.Rational(tree.value.numerator, tree.value.denominator)
    if isinstance(tree, Unknown):
        return sympy.Symbol(tree.name)
    left, right = _sympy_tree(tree.left), _sympy_tree(tree.right)
    return {"+": left + right, "-": left - right, "*": left * right}[tree.operator.value]


@st.composite
def linear_systems(draw: st.DrawFn) -> list[Equation]:
    names = "xyz"[: draw(st.integers(1, 3))]
    coefficients = st.fractions(-5, 5, max_denominator=4).map(Number)
    terms = st.builds(Operation, st.just(Operator.MULTIPLY), coefficients, st.sampled_from(names).map(Unknown))
    sums = st.recursive(
        terms | coefficients,
        lambda side: st.builds(Operation, st.sampled_from([Operator.ADD, Operator.SUBTRACT]), side, side),
        max_leaves=6,
    )
    return draw(st.lists(st.builds(Equation, sums, sums), min_size=len(names), max_size=len(names) + 1))


@given(linear_systems())
@settings(max_examples=40)
def test_linear_path_equals_sympy(equations: list[Equation]) -> None:
    result = solve(equations)
    if isinstance(result, Failure) and result.reason is Reason.NO_UNKNOWN:
        return
    names = list(dict.fromkeys(n for e in equations for n in _names(e)))
    symbols = [sympy.Symbol(name) for name in names]
    solutions = sympy.linsolve([_sympy_tree(e.left) - _sympy_tree(e.right) for e in equations], symbols)
    if isinstance(result, tuple):
        expected = tuple(sympy.Rational(a.numerator, a.denominator) for a in result if isinstance(a, Fraction))
        assert solutions == sympy.FiniteSet(expected)
    elif result.reason is Reason.INCONSISTENT:
        assert solutions == sympy.EmptySet
    else:
        assert result.reason is Reason.UNDERDETERMINED
        assert any(value.free_symbols for solution in solutions for value in solution)


def _names(tree: Expression | Equation) -> list[str]:
    if isinstance(tree, Unknown):
        return [tree.name]
    return [] if isinstance(tree, Number) else _names(tree.left) + _names(tree.right)


@given(expressions(names="", operators=ARITHMETIC), st.booleans())
def test_direct_path_equals_evaluation(expression: Expression, mirrored: bool) -> None:
    sides = (expression, Unknown("x")) if mirrored else (Unknown("x"), expression)
    value = evaluate(expression)
    result = solve([Equation(*sides)])
    if isinstance(value, Failure):
        assert isinstance(result, Failure)
        assert result.reason is value.reason
    else:
        assert result == (value,)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=4))
@settings(max_examples=40)
def test_polynomials_with_known_roots(roots: list[int]) -> None:
    product: Expression = Number(Fraction(1))
    for root in roots:
        factor = Operation(Operator.SUBTRACT, Unknown("x"), Number(Fraction(root)))
        product = Operation(Operator.MULTIPLY, product, factor)
    expected = min(roots, key=lambda root: (root <= 0, abs(root)))
    assert solve([Equation(product, Number(Fraction(0)))]) == (Fraction(expected),)


@given(st.integers(-9, 9), st.integers(-9, 9))
@settings(max_examples=40)
def test_sum_and_product_give_the_pair_back(first: int, second: int) -> None:
    result = solve_text(f"x+y=({first + second});x*y=({first * second})")
    assert isinstance(result, tuple)
    assert matches(result, [Fraction(first), Fraction(second)])


def test_matches() -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert matches([third], [Fraction("0.3333")])
    assert not matches([third], [Fraction("0.333")])
    assert matches([Fraction(1_000_000)], [Fraction(1_000_100)])
    assert not matches([Fraction(1_000_000)], [Fraction(1_000_102)])
    assert matches([third, half], [half, third])
    assert not matches([half], [half, half])
    assert not matches([half, half], [half, third])
    assert matches([Irrational("sqrt(2)", 2**0.5)], [Fraction("1.4142")])
    assert matches([], [])


def test_answers_as_text_and_float() -> None:
    assert [exact_string(a) for a in (Fraction(13), Fraction(11, 4), Fraction(5, 12))] == [
        "13",
        "2.75",
        "5/12",
    ]
    root = Irrational("sqrt(2)", 2**0.5)
    assert (exact_string(root), as_float(root), as_float(Fraction(1, 4))) == ("sqrt(2)", 2**0.5, 0.25)
    solved = solve_text("x^2=2")
    assert isinstance(solved, tuple)
    assert as_float(solved[0]) == pytest.approx(2**0.5, abs=1e-15)


def test_linear_problems_never_load_sympy() -> None:
    code = (
        "import sys; from saligned.symbolic.notation import parse_equation as p;"
        "from saligned.symbolic.solving import solve;"
        "assert solve([p('x=1/2')]) and solve([p('x+y=3'), p('x-y=1')]); sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_all_real_solutions_are_found_and_the_sensible_one_is_first() -> None:
    assert solve_all([parse_equation("x*(x+2)=168")]) == ((Fraction(12),), (Fraction(-14),))
    assert solve_all([parse_equation("x+y=7"), parse_equation("x*y=12")]) == (
        (Fraction(3), Fraction(4)),
        (Fraction(4), Fraction(3)),
    )
    assert solve_all([parse_equation("x=2+3")]) == ((Fraction(5),),)
    assert solve_all([parse_equation("x*x=0-1")]) == Failure(Reason.NO_REAL_ROOT)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("x+y=10;x-y=4", ["3"], True),  # one of two unknowns is asked for
        ("x+y=10;x-y=4", ["3", "7"], True),
        ("x+y=10;x-y=4", ["3", "8"], False),
        ("x*(36-2*x)=160", ["8", "10"], True),  # both roots are asked for
        ("x*(36-2*x)=160", ["10"], True),  # the second one is
        ("x*(36-2*x)=160", ["9"], False),
        ("x=5", ["5", "6"], False),
        ("x=5/0", ["5"], False),
        ("x=5", [], False),
    ],
)
def test_equations_cover_answers_among_their_solutions(text: str, gold: list[str], right: bool) -> None:
    equations = [parse_equation(equation) for equation in text.split(";")]
    assert covers(equations, [Fraction(answer) for answer in gold]) is right
