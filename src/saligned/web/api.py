"""The endpoints: parse, queue, answer. A solution's JSON is written by the worker that found it."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from saligned.errors import InputError, ModelError
from saligned.examples import ENGLISH_EXAMPLES, EXAMPLES
from saligned.explain.text import answer_in_words, explain_in_words
from saligned.explain.trace import make_trace
from saligned.problem import Reason
from saligned.runtime.choice import AUTO, choose_model
from saligned.runtime.solution import Solution, failed
from saligned.text.language import Language
from saligned.text.tokenizers import check
from saligned.web.batching import Batcher, Render
from saligned.web.errors import ApiError
from saligned.web.limits import Limits
from saligned.web.metrics import CONTENT_TYPE, Metrics
from saligned.web.schema import (
    BatchBody,
    BatchRequest,
    ErrorBody,
    ExamplesBody,
    ModelsBody,
    SolutionBody,
    SolveRequest,
)

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorBody, "description": "The request cannot be understood, or the text cannot be read."},
    401: {"model": ErrorBody, "description": "The API key is missing or wrong."},
    404: {"model": ErrorBody, "description": "There is no such model."},
    413: {"model": ErrorBody, "description": "The body is too long."},
    503: {
        "model": ErrorBody,
        "description": "Too many problems are waiting; Retry-After says when to come back.",
    },
    504: {"model": ErrorBody, "description": "The time limit of a request has passed."},
}


@dataclass(frozen=True, slots=True)
class Service:
    """The models with their queues, and what is known of them."""

    batchers: Mapping[str, Batcher]
    cards: Sequence[Mapping[str, Any]]
    default: str
    limits: Limits
    metrics: Metrics

    async def solve(self, texts: Sequence[str], model: str | None, beam: int, render: Sequence[Render]) -> list[bytes]:
        """Queue each text at its model and wait for all of them; a text that no model reads fails alone."""
        bodies: dict[int, bytes] = {}
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            try:
                places.setdefault(self._name(text, model), []).append(place)
            except ModelError as error:
                bodies[place] = render[place](failed(text, AUTO, Reason.NO_MODEL, str(error)))
        futures: dict[int, asyncio.Future[bytes]] = {}
        for name, group in places.items():
            queued = self._batcher(name).submit([texts[i] for i in group], beam, [render[i] for i in group])
            futures.update(zip(group, queued, strict=True))
        try:
            # Beyond the limit the futures are cancelled, and the queue leaves their problems out.
            found = await asyncio.wait_for(asyncio.gather(*futures.values()), self.limits.seconds)
        except TimeoutError as error:
            raise ApiError(
                504,
                "timeout",
                f"No answer within {self.limits.seconds:g} seconds.",
                "Try again later, with fewer or shorter problems, or a smaller beam.",
            ) from error
        bodies.update(zip(futures, found, strict=True))
        return [bodies[place] for place in range(len(texts))]

    def _name(self, text: str, model: str | None) -> str:
        """The model that was asked for, or the one that fits the text."""
        return choose_model(text, self.cards) if model in {None, "", AUTO} else str(model)

    def _batcher(self, model: str) -> Batcher:
        batcher = self.batchers.get(model)
        if batcher is None:
            names = ", ".join(self.batchers)
            raise ApiError(404, "unknown_model", "There is no model of this name.", f"The models are: {names}.")
        return batcher


def make_router(service: Service) -> APIRouter:
    """The routes over a service."""
    router = APIRouter()

    @router.post("/api/solve", response_model=SolutionBody, responses=_ERRORS, summary="Solve one problem")
    async def solve(request: SolveRequest) -> Response:
        try:
            check(request.text)
        except InputError as error:
            hint = "Send a problem in words with at least one number."
            raise ApiError(400, "unreadable_text", _sentence(str(error)), hint) from error
        required = request.min_confidence
        render = partial(_write, trace=request.trace, language=request.language, min_confidence=required)
        (body,) = await service.solve([request.text], request.model, request.beam, [render])
        return _json(body)

    @router.post("/api/solve/batch", response_model=BatchBody, responses=_ERRORS, summary="Solve up to 256 problems")
    async def solve_batch(request: BatchRequest) -> Response:
        rows = request.problems
        render = [partial(_write, id=row.id, min_confidence=request.min_confidence) for row in rows]
        bodies = await service.solve([row.text for row in rows], request.model, request.beam, render)
        return _json(b'{"solutions":[' + b",".join(bodies) + b"]}")

    @router.get("/api/models", response_model=ModelsBody, summary="The models of this server")
    async def models() -> Response:
        return _json(_dump({"default": service.default, "models": service.cards}))

    @router.get("/api/examples", response_model=ExamplesBody, summary="Problems to try")
    async def examples() -> Response:
        languages = {card.get("language", "zh") for card in service.cards}
        english = ENGLISH_EXAMPLES if "en" in languages else ()
        return _json(_dump({"examples": [*(EXAMPLES if "zh" in languages else ()), *english]}))

    @router.get("/healthz", summary="Whether the server answers")
    async def health() -> Response:
        return _json(b'{"status":"ok"}')

    @router.get("/metrics", summary="Figures for Prometheus")
    async def metrics() -> Response:
        return Response(service.metrics.render(), media_type=CONTENT_TYPE)

    return router


def _write(
    solution: Solution,
    *,
    id: str = "",  # noqa: A002
    trace: bool = False,
    language: Language | None = None,
    min_confidence: float = 0.0,
) -> bytes:
    """The JSON of a solution, with what was asked for besides."""
    solution = solution.require(min_confidence)
    out = solution.to_dict(id)
    if trace or language:
        full = make_trace(solution)
        if trace:
            out["trace"] = full
        if language:
            out["explanation"] = explain_in_words(full, language)
            out["answer_in_words"] = answer_in_words(full, language) if solution.solved else None
    return _dump(out)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _dump(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
