"""Numbers written in words: Chinese numerals and English number words → exact fractions.

These functions only read; whether a numeral *is* a quantity of its text is decided in `quantities`.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["ENGLISH", "NUMBER_WORD", "NUMERAL_RUN", "EnglishNumber", "read_chinese", "read_english"]

MAX_NUMERAL = 24  # characters; 99,999,999 needs 15, and a longer run is no number anybody writes

_DIGITS = {c: v for v, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE = (("亿", 10**8), ("万", 10**4))
_POWERS = {"百": 100, "千": 1000, "万": 10_000}  # as denominators they need no digit: 百分之五

# 千 before these is part of the unit (三千克 is 3 kg), as it always is after digits (25千克).
NUMERAL_RUN = r"(?:[零〇一二两三四五六七八九十百万亿]|千(?![克米瓦]))++"


def read_chinese(form: str) -> Fraction | None:
    """The value of a Chinese numeral, None when it is not one.

    >>> [str(read_chinese(form)) for form in ("三百二十", "一百零五", "三点五", "三分之一", "百分之二十")]
    ['320', '105', '7/2', '1/3', '1/5']
    >>> [read_chinese(form) for form in ("三四", "二〇〇八", "百")]  # about 3 or 4, a year, a syllable
    [None, None, None]
    """
    if len(form) > MAX_NUMERAL:
        return None
    if "分之" in form:
        return _read_ratio(form)
    if form == "半":
        return Fraction(1, 2)
    whole, _, decimals = form.partition("点")
    value = _read_integer(whole)
    if value is None or not decimals:
        return None if value is None else Fraction(value)
    if any(c not in _DIGITS for c in decimals):
        return None
    return Fraction(f"{value}.{''.join(str(_DIGITS[c]) for c in decimals)}")


def _read_ratio(form: str) -> Fraction | None:
    """`三分之一`, `百分之三点五`, `一又二分之一`."""
    whole, _, ratio = form.rpartition("又")
    below, _, above = ratio.partition("分之")
    numerator, denominator = read_chinese(above), _POWERS.get(below) or _read_integer(below)
    units = _read_integer(whole) if whole else 0
    if numerator is None or units is None or not denominator:
        return None
    return units + numerator / denominator


def _read_integer(form: str, shorthand: int = 1) -> int | None:
    """An integer; a single last digit counts `shorthand`, which is how 两万三 means 23,000."""
    for name, unit in _LARGE:
        if name in form:
            left, _, right = form.partition(name)
            high, low = _read_integer(left), _read_integer(right, unit // 10) if right else 0
            if not high or low is None or low >= unit:
                return None
            return high * unit + low
    return _read_section(form, shorthand)


def _read_section(form: str, shorthand: int) -> int | None:
    """An integer below 10,000: digits and units that fall from 千 to 十."""
    if form in {"零", "〇"}:
        return 0
    total, above, digit = 0, 10_000, None
    for place, character in enumerate(form):
        if character in _UNITS:
            unit = _UNITS[character]
            if unit >= above or (digit is None and unit > 10) or digit == 0:
                return None
            total, above, digit, shorthand = total + (digit or 1) * unit, unit, None, unit // 10
        elif digit or (character == "两" and 0 < place == len(form) - 1):
            return None  # two digits in a row; 十两 is a weight
        else:
            digit = _DIGITS[character]
            shorthand = shorthand if digit else 1
            shorthand = 1 if place and form[place - 1] in "零〇" else shorthand
    if digit == 0 or not form:
        return None
    return total + (digit or 0) * shorthand


_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SMALL = {word: value for value, word in enumerate((_ONES + " seventeen eighteen nineteen").split())}
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), 2)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_ORDINALS = "third fourth fifth sixth seventh eighth ninth tenth"
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    ordinal + plural: value for value, ordinal in enumerate(_ORDINALS.split(), 3) for plural in ("", "s")
}
# Words that are a quantity by themselves; the encoder sees the word, not a number sign.
LONE_WORDS = {
    **dict.fromkeys(("half", "halves"), Fraction(1, 2)),
    **dict.fromkeys(("quarter", "quarters"), Fraction(1, 4)),
    **dict.fromkeys(("twice", "double", "doubled"), Fraction(2)),
    **dict.fromkeys(("thrice", "triple", "tripled"), Fraction(3)),
    **dict.fromkeys(("dozen", "dozens"), Fraction(12)),
}
_ARTICLE = r"an?(?=\s(?:hundred|thousand|million|billion)\b)|and\sa(?=\s(?:half|quarter)\b)"
_WORD = "|".join(sorted({*_SMALL, *_TENS, *_SCALES, *_PARTS, *LONE_WORDS, "hundred"}, key=len, reverse=True))
_ONE = rf"(?:{_ARTICLE}|(?:and\s)?(?:{_WORD}))(?![A-Za-z])"
ENGLISH = rf"(?<![A-Za-z0-9])(?!and\s)(?:{_ONE})(?:[\s-](?:{_ONE}))*"
NUMBER_WORD = re.compile(rf"\b(?:{_WORD})\b", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class EnglishNumber:
    """A number inside a run of number words, with its span in the run."""

    value: Fraction
    start: int
    end: int


def read_english(run: str) -> list[EnglishNumber]:
    """The numbers of a run of number words, as long as possible each.

    >>> [str(number.value) for number in read_english("three hundred and five")]
    ['305']
    >>> [str(number.value) for number in read_english("two dozen")]
    ['2', '12']
    """
    tokens = list(_TOKEN.finditer(run.lower()))
    words = [token[0] for token in tokens]
    numbers, place = [], 0
    while place < len(words):
        value, after = _read_number_at(words, place)
        if value is not None:
            numbers.append(EnglishNumber(value, tokens[place].start(), tokens[after - 1].end()))
        place = max(after, place + 1)
    return numbers


def _read_number_at(words: list[str], place: int) -> tuple[Fraction | None, int]:
    """The longest number that begins at a place, and the place after it."""
    cardinal, after = _read_cardinal(words, place)
    if after == place:
        lone = LONE_WORDS.get(words[place])
        return lone, place + 1
    rest = words[after : after + 3]
    if rest and (part := _PARTS.get(rest[0])) and 0 < cardinal < part:
        return Fraction(cardinal, part), after + 1
    if rest[:2] == ["and", "a"] and rest[2:] and rest[2] in {"half", "quarter"}:
        return cardinal + LONE_WORDS[rest[2]], after + 3
    return Fraction(cardinal), after


def _read_cardinal(words: list[str], start: int) -> tuple[int, int]:
    """A cardinal number and the place after it.

    `limit` is what the next word must stay below: twenty-five is one number, five six are two.
    """
    total = section = 0
    limit, scale, place = 1000, 10**12, start
    while place < len(words):
        joined = words[place] == "and" and place > start and section + total > 0
        at = place + joined
        word = words[at] if at < len(words) else ""
        value = _SMALL.get(word, _TENS.get(word))
        if joined and (section % 100 or value is None):
            break  # "and" joins only after a hundred or a thousand
        if word in {"a", "an"} and place == start:
            section, limit = 1, 10
        elif value is not None and value < limit and (value or place == start):
            section, limit = section + value, (10 if word in _TENS else 1)
        elif word == "hundred" and 0 < section < 100 and place > start:
            section, limit = section * 100, 100
        elif word in _SCALES and section > 0 and _SCALES[word] < scale:
            scale = _SCALES[word]
            total, section, limit = total + section * scale, 0, 1000
        else:
            break
        place = at + 1
    return total + section, place
