"""Units, as Chinese texts write them: does a program add metres to kilometres, or answer in the wrong one of them?

`mixes_units` runs the stack machine once more, with units in the places of numbers. Only what a text writes behind its
numbers is known: 每小时60千米 is 千米 here. So a unit says something where two of one kind meet in a sum or an
equation, or are left of a quotient, and nothing where it is missing or multiplied by another of its kind. A factor such
as 1000 that the text does not have is taken for a conversion: behind it, units are unknown. `convert_units` mends.

Of the gold equations of Math23K's training problems 70 of 21,154 mix units, of those of Ape210K's validation problems
13 of 4,445: mistakes of the sets, as far as we looked (千米 where 米 stands a sentence later). Converting solves 26
more of the 5,000 problems of Ape210K with zh-best and a beam of 5, gained and lost together, and one less of Math23K's
1,000 validation problems.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from saligned.problem import Reading
from saligned.symbolic.actions import OPERATORS, Action, Kind, OperandLayout, Program
from saligned.symbolic.machine import ACTION_LIMIT, StackMachine
from saligned.text.units import Measure, asked_unit, measure, unit_after

__all__ = ["convert_units", "mixes_units"]

CONVERSIONS = frozenset(map(Fraction, (7, 10, 12, 24, 30, 60, 100, 365, 1000, 10000, 100000)))

Units = Counter[Measure]  # with exponents


def mixes_units(program: Program, reading: Reading, layout: OperandLayout) -> bool:
    """Whether two units of one kind but different size meet where they must be the same."""
    machine: StackMachine[Units | None] = StackMachine(layout.max_unknowns)
    asked = _asked(program, reading)
    units = [*_constants(layout), *[_units(asked)] * layout.max_unknowns, *map(_units, _quantities(reading))]
    for action in program:
        if action.kind is Kind.GENERATE:
            machine = machine.generate()
        elif action.kind is Kind.PUSH:
            machine = machine.push(units[action.operand])
        else:
            second, top = machine.stack[-2:]
            if second is not None and top is not None:
                if action.kind not in (Kind.MULTIPLY, Kind.DIVIDE) and _differ(second, top):
                    return True
                if action.kind is Kind.EQUAL and _has_quotient(top, asked):
                    return True
            machine = machine.combine(_join(action.kind, second, top)) if action.kind in OPERATORS else machine.equal()
    return False


def convert_units(program: Program, reading: Reading, layout: OperandLayout) -> Program | None:
    """The same program with its quantities converted to one size a kind, that of the question if it names one.

    A quantity that is converted is pushed with its factor behind it; if all are of one size, the result is converted
    instead. None when the model has no such constants, or the program would be too long.
    """
    asked, quantities, first = _asked(program, reading), _quantities(reading), layout.quantity(0)
    operands = [action.operand for action in program if action.kind is Kind.PUSH]
    found = Counter(known for operand in operands if operand >= first and (known := quantities[operand - first]))
    targets = {kind: max(found, key=lambda m: (m[0] == kind, found[m], m[1]))[1] for kind, _ in found}
    of_result: list[Action] | None = []
    if asked and asked[0] in targets:
        one_size = sum(kind == asked[0] for kind, _ in found) == 1
        if one_size and operands[0] == layout.unknown(0) not in operands[1:]:
            of_result = _conversion(targets[asked[0]] / asked[1], layout)
        else:
            targets[asked[0]] = asked[1]
    converted: list[Action] = []
    for action in program[:-1]:
        known = quantities[action.operand - first] if action.operand >= first else None
        factor = _conversion(known[1] / targets[known[0]], layout) if known else []
        if factor is None or of_result is None:
            return None
        converted += [action, *factor]
    mended = (*converted, *(of_result or ()), program[-1])
    return mended if len(program) < len(mended) <= ACTION_LIMIT else None


def _conversion(factor: Fraction, layout: OperandLayout) -> list[Action] | None:
    """The actions that multiply the top by a factor; None when no one or two constants make it."""
    if factor == 1:
        return []
    kind = Kind.MULTIPLY if factor > 1 else Kind.DIVIDE
    wanted = factor if factor > 1 else 1 / factor
    constants = {c: i for i, c in enumerate(layout.constants) if c in CONVERSIONS}
    for one, index in constants.items():
        if one == wanted:
            return [Action(Kind.PUSH, index), Action(kind)]
    for one, index in constants.items():
        if wanted / one in constants:
            other = constants[wanted / one]
            return [Action(Kind.PUSH, index), Action(kind), Action(Kind.PUSH, other), Action(kind)]
    return None


def _asked(program: Program, reading: Reading) -> Measure | None:
    """The unit of the question, which is that of an only unknown."""
    unknowns = sum(action.kind is Kind.GENERATE for action in program)
    return measure(asked_unit(reading.text)) if unknowns == 1 else None


def _quantities(reading: Reading) -> list[Measure | None]:
    text = reading.text
    return [measure(text[quantity.end : unit_after(text, quantity.end)]) for quantity in reading.quantities]


def _constants(layout: OperandLayout) -> Iterator[Units | None]:
    """A conversion makes units unknown."""
    return (None if constant in CONVERSIONS else Counter() for constant in layout.constants)


def _units(known: Measure | None) -> Units:
    return Counter([known] if known else [])


def _sizes(units: Units, kind: str) -> dict[Fraction, int]:
    return {size: exponent for (its, size), exponent in units.items() if its == kind}


def _differ(a: Units, b: Units) -> bool:
    """Whether both have one plain unit of some kind, and not the same."""
    for kind in {kind for kind, _ in a}:
        ours, theirs = _sizes(a, kind), _sizes(b, kind)
        if [*ours.values()] == [*theirs.values()] == [1] and ours != theirs:
            return True
    return False


def _has_quotient(units: Units, asked: Measure | None) -> bool:
    """Whether grams by kilograms are left, where they should have cancelled; 克每千克 may be what is asked for."""
    kinds = {kind for kind, _ in units} - {asked[0] if asked else ""}
    return any(sorted(_sizes(units, kind).values()) == [-1, 1] for kind in kinds)


def _join(kind: Kind, second: Units | None, top: Units | None) -> Units | None:
    """The units of a result."""
    if second is None or top is None:
        return None
    if kind in (Kind.ADD, Kind.SUBTRACT):
        return second or top
    joined = Counter(second)
    joined.update(top) if kind is Kind.MULTIPLY else joined.subtract(top)
    return Counter({unit: exponent for unit, exponent in joined.items() if exponent})
