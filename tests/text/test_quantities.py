"""Which numbers are found in a text, where, and with which value."""

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.text.numerals import read_chinese
from saligned.text.quantities import find_quantities

DIGITS = "零一二三四五六七八九"


def found(text: str) -> list[tuple[str, str]]:
    return [(quantity.form, str(quantity.value)) for quantity in find_quantities(text)]


def values(text: str) -> list[str]:
    return [value for _, value in found(text)]


def to_chinese(number: int) -> str:
    """The standard Chinese numeral, written independently of the reader: by decimal places."""
    if not number:
        return "零"
    high, low = divmod(number, 10_000)
    if high:
        gap = "零" if 0 < low < 1000 else ""
        return to_chinese(high) + "万" + (gap + to_chinese(low) if low else "")
    out = ""
    for place, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        if digit:
            out += DIGITS[digit] + unit
        elif out and number % place and not out.endswith("零"):
            out += "零"
    return out[1:] if 10 <= number < 20 else out


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("12", "12"),
        ("0.5", "1/2"),
        ("12.5%", "1/8"),
        ("2/5", "2/5"),
        ("(2/5)", "2/5"),
        ("((2)/(5))", "2/5"),
        ("1(3/4)", "7/4"),
        ("1((3)/(4))", "7/4"),
        ("1又3/4", "7/4"),
        ("1又(3/4)", "7/4"),
        ("1,200", "1200"),
        ("1,234,567.5", "2469135/2"),
        ("１２", "12"),
        ("１２．５％", "1/8"),
        ("（２／５）", "2/5"),
        ("1.5万", "15000"),
        ("3亿", "300000000"),
        ("2千万", "20000000"),
        ("百分之20", "1/5"),
        ("3分之1", "1/3"),
        ("三百二十", "320"),
        ("一百零五", "105"),
        ("两百", "200"),
        ("十二", "12"),
        ("两万三", "23000"),
        ("三千五", "3500"),
        ("三亿零五", "300000005"),
        ("百分之二十", "1/5"),
        ("百分之三点五", "7/200"),
        ("三分之一", "1/3"),
        ("一又二分之一", "3/2"),
        ("三点五", "7/2"),
        ("半", "1/2"),
    ],
)
def test_one_quantity_with_its_whole_span(form: str, value: str) -> None:
    assert found(f"共有{form}，") == [(form, value)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty-five apples", ["25"]),
        ("three hundred and five", ["305"]),
        ("One hundred pens", ["100"]),
        ("a hundred pens", ["100"]),
        ("two thousand and six", ["2006"]),
        ("a dozen eggs", ["12"]),
        ("3 dozen eggs", ["3", "12"]),
        ("half of it", ["1/2"]),
        ("two thirds of it", ["2/3"]),
        ("one-fourth", ["1/4"]),
        ("two and a half hours", ["5/2"]),
        ("1 1/2 cups", ["3/2"]),
        ("twice as many", ["2"]),
        ("five and six", ["5", "6"]),
        ("twenty and five", ["20", "5"]),
        ("20 percent", ["1/5"]),
        ("two numbers", ["2"]),
        ("the two numbers", []),
        ("one of them, another one", []),
        ("the second and the third", []),
        ("both, a pair, someone, often, weight", []),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "一天",
            "第一",
            "一共",
            "一样",
            "一个",
            "二年级",
            "三角形",
            "四季",
            "星期一",
            "星期三次",
            "十分高兴",
        ),
        *("三班", "十二班", "五月", "十二月", "第三个", "第十二个", "初三", "六边形", "四周种树"),
        *("甲、乙两地", "A、B两城", "小明和小红两人", "半径", "半圆", "上半年", "零件", "一双", "三四个"),
        *("二〇〇八年", "三十几个", "几十个", "五一节", "十一放假", "百货", "千万别", "几分之几", "万一"),
        *("A4", "x2", "No.1", "cm2", "MP3"),
    ],
)
def test_what_does_not_count(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:19", ["1", "19"]),
        ("28米/秒", ["28"]),
        ("3.8-2.54+1.46=？", ["19/5", "127/50", "73/50"]),
        ("-5度，(-3)", ["5", "3"]),
        ("12,5和1,2345", ["12", "5", "1", "2345"]),
        ("2008/8/8", ["2008", "8", "8"]),
        ("2/0", ["2", "0"]),
        ("(2/0)", ["2", "0"]),
        ("5(7/4)", ["5", "7/4"]),
        ("96/8的商", ["96", "8"]),
        ("7-1/4", ["7", "1", "4"]),
        ("3cm，25千克", ["3", "25"]),
        ("三千克，五千元", ["3", "5000"]),
        ("十分钟，三个，二吨，两根", ["10", "3", "2", "2"]),
        ("第3天", ["3"]),
        ("定期三年，存期两年", ["3", "2"]),
        ("总数五百", ["500"]),
        ("数十个", []),
        ("用了一半", ["1/2"]),
    ],
)
def test_neighbours_decide(text: str, expected: list[str]) -> None:
    assert values(text) == expected


