"""Cross-validation: one task for each (system, fold), resumable, with one committed result each.

    saligned crossval DATA/math23k.json --format math23k --folds DATA/folds.json --system paper-word

For fold k the test problems are the fold; a tenth of the others, drawn with the configuration's seed, chooses the
epoch; the rest is trained on. `results/<system>/fold<k>.json` is the result; the run directory holds checkpoints,
progress and the predictions, which contain texts of the data set and stay out of the repository.
"""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saligned.config import Config
from saligned.data.readers import read_problems
from saligned.data.splits import data_hash, read_folds, split_validation
from saligned.errors import DataError

VALIDATION = 0.1
NOW = "now.json"
PREDICTIONS = "predictions.jsonl"
# Seconds between two notes of the progress; a display does not need more.
NOTE_EVERY = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One system on one fold; plain values, so that it can travel to another process or machine."""

    system: str
    fold: int
    data: str
    format: str
    folds: str
    results: str
    runs: str
    config: dict[str, Any]
    parent: int = 0  # the process whose end ends the task; 0: none

    @property
    def result(self) -> Path:
        """The committed result."""
        return Path(self.results) / self.system / f"fold{self.fold}.json"

    @property
    def run(self) -> Path:
        """Checkpoints, progress and predictions."""
        return Path(self.runs) / self.system / f"fold{self.fold}"


def make_tasks(system: str, config: Config, *, data: Path, format_name: str, folds: Path, **places: str) -> list[Task]:
    """All folds of a system."""
    fields: dict[str, Any] = {
        **places,
        "data": str(data.resolve()),
        "format": format_name,
        "folds": str(folds.resolve()),
    }
    count = len(read_folds(folds))
    return [Task(system=system, fold=k, config=config.to_dict(), **fields) for k in range(count)]


def unfinished(tasks: list[Task]) -> list[Task]:
    """The tasks without a result; a result of another configuration or other data is an error, not a result."""
    out = []
    sha256 = data_hash(tasks[0].data) if tasks else ""
    for task in tasks:
        if not task.result.exists():
            out.append(task)
            continue
        found = json.loads(task.result.read_text(encoding="utf-8"))
        same = Config.from_dict(found["config"]) == Config.from_dict(task.config)  # also of fields that came later
        if not same or found["data"]["sha256"] != sha256:
            raise DataError(
                f"{task.result} was measured with another configuration or other data; move it away to measure again"
            )
    return out


def run_task(task: Task) -> dict[str, Any]:
    """Fit, solve, score and write the result. A finished task returns what it wrote."""
    import torch

    from saligned.experiments.scoring import score
    from saligned.experiments.systems import make_system
    from saligned.model.checkpoint import write_json
    from saligned.model.packaging import revision

    if task.result.exists():
        found: dict[str, Any] = json.loads(task.result.read_text(encoding="utf-8"))
        return found
    torch.set_num_threads(1)
    task.run.mkdir(parents=True, exist_ok=True)
    config = Config.from_dict(task.config)
    notes = Notes(task)
    train, valid, test = split(task, config.seed)
    system = make_system(task.system, config)
    fitted = system.fit(train, valid, task.run, notes)
    scored = score(test, system.solve(test), config)
    _write_rows(task.run / PREDICTIONS, scored.pop("rows"))
    result = {
        "system": task.system,
        "fold": task.fold,
        "config": json.loads(json.dumps(task.config)),
        "seed": config.seed,
        "data": {
            "file": Path(task.data).name,
            "sha256": data_hash(task.data),
            "folds_sha256": data_hash(task.folds),
            "train": len(train),
            "valid": len(valid),
            "test": len(test),
        },
        "best_epoch": fitted.best_epoch,
        "valid_accuracy": fitted.valid_accuracy,
        **scored,
        **notes.cost(),
        "revision": revision(),
    }
    task.result.parent.mkdir(parents=True, exist_ok=True)
    write_json(task.result, result)
    return result


def split(task: Task, seed: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Training, validation and test problems of a fold; every problem is in exactly one of them."""
    problems, _ = read_problems(task.data, task.format)
    ids = set(read_folds(task.folds)[task.fold])
    test = [problem for problem in problems if problem.id in ids]
    if missing := len(ids - {problem.id for problem in test}):
        raise DataError(f"{missing} ids of fold {task.fold} are not in {task.data} or cannot be read")
    train, valid = split_validation([problem for problem in problems if problem.id not in ids], VALIDATION, seed)
    return train, valid, test


def read_progress(task: Task, since: float = 0.0) -> dict[str, float]:
    """Where a task stands: done and total epochs, rate, process, cost so far; empty without a note since then."""
    try:
        if (task.run / NOW).stat().st_mtime < since:
            return {}
        found: dict[str, float] = json.loads((task.run / NOW).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


class Notes:
    """A report that writes the progress down, and ends the task when the process that started it is gone.

    It goes on from the last note of a task that was stopped, so that the cost is that of all attempts: wall-clock
    seconds, and those in which a core worked, which do not count what else the machine did.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        last = read_progress(task)
        self.epoch, self.epochs = int(last.get("done", 0)), last.get("total", Config.from_dict(task.config).epochs)
        self.since = time.perf_counter() - last.get("seconds", 0), time.process_time() - last.get("core_seconds", 0)
        self.noted = float("-inf")
        self._write(self.epoch, 0.0)

    def __call__(self, phase: str, done: int, total: int, figures: dict[str, float]) -> None:
        """Note an epoch, or a batch if the last note is old enough."""
        if self.task.parent and os.getppid() != self.task.parent:
            raise SystemExit("the process that started this task is gone")
        part = done / total
        if phase == "epoch":
            self.epoch, self.epochs, part = done, total, 0.0
        elif time.monotonic() - self.noted < NOTE_EVERY:
            return
        self._write(self.epoch + part, figures.get("problems_per_second", 0.0))

    def cost(self) -> dict[str, float]:
        """Everything since the task began: reading, word vectors, training, validation, solving."""
        wall, core = self.since
        return {
            "seconds": round(time.perf_counter() - wall, 1),
            "core_seconds": round(time.process_time() - core, 1),
        }

    def _write(self, done: float, rate: float) -> None:
        self.noted = time.monotonic()
        note = {"done": done, "total": self.epochs, "rate": rate, "process": os.getpid(), **self.cost()}
        temporary = self.task.run / (NOW + ".part")
        temporary.write_text(json.dumps(note), encoding="utf-8")
        temporary.replace(self.task.run / NOW)


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    temporary.replace(path)
