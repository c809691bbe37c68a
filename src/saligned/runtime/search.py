"""Greedy and beam search over programs, batched; the symbolic machine says what is legal.

The network proposes (`Engine.step`), the machine disposes (`StackMachine.legal`). Nothing here computes an
answer, and nothing here knows whether the engine is ONNX Runtime or PyTorch.

The machines carry numbers: rows of one table of meanings, which begins with the operands of all problems and grows by
what operators make. So a step's arrays are gathered at once, and a path is a few numbers and the path before it. All
live paths of all problems are the R rows of these arrays: a step costs what is alive.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from saligned.symbolic.actions import OPERATORS, Action, Kind, OperandLayout, Program
from saligned.symbolic.machine import ACTION_LIMIT, StackMachine
from saligned.text.arrays import Ints

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

# A hypothesis three hundred times less likely than the best of its problem is given up.
MARGIN = log(300)
# The logarithm of no probability at all: finite, so that arithmetic needs no special cases.
IMPOSSIBLE = -1e9
UNLIKELIEST = IMPOSSIBLE / 2
# The first meaning of the table stands for what is missing: zeros.
NOTHING = 0
# Which kinds are legal, by the sum of their powers of two.
LEGAL = (np.arange(2 ** len(Kind))[:, None] >> np.arange(len(Kind)) & 1).astype(bool)


class Engine(Protocol):
    """The network as the search sees it: named arrays in, named arrays out."""

    def encode(self, inputs: Mapping[str, Ints]) -> Mapping[str, Any]:
        """Read a batch of problems once."""

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Floats]:
        """One decoding step of all hypotheses (R, …) of all problems: log-probabilities over what is allowed.

        `owners` (R,) are their problems.
        """

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
    """A finished program, with all that the network saw on the way."""

    score: float
    program: Program
    decisions: tuple[Decision, ...]
    focus: Focus


@dataclass(slots=True, eq=False)
class _Path:
    """A program under construction: its last action, and the path before it."""

    machine: StackMachine[int]
    row: int  # of the path before it, among the rows of its step
    score: float = 0.0
    result: int = NOTHING  # res_t
    action: Action | None = None
    before: "_Path | None" = None

    def numbers(self) -> tuple[int, ...]:
        """What a step needs: the previous row, res_t, top and second as meanings, what is legal, the unknowns."""
        machine, stack = self.machine, (NOTHING, NOTHING, *self.machine.stack)
        return self.row, self.result, stack[-1], stack[-2], _legal_number(machine.legal()), machine.generated


@dataclass(slots=True, eq=False)
class _Beam:
    """The paths of one problem."""

    owner: int
    live: list[_Path]
    finished: list[_Path]


class _Choice(NamedTuple):
    """A successor that is kept."""

    beam: _Beam
    path: _Path
    row: int  # of the path
    score: float
    action: Action


def search(
    engine: Engine,
    inputs: Mapping[str, Ints],
    layout: OperandLayout,
    *,
    width: int = 5,
    limit: int = ACTION_LIMIT,
    programs: Sequence[Program] = (),
) -> list[list[Hypothesis]]:
    """For each problem its finished hypotheses, best first. Width 1 is the paper's greedy decoding.

    Given `programs`, one a problem, these are followed instead: what would the network have thought on the way?
    """
    encoding = engine.encode(inputs)
    problems, options, size = encoding["operands"].shape
    meanings = np.concatenate([np.zeros((1, size), np.float32), encoding["operands"].reshape(-1, size)])
    start: StackMachine[int] = StackMachine(layout.max_unknowns, limit)
    beams = [_Beam(owner, [_Path(start, owner)], []) for owner in range(problems)]
    exists = _existing(inputs["counts"], options, layout)
    previous: Mapping[str, Floats] = encoding
    seen: list[list[Floats]] = []  # of each step, the fields of its decisions (R, …)
    while active := [beam for beam in beams if beam.live]:
        previous = engine.step(encoding, _state(active, meanings, previous, exists))
        seen.append([previous[field] for field in Decision.__slots__])
        if programs:
            choices = _follow(active, previous["actions"], previous["operands"], programs)
        else:
            choices = _choose(active, previous["actions"], previous["operands"], width)
        made, meanings = _combine(engine, choices, meanings)
        for beam in active:
            beam.live = []
        for choice, new in zip(choices, made, strict=True):
            path = _extend(choice, new, 1 + choice.beam.owner * options, layout)
            (choice.beam.finished if path.machine.done else choice.beam.live).append(path)
    return [
        [_hypothesis(path, seen, focus) for path in sorted(beam.finished, key=lambda path: -path.score)[:width]]
        for beam, focus in zip(beams, _focuses(encoding, inputs), strict=True)
    ]


def _state(beams: Sequence[_Beam], meanings: Floats, previous: Mapping[str, Floats], exists: Flags) -> dict[str, Any]:
    """The states of all live hypotheses, (R, …)."""
    owners = np.array([beam.owner for beam in beams for _ in beam.live])
    before, result, top, second, legal, generated = np.array([path.numbers() for beam in beams for path in beam.live]).T
    return {
        "result": meanings[result],
        "top": meanings[top],
        "second": meanings[second],
        "hidden": previous["hidden"][before],
        "cell": previous["cell"][before],
        "legal": LEGAL[legal],
        "exists": exists[owners, generated],
        "owners": owners,
    }


def _choose(beams: Sequence[_Beam], actions: Floats, operands: Floats, width: int) -> list[_Choice]:
    """The best successors of each problem, best first; those too unlikely to win are left out."""
    before = np.array([path.score for beam in beams for path in beam.live])
    scores = before[:, None] + _successors(actions, operands, greedy=width == 1)  # (R, 7 + O)
    choices: list[_Choice] = []
    first = 0  # row of the beam
    for beam in beams:
        own = scores[first : first + len(beam.live)]
        best = max((path.score for path in beam.finished), default=IMPOSSIBLE)
        floor = best if len(beam.finished) >= width else max(best, own.max()) - MARGIN
        slots, columns = np.nonzero(own > floor)
        likely = sorted(zip(own[slots, columns].tolist(), slots.tolist(), columns.tolist(), strict=True), key=_unlikely)
        choices += [
            _Choice(beam, beam.live[slot], first + slot, score, _action(column))
            for score, slot, column in likely[:width]
        ]
        first += len(beam.live)
    return choices


def _follow(beams: Sequence[_Beam], actions: Floats, operands: Floats, programs: Sequence[Program]) -> list[_Choice]:
    """The next action of each problem's program."""
    scores = _successors(actions, operands, greedy=False)  # (R, 7 + O)
    choices = []
    for row, beam in enumerate(beams):
        (path,) = beam.live
        action = programs[beam.owner][path.machine.length]
        column = action.kind if action.kind is not Kind.PUSH else len(Kind) + action.operand
        choices.append(_Choice(beam, path, row, path.score + float(scores[row, column]), action))
    return choices


