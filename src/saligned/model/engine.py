"""The network as an engine of the search, in PyTorch: for validation while training, and as ONNX's reference."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from saligned.model.network import Encoding, Network
from saligned.runtime.search import Floats
from saligned.text.arrays import Ints


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
    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Floats]) -> dict[str, Floats]:
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


def decoding_step(
    network: Network,
    encoding: Encoding,
    *,
    result: torch.Tensor,
    hidden: torch.Tensor,
    cell: torch.Tensor,
    top: torch.Tensor,
    second: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Both selections of one step, and the decoder's next state."""
    hidden, cell = network.advance(result, hidden, cell)
    chosen = network.select(hidden, top, second, encoding)
    return {
        "actions": chosen.actions,
        "operands": chosen.operands,
        "attention": chosen.attention,
        "gates": chosen.gates,
        "hidden": hidden,
        "cell": cell,
    }
