"""Export: the encoder and one decoding step as ONNX graphs, with free batch axes."""

import logging
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from saligned.model.engine import VECTORS, decoding_step
from saligned.model.network import INPUTS, Encoding, Network, SemanticTransformer
from saligned.runtime.engine import COMBINE, ENCODE, KNOWN, NEXT, STEP
from saligned.symbolic.actions import Kind
from saligned.text.traits import SIZES as TRAIT_SIZES

OPSET = 17
# Small tensors (biases, shapes) stay in full precision: they cost nothing.
HALF_FROM = 4096
# Of the 8-bit weights: values that share a scale, and ONNX Runtime's number for 8-bit inputs.
BLOCK = 128
INT8_INPUTS = 4
# Narrower matrices (gates, attention weights) stay as they are: in 8 bits a step took 5.7 ms, without 5.6.
NARROW = 16

INPUT_AXES = {
    "tokens": {0: "problems", 1: "tokens"},
    "lengths": {0: "problems"},
    "positions": {0: "problems", 1: "quantities"},
    "counts": {0: "problems"},
    "traits": {0: "problems", 1: "quantities"},
}
ENCODING = {
    "states": {0: "problems", 1: "tokens"},
    "keys": {0: "problems", 1: "tokens"},
    "mask": {0: "problems", 1: "tokens"},
    "operands": {0: "problems", 1: "operands"},
    "operand_keys": {0: "problems", 1: "operands"},
    "operand_mask": {0: "problems", 1: "operands"},
    "hidden": {0: "problems"},
    "cell": {0: "problems"},
    "unknown_attention": {0: "problems", 2: "tokens"},
    "operand_attention": {0: "problems", 1: "quantities", 2: "tokens"},
}
# What of the encoding the step graph reads; the rest is for the search and for explanations.
READ = ("states", "keys", "mask", "operand_keys", "operand_mask")
STATE = (*VECTORS, "legal", "exists", "owners")
STEP_OUTPUTS = ("actions", "operands", "attention", "gates", "hidden", "cell")


class _Encode(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.network.encode(*inputs))


