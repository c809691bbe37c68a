"""Models on disk: each is a directory that describes itself (config, vocabulary, graphs, card)."""

import hashlib
import json
from pathlib import Path
from typing import Any

from saligned.config import Config
from saligned.errors import ConfigError, ModelError
from saligned.runtime.engine import GRAPHS, OnnxEngine
from saligned.runtime.solver import Solver
from saligned.text.vocabulary import Vocabulary

PRETRAINED = Path(__file__).parent.parent / "pretrained"
DEFAULT = "zh-char"
CARD = "card.json"
CONFIG = "config.json"
VOCABULARY = "vocabulary.txt"
# What a solver reads; the card holds the digest of each.
FILES = (CONFIG, VOCABULARY, *GRAPHS)


def available() -> list[dict[str, Any]]:
    """The cards of the shipped models, by name."""
    return [read_card(path.parent) for path in sorted(PRETRAINED.glob(f"*/{CARD}"))]


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


def load(model: str | Path = DEFAULT, *, threads: int = 1) -> Solver:
    """A solver from a shipped model's name or a directory.

    One thread answers a single problem soonest; 0 takes all cores, which pays for files of problems.
    The files are compared with the digests on the card: a flipped bit in the weights would otherwise go unnoticed.
    """
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
    return Solver(str(card["name"]), config, vocabulary, OnnxEngine(directory, threads=threads))


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
