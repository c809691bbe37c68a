"""Benchmarks beside Math23K: English arithmetic, and systems of equations in English and Chinese.

    python -m saligned.experiments.benchmarks BENCHMARK DATA_DIR RUN_DIR [FOLD …]

For each fold (all of them by default) a model is trained in RUN_DIR/fold<k> and RUN_DIR/fold<k>.json says how well it
does. Training resumes where it stopped; a fold that has its result is left alone. The epoch is chosen on the set's
validation file, else on a tenth of the training part, drawn with the configuration's seed. The test part is solved
once, by the exported model with a beam of 5. Further sets are trained on as far as nothing in them reads like a
problem of the test or the validation part.

A configuration names its published weights relative to the directory that the command runs in.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from saligned.config import Config
from saligned.data.splits import data_hash
from saligned.errors import DataError
from saligned.experiments.benchmark_sets import BENCHMARKS, sources, split
from saligned.experiments.public_split import describe_test, train
from saligned.experiments.systems import CONFIGS
from saligned.model.checkpoint import write_json
from saligned.model.packaging import package, revision, ship, write_card
from saligned.model.training import RESULT
from saligned.runtime.evaluation import Outcome, evaluate, summarize
from saligned.runtime.models import CARD, PRETRAINED, load
from saligned.runtime.solver import BEAM
from saligned.symbolic.solving import matches


def main(name: str, data_dir: Path, run_dir: Path, folds: Sequence[int] = ()) -> None:
    """Measure the folds that have no result yet, one after the other."""
    if name not in BENCHMARKS:
        raise DataError(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    torch.set_num_threads(1)
    for fold in folds or range(BENCHMARKS[name].folds):
        result = run_dir / f"fold{fold}.json"
        if not result.exists():
            write_json(result, measure(name, data_dir, run_dir / f"fold{fold}", fold))


def measure(name: str, data_dir: Path, run_dir: Path, fold: int) -> dict[str, Any]:
    """Train on one fold, solve its test part, and ship the model if it is one to be shipped."""
    benchmark = BENCHMARKS[name]
    config = Config.load(CONFIGS / f"{benchmark.config}.json")
    parts = split(benchmark, data_dir, fold, config.seed)
    run_dir.mkdir(parents=True, exist_ok=True)
    if not (run_dir / RESULT).exists():
        train(config, parts.train + parts.extra, parts.valid, run_dir)
    data = {
        "set": name,
        "fold": fold,
        "train": len(parts.train),
        "extra": len(parts.extra),
        "valid": len(parts.valid),
        "test": len(parts.test),
        "sha256": {source.path: data_hash(data_dir / source.path) for source in sources(benchmark, fold)},
    }
    package(run_dir, parts.valid, data=data, name=benchmark.model, description=benchmark.description)
    progress = json.loads((run_dir / RESULT).read_text(encoding="utf-8"))
    solver = load(run_dir)
    started = time.perf_counter()
    outcomes = evaluate(solver, parts.test, beam=BEAM)
    solving = time.perf_counter() - started
    if benchmark.model:
        card = json.loads((run_dir / CARD).read_text(encoding="utf-8"))
        greedy = evaluate(solver, parts.test, beam=1)
        write_card(run_dir, card | {"test": describe_test(f"{benchmark.title} test", greedy, outcomes)})
        ship(run_dir, PRETRAINED / benchmark.model)
    return {
        "benchmark": name,
        "fold": fold,
        "config": config.to_dict(),
        "seed": config.seed,
        "data": data,
        "best_epoch": progress["best_epoch"],
        "valid_accuracy": round(progress["best_accuracy"], 4),
        **score(outcomes),
        "training_seconds": round(progress["seconds"], 1),
        "solving_seconds": round(solving, 1),
        "revision": revision(),
    }


def score(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The accuracy with its interval; for `accuracy_exact` the answers are the gold ones, no more and no less."""
    figures = summarize(outcomes)
    exact = sum(matches(outcome.solution.answers, outcome.problem.answers) for outcome in outcomes)
    return {
        "accuracy": round(figures["accuracy"], 4),
        "interval": [round(figures["low"], 4), round(figures["high"], 4)],
        "accuracy_exact": round(exact / max(1, len(outcomes)), 4),
        "correct": figures["correct"],
        "failed": figures["failed"],
    }


if __name__ == "__main__":
    _name, _data, _run, *_folds = sys.argv[1:]
    main(_name, Path(_data), Path(_run), [int(fold) for fold in _folds])
