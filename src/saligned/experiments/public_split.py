"""Train, measure and ship a model on the public split of Math23K.

    python -m saligned.experiments.public_split DATA_DIR configs/zh-char.json runs/zh-char zh-char [EXTRA.jsonl …]

DATA_DIR holds math23k.json, public_valid_ids.txt and public_test_ids.txt; EXTRA files are further problems to train on
(see `extra_data`). Training resumes where it stopped. The epoch is chosen on the validation problems; the test problems
are solved once, with the exported graphs, at the end.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from saligned.config import Config
from saligned.data.readers import read_problems
from saligned.data.splits import data_hash, read_ids, select
from saligned.model.checkpoint import write_json
from saligned.model.packaging import package, ship, write_card
from saligned.model.training import RESULT, STATE, Trainer, prepare
from saligned.problem import Problem
from saligned.runtime.evaluation import Outcome, evaluate, summarize, summarize_confidence
from saligned.runtime.models import CARD, PRETRAINED, load
from saligned.runtime.solver import BEAM

DATA = "math23k.json"
DESCRIPTIONS = {
    "zh-best": "Chinese, one unknown; pre-trained encoder, number traits, more data and constants",
    "zh-char": "Chinese, one unknown; the paper's model by characters",
    "zh-word": "Chinese, one unknown; the paper's model by words (jieba)",
    "zh-word-self-attention": "Chinese, one unknown; self-attention of operands, for the paper's figure",
}


def main(data_dir: Path, config_file: Path, run_dir: Path, name: str, extra: Sequence[Path] = ()) -> None:
    """Everything from the data to the shipped model."""
    torch.set_num_threads(1)
    config = Config.load(config_file)
    training, valid, test = read_split(data_dir)
    more = [problem for file in extra for problem in read_problems(file, "jsonl")[0]]
    run_dir.mkdir(parents=True, exist_ok=True)
    if not (run_dir / RESULT).exists():
        train(config, training + more, valid, run_dir)
    data = {
        "set": "Math23K",
        "split": "public",
        "sha256": data_hash(data_dir / DATA),
        "train": len(training),
        "extra": len(more),
        "valid": len(valid),
        "test": len(test),
    }
    package(run_dir, valid, data=data, name=name, description=DESCRIPTIONS.get(name, ""))
    card = json.loads((run_dir / CARD).read_text(encoding="utf-8"))
    solver = load(run_dir)
    outcomes = [evaluate(solver, test, beam=width) for width in (1, BEAM)]
    write_card(run_dir, card | {"test": describe_test("Math23K public test", *outcomes)})
    ship(run_dir, PRETRAINED / name)


def read_split(data_dir: Path) -> tuple[list[Problem], list[Problem], list[Problem]]:
    """Training, validation and test problems."""
    problems, _ = read_problems(data_dir / DATA, "math23k")
    valid = select(problems, read_ids(data_dir / "public_valid_ids.txt"))
    test = select(problems, read_ids(data_dir / "public_test_ids.txt"))
    held_out = {problem.id for problem in (*valid, *test)}
    return [problem for problem in problems if problem.id not in held_out], valid, test


def train(config: Config, training: list[Problem], valid: list[Problem], run_dir: Path) -> None:
    """Train, or go on where the directory stopped."""
    trainer = Trainer(config, prepare(training, config), prepare(valid, config), run_dir)
    if (run_dir / STATE).exists():
        trainer.resume()
    trainer.run(lambda phase, done, total, figures: _log(run_dir, phase, done, total, figures))


def _log(run_dir: Path, phase: str, done: int, total: int, figures: dict[str, float]) -> None:
    """Where the training stands, for whoever looks into the directory."""
    if phase == "epoch" or done % 50 == 0:
        write_json(run_dir / "now.json", {"phase": phase, "done": done, "total": total, **figures})


def describe_test(title: str, greedy: Sequence[Outcome], beam: Sequence[Outcome]) -> dict[str, Any]:
    """What a card says of the test, from the outcomes of both searches."""
    figures: dict[str, Any] = {"problems": f"{title}, all {len(beam):,}", "search": "greedy"}
    for suffix, outcomes in (("", greedy), (f"_beam_{BEAM}", beam)):
        summary = summarize(outcomes)
        figures[f"accuracy{suffix}"] = round(summary["accuracy"], 4)
        figures[f"interval{suffix}"] = [round(summary["low"], 4), round(summary["high"], 4)]
    error = summarize_confidence(beam)["calibration_error"]
    return figures | {f"calibration_error_beam_{BEAM}": round(error, 4)}


if __name__ == "__main__":
    _data, _config, _run, _name, *_extra = sys.argv[1:]
    main(Path(_data), Path(_config), Path(_run), _name, [Path(file) for file in _extra])
