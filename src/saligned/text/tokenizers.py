"""Texts as tokens: Chinese characters, Chinese words, a data set's own segmentation, English words.

Every tokenizer cuts the pieces of text *between* quantities, so a quantity is always exactly one token.
What stands on a quantity's token:

| quantity                         | its token     | why                                      |
|----------------------------------|---------------|------------------------------------------|
| digits, 三百二十, two thirds     | `<num>`       | the encoder need not know its value      |
| 两, 半, 三                       | the character | also words: the encoder should see which |
| half, twice, dozen, double …     | the word      | same                                     |
"""

import logging
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from saligned.errors import ConfigError, InputError
from saligned.problem import Quantity, Reading, Token
from saligned.text.numerals import LONE_WORDS
from saligned.text.quantities import find_quantities

__all__ = ["MAX_CHARACTERS", "NUMBER", "TOKENIZERS", "Tokenizer", "get_tokenizer", "read", "read_words"]

NUMBER = "<num>"
MAX_CHARACTERS = 5000

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ENGLISH = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[0-9]+|\S")
_WORD = re.compile(r"\S+")
_SENTENCE_ENDS = dict.fromkeys("．.｡", "。")

Cut = Callable[[str], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """How to cut a piece of text into spans, and the form that each span gets."""

    cut: Cut
    form: Callable[[str], str]

    def tokenize(self, text: str, quantities: Sequence[Quantity]) -> Reading:
        """The tokens of a text whose quantities are known."""
        tokens: list[Token] = []
        positions, place = [], 0
        for quantity in quantities:
            self._add(tokens, text, place, quantity.start)
            positions.append(len(tokens))
            tokens.append(Token(quantity_form(quantity), quantity.start, quantity.end))
            place = quantity.end
        self._add(tokens, text, place, len(text))
        return Reading(text, tuple(tokens), tuple(quantities), tuple(positions))

    def _add(self, tokens: list[Token], text: str, start: int, end: int) -> None:
        if start < end:
            piece = text[start:end]
            form = self.form
            tokens.extend(Token(form(piece[a:b]), start + a, start + b) for a, b in self.cut(piece))


def quantity_form(quantity: Quantity) -> str:
    """What the encoder sees of a quantity."""
    if quantity.kind == "numeral" and len(quantity.form) == 1:
        return quantity.form
    lowered = quantity.form.lower()
    return lowered if quantity.kind == "word" and lowered in LONE_WORDS else NUMBER


@lru_cache(maxsize=65_536)
def _chinese_form(piece: str) -> str:
    """One form for characters that differ in width only, and one for all sentence ends.

    >>> _chinese_form("．"), _chinese_form("？"), _chinese_form("Ａ")
    ('。', '?', 'A')
    """
    if piece in _SENTENCE_ENDS:
        return _SENTENCE_ENDS[piece]
    folded = unicodedata.normalize("NFKC", piece)
    return folded if len(folded) == len(piece) and not any(c.isspace() for c in folded) else piece


def _cut_characters(piece: str) -> Iterator[tuple[int, int]]:
    return ((at, at + 1) for at, character in enumerate(piece) if not character.isspace())


def _cut_english(piece: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _ENGLISH.finditer(piece))


def _cut_at_spaces(piece: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _WORD.finditer(piece))


def _cut_words(piece: str) -> Iterator[tuple[int, int]]:
    at = 0
    for word in _jieba().lcut(piece):
        if not word.isspace():
            yield at, at + len(word)
        at += len(word)


@cache
def _jieba() -> Any:
    """The segmenter, made at first use: its dictionary costs most of a second and 60 MB."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its sources have invalid escapes; its dictionary file is left open
        import jieba

        jieba.setLogLevel(logging.CRITICAL)
        segmenter = jieba.Tokenizer()
        segmenter.initialize()
    return segmenter


TOKENIZERS: dict[str, Tokenizer] = {
    "char": Tokenizer(_cut_characters, _chinese_form),
    "word": Tokenizer(_cut_words, _chinese_form),
    "segmented": Tokenizer(_cut_at_spaces, _chinese_form),
    "english": Tokenizer(_cut_english, str.lower),
}


def get_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of a name; ConfigError when there is none."""
    if name not in TOKENIZERS:
        raise ConfigError(f"no tokenizer is called {name!r}; choose one of {', '.join(TOKENIZERS)}")
    return TOKENIZERS[name]


def read(text: str, tokenizer: str, *, myriads: bool = True) -> Reading:
    """Tokens and quantities of a text; InputError when it is not a text to be read.

    >>> [token.form for token in read("甲有12个，乙有两个。", "char").tokens]
    ['甲', '有', '<num>', '个', ',', '乙', '有', '两', '个', '。']
    """
    chosen = get_tokenizer(tokenizer)
    check(text)
    return chosen.tokenize(text, find_quantities(text, myriads=myriads))


def check(text: str) -> None:
    """Raise InputError for a text that is blank, too long, or has characters that no text has."""
    if not text or text.isspace():
        raise InputError("the text is empty; write a problem, such as 小红有5个苹果，又买了7个，一共有多少个？")
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    if match := _FORBIDDEN.search(text):
        code = ord(match[0])
        kind = "a lone surrogate" if 0xD800 <= code <= 0xDFFF else "a control character"
        raise InputError(f"{kind}, U+{code:04X}, stands at position {match.start()}; remove it")


def read_words(words: Sequence[str], text: str = "", *, myriads: bool = True) -> Reading:
    """A data set's own segmentation: its words are the tokens, cut once more where a quantity begins or ends.

    The spans are in `text` if the words spell it (spaces aside), otherwise in the words joined by spaces.
    Numbers are sought in the text where there is one, because a segmentation may tear (2/5) apart.

    >>> [token.form for token in read_words(["小明", "有", "5个", "苹果"], "小明有5个苹果").tokens]
    ['小明', '有', '<num>', '个', '苹果']
    """
    spans = _align(words, text)
    if spans is None:
        return read(" ".join(words), "segmented", myriads=myriads)
    check(text)
    cuts = sorted({place for span in spans for place in span})
    return _cut_given(text, cuts, find_quantities(text, myriads=myriads))


def _align(words: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """The span of each word, None when the words do not spell the text."""
    places = [at for at, character in enumerate(text) if not character.isspace()]
    letters = ["".join(word.split()) for word in words]
    if not places or "".join(letters) != "".join(text.split()):
        return None
    spans, done = [], 0
    for word in filter(None, letters):
        spans.append((places[done], places[done + len(word) - 1] + 1))
        done += len(word)
    return spans


def _cut_given(text: str, cuts: Sequence[int], quantities: Sequence[Quantity]) -> Reading:
    """Tokens between given cuts, with quantities split off."""
    edges = sorted({*cuts, *(edge for quantity in quantities for edge in (quantity.start, quantity.end))})
    by_start = {quantity.start: index for index, quantity in enumerate(quantities)}
    tokens: list[Token] = []
    positions, place = [], 0
    for start, end in pairwise(edges):
        if start < place or text[start:end].isspace():
            continue  # inside a quantity, or a gap between words
        if start in by_start:
            quantity = quantities[by_start[start]]
            positions.append(len(tokens))
            tokens.append(Token(quantity_form(quantity), quantity.start, quantity.end))
            place = quantity.end
        else:
            tokens.append(Token(_chinese_form(text[start:end]), start, end))
    return Reading(text, tuple(tokens), tuple(quantities), tuple(positions))
