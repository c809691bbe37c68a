"""Explanations in words, Chinese and English: templates over a trace, and quotations from the problem."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from saligned.explain.words import own_words
from saligned.problem import Reason
from saligned.runtime.signals import Signal
from saligned.symbolic.numbers import format_number
from saligned.text.language import Language, language_of
from saligned.text.units import asked_unit, asks_percent

__all__ = ["answer_in_words", "explain_in_words"]

Dict = dict[str, Any]

SIGNS = {"add": "+", "subtract": "−", "multiply": "×", "divide": "÷"}
# A word with less of the attention than this does not stand out: the texts have some 30 to 60 tokens.
NOTICED = 0.1
_DECIMALS = 4  # a percentage with more is rounded to two

_TEMPLATES: dict[Language, dict[str, str]] = {
    "zh": {
        "step": "第{number}步：{operation}。{meanings}。",
        "noticed": "第{number}步：{operation}。{meanings}。此时最关注的词：{words}。",
        "quantity": "{symbol} 来自「{words}」",
        "bare": "{symbol} 是题中的数",
        "constant": "{symbol} 是常数",
        "unknown": "{symbol} 是所求的数",
        "result": "{symbol} 是第{number}步的结果",
        "and": "，",
        "list": "、",
        "quote": "「{}」",
        "equation": "列方程：{equation}。",
        "solved": "解得：{roots}。",
        "answer": "答：{answer}。",
        "failed": "没有解出：{reason}。",
        "warning": "注意：{warning}。",
        "unit": "{value}{unit}",
        "about": "约{value}",
    },
    "en": {
        "step": "Step {number}: {operation}. Here {meanings}.",
        "noticed": "Step {number}: {operation}. Here {meanings}. Words noticed most: {words}.",
        "quantity": "{symbol} comes from “{words}”",
        "bare": "{symbol} is a number of the text",
        "constant": "{symbol} is a constant",
        "unknown": "{symbol} is the number asked for",
        "result": "{symbol} is the result of step {number}",
        "and": ", ",
        "list": ", ",
        "quote": "“{}”",
        "equation": "Equation: {equation}.",
        "solved": "Its solution: {roots}.",
        "answer": "Answer: {answer}.",
        "failed": "Not solved: {reason}.",
        "warning": "Beware: {warning}.",
        "unit": "{value} {unit}",
        "about": "about {value}",
    },
}
_REASONS_ZH = {
    Reason.DIVISION_BY_ZERO: "除数为零",
    Reason.NO_UNKNOWN: "方程里没有未知数",
    Reason.INCONSISTENT: "方程互相矛盾",
    Reason.UNDERDETERMINED: "方程不能确定未知数",
    Reason.NO_REAL_ROOT: "没有实数解",
    Reason.TOO_HARD: "方程超出了求解范围",
    Reason.ACTION_LIMIT: "步数超过了上限",
    Reason.ILLEGAL_ACTION: "不合法的操作",
    Reason.INCOMPLETE: "方程没有写完",
    Reason.NOT_EXPRESSIBLE: "题目没有给出所需的数",
    Reason.UNREADABLE: "题目无法读取",
    Reason.NO_QUANTITY: "题目里没有数量",
    Reason.NO_MODEL: "没有读这种文字的模型",
    Reason.UNSURE: "把握不够",
}
_WARNINGS_ZH = {
    Signal.NEGATIVE: "答案是负数",
    Signal.NOT_WHOLE: "问的是个数，答案却不是整数",
    Signal.BELOW_ONE: "问的是倍数，答案却小于一",
    Signal.MIXED_UNITS: "单位大小不同，却没有换算",
}


def explain_in_words(trace: Dict, language: Language | None = None) -> list[str]:
    """One sentence for each operation, the equations, and the answer with its unit.

    Without a language, that of the problem.
    """
    language = language or language_of(trace["text"]) or "en"
    templates = _TEMPLATES[language]
    sentences: list[str] = []
    made: dict[int, int] = {}  # element id → the number of the step that made it
    pushed: dict[int, int] = {}  # element id → operand
    for step in trace["steps"]:
        if step["action"] == "push":
            pushed[step["stack_after"][-1]["id"]] = step["operand"]
        elif step["action"] in SIGNS:
            made[step["stack_after"][-1]["id"]] = len(made) + 1
            sentences.append(_operation(trace, step, (made, pushed), templates))
        elif step["action"] == "equal":
            sentences.append(templates["equation"].format(equation=step["equation"]["pretty"]))
    if trace["status"] == "failed":
        return [*sentences, templates["failed"].format(reason=_reason(trace["reason"], language))]
    if _has_to_be_solved(trace):
        sentences.append(templates["solved"].format(roots=templates["and"].join(_roots(trace))))
    sentences.append(templates["answer"].format(answer=answer_in_words(trace, language)))
    shown = (warning if language == "en" else _WARNINGS_ZH[Signal(warning)] for warning in trace["warnings"])
    return [*sentences, *(templates["warning"].format(warning=warning) for warning in shown)]


def answer_in_words(trace: Dict, language: Language | None = None) -> str:
    """The answer with the unit that the question asks for; as a percentage when it asks for one."""
    language = language or language_of(trace["text"]) or "en"
    answers, values = _listed(trace["answer"]), _listed(trace["value"])
    templates = _TEMPLATES[language]
    shown = [_with_unit(answer, value, trace["text"], templates) for answer, value in zip(answers, values, strict=True)]
    if len(shown) == 1:
        return shown[0]
    return templates["and"].join(f"{name} = {answer}" for name, answer in zip(_names(trace), shown, strict=False))


def _operation(
    trace: Dict, step: Dict, origins: tuple[dict[int, int], dict[int, int]], templates: dict[str, str]
) -> str:
    left, right = step["stack_before"][-2:]
    result = step["stack_after"][-1]
    sides = _in_operation(left, right=False), _in_operation(right, right=True)
    written = f" {SIGNS[step['action']]} ".join(sides)
    if result["value"] is not None:
        written += f" = {_minus(result['value'])}"
    words = noticed_words(trace, step["attention"])
    return templates["noticed" if words else "step"].format(
        number=origins[0][result["id"]],
        operation=written,
        meanings=templates["and"].join(_meaning(trace, part, origins, templates) for part in (left, right)),
        words=templates["list"].join(templates["quote"].format(word) for word in words),
    )


def _meaning(
    trace: Dict, element: Dict, origins: tuple[dict[int, int], dict[int, int]], templates: dict[str, str]
) -> str:
    """Where an operand comes from."""
    made, pushed = origins
    symbol = _written(element)
    if element["id"] in made:
        return templates["result"].format(symbol=symbol, number=made[element["id"]])
    operand = trace["operands"][pushed[element["id"]]]
    if operand["kind"] != "quantity":
        return templates[operand["kind"]].format(symbol=symbol)
    words = quantity_words(trace, operand["quantity"])
    alone = words == trace["quantities"][operand["quantity"]]["form"]
    return templates["bare" if alone else "quantity"].format(symbol=symbol, words=words)


def quantity_words(trace: Dict, index: int) -> str:
    """A quantity's own words, quoted from the problem."""
    spans = [(quantity["start"], quantity["end"]) for quantity in trace["quantities"]]
    start, end = own_words(trace["text"], spans, index)
    return str(trace["text"][start:end])