def _unlikely(entry: tuple[float, int, int]) -> float:
    return -entry[0]


def _successors(actions: Floats, operands: Floats, *, greedy: bool) -> Floats:
    """Log-probabilities of the actions and of a push of each operand, (R, 7 + O)."""
    pushes, others = actions[:, [Kind.PUSH]] + operands, actions.copy()
    others[:, Kind.PUSH] = IMPOSSIBLE
    if greedy:  # the paper takes the action first, then the operand (§ Inference)
        pushed = actions[:, [Kind.PUSH]] > others.max(1, keepdims=True)
        pushes, others = np.where(pushed, pushes, IMPOSSIBLE), np.where(pushed, IMPOSSIBLE, others)
    return np.concatenate([others, pushes], 1)


@cache
def _action(column: int) -> Action:
    """The action of a number: the kinds, then a push of each operand."""
    return Action(Kind(column)) if column < len(Kind) else Action(Kind.PUSH, column - len(Kind))


def _combine(engine: Engine, choices: Sequence[_Choice], meanings: Floats) -> tuple[list[int], Floats]:
    """What the operators among the choices make, one call an operator: where it is among the meanings, and these."""
    made = [NOTHING] * len(choices)
    for operator, kind in enumerate(OPERATORS):
        chosen = [i for i, choice in enumerate(choices) if choice.action.kind is kind]
        if chosen:
            tops, seconds = (meanings[[choices[i].path.machine.stack[at] for i in chosen]] for at in (-1, -2))
            for place, i in enumerate(chosen, len(meanings)):
                made[i] = place
            meanings = np.concatenate([meanings, engine.combine(operator, tops, seconds)])
    return made, meanings


def _extend(choice: _Choice, made: int, first: int, layout: OperandLayout) -> _Path:
    """The path after the action; `first` is the meaning of its problem's first operand."""
    machine, kind = choice.path.machine, choice.action.kind
    if kind is Kind.PUSH:
        result = first + choice.action.operand
        machine = machine.push(result)
    elif kind is Kind.GENERATE:
        result = first + layout.unknown(machine.generated)
        machine = machine.generate()
    elif kind is Kind.EQUAL:
        machine = machine.equal()
        result = machine.stack[-1] if machine.stack else NOTHING
    else:
        result = made
        machine = machine.combine(result)
    return _Path(machine, choice.row, choice.score, result, choice.action, choice.path)


def _hypothesis(path: _Path, seen: Sequence[Sequence[Floats]], focus: Focus) -> Hypothesis:
    """A finished path read from its end."""
    program: list[Action] = []
    decisions: list[Decision] = []
    score = path.score
    while path.before and path.action:
        program.append(path.action)
        decisions.append(Decision(*(array[path.row] for array in seen[path.before.machine.length])))
        path = path.before
    return Hypothesis(score, tuple(program[::-1]), tuple(decisions[::-1]), focus)


def _focuses(encoding: Mapping[str, Any], inputs: Mapping[str, Ints]) -> list[Focus]:
    """Of each problem."""
    return [
        Focus(unknowns[:, :length], quantities[:count, :length])
        for unknowns, quantities, count, length in zip(
            encoding["unknown_attention"],
            encoding["operand_attention"],
            inputs["counts"],
            inputs["lengths"],
            strict=True,
        )
    ]


def _existing(counts: Ints, options: int, layout: OperandLayout) -> Flags:
    """Which operands a problem has, by the unknowns that it has generated: (B, U + 1, O)."""
    operand = np.arange(options)
    ready = operand < layout.unknown(0) + np.arange(layout.max_unknowns + 1)[:, None]  # (U + 1, O)
    in_text = (operand >= layout.quantity(0)) & (operand < layout.quantity(0) + counts[:, None])  # (B, O)
    return ready | in_text[:, None]


@cache
def _legal_number(kinds: tuple[Kind, ...]) -> int:
    """The row of `LEGAL` for these kinds."""
    return sum(1 << kind for kind in kinds)
