"""Graphs give their weights back: exactly where they keep them in halves, nearly in 8 bits."""

from pathlib import Path

import pytest
import torch

from saligned.config import Config
from saligned.errors import ModelError
from saligned.model.checkpoint import load_network
from saligned.model.engine import TorchEngine
from saligned.model.export import export
from saligned.model.network import Network
from saligned.model.recovery import recover
from saligned.model.training import Trainer, prepare
from saligned.runtime.engine import STEP
from saligned.runtime.models import available, find, load
from saligned.runtime.solver import Solver
from tests.model.test_export import make
from tests.model.variants import VARIANTS
from tests.problems import PROBLEMS

ENGLISH = [
    "Tom has 7 marbles and buys 5 more. How many marbles does he have?",
    "A box holds 6 pens. How many pens are in 9 boxes?",
    "There were 40 birds on a tree and 13 flew away. How many birds are left?",
]


def make_distinct(name: str, directory: Path, *, quantize: bool = False) -> Network:
    """A network without equal weights, exported: of two equal ones, as norms start with, the exporter keeps one."""
    network, _, _ = make(name, directory)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1).copy_(parameter.half())
    export(network, directory, quantize=quantize)
    return network


@pytest.mark.parametrize("name", VARIANTS)
def test_halves_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    network = make_distinct(name, tmp_path)
    weights, found = network.state_dict(), recover(tmp_path)
    assert found.keys() == weights.keys()
    for parameter, tensor in weights.items():
        assert torch.equal(found[parameter], tensor), parameter


@pytest.mark.parametrize("name", ["base", "self-attention", "transformer"])
def test_8_bits_come_back_rounded(name: str, tmp_path: Path) -> None:
    network = make_distinct(name, tmp_path, quantize=True)
    weights, found = network.state_dict(), recover(tmp_path)
    assert found.keys() == weights.keys()
    for parameter, tensor in weights.items():
        # Seven bits at worst (the LSTMs'): half a step is 1/128 of the largest weight that shares the scale.
        assert (found[parameter] - tensor).abs().max() <= tensor.abs().max() / 127, parameter


@pytest.mark.parametrize("name", [card["name"] for card in available()])
def test_a_shipped_model_solves_as_before(name: str) -> None:
    shipped = load(name)
    network, vocabulary = load_network(find(name))
    ours = Solver(name, network.config, vocabulary, TorchEngine(network))
    texts = ENGLISH if network.config.tokenizer == "english" else [problem.text for problem in PROBLEMS[:12]]
    pairs = zip(shipped.solve_many(texts, beam=1), ours.solve_many(texts, beam=1), strict=True)
    # In the graphs inputs are rounded as well, so that two programs of equal likelihood may trade places.
    assert sum(theirs.answer != found.answer for theirs, found in pairs) <= 1


def test_a_training_begins_with_a_shipped_model(tmp_path: Path) -> None:
    network, known = load_network(find("zh-char"))
    config = Config.from_dict(network.config.to_dict() | {"start": "zh-char", "vectors": ""})
    trainer = Trainer(config, prepare(PROBLEMS[:8], config), prepare(PROBLEMS[:8], config), tmp_path)
    assert set(known.forms) <= set(trainer.vocabulary.forms)
    assert torch.equal(trainer.network.decoder.weight_ih_l0, network.decoder.weight_ih_l0)
    assert trainer.validate() >= 0.75


def test_a_damaged_graph(tmp_path: Path) -> None:
    make("base", tmp_path)
    (tmp_path / STEP).write_bytes(b"no graph")
    with pytest.raises(ModelError, match="damaged"):
        recover(tmp_path)
