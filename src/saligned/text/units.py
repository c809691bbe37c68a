"""Units: the one after a number, and the one that a question asks for, quoted from the text."""

import re
from fractions import Fraction

__all__ = ["Measure", "asked_unit", "asks_percent", "measure", "unit_after"]

# Longer before shorter: 平方米 before 米. A lookahead keeps out words that only begin like a unit: 几分之几,
# 面积, 周长, 时间. 两 is the weight of 50 g only at the end of a clause; elsewhere it is the number 2.
_LENGTHS = "千米|分米|厘米|毫米|纳米|微米|公里|海里|英里|英尺|英寸|米|里(?!面|程)|尺|寸|丈"
_UNIT = (
    rf"(?:平方|立方)(?:{_LENGTHS})|{_LENGTHS}|公顷|公亩|亩|公升|毫升|分升|升|千克|毫克|公斤|克|斤|吨|两(?=[，。？?]|$)"
    r"|千瓦时|千瓦|小时|分钟|秒钟|星期|个月|周年|年(?!级)|月(?!份)|周(?!长|围)|天|日|时(?!间|候)|秒"
    r"|分(?!之|成|别|给|数|析|米|升)|点(?![0-9])|亿元|万元|美元|元|角|人次|人|名|位|户|岁|倍|度"
    r"|面(?!积|包|粉)|部(?!分)|车(?!间|站)|行(?!驶|走|程)|发(?!现)|对(?!应)"
    r"|[个只条本张辆块件支枝根棵株头匹袋箱包盒桶瓶杯次层队组份种站座间家套副双排列页题道所艘架台幢栋串筐篮堆批段节颗粒朵片盆"
    r"筒把顶句字篇圈步级枚幅册场局盘碗壶罐捆卷群窝桌门扇遍趟章滴口班封轮]"
)
_CHINESE_UNIT = re.compile(rf"\s?(?:{_UNIT})(?:[/／每](?:{_UNIT}))?")
_ENGLISH_UNIT = re.compile(
    r"\s?(?:(?:square|cubic)\s)?(?!(?:and|or|of|is|are|was|were|in|on|at|to|more|less|fewer|times|as|for|from|by|the|a)\b)"
    r"[A-Za-z]+",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"(?:多少|(?<!十)几|[（(]\s*[）)]|_{{2,}})(?:个(?!月))?(?P<unit>{_UNIT})")
_ASKED_ENGLISH = re.compile(
    r"\bhow (?:many|much)\s(?:(?:more|less|fewer|other|whole|total)\s)?"
    r"(?P<unit>(?:(?:square|cubic)\s)?[A-Za-z]+)",
    re.IGNORECASE,
)
_NO_UNIT = re.compile(r"(?i:is|are|was|were|do|does|did|can|will|would|should|more|less|in|of|has|have)\b")
_MONEY = re.compile(r"多少钱|几块钱|how much (?:money|does|do|did|will|is)", re.IGNORECASE)
_PERCENT = re.compile(
    r"百分之(?:几|多少)|百分[率比数]|[一-龥]率(?:约|大约)?(?:是|为|达到)?(?:多少|几|[（(]\s*[）)]|[？?。]|$)"
    r"|what percent|percentage",
    re.IGNORECASE,
)


# Kinds of units, each with its size. 分 is left out, which is money, time and marks, and 时, mostly the time of day.
_MEASURES: dict[str, dict[str, int | str]] = {
    "length": {"千米": 1000, "公里": 1000, "米": 1, "分米": "0.1", "厘米": "0.01", "毫米": "0.001"},
    "area": {"平方千米": 10**6, "公顷": 10**4, "平方米": 1, "平方分米": "0.01", "平方厘米": "0.0001"},
    "volume": {"立方米": 1000, "立方分米": 1, "升": 1, "公升": 1, "立方厘米": "0.001", "毫升": "0.001"},
    "weight": {"吨": 1000, "千克": 1, "公斤": 1, "斤": "0.5", "克": "0.001", "毫克": "0.000001"},
    "time": {"小时": 3600, "分钟": 60, "秒": 1, "秒钟": 1},
    "money": {"亿元": 10**8, "万元": 10**4, "元": 1, "角": "0.1"},
}
Measure = tuple[str, Fraction]  # kind and size
_SIZES: dict[str, Measure] = {
    unit: (kind, Fraction(size)) for kind, units in _MEASURES.items() for unit, size in units.items()
}


def measure(unit: str) -> Measure | None:
    """The kind of a unit and its size; None for what is only counted.

    >>> measure("千米"), measure("只")
    (('length', Fraction(1000, 1)), None)
    """
    return _SIZES.get(unit.strip())


def unit_after(text: str, end: int) -> int:
    """Where the unit that follows a quantity ends; `end` itself when none follows.

    >>> text = "走了12千米以后"
    >>> text[4:unit_after(text, 4)]
    '千米'
    """
    for pattern in (_CHINESE_UNIT, _ENGLISH_UNIT):
        if match := pattern.match(text, end):
            return match.end()
    return end


def asks_percent(text: str) -> bool:
    """Whether the answer is wanted as a percentage.

    >>> asks_percent("今天的出勤率是多少？"), asks_percent("便宜了25%，现在卖多少元？")
    (True, False)
    """
    return _PERCENT.search(text) is not None


def asked_unit(text: str) -> str:
    """The unit that the question names, as it is written there; "" when it names none.

    >>> [asked_unit(t) for t in ("长多少平方米？", "要几小时？", "这个数是多少？", "How many pens are left?")]
    ['平方米', '小时', '', 'pens']
    """
    asked = [match["unit"] for match in _ASKED.finditer(text)]
    if asked:
        return asked[-1]
    english = [match["unit"] for match in _ASKED_ENGLISH.finditer(text)]
    if english and not _NO_UNIT.match(english[-1]) and not _MONEY.search(text):
        return english[-1]
    if _MONEY.search(text):
        for sign in ("元", "美元", "$", "dollars", "yuan"):
            if sign in text:
                return sign
    return ""
