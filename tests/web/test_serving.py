"""Batching, the queue, time limits, the key, faults, and the end of a server."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from click.testing import CliRunner

from saligned.cli.serve import serve
from saligned.errors import ConfigError
from saligned.web.app import create_app
from saligned.web.limits import Limits
from saligned.web.server import open_socket, require_key
from saligned.web.workers import Threads
from tests.web.scripted import scripted_solver
from tests.web.servers import Served, SlowSolver, serving

KEY = "a-key-of-the-tests"


def post(served: Served, text: str, **fields: object) -> httpx.Response:
    with served.client() as client:
        return client.post("/api/solve", json={"text": text, **fields})


def wait_until(condition: object) -> None:
    """Poll; the server runs in another thread."""
    assert callable(condition)
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "it did not happen within 5 seconds"
        time.sleep(0.005)


def queued(served: Served, count: int) -> None:
    """Wait until so many requests are open besides this one."""
    wait_until(lambda: len(served.server.server_state.connections) >= count)
    time.sleep(0.1)  # from the connection to the queue


def test_requests_that_arrive_together_are_solved_together() -> None:
    solver = SlowSolver()
    with serving(create_app([solver])) as served, ThreadPoolExecutor(10) as pool:
        first = pool.submit(post, served, "first 1")
        assert solver.entered.wait(5)
        others = [pool.submit(post, served, f"other {index}") for index in range(8)]
        queued(served, 9)
        solver.gate.set()
        texts = [future.result().json()["text"] for future in (first, *others)]
    assert texts == ["first 1", *(f"other {index}" for index in range(8))]
    assert [len(batch) for batch in solver.batches] == [1, 8]


def test_workers_solve_side_by_side() -> None:
    solver = SlowSolver()
    with serving(create_app([solver], workers=Threads(2))) as served, ThreadPoolExecutor(2) as pool:
        first = pool.submit(post, served, "first 1")
        assert solver.entered.wait(5)
        solver.entered.clear()
        second = pool.submit(post, served, "second 1")
        assert solver.entered.wait(5), "the second waits for the first"
        solver.gate.set()
        assert [future.result().json()["text"] for future in (first, second)] == ["first 1", "second 1"]


def test_a_batch_has_at_most_so_many_problems() -> None:
    solver = SlowSolver(open_gate=True)
    with serving(create_app([solver], limits=Limits(together=64))) as served, served.client() as client:
        problems = [{"text": f"problem {index}"} for index in range(150)]
        assert client.post("/api/solve/batch", json={"problems": problems}).status_code == 200
    assert [len(batch) for batch in solver.batches] == [64, 64, 22]


def test_different_beams_are_not_mixed() -> None:
    solver = SlowSolver()
    with serving(create_app([solver])) as served, ThreadPoolExecutor(10) as pool:
        first = pool.submit(post, served, "first 1")
        assert solver.entered.wait(5)
        others = [pool.submit(post, served, f"beam {index % 2}", beam=1 + index % 2) for index in range(6)]
        queued(served, 7)
        solver.gate.set()
        assert all(future.result().status_code == 200 for future in (first, *others))
    assert [len(set(batch)) for batch in solver.batches] == [1, 1, 1]
    assert sorted(map(len, solver.batches)) == [1, 3, 3]


def test_a_full_queue_says_when_to_come_back() -> None:
    solver = SlowSolver()
    with serving(create_app([solver], limits=Limits(queue=2))) as served, ThreadPoolExecutor(3) as pool:
        running = pool.submit(post, served, "running 1")
        assert solver.entered.wait(5)
        waiting = [pool.submit(post, served, f"waiting {index}") for index in range(2)]
        queued(served, 3)
        refused = post(served, "one too many 1")
        solver.gate.set()
        assert [future.result().status_code for future in (running, *waiting)] == [200, 200, 200]
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "busy"
    assert int(refused.headers["retry-after"]) >= 1


def test_a_request_has_a_time_limit_and_is_then_left_out() -> None:
    solver = SlowSolver()
    with serving(create_app([solver], limits=Limits(seconds=0.2))) as served, ThreadPoolExecutor(2) as pool:
        running = pool.submit(post, served, "running 1")
        assert solver.entered.wait(5)
        response = post(served, "waiting 1")
        assert response.status_code == 504
        assert response.json()["error"]["code"] == "timeout"
        assert running.result().status_code == 504
        solver.gate.set()
        assert post(served, "later 1").status_code == 200
    assert solver.batches == [["running 1"], ["later 1"]]


def test_a_fault_is_the_fault_of_one_problem(caplog: pytest.LogCaptureFixture) -> None:
    solver = SlowSolver()
    with serving(create_app([solver])) as served, ThreadPoolExecutor(4) as pool:
        first = pool.submit(post, served, "first 1")
        assert solver.entered.wait(5)
        bad, good = pool.submit(post, served, "fault"), pool.submit(post, served, "good 1")
        queued(served, 3)
        solver.gate.set()
        assert [first.result().status_code, good.result().status_code] == [200, 200]
        response = bad.result()
    assert response.status_code == 500
    assert set(response.json()["error"]) == {"code", "message", "hint"}
    assert "on purpose" not in response.text
    assert "on purpose" in caplog.text


def test_what_is_in_flight_is_finished_before_the_end() -> None:
    solver = SlowSolver()
    with serving(create_app([solver])) as served, ThreadPoolExecutor(1) as pool:
        running = pool.submit(post, served, "running 1")
        assert solver.entered.wait(5)
        served.server.should_exit = True
        time.sleep(0.3)
        assert not running.done()
        solver.gate.set()
        assert running.result().json()["text"] == "running 1"
        served.thread.join(5)
        assert not served.thread.is_alive()
        with pytest.raises(httpx.ConnectError):
            post(served, "too late 1")


def test_with_a_key_the_api_needs_it_and_the_page_does_not() -> None:
    with serving(create_app([scripted_solver()], key=KEY)) as served, served.client() as client:
        for path in ("/api/models", "/api/examples", "/metrics"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers={"Authorization": f"Bearer {KEY}"}).status_code == 200
        for wrong in (
            "",
            KEY,
            f"Basic {KEY}",
            "Bearer",
            f"Bearer {KEY}x",
            "Bearer é".encode().decode("latin-1"),
        ):
            response = client.post(
                "/api/solve", json={"text": "有5个"}, headers={b"Authorization": wrong.encode("latin-1")}
            )
            assert response.status_code == 401
            assert response.json()["error"]["code"] == "unauthorized"
            assert response.headers["www-authenticate"] == "Bearer"
        for path in ("/", "/docs", "/healthz", "/static/main.js"):
            assert client.get(path).status_code == 200


def test_an_address_that_others_reach_needs_a_key() -> None:
    assert require_key("127.0.0.1", {}) is None
    assert require_key("0.0.0.0", {"SALIGNED_API_KEY": KEY}) == KEY
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.org"):
        with pytest.raises(ConfigError, match="SALIGNED_API_KEY"):
            require_key(host, {})
    for key in ("with space", "schlüssel", "line\nbreak"):
        with pytest.raises(ConfigError, match="printable ASCII"):
            require_key("127.0.0.1", {"SALIGNED_API_KEY": key})


def test_the_command_refuses_to_serve_others_without_a_key() -> None:
    result = CliRunner().invoke(serve, ["--host", "0.0.0.0"], env={"SALIGNED_API_KEY": ""})
    assert isinstance(result.exception, ConfigError)


def test_a_taken_port_is_explained() -> None:
    with open_socket("127.0.0.1", 0) as taken, pytest.raises(ConfigError, match="--port 0"):
        open_socket("127.0.0.1", taken.getsockname()[1])
