"""A trained network as a model that can be shipped: graphs, and a card that says what it is."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saligned import __version__
from saligned.model.checkpoint import load_network, write_json
from saligned.model.export import export
from saligned.model.training import RESULT
from saligned.problem import Problem
from saligned.runtime.evaluation import add_calibration
from saligned.runtime.models import CARD, FILES, digest


def package(
    directory: Path, valid: Sequence[Problem], *, data: dict[str, Any], name: str = "", description: str = ""
) -> None:
    """Export the best weights of a training directory beside themselves, and write the card.

    The confidence is calibrated on the problems that chose the epoch.
    """
    network, _ = load_network(directory)
    export(network, directory, quantize=True)
    progress = json.loads((directory / RESULT).read_text(encoding="utf-8"))
    card = {
        "name": name or directory.resolve().name,
        "description": description,
        "data": data,
        "seed": network.config.seed,
        "epoch": progress["best_epoch"],
        "epochs": network.config.epochs,
        "valid": {"accuracy": round(progress["best_accuracy"], 4), "search": "greedy"},
        "training_seconds": round(progress["seconds"]),
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "version": __version__,
        "revision": revision(),
    }
    write_card(directory, card)
    add_calibration(directory, valid)


def write_card(directory: Path, card: dict[str, Any]) -> None:
    """Write the card with the digests of the model's files and their size."""
    card = card | {"bytes": sum((directory / name).stat().st_size for name in FILES)}
    write_json(directory / CARD, card | {"files": {name: digest(directory / name) for name in FILES}})


def ship(directory: Path, target: Path) -> None:
    """Copy what a solver reads, and nothing else."""
    target.mkdir(parents=True, exist_ok=True)
    for name in (*FILES, CARD):
        shutil.copyfile(directory / name, target / name)


def revision() -> str:
    """The commit of the code, when it runs from a checkout."""
    git = shutil.which("git")
    if git is None:
        return "unknown"
    command = [git, "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
