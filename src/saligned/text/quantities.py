"""The quantities of a text, with their exact values and their spans.

| written                               | value           | not a quantity                      |
|---------------------------------------|-----------------|-------------------------------------|
| `12`, `0.5`, `1,200`, `１２`, `3cm`   | as is, unsigned | the minus of `3-2`; `A4`, `No.1`    |
| `12.5%`, `2/5`, `(2/5)`, `1(3/4)`     | exact fractions | `7/2`, `1/4+2`, `2/0`: two integers |
| `1.5万`, `3亿`                        | 15000, 3·10⁸    |                                     |
| 三百二十, 三点五, 三分之一            | exact           | 三四, 二〇〇八, 三十几, 十二月      |
| 三个, 十米, 二吨: before a measure    | 3, 10, 2        | 第三, 三年级, 三班, 三角形, 星期三  |
| 两, 半                                | 2, 1/2          | 甲、乙两地; 半径, 半圆, 上半        |
| 八折, 八五折, `8.5`折                 | 4/5, 17/20      | 三折叠                              |
|                                       |                 | 一 alone (1 is a constant), 零, 双  |
| twenty-five, two thirds, half, twice  | exact           | one alone, the two, both, second    |

Why each class is in or out is in docs/quantities.md, with the figures.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from saligned.errors import NotationError
from saligned.problem import Quantity
from saligned.symbolic.numbers import fold_width, read_number
from saligned.text.numerals import ENGLISH, NUMERAL_RUN, read_chinese, read_english

__all__ = ["find_quantities"]

MAX_FORM = 40  # characters; a longer string of digits is no quantity and is skipped whole

_INTEGER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]++)"
_PLAIN = rf"(?:{_INTEGER}(?:\.[0-9]++)?|(?<![^\s$¥(])\.[0-9]++)"
_RATIO = r"\((?:\([0-9]++\)|[0-9]++)/(?:\([0-9]++\)|[0-9]++)\)"
_BARE_RATIO = r"[0-9]++/[0-9]++(?![./][0-9]|\s?%)"
_CHINESE = (
    rf"百分之(?:{NUMERAL_RUN}(?:点[零一二三四五六七八九]++)?)|(?:{NUMERAL_RUN}又)?{NUMERAL_RUN}分之{NUMERAL_RUN}"
    rf"|{NUMERAL_RUN}点[零〇一二三四五六七八九]++(?![十分钟])|{NUMERAL_RUN}|半"
)
# The order matters: the first alternative that matches at a place is taken.
_SCANNER = re.compile(
    r"(?=[0-9A-Za-z(.半零〇一二两三四五六七八九十百千万亿])(?:"
    rf"(?P<label>(?<![A-Za-z])(?:[Nn]o\.\s?[0-9]++|[A-Za-z]++[0-9]++[A-Za-z0-9]*+))"
    rf"|(?P<mixed>[0-9]++又?{_RATIO}|[0-9]++[又 ]{_BARE_RATIO})"
    rf"|(?P<fraction>{_RATIO}|(?<!/){_BARE_RATIO}|(?P<below>[0-9]++)分之(?P<above>[0-9]++))"
    rf"|(?P<percent>百分之{_PLAIN}|{_PLAIN}(?:\s?%|\s(?i:percent)\b))"
    rf"|(?P<discount>(?:[一二三四五六七八九]{{1,2}}|[一二三四五六七八九]点[一二三四五六七八九]|{_PLAIN})(?=折(?![叠线断返纸页])))"
    rf"|(?P<myriad>{_PLAIN}(?:[十百千]?[万亿]|万亿))"
    rf"|(?P<plain>{_PLAIN})"
    rf"|(?P<numeral>{_CHINESE})"
    rf"|(?P<word>(?i:{ENGLISH})))",
)
_FALLBACK = re.compile(_PLAIN)
_OPERATORS = frozenset("+-*/×÷=")
_QUOTIENT = re.compile(r"的?商|与[^，,。]{1,8}的[和差积]")
_CHINESE_DIGITS = "零一二三四五六七八九"
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}

# What may follow 二…九 and 十 as a count. 小/公/平/立/毫/厘 only as the first half of a unit.
_MEASURE = re.compile(
    r"小时|公[里斤顷分]|平方|立方|毫[米升克]|厘米|分[钟米之]|千[米克瓦]|年(?!级)|周(?!长|围)"
    r"|[个只条本张人名位辆块件支枝米元天秒吨升段根棵头匹袋箱包盒桶瓶杯次层队组份种车站座间家套副对排行列岁倍斤克页题道"
    r"所艘架台户幢栋串筐篮堆批]"
)
_NAMED = re.compile(r"年级|班|[月日号](?!子)")  # 十二月, 十二班: names, not counts
_NAMING = ("第", "初", "星期", "礼拜")  # not 期 alone: 定期三年 counts
_LIST_END = re.compile(r"[甲乙丙丁A-Za-z]$|[、和与及][^，。；,.\s]{1,4}$")


def find_quantities(text: str, *, myriads: bool = True) -> tuple[Quantity, ...]:
    """The quantities in text order; they do not overlap.

    `myriads=False` reads `20万` as 20 with 万 left to the text, as the equations of the data sets do.

    >>> [str(q.value) for q in find_quantities("一根绳子长12.5米，第一次用去(2/5)，两次一共用去三分之二")]
    ['25/2', '2/5', '2', '2/3']
    """
    return tuple(_scan(text, myriads))


def _scan(text: str, myriads: bool) -> Iterator[Quantity]:
    folded, place = fold_width(text), 0
    while match := _SCANNER.search(folded, place):
        place = match.end()
        kind = match.lastgroup or ""
        kind = "fraction" if kind in {"below", "above"} else kind
        if kind == "word":
            yield from _words(text, folded, match)
        elif kind == "numeral":
            value = read_chinese(match[0])
            if value is not None and _counts(folded, match):
                yield _quantity(text, value, match.span(), "numeral")
        elif kind == "discount":
            yield _quantity(text, _discount(match[0]), match.span(), "decimal")
        elif kind != "label" and len(match[0]) <= MAX_FORM:
            found = _digits(text, match, kind, myriads)
            place = found.end
            yield found


def _quantity(text: str, value: Fraction, span: tuple[int, int], kind: str) -> Quantity:
    return Quantity(value, text[span[0] : span[1]], span[0], span[1], kind)


def _digits(text: str, match: re.Match[str], kind: str, myriads: bool) -> Quantity:
    """A number written with digits; what only looks like a fraction (2/0, 5(7/4)) gives its first number."""
    form = match[0]
    try:
        if kind == "fraction" and match["below"]:
            return _quantity(text, read_number(f"{match['above']}/{match['below']}"), match.span(), kind)
        if kind == "percent":
            value = read_number(re.sub(r"百分之|\s|%|percent", "", form, flags=re.IGNORECASE)) / 100
            return _quantity(text, value, match.span(), kind)
        if kind == "mixed" or (kind == "fraction" and (form[0] == "(" or _stands_alone(match))):
            return _quantity(text, read_number(re.sub(r"又(?=\()", "", form).replace("又", " ")), match.span(), kind)
    except NotationError:
        pass  # the fallback below reads the first number alone
    plain = _FALLBACK.search(match.string, match.start())
    assert plain is not None
    value, end = read_number(plain[0]), plain.end()
    if kind == "myriad" and myriads:
        for power in form[len(plain[0]) :]:
            value *= _POWERS[power]
        end = match.end()
    return _quantity(text, value, (plain.start(), end), "decimal" if "." in plain[0] else "integer")


def _discount(form: str) -> Fraction:
    """What a price is multiplied by: 八折 and 8折 are 4/5, 八五折 and 85折 are 17/20; 0.85折 is what it says.

    >>> [str(_discount(form)) for form in ("八", "八五", "八点五", "8.5", "85", "0.85")]
    ['4/5', '17/20', '17/20', '17/20', '17/20', '17/20']
    """
    if form[0] in _CHINESE_DIGITS:
        digits = "".join(str(_CHINESE_DIGITS.index(c)) for c in form if c != "点")
        return Fraction(f"0.{digits}")
    value = read_number(form)
    return value if value < 1 else value / 10 if value < 10 else value / 100


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a bare `a/b` is one number; in a calculation, or with a ≥ b, it is a division of two."""
    above, below = match[0].split("/")
    text, start, end = match.string, match.start(), match.end()
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    calculated = any(sign in _OPERATORS for sign in around) or _QUOTIENT.match(text, end)
    return int(above) < int(below) and not calculated


