"""Written numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saligned.errors import NotationError
from saligned.symbolic.numbers import fold_width, format_number, read_number, tidy_form


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", Fraction(12)),
        (" -3 ", Fraction(-3)),
        ("+3", Fraction(3)),
        ("0.5", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("12.5%", Fraction(1, 8)),
        ("１２．５％", Fraction(1, 8)),
        ("2/5", Fraction(2, 5)),
        ("(2/5)", Fraction(2, 5)),
        ("（２／５）", Fraction(2, 5)),
        ("((2)/(5))", Fraction(2, 5)),
        ("-(2/5)", Fraction(-2, 5)),
        ("(-2/5)", Fraction(-2, 5)),
        ("1(3/4)", Fraction(7, 4)),
        ("1((3)/(4))", Fraction(7, 4)),
        ("1 3/4", Fraction(7, 4)),
        ("-1(3/4)", Fraction(-7, 4)),
        ("1,200", Fraction(1200)),
        ("1，200", Fraction(1200)),
        ("1,234,567.5", Fraction("1234567.5")),
        ("1e3", Fraction(1000)),
        ("1.5E-3", Fraction(3, 2000)),
        ("((12))", Fraction(12)),
    ],
)
def test_read_number(text: str, value: Fraction) -> None:
    assert read_number(text) == value
    assert read_number(tidy_form(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "()",
        "abc",
        "1,20",
        "1,2000",
        "1 2",
        "3/0",
        "1(3/0)",
        "5(7/2)",
        "(2/5",
        "2/5)",
        "2//5",
        "--3",
        "1/2/3",
        "3²",
        "①",
        "½",
        "1.2.3",
        "%",
        "nan",
        "inf",
        "1_000",
        "1e301",
        "1e-301",
        "1e99999999999",
        "9" * 401,
    ],
)
def test_read_number_refuses(text: str) -> None:
    with pytest.raises(NotationError):
        read_number(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(13), "13"),
        (Fraction(0), "0"),
        (Fraction(11, 4), "2.75"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(5, 12), "5/12"),
        (Fraction(-5, 12), "-5/12"),
        (Fraction(1, 10**12), "0.000000000001"),
        (Fraction(1, 10**13), "1/10000000000000"),
    ],
)
def test_format_number(value: Fraction, text: str) -> None:
    assert format_number(value) == text


@given(st.fractions())
def test_format_number_is_exact(value: Fraction) -> None:
    assert read_number(format_number(value)) == value


@given(st.text(alphabet="0123456789.,%/()+-eE １２．，％ 三²½", max_size=14))
def test_read_number_returns_or_refuses(text: str) -> None:
    try:
        value = read_number(text)
    except NotationError:
        return
    assert read_number(tidy_form(text)) == value


@given(st.text())
def test_fold_width_keeps_spans(text: str) -> None:
    assert len(fold_width(text)) == len(text)


def test_fold_width_leaves_punctuation() -> None:
    assert fold_width("共１２．３元，余５．") == "共12.3元，余5．"
    assert fold_width("（１－２５％）×３÷５＝") == "(1-25%)×3÷5="
