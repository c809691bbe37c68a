"""The parser and the printers."""

import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saligned.errors import NotationError
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown, evaluate
from saligned.symbolic.notation import (
    parse_equation,
    parse_expression,
    to_infix,
    to_latex,
    to_mathml,
    to_postfix,
)
from tests.symbolic.random_trees import equations, expressions

TWO, FIVE, X = Number(Fraction(2)), Number(Fraction(5)), Unknown("x")


@given(equations(), st.booleans())
def test_infix_round_trip(equation: Equation, pretty: bool) -> None:
    assert parse_equation(to_infix(equation, pretty=pretty)) == equation


@given(expressions(names=""), st.booleans())
def test_printing_keeps_the_value(expression: Expression, pretty: bool) -> None:
    assert evaluate(parse_expression(to_infix(expression, pretty=pretty))) == evaluate(expression)


@given(equations())
def test_printing_is_stable(equation: Equation) -> None:
    text = to_infix(equation)
    assert to_infix(parse_equation(text)) == text


@given(equations())
def test_markup_is_well_formed(equation: Equation) -> None:
    assert ET.fromstring(to_mathml(equation)).tag == "{http://www.w3.org/1998/Math/MathML}math"
    latex = to_latex(equation)
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left(") == latex.count(r"\right)")
    assert len(to_postfix(equation).split()) % 2 == 1


@pytest.mark.parametrize(
    ("text", "postfix"),
    [
        ("1+2*3", "1 2 3 * +"),
        ("1-2-3", "1 2 - 3 -"),
        ("12÷3×2", "12 3 / 2 *"),
        ("2**3^2", "2 3 2 ^ ^"),
        ("-3^2", "-1 3 2 ^ *"),
        ("-3*2", "-3 2 *"),
        ("-x", "-1 x *"),
        ("4--3", "4 -3 -"),
        ("+5", "5"),
        ("[1+{2-(3)}]", "1 2 3 - +"),
        ("（１＋２）×３", "1 2 + 3 *"),
        ("240×(1−25%)", "240 1 25% - *"),
        ("(2/5)*x", "(2/5) x *"),
        ("2/5*x", "2 5 / x *"),
        ("((2)/5)", "2 5 /"),
        ("(2÷5)", "2 5 /"),
        ("(2.5/5)", "2.5 5 /"),
        ("(2/0)", "2 0 /"),
        ("1(3/4)+1", "1(3/4) 1 +"),
        ("1((3)/(4))", "1(3/4)"),
        ("5(7/2)", "5 (7/2) *"),
        ("5(7/0)", "5 7 0 / *"),
        ("2x", "2 x *"),
        ("1/2x", "1 2 / x *"),
        ("2x^2", "2 x 2 ^ *"),
        ("3(x+1)", "3 x 1 + *"),
        ("x(x+1)", "x x 1 + *"),
        ("(x+1)(x-1)", "x 1 + x 1 - *"),
        ("(1/2)x", "(1/2) x *"),
        ("x²", "x 2 ^"),
        ("2π", "2 pi *"),
        ("3e2+x_1", "3e2 x_1 +"),
        ("1,200+1", "1200 1 +"),
        ("单价*3", "单价 3 *"),
    ],
)
def test_parse(text: str, postfix: str) -> None:
    assert to_postfix(parse_expression(text)) == postfix


