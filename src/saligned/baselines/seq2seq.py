"""Seq2Seq with SNI (Wang et al. 2017): insignificant numbers go, the others become n_1 … n_k, an LSTM writes the rest.

No meanings: the decoder sees its own previous symbol, and the text by attention. It writes the actions of the stack
machine, which are the postfix form of the normalised equation, and takes legal ones only.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from saligned.baselines.contract import Fitted, Report, solve_each
from saligned.baselines.labelled import LabelNetwork, Labels, LabelTrainer, in_batches, token_mask
from saligned.baselines.significance import Significance, gold_significance
from saligned.baselines.templates import map_numbers, normalise
from saligned.config import Config
from saligned.data.programs import gold_program
from saligned.problem import Failure, Problem, Reading
from saligned.runtime.evaluation import is_correct, read_problems
from saligned.runtime.solution import Solution
from saligned.symbolic.actions import OPERATORS, Action, Kind, OperandLayout, Program
from saligned.symbolic.machine import StackMachine

# Judging numbers is learned long before writing equations, and by less.
SNI: dict[str, Any] = {"epochs": 3, "hidden": 64, "embedding": 64, "vectors": ""}


class Memory(NamedTuple):
    """The text as the decoder sees it."""

    states: Tensor  # (B, T, D)
    keys: Tensor  # (B, T, H)
    mask: Tensor  # (B, 1, T)


State = tuple[Tensor, Tensor]  # of the decoder, (1, B, H) each


class WritingNetwork(LabelNetwork):
    """BLSTM encoder, LSTM decoder with Luong's attention; its symbols are the actions, a push being one an operand."""

    def __init__(self, words: int, config: Config, symbols: int) -> None:
        super().__init__(words, config)
        size, hidden = self.encoder.size, config.hidden
        self.symbols = nn.Embedding(symbols + 1, config.embedding)  # the last one starts
        self.start_hidden, self.start_cell = nn.Linear(size, hidden), nn.Linear(size, hidden)
        self.decoder = nn.LSTM(config.embedding, hidden, batch_first=True)
        self.keys = nn.Linear(size, hidden, bias=False)
        self.merge = nn.Linear(hidden + size, hidden)
        self.output = nn.Linear(hidden, symbols)

    def start(self, batch: dict[str, Tensor]) -> tuple[Memory, State]:
        """The text, and the decoder's first state.

        Not squashed: every program begins alike, and learning that drove a tanh here into saturation, after which no
        gradient reached the encoder (start states of different texts were 3e-7 apart).
        """
        states, ends = self.encode(batch)
        memory = Memory(states, self.keys(states), token_mask(states, batch).unsqueeze(1))
        return memory, (self.start_hidden(ends).unsqueeze(0), self.start_cell(ends).unsqueeze(0))

    def advance(self, previous: Tensor, memory: Memory, state: State) -> tuple[Tensor, State]:
        """Previous symbols (B, S) → logits (B, S, symbols) and the next state."""
        h, state = self.decoder(self.dropout(self.symbols(previous)), state)  # (B, S, H)
        weights = (h @ memory.keys.transpose(1, 2)).masked_fill(~memory.mask, -1e9).softmax(-1)  # (B, S, T)
        merged = torch.tanh(self.merge(torch.cat([h, weights @ memory.states], -1)))  # (B, S, H)
        return self.output(self.dropout(merged)), state

    def forward(self, batch: dict[str, Tensor], _: Any) -> Tensor:
        """The loss of a batch of gold sequences: the sum over each sequence, its mean over the problems."""
        gold = batch["actions"]  # (B, S), -1 behind the end
        first = torch.full_like(gold[:, :1], self.symbols.num_embeddings - 1)
        logits, _ = self.advance(torch.cat([first, gold[:, :-1].clamp(min=0)], 1), *self.start(batch))
        loss = F.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-1, reduction="sum")
        return loss / len(gold)


