"""A network that follows a script; the solver around it is the real one, and no answer depends on weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from saligned.config import Config
from saligned.runtime.solution import Solution
from saligned.runtime.solver import Solver
from saligned.symbolic.actions import KINDS, Action, Kind
from saligned.symbolic.expression import Expression, Number, Operation, Unknown
from saligned.symbolic.notation import parse_equation
from saligned.text.tokenizers import read
from saligned.text.vocabulary import Vocabulary
from tests.scripted import log_softmax

SIZE = 4  # of every vector
SURE = 4.0  # the logit of the action that the script wants

NOTEBOOKS = "每本笔记本0.5元，每支钢笔1元。小明有10元，买了5支钢笔以后，还可以买多少本笔记本？"
BANANAS = "有58根香蕉，每个篮子装6根，要正好装满9个篮子，需要拿走多少根香蕉？"
NUMBER = "6.75减去一个数的5倍等于2.75，这个数是多少？"
ENGLISH = "There are 58 bananas. Each basket holds 6 bananas. How many bananas fill 9 baskets?"


class ScriptedEngine:
    """Implements `Engine`; the count of steps is kept in the first cell of the hidden state."""

    def __init__(self, script: list[Action], config: Config) -> None:
        self.script = script
        self.config = config

    def encode(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        rows, length = inputs["tokens"].shape
        quantities = inputs["positions"].shape[1]
        weights = np.linspace(1, 2, length, dtype=np.float32)
        attention = np.broadcast_to(weights / weights.sum(), (rows, 1, length))
        variant = self.config.operand_vectors == "self-attention"
        return {
            "operands": np.ones((rows, self.config.layout.quantity(quantities), SIZE), np.float32),
            "unknown_attention": np.repeat(attention, self.config.max_unknowns, 1),
            "operand_attention": np.repeat(attention, quantities, 1) * np.float32(variant),
            "hidden": np.zeros((rows, SIZE), np.float32),
            "cell": np.zeros((rows, SIZE), np.float32),
            "length": np.full(rows, length),
        }

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        rows = len(state["hidden"])
        actions = np.zeros((rows, len(Kind)), np.float32)
        operands = np.zeros((rows, encoding["operands"].shape[1]), np.float32)
        attention = np.full((rows, int(encoding["length"][0])), 0.01, np.float32)
        for row in range(rows):
            at = int(state["hidden"][row, 0])
            if at < len(self.script):
                actions[row, self.script[at].kind] = SURE
                operands[row, self.script[at].operand] = SURE
            attention[row, at % attention.shape[-1]] = 1
        return {
            "actions": log_softmax(actions, state["legal"]),
            "operands": log_softmax(operands, state["exists"]),
            "attention": attention / attention.sum(-1, keepdims=True),
            "gates": np.broadcast_to(np.linspace(0.1, 0.9, 6, dtype=np.float32), (rows, 6)),
            "hidden": state["hidden"] + 1,
            "cell": state["cell"],
        }

    def combine(self, operator: int, tops: Any, seconds: Any) -> Any:
        return np.ones_like(tops)


def solve_as(text: str, *equations: str, beam: int = 3, **fields: Any) -> Solution:
    """The solution of a text by a solver that writes these equations."""
    return make_solver(text, *equations, **fields).solve(text, beam=beam)


def make_solver(text: str, *equations: str, **fields: Any) -> Solver:
    """A solver that writes these equations, with the operands that have their values in this text."""
    config = Config(**fields)
    operands = config.layout.expressions(read(text, config.tokenizer).quantities)
    script = [Action(Kind.GENERATE)] * len(equations)
    for equation in map(parse_equation, equations):
        script += [
            *_actions(equation.left, operands),
            *_actions(equation.right, operands),
            Action(Kind.EQUAL),
        ]
    return Solver("scripted", config, Vocabulary.build([]), ScriptedEngine(script, config))


def _actions(tree: Expression, operands: list[Expression]) -> list[Action]:
    if isinstance(tree, Number | Unknown):
        # From the end: a quantity of the text rather than the constant of the same value.
        return [Action(Kind.PUSH, len(operands) - 1 - operands[::-1].index(tree))]
    assert isinstance(tree, Operation)
    return [*_actions(tree.left, operands), *_actions(tree.right, operands), Action(KINDS[tree.operator])]