@pytest.mark.parametrize(
    ("text", "ascii_text", "pretty"),
    [
        ("x=(10-1*5)/0.5", "x=(10-1*5)/0.5", "x = (10 − 1 × 5) ÷ 0.5"),
        ("x=1-(2+3)", "x=1-(2+3)", "x = 1 − (2 + 3)"),
        ("x=(1-2)+3", "x=1-2+3", "x = 1 − 2 + 3"),
        ("x=1-(2-3)", "x=1-(2-3)", "x = 1 − (2 − 3)"),
        ("x=6/(2*3)", "x=6/(2*3)", "x = 6 ÷ (2 × 3)"),
        ("x=(6/2)*3", "x=(6/2)*3", "x = (6/2) × 3"),
        ("x=6÷2*3", "x=6/2*3", "x = 6 ÷ 2 × 3"),
        ("x=8÷(2÷5)", "x=8/((2)/5)", "x = 8 ÷ (2 ÷ 5)"),
        ("x=(2^3)^2", "x=(2^3)^2", "x = (2^3)^2"),
        ("x=2^(3^2)", "x=2^3^2", "x = 2^3^2"),
        ("x=(-3)^2-(-3)", "x=(-3)^2-(-3)", "x = (−3)^2 − (−3)"),
        ("x=-3+5", "x=-3+5", "x = −3 + 5"),
        ("x=pi*2^2", "x=pi*2^2", "x = π × 2^2"),
    ],
)
def test_infix_has_only_the_brackets_it_needs(text: str, ascii_text: str, pretty: str) -> None:
    equation = parse_equation(text)
    assert to_infix(equation) == ascii_text
    assert to_infix(equation, pretty=True) == pretty


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(Fraction(1, 4), "25%"), "25%"),
        (Number(Fraction(1, 4), "1/4"), "(1/4)"),
        (Number(Fraction(7, 4), "1((3)/(4))"), "1(3/4)"),
        (Number(Fraction(320), "三百二十"), "320"),
        (Number(Fraction(1200), "1,200"), "1200"),
        (Number(Fraction(1, 3)), "(1/3)"),
        (Number(Fraction(-1, 3)), "(-1/3)"),
        (Number(Fraction(7), "9"), "7"),
        (Number(Fraction("3.14"), "π"), "pi"),
        (Number(Fraction(3), "π"), "3"),
    ],
)
def test_numbers_print_as_they_were_written(number: Number, text: str) -> None:
    assert to_infix(number) == text


def test_latex() -> None:
    assert to_latex(parse_equation("x=(1-(2/5))*3÷4")) == (r"x = \frac{\left(1 - \frac{2}{5}\right) \times 3}{4}")
    assert to_latex(parse_expression("(x÷2)^2-(-1)")) == r"\left(\frac{x}{2}\right)^{2} - \left(-1\right)"
    assert to_latex(parse_expression("1(3/4)*25%*pi")) == r"1\frac{3}{4} \times 25\% \times \pi"
    assert to_latex(Unknown("x_1")) == r"\mathit{x\_1}"


def test_mathml() -> None:
    body = to_mathml(Equation(X, Operation(Operator.DIVIDE, TWO, FIVE)))
    assert "<mi>x</mi><mo>=</mo><mfrac><mrow><mn>2</mn></mrow><mrow><mn>5</mn></mrow></mfrac>" in body
    assert "<msup>" in to_mathml(parse_expression("x^2"))
    assert "<mi>&lt;&amp;</mi>" in to_mathml(Unknown("<&"))
    assert "<mn>1</mn><mfrac><mn>3</mn><mn>4</mn></mfrac>" in to_mathml(parse_expression("1(3/4)"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1+",
        "*2",
        "(1",
        "1)",
        "()",
        "1 2",
        "x y",
        "(1+2)3",
        "1..2",
        "a$b",
        "1=2",
        "3/*2",
        "1,20",
        "x⁵",
        "1e999",
    ],
)
def test_parse_expression_refuses(text: str) -> None:
    with pytest.raises(NotationError):
        parse_expression(text)


@pytest.mark.parametrize("text", ["x", "x=1=2", "x==1", "=", "x=", "=1", ""])
def test_parse_equation_refuses(text: str) -> None:
    with pytest.raises(NotationError):
        parse_equation(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10000 + "1" + ")" * 10000,
        "(" * 900 + "1" + ")" * 900,
        "-" * 1900 + "1",
        "1" + "+1" * 900,
        "2" + "^2" * 900,
        "1+(" * 400 + "1" + ")" * 400,
        "x" * 5000,
        "(" * 1999,
    ],
)
def test_parse_never_exhausts_the_stack(text: str) -> None:
    with pytest.raises(NotationError):
        parse_expression(text)


@pytest.mark.parametrize("text", ["1" + "+1" * 150, "(" * 100 + "x+1" + ")" * 100, "1+(" * 55 + "x" + ")" * 55])
def test_long_expressions_within_the_limits(text: str) -> None:
    tree = parse_expression(text)
    assert parse_expression(to_infix(tree)) == tree
    assert to_mathml(tree)
    assert to_latex(tree)


@given(st.text(alphabet="0123456789.,%/()+-*^=xπ ²×÷（）５e", max_size=20))
def test_parse_returns_or_refuses(text: str) -> None:
    try:
        tree = parse_expression(text)
    except NotationError:
        return
    assert parse_expression(to_infix(tree)) == tree
