"""Tasks in processes of their own: one is killed, Ctrl-C is pressed, and what is started again loses nothing."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from saligned.errors import SalignedError
from saligned.experiments.crossval import Task, read_progress, run_task
from saligned.experiments.engines import run_local
from saligned.model.training import LOG
from tests.experiments.corpus import command, tasks_of, timeless, write_data

SYSTEM = "classification-blstm"
EPOCHS = 60  # long enough to be stopped in the middle
PATIENCE = 120.0


@pytest.fixture
def tasks(tmp_path: Path) -> list[Task]:
    return tasks_of(write_data(tmp_path), SYSTEM, epochs=EPOCHS)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def epochs_logged(task: Task) -> list[int]:
    try:
        lines = (task.run / LOG).read_text().splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line)["epoch"] for line in lines]


def check_resumed(task: Task) -> None:
    """Every epoch once: nothing that had been finished was repeated."""
    stopped = epochs_logged(task)
    assert 2 <= len(stopped) < EPOCHS
    resumed = run_task(task)
    assert epochs_logged(task) == list(range(1, EPOCHS + 1))
    whole = run_task(tasks_of(Path(task.data), SYSTEM, "-whole", epochs=EPOCHS)[task.fold])
    assert timeless(resumed) == timeless(whole)


def test_a_killed_task_does_not_stop_the_others(tasks: list[Task]) -> None:
    killed, other = tasks[:2]

    def kill() -> None:
        wait_for(lambda: len(epochs_logged(killed)) >= 2)
        os.kill(int(read_progress(killed)["process"]), signal.SIGKILL)

    killer = threading.Thread(target=kill)  # the runner looks at its tasks too seldom to do it in between
    killer.start()
    outcomes = {}
    for finished in run_local([killed, other], workers=2):
        outcomes.update({task.fold: outcome for task, outcome in finished})
    killer.join()
    assert isinstance(outcomes[0], SalignedError)
    assert "signal 9" in str(outcomes[0])
    assert outcomes[1] == json.loads(other.result.read_text())
    check_resumed(killed)


def test_interrupted(tasks: list[Task], tmp_path: Path) -> None:
    arguments = command(tmp_path, SYSTEM, "--fold", "0", epochs=EPOCHS)
    # Where the tests run in the background, Ctrl-C is ignored, and a child would inherit that.
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    runner = subprocess.Popen([sys.executable, "-m", "saligned", *arguments], stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, handler)
    wait_for(lambda: len(epochs_logged(tasks[0])) >= 2)
    runner.send_signal(signal.SIGINT)
    _, messages = runner.communicate(timeout=PATIENCE)
    assert (runner.returncode, "Traceback" in messages) == (130, False)
    with pytest.raises(ProcessLookupError):
        os.kill(int(read_progress(tasks[0])["process"]), 0)
    check_resumed(tasks[0])
