"""The paper's model and its ablations as a system of the tables: the configuration says which."""

from collections.abc import Sequence
from pathlib import Path

from saligned.baselines.contract import Fitted, Report
from saligned.config import Config
from saligned.model.checkpoint import load_network
from saligned.model.engine import TorchEngine
from saligned.model.training import STATE, Trainer, prepare
from saligned.problem import Problem
from saligned.runtime.evaluation import evaluate
from saligned.runtime.solution import Solution
from saligned.runtime.solver import Solver


class Proposed:
    """Trained by `Trainer`, decoded greedily as in the paper."""

    def __init__(self, name: str, config: Config) -> None:
        self.name, self.config = name, config
        self._solver: Solver | None = None

    def fit(self, train: Sequence[Problem], valid: Sequence[Problem], directory: Path, report: Report) -> Fitted:
        """Train to the end, from where the directory stands."""
        directory.mkdir(parents=True, exist_ok=True)
        trainer = Trainer(self.config, prepare(train, self.config), prepare(valid, self.config), directory)
        if (directory / STATE).exists():
            trainer.resume()
        progress = trainer.run(report)
        network, vocabulary = load_network(directory)
        self._solver = Solver(self.name, self.config, vocabulary, TorchEngine(network))
        return Fitted(progress.best_epoch, progress.best_accuracy)

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """Greedy decoding with the weights of the best epoch."""
        assert self._solver is not None, "fit before you solve"
        return [outcome.solution for outcome in evaluate(self._solver, problems, beam=1)]
