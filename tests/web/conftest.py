"""One server over two scripted models for the whole directory; others are made where limits are tested."""

from collections.abc import Iterator

import httpx
import pytest

from saligned.web.app import create_app
from tests.web.scripted import scripted_solver
from tests.web.servers import Served, serving


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    cards = [{"name": "first", "description": "The first.", "files": {"weights": "0"}}]
    with serving(create_app([scripted_solver("first"), scripted_solver("second")], cards=cards)) as server:
        yield server


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as session:
        yield session
