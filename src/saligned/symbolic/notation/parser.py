"""Text → expression trees, by precedence climbing.

    equation   = expression "=" expression
    expression = operand (("+" | "-" | "*" | "/" | "÷" | "^" | nothing) operand)*
    operand    = ("-" | "+") operand | number | fraction | name | "(" expression ")"

`^` binds most and to the right, then the sign, then `* / ÷` and "nothing" (as in `2x`, `3(x+1)`), then `+ -`.
A bracketed ratio of two integers, `(2/5)`, is one number, as in the texts of Math23K; every other `/`, and
every `÷`, is a division. `1(3/4)` is a mixed number. `pi` and `π` are the school's 3.14.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from saligned.errors import NotationError
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown
from saligned.symbolic.numbers import INTEGER, PLAIN, fold_width, read_number, tidy_form

PI = Fraction("3.14")
MAX_LENGTH = 2_000  # characters; the longest equation of Math23K has fewer than 200
MAX_NESTING = 120  # brackets, signs and right operands inside each other: up to three Python frames each
MAX_DEPTH = 150  # of the tree, so that no recursion over it meets Python's limit of 1,000 frames

PRECEDENCE = {
    Operator.ADD: 1,
    Operator.SUBTRACT: 1,
    Operator.MULTIPLY: 2,
    Operator.DIVIDE: 2,
    Operator.POWER: 4,
}
_SIGN_PRECEDENCE = 3
_SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("[{", "("),
        **dict.fromkeys("]}", ")"),
        **dict.fromkeys("×·∙⋅✕", "*"),
        **dict.fromkeys("–—﹣", "-"),
        "，": ",",
        "²": "^2",
        "³": "^3",
        **{chr(0xFEE0 + ord(letter)): letter for letter in "abcdefghijklmnopqrstuvwxyz_"},
        **{chr(0xFEE0 + ord(letter)): letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    }
)
_LETTER = r"A-Za-z_\u0391-\u03c9\u4e00-\u9fff"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<mixed>    {INTEGER}\s*\(\s*(?:[0-9]+\s*/\s*[0-9]+|\([0-9]+\)/\([0-9]+\))\s*\))
    | (?P<fraction> \(\s*-?\s*[0-9]+\s*/\s*[0-9]+\s*\))
    | (?P<number>   {PLAIN})
    | (?P<name>     [{_LETTER}][{_LETTER}0-9]*)
    | (?P<symbol>   \*\*|[-+*/÷^()])
    )""",
    re.VERBOSE,
)
_END = ("end", "")


def parse_expression(text: str) -> Expression:
    """The tree of a written expression.

    >>> parse_expression("(2/5)")
    Number(value=Fraction(2, 5), form='2/5')
    """
    return _Parser(text, _tokens(text)).parse()


def parse_equation(text: str) -> Equation:
    """The two trees of a written equation."""
    sides = text.replace("＝", "=").split("=")
    if len(sides) != 2:
        raise NotationError(f"{_excerpt(text)} has {len(sides) - 1} signs `=`; an equation has one")
    return Equation(parse_expression(sides[0]), parse_expression(sides[1]))


