"""The search with an engine without weights: a script says what it prefers, the machine what is legal."""

import zlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.problem import Failure, Quantity
from saligned.runtime.search import UNLIKELIEST, Floats, search
from saligned.symbolic.actions import Action, Kind, OperandLayout
from saligned.symbolic.machine import ACTION_LIMIT, run
from saligned.text.arrays import Ints, inputs
from tests.scripted import log_softmax

ONE = OperandLayout((Fraction(1), Fraction("3.14")), max_unknowns=1)
X, A, B = ONE.unknown(0), ONE.quantity(0), ONE.quantity(1)
RESULT = 100.0  # results of operators are 100, 101, …; operands are their index + 1
MEMORY = ACTION_LIMIT + 2

History = tuple[float, ...]
Script = Callable[[int, History], tuple[Floats, Floats]]  # problem, results so far → logits


class ScriptedEngine:
    """Remembers in `hidden` the results it was given; `cell` counts them."""

    def __init__(self, layout: OperandLayout, script: Script) -> None:
        self.layout, self.script = layout, script
        self.rows: list[int] = []
        self.stacks: list[tuple[float, float]] = []
        self.results: list[float] = []

    def encode(self, inputs: Mapping[str, Ints]) -> dict[str, Any]:
        problems, quantities = inputs["positions"].shape
        operands = np.arange(1, self.layout.quantity(quantities) + 1, dtype=np.float32)
        return {
            "problem": inputs["tokens"][:, 0],
            "operands": np.broadcast_to(operands[:, None], (problems, len(operands), 1)),
            "hidden": np.zeros((problems, MEMORY), dtype=np.float32),
            "cell": np.zeros((problems, 1), dtype=np.float32),
            "unknown_attention": np.ones((problems, self.layout.max_unknowns, 1), dtype=np.float32),
            "operand_attention": np.zeros((problems, quantities, 1), dtype=np.float32),
        }

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Floats]:
        hidden, cell = state["hidden"].copy(), state["cell"] + 1
        rows, owners = len(hidden), state["owners"]
        self.rows.append(rows)
        self.stacks.append((float(state["top"][0, 0]), float(state["second"][0, 0])))
        self.results.append(float(state["result"][0, 0]))
        actions = np.zeros((rows, len(Kind)), dtype=np.float32)
        operands = np.zeros((rows, encoding["operands"].shape[1]), dtype=np.float32)
        for row, owner in enumerate(owners):
            count = int(cell[row, 0])
            hidden[row, count - 1] = state["result"][row, 0]
            history = tuple(hidden[row, 1:count].tolist())  # the first result is no result
            actions[row], operands[row] = self.script(int(encoding["problem"][owner]), history)
        return {
            "actions": log_softmax(actions, state["legal"]),
            "operands": log_softmax(operands, state["exists"]),
            "attention": np.zeros((rows, 1), dtype=np.float32),
            "gates": np.ones((rows, 6), dtype=np.float32),
            "hidden": hidden,
            "cell": cell,
        }

    def combine(self, operator: int, tops: Floats, seconds: Floats) -> Floats:
        assert tops.shape == seconds.shape
        return np.full_like(tops, RESULT + operator)


def texts(counts: list[int], first: int = 0) -> dict[str, Ints]:
    """Texts of one word, the number of the problem, with so many quantities."""
    tokens = [np.array([first + row], dtype=np.int64) for row in range(len(counts))]
    positions = [np.zeros(count, dtype=np.int64) for count in counts]
    return inputs(tokens, positions, [np.zeros((count, 4), dtype=np.int64) for count in counts])


def logs(size: int, shares: Mapping[int, float]) -> Floats:
    out = np.full(size, -20.0, dtype=np.float32)
    for index, share in shares.items():
        out[index] = np.log(share)
    return out


def script_of(steps: Mapping[History, tuple[Mapping[Kind, float], Mapping[int, float]]], operands: int) -> Script:
    """Probabilities by the results so far; where nothing is written, `=` when it may be, else push x."""

    def script(_: int, history: History) -> tuple[Floats, Floats]:
        kinds, pushed = steps.get(history, ({Kind.GENERATE: 0.3, Kind.EQUAL: 0.6, Kind.PUSH: 0.1}, {X: 1.0}))
        return logs(len(Kind), kinds), logs(operands, pushed)

    return script


def random_script(seed: int, operands: int) -> Script:
    """Logits that depend on problem and history only, wide enough for bold preferences."""

    def script(problem: int, history: History) -> tuple[Floats, Floats]:
        random = np.random.default_rng(zlib.crc32(repr((seed, problem, history)).encode()))
        return random.normal(0, 3, len(Kind)).astype(np.float32), random.normal(0, 3, operands).astype(np.float32)

    return script


def vector(operand: int) -> float:
    return operand + 1.0


GENERATED = (vector(X),)
X_PUSHED = (*GENERATED, vector(X))
A_PUSHED = (*X_PUSHED, vector(A))
# After `x a` the script likes push (0.5) best, but no single operand of it as much as `=` (0.4).
TEMPTING = script_of(
    {
        GENERATED: ({Kind.PUSH: 1.0}, {X: 1.0}),
        X_PUSHED: ({Kind.PUSH: 1.0}, {A: 0.9, B: 0.1}),
        A_PUSHED: ({Kind.PUSH: 0.5, Kind.EQUAL: 0.4, Kind.ADD: 0.1}, {A: 0.3, B: 0.4, X: 0.3}),
        (*A_PUSHED, vector(B)): ({Kind.MULTIPLY: 0.6, Kind.ADD: 0.4}, {X: 1.0}),
        (*A_PUSHED, vector(B), RESULT + 2): ({Kind.EQUAL: 1.0}, {X: 1.0}),
    },
    ONE.quantity(2),
)


def push(operand: int) -> Action:
    return Action(Kind.PUSH, operand)


def test_greedy_search_takes_the_best_action_and_then_its_best_operand() -> None:
    ((found,),) = search(ScriptedEngine(ONE, TEMPTING), texts([2]), ONE, width=1)
    assert found.program == (
        Action(Kind.GENERATE),
        push(X),
        push(A),
        push(B),
        Action(Kind.MULTIPLY),
        Action(Kind.EQUAL),
    )
    assert np.exp(found.score) == pytest.approx(0.9 * 0.5 * 0.4 * 0.6, rel=1e-3)


def test_a_beam_finds_what_greedy_search_misses() -> None:
    ((greedy,),) = search(ScriptedEngine(ONE, TEMPTING), texts([2]), ONE, width=1)
    (found,) = search(ScriptedEngine(ONE, TEMPTING), texts([2]), ONE, width=4)
    assert found[0].program == (Action(Kind.GENERATE), push(X), push(A), Action(Kind.EQUAL))
    assert np.exp(found[0].score) == pytest.approx(0.9 * 0.4, rel=1e-3)
    assert found[0].score > greedy.score
    assert greedy.program in [hypothesis.program for hypothesis in found]


def test_given_programs_are_followed() -> None:
    """Each hypothesis of a beam is found again, with the same score and the same decisions, also in a batch."""
    engine = ScriptedEngine(ONE, TEMPTING)
    (found,) = search(engine, texts([2]), ONE, width=4)
    again = search(engine, texts([2] * len(found)), ONE, programs=[hypothesis.program for hypothesis in found])
    for expected, (followed,) in zip(found, again, strict=True):
        assert followed.program == expected.program
        assert followed.score == pytest.approx(expected.score, abs=1e-5)
        for one, other in zip(followed.decisions, expected.decisions, strict=True):
            np.testing.assert_array_equal(one.actions, other.actions)


def test_a_decision_tells_what_was_possible() -> None:
    ((found,),) = search(ScriptedEngine(ONE, TEMPTING), texts([2]), ONE, width=1)
    assert len(found.decisions) == len(found.program)
    first, fourth = found.decisions[0], found.decisions[3]
    assert np.exp(first.actions).tolist() == [1, 0, 0, 0, 0, 0, 0], "a program begins with an unknown"
    assert np.exp(fourth.actions).sum() == pytest.approx(1, abs=1e-5)
    assert fourth.actions[Kind.GENERATE] < UNLIKELIEST
    assert np.exp(fourth.operands).sum() == pytest.approx(1, abs=1e-5)


def test_a_result_is_what_the_operator_makes() -> None:
    """`x (a*b) =`: after the product the engine saw result 102."""
    engine = ScriptedEngine(ONE, TEMPTING)
    search(engine, texts([2]), ONE, width=1)
    assert engine.results == [0, vector(X), vector(X), vector(A), vector(B), RESULT + 2]


def test_the_engine_sees_the_top_two_of_the_stack() -> None:
    engine = ScriptedEngine(ONE, TEMPTING)
    search(engine, texts([2]), ONE, width=1)
    x, a, b = vector(X), vector(A), vector(B)
    assert engine.stacks == [(0, 0), (0, 0), (x, 0), (a, x), (b, a), (RESULT + 2, x)]


LAYOUTS = st.builds(
    OperandLayout, st.sampled_from([(), (Fraction(1),), (Fraction(1), Fraction("3.14"))]), st.integers(1, 3)
)


@given(
    st.integers(0, 10_000),
    LAYOUTS,
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.integers(1, 4),
    st.integers(14, 24),
)
@settings(max_examples=40)
def test_every_program_is_legal_and_ends(
    seed: int, layout: OperandLayout, counts: list[int], width: int, limit: int
) -> None:
    engine = ScriptedEngine(layout, random_script(seed, layout.quantity(max(counts))))
    beams = search(engine, texts(counts), layout, width=width, limit=limit)
    assert max(engine.rows) <= width * len(counts)
    assert len(engine.rows) <= limit
    for count, beam in zip(counts, beams, strict=True):
        quantities = [Quantity(Fraction(i + 2), str(i + 2), i, i + 1, "integer") for i in range(count)]
        assert 1 <= len(beam) <= width
        assert [h.score for h in beam] == sorted((h.score for h in beam), reverse=True)
        assert len({h.program for h in beam}) == len(beam)
        for hypothesis in beam:
            outcome = run(hypothesis.program, layout.expressions(quantities), layout, limit)
            assert not isinstance(outcome, Failure), outcome


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=15)
def test_a_problem_alone_is_the_problem_in_a_batch(seed: int, width: int) -> None:
    counts = [3, 1, 2, 3, 1, 2, 2]
    script = random_script(seed, ONE.quantity(3))

    def cut(problem: int, history: History) -> tuple[Floats, Floats]:
        actions, operands = script(problem, history)
        return actions, operands[: ONE.quantity(counts[problem])]

    together = search(ScriptedEngine(ONE, script), texts(counts), ONE, width=width)
    for row, count in enumerate(counts):
        (alone,) = search(ScriptedEngine(ONE, cut), texts([count], first=row), ONE, width=width)
        assert [h.program for h in alone] == [h.program for h in together[row]]
        assert [h.score for h in alone] == pytest.approx([h.score for h in together[row]], abs=1e-5)


def test_finished_problems_leave_the_batch() -> None:
    """Problem 0 is done after four actions, the others push until the limit forces them to end."""

    def script(problem: int, history: History) -> tuple[Floats, Floats]:
        kind = Kind.EQUAL if problem == 0 else Kind.PUSH
        return logs(len(Kind), {kind: 1.0, Kind.GENERATE: 0.1}), logs(ONE.quantity(1), {X: 1.0})

    engine = ScriptedEngine(ONE, script)
    beams = search(engine, texts([1, 1]), ONE, width=1)
    assert [len(beam[0].program) for beam in beams] == [4, ACTION_LIMIT]
    assert engine.rows == [2] * 4 + [1] * (ACTION_LIMIT - 4)


def test_an_unknown_cannot_be_pushed_before_it_is_generated() -> None:
    layout = OperandLayout((Fraction(1),), max_unknowns=2)
    x, y, a = layout.unknown(0), layout.unknown(1), layout.quantity(0)

    def script(_: int, history: History) -> tuple[Floats, Floats]:
        kinds = {Kind.GENERATE: 0.9} if not history else {Kind.EQUAL: 0.6, Kind.PUSH: 0.3}
        return logs(len(Kind), kinds), logs(layout.quantity(1), {y: 0.9, a: 0.06, x: 0.04})

    for width in (1, 5):
        (beam,) = search(ScriptedEngine(layout, script), texts([1]), layout, width=width)
        assert beam[0].program == (Action(Kind.GENERATE), push(a), push(a), Action(Kind.EQUAL))
        for hypothesis in beam:
            generated = sum(action.kind is Kind.GENERATE for action in hypothesis.program)
            assert generated == 2 or push(y) not in hypothesis.program
        assert beam[0].decisions[1].operands[y] < UNLIKELIEST
        assert np.exp(beam[0].decisions[1].operands[a]) == pytest.approx(0.6, abs=1e-3)
