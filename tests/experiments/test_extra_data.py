"""Extra training data: nothing held out slips in, and only answers that a program explains are labelled."""

import json
from fractions import Fraction
from pathlib import Path

import saligned
from saligned.data.readers import read_problems
from saligned.experiments.extra_data import main, unseen, weakly_labelled, wording
from saligned.problem import Problem

HELD_OUT = "小明有12个苹果，又买了5个，现在有多少个苹果？"
ANSWERED = Problem("a", "盒子里有30支铅笔，用去8支，还剩多少支铅笔？", (), (Fraction(22),))


def test_other_numbers_and_punctuation_are_the_same_wording() -> None:
    assert wording("小明有3.5个苹果,又买了 1/2 个。") == wording("小明有12个苹果，又买了5个")
    assert wording("小明有3个苹果") != wording("小红有3个苹果")


def test_problems_that_read_like_a_held_out_one_are_left_out() -> None:
    copy = Problem("copy", "小明有7个苹果,又买了2个,现在有多少个苹果?")
    assert unseen([copy, ANSWERED], [Problem("h", HELD_OUT)]) == [ANSWERED]


def test_an_answer_is_labelled_with_an_equation_that_gives_it() -> None:
    wrong = Problem("b", ANSWERED.text, (), (Fraction(123),))
    [labelled] = weakly_labelled([ANSWERED, wrong], saligned.load("zh-char"))
    assert (labelled.id, labelled.equations) == ("a", ("x=30-8",))


def test_the_file_holds_what_is_confirmed(tmp_path: Path) -> None:
    held_out = [{"id": "1", "original_text": HELD_OUT, "segmented_text": "", "equation": "x=12+5", "ans": "17"}]
    (tmp_path / "held.json").write_text(json.dumps(held_out), encoding="utf-8")
    rows = [
        {"text": HELD_OUT, "equation": "x=12+5", "ans": "17"},
        {"text": "每袋大米重25千克，4袋大米重多少千克？", "equation": "x=25*4", "ans": "100"},
        {"text": "一辆汽车每小时行60千米，3小时行多少千米？", "equation": "x=60*3", "ans": "20"},
        {"text": ANSWERED.text, "ans": "22"},
        {"text": "一箱苹果重12千克，3箱重多少千克？", "equation": "x=12*3", "ans": "36"},
    ]
    more = {"text": "一箱苹果重9千克，5箱重多少千克？", "equation": "x=9*5", "ans": "45"}
    (tmp_path / "more.jsonl").write_text(json.dumps(more), encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    held = f"{tmp_path / 'held.json'}:math23k,{tmp_path / 'more.jsonl'}:jsonl"
    main(tmp_path / "out.jsonl", "zh-char", held, [tmp_path / "rows.jsonl"])
    problems, rejected = read_problems(tmp_path / "out.jsonl", "jsonl")
    assert not rejected
    assert [(problem.equations, problem.answers) for problem in problems] == [
        (("x=25*4",), (Fraction(100),)),
        (("x=30-8",), (Fraction(22),)),
    ]
