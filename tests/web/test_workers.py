"""Worker processes: they hold the models, are replaced when they die, and end with the server."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from saligned.errors import ModelError
from saligned.runtime.models import DEFAULT, find
from saligned.web.app import create_app
from saligned.web.workers import Processes
from tests.web.servers import serving

TEXT = "小红有10个苹果，吃了3个，还剩多少个？"


@pytest.fixture
def processes() -> Iterator[Processes]:
    workers = Processes([DEFAULT], 2)
    yield workers
    workers.close()


def number_of_a_worker(processes: Processes) -> int:
    """In a thread, because the browser tests keep an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(processes.run(os.getpid))).result()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_model_solves_in_another_process(processes: Processes) -> None:
    assert number_of_a_worker(processes) != os.getpid()
    with serving(create_app(processes.solvers, workers=processes)) as served, served.client() as client:
        body = client.post("/api/solve", json={"text": TEXT, "trace": True, "language": "zh"}).json()
        assert (body["model"], body["status"]) == (DEFAULT, "solved")
        assert body["explanation"]
        assert f'saligned_problems_total{{model="{DEFAULT}",status="solved"}} 1.0' in client.get("/metrics").text


def test_a_worker_that_dies_is_replaced(processes: Processes) -> None:
    with serving(create_app(processes.solvers, workers=processes)) as served, served.client() as client:
        os.kill(number_of_a_worker(processes), signal.SIGKILL)
        assert client.post("/api/solve", json={"text": TEXT}).json()["status"] == "solved"


def test_a_damaged_model_is_named_at_the_start(tmp_path: Path) -> None:
    directory = tmp_path / "damaged"
    shutil.copytree(find(DEFAULT), directory)
    (directory / "step.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelError, match=r"step\.onnx is damaged"):
        Processes([directory], 1)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_workers_end_with_the_server(how: signal.Signals) -> None:
    command = [sys.executable, "-m", "saligned", "serve", "--port", "0", "--model", DEFAULT, "--workers", "1"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().split()[3]
    assert httpx.post(f"{address}/api/solve", json={"text": TEXT}, timeout=20).status_code == 200
    started = [int(child) for child in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]
    assert len(started) >= 1
    server.send_signal(how)
    _, errors = server.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while any(map(is_alive, started)):
        assert time.monotonic() < deadline, "a worker outlives its server"
        time.sleep(0.05)
    assert "Traceback" not in errors
