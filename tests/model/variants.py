"""Every kind of network the configuration can ask for, in a size that a test can afford."""

from collections.abc import Sequence
from typing import Any

import torch

from saligned.config import Config
from saligned.data.programs import gold_program
from saligned.model.network import Network
from saligned.problem import Failure, Problem, Reading
from saligned.symbolic.actions import Program
from saligned.text.tokenizers import read
from saligned.text.vocabulary import Vocabulary
from tests.problems import PROBLEMS, SYSTEMS

# The networks of these tests are so small that a second thread only costs.
torch.set_num_threads(1)

TINY: dict[str, Any] = {"hidden": 16, "embedding": 8, "min_count": 1}
NO_TRANSFORMER = {"use_semantic_transformer": False}
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "- gate": {"use_gate": False},
    "- gate - attention": {"use_gate": False, "use_attention": False},
    "- gate - attention - stack": {"use_gate": False, "use_attention": False, "use_stack": False},
    "- semantic transformer": NO_TRANSFORMER,
    "- semantic representation": {"operand_vectors": "placeholder"} | NO_TRANSFORMER,
    "self-attention": {"operand_vectors": "self-attention"},
    "affine gate": {"gate": "affine"},
    "two unknowns": {"max_unknowns": 2},
    "gated without attention": {"use_attention": False},
    "traits": {"use_traits": True},
    "transformer": {"encoder": "transformer", "use_traits": True},
    "absolute positions": {"encoder": "transformer", "positions": "absolute"},
    "bfloat16": {"encoder": "transformer", "precision": "bfloat16"},
}


def variant(name: str, **fields: Any) -> Config:
    """The configuration of a variant."""
    return Config(**(TINY | VARIANTS[name] | fields))


def corpus(config: Config) -> list[Problem]:
    """The problems that a configuration can write."""
    return PROBLEMS + SYSTEMS if config.max_unknowns > 1 else PROBLEMS


def gold(config: Config) -> list[tuple[Reading, Program]]:
    """What was read of each problem, and its gold program."""
    pairs = []
    for problem in corpus(config):
        reading = read(problem.text, config.tokenizer)
        program = gold_program(problem, reading.quantities, config.layout)
        assert not isinstance(program, Failure), f"{problem.id}: {program}"
        pairs.append((reading, program))
    return pairs


def vocabulary_of(pairs: Sequence[tuple[Reading, Program]]) -> Vocabulary:
    """All forms of the corpus."""
    return Vocabulary.build([token.form for token in reading.tokens] for reading, _ in pairs)


def make_network(config: Config, vocabulary: Vocabulary) -> Network:
    """A network with random weights, the same at each call, in evaluation mode.

    The weights are twice what training starts from: there, swapping the operands of every operator would
    change the loss by less than 1e-4.
    """
    torch.manual_seed(7)
    network = Network(len(vocabulary), config).eval()
    doubled = network.parameters() if config.encoder == "blstm" else network.transformers.parameters()
    with torch.no_grad():
        for parameter in doubled:
            parameter.mul_(2)
    return network
