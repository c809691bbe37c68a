"""The hybrid (Wang et al. 2017): retrieval where a training problem is similar enough, Seq2Seq elsewhere."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saligned.baselines.contract import Fitted, Report, as_solution, solve_each
from saligned.baselines.retrieval import Retrieval
from saligned.baselines.seq2seq import Seq2Seq
from saligned.config import Config
from saligned.model.checkpoint import write_json
from saligned.problem import Failure, Problem, Reading
from saligned.runtime.evaluation import is_correct, read_problems
from saligned.runtime.solution import Solution
from saligned.symbolic.actions import Program

# Similarities from which retrieval is trusted; above 1 it never is.
GRID = (*(round(0.3 + 0.05 * step, 2) for step in range(15)), 1.01)
THRESHOLD = "threshold.json"


class Hybrid:
    """A retrieval, a Seq2Seq, and the threshold between them."""

    def __init__(self, name: str, config: Config) -> None:
        self.name, self.config = name, config
        self.threshold = GRID[-1]
        self._retrieval = Retrieval(name, config, "jaccard")
        self._seq2seq = Seq2Seq(name, config)

    def fit(self, train: Sequence[Problem], valid: Sequence[Problem], directory: Path, report: Report) -> Fitted:
        """Train the Seq2Seq, choose the threshold on validation problems that the index does not hold, index all."""
        fitted = self._seq2seq.fit(train, valid, directory, report)
        self._retrieval.index(train)
        self.threshold, accuracy = self._choose(*read_problems(valid, self.config.tokenizer), total=len(valid))
        write_json(directory / THRESHOLD, {"threshold": self.threshold, "valid_accuracy": accuracy})
        self._retrieval.index([*train, *valid])
        return Fitted(fitted.best_epoch, accuracy)

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """Retrieved above the threshold, written below."""
        return solve_each(self.name, self.config, problems, self._write)

    def _write(self, readings: list[Reading]) -> list[Program | Failure]:
        retrieved, similarity = self._retrieval.write(readings)
        return self._mix(retrieved, self._seq2seq.write(readings), similarity >= self.threshold)

    @staticmethod
    def _mix(
        retrieved: list[Program | Failure], written: list[Program | Failure], trusted: NDArray[np.bool_]
    ) -> list[Program | Failure]:
        """A template that does not fit is no reason to fail: the Seq2Seq wrote something."""
        return [
            r if near and not isinstance(r, Failure) else w
            for r, w, near in zip(retrieved, written, trusted, strict=True)
        ]

    def _choose(self, problems: list[Problem], readings: list[Reading], total: int) -> tuple[float, float]:
        """The threshold of the grid with the best validation accuracy, the lowest of equals, and that accuracy."""
        usable = [(p, r) for p, r in zip(problems, readings, strict=True) if r.quantities]
        if not usable:
            return GRID[-1], 0.0
        texts = [reading for _, reading in usable]
        retrieved, similarity = self._retrieval.write(texts)
        written = self._seq2seq.write(texts)
        layout = self.config.layout

        def right(programs: list[Program | Failure]) -> NDArray[np.bool_]:
            pairs = zip(usable, programs, strict=True)
            return np.array([is_correct(as_solution(self.name, r, made, layout), p) for (p, r), made in pairs])

        mixed = right(self._mix(retrieved, written, np.ones(len(usable), dtype=bool)))
        alone = right(written)
        scores = [np.where(similarity >= threshold, mixed, alone).sum() / max(1, total) for threshold in GRID]
        best = int(np.argmax(scores))
        return GRID[best], float(scores[best])
