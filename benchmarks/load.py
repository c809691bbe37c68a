"""Load on POST /api/solve: `make load`.

Starts the server, keeps 16 clients busy over loopback with 20,000 requests, and prints one JSON object:
requests a second, latencies, errors, the server's memory before and after, and how much of the processor's time other
virtual machines took meanwhile. The clients speak HTTP over
bare sockets: a full client library would take the processor time that is being measured.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from saligned.cli.serve import WORKERS
from saligned.cli.terminal import progress
from saligned.examples import EXAMPLES


@dataclass
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)

    def fail(self, kind: str) -> None:
        """Count an error."""
        self.errors[kind] = self.errors.get(kind, 0) + 1


def make_request(number: int, beam: int) -> bytes:
    """No two problems are equal: a cache would have nothing to gain."""
    text = EXAMPLES[number % len(EXAMPLES)] + f"（第{number}题）"
    body = json.dumps({"text": text, "beam": beam}).encode()
    head = "POST /api/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[str, bytes]:
    """The status and body of one answer."""
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.split("content-length: ", 1)[1].split("\r\n", 1)[0])
    return head.split(" ", 2)[1], await reader.readexactly(length)


async def run_client(
    port: int, numbers: Iterator[int], beam: int, tally: Tally, advance: Callable[[int], None]
) -> None:
    """Request after request on one connection, until the numbers run out."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in numbers:
        request = make_request(number, beam)
        start = time.perf_counter()
        try:
            status, body = await asyncio.wait_for(exchange(reader, writer, request), 60)
        except (OSError, EOFError, TimeoutError) as error:
            tally.fail(type(error).__name__)
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        tally.seconds.append(time.perf_counter() - start)
        if status != "200" or b'"status":' not in body:
            tally.fail(status)
        advance(1)
    writer.close()


async def run_clients(port: int, *, clients: int, requests: int, beam: int) -> tuple[Tally, float]:
    """All clients together, and how long they took."""
    tally = Tally()
    numbers = iter(range(requests))
    start = time.perf_counter()
    with progress("requests", requests) as advance:
        await asyncio.gather(*(run_client(port, numbers, beam, tally, advance) for _ in range(clients)))
    return tally, time.perf_counter() - start


def resident_megabytes(process: int) -> float:
    """The memory of a process and all that it started, from the kernel."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    threads = Path(f"/proc/{process}/task").iterdir()
    children = [child for thread in threads for child in (thread / "children").read_text().split()]
    own = int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
    return own + sum(resident_megabytes(int(child)) for child in children)


def processor_ticks() -> tuple[int, int]:
    """All ticks of all cores since the start, and those that the hypervisor gave to other machines."""
    ticks = [int(count) for count in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(ticks), ticks[7]


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    """Serve, warm up, measure."""
    command = [
        str(Path(sys.executable).with_name("saligned")),
        "serve",
        "--port",
        "0",
        "--workers",
        str(arguments.workers),
    ]
    for model in arguments.model:
        command += ["--model", model]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().split()[3].rsplit(":", 1)[1])
        load = {"clients": arguments.clients, "beam": arguments.beam}
        # The allocators and ONNX Runtime's arenas reach their size within some hundred batches.
        asyncio.run(run_clients(port, requests=arguments.warmup, **load))
        before, ticks = resident_megabytes(server.pid), processor_ticks()
        tally, seconds = asyncio.run(run_clients(port, requests=arguments.requests, **load))
        after, last_ticks = resident_megabytes(server.pid), processor_ticks()
    finally:
        server.terminate()
        server.wait(60)
    cuts = [1000 * cut for cut in quantiles(tally.seconds, n=100, method="inclusive")]
    return {
        "requests": arguments.requests,
        **load,
        "workers": arguments.workers,
        "requests_per_second": round(arguments.requests / seconds, 1),
        "milliseconds": {
            "p50": round(cuts[49], 1),
            "p99": round(cuts[98], 1),
            "max": round(1000 * max(tally.seconds), 1),
        },
        "errors": tally.errors,
        "stolen_processor_time": round((last_ticks[1] - ticks[1]) / (last_ticks[0] - ticks[0]), 3),
        "megabytes": {
            "before": round(before, 1),
            "after": round(after, 1),
            "growth": round(after / before - 1, 4),
        },
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--warmup", type=int, default=2_000, help="requests before the measurement")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--workers", type=int, default=WORKERS, help="of the server")
    parser.add_argument("--model", action="append", default=[], help="of the server; all shipped ones if missing")
    print(json.dumps(measure(parser.parse_args()), indent=1))


if __name__ == "__main__":
    main()
