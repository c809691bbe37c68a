"""Texts as arrays: what the encoder reads, the same for training and for solving."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def pad(rows: Sequence[Ints], value: int) -> Ints:
    """Rows of unequal length as one matrix, at least one column wide."""
    width = max(1, *(len(row) for row in rows))
    out = np.full((len(rows), width), value, dtype=np.int64)
    for row, values in zip(out, rows, strict=True):
        row[: len(values)] = values
    return out


def inputs(tokens: Sequence[Ints], positions: Sequence[Ints], traits: Sequence[Ints]) -> dict[str, Ints]:
    """The encoder's inputs by name: token indices, the positions of the quantities among them, and their traits."""
    padded = pad(positions, 0)
    kinds = np.zeros((*padded.shape, traits[0].shape[-1]), dtype=np.int64)
    for row, values in zip(kinds, traits, strict=True):
        row[: len(values)] = values
    return {
        "tokens": pad(tokens, 0),
        "lengths": np.array([len(row) for row in tokens], dtype=np.int64),
        "positions": padded,
        "counts": np.array([len(row) for row in positions], dtype=np.int64),
        "traits": kinds,
    }
