"""Written numbers ↔ exact fractions: the one place where `12.5%` becomes 1/8.

| written                        | value |        | written                        | value |
|--------------------------------|-------|--------|--------------------------------|-------|
| `12`, `-3`, `1,200`, `１２`    | as is |        | `2/5`, `(2/5)`, `((2)/(5))`    | 2/5   |
| `0.5`, `.5`, `1.5E-3`          | exact |        | `1(3/4)`, `1((3)/(4))`, `1 3/4` | 7/4  |
| `12.5%`                        | 1/8   |        | anything else                  | NotationError |
"""

import re
from fractions import Fraction

from saligned.errors import NotationError

__all__ = ["INTEGER", "PLAIN", "fold_width", "format_number", "read_number", "tidy_form"]

MAX_DIGITS = 400  # longer strings of digits are no quantities, and Python refuses 4,300
MAX_EXPONENT = 300  # 1e300 still is a float
MAX_DECIMALS = 12  # beyond this a terminating decimal is harder to read than the fraction

INTEGER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
PLAIN = rf"(?:{INTEGER}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?"
_RATIO = (
    rf"(?P<left>\()?(?P<numerator>{INTEGER})(?(left)\))\s*/\s*"
    rf"(?P<right>\()?(?P<denominator>{INTEGER})(?(right)\))"
)
_LITERAL = re.compile(rf"(?P<plain>{PLAIN})|(?:(?P<whole>{INTEGER})(?:\s+|\s*(?P<open>\()\s*))?{_RATIO}(?(open)\s*\))")

_WIDE = "０１２３４５６７８９％（）［］｛｝／＋－−＝＊＾"
_NARROW = "0123456789%()[]{}/+--=*^"
_FOLD = str.maketrans(_WIDE, _NARROW)
_WIDE_POINT = re.compile(r"(?<=[0-9])．(?=[0-9])")


def fold_width(text: str) -> str:
    """Full-width digits and signs as ASCII, one character for one character, so that spans keep.

    `．` becomes a decimal point only between two digits, because it also ends sentences. `，` stays: in a
    text it separates clauses more often than thousands. `×` and `÷` stay: `3÷5` is a division, whereas `3/5`
    may be a fraction.

    >>> fold_width("买３．５千克，付（２／５）．")
    '买3.5千克，付(2/5)．'
    """
    return _WIDE_POINT.sub(".", text.translate(_FOLD))


def read_number(text: str) -> Fraction:
    """The exact value of one written number.

    >>> read_number("12.5%"), read_number("1((3)/(4))"), read_number("-1,200")
    (Fraction(1, 8), Fraction(7, 4), Fraction(-1200, 1))
    """
    sign, literal = _match(text)
    value = _plain_value(literal["plain"]) if literal["plain"] else _ratio_value(literal)
    return sign * value


def tidy_form(text: str) -> str:
    """A written number as the notation writes it: no separators, a fraction in brackets.

    >>> tidy_form("1,200"), tidy_form("2/5"), tidy_form("１２％"), tidy_form("-1((3)/(4))")
    ('1200', '(2/5)', '12%', '-1(3/4)')
    """
    sign, literal = _match(text)
    minus = "-" if sign < 0 else ""
    if literal["plain"]:
        return minus + literal["plain"].replace(",", "")
    ratio = f"{literal['numerator']}/{literal['denominator']}".replace(",", "")
    if literal["whole"]:
        return f"{minus}{literal['whole']}({ratio})".replace(",", "")
    return f"({minus}{ratio})"


def format_number(value: Fraction) -> str:
    """An exact string: an integer, a decimal of at most 12 places, or a fraction.

    >>> format_number(Fraction(11, 4)), format_number(Fraction(-5, 12)), format_number(Fraction(13))
    ('2.75', '-5/12', '13')
    """
    places = _decimal_places(value.denominator)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits


def _match(text: str) -> tuple[int, re.Match[str]]:
    """The sign, and the literal inside any number of brackets around it."""
    rest, sign, signed = fold_width(text).replace("，", ",").replace("．", ".").strip(), 1, False
    if len(rest) > MAX_DIGITS:
        raise NotationError(f"a number of {len(rest)} characters; {MAX_DIGITS} are the most")
    while not (literal := _LITERAL.fullmatch(rest)):
        if rest[:1] in {"-", "+"} and rest and not signed:
            sign, signed, rest = (-1 if rest[0] == "-" else 1), True, rest[1:].lstrip()
        elif rest.startswith("(") and rest.endswith(")"):
            rest = rest[1:-1].strip()
        else:
            raise NotationError(f"{text.strip()!r} is not a number such as 12, 0.5, 25%, 2/5 or 1(3/4)")
    return sign, literal


def _plain_value(plain: str) -> Fraction:
    """The value of digits with an optional point, exponent and percent sign."""
    digits = plain.replace(",", "").removesuffix("%").lower()
    _, _, exponent = digits.partition("e")
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        raise NotationError(f"the exponent of {plain!r} is beyond {MAX_EXPONENT}")
    return Fraction(digits) / (100 if plain.endswith("%") else 1)


def _ratio_value(literal: re.Match[str]) -> Fraction:
    """The value of a fraction or a mixed number."""
    numerator, denominator = (int(literal[part].replace(",", "")) for part in ("numerator", "denominator"))
    if not denominator:
        raise NotationError(f"{literal[0]!r} divides by zero")
    if not literal["whole"]:
        return Fraction(numerator, denominator)
    if numerator >= denominator:
        raise NotationError(f"{literal[0]!r} is no mixed number: its fraction is not below 1")
    return int(literal["whole"].replace(",", "")) + Fraction(numerator, denominator)


def _decimal_places(denominator: int) -> int | None:
    """How many decimals a fraction with this denominator needs, None when too many."""
    for places in range(MAX_DECIMALS + 1):
        if 10**places % denominator == 0:
            return places
    return None
