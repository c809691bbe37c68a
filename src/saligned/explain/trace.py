"""The trace: one solution as a plain dict, from which text, figures, page and API are drawn.

Every key is described in docs/trace.md. `VERSION` changes when a key changes its meaning or goes away.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from saligned.explain.words import nearby
from saligned.problem import Failure, Reading
from saligned.runtime.search import UNLIKELIEST, Decision, Floats, Focus
from saligned.runtime.solution import Candidate, Solution
from saligned.symbolic.actions import OPERATORS, Action, Kind
from saligned.symbolic.expression import Equation, Expression, Number, Unknown, evaluate
from saligned.symbolic.machine import StackMachine, advance
from saligned.symbolic.notation import to_infix, to_latex, to_mathml
from saligned.symbolic.numbers import format_number
from saligned.symbolic.solving import exact_string

__all__ = ["VERSION", "make_trace"]

VERSION = 1
CHOICES = 6
WORDS = 5
DIGITS = 6  # of weights and probabilities: a trace of 10 steps and 60 tokens is then 20 kB of JSON

Dict = dict[str, Any]


def make_trace(solution: Solution) -> Dict:
    """The trace of a solution; a text that could not be read has empty lists."""
    reading, best = solution.reading, solution.best
    trace: Dict = {
        "version": VERSION,
        "text": solution.text,
        "model": solution.model,
        "status": "solved" if solution.solved else "failed",
        "reason": None if solution.failure is None else str(solution.failure),
        "answer": solution.answer,
        "value": solution.value,
        "confidence": round(solution.confidence, DIGITS),
        "warnings": [str(signal) for signal in solution.warnings],
        "tokens": [],
        "quantities": [],
        "operands": [],
        "equations": [],
        "steps": [],
        "calculation": solution.to_dict()["steps"],
        "self_attention": None,
        "alternatives": [_alternative(candidate) for candidate in solution.alternatives],
    }
    if reading is not None and best is not None:
        trace["tokens"] = [{"form": t.form, "start": t.start, "end": t.end} for t in reading.tokens]
        trace["quantities"] = _quantities(reading)
        trace["operands"] = _operands(solution.operands, len(reading.quantities))
        trace["equations"] = [_equation(equation) for equation in best.equations]
        trace["steps"] = _Replay(reading, solution.operands, best.hypothesis.focus).steps(best)
        trace["self_attention"] = _self_attention(best.hypothesis.focus)
    return trace


def label(expression: Expression) -> str:
    """An expression as a block of the stack shows it: a fraction on its own needs no brackets.

    >>> from saligned.symbolic.notation import parse_expression
    >>> label(parse_expression("(1/4)")), label(parse_expression("240*(1/4)"))
    ('1/4', '240 × (1/4)')
    """
    text = to_infix(expression, pretty=True)
    if isinstance(expression, Number) and text.startswith("("):
        return text.removeprefix("(").removesuffix(")")
    return text


class _Replay:
    """The stack of expressions beside the words that each of them attends to."""

    def __init__(self, reading: Reading, operands: Sequence[Expression], focus: Focus) -> None:
        self.reading = reading
        self.operands = operands
        self.focus = focus
        self.first_quantity = len(operands) - len(reading.quantities)
        self.first_unknown = next(i for i, operand in enumerate(operands) if isinstance(operand, Unknown))
        self.made = 0  # elements so far, the last one's id
        self.machine: StackMachine[Expression] = StackMachine(len(focus.unknowns))
        self.stack: list[Dict] = []

    def steps(self, candidate: Candidate) -> list[Dict]:
        """One entry for each action of the program."""
        hypothesis = candidate.hypothesis
        return [
            self._step(action, decision)
            for action, decision in zip(hypothesis.program, hypothesis.decisions, strict=True)
        ]

    def _step(self, action: Action, decision: Decision) -> Dict:
        length, half = len(self.reading.tokens), len(decision.gates) // 2
        before = self.stack
        self.stack, equation = self._advance(action, decision.attention[:length])
        pushes = action.kind is Kind.PUSH
        return {
            "action": action.kind.name.lower(),
            "probability": _probability(decision.actions[action.kind]),
            "operand": action.operand if pushes else None,
            "operand_probability": _probability(decision.operands[action.operand]) if pushes else None,
            "choices": _choices(action, decision),
            "attention": _rounded(decision.attention[:length]),
            "gates": {"action": _rounded(decision.gates[:half]), "operand": _rounded(decision.gates[half:])},
            "stack_before": before,
            "stack_after": self.stack,
            "equation": equation,
        }

    def _advance(self, action: Action, attention: Floats) -> tuple[list[Dict], Dict | None]:
        """The stack after an action, and the equation that it completed."""
        self.machine = advance(self.machine, action, self.operands)
        if action.kind is Kind.PUSH:
            return [*self.stack, self._element(self._words(action.operand), [])], None
        if action.kind in OPERATORS:
            parts = [element["id"] for element in self.stack[-2:]]
            return [*self.stack[:-2], self._element(_heaviest(attention), parts)], None
        if action.kind is Kind.EQUAL:
            return self.stack[:-2], _equation(Equation(*self.machine.equations[-1]))
        return self.stack, None

    def _element(self, words: list[Dict], parts: list[int]) -> Dict:
        """The element that has just come to the top of the stack."""
        self.made += 1
        expression = self.machine.stack[-1]
        value = evaluate(expression)
        return {
            "id": self.made,
            "from": parts,
            "symbol": label(expression),
            "infix": to_infix(expression),
            "mathml": to_mathml(expression),
            "value": None if isinstance(value, Failure) else format_number(value),
            "words": words,
        }

    def _words(self, operand: int) -> list[Dict]:
        """The words that an operand was made from; external constants have none."""
        if isinstance(self.operands[operand], Unknown):
            return _heaviest(self.focus.unknowns[operand - self.first_unknown])
        if operand < self.first_quantity:
            return []
        quantity = operand - self.first_quantity
        return _heaviest(self.focus.quantities[quantity]) or nearby(self.reading, quantity, WORDS)


def _quantities(reading: Reading) -> list[Dict]:
    return [
        {
            "value": format_number(quantity.value),
            "form": quantity.form,
            "start": quantity.start,
            "end": quantity.end,
            "kind": quantity.kind,
            "token": position,
        }
        for quantity, position in zip(reading.quantities, reading.positions, strict=True)
    ]


def _operands(operands: Sequence[Expression], quantities: int) -> list[Dict]:
    """Constants, unknowns, then the quantities of the text."""
    first = len(operands) - quantities
    out = []
    for index, operand in enumerate(operands):
        kind = "quantity" if index >= first else "constant"
        out.append(
            {
                "symbol": label(operand),
                "value": format_number(operand.value) if isinstance(operand, Number) else None,
                "kind": "unknown" if isinstance(operand, Unknown) else kind,
                "quantity": index - first if index >= first else None,
            }
        )
    return out


def _equation(equation: Equation) -> Dict:
    return {
        "infix": to_infix(equation),
        "pretty": to_infix(equation, pretty=True),
        "latex": to_latex(equation),
        "mathml": to_mathml(equation),
    }


def _choices(taken: Action, decision: Decision) -> list[Dict]:
    """The likeliest actions with their joint probability, best first; the one taken is always among them."""
    joint = {
        Action(kind): float(decision.actions[kind])
        for kind in Kind
        if kind is not Kind.PUSH and decision.actions[kind] > UNLIKELIEST
    }
    push = float(decision.actions[Kind.PUSH])
    for operand, score in enumerate(decision.operands):
        if push + score > UNLIKELIEST:
            joint[Action(Kind.PUSH, operand)] = push + float(score)
    ranked = sorted(joint, key=lambda action: -joint[action])
    shown = ranked[:CHOICES] if taken in ranked[:CHOICES] else [*ranked[: CHOICES - 1], taken]
    return [
        {
            "action": action.kind.name.lower(),
            "operand": action.operand if action.kind is Kind.PUSH else None,
            "probability": _probability(joint[action]),
        }
        for action in shown
    ]


def _alternative(candidate: Candidate) -> Dict:
    answers = candidate.answers
    failure = answers if isinstance(answers, Failure) else None
    texts = [] if isinstance(answers, Failure) else [exact_string(answer) for answer in answers]
    return {
        "equations": [to_infix(equation) for equation in candidate.equations],
        "pretty": [to_infix(equation, pretty=True) for equation in candidate.equations],
        "mathml": [to_mathml(equation) for equation in candidate.equations],
        "answer": (texts[0] if len(texts) == 1 else texts) if texts else None,
        "reason": None if failure is None else str(failure),
        "probability": round(candidate.probability, DIGITS),
    }


def _self_attention(focus: Focus) -> Dict | None:
    """Only the self-attention variant has weights here."""
    if not focus.quantities.any():
        return None
    return {"quantities": [_rounded(row) for row in focus.quantities]}


def _heaviest(weights: Floats) -> list[Dict]:
    """The tokens with most weight; none where the model has no attention."""
    order = np.argsort(-weights, kind="stable")[:WORDS]
    return [{"token": int(i), "weight": round(float(weights[i]), DIGITS)} for i in order if weights[i] > 0]


def _probability(logarithm: float) -> float:
    return round(float(np.exp(logarithm)), DIGITS)


def _rounded(values: Floats) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
