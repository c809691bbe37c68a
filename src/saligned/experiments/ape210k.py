"""The shipped Chinese models on the validation problems of Ape210K, which are harder and which none was trained on.

    python -m saligned.experiments.ape210k DATA_DIR RESULTS_DIR [EXTRA.jsonl …]

RESULTS_DIR/MODEL.json says how well a model of Math23K does, on all problems and on those that do not read like a
problem it was trained on. EXTRA is what `zh-best` was trained on beside Math23K. A model that has its result is left
alone.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saligned.data.readers import read_problems
from saligned.data.splits import data_hash
from saligned.experiments.benchmarks import score
from saligned.experiments.extra_data import unseen
from saligned.experiments.public_split import DATA
from saligned.model.checkpoint import write_json
from saligned.model.packaging import revision
from saligned.problem import Problem
from saligned.runtime.evaluation import evaluate
from saligned.runtime.models import available, load
from saligned.runtime.solver import BEAM

FILE = "ape210k/valid.ape.json"


def main(data_dir: Path, results: Path, extra: Sequence[Path] = ()) -> None:
    """Measure the models that have no result yet."""
    results.mkdir(parents=True, exist_ok=True)
    known = read_problems(data_dir / "math23k" / DATA, "math23k")[0]
    known += [problem for file in extra for problem in read_problems(file, "jsonl")[0]]
    problems = read_problems(data_dir / FILE, "ape210k")[0]
    for card in available():
        result = results / f"{card['name']}.json"
        if card["data"]["set"] == "Math23K" and not result.exists():
            figures = measure(card["name"], problems, known)
            write_json(result, figures | {"sha256": data_hash(data_dir / FILE)})


def measure(name: str, problems: Sequence[Problem], known: Sequence[Problem]) -> dict[str, Any]:
    """Solve the problems with a shipped model; `known` is what it may have been trained on."""
    outcomes = evaluate(load(name), problems, beam=BEAM)
    fresh = {problem.id for problem in unseen(problems, known)}
    return {
        "model": name,
        "problems": len(problems),
        **score(outcomes),
        "unseen": {"problems": len(fresh), **score([o for o in outcomes if o.problem.id in fresh])},
        "revision": revision(),
    }


if __name__ == "__main__":
    _data, _results, *_extra = sys.argv[1:]
    main(Path(_data), Path(_results), [Path(file) for file in _extra])
