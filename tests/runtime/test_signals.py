"""Answers that cannot be right, and those that only look odd."""

from fractions import Fraction

import pytest

from saligned.runtime.signals import Signal, find_signals
from saligned.symbolic.solving import Answer, Irrational

HALF = Fraction(15, 2)


@pytest.mark.parametrize(
    ("text", "answers", "signals"),
    [
        ("树上有3只鸟，飞走5只，还剩多少只？", [Fraction(-2)], [Signal.NEGATIVE]),
        ("一条绳长3米，用去5米，还剩多少米？", [Fraction(-2)], [Signal.NEGATIVE]),
        ("Tom has 3 pens and loses 5. How many pens are left?", [Fraction(-2)], [Signal.NEGATIVE]),
        ("全班有多少人？", [HALF], [Signal.NOT_WHOLE]),
        ("全班有多少人？", [-HALF], [Signal.NEGATIVE, Signal.NOT_WHOLE]),
        ("鸡兔各有几只？", [Fraction(3), HALF], [Signal.NOT_WHOLE]),
        ("有多少棵树？", [Irrational("sqrt(2)", 1.414)], [Signal.NOT_WHOLE]),
        ("How many students are there?", [HALF], [Signal.NOT_WHOLE]),
        ("梨是苹果的多少倍？", [Fraction(1, 3)], [Signal.BELOW_ONE]),
        ("全班有多少人？", [Fraction(30)], []),
        ("梨是苹果的多少倍？", [HALF], []),
        ("绳子还剩多少米？", [HALF], []),
        ("男生有20人，占全班人数的几分之几？", [Fraction(1, 2)], []),
        ("20人里来了19人，出勤率是多少？", [Fraction(19, 20)], []),
        ("气温下降了5度，现在多少度？", [Fraction(-2)], []),
        ("一个数加5得3，这个数是多少？", [Fraction(-2)], []),
        ("3-5=？", [Fraction(-2)], []),
        ("Three more than a number is 1. What is the number?", [Fraction(-2)], []),
        ("How many hours did he work?", [HALF], []),
    ],
)
def test_what_an_answer_fires(text: str, answers: list[Answer], signals: list[Signal]) -> None:
    assert list(find_signals(text, answers)) == signals
