"""How sure to be of an answer: from the probabilities of programs to "right nine times in ten".

1. `weigh`: the answer whose programs are together the most likely. An answer with a signal (`signals`) is taken only
   when every answer has one; otherwise its probability goes to the others.
2. `Calibration`: that likelihood, bent so that it means what it says.

The bend is beta calibration (Kull et al., AISTATS 2017), three numbers a search: greedy and beam differ. Expected
calibration error in five-fold cross-validation on Math23K's validation problems, 20 times:

| model, search   | as it is | Platt | isotonic | beta  |
|-----------------|----------|-------|----------|-------|
| zh-char, greedy | 0.074    | 0.043 | 0.027    | 0.035 |
| zh-char, beam 5 | 0.093    | 0.024 | 0.029    | 0.022 |
| zh-word, greedy | 0.090    | 0.042 | 0.023    | 0.015 |
| zh-word, beam 5 | 0.114    | 0.035 | 0.026    | 0.020 |
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from saligned.errors import ModelError
from saligned.problem import Failure
from saligned.runtime.signals import Signal
from saligned.runtime.solution import Candidate
from saligned.symbolic.solving import Answer

__all__ = [
    "BINS",
    "UNCALIBRATED",
    "Calibration",
    "Curve",
    "Verdict",
    "calibration_error",
    "fit_curve",
    "reliability",
    "weigh",
]

BINS = 10
# What is left of the confidence in an answer with a signal, rounded up from 0.025: on Ape210K 3 of 329 such answers
# were right (greedy and beam), with a mean likelihood of 0.37; on Math23K none of 135.
DOUBT = 0.05
# Likelihoods are kept this far from 0 and 1, where their logarithms would rule the fit.
EDGE = 1e-4
# Far less than a problem's weight: keeps the fit finite where right and wrong are cleanly apart.
RIDGE = 1e-3

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer that the programs come to, how likely they make it, and what is odd about it."""

    answers: tuple[Answer, ...] | Failure
    likelihood: float
    signals: tuple[Signal, ...] = ()


def weigh(candidates: Sequence[Candidate]) -> Verdict:
    """The most likely answer without a signal, else the most likely one, else the best program's failure.

    Preferring answers without signals solved 16 (zh-char) and 14 (zh-word) more of the 1,000 validation problems of
    Math23K on which the signals were chosen, and lost none; 35 more and 1 lost of 2,993 of Ape210K.
    """
    likelihood: dict[tuple[Answer, ...], float] = {}
    signals: dict[tuple[Answer, ...], tuple[Signal, ...]] = {}
    for candidate in candidates:  # the likeliest first
        if not isinstance(candidate.answers, Failure):
            likelihood[candidate.answers] = likelihood.get(candidate.answers, 0.0) + candidate.probability
            signals.setdefault(candidate.answers, candidate.signals)
    if not likelihood:
        return Verdict(candidates[0].answers, 0.0)
    chosen = max(likelihood, key=lambda answers: (not signals[answers], likelihood[answers]))
    excluded = sum(likelihood[answers] for answers in likelihood if signals[answers] and answers != chosen)
    share = likelihood[chosen] if signals[chosen] else likelihood[chosen] / max(EDGE, 1.0 - excluded)
    return Verdict(chosen, min(1.0, share), signals[chosen])


@dataclass(frozen=True, slots=True)
class Curve:
    """sigmoid(rise · ln p − fall · ln(1 − p) + offset); it never falls, because both slopes are at least 0."""

    rise: float = 1.0
    fall: float = 1.0
    offset: float = 0.0

    def at(self, likelihood: float) -> float:
        """The share of answers this likely that are right.

        >>> round(Curve().at(0.3), 6), round(Curve(1, 1, -1).at(0.5), 2)
        (0.3, 0.27)
        """
        inside = min(max(likelihood, EDGE), 1 - EDGE)
        return 1 / (1 + exp(-self.rise * log(inside) + self.fall * log(1 - inside) - self.offset))


