"""The words of a quantity and the unit of a question, always quoted from the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saligned.explain.words import asked_unit, asks_percent, nearby, own_words, unit_after
from saligned.text.tokenizers import read


def own(text: str, tokenizer: str = "char") -> list[str]:
    quantities = read(text, tokenizer).quantities
    spans = [(quantity.start, quantity.end) for quantity in quantities]
    return [text[slice(*own_words(text, spans, index))] for index in range(len(spans))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("小明有10元，买了5支钢笔以后，还剩多少元？", ["小明有10元", "买了5支钢笔以后"]),
        ("前面5人后面7人，一共多少人？", ["前面5人", "后面7人"]),
        ("8加4等于几？", ["8", "加4等于几"]),
        ("Tom has $0.5. He buys 3 pens, and leaves.", ["Tom has $0.5", "He buys 3 pens"]),
    ],
)
def test_own_words_are_the_clause_up_to_other_quantities(text: str, words: list[str]) -> None:
    assert own(text) == words


@given(st.text("小明有12.5元3个，。？ ab\n", max_size=80).filter(str.strip))
def test_own_words_contain_the_quantity_and_never_another(text: str) -> None:
    quantities = read(text, "char").quantities
    spans = [(quantity.start, quantity.end) for quantity in quantities]
    places = [own_words(text, spans, index) for index in range(len(spans))]
    for (left, right), (start, end) in zip(places, spans, strict=True):
        assert left <= start < end <= right
    assert all(one[1] <= other[0] for one, other in pairwise(places))


def test_nearby_tokens_begin_with_the_number_and_its_unit() -> None:
    reading = read("买了5支钢笔，每支2元", "char")
    tokens = [reading.tokens[word["token"]] for word in nearby(reading, 0, 3)]
    assert "".join(reading.text[token.start : token.end] for token in tokens) == "5支了"


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
