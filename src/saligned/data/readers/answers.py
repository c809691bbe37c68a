"""A gold answer as data sets write it → exact values."""

import re
from fractions import Fraction

from saligned.errors import NotationError
from saligned.problem import Failure
from saligned.symbolic.expression import evaluate
from saligned.symbolic.notation import parse_expression
from saligned.symbolic.numbers import read_number

_ALTERNATIVES = re.compile(r"\bor\b|\|")
_NAME = re.compile(r"^\s*[A-Za-z]\s*=")
_UNDERSCORE_MIXED = re.compile(r"^(\d+)_(\d+/\d+)$")
_UNIT = re.compile(
    r"""\s*\([^()\d]*[^\W\d][^()]*\)$   # 13 (kites)
      | \s+[A-Za-z][\w ./^-]*$         # 23 km/hour
      | (?<=\d)(?:st|nd|rd|th)$        # 9th
      | °$ | (?<=\d)[一-鿿]+$           # 37°, 4分
    """,
    re.VERBOSE,
)
_LONGEST = 200  # characters; the longest real answer has 150


def read_answers(value: object) -> tuple[Fraction, ...]:
    """The values of an answer field: one number, a list, or a string that lists several.

    Of alternatives ("31 or 57", "29/8 | 3.625") the first counts. An unreadable value is a
    `NotationError`.

    >>> read_answers("{31; 57} or {-57; -31}")
    (Fraction(31, 1), Fraction(57, 1))
    >>> read_answers([2.5, "3"])
    (Fraction(5, 2), Fraction(3, 1))
    """
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(answer for item in value for answer in read_answers(item))
    if isinstance(value, str):
        first = _ALTERNATIVES.split(value, maxsplit=1)[0].strip().strip("{}")
        return tuple(read_answer(part) for part in first.split(";") if part.strip())
    return (_from_json_number(value),)


def read_answer(text: str) -> Fraction:
    """One value, with whatever a data set writes around it.

    >>> [str(read_answer(form)) for form in ("5((3)/(8))", "22.5%", "13 (kites)", "$2,460", "651/7")]
    ['43/8', '9/40', '13', '2460', '93']
    """
    if len(text) > _LONGEST:
        raise NotationError(f"an answer of {len(text)} characters")
    written = _NAME.sub("", text.strip()).strip().lstrip("$").replace("﹪", "%")
    written = _UNDERSCORE_MIXED.sub(r"\1(\2)", written)
    for form in dict.fromkeys((written, drop_unit(written))):
        value = _value(form)
        if value is not None:
            return value
    raise NotationError(f"the answer {text!r} is no number")


def drop_unit(text: str) -> str:
    """ASDiv and Dolphin name the unit behind the number.

    >>> [drop_unit(text) for text in ("13 (kites)", "23 km/hour", "9th", "37°", "4分", "2x")]
    ['13', '23', '9', '37', '4', '2x']
    """
    return _UNIT.sub("", text).strip()


def _value(form: str) -> Fraction | None:
    """A number, or the value of an expression of numbers (Ape210K: `231/(1-30%)`)."""
    try:
        return read_number(form)
    except NotationError:
        pass
    try:
        value = evaluate(parse_expression(form))
    except NotationError:
        return None
    return None if isinstance(value, Failure) else value


def _from_json_number(value: object) -> Fraction:
    """By way of its shortest decimal form: 0.1 means 1/10, not the nearest binary number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return Fraction(str(value))
        except ValueError as error:  # NaN and Infinity, which Python's JSON accepts
            raise NotationError(f"the answer {value!r} is no number") from error
    raise NotationError(f"the answer is a {type(value).__name__}")
