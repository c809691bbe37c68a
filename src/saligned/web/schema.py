"""The bodies of requests and answers, for validation and for the OpenAPI document."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from saligned.runtime import solver
from saligned.web.limits import BEAM, CHARACTERS, PROBLEMS

Text = Annotated[str, Field(max_length=CHARACTERS, description="The problem, Chinese or English as the model reads.")]
Beam = Annotated[int, Field(ge=1, le=BEAM, strict=True, description="Programs kept in mind; 1 is greedy.")]

Share = Annotated[float, Field(ge=0, le=1, strict=True, description="Answers less sure than this become failures.")]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(
        None, max_length=100, description='A name of /api/models; "auto" or missing: the one that fits the text.'
    )
    beam: Beam = solver.BEAM
    min_confidence: Share = 0.0


class SolveRequest(_Request):
    """One problem."""

    text: Text
    trace: Annotated[bool, Field(strict=True, description="Whether to add every step of the search.")] = False
    language: Literal["zh", "en"] | None = Field(None, description="Adds an explanation in words in this language.")


class ProblemRow(BaseModel):
    """A problem of a batch."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(max_length=200)] = ""
    text: Text


class BatchRequest(_Request):
    """Problems to solve together; a text that cannot be read fails alone."""

    problems: Annotated[list[ProblemRow], Field(min_length=1, max_length=PROBLEMS)]


class SolutionBody(BaseModel):
    """A solution: the same JSON as `saligned solve --json`."""

    id: str
    text: str
    status: Literal["solved", "failed"]
    reason: str | None = Field(None, description="Why there is no answer; only when failed.")
    answer: str | list[str] | None = Field(
        description='Exact, such as "13", "5/12", "2.75"; a list for several unknowns.'
    )
    value: float | list[float] | None
    equations: list[str]
    confidence: float = Field(ge=0, le=1, description="How often answers like this one are right.")
    warnings: list[str] = Field(description="What is odd about the answer; mostly empty.")
    steps: list[dict[str, Any]]
    alternatives: list[dict[str, Any]]
    model: str
    trace: dict[str, Any] | None = Field(None, description="Only when asked for.")
    answer_in_words: str | None = Field(None, description="With its unit; only when a language was named.")
    explanation: list[str] | None = Field(None, description="Only when a language was named.")


class BatchBody(BaseModel):
    """Solutions in the order of the problems."""

    solutions: list[SolutionBody]


class ModelsBody(BaseModel):
    """The cards of the models that this server has."""

    default: str
    models: list[dict[str, Any]]


class ExamplesBody(BaseModel):
    """Problems to try."""

    examples: list[str]


class Fault(BaseModel):
    """What went wrong and what to do about it."""

    code: str
    message: str
    hint: str


class ErrorBody(BaseModel):
    """Every error has this shape."""

    error: Fault
