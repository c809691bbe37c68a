"""What a number is, beside where it stands: its kind and size, as small categories.

The paper gives every number of a text the same vector; its own first error example (60 flowers, 1/6 more)
cannot be solved without knowing that 1/6 is a fraction.
"""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from saligned.problem import Quantity
from saligned.text.arrays import Ints

KINDS = ("integer", "decimal", "percent", "fraction", "mixed", "numeral", "word")
# The size of a value is the number of bounds that it reaches.
_BOUNDS = "0.1 0.5 1 1.0001 2.0001 10 60 100 100.0001 1000 10000"
BOUNDS = tuple(Fraction(bound) for bound in _BOUNDS.split())
MAX_RANK = 7
# How many categories each trait has: kind, size, rank among the text's numbers, "equal to an earlier one".
SIZES = (len(KINDS), len(BOUNDS) + 1, MAX_RANK + 1, 2)


def traits(quantities: Sequence[Quantity]) -> Ints:
    """The traits of each quantity, (N, 4)."""
    values = [quantity.value for quantity in quantities]
    distinct = sorted(set(values))
    rows = [
        (
            KINDS.index(quantity.kind),
            bisect_right(BOUNDS, quantity.value),
            min(distinct.index(quantity.value), MAX_RANK),
            int(quantity.value in values[:place]),
        )
        for place, quantity in enumerate(quantities)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, len(SIZES))
