"""The language of a text and the number of its unknowns."""

import pytest

from saligned.text.language import kind_of, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("小明有3个苹果", "zh"),
        ("小明用Photoshop处理了5张照片，又处理了3张", "zh"),
        ("Ｔom有3个", "zh"),
        ("Tom has 3 apples.", "en"),
        ("The sign 水 costs 3 dollars and the frame costs 5", "en"),
        ("3.8-2.54+1.46=？", None),
        ("x=3", None),
    ],
)
def test_the_language_that_has_more_of_the_text(text: str, language: str | None) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("鸡和兔共12只，有32只脚，鸡兔各有多少只？", "several"),
        ("两数之和是20，差是4，这两个数分别是多少？", "several"),
        ("买3支笔2个本子共8元，买1支笔1个本子共3元，笔多少元，本子多少元？", "several"),
        ("The sum of two numbers is 20. Find the numbers.", "several"),
        ("30 tickets were sold for $70. How many adult and child tickets of each kind were sold?", "several"),
        ("What are the two integers?", "several"),
        ("小明做了这批零件的1/5，还剩几分之几？", "one"),
        ("甲车每小时行60千米，分别行了3小时和5小时，一共行了多少千米？", "one"),
        ("他们各有5元，一共有多少元？", "one"),
        ("Each box holds 6 pens. How many pens are in 4 boxes?", "one"),
        ("Tom and Ann have 3 and 5 pens. How many pens do they have?", "one"),
    ],
)
def test_how_many_numbers_are_asked_for(text: str, kind: str) -> None:
    assert kind_of(text) == kind
