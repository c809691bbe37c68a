"""Which problems are for training, validation and test: id files, folds, and a seeded share."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from saligned.data.readers import read_content
from saligned.errors import DataError
from saligned.problem import Problem

_NAMED_IN_MESSAGE = 5


def read_ids(path: str | Path) -> list[str]:
    """The ids of a split: one a line; blank lines and lines that start with `#` are ignored."""
    lines = (line.strip() for line in read_content(path).splitlines())
    ids = [line for line in lines if line and not line.startswith("#")]
    if not ids:
        raise DataError(f"{path} names no id; write one id a line")
    return ids


def read_folds(path: str | Path) -> list[list[str]]:
    """The test ids of each fold, from `{"folds": [[id, …], …]}`. No id may be in two folds."""
    try:
        content = json.loads(read_content(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    folds = content.get("folds") if isinstance(content, dict) else None
    if not isinstance(folds, list) or len(folds) < 2 or not all(_is_fold(fold) for fold in folds):
        raise DataError(f'{path} holds no folds; it should read {{"folds": [[id, …], [id, …], …]}}')
    named = [[str(id_) for id_ in fold] for fold in folds]
    repeated = [id_ for id_, count in Counter(id_ for fold in named for id_ in fold).items() if count > 1]
    if repeated:
        raise DataError(f"{path} names {len(repeated)} ids more than once: {_some(repeated)}")
    return named


def select(problems: Sequence[Problem], ids: Iterable[str]) -> list[Problem]:
    """The problems with these ids, in the order of the ids; a missing id is an error.

    HMWP and DRAW give a few ids to two rows: both are selected, so that no split separates them.
    """
    by_id: dict[str, list[Problem]] = {}
    for problem in problems:
        by_id.setdefault(problem.id, []).append(problem)
    wanted = list(dict.fromkeys(ids))
    missing = [id_ for id_ in wanted if id_ not in by_id]
    if missing:
        raise DataError(
            f"{len(missing)} of {len(wanted)} ids are not in the data or cannot be read: {_some(missing)};"
            " check that the id file belongs to this data file"
        )
    return [problem for id_ in wanted for problem in by_id[id_]]


def split_validation(problems: Sequence[Problem], fraction: float, seed: int) -> tuple[list[Problem], list[Problem]]:
    """Training and validation problems, each in the data's order; the same seed gives the same split."""
    if not 0 < fraction < 1:
        raise DataError(f"a validation share of {fraction} leaves one side empty; it must lie between 0 and 1")
    size = round(len(problems) * fraction)
    if not 0 < size < len(problems):
        raise DataError(f"{len(problems)} problems cannot be split with a validation share of {fraction}")
    held_out = set(random.Random(seed).sample(range(len(problems)), size))
    train = [problem for index, problem in enumerate(problems) if index not in held_out]
    valid = [problem for index, problem in enumerate(problems) if index in held_out]
    return train, valid


def data_hash(path: str | Path) -> str:
    """The SHA-256 of a file, by which a result names the data it was measured on."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error


def _is_fold(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(id_, str | int) for id_ in value)


def _some(ids: Sequence[str]) -> str:
    more = "" if len(ids) <= _NAMED_IN_MESSAGE else ", …"
    return ", ".join(ids[:_NAMED_IN_MESSAGE]) + more
