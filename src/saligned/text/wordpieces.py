"""Words as BERT's vocabulary cuts them: needed once, to give our words their first vectors."""

import re
import unicodedata
from collections.abc import Container, Sequence

__all__ = ["whole_words", "word_pieces"]

_PART = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile("[a-z]{2,}")


def word_pieces(word: str, known: Container[str]) -> list[str]:
    """The pieces of a word, the longest first at each place; empty when some part has none.

    >>> word_pieces("bagels's", {"bag", "##els", "'", "s"})
    ['bag', '##els', "'", 's']
    """
    if word in known:
        return [word]
    plain = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
    pieces: list[str] = []
    for part in _PART.findall(plain):
        found = _cut(part, known)
        if not found:
            return []
        pieces += found
    return pieces


def _cut(part: str, known: Container[str]) -> list[str]:
    pieces: list[str] = []
    start = 0
    while start < len(part):
        candidates = (("##" if start else "") + part[start:end] for end in range(len(part), start, -1))
        piece = next((candidate for candidate in candidates if candidate in known), "")
        if not piece:
            return []
        pieces.append(piece)
        start += len(piece.removeprefix("##"))
    return pieces


def whole_words(forms: Sequence[str], count: int) -> list[str]:
    """The first `count` whole words of a vocabulary that is ordered by frequency, as BERT's is.

    >>> whole_words(["[PAD]", "a", "##s", "the", "café", "of", "2"], 5)
    ['the', 'of']
    """
    return [form for form in forms if _WORD.fullmatch(form)][:count]
