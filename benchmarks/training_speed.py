"""Training speed: the vectorised pass against the plain loop (one problem, one step at a time), in one run.

    .venv-dev/bin/python -m benchmarks.training_speed DATA FORMAT [CONFIG]

CONFIG is configs/paper-word.json unless another is named. First one process of one thread alternates between the two;
then as many processes as there are cores train side by side, as `saligned crossval` does. Prints medians over rounds
as JSON, with the speed of a matrix product before and after, which says how fast the machine was meanwhile.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch
from torch import Tensor

from saligned.config import Config
from saligned.data.batches import collate, shuffled_batches
from saligned.data.readers import read_problems
from saligned.model.processor import set_for_training
from saligned.model.training import Trainer, prepare, to_tensors
from tests.model.oracle import oracle_loss

ROUNDS, BATCHES, LOOP_PROBLEMS = 7, 48, 32
# Until Adam's averages are what they are in the middle of a training.
WARM_UP = 200


def make_trainer(data: Path, format_name: str, config_file: Path) -> Trainer:
    """A training of one thread; where the word vectors come from changes nothing of its speed."""
    torch.set_num_threads(1)
    config = replace(Config.load(config_file), vectors="")
    problems, _ = read_problems(data, format_name)
    trainer = Trainer(config, prepare(problems, config), prepare(problems[:1], config), Path())
    trainer.network.train()
    return trainer


def vectorised(trainer: Trainer, seed: int, batches: int = BATCHES) -> float:
    """Problems a second, from the batch's arrays to the optimizer's step."""
    config = trainer.config
    chosen = list(shuffled_batches(trainer.examples, config.batch_size, [seed]))[:batches]
    started = time.perf_counter()
    for batch in chosen:
        _step(trainer, lambda batch=batch: trainer.network(*to_tensors(collate(batch, config.layout))))  # type: ignore[misc]
    return sum(map(len, chosen)) / (time.perf_counter() - started)


def loop(trainer: Trainer, seed: int) -> float:
    """Problems a second of the oracle."""
    chosen = trainer.programs[seed * LOOP_PROBLEMS : (seed + 1) * LOOP_PROBLEMS]
    started = time.perf_counter()
    _step(trainer, lambda: oracle_loss(trainer.network, chosen, trainer.vocabulary))
    return len(chosen) / (time.perf_counter() - started)


def side_by_side(arguments: tuple[Path, str, Path]) -> float:
    """In a process of its own."""
    trainer = make_trainer(*arguments)
    rounds = -(-WARM_UP // BATCHES)
    with set_for_training():
        return statistics.median([vectorised(trainer, seed) for seed in range(rounds + ROUNDS)][rounds:])


def matrix_product() -> float:
    """GFLOP/s of one thread."""
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    times = []
    for _ in range(20):
        started = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - started)
    return 2 * 1024**3 / statistics.median(times) / 1e9


def _step(trainer: Trainer, loss: Callable[[], Tensor]) -> None:
    trainer.optimizer.zero_grad(set_to_none=True)
    loss().backward()
    torch.nn.utils.clip_grad_norm_(trainer.network.parameters(), trainer.config.clip)
    trainer.optimizer.step()


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 1), "min": round(min(values), 1), "max": round(max(values), 1)}


def main(data: Path, format_name: str, config_file: Path) -> None:
    """Measure and print."""
    trainer = make_trainer(data, format_name, config_file)
    products = [matrix_product()]
    with set_for_training():
        pairs = [(vectorised(trainer, seed), loop(trainer, seed)) for seed in range(ROUNDS + 1)]
    fast, slow = zip(*pairs[1:], strict=True)
    cores = os.cpu_count() or 1
    with get_context("spawn").Pool(cores) as pool:
        together = pool.map(side_by_side, [(data, format_name, config_file)] * cores, chunksize=1)
    products.append(matrix_product())
    figures = {
        "tokens": round(statistics.fmean(len(example.tokens) for example in trainer.examples), 1),
        "one_process": _spread(fast),
        "loop": _spread(slow),
        "ratio": _spread([a / b for a, b in zip(fast, slow, strict=True)]),
        "processes": [round(rate, 1) for rate in together],
        "problems_per_second": round(sum(together), 1),
        "gflops_of_one_thread": [round(product) for product in products],
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    _data, _format, *_config = sys.argv[1:]
    main(Path(_data), _format, Path(_config[0] if _config else "configs/paper-word.json"))
