"""Readings as the encoder's input."""

from collections.abc import Sequence

import numpy as np

from saligned.problem import Reading
from saligned.text.arrays import Ints, inputs
from saligned.text.traits import traits
from saligned.text.vocabulary import Vocabulary


def encode_inputs(readings: Sequence[Reading], vocabulary: Vocabulary) -> dict[str, Ints]:
    """The arrays of a batch of texts, by name."""
    return inputs(
        [np.array(vocabulary.encode(reading), dtype=np.int64) for reading in readings],
        [np.array(reading.positions, dtype=np.int64) for reading in readings],
        [traits(reading.quantities) for reading in readings],
    )
