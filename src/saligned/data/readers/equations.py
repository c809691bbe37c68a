"""Gold equations as data sets write them → strings that the parser reads; one function a quirk."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

_NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
_FUNCTION = re.compile(r"[A-Za-z_]{2,}\s*[(\[]|\b(?:sin|cos|tan|ln|log|sqrt)\d")
_TOKEN = re.compile(r"\d+(?:\.\d*)?|\.\d+|[A-Za-z][A-Za-z_0-9]*|\S")
_HAN_UNIT = re.compile(r"[一-鿿]+(?:/[一-鿿]+)?$")
_BRACKETED_UNIT = re.compile(r"(?<=[\d)])\s+\([A-Za-z][A-Za-z/. ]*\)")
_COMPARISON = re.compile("[<>]")
_CONSTRAINT = re.compile(r"[<>]|^\s*_?(?:is_|be_)")
_DEFINITION = re.compile(r"^\s*[A-Za-z]\s*:")
_REMARK = re.compile(r"^\s*[A-Z][a-z]+ [a-z]{2,}\b")
_SHORT_NAMES = "xyzuvwabcdefghijklmnopqrst"
_OPERATORS = "+-*/^"


def clean(equations: Iterable[str], *, implied_products: bool = False) -> tuple[str, ...]:
    """The equations of one problem without their quirks.

    Systems that call functions (`sqrt(2)`, `LCM[4,6]`) are beyond the notation, which would read a product:
    they give no equations, and their problem keeps only its answer.

    >>> clean(["X=((13.5+41.0)/2.5)"])
    ('x=((13.5+41.0)/2.5)',)
    >>> clean(["2*first+other=10", "first-other=2"])
    ('2*x+y=10', 'x-y=2')
    """
    written = [text.replace("＝", "=").strip() for text in equations if text.strip()]
    if any(_FUNCTION.search(text) for text in written):
        return ()
    if implied_products:
        written = split_products(written)
    plain = [percent_of_bracket(ratio_as_division(drop_han_unit(text))) for text in written]
    return short_names([unknown_first(with_unknown(text)) for text in plain])


def split_system(text: str) -> list[str]:
    """MWPToolkit and CM17K write a system as one string.

    >>> split_system("x+y=3 ; x-y=1")
    ['x+y=3', 'x-y=1']
    """
    return [part.strip() for part in text.split(";") if part.strip()]


def with_unknown(text: str) -> str:
    """SVAMP and a few rows of Ape210K give only the expression.

    >>> with_unknown("(71*23)/50")
    'x=(71*23)/50'
    """
    return text if "=" in text else f"x={text}"


def unknown_first(text: str) -> str:
    """MAWPS also writes `46*7=x`.

    >>> unknown_first("46*7=x"), unknown_first("2*x=y")
    ('x=46*7', '2*x=y')
    """
    left, equals, right = text.rpartition("=")
    name = right.strip()
    if _NAME.fullmatch(name) and not _NAME.search(left):
        return f"{name}{equals}{left}"
    return text


def drop_han_unit(text: str) -> str:
    """A row of Math23K ends in its unit.

    >>> drop_han_unit("x=35吨/天")
    'x=35'
    """
    return _HAN_UNIT.sub("", text)


def ratio_as_division(text: str) -> str:
    """Ape210K writes some divisions as ratios.

    >>> ratio_as_division("x=63/(17:4)")
    'x=63/(17/4)'
    """
    return text.replace(":", "/")


def percent_of_bracket(text: str) -> str:
    """Ape210K writes a percent sign behind a bracket too.

    >>> percent_of_bracket("x=31*(40+7)%")
    'x=31*(40+7)/100'
    """
    return text.replace(")%", ")/100")


def short_names(equations: Sequence[str]) -> tuple[str, ...]:
    """Kushman and MAWPS name unknowns by words (`red_hats`, `X`): x, y, z … in order of appearance.

    Systems whose names are single small letters keep them.
    """
    names = dict.fromkeys(name for text in equations for name in _NAME.findall(text))
    if len(names) > len(_SHORT_NAMES) or all(len(name) == 1 and name.islower() for name in names):
        return tuple(equations)
    short = dict(zip(names, _SHORT_NAMES, strict=False))
    return tuple(_NAME.sub(lambda match: short[match[0]], text) for text in equations)


def split_products(equations: Sequence[str]) -> list[str]:
    """Dolphin writes `xy` for a product: a word whose letters are all unknowns of the system.

    >>> split_products(["x+y=7", "xy=12"])
    ['x+y=7', 'x*y=12']
    """
    letters = {name for text in equations for name in _NAME.findall(text) if len(name) == 1}
    return [
        _NAME.sub(lambda match: "*".join(match[0]) if set(match[0]) <= letters else match[0], text)
        for text in equations
    ]


def prefix_to_infix(text: str) -> str:
    """The MAWPS + ASDiv-A + SVAMP files write `- + 81 33 27`.

    >>> prefix_to_infix("- + 81 33 27")
    '((81+33)-27)'
    """
    stack: list[str] = []
    for token in reversed(text.split()):
        if token in _OPERATORS and len(stack) > 1:
            stack.append(f"({stack.pop()}{token}{stack.pop()})")
        else:
            stack.append(token)
    return " ".join(reversed(stack))


def formula_equations(formula: str) -> list[str]:
    """ASDiv's formula: definitions of unknowns, then equations; or steps of which the last gives the answer.

    >>> formula_equations("84/7=12")
    ['x=84/7']
    >>> formula_equations("n: the number; 2n+3=11")
    ['2n+3=11']
    >>> formula_equations("41+52=93; 93*3=279")
    ['x=(41+52)*3']
    """
    if _COMPARISON.search(formula):  # asks which is more; the answer is a name
        return []
    kept = [part for part in split_system(formula) if not _DEFINITION.match(part) and not _REMARK.search(part)]
    parts = [drop_bracketed_units(part) for part in kept]
    steps = [(left.strip(), right.strip()) for left, _, right in (part.partition("=") for part in parts)]
    if not parts or any(_NAME.search(left) for left, _ in steps):
        return parts
    return [f"x={inline_steps(steps)}"]


def drop_bracketed_units(text: str) -> str:
    """ASDiv notes units inside its formulas.

    >>> drop_bracketed_units("7*24 (hour/day) + 11 (hour)")
    '7*24 + 11'
    """
    return _BRACKETED_UNIT.sub("", text)


def inline_steps(steps: Sequence[tuple[str, str]]) -> str:
    """The last step's expression, with the results of earlier steps replaced by how they were computed.

    >>> inline_steps([("39+56", "95"), ("231-95", "136")])
    '231-(39+56)'
    """
    computed: dict[Fraction, str] = {}
    expression = ""
    for expression_written, result in steps:
        expression = "".join(_replaced(token, computed) for token in _TOKEN.findall(expression_written))
        if re.fullmatch(r"\d+(?:\.\d+)?", result):
            computed[Fraction(result)] = f"({expression})"
    return expression


def dolphin_equations(lines: Iterable[str]) -> list[str]:
    """Dolphin's `unkn:` and `equ:` lines.

    Constraints (`x > 0`, `is_int(x)`) are left out; an expression that is asked for gets its own equation.

    >>> dolphin_equations(["unkn: n,n+1", "equ: n + (n+1) = 7", "equ: n > 0"])
    ['n + (n+1) = 7', 'x=n+1']
    """
    asked: list[str] = []
    equations: list[str] = []
    for line in lines:
        kind, _, text = line.strip().partition(":")
        if kind == "unkn":
            asked += [part.strip() for part in re.split("[,;]", text) if part.strip()]
        elif kind == "equ" and not _CONSTRAINT.search(text):
            equations.append(text.strip())
    used = {name for text in [*equations, *asked] for name in _NAME.findall(text)}
    fresh = [name for name in _SHORT_NAMES if name not in used]
    expressions = [text for text in asked if not _NAME.fullmatch(text)]
    return equations + [f"{name}={text}" for name, text in zip(fresh, expressions, strict=False) if equations]


def _replaced(token: str, computed: dict[Fraction, str]) -> str:
    if re.fullmatch(r"\d+(?:\.\d+)?", token):
        return computed.get(Fraction(token), token)
    return token
