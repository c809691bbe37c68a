"""Explanations in words: every sentence from the trace, the answer with its unit."""

from typing import Any

import pytest

from saligned.explain.text import (
    answer_in_words,
    explain_in_words,
    noticed_words,
)
from saligned.explain.trace import make_trace
from saligned.problem import Reason
from saligned.runtime.solution import failed
from saligned.text.language import Language
from tests.explain.scripted import BANANAS, ENGLISH, NOTEBOOKS, NUMBER, solve_as


def trace_of(text: str, *equations: str, **fields: Any) -> dict[str, Any]:
    return make_trace(solve_as(text, *equations, **fields))


def plain(sentences: list[str]) -> list[str]:
    """Without the attended words, which the scripted network spreads at random places."""
    return [sentence.partition("此时")[0].partition(" Words noticed")[0].removesuffix(" ") for sentence in sentences]


def test_each_operation_has_a_sentence_with_the_meaning_of_its_operands() -> None:
    assert plain(explain_in_words(trace_of(NOTEBOOKS, "x=(10-1*5)/0.5"))) == [
        "第1步：1 × 5 = 5。1 来自「每支钢笔1元」，5 来自「买了5支钢笔以后」。",
        "第2步：10 − 5 = 5。10 来自「小明有10元」，5 是第1步的结果。",
        "第3步：5 ÷ 0.5 = 10。5 是第2步的结果，0.5 来自「每本笔记本0.5元」。",
        "列方程：x = (10 − 1 × 5) ÷ 0.5。",
        "答：10本。",
    ]


def test_an_equation_that_has_to_be_solved_says_so() -> None:
    assert plain(explain_in_words(trace_of(NUMBER, "6.75-5*x=2.75"), "en")) == [
        "Step 1: 5 × x. Here 5 comes from “减去一个数的5倍”, x is the number asked for.",
        "Step 2: 6.75 − (5 × x). Here 6.75 is a number of the text, 5 × x is the result of step 1.",
        "Equation: 6.75 − 5 × x = 2.75.",
        "Its solution: x = 0.8.",
        "Answer: 0.8.",
    ]


def test_english_problems_are_explained_in_english() -> None:
    sentences = explain_in_words(trace_of(ENGLISH, "x=58-6*9", tokenizer="english"))
    assert plain(sentences)[0] == (
        "Step 1: 6 × 9 = 54. Here 6 comes from “Each basket holds 6 bananas”, "
        "9 comes from “How many bananas fill 9 baskets”."
    )
    assert sentences[-1] == "Answer: 4 bananas."


def test_constants_and_negative_numbers() -> None:
    sentences = plain(explain_in_words(trace_of("甲是3，乙是8", "x=1-(3-8)")))
    assert sentences[0] == "第1步：3 − 8 = −5。3 来自「甲是3」，8 来自「乙是8」。"
    assert sentences[1] == "第2步：1 − (−5) = 6。1 是常数，−5 是第1步的结果。"


def test_several_unknowns_keep_their_names_and_their_unit() -> None:
    text = "鸡和兔共有20只，脚共有56只，鸡有2只脚，兔有4只脚，鸡和兔各有多少只？"
    sentences = explain_in_words(trace_of(text, "x+y=20", "2*x+4*y=56", max_unknowns=2))
    assert sentences[-2:] == ["解得：x = 12，y = 8。", "答：x = 12只，y = 8只。"]


@pytest.mark.parametrize(
    ("text", "equation", "answer"),
    [
        ("一块地长12米，宽8米，面积是多少平方米？", "x=12*8", "96平方米"),
        ("班里有40人，今天3人请假，出勤率是多少？", "x=(40-3)/40", "92.5%"),
        ("9道题做对7道，正确率是多少？", "x=7/9", "约77.78%"),
        ("5千克糖分给3人，每人得几分之几？", "x=5/3", "5/3"),
        ("A pen costs $3. How much do 5 pens cost?", "x=3*5", "$15"),
    ],
)
def test_the_answer_has_the_unit_that_is_asked_for(text: str, equation: str, answer: str) -> None:
    assert answer_in_words(trace_of(text, equation)) == answer


@pytest.mark.parametrize("reason", Reason)
def test_every_failure_has_words(reason: Reason) -> None:
    trace = make_trace(failed("有人", "scripted", reason, "detail"))
    (chinese,), (english,) = explain_in_words(trace, "zh"), explain_in_words(trace, "en")
    assert chinese.startswith("没有解出：")
    assert reason not in chinese
    assert english == f"Not solved: {reason}: detail."


def test_a_failed_program_still_shows_its_steps() -> None:
    sentences = explain_in_words(trace_of("有7人，走了7人", "x=7/(7-7)", beam=1))
    assert sentences[0].startswith("第1步：7 − 7 = 0。")
    assert sentences[-1] == "没有解出：除数为零。"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_nothing_is_invented(language: Language) -> None:
    """What stands in quotation marks stands in the problem; and the same trace gives the same words."""
    trace = trace_of(BANANAS, "x=58-6*9")
    sentences = explain_in_words(trace, language)
    assert sentences == explain_in_words(trace, language)
    opening, closing = "「」" if language == "zh" else "“”"
    quotes = [part.partition(closing)[0] for sentence in sentences for part in sentence.split(opening)[1:]]
    assert len(quotes) >= 3
    assert all(quote in BANANAS for quote in quotes)


def test_noticed_words_join_neighbours_and_leave_out_punctuation() -> None:
    trace = trace_of("有7个人，走了", "x=7")
    assert noticed_words(trace, [0.0, 0.0, 0.2, 0.2, 0.4, 0.2, 0.0]) == ["个人", "走"]
    assert noticed_words(trace, [0.05] * 7) == []


def test_what_is_odd_about_an_answer_is_said() -> None:
    trace = trace_of("有7个人，走了9个，还剩几个？", "x=7-9", beam=1)
    assert explain_in_words(trace)[-1] == "注意：答案是负数。"
    assert explain_in_words(trace, "en")[-1] == "Beware: the answer is negative."


def test_the_language_is_that_of_the_text() -> None:
    assert explain_in_words(trace_of("3+5=?", "x=3+5"))[-1] == "Answer: 8."
    assert explain_in_words(trace_of("3加5得几？", "x=3+5"))[-1] == "答：8。"
