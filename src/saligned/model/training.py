"""Training: vectorised over problems and steps, chosen on validation data, resumable to the same result."""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from saligned.config import Config
from saligned.data.batches import Batch, Example, collate, make_example, shuffled_batches
from saligned.data.programs import gold_program, with_swaps
from saligned.errors import DataError, ModelError
from saligned.model.checkpoint import (
    optimizer_tensors,
    read_tensors,
    restore_optimizer,
    save_network,
    start_from,
    write_json,
)
from saligned.model.embeddings import word_vectors
from saligned.model.encoders import TransformerEncoder
from saligned.model.engine import TorchEngine
from saligned.model.network import Network
from saligned.model.processor import set_for_training
from saligned.model.published_weights import familiar_words, load_pretrained
from saligned.problem import Failure, Problem, Reading
from saligned.runtime.evaluation import is_correct, read_problems
from saligned.runtime.models import VOCABULARY, find
from saligned.runtime.solver import Solver
from saligned.symbolic.actions import Program
from saligned.text.vocabulary import Vocabulary

STATE = "state.safetensors"
LOG = "log.jsonl"
RESULT = "training.json"


@dataclass(slots=True)
class Progress:
    """Where a training stands; written into every checkpoint."""

    epoch: int = 0
    best_epoch: int = 0
    best_accuracy: float = -1.0
    seconds: float = 0.0
    history: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The problems of a split, read once."""

    problems: list[Problem]
    readings: list[Reading]


Report = Callable[[str, int, int, dict[str, float]], None]  # phase, done, total, figures


def prepare(problems: Sequence[Problem], config: Config) -> Prepared:
    """Read every text with the model's tokenizer."""
    return Prepared(*read_problems(problems, config.tokenizer))


def gold_programs(data: Prepared, config: Config) -> list[tuple[Reading, Program]]:
    """The problems whose equations can be written over their quantities."""
    programs = (gold_program(p, r.quantities, config.layout) for p, r in zip(data.problems, data.readings, strict=True))
    pairs = zip(data.readings, programs, strict=True)
    found = [(reading, program) for reading, program in pairs if not isinstance(program, Failure)]
    if not found:
        raise DataError("none of the training problems has an equation over the numbers of its text")
    return found


def make_examples(
    programs: Sequence[tuple[Reading, Program]], config: Config, vocabulary: Vocabulary, epoch: int
) -> list[Example]:
    """What one epoch trains on: with `swap`, each has its own equivalent programs."""
    random = Random(config.seed * 1_000_003 + epoch)
    swaps = iter(lambda: random.random() < config.swap, None)
    return [
        make_example(reading, with_swaps(program, swaps) if config.swap else program, config.layout, vocabulary)
        for reading, program in programs
    ]


def to_tensors(
    batch: Batch,
) -> tuple[dict[str, torch.Tensor], list[tuple[torch.Tensor, torch.Tensor, list[int]]]]:
    """A batch as the network takes it."""
    arrays = {name: torch.from_numpy(array) for name, array in batch.arrays.items()}
    levels = [(torch.from_numpy(level.tops), torch.from_numpy(level.seconds), level.counts) for level in batch.levels]
    return arrays, levels


