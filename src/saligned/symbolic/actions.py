"""The stack actions of the paper (§ Stack Actions) and the operands that `push` can name.

| action   | paper                 | effect on the stack                        | legal when                       |
|----------|-----------------------|--------------------------------------------|----------------------------------|
| GENERATE | variable generation   | none; one more unknown may be pushed       | before everything else           |
| PUSH     | push                  | the chosen operand is put on top           | an unknown exists, room to end   |
| ADD …    | operator application  | the top two become `second operator top`   | two elements                     |
| EQUAL    | equal application     | the top two become the equation `second = top` | exactly two elements         |

`StackMachine.legal` decides; a program is a sequence of actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from saligned.problem import Quantity
from saligned.symbolic.expression import Expression, Number, Operator, Unknown


class Kind(IntEnum):
    """What an action does; the value is its index in the action selector's output."""

    GENERATE = 0
    PUSH = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    EQUAL = 6


OPERATORS: dict[Kind, Operator] = {
    Kind.ADD: Operator.ADD,
    Kind.SUBTRACT: Operator.SUBTRACT,
    Kind.MULTIPLY: Operator.MULTIPLY,
    Kind.DIVIDE: Operator.DIVIDE,
}
KINDS: dict[Operator, Kind] = {operator: kind for kind, operator in OPERATORS.items()}


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a program; `operand` is an index into the operands of the problem, for PUSH only."""

    kind: Kind
    operand: int = -1


Program = tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class OperandLayout:
    """The order of a problem's operands: external constants, unknowns, then the quantities of the text.

    >>> layout = OperandLayout((Fraction(1), Fraction("3.14")), max_unknowns=1)
    >>> layout.unknown(0), layout.quantity(0)
    (2, 3)
    """

    constants: tuple[Fraction, ...]
    max_unknowns: int

    def unknown(self, index: int) -> int:
        """The operand index of an unknown."""
        return len(self.constants) + index

    def quantity(self, index: int) -> int:
        """The operand index of a quantity of the text."""
        return len(self.constants) + self.max_unknowns + index

    def expressions(self, quantities: Sequence[Quantity]) -> list[Expression]:
        """The symbolic part of every operand."""
        names = "x" if self.max_unknowns == 1 else "xyzuvw"
        return [
            *(Number(constant) for constant in self.constants),
            *(Unknown(names[index]) for index in range(self.max_unknowns)),
            *(Number(quantity.value, quantity.form) for quantity in quantities),
        ]
