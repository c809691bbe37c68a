"""The table of a batch: every row that a step points at holds what a stack of that problem would."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from saligned.config import Config
from saligned.data.batches import Batch, Example, collate, make_example, shuffled_batches
from saligned.data.programs import gold_program
from saligned.problem import Failure, Reading
from saligned.symbolic.actions import OPERATORS, Kind, OperandLayout, Program
from saligned.symbolic.machine import StackMachine
from saligned.text.arrays import pad
from saligned.text.tokenizers import read
from saligned.text.vocabulary import Vocabulary
from tests.problems import PROBLEMS, SYSTEMS

LAYOUT = Config(max_unknowns=2).layout
EMPTY = "nothing"


def gold(layout: OperandLayout = LAYOUT) -> list[tuple[Reading, Program]]:
    pairs = []
    for problem in PROBLEMS + SYSTEMS:
        reading = read(problem.text, "char")
        program = gold_program(problem, reading.quantities, layout)
        assert not isinstance(program, Failure)
        pairs.append((reading, program))
    return pairs


PAIRS = gold()
WORDS = Vocabulary.build([token.form for token in reading.tokens] for reading, _ in PAIRS)
EXAMPLES = [make_example(reading, program, LAYOUT, WORDS) for reading, program in PAIRS]


def fill_table(batch: Batch) -> list[str]:
    """The network's table, with names in place of vectors: `p3:o2` is operand 2 of problem 3."""
    problems, quantities = batch.arrays["positions"].shape
    table = [EMPTY]
    table += [f"p{row}:o{operand}" for row in range(problems) for operand in range(LAYOUT.quantity(quantities))]
    for level in batch.levels:
        results = []
        symbols = np.repeat([operator.value for operator in OPERATORS.values()], level.counts)
        for symbol, top, second in zip(symbols, level.tops, level.seconds, strict=True):
            assert max(top, second) < len(table), "a level only needs what lies below it"
            results.append(f"({table[second]}{symbol}{table[top]})")
        table += results
    return table


@pytest.mark.parametrize("rows", [range(len(EXAMPLES)), range(3), [16], [26, 0, 25]])
def test_each_step_points_at_what_lies_on_the_stack(rows: range | list[int]) -> None:
    batch = collate([EXAMPLES[row] for row in rows], LAYOUT)
    table = fill_table(batch)
    named = {name: np.array(table)[batch.arrays[name]] for name in ("results", "tops", "seconds")}
    for place, row in enumerate(rows):
        machine: StackMachine[str] = StackMachine(2)
        result, program = EMPTY, PAIRS[row][1]
        for step, action in enumerate(program):
            top, second = machine.top or EMPTY, machine.second or EMPTY
            assert batch.arrays["actions"][place, step] == action.kind
            assert batch.arrays["operands"][place, step] == action.operand
            assert named["results"][place, step] == result
            assert named["tops"][place, step] == top
            assert named["seconds"][place, step] == second
            if action.kind is Kind.GENERATE:
                result = f"p{place}:o{LAYOUT.unknown(machine.generated)}"
                machine = machine.generate()
            elif action.kind is Kind.PUSH:
                result = f"p{place}:o{action.operand}"
                machine = machine.push(result)
            elif action.kind is Kind.EQUAL:
                machine = machine.equal()
                result = machine.top or EMPTY
            else:
                result = f"({second}{OPERATORS[action.kind].value}{top})"
                machine = machine.combine(result)
        padded = slice(len(program), None)
        assert (batch.arrays["actions"][place, padded] == -1).all()
        assert (batch.arrays["operands"][place, padded] == -1).all()
        assert all((batch.arrays[name][place, padded] == 0).all() for name in named)


def test_the_table_has_a_row_for_each_operator_and_no_more() -> None:
    batch = collate(EXAMPLES, LAYOUT)
    operators = sum(action.kind in OPERATORS for _, program in PAIRS for action in program)
    assert sum(sum(level.counts) for level in batch.levels) == operators
    for level in batch.levels:
        assert sum(level.counts) == len(level.tops) == len(level.seconds)
        assert len(level.counts) == len(OPERATORS)


def test_inputs_are_padded_behind_the_text() -> None:
    batch = collate(EXAMPLES, LAYOUT)
    for row, (reading, _) in enumerate(PAIRS):
        length, count = len(reading.tokens), len(reading.quantities)
        assert batch.arrays["lengths"][row] == length
        assert batch.arrays["counts"][row] == count
        assert batch.arrays["tokens"][row, :length].tolist() == WORDS.encode(reading)
        assert not batch.arrays["tokens"][row, length:].any()
        assert tuple(batch.arrays["positions"][row, :count]) == reading.positions


def test_padding_is_at_least_one_column_wide() -> None:
    empty = np.array([], dtype=np.int64)
    assert pad([empty, empty], 7).tolist() == [[7], [7]]


def keys(batches: list[list[Example]]) -> list[list[int]]:
    return [[next(i for i, e in enumerate(EXAMPLES) if e is example) for example in batch] for batch in batches]


@pytest.mark.parametrize("size", [1, 4, 100])
def test_shuffled_batches_are_a_permutation(size: int) -> None:
    batches = keys(list(shuffled_batches(EXAMPLES, size, [1, 0])))
    assert Counter(i for batch in batches for i in batch) == Counter(range(len(EXAMPLES)))
    assert all(len(batch) <= size for batch in batches)
    assert sum(len(batch) < size for batch in batches) <= 1


def test_shuffled_batches_depend_on_seed_and_epoch_only() -> None:
    first = keys(list(shuffled_batches(EXAMPLES, 4, [1, 0])))
    assert first == keys(list(shuffled_batches(EXAMPLES, 4, [1, 0])))
    assert first != keys(list(shuffled_batches(EXAMPLES, 4, [1, 1])))
    assert first != keys(list(shuffled_batches(EXAMPLES, 4, [2, 0])))


def test_batches_hold_problems_of_similar_length() -> None:
    """Of one pool, the lengths of two batches do not interleave: programs first, then texts."""
    sizes = [[(len(e.actions), len(e.tokens)) for e in batch] for batch in shuffled_batches(EXAMPLES, 4, [1, 0])]
    spans = sorted((min(batch), max(batch)) for batch in sizes)
    assert all(longest <= shortest for (_, longest), (shortest, _) in pairwise(spans))
