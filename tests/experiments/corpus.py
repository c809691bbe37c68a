"""The invented problems as a data set with three folds, and tasks on it that a test can afford."""

import json
from pathlib import Path
from typing import Any

from saligned.experiments.crossval import Task, make_tasks
from tests.baselines.corpus import small_config
from tests.problems import PROBLEMS

TIMELESS = {"seconds", "core_seconds", "revision"}


def write_data(directory: Path) -> Path:
    """The problems as Math23K writes them, and `folds.json` beside them."""
    rows = [
        {
            "id": problem.id,
            "original_text": problem.text,
            "segmented_text": " ".join(problem.text),
            "equation": problem.equations[0],
            "ans": str(problem.answers[0]),
        }
        for problem in PROBLEMS
    ]
    path = directory / "problems.json"
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    folds = [[problem.id for problem in PROBLEMS[start::3]] for start in range(3)]
    (directory / "folds.json").write_text(json.dumps({"folds": folds}), encoding="utf-8")
    return path


def tasks_of(data: Path, system: str, where: str = "", **fields: Any) -> list[Task]:
    """A task for each fold; results and runs lie beside the data."""
    places = {"results": str(data.parent / f"results{where}"), "runs": str(data.parent / f"runs{where}")}
    config = small_config(system, **fields)
    return make_tasks(system, config, data=data, format_name="math23k", folds=data.parent / "folds.json", **places)


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what may differ between two runs."""
    return {name: value for name, value in result.items() if name not in TIMELESS}


def command(directory: Path, system: str, *options: str, **fields: Any) -> list[str]:
    """`saligned` with these arguments measures the tasks of `tasks_of`."""
    config = directory / "config.json"
    config.write_text(json.dumps(small_config(system, **fields).to_dict()))
    files = [str(directory / "problems.json"), "--folds", str(directory / "folds.json"), "--config", str(config)]
    places = ["--out", str(directory / "results"), "--runs", str(directory / "runs")]
    return ["crossval", *files, *places, "--format", "math23k", "--system", system, *options]