def _tokens(text: str) -> list[tuple[str, str]]:
    """The kinds and spellings of a text's tokens."""
    if len(text) > MAX_LENGTH:
        raise NotationError(f"an expression of {len(text)} characters; {MAX_LENGTH} are the most")
    rest = fold_width(text).translate(_SPELLINGS).strip()
    tokens: list[tuple[str, str]] = []
    position = 0
    while position < len(rest):
        match = _TOKEN.match(rest, position)
        if not match or not match.lastgroup:
            raise NotationError(f"{rest[position:].strip()[:1]!r} cannot stand in an expression: {_excerpt(text)}")
        tokens.extend(_split_improper(match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return tokens


def _split_improper(kind: str, form: str) -> list[tuple[str, str]]:
    """What only looks like one number: the division `(2/0)`, the product `5(7/2)`."""
    try:
        if kind in {"mixed", "fraction"}:
            read_number(form)
    except NotationError:
        if kind == "mixed":
            whole, _, fraction = form.partition("(")
            return [("number", whole.strip()), *_split_improper("fraction", f"({fraction}")]
        parts = re.findall(r"[0-9]+|\S", form)
        return [("number" if part[0].isdigit() else "symbol", part) for part in parts]
    return [(kind, form)]


@dataclass
class _Parser:
    """A cursor over the tokens."""

    text: str
    tokens: list[tuple[str, str]]
    position: int = 0
    nesting: int = 0

    def parse(self) -> Expression:
        tree = self.expression(0)
        if self.next != _END:
            problem = "no bracket is open" if self.next[1] == ")" else "an operator is missing"
            raise NotationError(f"{problem} before {self.next[1]!r}: {_excerpt(self.text)}")
        _check_depth(tree)
        return tree

    @property
    def next(self) -> tuple[str, str]:
        return self.tokens[self.position] if self.position < len(self.tokens) else _END

    def expression(self, floor: int) -> Expression:
        """Operands joined by operators that bind more than `floor`."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise NotationError(f"more than {MAX_NESTING} parts inside each other: {_excerpt(self.text)}")
        tree = self.operand()
        while (operator := self.operator()) and PRECEDENCE[operator] > floor:
            if self.next[1] in _OPERATORS:
                self.position += 1
            right_associative = operator is Operator.POWER
            tree = Operation(operator, tree, self.expression(PRECEDENCE[operator] - right_associative))
        self.nesting -= 1
        return tree

    def operator(self) -> Operator | None:
        """The operator that comes next, written or implied."""
        kind, form = self.next
        if kind == "symbol" and form in _OPERATORS:
            return _OPERATORS[form]
        follows_name = self.tokens[self.position - 1][0] == "name"
        if form == "(" or kind == "fraction" or (kind == "name" and not follows_name):
            return Operator.MULTIPLY
        return None

    def operand(self) -> Expression:
        kind, form = self.next
        self.position += 1
        if kind in {"number", "fraction", "mixed"}:
            written = tidy_form(form)
            return Number(read_number(form), written.strip("()") if kind == "fraction" else written)
        if kind == "name":
            return Number(PI, "π") if form in {"pi", "π"} else Unknown(form)
        if form == "(":
            return self.bracketed()
        if form in {"-", "+"}:
            return self.signed(form)
        found = repr(form) if form else "the end"
        raise NotationError(f"a number, name or bracket is missing before {found}: {_excerpt(self.text)}")

    def bracketed(self) -> Expression:
        tree = self.expression(0)
        if self.next[1] != ")":
            raise NotationError(f"a bracket is not closed: {_excerpt(self.text)}")
        self.position += 1
        return tree

    def signed(self, sign: str) -> Expression:
        """A sign makes a literal negative; before anything else it is a multiplication by -1."""
        literal = self.next[0] in {"number", "fraction", "mixed"}
        tree = self.expression(_SIGN_PRECEDENCE)
        if sign == "+":
            return tree
        if literal and isinstance(tree, Number):
            return Number(-tree.value, f"-{tree.form}")
        return Operation(Operator.MULTIPLY, Number(Fraction(-1)), tree)


_OPERATORS = {operator.value: operator for operator in Operator} | {
    "**": Operator.POWER,
    "÷": Operator.DIVIDE,
}


def _check_depth(tree: Expression) -> None:
    level: list[Expression] = [tree]
    depth = 0
    while level := [side for node in level if isinstance(node, Operation) for side in (node.left, node.right)]:
        depth += 1
        if depth > MAX_DEPTH:
            raise NotationError(f"more than {MAX_DEPTH} operations inside each other")


def _excerpt(text: str) -> str:
    """The text, shortened for a message."""
    return repr(text if len(text) <= 60 else text[:60] + "…")
