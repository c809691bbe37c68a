"""Models on disk: each is a directory that describes itself (config, vocabulary, graphs, card)."""

import hashlib
import json
from pathlib import Path
from typing import Any, overload

from saligned.config import Config
from saligned.errors import ConfigError, ModelError
from saligned.runtime.choice import AutoSolver
from saligned.runtime.confidence import Calibration
from saligned.runtime.engine import GRAPHS, OnnxEngine
from saligned.runtime.solver import Solver
from saligned.text.vocabulary import Vocabulary

PRETRAINED = Path(__file__).parent.parent / "pretrained"
CARD = "card.json"
# Of the models that fit a text the first of these is taken; others come after them, by name.
PREFERRED = ("zh-best", "zh-char", "zh-word", "zh-algebra", "en", "en-algebra")
DEFAULT = next((name for name in PREFERRED if (PRETRAINED / name / CARD).is_file()), "zh-char")
CONFIG = "config.json"
VOCABULARY = "vocabulary.txt"
# What a solver reads; the card holds the digest of each.
FILES = (CONFIG, VOCABULARY, *GRAPHS)


def available() -> list[dict[str, Any]]:
    """The cards of the shipped models, those that are taken first before the others."""
    rank = {name: number for number, name in enumerate(PREFERRED)}
    names = sorted(path.parent.name for path in PRETRAINED.glob(f"*/{CARD}"))
    return [read_card(PRETRAINED / name) for name in sorted(names, key=lambda name: rank.get(name, len(rank)))]


def find(model: str | Path) -> Path:
    """The directory of a shipped model's name, or of a path."""
    for directory in (PRETRAINED / model, Path(model)):
        if directory.is_dir():
            return directory
    names = ", ".join(path.parent.name for path in sorted(PRETRAINED.glob(f"*/{CARD}")))
    raise ModelError(f"there is no model {str(model)!r}; shipped are {names or 'none'}, or name a model directory")


def read_card(directory: Path) -> dict[str, Any]:
    """What a model says of itself."""
    try:
        card = json.loads((directory / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{directory} is no model directory: {CARD} is missing or damaged ({error})") from error
    if not isinstance(card, dict) or not isinstance(card.get("files"), dict):
        raise ModelError(f"{directory / CARD} is damaged; install or export the model again")
    return card


@overload
def load(model: None = None, *, threads: int = 1) -> AutoSolver: ...
@overload
def load(model: str | Path, *, threads: int = 1) -> Solver: ...
def load(model: str | Path | None = None, *, threads: int = 1) -> Solver | AutoSolver:
    """A solver from a shipped model's name or a directory; without, one that picks a shipped model for each text.

    One thread answers a single problem soonest; 0 takes all cores, which pays for files of problems.
    The files are compared with the digests on the card: a flipped bit in the weights would otherwise go unnoticed.
    """
    if model is None:
        return AutoSolver(available(), lambda name: load(name, threads=threads))
    directory = find(model)
    card = read_card(directory)
    for name in FILES:
        if card["files"].get(name) != digest(directory / name):
            raise ModelError(f"{directory / name} is damaged: it differs from its card; install the model again")
    try:
        config = Config.load(directory / CONFIG)
    except ConfigError as error:
        raise ModelError(f"{directory} was made by another version: {error}") from error
    vocabulary = Vocabulary.load(directory / VOCABULARY)
    return Solver(
        str(card["name"]), config, vocabulary, OnnxEngine(directory, threads=threads), Calibration.from_card(card)
    )


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
