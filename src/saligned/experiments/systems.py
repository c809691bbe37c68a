"""The systems of the paper's tables by name: what each is made of, and its configuration file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from saligned.baselines.classification import Classification
from saligned.baselines.contract import System
from saligned.baselines.hybrid import Hybrid
from saligned.baselines.proposed import Proposed
from saligned.baselines.retrieval import Retrieval
from saligned.baselines.seq2seq import Seq2Seq
from saligned.config import Config
from saligned.errors import ConfigError

CONFIGS = Path(__file__).parents[3] / "configs"
BASE = "paper-word"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a system of a configuration."""

    make: Callable[[str, Config], System]
    config: str


SYSTEMS: dict[str, Recipe] = {
    "retrieval-jaccard": Recipe(lambda name, config: Retrieval(name, config, "jaccard"), "retrieval"),
    "retrieval-cosine": Recipe(lambda name, config: Retrieval(name, config, "cosine"), "retrieval"),
    "classification-blstm": Recipe(lambda name, config: Classification(name, config, "ends"), "classification"),
    "classification-self-attention": Recipe(
        lambda name, config: Classification(name, config, "self-attention"), "classification"
    ),
    "seq2seq-sni": Recipe(Seq2Seq, "seq2seq"),
    "hybrid": Recipe(Hybrid, "seq2seq"),
    **{
        config: Recipe(Proposed, config)
        for config in (
            BASE,
            "paper-char",
            "no-gate",
            "no-gate-attention",
            "no-gate-attention-stack",
            "no-semantic-transformer",
            "no-semantic-representation",
            "affine-gate",
            "self-attention-operands",
        )
    },
}


def load_config(name: str, configs: Path = CONFIGS) -> Config:
    """The configuration file of a system."""
    return Config.load(configs / f"{recipe(name).config}.json")


def make_system(name: str, config: Config) -> System:
    """An untrained system."""
    return recipe(name).make(name, config)


def recipe(name: str) -> Recipe:
    """The recipe of a name; ConfigError when there is none."""
    if name not in SYSTEMS:
        raise ConfigError(f"there is no system {name!r}; the systems are {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
