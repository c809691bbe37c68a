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
from saligned.model.engine import TorchEngine
from saligned.model.export import HALF_FROM, STATE, export
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


def random_state(network: Network, encoding: dict[str, Any], width: int) -> dict[str, Any]:
    random = np.random.default_rng(5)
    problems, meaning = len(encoding["states"]), network.encoder.size
    sizes = {name: network.config.hidden if name in ("hidden", "cell") else meaning for name in STATE}
    return {name: random.normal(0, 0.5, (problems, width, size)).astype(np.float32) for name, size in sizes.items()}


@pytest.mark.parametrize("name", VARIANTS)
def test_both_engines_agree(name: str, tmp_path: Path) -> None:
    network, readings, vocabulary = make(name, tmp_path)
    ours, theirs = TorchEngine(network), OnnxEngine(tmp_path, threads=1)
    for problems, width in ((1, 1), (1, 5), (7, 1), (len(readings), 3)):
        batch = encode_inputs(readings[-problems:], vocabulary)
        expected, found = ours.encode(batch), theirs.encode(batch)
        assert expected.keys() == found.keys()
        for field, array in expected.items():
            np.testing.assert_allclose(found[field], array, **CLOSE, err_msg=field)
        state = random_state(network, expected, width)
        stepped, step = ours.step(expected, state), theirs.step(found, state)
        assert stepped.keys() == step.keys()
        assert step["actions"].shape == (problems, width, len(Kind))
        for field, array in stepped.items():
            np.testing.assert_allclose(step[field], array, **CLOSE, err_msg=field)
    for operator in range(len(OPERATORS)):
        pairs = state["top"][:, 0], state["second"][:, 0]
        np.testing.assert_allclose(theirs.combine(operator, *pairs), ours.combine(operator, *pairs), **CLOSE)

    batch = encode_inputs(readings[-8:], vocabulary)
    for width in (1, 4):
        one, other = (search(engine, batch, network.config.layout, width=width) for engine in (ours, theirs))
        for expected_beam, found_beam in zip(one, other, strict=True):
            scores = [h.score for h in expected_beam]
            assert scores[0] == pytest.approx(found_beam[0].score, abs=1e-3)
            if len(scores) == 1 or scores[0] - scores[1] > 1e-3:  # equal scores come in any order
                assert expected_beam[0].program == found_beam[0].program


def test_a_text_of_one_word_without_numbers_is_encoded_alike(tmp_path: Path) -> None:
    network, _, vocabulary = make("base", tmp_path)
    batch = encode_inputs([Reading("好", (Token("好", 0, 1),), (), ())], vocabulary)
    expected, found = TorchEngine(network).encode(batch), OnnxEngine(tmp_path, threads=1).encode(batch)
    for field, array in expected.items():
        np.testing.assert_allclose(found[field], array, **CLOSE, err_msg=field)


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
    np.testing.assert_allclose(found["operands"], expected["operands"], **CLOSE)
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
