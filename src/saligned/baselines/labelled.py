"""Training of the neural baselines: the paper's trainer, over examples that are texts with a row of labels.

Checkpoints, resuming, the schedule and the choice of the epoch are the trainer's; a baseline brings its network,
its labels and its validation score.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from saligned.baselines.contract import Fitted, Report
from saligned.config import Config
from saligned.data.batches import EMPTY, Example
from saligned.errors import ConfigError, DataError
from saligned.model.checkpoint import WEIGHTS, read_tensors
from saligned.model.embeddings import word_vectors
from saligned.model.network import Encoder, drop
from saligned.model.training import STATE, Prepared, Progress, Trainer
from saligned.problem import Reading
from saligned.text.inputs import encode_inputs
from saligned.text.traits import traits
from saligned.text.vocabulary import Vocabulary

T = TypeVar("T")

# Texts solved together.
BATCH = 256


class LabelNetwork(nn.Module):
    """The paper's BLSTM encoder; subclasses add what reads the labels off it."""

    def __init__(self, words: int, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(words, config)

    def encode(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Token states (B, T, D) and the states at both ends (B, D)."""
        e = self.dropout(self.encoder.embedding(batch["tokens"]))
        states, ends = self.encoder(e, batch["lengths"])
        return self.dropout(states), self.dropout(ends)

    def dropout(self, x: Tensor) -> Tensor:
        """As in the paper's network: one mask a sequence."""
        return drop(x, self.config.dropout, self.training)


def token_mask(states: Tensor, batch: dict[str, Tensor]) -> Tensor:
    """True where a text has a token, (B, T)."""
    return torch.arange(states.shape[1]).unsqueeze(0) < batch["lengths"].unsqueeze(1)


def labelled(reading: Reading, labels: Sequence[int], vocabulary: Vocabulary) -> Example:
    """A text with labels where a gold program's actions would be; -1 is no label."""
    none = np.full(len(labels), EMPTY, dtype=np.int64)
    return Example(
        np.array(vocabulary.encode(reading), dtype=np.int64),
        np.array(reading.positions, dtype=np.int64),
        traits(reading.quantities),
        np.array(labels, dtype=np.int64),
        none,
        none,
        none,
        none,
        np.zeros((0, 4), dtype=np.int64),
    )


@dataclass(frozen=True, slots=True)
class Labels:
    """The training texts with their labels."""

    readings: list[Reading]
    labels: list[list[int]]


class LabelTrainer(Trainer):
    """A trainer whose network, labels and validation score are given."""

    def __init__(
        self,
        config: Config,
        data: Labels,
        make: Callable[[int], nn.Module],
        score: Callable[[], float],
        out: Path,
    ) -> None:
        if config.swap:
            raise ConfigError("swap varies programs, and this system learns labels; set it to 0")
        if not data.readings:
            raise DataError("none of the training problems has an equation over the numbers of its text")
        self.config, self.out, self.valid = config, out, Prepared([], [])
        self.score = score
        forms = [[token.form for token in reading.tokens] for reading in data.readings]
        self.vocabulary = Vocabulary.build(forms, min_count=config.min_count)
        self.examples = [labelled(r, row, self.vocabulary) for r, row in zip(data.readings, data.labels, strict=True)]
        torch.manual_seed(config.seed)
        self.network = make(len(self.vocabulary))  # type: ignore[assignment]
        if config.vectors:
            vectors = word_vectors(config, self.vocabulary, data.readings)
            self.network.encoder.embedding.weight.data.copy_(torch.from_numpy(vectors))
        self.optimizer = self._make_optimizer()
        self.progress = Progress()

    def validate(self) -> float:
        """The baseline's own measure."""
        self.network.eval()
        return self.score()

    def fit(self, report: Report) -> Fitted:
        """Train to the end, from where the directory stands; the network is then that of the best epoch."""
        self.out.mkdir(parents=True, exist_ok=True)
        if (self.out / STATE).exists():
            self.resume()
        progress = self.run(report)
        self.network.load_state_dict(read_tensors(self.out / WEIGHTS))
        self.network.eval()
        return Fitted(progress.best_epoch, progress.best_accuracy)


def in_batches(
    readings: Sequence[Reading],
    vocabulary: Vocabulary,
    read_off: Callable[[list[Reading], dict[str, Tensor]], list[T]],
) -> list[T]:
    """What a network reads off each text, in batches of similar length; order kept."""
    order = sorted(range(len(readings)), key=lambda i: len(readings[i].tokens))
    out: dict[int, T] = {}
    for start in range(0, len(order), BATCH):
        chunk = [readings[i] for i in order[start : start + BATCH]]
        arrays = {name: torch.from_numpy(array) for name, array in encode_inputs(chunk, vocabulary).items()}
        out.update(zip(order[start : start + BATCH], read_off(chunk, arrays), strict=True))
    return [out[i] for i in range(len(readings))]
