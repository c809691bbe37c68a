"""How texts become tokens, and which texts are refused."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.errors import ConfigError, InputError
from saligned.problem import Reading
from saligned.text.tokenizers import MAX_CHARACTERS, NUMBER, TOKENIZERS, get_tokenizer, read, read_words

TEXT = "果园有桃树120棵，梨树是桃树的(2/5)，又种了两棵．还有多少棵？"


def forms(reading: Reading) -> list[str]:
    return [token.form for token in reading.tokens]


def assert_sound(reading: Reading) -> None:
    """Tokens are in order, cover all but spaces, and each quantity is one of them."""
    end = 0
    for token in reading.tokens:
        assert token.start >= end
        assert not reading.text[end : token.start].strip()
        assert token.form
        end = token.end
    assert not reading.text[end:].strip()
    assert len(reading.positions) == len(reading.quantities)
    for position, quantity in zip(reading.positions, reading.quantities, strict=True):
        assert (reading.tokens[position].start, reading.tokens[position].end) == (
            quantity.start,
            quantity.end,
        )


@pytest.mark.parametrize("name", sorted(TOKENIZERS))
def test_every_tokenizer_is_sound(name: str) -> None:
    assert_sound(read(TEXT, name))


ALPHABET = "甲有12.5%(/)，。．？两半三百 又第个\n\tabTwo half-１２'’é𠮷"


@settings(deadline=None, max_examples=60)  # the first word loads the dictionary
@given(st.text(ALPHABET, min_size=1, max_size=40).filter(str.strip), st.sampled_from(sorted(TOKENIZERS)))
def test_any_text_is_read_soundly(text: str, name: str) -> None:
    assert_sound(read(text, name))


def test_characters() -> None:
    expected = [*"果园有桃树", NUMBER, *"棵,梨树是桃树的", NUMBER, *",又种了两棵。还有多少棵?"]
    assert forms(read(TEXT, "char")) == expected


def test_words_are_longer_than_characters() -> None:
    tokens = forms(read("小明同学买了15本练习本，一共花了多少元？", "word"))
    assert NUMBER in tokens
    assert "一共" in tokens
    assert "多少" in tokens


def test_english() -> None:
    tokens = forms(read("Tom's dog ate Twice as much: 3.5 pounds, twenty-five cents.", "english"))
    expected = "tom's dog ate twice as much : <num> pounds , <num> cents ."
    assert tokens == expected.split()


def test_widths_share_a_form() -> None:
    assert forms(read("Ａ有５个？", "char")) == forms(read("A有5个?", "char"))


def test_given_words_keep_their_cuts_and_lose_their_numbers() -> None:
    reading = read_words(["妈妈", "买", "6千克", "糖", "，", "吃", "了", "(", "1/3", ")"], "妈妈买6千克糖，吃了(1/3)")
    assert_sound(reading)
    assert forms(reading) == ["妈妈", "买", NUMBER, "千克", "糖", ",", "吃", "了", NUMBER]


def test_words_that_do_not_spell_the_text_become_the_text() -> None:
    reading = read_words(["买", "6", "支"], "卖6支")
    assert reading.text == "买 6 支"
    assert_sound(reading)


def test_without_quantities() -> None:
    reading = read("有多少人？", "char")
    assert (reading.quantities, reading.positions) == ((), ())


def test_unknown_tokenizer_names_the_choices() -> None:
    with pytest.raises(ConfigError, match="char, word, segmented, english"):
        get_tokenizer("letters")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (" \n\t　", "empty"),
        ("1" * (MAX_CHARACTERS + 1), "5,000"),
        ("有5\x00个", r"U\+0000.*position 2"),
        ("\x85有5个", r"U\+0085.*position 0"),
        ("有5个\ud800", r"surrogate, U\+D800.*position 3"),
    ],
)
def test_unreadable_texts(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text, "char")


def test_line_breaks_and_the_longest_text_are_read() -> None:
    assert len(read("有\r\n5\t个", "char").tokens) == 3
    assert len(read("有" * MAX_CHARACTERS, "char").tokens) == MAX_CHARACTERS


def test_jieba_is_not_imported_until_it_is_needed() -> None:
    code = "import sys, saligned.text.vocabulary; sys.exit('jieba' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