class Seq2Seq:
    """Two trainings in one directory: the judge of numbers, then the writer."""

    def __init__(self, name: str, config: Config) -> None:
        self.name, self.config = name, config
        self._significance = Significance(replace(config, **SNI))
        self._trainer: LabelTrainer | None = None
        self._symbols = 0

    def fit(self, train: Sequence[Problem], valid: Sequence[Problem], directory: Path, report: Report) -> Fitted:
        """Train both to the end, from where the directory stands."""
        read = list(zip(*read_problems(train, self.config.tokenizer), strict=True))
        held_out = list(zip(*read_problems(valid, self.config.tokenizer), strict=True))
        judging = self._significance.config.epochs
        self._significance.fit(read, held_out, directory / "significance", _part(report, 0, self.config.epochs))
        data = self._labels(read)
        self._symbols = 1 + max(max(row) for row in data.labels) if data.labels else len(Kind)
        self._trainer = LabelTrainer(
            self.config, data, self._network, lambda: self._accuracy(valid), directory / "writer"
        )
        return self._trainer.fit(_part(report, judging, 0))

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """Greedy decoding over legal actions."""
        return solve_each(self.name, self.config, problems, self.write)

    def write(self, readings: list[Reading]) -> list[Program | Failure]:
        """A program for each text, over all of its quantities."""
        assert self._trainer is not None, "fit before you solve"
        mapped = [map_numbers(r, s) for r, s in zip(readings, self._significance.judge(readings), strict=True)]
        programs = in_batches([reading for reading, _ in mapped], self._trainer.vocabulary, self._decode)
        layout = self.config.layout
        return [restore(program, kept, layout) for program, (_, kept) in zip(programs, mapped, strict=True)]

    def _network(self, words: int) -> WritingNetwork:
        return WritingNetwork(words, self.config, self._symbols)

    def _labels(self, read: Sequence[tuple[Problem, Reading]]) -> Labels:
        """Training texts with gold significance, and their programs as symbols."""
        mapped = [map_numbers(reading, gold_significance(problem, reading))[0] for problem, reading in read]
        gold = (gold_program(p, r.quantities, self.config.layout) for (p, _), r in zip(read, mapped, strict=True))
        kept = [(r, program) for r, program in zip(mapped, gold, strict=True) if not isinstance(program, Failure)]
        programs = normalise([program for _, program in kept], self.config.layout)
        return Labels([reading for reading, _ in kept], [[*map(symbol_of, program)] for program in programs])

    def _accuracy(self, valid: Sequence[Problem]) -> float:
        return sum(map(is_correct, self.solve(valid), valid)) / max(1, len(valid))

    @torch.inference_mode()
    def _decode(self, readings: list[Reading], batch: dict[str, Tensor]) -> list[Program]:
        """One step of all texts at a time, until every machine is done; legality makes that certain."""
        assert self._trainer is not None
        network: Any = self._trainer.network
        layout = self.config.layout
        machines: list[StackMachine[int]] = [StackMachine(layout.max_unknowns) for _ in readings]
        programs: list[list[Action]] = [[] for _ in readings]
        previous = torch.full((len(readings), 1), self._symbols)
        memory, state = network.start(batch)
        while not all(machine.done for machine in machines):
            logits, state = network.advance(previous, memory, state)
            allowed = legal_symbols(machines, batch["counts"].tolist(), self._symbols, layout)
            previous = logits[:, 0].masked_fill(~allowed, -1e9).argmax(1, keepdim=True)  # (B, 1)
            for row, symbol in enumerate(previous[:, 0].tolist()):
                if not machines[row].done:
                    programs[row].append(action_of(symbol))
                    machines[row] = _advance(machines[row], programs[row][-1])
        return [tuple(program) for program in programs]


def symbol_of(action: Action) -> int:
    """A push has a symbol for each operand, behind the other actions."""
    return len(Kind) + action.operand if action.kind is Kind.PUSH else int(action.kind)


def action_of(symbol: int) -> Action:
    """The inverse of `symbol_of`."""
    return Action(Kind.PUSH, symbol - len(Kind)) if symbol >= len(Kind) else Action(Kind(symbol))


def legal_symbols(
    machines: Sequence[StackMachine[int]], counts: Sequence[int], symbols: int, layout: OperandLayout
) -> Tensor:
    """Which symbols the machines allow, (B, symbols)."""
    allowed = torch.zeros(len(machines), symbols, dtype=torch.bool)
    for row, (machine, count) in enumerate(zip(machines, counts, strict=True)):
        kinds = machine.legal()
        allowed[row, [kind for kind in kinds if kind is not Kind.PUSH]] = True
        if Kind.PUSH in kinds:
            operands = range(min(layout.quantity(count), symbols - len(Kind)))
            allowed[row, [len(Kind) + o for o in operands if machine.can_push(o, layout)]] = True
    return allowed


def restore(program: Program, kept: Sequence[int], layout: OperandLayout) -> Program:
    """A program over the significant quantities as one over all quantities of the text."""
    first = layout.quantity(0)
    return tuple(
        replace(action, operand=layout.quantity(kept[action.operand - first])) if action.operand >= first else action
        for action in program
    )


def _part(report: Report, before: int, after: int) -> Report:
    """A training as a part of two: epochs are counted through both."""

    def within(phase: str, done: int, total: int, figures: dict[str, float]) -> None:
        if phase == "epoch":
            done, total = before + done, before + total + after
        report(phase, done, total, figures)

    return within


def _advance(machine: StackMachine[int], action: Action) -> StackMachine[int]:
    if action.kind is Kind.GENERATE:
        return machine.generate()
    if action.kind is Kind.PUSH:
        return machine.push(action.operand)
    return machine.combine(0) if action.kind in OPERATORS else machine.equal()
