"""The unit after a number, and the one that a question asks for."""

import pytest

from saligned.text.units import asked_unit, asks_percent, unit_after


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("长3米，宽几米？", "米"),
        ("面积是多少平方厘米？", "平方厘米"),
        ("要几小时？", "小时"),
        ("要多少个小时？", "小时"),
        ("还要几个月？", "个月"),
        ("两种树一共多少棵？", "棵"),
        ("母鸡比公鸡多多少只？", "只"),
        ("分给多少个小朋友？", "个"),
        ("现在卖(  )元．", "元"),
        ("苹果有几个？梨有多少千克？", "千克"),
        ("一支笔3元，5支多少钱？", "元"),
        ("占全班的几分之几？", ""),
        ("这个数是多少？", ""),
        ("它的面积是多少？", ""),
        ("3.8+1.46=？", ""),
        ("十几个人里有3人", ""),
        ("How many more apples does she need?", "apples"),
        ("How many square meters is it?", "square meters"),
        ("A pen costs $3. How much do 5 pens cost?", "$"),
        ("What is the number?", ""),
    ],
)
def test_the_unit_that_is_asked_for(text: str, unit: str) -> None:
    assert asked_unit(text) == unit


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("男生占全班的百分之几？", True),
        ("这批种子的发芽率是多少？", True),
        ("求今天的出勤率。", True),
        ("What percent of the books were sold?", True),
        ("年利率是2%，一年后得到利息多少元？", False),
        ("打折后便宜了百分之二十五，现在卖多少元？", False),
    ],
)
def test_whether_a_percentage_is_asked_for(text: str, percent: bool) -> None:
    assert asks_percent(text) is percent


@pytest.mark.parametrize(("rest", "unit"), [("千米以后", "千米"), ("分之", ""), (" pens and", " pens"), ("×3", "")])
def test_the_unit_after_a_number(rest: str, unit: str) -> None:
    assert rest[: unit_after(rest, 0)] == unit