IDENTITY = Curve()


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curves of a model; the identity until they are fitted."""

    greedy: Curve = IDENTITY
    beam: Curve = IDENTITY

    def confidence(self, verdict: Verdict, *, beam: int) -> float:
        """How often an answer like this one is right."""
        if isinstance(verdict.answers, Failure):
            return 0.0
        curve = self.greedy if beam == 1 else self.beam
        # Not bent at all without a fit: the edges would turn a likelihood of 1 into 0.9999.
        share = verdict.likelihood if curve == IDENTITY else curve.at(verdict.likelihood)
        return share * DOUBT if verdict.signals else share

    def to_dict(self) -> dict[str, list[float]]:
        """As the card has it."""
        return {
            name: [round(value, 4) for value in (curve.rise, curve.fall, curve.offset)]
            for name, curve in (("greedy", self.greedy), ("beam", self.beam))
        }

    @classmethod
    def from_card(cls, card: dict[str, Any]) -> Self:
        """The calibration that a card has; ModelError when it is damaged."""
        try:
            curves = card.get("calibration", {})
            return cls(**{name: Curve(*map(float, curves[name])) for name in ("greedy", "beam") if name in curves})
        except (TypeError, ValueError) as error:
            raise ModelError(f"the calibration of {card.get('name')!r} is damaged; install the model again") from error


UNCALIBRATED = Calibration()


def fit_curve(likelihoods: Sequence[float], correct: Sequence[bool]) -> Curve:
    """The curve of greatest likelihood by Newton's method, with slopes of at least 0.

    >>> fit_curve([0.9, 0.9, 0.9, 0.9, 0.2, 0.2], [True, True, False, False, False, False]).at(0.9) < 0.6
    True
    """
    features = _features(np.array(likelihoods, dtype=float))
    truth = np.array(correct, dtype=float)
    free = [0, 1, 2]
    while True:
        weights = np.zeros(3)
        weights[free] = _newton(features[:, free], truth)
        if weights[:2].min() >= 0:
            return Curve(*map(float, weights))
        free.remove(int(np.argmin(weights[:2])))


def calibration_error(confidences: Sequence[float], correct: Sequence[bool]) -> float:
    """The expected calibration error: how far confidence and accuracy are apart, on average over equal bins.

    >>> calibration_error([0.95, 0.95, 0.95, 0.95], [True, True, True, False])
    0.2
    """
    rows = reliability(confidences, correct)
    total = sum(row["problems"] for row in rows)
    gaps = sum(row["problems"] * abs(row["confidence"] - row["accuracy"]) for row in rows)
    return round(gaps / max(1, total), 6)


def reliability(confidences: Sequence[float], correct: Sequence[bool]) -> list[dict[str, float]]:
    """For each tenth of the confidence: how many problems, their mean confidence, and how many are right."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, is_right in zip(confidences, correct, strict=True):
        bins.setdefault(min(BINS - 1, int(confidence * BINS)), []).append((confidence, is_right))
    return [
        {
            "from": number / BINS,
            "problems": len(rows),
            "confidence": sum(confidence for confidence, _ in rows) / len(rows),
            "accuracy": sum(is_right for _, is_right in rows) / len(rows),
        }
        for number, rows in sorted(bins.items())
    ]


def _features(likelihoods: Doubles) -> Doubles:
    inside = np.clip(likelihoods, EDGE, 1 - EDGE)
    return np.stack([np.log(inside), -np.log(1 - inside), np.ones_like(inside)], -1)


def _sigmoid(values: Doubles) -> Doubles:
    return np.asarray(1 / (1 + np.exp(-values)))


def _newton(features: Doubles, truth: Doubles) -> Doubles:
    """Logistic regression; 25 steps are plenty for three weights."""
    weights = np.zeros(features.shape[1])
    ridge = RIDGE * np.eye(len(weights))
    for _ in range(25):
        shares = _sigmoid(features @ weights)
        gradient = features.T @ (truth - shares) - RIDGE * weights
        weights = weights + np.linalg.solve((features.T * (shares * (1 - shares))) @ features + ridge, gradient)
    return weights
