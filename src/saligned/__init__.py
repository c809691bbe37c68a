"""A small open solver for math word problems: the equation, the exact answer and every step.

>>> import saligned
>>> solver = saligned.load()
>>> solver.solve("小明有12支铅笔，送给妹妹5支，还剩多少支？").answer
'7'
"""

from typing import TYPE_CHECKING, Any

from saligned.errors import ConfigError, DataError, InputError, ModelError, NotationError, SalignedError

if TYPE_CHECKING:
    from saligned.problem import Failure, Problem
    from saligned.runtime.choice import AutoSolver
    from saligned.runtime.models import available, load
    from saligned.runtime.solution import Solution
    from saligned.runtime.solver import Solver

__all__ = [
    "AutoSolver",
    "ConfigError",
    "DataError",
    "Failure",
    "InputError",
    "ModelError",
    "NotationError",
    "Problem",
    "SalignedError",
    "Solution",
    "Solver",
    "available",
    "load",
]
__version__ = "0.1.0"

_HOME = {
    "AutoSolver": "saligned.runtime.choice",
    "Failure": "saligned.problem",
    "Problem": "saligned.problem",
    "Solution": "saligned.runtime.solution",
    "Solver": "saligned.runtime.solver",
    "available": "saligned.runtime.models",
    "load": "saligned.runtime.models",
}


def __getattr__(name: str) -> Any:
    """Import the runtime when it is first asked for: `saligned --help` needs none of it."""
    if name not in _HOME:
        raise AttributeError(f"module 'saligned' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)
