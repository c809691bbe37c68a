"""Answers that cannot be right whatever the problem says: fewer than no people, half a child, metres plus kilometres.

Measured on the 1,000 public validation problems of Math23K (zh-char, zh-word, beam 5) and on 3,000 validation
problems of Ape210K (zh-char): how many answers are wrong, of the likeliest answers on which a signal fires.

| signal               | zh-char  | zh-word  | Ape210K    |
|----------------------|----------|----------|------------|
| negative             | 32 of 32 | 38 of 38 | 186 of 186 |
| not whole            | 25 of 25 | 24 of 24 | 83 of 85   |
| a multiple below one | 2 of 2   |          | 7 of 7     |

Mixed units are found by `measures`, which also mends most of them. Of the 21,162 gold answers of Math23K's training
problems 0, 17 and 3 would fire the signals of the table. Left out, because the answer was too often right: a share
above 1 (wrong in 3 of 4), days that are not whole (6 of 7), more left than there was (0 of 2), an average above all
numbers (8 of 32), an answer of 0 (48 of 51, but taking another answer then only lost).
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from saligned.symbolic.solving import Answer, as_float
from saligned.text.units import asked_unit, asks_percent

__all__ = ["Signal", "find_signals"]


class Signal(StrEnum):
    """What is odd about an answer."""

    NEGATIVE = "the answer is negative"
    NOT_WHOLE = "the answer is no whole number, but things are counted"
    BELOW_ONE = "the answer is less than one, but a multiple is asked for"
    MIXED_UNITS = "units of different size are mixed and not converted"  # see `measures`


# Measure words of which at most 2.5 % of the gold answers in Math23K's training problems are not whole; people first.
_COUNTED = frozenset("人名位户个只本张棵页件种辆朵台套盆根条支枝组头册枚颗双株粒题座面幅次字箱袋筐盒包瓶行级层场班顶排")
_PEOPLE = re.compile("people|persons|children|students|pupils|kids|boys|girls|men|women|adults|teachers", re.IGNORECASE)
_MULTIPLE = "倍"
_SHARE = re.compile("分之(?:几|多少)")
# Where a number may well be negative: temperatures, calculations, riddles about numbers.
_SIGNED = re.compile(
    r"负|零下|温度|气温|[=＝]|整数|这个?数|negative|below zero|temperature|\bnumber|integer", re.IGNORECASE
)


def find_signals(text: str, answers: Sequence[Answer]) -> tuple[Signal, ...]:
    """The signals that an answer fires; an unremarkable answer costs no look at the text.

    >>> find_signals("每车坐4人，30人要几辆车？", [Fraction(15, 2)])
    (<Signal.NOT_WHOLE: 'the answer is no whole number, but things are counted'>,)
    >>> find_signals("30人要几小时？", [Fraction(15, 2)])
    ()
    """
    values = [as_float(answer) for answer in answers]
    signals = []
    if min(values) < 0 and not _SIGNED.search(text):
        signals.append(Signal.NEGATIVE)
    if not all(map(_is_whole, answers)) and _counts(text):
        signals.append(Signal.NOT_WHOLE)
    if min(values) < 1 and asked_unit(text) == _MULTIPLE:
        signals.append(Signal.BELOW_ONE)
    return tuple(signals)


def _is_whole(answer: Answer) -> bool:
    return isinstance(answer, Fraction) and answer.denominator == 1


def _counts(text: str) -> bool:
    """Whether the question asks how many people or things there are."""
    unit = asked_unit(text)
    counted = unit in _COUNTED or _PEOPLE.fullmatch(unit) is not None
    return counted and not asks_percent(text) and not _SHARE.search(text)
