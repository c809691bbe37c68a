"""What one client may ask for, so that it cannot take the server from the others."""

from dataclasses import dataclass

CHARACTERS = 2_000  # of a problem
PROBLEMS = 256  # in a batch request
BEAM = 50


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server; the tests make them small."""

    body: int = 1_000_000  # bytes of a request
    queue: int = 512  # problems waiting for a model: two full batch requests
    together: int = 8  # problems solved at once: larger batches gain little, and the workers share what waits
    wait: float = 0.002  # seconds that the first problem of a batch waits for company
    seconds: float = 30.0  # for a request, waiting included
