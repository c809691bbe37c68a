"""Where two systems differ: problems only one of them solves, and the kinds of error, computed from the equations."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from saligned.errors import DataError, NotationError
from saligned.experiments.crossval import PREDICTIONS
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, Unknown, leaves
from saligned.symbolic.notation import parse_equation

OTHER_EQUATION = "right value by another equation"
NO_EQUATION = "no answer"
MISSING_QUANTITY = "missing quantity"
EXTRA_QUANTITY = "extra quantity"
MISSING_CONSTANT = "missing constant"
EXTRA_CONSTANT = "extra constant"
SWAPPED = "swapped operands"
WRONG_OPERATOR = "wrong operator"
OTHER_ORDER = "the same symbols in another order"
UNCOMPARABLE = "the gold equation cannot be read"
# Problems of so many operations or quantities are counted together.
MANY = 7


@dataclass(frozen=True, slots=True)
class Pair:
    """One problem with what both systems made of it."""

    first: dict[str, Any]
    second: dict[str, Any]


def kinds_of(row: dict[str, Any]) -> tuple[str, ...]:
    """What is wrong with a prediction, the first kind first; empty when its equation is the gold one.

    1. a correct answer by another program is no error, but a kind of its own;
    2. the numbers are compared as multisets; numbers of the text are quantities, others (and 1) are constants;
    3. with the same numbers, trees that agree up to the order of operands have swapped operands;
    4. other operators are a wrong operator; what is left has the same symbols in another order.
    """
    if row["correct"]:
        return () if row["same_equation"] else (OTHER_EQUATION,)
    if not row["equations"]:
        return (NO_EQUATION,)
    try:
        made = [parse_equation(equation) for equation in row["equations"]]
        gold = [parse_equation(equation) for equation in row["gold"]]
    except NotationError:
        return (UNCOMPARABLE,)
    quantities = {Fraction(value) for value in row["quantities"]} - {Fraction(1)}
    numbers = tuple(_number_kinds(_numbers(made), _numbers(gold), quantities))
    if numbers:
        return numbers
    if [_sorted(tree) for tree in made] == [_sorted(tree) for tree in gold]:
        return (SWAPPED,)
    if _operators(made) != _operators(gold):
        return (WRONG_OPERATOR,)
    return (OTHER_ORDER,)


def read_predictions(path: Path) -> list[dict[str, Any]]:
    """The rows of a prediction file, of the run directory that holds one, or of all folds of a system's directory."""
    files = sorted(path.glob(f"fold*/{PREDICTIONS}")) or [path / PREDICTIONS if path.is_dir() else path]
    try:
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise DataError(f"{path} holds no predictions: {error}; run saligned crossval first") from error


def pair_up(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Pair]:
    """The problems that both systems were asked."""
    by_id = {row["id"]: row for row in second}
    pairs = [Pair(row, by_id[row["id"]]) for row in first if row["id"] in by_id]
    if not pairs:
        raise DataError("the two runs share no problem; compare runs of the same fold")
    return pairs


def count(pairs: Sequence[Pair], names: tuple[str, str]) -> dict[str, Any]:
    """How often what happens: plain values that quote nothing of the data set."""
    first = Counter(kind for pair in pairs for kind in kinds_of(pair.first))
    second = Counter(kind for pair in pairs for kind in kinds_of(pair.second))
    kinds = sorted({*first, *second}, key=lambda kind: (-first[kind] - second[kind], kind))
    right = Counter((pair.first["correct"], pair.second["correct"]) for pair in pairs)
    return {
        "systems": list(names),
        "problems": len(pairs),
        "both": right[True, True],
        "only": [right[True, False], right[False, True]],
        "neither": right[False, False],
        "kinds": {kind: [first[kind], second[kind]] for kind in kinds},
        "operations": _by_size(pairs, _operations),
        "quantities": _by_size(pairs, lambda row: len(row["quantities"])),
    }


def _number_kinds(made: Counter[Fraction], gold: Counter[Fraction], quantities: set[Fraction]) -> Iterator[str]:
    missing, extra = set(gold - made), set(made - gold)
    if missing & quantities:
        yield MISSING_QUANTITY
    if extra & quantities:
        yield EXTRA_QUANTITY
    if missing - quantities:
        yield MISSING_CONSTANT
    if extra - quantities:
        yield EXTRA_CONSTANT


def _numbers(trees: Sequence[Equation]) -> Counter[Fraction]:
    return Counter(leaf.value for tree in trees for leaf in leaves(tree) if isinstance(leaf, Number))


def _operators(trees: Sequence[Equation]) -> Counter[Operator]:
    def walk(tree: Expression) -> Iterator[Operator]:
        if isinstance(tree, Operation):
            yield tree.operator
            yield from walk(tree.left)
            yield from walk(tree.right)

    return Counter(operator for tree in trees for side in (tree.left, tree.right) for operator in walk(side))


def _sorted(tree: Expression | Equation) -> str:
    """A tree with the operands of every operator in a fixed order, as text."""
    if isinstance(tree, Number):
        return str(tree.value)
    if isinstance(tree, Unknown):
        return tree.name
    sign = "=" if isinstance(tree, Equation) else tree.operator.value
    left, right = sorted((_sorted(tree.left), _sorted(tree.right)))
    return f"({left} {sign} {right})"


def _by_size(pairs: Sequence[Pair], measure: Callable[[dict[str, Any]], int | None]) -> dict[str, tuple[int, int, int]]:
    """For each size how many problems have it, and how many of these each system solves."""
    groups: dict[str, list[Pair]] = {}
    for pair in sorted(pairs, key=lambda pair: _or_last(measure(pair.first))):
        size = measure(pair.first)
        name = "unreadable" if size is None else str(size) if size < MANY else f"{MANY} or more"
        groups.setdefault(name, []).append(pair)
    return {
        name: (len(group), sum(p.first["correct"] for p in group), sum(p.second["correct"] for p in group))
        for name, group in groups.items()
    }


def _operations(row: dict[str, Any]) -> int | None:
    try:
        return sum(_operators([parse_equation(equation) for equation in row["gold"]]).values())
    except NotationError:
        return None


def _or_last(size: int | None) -> float:
    return float("inf") if size is None else size