def noticed_words(trace: Dict, attention: Sequence[float], most: int = 3) -> list[str]:
    """The words that a step attends to most, in text order, neighbours joined; punctuation is no word."""
    tokens = trace["tokens"]
    words = [
        index
        for index, weight in enumerate(attention)
        if weight >= NOTICED and any(c.isalnum() for c in _token_text(trace, tokens[index]))
    ]
    chosen = sorted(sorted(words, key=lambda index: -attention[index])[:most])
    joined: list[tuple[int, int]] = []
    for index in chosen:
        token = tokens[index]
        if joined and joined[-1][1] == token["start"]:
            joined[-1] = (joined[-1][0], token["end"])
        else:
            joined.append((token["start"], token["end"]))
    return [trace["text"][start:end] for start, end in joined]


def _token_text(trace: Dict, token: Dict) -> str:
    return str(trace["text"][token["start"] : token["end"]])


def _written(element: Dict) -> str:
    """An operand as the text writes it, a result by its value."""
    return _minus(element["value"]) if element["from"] and element["value"] is not None else element["symbol"]


def _in_operation(element: Dict, *, right: bool) -> str:
    """An operand beside a sign: brackets around a fraction, an unknown part, and a negative right side."""
    shown = _written(element)
    if (element["from"] and element["value"] is None) or "/" in shown or (right and shown.startswith("−")):
        return f"({shown})"
    return shown


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _has_to_be_solved(trace: Dict) -> bool:
    """Whether an equation is more than an unknown and its value."""
    pairs = [step["stack_before"] for step in trace["steps"] if step["action"] == "equal"]
    return not all(
        any(name["value"] is None and not name["from"] and other["value"] is not None for name, other in sides)
        for sides in (((left, right), (right, left)) for left, right in pairs)
    )


def _roots(trace: Dict) -> list[str]:
    return [f"{name} = {_minus(answer)}" for name, answer in zip(_names(trace), _listed(trace["answer"]), strict=False)]


def _names(trace: Dict) -> list[str]:
    """The unknowns in the order of the answers: that of their first appearance in the equations."""
    names = [operand["symbol"] for operand in trace["operands"] if operand["kind"] == "unknown"]
    written = "".join(equation["infix"] for equation in trace["equations"])
    return sorted((name for name in names if name in written), key=written.index)


def _with_unit(answer: str, value: float, text: str, templates: dict[str, str]) -> str:
    if asks_percent(text):
        return _percent(answer, value, templates)
    unit = asked_unit(text)
    if unit == "$":
        return f"${answer}"
    shown = _minus(answer)
    if unit.isascii():
        return f"{shown} {unit}".rstrip()
    return templates["unit"].format(value=shown, unit=unit)


def _percent(answer: str, value: float, templates: dict[str, str]) -> str:
    try:
        exact = format_number(Fraction(answer) * 100)
    except ValueError:  # an irrational number
        exact = "/"
    if "/" in exact or len(exact.partition(".")[2]) > _DECIMALS:
        return templates["about"].format(value=_minus(f"{value * 100:.2f}%"))
    return f"{_minus(exact)}%"


def _reason(reason: str, language: Language) -> str:
    if language == "en":
        return reason
    known = next((name for name in Reason if reason.startswith(name)), None)
    return reason if known is None else _REASONS_ZH[known]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
