"""What Prometheus reads at /metrics. Every app counts for itself: tests run several in one process."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_SIZES = (1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """Requests, their duration, and how well the batches fill."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._registry = registry
        self._requests = Counter(
            "saligned_requests_total",
            "Requests by address and status.",
            ["path", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "saligned_request_seconds", "Time to answer.", ["path"], buckets=_SECONDS, registry=registry
        )
        self._problems = Counter(
            "saligned_problems_total",
            "Problems by model and outcome.",
            ["model", "status"],
            registry=registry,
        )
        self._batch = Histogram(
            "saligned_batch_size", "Problems solved together.", ["model"], buckets=_SIZES, registry=registry
        )
        self._queue = Gauge("saligned_queue_problems", "Problems waiting.", ["model"], registry=registry)
        ProcessCollector(registry=registry)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def count_batch(self, model: str, size: int, waiting: int) -> None:
        """A batch begins."""
        self._batch.labels(model).observe(size)
        self._queue.labels(model).set(waiting)

    def count_problem(self, model: str, *, solved: bool) -> None:
        """A problem is done."""
        self._problems.labels(model, "solved" if solved else "failed").inc()

    def render(self) -> bytes:
        """The text format of Prometheus."""
        return generate_latest(self._registry)
