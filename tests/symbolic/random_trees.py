"""Random expression trees for the property tests."""

from fractions import Fraction

from hypothesis import strategies as st

from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown
from saligned.symbolic.numbers import read_number

FORMS = [
    "12",
    "0.5",
    "25%",
    "2/5",
    "(2/5)",
    "1(3/4)",
    "1,200",
    "１２",
    "-3",
    "-(2/5)",
    "-1(3/4)",
    "1.5E-3",
    "5.",
    ".5",
]
# Forms that no equation can contain: the printers must fall back to the value.
NUMERALS = ["三百二十", "half", "π", "2x", "", "("]


def fractions() -> st.SearchStrategy[Fraction]:
    small = st.integers(-30, 30).map(Fraction)
    return small | st.fractions(-1000, 1000, max_denominator=50) | st.decimals(-99, 99, places=3).map(Fraction)


def numbers() -> st.SearchStrategy[Number]:
    written = st.sampled_from(FORMS).map(lambda form: Number(read_number(form), form))
    return (
        fractions().map(Number)
        | written
        | st.builds(Number, fractions(), st.sampled_from(FORMS + NUMERALS))
        | st.just(Number(Fraction("3.14"), "π"))
    )


def expressions(names: str = "xyz", operators: tuple[Operator, ...] = tuple(Operator)) -> st.SearchStrategy[Expression]:
    leaves: st.SearchStrategy[Expression] = numbers()
    if names:
        leaves = leaves | st.sampled_from([*names, "x_1", "甲"]).map(Unknown)
    return st.recursive(
        leaves, lambda side: st.builds(Operation, st.sampled_from(operators), side, side), max_leaves=12
    )


def equations() -> st.SearchStrategy[Equation]:
    return st.builds(Equation, expressions(), expressions())
