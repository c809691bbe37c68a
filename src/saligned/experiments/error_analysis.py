"""Where two systems differ: problems only one of them solves, and the kinds of error, computed from the equations.

saligned errors runs/seq2seq-sni/fold0 runs/paper-word/fold0 --out errors.md
"""

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
    """The rows of a prediction file, or of the run directory that holds one."""
    file = path / PREDICTIONS if path.is_dir() else path
    try:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise DataError(f"{file} holds no predictions: {error}; run saligned crossval first") from error


def pair_up(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Pair]:
    """The problems that both systems were asked."""
    by_id = {row["id"]: row for row in second}
    pairs = [Pair(row, by_id[row["id"]]) for row in first if row["id"] in by_id]
    if not pairs:
        raise DataError("the two files share no problem; compare runs of the same fold")
    return pairs


def make_page(pairs: Sequence[Pair], names: tuple[str, str], *, limit: int = 50) -> str:
    """The page: counts, kinds, accuracy by size, then the problems; at most `limit` of each group and kind."""
    groups = {
        f"Only {names[0]} solves": [p for p in pairs if p.first["correct"] and not p.second["correct"]],
        f"Only {names[1]} solves": [p for p in pairs if p.second["correct"] and not p.first["correct"]],
        "Neither solves": [p for p in pairs if not p.first["correct"] and not p.second["correct"]],
    }
    both = sum(p.first["correct"] and p.second["correct"] for p in pairs)
    lines = [f"# {names[0]} and {names[1]}", "", f"{len(pairs)} problems; both solve {both}.", ""]
    lines += [f"- {title}: {len(group)}" for title, group in groups.items()]
    lines += ["", *_kind_table(pairs, names), *_size_tables(pairs, names)]
    for title, group in groups.items():
        lines += [f"## {title} ({len(group)})", "", *_group(group, names, limit)]
    return "\n".join(lines) + "\n"


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


def _kind_table(pairs: Sequence[Pair], names: tuple[str, str]) -> list[str]:
    first, second = (Counter(kind for row in rows for kind in kinds_of(row)) for rows in _columns(pairs))
    lines = ["## Kinds", "", f"| kind | {names[0]} | {names[1]} |", "|---|---:|---:|"]
    kinds = sorted({*first, *second}, key=lambda kind: (-first[kind] - second[kind], kind))
    return [*lines, *(f"| {kind} | {first[kind]} | {second[kind]} |" for kind in kinds), ""]


def _size_tables(pairs: Sequence[Pair], names: tuple[str, str]) -> list[str]:
    measures: dict[str, Callable[[dict[str, Any]], int | None]] = {
        "operations": _operations,
        "quantities": lambda row: len(row["quantities"]),
    }
    lines = []
    for title, measure in measures.items():
        lines += [
            f"## Accuracy by number of {title}",
            "",
            f"| {title} | problems | {names[0]} | {names[1]} |",
            "|---|---:|---:|---:|",
        ]
        sizes: dict[str, list[Pair]] = {}
        for pair in sorted(pairs, key=lambda pair: _or_last(measure(pair.first))):
            size = measure(pair.first)
            sizes.setdefault("unreadable" if size is None else str(size), []).append(pair)
        for size_name, group in sizes.items():
            shares = [sum(row["correct"] for row in rows) / len(group) for rows in _columns(group)]
            lines.append(f"| {size_name} | {len(group)} | {shares[0]:.1%} | {shares[1]:.1%} |")
        lines.append("")
    return lines


def _operations(row: dict[str, Any]) -> int | None:
    try:
        return sum(_operators([parse_equation(equation) for equation in row["gold"]]).values())
    except NotationError:
        return None


def _or_last(size: int | None) -> float:
    return float("inf") if size is None else size


def _group(group: Sequence[Pair], names: tuple[str, str], limit: int) -> list[str]:
    """The problems of a group, sorted by what is wrong with the one that fails."""
    by_kind: dict[str, list[Pair]] = {}
    for pair in group:
        wrong = pair.second if pair.first["correct"] else pair.first
        by_kind.setdefault(
            (kinds_of(wrong) or ("the gold equation, which does not give the gold answer",))[0], []
        ).append(pair)
    lines = []
    for kind, members in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0])):
        lines += [f"### {kind} ({len(members)})", ""]
        for pair in members[:limit]:
            lines += [
                f"- **{pair.first['id']}** {pair.first['text']}",
                f"  - gold: `{'; '.join(pair.first['gold'])}` → {', '.join(pair.first['gold_answers'])}",
                *(f"  - {name}: {_made(row)}" for name, row in zip(names, (pair.first, pair.second), strict=True)),
            ]
        lines.append("")
    return lines


def _made(row: dict[str, Any]) -> str:
    if not row["equations"]:
        return f"no equation ({row['reason']})"
    outcome = row["answer"] if row["status"] == "solved" else row["reason"]
    return f"`{'; '.join(row['equations'])}` → {outcome}{' ✓' if row['correct'] else ''}"


def _columns(pairs: Sequence[Pair]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return [pair.first for pair in pairs], [pair.second for pair in pairs]
