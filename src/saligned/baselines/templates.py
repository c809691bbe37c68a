"""What is left of a problem without its numbers: a text with n_1 … n_k, and a template for its equation.

A program names its quantities by their order in the text, so the program of another problem *is* a template.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from saligned.problem import Failure, Quantity, Reading
from saligned.symbolic.actions import OperandLayout, Program
from saligned.symbolic.machine import run
from saligned.symbolic.solving import solve

# Quantities by which programs are told apart: large and random, so that different formulas do not meet by chance.
_RANDOM = Random(1)
PROBES = tuple(Fraction(_RANDOM.randrange(10**6, 10**7)) for _ in range(64))


def number_forms(reading: Reading) -> Reading:
    """The text with n_1 … n_k in the places of its numbers."""
    return map_numbers(reading, [True] * len(reading.quantities))[0]


def map_numbers(reading: Reading, significant: Sequence[bool]) -> tuple[Reading, list[int]]:
    """The text with n_1 … n_k for its significant numbers, the only ones left; and which numbers those were.

    A text without any keeps all: an equation needs at least one.
    """
    kept = [i for i, one in enumerate(significant) if one] or list(range(len(reading.quantities)))
    tokens = list(reading.tokens)
    for rank, i in enumerate(kept, 1):
        tokens[reading.positions[i]] = replace(tokens[reading.positions[i]], form=f"n_{rank}")
    quantities = tuple(reading.quantities[i] for i in kept)
    positions = tuple(reading.positions[i] for i in kept)
    return Reading(reading.text, tuple(tokens), quantities, positions), kept


def normalise(programs: Sequence[Program], layout: OperandLayout) -> list[Program]:
    """Equation normalisation: programs that always give the same answer become the most frequent one of them.

    n_1 * n_2 and n_2 * n_1, or a / b * c and a * c / b, are then one template.
    """
    counts = Counter(programs)
    names = {program: _formula(program, layout) for program in counts}
    best: dict[object, Program] = {}
    for program, _ in counts.most_common():
        best.setdefault(names[program], program)
    return [best[names[program]] for program in programs]


def _formula(program: Program, layout: OperandLayout) -> object:
    """The answer for the probes; a program without one stands for itself."""
    quantities = [Quantity(value, str(value), 0, 0, "integer") for value in PROBES]
    equations = run(program, layout.expressions(quantities), layout)
    answers = equations if isinstance(equations, Failure) else solve(equations)
    return program if isinstance(answers, Failure) else answers
