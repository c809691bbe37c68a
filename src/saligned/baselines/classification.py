"""Classification: the text is sorted into one of the equation templates of the training problems.

A template is a normalised program; only those seen twice or more are classes. When solving, the most likely template
that the text has enough quantities for is taken.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from saligned.baselines.contract import Fitted, Report, gold_pairs, quantities_needed, solve_each
from saligned.baselines.labelled import LabelNetwork, Labels, LabelTrainer, in_batches, token_mask
from saligned.baselines.templates import normalise, number_forms
from saligned.config import Config
from saligned.errors import DataError
from saligned.problem import Failure, Problem, Reading, Reason
from saligned.runtime.evaluation import is_correct
from saligned.runtime.solution import Solution
from saligned.symbolic.actions import Program

Pooling = Literal["ends", "self-attention"]
MIN_SEEN = 2
HOPS = 4  # rows of the structured self-attention


class TemplateNetwork(LabelNetwork):
    """BLSTM → one vector a text → softmax over templates.

    The vector is the states at both ends, or structured self-attention over all states (Lin et al. 2017):
    A = softmax(W_2 tanh(W_1 h)), one weighted sum for each of the hops.
    """

    def __init__(self, words: int, config: Config, templates: int, pooling: Pooling) -> None:
        super().__init__(words, config)
        size = self.encoder.size
        self.hops = None
        if pooling == "self-attention":
            self.hops = nn.Sequential(
                nn.Linear(size, config.hidden, bias=False), nn.Tanh(), nn.Linear(config.hidden, HOPS)
            )
            size *= HOPS
        self.output = nn.Linear(size, templates)

    def scores(self, batch: dict[str, Tensor]) -> Tensor:
        """Logits (B, templates)."""
        states, pooled = self.encode(batch)
        if self.hops is not None:
            mask = token_mask(states, batch).unsqueeze(-1)  # (B, T, 1)
            weights = self.hops(states).masked_fill(~mask, -1e9).softmax(1)  # (B, T, hops)
            pooled = (weights.transpose(1, 2) @ states).flatten(1)  # (B, hops * D)
        out: Tensor = self.output(pooled)
        return out

    def forward(self, batch: dict[str, Tensor], _: Any) -> Tensor:
        """The loss: the label is the template."""
        return F.cross_entropy(self.scores(batch), batch["actions"][:, 0])


class Classification:
    """A system whose classes are programs."""

    def __init__(self, name: str, config: Config, pooling: Pooling) -> None:
        self.name, self.config, self.pooling = name, config, pooling
        self._templates: list[Program] = []
        self._needed = torch.zeros(0, dtype=torch.int64)
        self._trainer: LabelTrainer | None = None

    def fit(self, train: Sequence[Problem], valid: Sequence[Problem], directory: Path, report: Report) -> Fitted:
        """Train to the end, from where the directory stands; the epoch is chosen by answer accuracy."""
        pairs = gold_pairs(train, self.config)
        programs = normalise([program for _, _, program in pairs], self.config.layout)
        counts = Counter(programs)
        self._templates = [program for program, count in counts.items() if count >= MIN_SEEN]
        if not self._templates:
            raise DataError(f"no equation template occurs {MIN_SEEN} times in the training problems")
        self._needed = torch.tensor([quantities_needed(t, self.config.layout) for t in self._templates])
        index = {program: i for i, program in enumerate(self._templates)}
        kept = [(number_forms(r), [index[p]]) for (_, r, _), p in zip(pairs, programs, strict=True) if p in index]
        data = Labels([reading for reading, _ in kept], [label for _, label in kept])
        self._trainer = LabelTrainer(self.config, data, self._network, lambda: self._accuracy(valid), directory)
        return self._trainer.fit(report)

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """The most likely template that fits."""
        return solve_each(self.name, self.config, problems, self._write)

    def _network(self, words: int) -> TemplateNetwork:
        return TemplateNetwork(words, self.config, len(self._templates), self.pooling)

    def _accuracy(self, valid: Sequence[Problem]) -> float:
        solutions = self.solve(valid)
        return sum(map(is_correct, solutions, valid)) / max(1, len(valid))

    def _write(self, readings: list[Reading]) -> list[Program | Failure]:
        assert self._trainer is not None, "fit before you solve"
        chosen = in_batches([number_forms(r) for r in readings], self._trainer.vocabulary, self._choose)
        nothing = Failure(Reason.NOT_EXPRESSIBLE, "every template needs more quantities than the text has")
        return [self._templates[i] if i >= 0 else nothing for i in chosen]

    @torch.inference_mode()
    def _choose(self, readings: list[Reading], batch: dict[str, Tensor]) -> list[int]:
        """The index of a template for each text, -1 when none fits."""
        assert self._trainer is not None
        network: Any = self._trainer.network
        fits = self._needed.unsqueeze(0) <= batch["counts"].unsqueeze(1)  # (B, templates)
        best = network.scores(batch).masked_fill(~fits, -1e9).argmax(1)
        return [int(i) for i in torch.where(fits.any(1), best, -1)]
