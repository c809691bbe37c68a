"""Weights read back from the graphs of an exported model, so that a training can begin with a shipped one.

They are as rounded as the graphs keep them (8 bits, halves), which is little beside what a training changes.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import numpy_helper
from torch import Tensor

from saligned.errors import ModelError
from saligned.runtime.engine import COMBINE, ENCODE, STEP

Array = npt.NDArray[np.float32]

# How graphs call the network, and the semantic transformer that a graph of its own holds.
NETWORK, TRANSFORMER = "network.", "transformer."
# What 8-bit weights are stored around.
MIDDLE = 128
# ONNX keeps the gates of an LSTM in the order i o f g, PyTorch in the order i f g o.
GATES = (0, 2, 3, 1)


def recover(directory: Path) -> dict[str, Tensor]:
    """The weights by the names that the network gives them."""
    found: dict[str, Array] = {}
    for graph in (ENCODE, STEP):
        found |= _read(directory / graph, NETWORK)
    for number, graph in enumerate(COMBINE):
        weights = _read(directory / graph, TRANSFORMER)
        found |= {f"transformers.{number}.{name}": array for name, array in weights.items()}
    return {name: torch.from_numpy(np.array(array, dtype=np.float32)) for name, array in found.items()}


def _read(path: Path, prefix: str) -> dict[str, Array]:
    """The weights of one graph: those that kept their names, then the matrices, which the exporter names anew."""
    try:
        graph = onnx.load(path).graph
    except (OSError, DecodeError) as error:
        raise ModelError(f"{path} is missing or damaged: {error}; install or export the model again") from error
    arrays = {tensor.name.removesuffix(".half"): numpy_helper.to_array(tensor) for tensor in graph.initializer}
    in_blocks = {name for node in graph.node if node.op_type == "MatMulNBits" for name in node.input}
    found = {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix) and name not in in_blocks
    }
    biases = {
        product: bias.removeprefix(prefix)
        for node in graph.node
        if node.op_type == "Add"
        for product, bias in (node.input, reversed(node.input))
        if bias.startswith(prefix)
    }
    for node in graph.node:
        if node.op_type == "Expand" and node.input[0].startswith("onnx::"):
            found["external"] = arrays[node.input[0]][0]
        elif node.op_type in ("LSTM", "DynamicQuantizeLSTM"):
            module = ".".join(node.name.split("/")[1:-1])
            found |= {f"{module}.{name}": array for name, array in _lstm(node, arrays)}
        elif node.op_type in ("MatMul", "MatMulNBits") and node.input[1] in arrays:
            found[_name_of_product(node, biases.get(node.output[0], ""))] = _matrix(node, arrays)
    return found


def _name_of_product(node: onnx.NodeProto, bias: str) -> str:
    """Whose weight a product takes: that of the bias which is added, else that of the module which the node names.

    The operand selector is called in parts, so its nodes name no module: they lie at the root, as no other one does.
    """
    if bias:
        return bias.replace("bias", "weight")
    modules = node.name.split("/")[1:-1]
    if "W_u" in modules:
        return ".".join([*(modules[:-1] or ["operand_selector"]), "W_u.weight"])
    return ".".join([*(modules or ["operand_selector"]), "w"])


def _matrix(node: onnx.NodeProto, arrays: dict[str, npt.NDArray[np.generic]]) -> Array:
    """The weight of a product as PyTorch keeps it, (outputs, inputs); a single output is a vector."""
    weights: Array = arrays[node.input[1]].astype(np.float32)
    if node.op_type == "MatMulNBits":
        columns = next(attribute.i for attribute in node.attribute if attribute.name == "K")
        scales = arrays[node.input[2]].astype(np.float32).reshape(len(weights), -1, 1)
        matrix: Array = ((weights - MIDDLE) * scales).reshape(len(weights), -1)[:, :columns]
        return matrix
    return weights.squeeze(-1) if weights.shape[-1] == 1 else weights.T


def _lstm(node: onnx.NodeProto, arrays: dict[str, npt.NDArray[np.generic]]) -> Iterator[tuple[str, Array]]:
    inputs, recurrent, biases = (arrays[name][0].astype(np.float32) for name in node.input[1:4])
    if node.op_type == "DynamicQuantizeLSTM":
        w_scale, w_zero, r_scale, r_zero = (arrays[name][0].astype(np.float32) for name in node.input[8:12])
        inputs, recurrent = ((inputs - w_zero) * w_scale).T, ((recurrent - r_zero) * r_scale).T
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    for name, array in zip(names, (inputs, recurrent, *np.split(biases, 2)), strict=True):
        gates = np.split(array, len(GATES))
        yield name, np.concatenate([gates[gate] for gate in GATES])
