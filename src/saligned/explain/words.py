"""A quantity's own words in the text: its clause and its unit.

Everything here is quoted from the text by position. Nothing is looked up, nothing is translated.
"""

import re
from collections.abc import Sequence
from typing import Any

from saligned.problem import Reading
from saligned.text.units import unit_after

__all__ = ["nearby", "own_words"]

# A point between digits stays inside its quantity, and quantities are never cut.
_CLAUSE_END = re.compile(r"[，。；？！：…,;?!:\n]|[.．](?=\s|$)")
# Characters shown on each side of a quantity at most.
_SIDE_CHINESE, _SIDE_ENGLISH = 14, 48


def own_words(text: str, spans: Sequence[tuple[int, int]], index: int) -> tuple[int, int]:
    """The span of a quantity's own words: its clause, as far as no other quantity has a part in it.

    >>> text = "6.75减去一个数的5倍等于2.75"
    >>> [text[slice(*own_words(text, [(0, 4), (10, 11), (14, 18)], i))] for i in range(3)]
    ['6.75', '减去一个数的5倍', '等于2.75']
    """
    start, end = spans[index]
    side = _SIDE_CHINESE if re.search("[一-鿿]", text) else _SIDE_ENGLISH
    left = min(unit_after(text, spans[index - 1][1]), start) if index else 0
    left = max([left, start - side, *(match.end() for match in _CLAUSE_END.finditer(text, left, start))])
    following = spans[index + 1][0] if index + 1 < len(spans) else len(text)
    unit = min(unit_after(text, end), following)
    stop = _CLAUSE_END.search(text, end, following)
    if stop or index + 1 == len(spans):
        right = max(unit, min(stop.start() if stop else len(text), end + side))
    else:
        right = unit
    left += len(text[left:start]) - len(text[left:start].lstrip())
    return left, end + len(text[end:right].rstrip())


def nearby(reading: Reading, index: int, count: int) -> list[dict[str, Any]]:
    """The tokens of a quantity's own words, nearest first; the weights only say how near, and sum to 1."""
    spans = [(quantity.start, quantity.end) for quantity in reading.quantities]
    start, end = own_words(reading.text, spans, index)
    position = reading.positions[index]
    inside = [i for i, token in enumerate(reading.tokens) if start <= token.start and token.end <= end]
    # Of two tokens equally near, the following one: a unit stands after its number.
    nearest = sorted(inside, key=lambda i: (abs(i - position), i < position))[:count]
    closeness = [1 / (1 + abs(i - position)) for i in nearest]
    return [
        {"token": i, "weight": round(weight / sum(closeness), 6)} for i, weight in zip(nearest, closeness, strict=True)
    ]
