"""The words of a quantity, always quoted from the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saligned.explain.words import nearby, own_words
from saligned.text.tokenizers import read


def own(text: str, tokenizer: str = "char") -> list[str]:
    quantities = read(text, tokenizer).quantities
    spans = [(quantity.start, quantity.end) for quantity in quantities]
    return [text[slice(*own_words(text, spans, index))] for index in range(len(spans))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("小明有10元，买了5支钢笔以后，还剩多少元？", ["小明有10元", "买了5支钢笔以后"]),
        ("前面5人后面7人，一共多少人？", ["前面5人", "后面7人"]),
        ("8加4等于几？", ["8", "加4等于几"]),
        ("Tom has $0.5. He buys 3 pens, and leaves.", ["Tom has $0.5", "He buys 3 pens"]),
    ],
)
def test_own_words_are_the_clause_up_to_other_quantities(text: str, words: list[str]) -> None:
    assert own(text) == words


@given(st.text("小明有12.5元3个，。？ ab\n", max_size=80).filter(str.strip))
def test_own_words_contain_the_quantity_and_never_another(text: str) -> None:
    quantities = read(text, "char").quantities
    spans = [(quantity.start, quantity.end) for quantity in quantities]
    places = [own_words(text, spans, index) for index in range(len(spans))]
    for (left, right), (start, end) in zip(places, spans, strict=True):
        assert left <= start < end <= right
    assert all(one[1] <= other[0] for one, other in pairwise(places))


def test_nearby_tokens_begin_with_the_number_and_its_unit() -> None:
    reading = read("买了5支钢笔，每支2元", "char")
    tokens = [reading.tokens[word["token"]] for word in nearby(reading, 0, 3)]
    assert "".join(reading.text[token.start : token.end] for token in tokens) == "5支了"
