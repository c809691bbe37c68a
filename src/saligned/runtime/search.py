"""Greedy and beam search over programs, batched; the symbolic machine says what is legal.

The network proposes (`Engine.step`), the machine disposes (`StackMachine.legal`). Nothing here computes an
answer, and nothing here knows whether the engine is ONNX Runtime or PyTorch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from saligned.symbolic.actions import OPERATORS, Action, Kind, OperandLayout, Program
from saligned.symbolic.machine import ACTION_LIMIT, StackMachine
from saligned.text.arrays import Ints

Floats = NDArray[np.float32]

# A hypothesis a hundred thousand times less likely than a finished one will not win any more.
MARGIN = float(np.log(1e5))
# Finished problems leave the batch when this share is left: copying the encodings costs about half a step.
COMPACT = 0.7


class Engine(Protocol):
    """The network as the search sees it: named arrays in, named arrays out."""

    def encode(self, inputs: Mapping[str, Ints]) -> Mapping[str, Any]:
        """Read a batch of problems once."""

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """One decoding step of all hypotheses (B, S, …) of all problems."""


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
        for row, beam in enumerate(active):
            _expand(beam, {name: array[row] for name, array in outputs.items()}, layout, width)
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


def _expand(beam: _Beam, outputs: Mapping[str, Floats], layout: OperandLayout, width: int) -> None:
    """Replace the live hypotheses of a problem by their best legal successors."""
    candidates = []
    for slot, hypothesis in enumerate(beam.live):
        row = {name: array[slot] for name, array in outputs.items()}
        decision = _decide(hypothesis.machine, row, len(beam.operands), layout)
        for score, action in _choices(decision, width):
            candidates.append((hypothesis.score + score, hypothesis, action, decision, row))
    candidates.sort(key=lambda candidate: -candidate[0])
    beam.live = []
    for score, parent, action, decision, row in candidates[:width]:
        machine, result = _advance(parent.machine, action, row, beam.operands, layout)
        child = Hypothesis(
            machine,
            score,
            (*parent.program, action),
            (*parent.decisions, decision),
            result,
            row["hidden"],
            row["cell"],
            parent.focus,
        )
        (beam.finished if machine.done else beam.live).append(child)
    if beam.finished:
        best = max(hypothesis.score for hypothesis in beam.finished)
        floor = best if len(beam.finished) >= width else best - MARGIN
        beam.live = [hypothesis for hypothesis in beam.live if hypothesis.score > floor]


def _decide(machine: StackMachine[Floats], row: Mapping[str, Floats], count: int, layout: OperandLayout) -> Decision:
    """Log-probabilities over what is legal."""
    legal = list(machine.legal())
    actions = np.full(len(Kind), -np.inf, dtype=np.float32)
    actions[legal] = _log_softmax(row["actions"][legal])
    operands = np.full(count, -np.inf, dtype=np.float32)
    existing = [operand for operand in range(count) if machine.can_push(operand, layout)]
    operands[existing] = _log_softmax(row["operands"][existing])
    return Decision(actions, operands, row["attention"], row["gates"])


def _choices(decision: Decision, width: int) -> list[tuple[float, Action]]:
    """The best actions of one state; greedy search takes the action first, then the operand (§ Inference)."""
    kinds = np.argsort(-decision.actions)
    if width == 1:
        kinds = kinds[:1]
    choices = []
    for kind in map(Kind, kinds):
        score = float(decision.actions[kind])
        if score == -np.inf:
            break
        if kind is not Kind.PUSH:
            choices.append((score, Action(kind)))
            continue
        best = (int(operand) for operand in np.argsort(-decision.operands)[:width])
        choices.extend(
            (score + float(decision.operands[operand]), Action(kind, operand))
            for operand in best
            if decision.operands[operand] > -np.inf
        )
    return choices


def _advance(
    machine: StackMachine[Floats],
    action: Action,
    row: Mapping[str, Floats],
    operands: Floats,
    layout: OperandLayout,
) -> tuple[StackMachine[Floats], Floats]:
    """The machine after one more action, and the vector that the action produced (res_t)."""
    if action.kind is Kind.GENERATE:
        return machine.generate(), operands[layout.unknown(machine.generated)]
    if action.kind is Kind.PUSH:
        return machine.push(operands[action.operand]), operands[action.operand]
    if action.kind is Kind.EQUAL:
        machine = machine.equal()
        return machine, machine.stack[-1] if machine.stack else np.zeros_like(operands[0])
    result = row["results"][list(OPERATORS).index(action.kind)]
    return machine.combine(result), result


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())  # type: ignore[no-any-return]