def _counts(text: str, match: re.Match[str]) -> bool:
    """Whether a Chinese numeral counts something, by what stands around it."""
    form, end = match[0], match.end()
    before, following = text[max(0, match.start() - 5) : match.start()], text[end : end + 1]
    if "分之" in form or "点" in form:
        return True
    if form == "半":
        return not before.endswith(tuple("上下前后大小多")) and following not in {"径", "圆"}
    if before.endswith(_NAMING) or following == "几" or _NAMED.match(text, end):
        return False
    if form[0] == "十" and before.endswith(("几", "数")):  # 数十个: some tens
        return False
    if form == "两":
        return not text.startswith("位数", end) and not _LIST_END.search(before)
    if form in {"一", "零", "〇"} or form + following == "四周":
        return False
    if len(form) == 1 or form == "十一":  # 十一 is also a holiday
        # 三分 is money or marks, but 十分 is "very".
        return _MEASURE.match(text, end) is not None or (following == "分" and form != "十")
    return True


def _words(text: str, folded: str, match: re.Match[str]) -> Iterator[Quantity]:
    """The numbers of a run of English number words, less those that do not count."""
    for number in read_english(match[0]):
        start, end = match.start() + number.start, match.start() + number.end
        form = folded[start:end].lower()
        pointing = form == "two" and re.search(r"\b(?:the|these|those)\s$", folded[max(0, start - 8) : start].lower())
        if form != "one" and not pointing:
            yield _quantity(text, number.value, (start, end), "word")
