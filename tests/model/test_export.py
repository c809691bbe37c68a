"""ONNX = PyTorch. Large weights are stored as float16, so the reference's weights are rounded to it first:
what is left are sums in another order, far below 1e-4."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from torch import nn

from saligned.errors import ModelError
from saligned.model.engine import VECTORS, TorchEngine
from saligned.model.export import HALF_FROM, export
from saligned.model.network import Network
from saligned.problem import Reading, Token
from saligned.runtime.engine import ENCODE, STEP, OnnxEngine
from saligned.runtime.search import search
from saligned.symbolic.actions import OPERATORS, Kind
from saligned.text.inputs import encode_inputs
from saligned.text.vocabulary import Vocabulary
from tests.model.variants import VARIANTS, gold, make_network, variant, vocabulary_of

CLOSE: dict[str, Any] = {"atol": 1e-4, "rtol": 1e-4}


def make(name: str, directory: Path, **fields: Any) -> tuple[Network, list[Reading], Vocabulary]:
    """A rounded network, exported, with texts to read."""
    config = variant(name, **fields)
    pairs = gold(config)
    vocabulary = vocabulary_of(pairs)
    network = make_network(config, vocabulary)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.half())
    export(network, directory)
    return network, [reading for reading, _ in pairs], vocabulary


def without_padding(encoding: dict[str, Any], batch: dict[str, Any]) -> dict[str, list[Any]]:
    """What is there of each problem; the engines may leave different things behind the ends."""
    quantities, tokens = batch["counts"], batch["lengths"]
    operands = quantities + encoding["operands"].shape[1] - batch["positions"].shape[1]
    ends = dict.fromkeys(("states", "keys", "mask"), (tokens,))
    ends |= dict.fromkeys(("operands", "operand_keys", "operand_mask"), (operands,))
    ends |= {"operand_attention": (quantities, tokens)}
    return {
        name: [row[tuple(slice(end[i]) for end in ends.get(name, ()))] for i, row in enumerate(array)]
        for name, array in encoding.items()
    }


def assert_same_encoding(found: dict[str, Any], expected: dict[str, Any], batch: dict[str, Any]) -> None:
    assert expected.keys() == found.keys()
    ours, theirs = without_padding(expected, batch), without_padding(found, batch)
    for field, rows in ours.items():
        for row, other in zip(rows, theirs[field], strict=True):
            np.testing.assert_allclose(other, row, **CLOSE, err_msg=field)


def random_state(network: Network, encoding: dict[str, Any], width: int) -> dict[str, Any]:
    """One hypothesis of the first problem, `width` of the others."""
    random = np.random.default_rng(5)
    problems, meaning = len(encoding["states"]), network.encoder.size
    owners = np.repeat(np.arange(problems), [1] + [width] * (problems - 1))
    sizes = {name: network.config.hidden if name in ("hidden", "cell") else meaning for name in VECTORS}
    state = {name: random.normal(0, 0.5, (len(owners), size)).astype(np.float32) for name, size in sizes.items()}
    return state | {
        "legal": random.random((len(owners), len(Kind))) < 0.5,
        "exists": encoding["operand_mask"][owners],
        "owners": owners,
    }


def test_a_step_of_many_is_the_step_of_each(tmp_path: Path) -> None:
    """The other problems of a batch do not change a hypothesis."""
    network, readings, vocabulary = make("base", tmp_path)
    for engine in (TorchEngine(network), OnnxEngine(tmp_path, threads=1)):
        encoding = engine.encode(encode_inputs(readings, vocabulary))
        state = random_state(network, encoding, 3)
        together = engine.step(encoding, state)
        for row, owner in enumerate(state["owners"]):
            alone = {name: array[row : row + 1] for name, array in state.items()} | {"owners": np.array([0])}
            step = engine.step({name: array[owner : owner + 1] for name, array in encoding.items()}, alone)
            for field, array in step.items():
                np.testing.assert_allclose(array[0], together[field][row], **CLOSE, err_msg=field)


@pytest.mark.parametrize("name", VARIANTS)
def test_both_engines_agree(name: str, tmp_path: Path) -> None:
    network, readings, vocabulary = make(name, tmp_path)
    ours, theirs = TorchEngine(network), OnnxEngine(tmp_path, threads=1)
    for problems, width in ((1, 1), (1, 5), (7, 1), (len(readings), 3)):
        batch = encode_inputs(readings[-problems:], vocabulary)
        expected, found = ours.encode(batch), theirs.encode(batch)
        assert_same_encoding(found, expected, batch)
        state = random_state(network, expected, width)
        stepped, step = ours.step(expected, state), theirs.step(found, state)
        assert stepped.keys() == step.keys()
        assert step["actions"].shape == (1 + (problems - 1) * width, len(Kind))
        for field, array in stepped.items():
            np.testing.assert_allclose(step[field], array, **CLOSE, err_msg=field)
    for operator in range(len(OPERATORS)):
        pairs = state["top"], state["second"]
        np.testing.assert_allclose(theirs.combine(operator, *pairs), ours.combine(operator, *pairs), **CLOSE)

    batch = encode_inputs(readings[-8:], vocabulary)
    for width in (1, 4):
        one, other = (search(engine, batch, network.config.layout, width=width) for engine in (ours, theirs))
        for expected_beam, found_beam in zip(one, other, strict=True):
            scores = [h.score for h in expected_beam]
            assert scores[0] == pytest.approx(found_beam[0].score, abs=1e-3)
            if len(scores) == 1 or scores[0] - scores[1] > 1e-3:  # equal scores come in any order
                assert expected_beam[0].program == found_beam[0].program


def test_a_text_of_one_word_without_numbers_is_encoded(tmp_path: Path) -> None:
    network, _, vocabulary = make("base", tmp_path)
    batch = encode_inputs([Reading("好", (Token("好", 0, 1),), (), ())], vocabulary)
    expected, found = TorchEngine(network).encode(batch), OnnxEngine(tmp_path, threads=1).encode(batch)
    for field in ("states", "keys", "hidden", "cell", "unknown_attention"):
        np.testing.assert_allclose(found[field], expected[field], **CLOSE, err_msg=field)
    assert found["operands"].shape[1] == network.config.layout.quantity(0)


def test_large_weights_are_stored_in_half_precision(tmp_path: Path) -> None:
    """And only they; a network that was not rounded beforehand differs by the rounding, some 1e-3."""
    network, readings, vocabulary = make("base", tmp_path, hidden=32)
    kinds = {}
    for file in (ENCODE, STEP):
        for tensor in onnx.load(tmp_path / file).graph.initializer:
            values = numpy_helper.to_array(tensor)
            if values.dtype in (np.float16, np.float32):
                kinds.setdefault(values.dtype.name, []).append(values.size)
    assert min(kinds["float16"]) >= HALF_FROM > max(kinds["float32"])

    batch = encode_inputs(readings, vocabulary)
    expected, found = TorchEngine(network).encode(batch), OnnxEngine(tmp_path, threads=1).encode(batch)
    assert_same_encoding(found, expected, batch)
    nn.init.uniform_(network.decoder.weight_ih_l0, -0.2, 0.2)
    export(network, tmp_path)
    state = random_state(network, expected, 2)
    stepped = TorchEngine(network).step(expected, state)
    step = OnnxEngine(tmp_path, threads=1).step(expected, state)
    difference = np.abs(stepped["hidden"] - step["hidden"]).max()
    assert 0 < difference < 2e-3


@pytest.mark.parametrize("file", [ENCODE, STEP])
def test_a_missing_or_damaged_graph(file: str, tmp_path: Path) -> None:
    make("base", tmp_path)
    content = (tmp_path / file).read_bytes()
    (tmp_path / file).unlink()
    with pytest.raises(ModelError, match=f"{file} is missing"):
        OnnxEngine(tmp_path)
    for damaged in (content[: len(content) // 2], b"not a graph", b""):
        (tmp_path / file).write_bytes(damaged)
        with pytest.raises(ModelError, match=f"{file} is damaged"):
            OnnxEngine(tmp_path)


def test_quantized_weights_are_close_and_rows_stay_independent(tmp_path: Path) -> None:
    network, readings, vocabulary = make("base", tmp_path, hidden=64)
    exact = TorchEngine(network)
    export(network, tmp_path, quantize=True)
    engine = OnnxEngine(tmp_path, threads=1)
    together, alone = encode_inputs(readings[:6], vocabulary), encode_inputs(readings[:1], vocabulary)
    many, one, expected = engine.encode(together), engine.encode(alone), exact.encode(alone)
    length = int(alone["lengths"][0])
    np.testing.assert_allclose(many["keys"][0, :length], one["keys"][0], atol=1e-5)
    difference = np.abs(one["keys"] - expected["keys"]).max()
    assert 0 < difference < 0.05 * np.abs(expected["keys"]).max()
