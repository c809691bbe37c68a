"""Training speed: the vectorised pass against the plain loop (one problem, one step at a time), in one run.

    .venv-dev/bin/python -m benchmarks.training_speed DATA FORMAT [THREADS]

Paper's sizes, characters, batches of 32. Prints medians over rounds that alternate between the two, as JSON.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from saligned.config import Config
from saligned.data.batches import collate, make_example, shuffled_batches
from saligned.data.programs import gold_program
from saligned.data.readers import read_problems
from saligned.model.network import Network
from saligned.model.training import to_tensors
from saligned.problem import Failure
from saligned.runtime.evaluation import read_problems as read_texts
from saligned.text.vocabulary import Vocabulary
from tests.model.oracle import oracle_loss

PROBLEMS, ROUNDS, BATCHES, LOOP_PROBLEMS = 3200, 7, 12, 32


def main(data: Path, format_name: str, threads: int) -> None:
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)  # as `Trainer.run` does
    config = Config()
    problems, readings = read_texts(read_problems(data, format_name)[0][:PROBLEMS], config.tokenizer)
    pairs = []
    for problem, reading in zip(problems, readings, strict=True):
        program = gold_program(problem, reading.quantities, config.layout)
        if not isinstance(program, Failure):
            pairs.append((reading, program))
    vocabulary = Vocabulary.build([token.form for token in reading.tokens] for reading, _ in pairs)
    examples = [make_example(reading, program, config.layout, vocabulary) for reading, program in pairs]
    network = Network(len(vocabulary), config).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, fused=True)

    def step(loss: Callable[[], Tensor]) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss().backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip)
        optimizer.step()

    def vectorised(seed: int) -> float:
        batches = list(shuffled_batches(examples, config.batch_size, [seed]))[:BATCHES]
        started = time.perf_counter()
        for batch in batches:
            step(lambda batch=batch: network(*to_tensors(collate(batch, config.layout))))
        return sum(map(len, batches)) / (time.perf_counter() - started)

    def loop(seed: int) -> float:
        chosen = pairs[seed * LOOP_PROBLEMS : (seed + 1) * LOOP_PROBLEMS]
        started = time.perf_counter()
        step(lambda: oracle_loss(network, chosen, vocabulary))
        return len(chosen) / (time.perf_counter() - started)

    vectorised(0), loop(0)
    fast, slow = zip(*((vectorised(seed), loop(seed)) for seed in range(1, ROUNDS + 1)), strict=True)
    ratios = [a / b for a, b in zip(fast, slow, strict=True)]
    figures = {"vectorised_problems_per_second": fast, "loop_problems_per_second": slow, "ratio": ratios}
    spread = {
        name: {"median": round(statistics.median(v), 1), "min": round(min(v), 1), "max": round(max(v), 1)}
        for name, v in figures.items()
    }
    print(json.dumps({"threads": threads, **spread}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2)
