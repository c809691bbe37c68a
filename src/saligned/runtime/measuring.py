"""Speed and memory of solving, as a user meets them."""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from saligned.examples import ENGLISH_EXAMPLES, EXAMPLES
from saligned.runtime.choice import specialty
from saligned.runtime.models import load
from saligned.runtime.solver import BEAM, Solver

Figures = dict[str, float | int | str]
COLD_STARTS = 7
WARM_ROUNDS = 8
BATCH_ROUNDS = 40


def measure(model: str, advance: Callable[[int], None] = lambda _: None) -> Figures:
    """All figures of one model; milliseconds are medians, with the 90th percentile beside them."""
    figures: Figures = {"model": model}
    single, many = load(model), load(model, threads=0)
    texts = ENGLISH_EXAMPLES if specialty(single.config)["language"] == "en" else EXAMPLES
    figures |= _cold_start(model, texts[0])
    advance(1)
    for name, beam in (("greedy", 1), (f"beam_{BEAM}", BEAM)):
        figures |= {f"warm_{name}_{key}": value for key, value in _latency(single, texts, beam).items()}
        advance(1)
        figures[f"batch_{name}_problems_per_second"] = _throughput(many, texts, beam)
        advance(1)
    return figures


def _cold_start(model: str, text: str) -> Figures:
    """Wall clock and peak memory of the command, from nothing to the printed answer."""
    command = [sys.executable, "-m", "saligned", "solve", text, "--model", model, "--json"]
    seconds = []
    for _ in range(COLD_STARTS):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    peak_mb = peak / 1e6 if sys.platform == "darwin" else peak / 1024
    return {
        "cold_start_s": round(statistics.median(seconds), 3),
        "cold_start_max_s": round(max(seconds), 3),
        "peak_memory_mb": round(peak_mb),
    }


def _latency(solver: Solver, texts: Sequence[str], beam: int) -> Figures:
    for text in texts:
        solver.solve(text, beam=beam)
    times = []
    for _ in range(WARM_ROUNDS):
        for text in texts:
            started = time.perf_counter()
            solver.solve(text, beam=beam)
            times.append((time.perf_counter() - started) * 1000)
    return {
        "ms": round(statistics.median(times), 2),
        "p90_ms": round(statistics.quantiles(times, n=10)[-1], 2),
    }


def _throughput(solver: Solver, texts: Sequence[str], beam: int) -> float:
    many = [text for _ in range(BATCH_ROUNDS) for text in texts]
    solver.solve_many(many[:64], beam=beam)
    started = time.perf_counter()
    solver.solve_many(many, beam=beam)
    return round(len(many) / (time.perf_counter() - started), 1)
