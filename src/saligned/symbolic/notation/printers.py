"""Expression trees → infix, postfix, LaTeX, MathML, with no more brackets than the tree needs.

Infix text parses back to the same tree, in both styles: a division of two integers that stands in brackets is
written `((2)/5)` in ASCII, because `(2/5)` is one number; the pretty style divides by `÷`.
"""

import re
from collections.abc import Callable
from html import escape

from saligned.errors import NotationError
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown
from saligned.symbolic.notation.parser import PI, PRECEDENCE
from saligned.symbolic.numbers import format_number, read_number, tidy_form

_INTEGER_RATIO = re.compile(r"(-?[0-9]+)/([0-9]+)")
_FRACTION = re.compile(r"(?P<whole>[0-9]*)\((?P<minus>-?)(?P<numerator>[0-9]+)/(?P<denominator>[0-9]+)\)")
_PRETTY = {"-": " − ", "+": " + ", "*": " × ", "/": " ÷ ", "^": "^"}
_LATEX = {"-": " - ", "+": " + ", "*": r" \times "}
_MATHML = {"-": "−", "+": "+", "*": "×"}


def to_infix(tree: Expression | Equation, *, pretty: bool = False) -> str:
    """The usual notation: ASCII for machines, or with `− × ÷` and spaces for people.

    >>> two, five = Number(read_number("2")), Number(read_number("5"))
    >>> to_infix(Operation(Operator.SUBTRACT, five, Operation(Operator.DIVIDE, two, five)))
    '5-2/5'
    """
    if isinstance(tree, Equation):
        return (" = " if pretty else "=").join(_infix(side, True, pretty) for side in (tree.left, tree.right))
    return _infix(tree, True, pretty)


def to_postfix(tree: Expression | Equation) -> str:
    """Operands before their operator, separated by spaces: the order of the stack actions."""
    if isinstance(tree, Number):
        return _number_text(tree)
    if isinstance(tree, Unknown):
        return tree.name
    symbol = tree.operator.value if isinstance(tree, Operation) else "="
    return f"{to_postfix(tree.left)} {to_postfix(tree.right)} {symbol}"


def to_latex(tree: Expression | Equation) -> str:
    r"""LaTeX for math mode.

    >>> to_latex(Operation(Operator.DIVIDE, Unknown("x"), Number(read_number("25%"), "25%")))
    '\\frac{x}{25\\%}'
    """
    if isinstance(tree, Equation):
        return f"{to_latex(tree.left)} = {to_latex(tree.right)}"
    if isinstance(tree, Number):
        return _latex_number(tree)
    if isinstance(tree, Unknown):
        name = tree.name.replace("_", r"\_")
        return name if len(tree.name) == 1 else rf"\mathit{{{name}}}"
    if tree.operator is Operator.DIVIDE:
        return rf"\frac{{{to_latex(tree.left)}}}{{{to_latex(tree.right)}}}"
    left = _bracketed_side(tree, to_latex, r"\left({}\right)", right=False)
    if tree.operator is Operator.POWER:
        return f"{left}^{{{to_latex(tree.right)}}}"
    return left + _LATEX[tree.operator] + _bracketed_side(tree, to_latex, r"\left({}\right)", right=True)


def to_mathml(tree: Expression | Equation) -> str:
    """A complete `<math>` element."""
    body = f"{_mathml(tree.left)}<mo>=</mo>{_mathml(tree.right)}" if isinstance(tree, Equation) else _mathml(tree)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow>{body}</mrow></math>'


def _infix(tree: Expression, leading: bool, pretty: bool) -> str:
    """`leading`: the tree begins its side or bracket, so that a minus sign needs no bracket of its own."""
    if isinstance(tree, Unknown):
        return tree.name
    if isinstance(tree, Number):
        text = _number_text(tree)
        if pretty:
            text = text.replace("-", "−").replace("pi", "π")
        return text if leading or tree.value >= 0 or text.startswith("(") else f"({text})"
    symbol = _PRETTY[tree.operator] if pretty else tree.operator.value
    sides = []
    for side, right in ((tree.left, False), (tree.right, True)):
        if isinstance(side, Operation) and _needs_brackets(side.operator, tree.operator, right=right):
            sides.append(_bracketed(_infix(side, True, pretty)))
        else:
            sides.append(_infix(side, leading and not right and tree.operator is not Operator.POWER, pretty))
    return symbol.join(sides)