class Trainer:
    """One training run in one directory."""

    def __init__(self, config: Config, train: Prepared, valid: Prepared, out: Path) -> None:
        self.config, self.valid, self.out = config, valid, out
        self.vocabulary = Vocabulary.build(
            [[token.form for token in reading.tokens] for reading in train.readings],
            min_count=config.min_count,
            extra=_known_words(config),
        )
        self.programs = gold_programs(train, config)
        self.examples = make_examples(self.programs, config, self.vocabulary, 0)
        torch.manual_seed(config.seed)
        self.network = Network(len(self.vocabulary), config)
        if config.pretrained and isinstance(self.network.encoder, TransformerEncoder):
            load_pretrained(self.network.encoder, self.vocabulary, Path(config.pretrained))
        if config.vectors:
            vectors = word_vectors(config, self.vocabulary, train.readings)
            self.network.encoder.embedding.weight.data.copy_(torch.from_numpy(vectors))
        if config.start:
            start_from(config.start, self.network, self.vocabulary)
        self.optimizer = self._make_optimizer()
        self.progress = Progress()

    @property
    def batches_per_epoch(self) -> int:
        """Batches are cut from pools of whole batches, so that only the last one is short."""
        return math.ceil(len(self.examples) / self.config.batch_size)

    def run(self, report: Report = lambda *_: None) -> Progress:
        """Train to the last epoch; the best epoch on validation data is what the directory holds."""
        if self.progress.epoch == 0:
            (self.out / LOG).unlink(missing_ok=True)
        while self.progress.epoch < self.config.epochs:
            started = time.perf_counter()
            with set_for_training():
                loss = self._epoch(report)
            trained = time.perf_counter() - started
            accuracy = self.validate()
            self._note_epoch(loss, accuracy, trained, time.perf_counter() - started)
            report("epoch", self.progress.epoch, self.config.epochs, self.progress.history[-1])
        write_json(self.out / RESULT, asdict(self.progress))
        return self.progress

    def validate(self) -> float:
        """Answer accuracy of greedy decoding on the validation problems."""
        solver = Solver("validation", self.config, self.vocabulary, TorchEngine(self.network))
        solutions = solver.solve_readings(self.valid.readings, beam=1)
        correct = [is_correct(s, p) for s, p in zip(solutions, self.valid.problems, strict=True)]
        return sum(correct) / max(1, len(correct))

    def _epoch(self, report: Report) -> float:
        """One pass over the examples; order and dropout depend on seed and epoch only, as a resume needs."""
        config, epoch = self.config, self.progress.epoch
        torch.manual_seed(config.seed * 1_000_003 + epoch)
        self.network.train()
        if config.swap:
            self.examples = make_examples(self.programs, config, self.vocabulary, epoch)
        total, started = 0.0, time.perf_counter()
        seen = 0
        for index, examples in enumerate(shuffled_batches(self.examples, config.batch_size, [config.seed, epoch])):
            for group in self.optimizer.param_groups:
                group["lr"] = group["peak"] * self._schedule(epoch + index / self.batches_per_epoch)
            loss = self._step(collate(examples, config.layout))
            total += loss * len(examples)
            seen += len(examples)
            rate = seen / (time.perf_counter() - started)
            report(
                "batch",
                index + 1,
                self.batches_per_epoch,
                {"loss": total / seen, "problems_per_second": rate},
            )
        return total / seen

    def _step(self, batch: Batch) -> float:
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.network(*to_tensors(batch))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self.optimizer.step()
        return float(loss.detach())

    def _make_optimizer(self) -> torch.optim.Optimizer:
        """Adam; a pre-trained encoder may want a smaller learning rate than the rest."""
        config = self.config
        encoder = list(self.network.encoder.parameters())
        known = {id(parameter) for parameter in encoder}
        rest = [parameter for parameter in self.network.parameters() if id(parameter) not in known]
        groups = [
            {"params": encoder, "peak": config.encoder_learning_rate or config.learning_rate},
            {"params": rest, "peak": config.learning_rate},
        ]
        return torch.optim.AdamW(groups, lr=config.learning_rate, weight_decay=config.weight_decay, fused=True)

    def _schedule(self, epoch: float) -> float:
        """The share of the peak learning rate: a linear warm-up, then constant or a half cosine to zero."""
        config = self.config
        if epoch < config.warmup:
            return epoch / config.warmup
        if config.schedule == "constant":
            return 1.0
        return 0.5 * (1 + math.cos(math.pi * min(1.0, epoch / config.epochs)))

    def _note_epoch(self, loss: float, accuracy: float, trained: float, seconds: float) -> None:
        progress = self.progress
        progress.epoch += 1
        progress.seconds += seconds
        row = {
            "epoch": progress.epoch,
            "loss": round(loss, 4),
            "valid_accuracy": round(accuracy, 4),
            "problems_per_second": round(len(self.examples) / trained, 1),
            "seconds": round(seconds, 1),
        }
        progress.history.append(row)
        if accuracy > progress.best_accuracy:
            progress.best_epoch, progress.best_accuracy = progress.epoch, accuracy
            save_network(self.out, self.network, self.vocabulary)
        self._save_state()
        self._write_log()

    def _write_log(self) -> None:
        """A line an epoch. It follows from the state, so that a run that was killed between the two loses none."""
        temporary = self.out / (LOG + ".part")
        temporary.write_text("".join(json.dumps(row) + "\n" for row in self.progress.history), encoding="utf-8")
        temporary.replace(self.out / LOG)

    def _save_state(self) -> None:
        """Everything a resume needs, in one file that is replaced as a whole."""
        tensors = {f"network.{name}": t for name, t in self.network.state_dict().items()}
        tensors |= {f"optimizer.{name}": t for name, t in optimizer_tensors(self.optimizer).items()}
        metadata = {
            "progress": json.dumps(asdict(self.progress)),
            "config": json.dumps(self.config.to_dict()),
        }
        temporary = self.out / (STATE + ".part")
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, temporary, metadata)
        temporary.replace(self.out / STATE)

    def resume(self) -> None:
        """Go on from the last finished epoch of this directory."""
        path = self.out / STATE
        tensors = read_tensors(path)
        with safe_open(path, "pt") as file:
            metadata: dict[str, str] = file.metadata() or {}
        if not {"config", "progress"} <= metadata.keys():
            raise ModelError(f"{path} is no training state; start again without --resume or in another --out")
        if Config.from_dict(json.loads(metadata["config"])) != self.config:
            raise ModelError(f"{path} was written with another configuration; use the same one or another --out")
        try:
            self.network.load_state_dict(_strip(tensors, "network."))
        except RuntimeError as error:
            raise ModelError(f"{path} was written with other training data: {error}") from error
        restore_optimizer(self.optimizer, _strip(tensors, "optimizer."))
        self.progress = Progress(**json.loads(metadata["progress"]))
        self._write_log()


def _known_words(config: Config) -> list[str]:
    """Words beyond the training texts that the weights which training begins with know."""
    words = familiar_words(Path(config.pretrained)) if config.pretrained else []
    return words + (list(Vocabulary.load(find(config.start) / VOCABULARY).forms) if config.start else [])


def _strip(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
