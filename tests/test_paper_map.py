"""Every symbol that docs/paper-map.md names exists."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

MAP = Path(__file__).parents[1] / "docs" / "paper-map.md"
SYMBOLS = sorted(set(re.findall(r"`(saligned(?:\.\w+)+)", MAP.read_text(encoding="utf-8"))))
FILES = sorted(set(re.findall(r"`((?:tests|docs|src)/[\w./-]+)`", MAP.read_text(encoding="utf-8"))))


def resolve(name: str) -> Any:
    """The longest importable module of a dotted name, then its attributes."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        try:
            found: Any = import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not module.startswith(error.name):
                raise
            continue
        for attribute in parts[count:]:
            found = getattr(found, attribute)
        return found
    raise AssertionError(name)


def test_the_map_names_the_network() -> None:
    assert len(SYMBOLS) > 40
    assert "saligned.model.network.Network.select" in SYMBOLS


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbol_exists(symbol: str) -> None:
    resolve(symbol)


@pytest.mark.parametrize("file", FILES)
def test_file_exists(file: str) -> None:
    assert (MAP.parents[1] / file).is_file()


@pytest.mark.parametrize("missing", ["saligned.model.network.Nothing", "saligned.nowhere.Network"])
def test_a_symbol_that_does_not_exist_is_noticed(missing: str) -> None:
    with pytest.raises((AttributeError, AssertionError)):
        resolve(missing)
