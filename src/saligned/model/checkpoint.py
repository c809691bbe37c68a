"""Weights and training states on disk: safetensors and JSON, never pickle."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from saligned.config import Config
from saligned.errors import ConfigError, ModelError
from saligned.model.network import Network
from saligned.model.recovery import recover
from saligned.runtime.engine import ENCODE
from saligned.runtime.models import CONFIG, VOCABULARY, find
from saligned.text.vocabulary import Vocabulary

WEIGHTS = "weights.safetensors"


def write_json(path: Path, content: Any) -> None:
    """Write whole or not at all: a kill in the middle leaves the old file."""
    temporary = path.with_suffix(path.suffix + ".part")
    temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> None:
    """Like `write_json`, for tensors."""
    temporary = path.with_suffix(path.suffix + ".part")
    save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, temporary)
    os.replace(temporary, path)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Tensors by name."""
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} is missing or damaged: {error}; train or copy the model again") from error
    return tensors


def save_network(directory: Path, network: Network, vocabulary: Vocabulary) -> None:
    """Make a directory that describes itself: config, vocabulary, weights.

    Where published or earlier weights lay is nobody's business who uses the model; their name stays.
    """
    directory.mkdir(parents=True, exist_ok=True)
    config = network.config
    config = replace(config, pretrained=Path(config.pretrained).name, start=Path(config.start).name)
    write_json(directory / CONFIG, config.to_dict())
    vocabulary.save(directory / VOCABULARY)
    write_tensors(directory / WEIGHTS, dict(network.state_dict()))


def load_network(directory: Path) -> tuple[Network, Vocabulary]:
    """The network of a directory written by `save_network`, or of a shipped model, ready to predict."""
    vocabulary = Vocabulary.load(directory / VOCABULARY)
    network = Network(len(vocabulary), Config.load(directory / CONFIG))
    trained = (directory / WEIGHTS).exists() or not (directory / ENCODE).exists()
    try:
        network.load_state_dict(read_tensors(directory / WEIGHTS) if trained else recover(directory))
    except RuntimeError as error:
        raise ModelError(f"the weights in {directory} do not fit its config.json: {error}") from error
    return network.eval(), vocabulary


def start_from(model: str, network: Network, vocabulary: Vocabulary) -> None:
    """Begin with the weights of a shipped model or of an earlier training, by its name or directory.

    Words and constants that it did not know stay as they are.
    """
    earlier, its_vocabulary = load_network(find(model))
    known, new = earlier.state_dict(), network.state_dict()
    words = [(vocabulary.index(form), index) for index, form in enumerate(its_vocabulary.forms) if form in vocabulary]
    ours, its = network.config.constants, earlier.config.constants
    rows = {
        "encoder.embedding.weight": words,
        "external": [(ours.index(constant), i) for i, constant in enumerate(its) if constant in ours],
    }
    for name, tensor in new.items():
        start = 1 if name in rows else 0
        if name not in known or known[name].shape[start:] != tensor.shape[start:]:
            raise ConfigError(f"{model} has no {name} of this size; start with a model of the same configuration")
        if name in rows:
            to, of = (list(indices) for indices in zip(*rows[name], strict=True))
            tensor[to] = known[name][of]
        else:
            tensor.copy_(known[name])


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimizer's state as flat, named tensors."""
    states = optimizer.state_dict()["state"]
    return {f"{index}.{name}": value for index, state in states.items() for name, value in state.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """The inverse of `optimizer_tensors`."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, name = key.split(".", 1)
        state.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
