"""The stack machine, written once: it carries expressions, vectors, or both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Generic, TypeVar

from saligned.problem import Failure, Reason
from saligned.symbolic.actions import OPERATORS, Action, Kind, OperandLayout
from saligned.symbolic.expression import Equation, Expression, Operation

T = TypeVar("T")

# The authors' code stops after 40 actions; one equation of Math23K needs more.
ACTION_LIMIT = 40


@dataclass(frozen=True, slots=True)
class StackMachine(Generic[T]):
    """An immutable state: hypotheses of a beam share what they have in common.

    A run begins by generating its unknowns; it is done when it has as many equations as unknowns.
    The limit is part of legality: an action after which the program could no longer end is illegal,
    so every legal walk ends.
    """

    max_unknowns: int = 1
    limit: int = ACTION_LIMIT
    stack: tuple[T, ...] = ()
    equations: tuple[tuple[T, T], ...] = ()
    generated: int = 0
    length: int = 0

    @property
    def done(self) -> bool:
        """Whether there is an equation for each unknown."""
        return 0 < self.generated == len(self.equations)

    @property
    def top(self) -> T | None:
        """The element an operator would take as its right operand."""
        return self.stack[-1] if self.stack else None

    @property
    def second(self) -> T | None:
        """The element an operator would take as its left operand."""
        return self.stack[-2] if len(self.stack) > 1 else None

    def legal(self) -> tuple[Kind, ...]:
        """The kinds of action that may come next."""
        owed, left = self.generated - len(self.equations), self.limit - self.length - 1
        fresh = self.generated == self.length and self.generated < self.max_unknowns
        return () if self.done else _legal(len(self.stack), owed, left, fresh)

    def can_push(self, operand: int, layout: OperandLayout) -> bool:
        """Whether an operand exists yet: an unknown does once it was generated."""
        return not layout.unknown(self.generated) <= operand < layout.unknown(layout.max_unknowns)

    def generate(self) -> "StackMachine[T]":
        """Make one more unknown available."""
        return self._next(self.stack, self.equations, self.generated + 1)

    def push(self, element: T) -> "StackMachine[T]":
        """Put an operand on top."""
        return self._next((*self.stack, element), self.equations, self.generated)

    def combine(self, element: T) -> "StackMachine[T]":
        """Replace the top two elements by what an operator made of them."""
        return self._next((*self.stack[:-2], element), self.equations, self.generated)

    def equal(self) -> "StackMachine[T]":
        """Turn the top two elements into an equation."""
        equation = (self.stack[-2], self.stack[-1])
        return self._next(self.stack[:-2], (*self.equations, equation), self.generated)

    def _next(self, stack: tuple[T, ...], equations: tuple[tuple[T, T], ...], generated: int) -> "StackMachine[T]":
        return StackMachine(self.max_unknowns, self.limit, stack, equations, generated, self.length + 1)


@lru_cache(maxsize=4096)
def _legal(depth: int, owed: int, left: int, fresh: bool) -> tuple[Kind, ...]:
    """What may come next with `depth` elements, `owed` equations missing and room for `left` more actions after it.

    Cached, because a search asks for the same few states at every step.
    """
    kinds = []
    if fresh and 3 * (owed + 1) <= left:
        kinds.append(Kind.GENERATE)
    if owed and _actions_to_finish(depth + 1, owed) <= left:
        kinds.append(Kind.PUSH)
    if depth >= 2 and _actions_to_finish(depth - 1, owed) <= left:
        kinds.extend(OPERATORS)
    if depth == 2:
        kinds.append(Kind.EQUAL)
    return tuple(kinds)


def _actions_to_finish(depth: int, owed: int) -> int:
    """The fewest actions from `depth` elements to `owed` equations: operators, `=`, three for each other."""
    missing = max(0, 2 - depth)
    surplus = max(0, depth - 2)
    return missing + surplus + 1 + 3 * (owed - 1)


def run(
    program: Sequence[Action],
    operands: Sequence[Expression],
    layout: OperandLayout,
    limit: int = ACTION_LIMIT,
) -> tuple[Equation, ...] | Failure:
    """The equations that a program writes."""
    machine: StackMachine[Expression] = StackMachine(layout.max_unknowns, limit)
    for step, action in enumerate(program):
        if action.kind not in machine.legal():
            if action.kind in replace(machine, limit=limit + 4 * (len(program) + 1)).legal():
                return Failure(Reason.ACTION_LIMIT, f"{limit} actions")
            return Failure(Reason.ILLEGAL_ACTION, f"{action.kind.name} at step {step + 1}")
        if action.kind is Kind.PUSH and not 0 <= action.operand < len(operands):
            return Failure(Reason.ILLEGAL_ACTION, f"no operand {action.operand}, at step {step + 1}")
        if action.kind is Kind.PUSH and not machine.can_push(action.operand, layout):
            return Failure(Reason.ILLEGAL_ACTION, f"unknown pushed before it was generated, at step {step + 1}")
        machine = advance(machine, action, operands)
    if not machine.done:
        return Failure(Reason.INCOMPLETE, f"{len(machine.stack)} elements left on the stack")
    return tuple(Equation(left, right) for left, right in machine.equations)


def advance(
    machine: StackMachine[Expression], action: Action, operands: Sequence[Expression]
) -> StackMachine[Expression]:
    """One legal action on a stack of expressions."""
    if action.kind is Kind.GENERATE:
        return machine.generate()
    if action.kind is Kind.PUSH:
        return machine.push(operands[action.operand])
    if action.kind is Kind.EQUAL:
        return machine.equal()
    left, right = machine.stack[-2:]
    return machine.combine(Operation(OPERATORS[action.kind], left, right))
