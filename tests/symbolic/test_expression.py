"""Exact arithmetic on trees."""

from fractions import Fraction

import pytest

from saligned.problem import Failure, Reason
from saligned.symbolic.expression import evaluate, leaves, unknowns
from saligned.symbolic.notation import parse_equation, parse_expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7.3-1.85+0.4", Fraction("5.85")),
        ("1-1/3", Fraction(2, 3)),
        ("2^10", Fraction(1024)),
        ("2^-1", Fraction(1, 2)),
        ("(-2)^3", Fraction(-8)),
        ("-2^2", Fraction(-4)),
        ("2^3^2", Fraction(512)),
        ("0^0", Fraction(1)),
        ("240*25%", Fraction(60)),
    ],
)
def test_evaluate(text: str, value: Fraction) -> None:
    assert evaluate(parse_expression(text)) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1/0", Reason.DIVISION_BY_ZERO),
        ("1/(0.5-1/2)", Reason.DIVISION_BY_ZERO),
        ("0^-1", Reason.DIVISION_BY_ZERO),
        ("x+1", Reason.UNDERDETERMINED),
        ("2^0.5", Reason.TOO_HARD),
        ("2^65", Reason.TOO_HARD),
        ("((9^64)^64)^64", Reason.TOO_HARD),
        ("1e300*1e300", Reason.TOO_HARD),
    ],
)
def test_evaluate_fails_with_reason(text: str, reason: Reason) -> None:
    result = evaluate(parse_expression(text))
    assert isinstance(result, Failure)
    assert result.reason is reason


def test_unknowns_keep_the_order_of_first_appearance() -> None:
    first, second = parse_equation("y+2x=z"), parse_equation("x+w=1")
    assert unknowns(first, second) == ("y", "x", "z", "w")
    assert len(list(leaves(first))) == 4
