"""What each way beyond the paper brings, one at a time, on the validation problems of Math23K's public split.

    python -m saligned.experiments.study DATA_DIR EXTRA.jsonl RUN_DIR RESULTS_DIR [INGREDIENT …]

Every row is the paper's model by characters with one thing changed, trained for the same few epochs. A row that has its
result is left alone, and training resumes where it stopped. EXTRA is written by `extra_data` and `made_problems`, one
file behind the other. The test problems are not looked at. The published weights are looked for in the directory that
the command runs in.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from saligned.config import Config
from saligned.data.readers import read_problems
from saligned.experiments.extra_data import PAIR, WEAK
from saligned.experiments.made_problems import MADE
from saligned.experiments.public_split import read_split, train
from saligned.experiments.systems import CONFIGS
from saligned.model.checkpoint import load_network, write_json
from saligned.model.engine import TorchEngine
from saligned.model.packaging import revision
from saligned.model.training import RESULT
from saligned.problem import Problem
from saligned.runtime.evaluation import evaluate, summarize
from saligned.runtime.solver import BEAM, Solver

BASE, STRONG = "zh-char", "zh-best"  # the configurations
EPOCHS = 6


@dataclass(frozen=True, slots=True)
class Ingredient:
    """What a row changes: fields that are taken from the strong configuration, and further problems."""

    label: str
    fields: tuple[str, ...] = ()
    extra: tuple[str, ...] = field(default=())  # by the beginning of their ids


INGREDIENTS = {
    "base": Ingredient("the paper's model by characters"),
    "traits": Ingredient("kind and size of numbers", ("use_traits",)),
    "swap": Ingredient("equivalent programs", ("swap",)),
    "constants": Ingredient("more constants", ("constants",)),
    "pairs": Ingredient("more constants, more problems with equations", ("constants",), (PAIR,)),
    "weak": Ingredient(
        "more constants, more problems with equations or with answers only", ("constants",), (PAIR, WEAK)
    ),
    "made": Ingredient("more constants, problems made from templates", ("constants",), (MADE,)),
    "encoder": Ingredient(
        "pre-trained encoder",
        ("encoder", "pretrained", "hidden", "encoder_learning_rate", "warmup", "weight_decay", "precision"),
    ),
}


def main(data_dir: Path, extra: Path, run_dir: Path, results: Path, names: Sequence[str] = ()) -> None:
    """Measure the rows that have no result yet, one after the other."""
    torch.set_num_threads(1)
    for name in names or INGREDIENTS:
        if not (results / f"{name}.json").exists():
            results.mkdir(parents=True, exist_ok=True)
            write_json(results / f"{name}.json", measure(INGREDIENTS[name], data_dir, extra, run_dir / name))


def configuration(ingredient: Ingredient) -> Config:
    """The base with what the row changes."""
    strong = Config.load(CONFIGS / f"{STRONG}.json").to_dict()
    changed = {name: strong[name] for name in ingredient.fields}
    return Config.from_dict(Config.load(CONFIGS / f"{BASE}.json").to_dict() | changed | {"epochs": EPOCHS})


def measure(ingredient: Ingredient, data_dir: Path, extra: Path, run_dir: Path) -> dict[str, Any]:
    """Train one row and solve the validation problems with its best epoch."""
    config = configuration(ingredient)
    training, valid, _ = read_split(data_dir)
    training += _extra(extra, ingredient)
    run_dir.mkdir(parents=True, exist_ok=True)
    if not (run_dir / RESULT).exists():
        train(config, training, valid, run_dir)
    progress = json.loads((run_dir / RESULT).read_text(encoding="utf-8"))
    network, vocabulary = load_network(run_dir)
    solver = Solver("study", config, vocabulary, TorchEngine(network))
    greedy, beam = (summarize(evaluate(solver, valid, beam=width))["accuracy"] for width in (1, BEAM))
    return {
        "label": ingredient.label,
        "greedy": greedy,
        "beam": beam,
        "problems": len(training),
        "best_epoch": progress["best_epoch"],
        "epochs": EPOCHS,
        "seconds": round(progress["seconds"], 1),
        "config": config.to_dict(),
        "revision": revision(),
    }


def _extra(path: Path, ingredient: Ingredient) -> list[Problem]:
    return [problem for problem in read_problems(path, "jsonl")[0] if problem.id.startswith(ingredient.extra)]


if __name__ == "__main__":
    _data, _extra_file, _run, _results, *_names = sys.argv[1:]
    main(Path(_data), Path(_extra_file), Path(_run), Path(_results), _names)
