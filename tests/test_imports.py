"""The arrows between the rooms, and what solving may not import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "saligned"
MAY_IMPORT = {
    "symbolic": set(),
    "text": {"symbolic"},
    "data": {"symbolic", "text"},
    "runtime": {"symbolic", "text"},
    "model": {"symbolic", "text", "data", "runtime"},
    "baselines": {"symbolic", "text", "data", "runtime", "model"},
    "experiments": {"symbolic", "text", "data", "runtime", "model", "baselines"},
    "explain": {"symbolic", "text", "runtime"},
    "web": {"symbolic", "text", "runtime", "explain"},
    "cli": {"symbolic", "text", "data", "runtime", "model", "baselines", "experiments", "explain", "web"},
}
TOP = {"saligned", "errors", "problem", "config", "examples"}


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_go_one_way(room: str) -> None:
    for path in (SOURCE / room).rglob("*.py"):
        for name in imported_modules(path):
            if name.startswith("saligned."):
                other = name.split(".")[1]
                assert other in TOP | {room} | MAY_IMPORT[room], f"{path.name} imports {name}"


def test_symbolic_knows_no_vectors() -> None:
    for path in (SOURCE / "symbolic").rglob("*.py"):
        assert not {name.split(".")[0] for name in imported_modules(path)} & {"numpy", "torch"}


@pytest.mark.parametrize("room", sorted(set(MAY_IMPORT) - {"model", "baselines", "experiments", "cli"}))
def test_only_the_model_imports_torch(room: str) -> None:
    for path in (SOURCE / room).rglob("*.py"):
        assert "torch" not in {name.split(".")[0] for name in imported_modules(path)}


def test_solving_loads_neither_torch_nor_sympy() -> None:
    code = (
        "import sys, saligned; saligned.load().solve('小明有12支铅笔，送给妹妹5支，还剩多少支？');"
        "print(sorted({'torch', 'sympy', 'jieba', 'matplotlib', 'fastapi'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
