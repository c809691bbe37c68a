"""Cross-validation on a Ray cluster gives the results of local processes."""

import json
import subprocess
import sys
from pathlib import Path

from saligned.experiments.crossval import run_task
from tests.experiments.corpus import command, tasks_of, timeless, write_data

SYSTEM = "classification-blstm"


def test_the_same_result_on_ray(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    arguments = command(tmp_path, SYSTEM, "--fold", "2", "--engine", "ray")
    done = subprocess.run([sys.executable, "-m", "saligned", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    there = json.loads(tasks_of(data, SYSTEM)[2].result.read_text())
    assert timeless(there) == timeless(run_task(tasks_of(data, SYSTEM, "-here")[2]))