class _Step(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        known, state = tensors[: len(READ)], tensors[len(READ) :]
        unused = dict.fromkeys(Encoding._fields, tensors[0])
        encoding = Encoding(**(unused | dict(zip(READ, known, strict=True))))
        outputs = decoding_step(self.network, encoding, **dict(zip(STATE, state, strict=True)))
        return tuple(outputs[name] for name in STEP_OUTPUTS)


class _Combine(nn.Module):
    """One semantic transformer; where none is learned, its inputs would be missing from the graph."""

    def __init__(self, transformer: SemanticTransformer) -> None:
        super().__init__()
        self.transformer = transformer

    def forward(self, tops: Tensor, seconds: Tensor) -> Tensor:
        result: Tensor = self.transformer(tops, seconds)
        return result if self.transformer.learned else result + 0 * (tops + seconds)


def export(network: Network, directory: Path, *, quantize: bool = False) -> None:
    """Write the graphs that `OnnxEngine` runs; quantized, they are half as large and twice as fast."""
    network.eval()
    tokens = torch.ones(2, 5, dtype=torch.int64)
    traits = torch.zeros(2, 3, len(TRAIT_SIZES), dtype=torch.int64)
    positions, counts = torch.tensor([[1, 2, 3], [1, 0, 0]]), torch.tensor([3, 1])
    arguments: tuple[Tensor, ...] = (tokens, torch.tensor([5, 4]), positions, counts, traits)
    with torch.no_grad():
        encoding = network.encode(*arguments)
    axes = INPUT_AXES | ENCODING
    _export(_Encode(network), arguments, directory / ENCODE, (INPUTS, tuple(ENCODING)), axes, quantize=quantize)

    size, hidden = encoding.states.shape[-1], encoding.hidden.shape[-1]
    state = {name: torch.zeros(4, hidden if name in ("hidden", "cell") else size) for name in VECTORS}
    owners = torch.tensor([0, 0, 0, 1])
    state |= {
        "legal": torch.ones(4, len(Kind)).bool(),
        "exists": encoding.operand_mask[owners],
        "owners": owners,
    }
    known = tuple(encoding._asdict()[name] for name in READ)
    names = tuple(KNOWN + name for name in READ) + STATE
    outputs = tuple(NEXT + name for name in STEP_OUTPUTS)
    axes = {KNOWN + name: ENCODING[name] for name in READ}
    axes |= {name: {0: "hypotheses"} for name in (*STATE, *outputs)}
    axes[NEXT + "attention"] = {0: "hypotheses", 1: "tokens"}
    axes |= {name: {0: "hypotheses", 1: "operands"} for name in ("exists", NEXT + "operands")}
    _export(_Step(network), (*known, *state.values()), directory / STEP, (names, outputs), axes, quantize=quantize)

    names, outputs = ("tops", "seconds"), ("results",)
    axes = {name: {0: "pairs"} for name in (*names, *outputs)}
    pairs = (torch.zeros(2, size), torch.zeros(2, size))
    for name, transformer in zip(COMBINE, network.transformers, strict=True):
        assert isinstance(transformer, SemanticTransformer)
        _export(_Combine(transformer), pairs, directory / name, (names, outputs), axes, quantize=quantize)


def _export(
    module: nn.Module,
    arguments: tuple[Tensor, ...],
    path: Path,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    axes: dict[str, dict[int, str]],
    *,
    quantize: bool,
) -> None:
    with warnings.catch_warnings():
        # The exporter's own notices: it is the TorchScript one, which keeps nn.LSTM as one ONNX operator.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            arguments,
            path,
            input_names=list(names[0]),
            output_names=list(names[1]),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load(path)
    if quantize:
        model = quantize_weights(model)
    store_half(model)
    onnx.save(model, path)


def quantize_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Matrices in 8 bits, a scale for each block: solving one problem waits for the weights, not for arithmetic.

    Inputs are quantized row by row, so a problem's outcome does not depend on the others in its batch; those of the
    LSTMs all together, so a problem is read alone (see `OnnxEngine.encode`).
    """
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    # It tells of every node that it leaves alone.
    logging.getLogger("onnxruntime.quantization.matmul_nbits_quantizer").setLevel(logging.WARNING)
    if any(node.op_type == "LSTM" for node in model.graph.node):
        model = quantize_lstms(model)
    columns = {tensor.name: tensor.dims[-1] for tensor in model.graph.initializer if tensor.dims}
    narrow = [
        node.name
        for node in model.graph.node
        if node.op_type == "MatMul" and columns.get(node.input[1], NARROW) < NARROW
    ]
    quantizer = MatMulNBitsQuantizer(
        model,
        bits=8,
        block_size=BLOCK,
        is_symmetric=True,
        accuracy_level=INT8_INPUTS,
        nodes_to_exclude=narrow,
    )
    quantizer.process()
    quantized: onnx.ModelProto = quantizer.model.model
    return quantized


def quantize_lstms(model: onnx.ModelProto) -> onnx.ModelProto:
    """LSTMs in 8 bits, a scale for each column: a problem of 40 characters is read in 1.3 instead of 4.1 ms.

    Weights use seven of the bits: processors without VNNI add pairs of products in 16 bits, which larger ones overflow.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Says that shapes were inferred: LSTMs need none, and the quantizer would warn.
    model.metadata_props.add(key="onnx.quant.pre_process", value="onnxruntime.quant")
    with TemporaryDirectory() as directory:
        path = Path(directory) / "graph.onnx"
        quantize_dynamic(
            model,
            path,
            op_types_to_quantize=["LSTM"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        return onnx.load(path)


def store_half(model: onnx.ModelProto) -> None:
    """Keep large weights as float16 with a cast behind each: half the file, and full precision arithmetic.

    The runtime folds the casts when it loads the graph.
    """
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < HALF_FROM:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + ".half"))
        casts.append(onnx.helper.make_node("Cast", [name + ".half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend(casts + nodes)
