"""Significant number identification (SNI): does a number of the text belong into the equation?

The significant numbers then become n_1 … n_k in the text, and are all that the equation may use.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from saligned.baselines.contract import Fitted, Report
from saligned.baselines.labelled import LabelNetwork, Labels, LabelTrainer, in_batches
from saligned.config import Config
from saligned.errors import NotationError
from saligned.problem import Problem, Reading
from saligned.symbolic.expression import Number, leaves
from saligned.symbolic.notation import parse_equation


class NumberNetwork(LabelNetwork):
    """The state at a number tells whether it matters."""

    def __init__(self, words: int, config: Config) -> None:
        super().__init__(words, config)
        self.output = nn.Linear(self.encoder.size, 2)

    def scores(self, batch: dict[str, Tensor]) -> Tensor:
        """Logits (B, N, 2)."""
        states, _ = self.encode(batch)
        at_numbers = states.gather(1, batch["positions"].unsqueeze(-1).expand(-1, -1, states.shape[-1]))
        out: Tensor = self.output(at_numbers)
        return out

    def forward(self, batch: dict[str, Tensor], _: Any) -> Tensor:
        """The loss over all numbers of all texts."""
        return F.cross_entropy(self.scores(batch).flatten(0, 1), batch["actions"].flatten(), ignore_index=-1)


class Significance:
    """The classifier of numbers."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._trainer: LabelTrainer | None = None

    def fit(
        self,
        train: Sequence[tuple[Problem, Reading]],
        valid: Sequence[tuple[Problem, Reading]],
        directory: Path,
        report: Report,
    ) -> Fitted:
        """Train; the epoch is chosen by the share of validation numbers that are judged rightly."""
        train = [(problem, reading) for problem, reading in train if reading.quantities]
        data = Labels([r for _, r in train], [[int(s) for s in gold_significance(p, r)] for p, r in train])
        gold = [gold_significance(problem, reading) for problem, reading in valid]
        readings = [reading for _, reading in valid]

        def score() -> float:
            pairs = [pair for g, s in zip(gold, self.judge(readings), strict=True) for pair in zip(g, s, strict=True)]
            return sum(a == b for a, b in pairs) / max(1, len(pairs))

        self._trainer = LabelTrainer(self.config, data, lambda n: NumberNetwork(n, self.config), score, directory)
        return self._trainer.fit(report)

    def judge(self, readings: Sequence[Reading]) -> list[list[bool]]:
        """Whether each quantity of each text matters."""
        assert self._trainer is not None, "fit before you judge"
        return in_batches(readings, self._trainer.vocabulary, self._judge)

    @torch.inference_mode()
    def _judge(self, readings: list[Reading], batch: dict[str, Tensor]) -> list[list[bool]]:
        assert self._trainer is not None
        network: Any = self._trainer.network
        rows = network.scores(batch).argmax(-1).bool().tolist()
        return [row[: len(reading.quantities)] for row, reading in zip(rows, readings, strict=True)]


def gold_significance(problem: Problem, reading: Reading) -> list[bool]:
    """A number is significant when its value occurs in the gold equation."""
    try:
        trees = [parse_equation(equation) for equation in problem.equations]
    except NotationError:
        return [True] * len(reading.quantities)
    values = {leaf.value for tree in trees for leaf in leaves(tree) if isinstance(leaf, Number)}
    return [quantity.value in values for quantity in reading.quantities]
