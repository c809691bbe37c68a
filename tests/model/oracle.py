"""The plain reading of the paper's Algorithm 1: one problem, one step at a time, a stack of vectors.

It is the oracle of the vectorised loss, and what its speed is compared with.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from saligned.model.network import Network
from saligned.problem import Reading
from saligned.symbolic.actions import OPERATORS, Kind, Program
from saligned.symbolic.machine import StackMachine
from saligned.text.inputs import encode_inputs
from saligned.text.vocabulary import Vocabulary


def oracle_loss(network: Network, pairs: Sequence[tuple[Reading, Program]], vocabulary: Vocabulary) -> Tensor:
    """The mean over the problems of the summed loss of their gold programs; differentiable."""
    losses = [problem_loss(network, reading, program, vocabulary) for reading, program in pairs]
    return torch.stack(losses).mean()


def problem_loss(network: Network, reading: Reading, program: Program, vocabulary: Vocabulary) -> Tensor:
    """Σ_t L(y_t) of one problem.

    At each step: 1. the LSTM reads the previous result; 2. both selectors score their choices, given the top
    two of the stack; 3. the loss of the gold choice is added; 4. the gold action is done.
    """
    arrays = encode_inputs([reading], vocabulary)
    encoding = network.encode(**{name: torch.from_numpy(array) for name, array in arrays.items()})
    layout = network.config.layout
    machine: StackMachine[Tensor] = StackMachine(layout.max_unknowns)
    operands = list(encoding.operands.unbind(1))  # (1, D) each
    nothing = torch.zeros_like(operands[0])
    result, hidden, cell, loss = nothing, encoding.hidden, encoding.cell, torch.zeros(())
    for action in program:
        result = F.dropout(result, network.config.dropout, network.training)
        h, c = network.advance(result[:, None], hidden[:, None], cell[:, None])
        hidden, cell = h[:, 0], c[:, 0]
        top = nothing if machine.top is None else machine.top
        second = nothing if machine.second is None else machine.second
        table = torch.stack(operands, 1)
        keys = network.operand_selector.W_v(table)
        q, _ = network.attend(h, encoding)
        chosen = network.select(h, top[:, None], second[:, None], q, keys=keys, mask=encoding.operand_mask)
        loss = loss - chosen.actions[0, 0].log_softmax(-1)[action.kind]
        if action.kind is Kind.PUSH:
            loss = loss - chosen.operands[0, 0].log_softmax(-1)[action.operand]

        if action.kind is Kind.GENERATE:
            keys = network.variable.W_v(encoding.states)
            generated, _ = network.variable(h, encoding.states, keys, encoding.mask)
            result = operands[layout.unknown(machine.generated)] = generated[:, 0]
            machine = machine.generate()
        elif action.kind is Kind.PUSH:
            result = operands[action.operand]
            machine = machine.push(result)
        elif action.kind is Kind.EQUAL:
            machine = machine.equal()
            result = nothing if machine.top is None else machine.top
        else:
            result = network.transformers[list(OPERATORS).index(action.kind)](top, second)
            machine = machine.combine(result)
    assert machine.done
    return loss
