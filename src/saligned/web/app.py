"""The application: the API, the page, and the gate before both."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from saligned import __version__
from saligned.web import errors
from saligned.web.api import Service, make_router
from saligned.web.batching import Batcher, BatchSolver
from saligned.web.gate import Gate
from saligned.web.limits import Limits
from saligned.web.metrics import Metrics
from saligned.web.workers import Threads, Workers

STATIC = Path(__file__).parent / "static"


def create_app(
    solvers: Sequence[BatchSolver],
    *,
    cards: Sequence[Mapping[str, Any]] = (),
    key: str | None = None,
    limits: Limits | None = None,
    workers: Workers | None = None,
) -> FastAPI:
    """An app over these solvers, the first of them the default; with a key, the API needs it.

    Without workers the solvers run in one thread of this process.
    """
    limits = limits or Limits()
    workers = workers or Threads(1)
    metrics = Metrics()
    batchers = {solver.name: Batcher(solver, workers, limits, metrics) for solver in solvers}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        for batcher in batchers.values():
            batcher.start()
        yield
        for batcher in batchers.values():
            await batcher.close()
        workers.close()

    app = FastAPI(
        title="saligned",
        version=__version__,
        summary="Math word problems: the equation, the exact answer and every step.",
        lifespan=lifespan,
        # The framework's own documentation pages load their scripts from another host.
        docs_url=None,
        redoc_url=None,
    )
    known = {card["name"]: card for card in cards}
    shown = [_public(known.get(name, {"name": name})) for name in batchers]
    app.include_router(make_router(Service(batchers, shown, solvers[0].name, limits, metrics)))
    _add_page(app)
    _drop_422(app)
    errors.install(app)
    app.add_middleware(Gate, key=key, limits=limits, metrics=metrics)
    return app


def _add_page(app: FastAPI) -> None:
    """The page, its files, and the description of the API for people."""

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers={"Cache-Control": "no-cache"})

    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _public(card: Mapping[str, Any]) -> dict[str, Any]:
    """What a card says to users; digests and training settings stay on disk."""
    return {name: card[name] for name in ("name", "description", "language", "kind", "test", "bytes") if name in card}


def _drop_422(app: FastAPI) -> None:
    """The OpenAPI document without the framework's own validation error: this API answers 400."""
    document = app.openapi()
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    for name in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(name, None)
