"""What a solver returns: the answer with its equation, steps, confidence and alternatives, or a failure."""

from dataclasses import dataclass, replace
from math import exp
from typing import Any, Self, TypeVar

from saligned.problem import Failure, Reading, Reason
from saligned.runtime.search import Hypothesis
from saligned.runtime.signals import Signal
from saligned.symbolic.expression import Equation, Expression
from saligned.symbolic.notation import to_infix
from saligned.symbolic.numbers import format_number
from saligned.symbolic.solving import Answer, as_float, exact_string
from saligned.symbolic.steps import Step, calculation_steps

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One finished program: what it says and what comes out."""

    equations: tuple[Equation, ...]
    answers: tuple[Answer, ...] | Failure
    hypothesis: Hypothesis  # the program, and all that the network saw on the way
    signals: tuple[Signal, ...] = ()  # what is odd about it

    @property
    def score(self) -> float:
        """The log-probability of the program."""
        return self.hypothesis.score

    @property
    def probability(self) -> float:
        """How likely the model finds this program."""
        return exp(self.score)


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome for one text. `failure` is set exactly when there is no answer."""

    text: str
    model: str
    reading: Reading | None = None
    best: Candidate | None = None
    alternatives: tuple[Candidate, ...] = ()
    confidence: float = 0.0
    failure: Failure | None = None
    operands: tuple[Expression, ...] = ()  # what the programs' operand indices mean
    warnings: tuple[Signal, ...] = ()  # what is odd about the answer

    @property
    def solved(self) -> bool:
        """Whether there is an answer."""
        return self.failure is None

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The exact values of the unknowns; empty when failed."""
        if self.best is None or not self.solved or isinstance(self.best.answers, Failure):
            return ()
        return self.best.answers

    @property
    def answer(self) -> str | list[str] | None:
        """The exact answer as text ("13", "5/12", "2.75"); a list for several unknowns."""
        return _one_or_all([exact_string(answer) for answer in self.answers]) if self.answers else None

    @property
    def value(self) -> float | int | list[float | int] | None:
        """The answer as a number; a list for several unknowns."""
        return _one_or_all([_plain(as_float(answer)) for answer in self.answers]) if self.answers else None

    @property
    def equations(self) -> list[str]:
        """The equations in plain notation."""
        return [to_infix(equation) for equation in self.best.equations] if self.best else []

    @property
    def steps(self) -> tuple[Step, ...]:
        """The calculation, one operation at a time."""
        return calculation_steps(self.best.equations) if self.best and self.solved else ()

    def require(self, confidence: float) -> Self:
        """This solution, or a failure that says how sure the guess was, if that is less than what is required."""
        if not self.solved or self.confidence >= confidence:
            return self
        detail = f"the confidence of its best guess is {self.confidence:.0%}, {confidence:.0%} is required"
        return replace(self, failure=Failure(Reason.UNSURE, detail))

    def to_dict(self, id: str = "") -> dict[str, Any]:  # noqa: A002
        """The JSON of the command line, of batches and of the API."""
        out: dict[str, Any] = {
            "id": id,
            "text": self.text,
            "status": "solved" if self.solved else "failed",
            "answer": self.answer,
            "value": self.value,
            "equations": self.equations,
            "confidence": round(self.confidence, 4),
            "warnings": [str(signal) for signal in self.warnings],
            "steps": [_step(step) for step in self.steps],
            "alternatives": [_alternative(candidate) for candidate in self.alternatives],
            "model": self.model,
        }
        if self.failure is not None:
            out["reason"] = str(self.failure)
        return out


def failed(text: str, model: str, reason: Reason, detail: str = "") -> Solution:
    """The solution of a text that could not even be read."""
    return Solution(text, model, failure=Failure(reason, detail))


def _one_or_all(values: list[T]) -> T | list[T]:
    """One unknown has a value, several have a list."""
    return values[0] if len(values) == 1 else values


def _plain(value: float) -> float | int:
    """7 rather than 7.0."""
    return int(value) if value == int(value) else value


def _step(step: Step) -> dict[str, str]:
    numbers = {name: format_number(getattr(step, name)) for name in ("left", "right", "value")}
    return {"operator": step.operator.value, **numbers}


def _alternative(candidate: Candidate) -> dict[str, Any]:
    answers = candidate.answers
    failed = isinstance(answers, Failure)
    return {
        "equations": [to_infix(equation) for equation in candidate.equations],
        "answer": None if isinstance(answers, Failure) else _one_or_all([exact_string(answer) for answer in answers]),
        "reason": str(answers) if failed else None,
        "probability": round(candidate.probability, 4),
    }