def test_myriads_can_stay_in_the_text() -> None:
    assert [(q.form, q.value) for q in find_quantities("20万元", myriads=False)] == [("20", 20)]


@pytest.mark.parametrize(
    "form", ["三四", "一百零十", "二百三百", "十百", "一百零", "三万五万", "十两", "百", "一" * 30]
)
def test_what_is_no_numeral(form: str) -> None:
    assert read_chinese(form) is None


@settings(deadline=None)
@given(st.integers(0, 99_999_999))
def test_chinese_numerals_read_back(number: int) -> None:
    assert read_chinese(to_chinese(number)) == number


@settings(deadline=None)
@given(st.integers(13, 99_999_999))
def test_numerals_of_several_characters_are_found_whole(number: int) -> None:
    numeral = to_chinese(number)
    assert found(f"共{numeral}元") == [(numeral, str(number))]


@settings(deadline=None)
@given(st.fractions(min_value=0, max_value=1, max_denominator=500).filter(lambda value: 0 < value < 1))
def test_fractions_are_exact(value: Fraction) -> None:
    ratio = f"{value.numerator}/{value.denominator}"
    assert values(f"是{ratio}，是({ratio})，是7({ratio})") == [str(value), str(value), str(value + 7)]


PIECES = [
    "12",
    "0.5",
    "%",
    "(",
    ")",
    "/",
    "2",
    ",",
    "200",
    "．",
    "三",
    "百",
    "两",
    "半",
    "万",
    "个",
    "第",
    "分之",
]
PIECES += [
    "又",
    "点",
    " ",
    "one",
    "two",
    "-",
    "and",
    "a",
    "half",
    "hundred",
    "x",
    "甲",
    "、",
    "５",
    "％",
    "零",
    "十",
]


@settings(deadline=None, max_examples=60)
@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text(max_size=60)))
def test_spans_hold(text: str) -> None:
    end = 0
    for quantity in find_quantities(text):
        assert end <= quantity.start < quantity.end
        assert text[quantity.start : quantity.end] == quantity.form
        assert quantity.value >= 0
        end = quantity.end


def test_huge_digit_strings_are_skipped_whole() -> None:
    assert values(f"有{'9' * 10_000}个，又有5个") == ["5"]


@pytest.mark.parametrize("unit", ["1", "一", "1,234,", "(1/", "one ", "a", "一分之"])
def test_time_is_linear(unit: str) -> None:
    """A quadratic scan of 100,000 characters takes minutes, a linear one about a second on a busy core."""
    start = time.process_time()
    find_quantities((unit * 100_000)[:100_000])
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一件大衣原价400元，打八折出售", [("400", "400"), ("八", "4/5")]),
        ("打七五折后是150元", [("七五", "3/4"), ("150", "150")]),
        ("打8.5折后是170元", [("8.5", "17/20"), ("170", "170")]),
        ("打9折", [("9", "9/10")]),
        ("打八点五折", [("八点五", "17/20")]),
        ("把一张纸三折叠起来", []),
    ],
)
def test_discounts_are_tenths(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected
