"""Greedy and beam search over programs, batched; the symbolic machine says what is legal.

The network proposes (`Engine.step`), the machine disposes (`StackMachine.legal`). Nothing here computes an
answer, and nothing here knows whether the engine is ONNX Runtime or PyTorch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from saligned.symbolic.actions import OPERATORS, Action, Kind, OperandLayout, Program
from saligned.symbolic.machine import ACTION_LIMIT, StackMachine
from saligned.text.arrays import Ints

Floats = NDArray[np.float32]

# A hypothesis ten thousand times less likely than the best of its problem is given up.
MARGIN = float(np.log(1e4))
# The logarithm of no probability at all: finite, so that arithmetic needs no special cases.
IMPOSSIBLE = np.float32(-1e9)
UNLIKELIEST = IMPOSSIBLE / 2
# Finished problems leave the batch when this share is left: copying the encodings costs about half a step.
COMPACT = 0.7


class Engine(Protocol):
    """The network as the search sees it: named arrays in, named arrays out."""

    def encode(self, inputs: Mapping[str, Ints]) -> Mapping[str, Any]:
        """Read a batch of problems once."""

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """One decoding step of all hypotheses (B, S, …) of all problems."""

    def combine(self, operator: int, tops: Floats, seconds: Floats) -> Floats:
        """The meanings (N, D) that an operator makes of pairs; `operator` counts through `OPERATORS`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the network preferred at one step, over legal choices only."""

    actions: Floats  # (7,) log-probabilities
    operands: Floats  # (O,) log-probabilities
    attention: Floats  # (T,)
    gates: Floats  # (6,)


@dataclass(frozen=True, slots=True)
class Focus:
    """The words that operands were made from."""

    unknowns: Floats  # (U, T) attention of the variable generation
    quantities: Floats  # (N, T) self-attention of the operands; zeros in models without it


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A program under construction, with the vectors its machine carries."""

    machine: StackMachine[Floats]
    score: float
    program: Program
    decisions: tuple[Decision, ...]
    result: Floats  # res_t
    hidden: Floats
    cell: Floats
    focus: Focus


@dataclass(slots=True)
class _Beam:
    """The hypotheses of one problem."""

    live: list[Hypothesis]
    finished: list[Hypothesis]
    operands: Floats  # (O, D)


def search(
    engine: Engine,
    inputs: Mapping[str, Ints],
    layout: OperandLayout,
    *,
    width: int = 5,
    limit: int = ACTION_LIMIT,
) -> list[list[Hypothesis]]:
    """For each problem its finished hypotheses, best first. Width 1 is the paper's greedy decoding."""
    encoding = dict(engine.encode(inputs))
    beams = []
    for row, count in enumerate(inputs["counts"]):
        start: StackMachine[Floats] = StackMachine(layout.max_unknowns, limit)
        operands = encoding["operands"][row, : layout.quantity(int(count))]
        nothing = np.zeros_like(operands[0])
        length = int(inputs["lengths"][row])
        focus = Focus(
            encoding["unknown_attention"][row, :, :length],
            encoding["operand_attention"][row, :count, :length],
        )
        first = Hypothesis(start, 0.0, (), (), nothing, encoding["hidden"][row], encoding["cell"][row], focus)
        beams.append(_Beam([first], [], operands))
    active = beams
    while any(beam.live for beam in active):
        alive = [row for row, beam in enumerate(active) if beam.live]
        if len(alive) <= COMPACT * len(active):
            encoding = {name: array[alive] for name, array in encoding.items()}
            active = [active[row] for row in alive]
        outputs = engine.step(encoding, _stack_states(active))
        actions, operands = _log_probabilities(active, outputs, layout)
        scores = _joint_scores(active, actions, operands, width)
        details = (actions, operands, outputs["attention"], outputs["gates"])
        successors = [
            (beam, parent, score, action, Decision(*(array[row, slot] for array in details)), (row, slot))
            for row, beam in enumerate(active)
            for score, slot, action in _best(scores[row], width)
            for parent in (beam.live[slot],)
        ]
        results = _combine(engine, [(parent.machine, action) for _, parent, _, action, _, _ in successors])
        for beam in active:
            beam.live = []
        for (beam, parent, score, action, decision, place), result in zip(successors, results, strict=True):
            machine, vector = _advance(parent.machine, action, result, beam.operands, layout)
            child = Hypothesis(
                machine,
                score,
                (*parent.program, action),
                (*parent.decisions, decision),
                vector,
                outputs["hidden"][place],
                outputs["cell"][place],
                parent.focus,
            )
            (beam.finished if machine.done else beam.live).append(child)
    return [sorted(beam.finished, key=lambda h: -h.score)[:width] for beam in beams]


def _stack_states(beams: Sequence[_Beam]) -> dict[str, Floats]:
    """The states of all live hypotheses, (B, S, …); zeros where there are fewer."""
    some = next(beam.live[0] for beam in beams if beam.live)
    shape = (len(beams), max(len(beam.live) for beam in beams))
    sizes = {name: len(some.result) for name in ("result", "top", "second")}
    sizes |= {name: len(some.hidden) for name in ("hidden", "cell")}
    state = {name: np.zeros((*shape, size), dtype=np.float32) for name, size in sizes.items()}
    for row, beam in enumerate(beams):
        for column, hypothesis in enumerate(beam.live):
            state["result"][row, column] = hypothesis.result
            state["hidden"][row, column] = hypothesis.hidden
            state["cell"][row, column] = hypothesis.cell
            stack = hypothesis.machine.stack
            if stack:
                state["top"][row, column] = stack[-1]
            if len(stack) > 1:
                state["second"][row, column] = stack[-2]
    return state


def _log_probabilities(
    beams: Sequence[_Beam], outputs: Mapping[str, Floats], layout: OperandLayout
) -> tuple[Floats, Floats]:
    """Of the actions (B, S, 7) and operands (B, S, O), over what is legal in each state."""
    legal = np.zeros(outputs["actions"].shape, dtype=bool)
    exists = np.zeros(outputs["operands"].shape, dtype=bool)
    for row, beam in enumerate(beams):
        for slot, hypothesis in enumerate(beam.live):
            legal[row, slot] = _legal_mask(hypothesis.machine.legal())
            exists[row, slot, : len(beam.operands)] = True
            exists[row, slot, layout.unknown(hypothesis.machine.generated) : layout.unknown(layout.max_unknowns)] = (
                False
            )
    return _log_softmax(outputs["actions"], legal), _log_softmax(outputs["operands"], exists)


@cache
def _legal_mask(kinds: tuple[Kind, ...]) -> NDArray[np.bool_]:
    """Which of the seven kinds are among these."""
    return np.array([kind in kinds for kind in Kind])


def _joint_scores(beams: Sequence[_Beam], actions: Floats, operands: Floats, width: int) -> Floats:
    """The scores of all successors, (B, S, 7 + O): an action each, then a push of each operand.

    What is too unlikely to win is `IMPOSSIBLE`.
    """
    if width == 1:  # the paper's greedy decoding takes the action first, then the operand (§ Inference)
        actions = np.where(actions == actions.max(-1, keepdims=True), actions, IMPOSSIBLE)
    scores = np.concatenate([actions, actions[..., Kind.PUSH, None] + operands], -1)
    scores[..., Kind.PUSH] = IMPOSSIBLE
    for row, beam in enumerate(beams):
        for slot, hypothesis in enumerate(beam.live):
            scores[row, slot] += hypothesis.score
        scores[row, len(beam.live) :] = IMPOSSIBLE
        finished = max((hypothesis.score for hypothesis in beam.finished), default=IMPOSSIBLE)
        floor = max(finished, scores[row].max()) - MARGIN
        if len(beam.finished) >= width:
            floor = finished
        scores[row][scores[row] <= floor] = IMPOSSIBLE
    return scores


def _best(scores: Floats, width: int) -> list[tuple[float, int, Action]]:
    """The best successors of one problem: score, hypothesis, action."""
    flat = scores.ravel()
    order = np.argsort(-flat, kind="stable")[:width]
    choices = []
    for place in order[flat[order] > UNLIKELIEST]:
        slot, column = divmod(int(place), scores.shape[1])
        action = Action(Kind(column)) if column < len(Kind) else Action(Kind.PUSH, column - len(Kind))
        choices.append((float(flat[place]), slot, action))
    return choices


def _combine(engine: Engine, applications: Sequence[tuple[StackMachine[Floats], Action]]) -> list[Floats | None]:
    """What the operators among the chosen actions produce, one call an operator."""
    results: list[Floats | None] = [None] * len(applications)
    for operator, kind in enumerate(OPERATORS):
        chosen = [i for i, (_, action) in enumerate(applications) if action.kind is kind]
        if chosen:
            tops, seconds = (np.stack([applications[i][0].stack[at] for i in chosen]) for at in (-1, -2))
            for i, result in zip(chosen, engine.combine(operator, tops, seconds), strict=True):
                results[i] = result
    return results


def _advance(
    machine: StackMachine[Floats], action: Action, result: Floats | None, operands: Floats, layout: OperandLayout
) -> tuple[StackMachine[Floats], Floats]:
    """The machine after one more action, and the vector that the action produced (res_t)."""
    if result is not None:
        return machine.combine(result), result
    if action.kind is Kind.GENERATE:
        return machine.generate(), operands[layout.unknown(machine.generated)]
    if action.kind is Kind.PUSH:
        return machine.push(operands[action.operand]), operands[action.operand]
    machine = machine.equal()
    return machine, machine.stack[-1] if machine.stack else np.zeros_like(operands[0])


def _log_softmax(logits: Floats, allowed: NDArray[np.bool_]) -> Floats:
    """Over what is allowed; `IMPOSSIBLE` or less elsewhere."""
    masked = np.where(allowed, logits, IMPOSSIBLE)
    masked -= masked.max(-1, keepdims=True)
    masked -= np.log(np.exp(masked).sum(-1, keepdims=True))
    return masked
