"""What the tests of the systems share: the invented problems, and configurations that a test can afford."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from saligned.baselines.contract import Fitted, System
from saligned.baselines.proposed import Proposed
from saligned.config import Config
from saligned.experiments.systems import SYSTEMS, load_config, make_system
from saligned.problem import Problem
from tests.problems import PROBLEMS

torch.set_num_threads(1)

SMALL: dict[str, Any] = {"vectors": "", "hidden": 24, "embedding": 16, "min_count": 1, "batch_size": 8}
SYSTEM_NAMES = sorted(SYSTEMS)
# One system of each kind: the ablations are the paper's model with another configuration.
KINDS = [name for name in SYSTEM_NAMES if not isinstance(make_system(name, Config()), Proposed)] + ["paper-word"]
# Retrieval has no training that could be stopped.
TRAINED = [name for name in KINDS if not name.startswith("retrieval")]


def small_config(name: str, **fields: Any) -> Config:
    """The configuration of a system in a small size; "char", because the problems are not segmented."""
    options = SMALL | {"tokenizer": "char", "epochs": 2, "learning_rate": 1e-2} | fields
    return Config.from_dict(load_config(name).to_dict() | options)


def fit(system: System, directory: Path, problems: Sequence[Problem] = PROBLEMS, **options: Any) -> Fitted:
    """Train on the problems, and select on them as well."""
    return system.fit(problems, problems, directory, options.get("report", lambda *_: None))


def small_system(name: str, **fields: Any) -> System:
    """An untrained system of a small size."""
    return make_system(name, small_config(name, **fields))
