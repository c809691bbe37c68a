"""A solver whose network is a script: what the page shows is then known, whatever model is shipped.

By the number of quantities: a → x = a + 1; a, b → x = a − b; a, b, c → x = a × (1 − b) − c; more are unused.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from saligned.config import Config
from saligned.runtime.search import Floats
from saligned.runtime.solver import Solver
from saligned.symbolic.actions import Action, Kind, OperandLayout
from saligned.text.arrays import Ints
from saligned.text.vocabulary import SPECIALS, Vocabulary
from tests.scripted import log_softmax

SIZE = 4
LENGTH = 12
LAYOUT = OperandLayout(Config().layout.constants, 1)
ONE = Action(Kind.PUSH, 0)


def script(quantities: int) -> list[Action]:
    """The program for so many quantities."""
    a, b, c = (Action(Kind.PUSH, LAYOUT.quantity(index)) for index in range(3))
    add, subtract, multiply = Action(Kind.ADD), Action(Kind.SUBTRACT), Action(Kind.MULTIPLY)
    body = {1: [a, ONE, add], 2: [a, b, subtract]}.get(quantities, [a, ONE, b, subtract, multiply, c, subtract])
    return [Action(Kind.GENERATE), Action(Kind.PUSH, LAYOUT.unknown(0)), *body, Action(Kind.EQUAL)]


class ScriptedEngine:
    """Implements `saligned.runtime.search.Engine`; the hidden state counts the steps."""

    def encode(self, inputs: Mapping[str, Ints]) -> dict[str, Any]:
        rows, width = inputs["tokens"].shape
        programs = np.full((rows, LENGTH, 2), (Kind.EQUAL, 0))
        for row, count in enumerate(inputs["counts"]):
            for step, action in enumerate(script(int(count))):
                programs[row, step] = action.kind, max(0, action.operand)
        most = inputs["positions"].shape[1]
        asked = np.zeros((rows, 1, width), dtype=np.float32)
        for row, length in enumerate(inputs["lengths"]):
            asked[row, 0, max(0, length - 4) : length] = 0.25
        return {
            "operands": np.zeros((rows, LAYOUT.quantity(most), SIZE), dtype=np.float32),
            "unknown_attention": asked,
            "operand_attention": np.zeros((rows, most, width), dtype=np.float32),
            "hidden": np.zeros((rows, SIZE), dtype=np.float32),
            "cell": np.zeros((rows, SIZE), dtype=np.float32),
            "programs": programs,
            "positions": inputs["positions"],
            "width": np.full(rows, width),
        }

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Floats]:
        rows, owners = len(state["hidden"]), state["owners"]
        width, operands = int(encoding["width"][0]), encoding["operands"].shape[1]
        out = {
            "actions": np.zeros((rows, len(Kind)), dtype=np.float32),
            "operands": np.tile(-0.3 * np.arange(operands, dtype=np.float32), (rows, 1)),
            "attention": np.zeros((rows, width), dtype=np.float32),
            "gates": np.full((rows, 6), 0.5, dtype=np.float32),
            "hidden": state["hidden"] + 1,
            "cell": state["cell"],
        }
        for row, owner in enumerate(owners):
            at = min(LENGTH - 1, int(state["hidden"][row, 0]))
            kind, operand = encoding["programs"][owner, at]
            out["actions"][row, kind] = 4
            out["operands"][row, operand] = 3
            quantity = max(0, operand - LAYOUT.quantity(0))
            near = np.abs(np.arange(width) - encoding["positions"][owner, quantity] - 1)
            out["attention"][row] = np.exp(-near) / np.exp(-near).sum()
            out["gates"][row] = (0.35, 0.9, 0.6, 0.2, 0.45, 0.95)
        out["actions"] = log_softmax(out["actions"], state["legal"])
        out["operands"] = log_softmax(out["operands"], state["exists"])
        return out

    def combine(self, operator: int, tops: Floats, seconds: Floats) -> Floats:
        return np.zeros_like(tops)


def scripted_solver(name: str = "scripted") -> Solver:
    """A solver that follows the script."""
    return Solver(name, Config(), Vocabulary(SPECIALS), ScriptedEngine())