def _bracketed(text: str) -> str:
    """Brackets that do not turn a division into a fraction."""
    ratio = _INTEGER_RATIO.fullmatch(text)
    return f"(({ratio[1]})/{ratio[2]})" if ratio else f"({text})"


def _needs_brackets(child: Operator, parent: Operator, *, right: bool) -> bool:
    """Equal operators group to the left, powers to the right."""
    if PRECEDENCE[child] != PRECEDENCE[parent]:
        return PRECEDENCE[child] < PRECEDENCE[parent]
    return right is not (parent is Operator.POWER)


def _number_text(number: Number) -> str:
    """The number as it was written, when that reads back to its value; otherwise its value."""
    if number.form in {"π", "pi"} and number.value == PI:
        return "pi"
    try:
        if number.form and read_number(number.form) == number.value:
            return tidy_form(number.form)
    except NotationError:
        pass  # a numeral or a word of the text: 三百二十, "half"
    text = format_number(number.value)
    return f"({text})" if "/" in text else text


def _bracketed_side(tree: Operation, write: Callable[[Expression], str], brackets: str, *, right: bool) -> str:
    """An operand in two dimensions, where a fraction bar does the work of brackets except under a power."""
    side = tree.right if right else tree.left
    power = tree.operator is Operator.POWER
    if isinstance(side, Operation):
        bar = side.operator is Operator.DIVIDE and not power
        needed = not bar and _needs_brackets(side.operator, tree.operator, right=right)
    else:
        negative = isinstance(side, Number) and side.value < 0
        needed = (negative and (right or power)) or (power and _is_written_fraction(side))
    return brackets.format(write(side)) if needed else write(side)


def _is_written_fraction(tree: Expression) -> bool:
    return isinstance(tree, Number) and "/" in _number_text(tree)


def _latex_number(number: Number) -> str:
    text = _number_text(number).replace("%", r"\%").replace("pi", r"\pi")
    return _FRACTION.sub(r"\g<minus>\g<whole>\\frac{\g<numerator>}{\g<denominator>}", text)


def _mathml(tree: Expression) -> str:
    if isinstance(tree, Unknown):
        return f"<mi>{escape(tree.name)}</mi>"
    if isinstance(tree, Number):
        return _mathml_number(tree)
    if tree.operator is Operator.DIVIDE:
        return f"<mfrac><mrow>{_mathml(tree.left)}</mrow><mrow>{_mathml(tree.right)}</mrow></mfrac>"
    brackets = "<mrow><mo>(</mo>{}<mo>)</mo></mrow>"
    left = _bracketed_side(tree, _mathml, brackets, right=False)
    if tree.operator is Operator.POWER:
        return f"<msup><mrow>{left}</mrow><mrow>{_mathml(tree.right)}</mrow></msup>"
    right = _bracketed_side(tree, _mathml, brackets, right=True)
    return f"{left}<mo>{_MATHML[tree.operator]}</mo>{right}"


def _mathml_number(number: Number) -> str:
    text = _number_text(number)
    if text == "pi":
        return "<mi>π</mi>"
    sign = "<mo>−</mo>" if number.value < 0 else ""
    fraction = _FRACTION.fullmatch(text.removeprefix("-"))
    if not fraction:
        return f"{sign}<mn>{text.removeprefix('-')}</mn>"
    whole = f"<mn>{fraction['whole']}</mn>" if fraction["whole"] else ""
    bar = f"<mfrac><mn>{fraction['numerator']}</mn><mn>{fraction['denominator']}</mn></mfrac>"
    return sign + whole + bar
