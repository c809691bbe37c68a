"""The network as an engine of the search, in PyTorch: for validation while training, and as ONNX's reference."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from saligned.model.network import Encoding, Network
from saligned.runtime.search import IMPOSSIBLE, Floats
from saligned.text.arrays import Ints

# What a hypothesis carries from step to step, each (R, …).
VECTORS = ("result", "hidden", "cell", "top", "second")


class TorchEngine:
    """Implements `saligned.runtime.search.Engine`."""

    def __init__(self, network: Network) -> None:
        self.network = network.eval()

    @torch.inference_mode()
    def encode(self, inputs: Mapping[str, Ints]) -> dict[str, Any]:
        """Read a batch of problems."""
        encoding = self.network.encode(**{name: torch.from_numpy(array) for name, array in inputs.items()})
        return {name: tensor.numpy() for name, tensor in encoding._asdict().items()}

    @torch.inference_mode()
    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Floats]:
        """One decoding step."""
        known = Encoding(**{name: torch.from_numpy(np.ascontiguousarray(a)) for name, a in encoding.items()})
        tensors = {name: torch.from_numpy(array) for name, array in state.items()}
        outputs = decoding_step(self.network, known, **tensors)
        return {name: tensor.numpy() for name, tensor in outputs.items()}

    @torch.inference_mode()
    def combine(self, operator: int, tops: Floats, seconds: Floats) -> Floats:
        """What one operator makes of pairs."""
        transformer = self.network.transformers[operator]
        return transformer(torch.from_numpy(tops), torch.from_numpy(seconds)).numpy()  # type: ignore[no-any-return]


def decoding_step(network: Network, encoding: Encoding, **state: Tensor) -> dict[str, Tensor]:
    """The log-probabilities of both selections over what is allowed, and the decoder's next state.

    Hypotheses are rows (R, …), each with a view of its problem: one that is not alive costs nothing.
    """
    own = Encoding(*(tensor[state["owners"]] for tensor in encoding))
    # (R, 1, …): products of three dimensions are the ones that the export can quantize.
    result, hidden, cell, top, second = (state[name].unsqueeze(1) for name in VECTORS)
    h, c = network.advance(result, hidden, cell)
    q, attention = network.attend(h, own)
    chosen = network.select(h, top, second, q, keys=own.operand_keys, mask=own.operand_mask)
    return {
        "actions": _log_softmax(chosen.actions.squeeze(1), state["legal"]),
        "operands": _log_softmax(chosen.operands.squeeze(1), state["exists"]),
        "attention": attention.squeeze(1),
        "gates": chosen.gates.squeeze(1),
        "hidden": h.squeeze(1),
        "cell": c.squeeze(1),
    }


def _log_softmax(logits: Tensor, allowed: Tensor) -> Tensor:
    """Over what is allowed; `IMPOSSIBLE` or less elsewhere."""
    return logits.masked_fill(~allowed, IMPOSSIBLE).log_softmax(-1)
