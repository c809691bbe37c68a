"""From programs to an answer and its confidence; what a confidence means."""

import json
import shutil
from fractions import Fraction
from itertools import pairwise
from math import log
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.errors import ModelError
from saligned.problem import Failure, Problem, Reason
from saligned.runtime.confidence import (
    DOUBT,
    UNCALIBRATED,
    Calibration,
    Curve,
    Verdict,
    calibration_error,
    fit_curve,
    reliability,
    weigh,
)
from saligned.runtime.evaluation import add_calibration, evaluate, summarize_confidence
from saligned.runtime.models import CARD, PRETRAINED, load
from saligned.runtime.signals import Signal
from saligned.runtime.solution import Candidate
from tests.problems import PROBLEMS

UNSURE = "小明有12支铅笔，送给妹妹5支，还剩多少支？"


def candidate(value: Fraction | Failure, probability: float, *signals: Signal) -> Candidate:
    hypothesis: Any = SimpleNamespace(score=log(probability))
    return Candidate((), value if isinstance(value, Failure) else (value,), hypothesis, signals)


def test_programs_with_the_same_answer_count_together() -> None:
    programs = [candidate(Fraction(1), 0.4), candidate(Fraction(2), 0.3), candidate(Fraction(2), 0.2)]
    verdict = weigh(programs)
    assert verdict.answers == (Fraction(2),)
    assert verdict.likelihood == pytest.approx(0.5)
    assert not verdict.signals


def test_an_answer_without_a_signal_is_preferred_and_gets_the_others_share() -> None:
    odd = candidate(Fraction(15, 2), 0.6, Signal.NOT_WHOLE)
    verdict = weigh([odd, candidate(Fraction(8), 0.3), candidate(Fraction(7), 0.1)])
    assert verdict.answers == (Fraction(8),)
    assert verdict.likelihood == pytest.approx(0.3 / 0.4)
    assert not verdict.signals


def test_where_every_answer_has_a_signal_the_likeliest_is_doubted() -> None:
    odd = candidate(Fraction(15, 2), 0.6, Signal.NOT_WHOLE)
    verdict = weigh([odd, candidate(Fraction(-8), 0.3, Signal.NEGATIVE)])
    assert verdict == Verdict((Fraction(15, 2),), pytest.approx(0.6), (Signal.NOT_WHOLE,))
    assert UNCALIBRATED.confidence(verdict, beam=5) == pytest.approx(0.6 * DOUBT)


def test_failures_are_no_answers() -> None:
    failure = Failure(Reason.DIVISION_BY_ZERO)
    assert weigh([candidate(failure, 0.9), candidate(Fraction(3), 0.05)]).answers == (Fraction(3),)
    verdict = weigh([candidate(failure, 0.9)])
    assert verdict.answers == failure
    assert Calibration(Curve(1, 1, 5)).confidence(verdict, beam=1) == 0


def test_greedy_and_beam_have_their_own_curves() -> None:
    verdict = Verdict((Fraction(1),), 0.5)
    calibration = Calibration(greedy=Curve(1, 1, -1), beam=Curve(1, 1, 1))
    assert calibration.confidence(verdict, beam=1) < 0.5 < calibration.confidence(verdict, beam=2)
    assert UNCALIBRATED.confidence(verdict, beam=5) == 0.5


def test_a_fit_recovers_a_true_curve() -> None:
    rng = np.random.default_rng(1)
    true = Curve(0.6, 0.4, -0.5)
    likelihoods = rng.uniform(0.01, 0.99, 10_000)
    shares = np.array([true.at(value) for value in likelihoods])
    correct = rng.uniform(size=len(shares)) < shares
    fitted = fit_curve(likelihoods, correct)
    after = [fitted.at(value) for value in likelihoods]
    assert calibration_error(likelihoods, correct) > 0.05
    assert calibration_error(after, correct) < 0.015


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=40))
def test_a_curve_never_falls_and_stays_between_0_and_1(rows: list[tuple[float, bool]]) -> None:
    curve = fit_curve(*zip(*rows, strict=True))
    values = [curve.at(value) for value in np.linspace(0, 1, 30)]
    assert all(0 <= value <= 1 for value in values)
    assert all(left <= right + 1e-9 for left, right in pairwise(values))


def test_reliability_counts_every_problem() -> None:
    rows = reliability([0.0, 0.05, 0.55, 1.0], [False, True, True, True])
    assert [(row["from"], row["problems"], row["accuracy"]) for row in rows] == [(0, 2, 0.5), (0.5, 1, 1), (0.9, 1, 1)]
    assert calibration_error([], []) == 0


def test_a_card_keeps_the_curves() -> None:
    calibration = Calibration(Curve(0.5, 0.25, -1), Curve(2, 0, 1))
    assert Calibration.from_card({"calibration": calibration.to_dict()}) == calibration
    assert Calibration.from_card({}) == UNCALIBRATED
    with pytest.raises(ModelError, match="damaged"):
        Calibration.from_card({"name": "broken", "calibration": {"beam": ["high"]}})


def test_calibration_is_added_to_a_model(tmp_path: Path) -> None:
    directory = tmp_path / "model"
    shutil.copytree(PRETRAINED / "zh-char", directory)
    card = json.loads((directory / CARD).read_text(encoding="utf-8"))
    del card["calibration"]
    (directory / CARD).write_text(json.dumps(card), encoding="utf-8")
    raw = load(directory).solve(UNSURE)
    wrong = [Problem(problem.id, problem.text, answers=(Fraction(-1),)) for problem in PROBLEMS]
    problems = [*PROBLEMS[:8], *wrong[:16]]
    add_calibration(directory, problems)
    solver = load(directory)
    assert solver.solve(UNSURE).confidence < raw.confidence
    figures = summarize_confidence(evaluate(solver, problems, beam=5))
    assert figures["calibration_error"] < 0.1


@pytest.mark.parametrize("name", ["zh-char", "zh-word"])
def test_shipped_models_are_calibrated(name: str) -> None:
    assert load(name).calibration != UNCALIBRATED


def test_answers_less_sure_than_required_are_failures() -> None:
    solver = load("zh-char")
    sure = solver.solve(UNSURE)
    assert solver.solve(UNSURE, min_confidence=sure.confidence - 0.01).answer == sure.answer == "7"
    unsure = solver.solve(UNSURE, min_confidence=1)
    assert unsure.failure is not None
    assert unsure.failure.reason is Reason.UNSURE
    row = unsure.to_dict()
    assert (row["status"], row["answer"], row["value"], row["steps"]) == ("failed", None, None, [])
    assert row["confidence"] == round(sure.confidence, 4)
    assert [solution.solved for solution in solver.solve_many([UNSURE, UNSURE], min_confidence=1)] == [False, False]
