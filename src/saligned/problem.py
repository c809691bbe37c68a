"""The nouns everybody shares: a problem, what was read of its text, and why something failed."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: its exact value and where it stands (`text[start:end] == form`)."""

    value: Fraction
    form: str
    start: int
    end: int
    kind: str  # "integer" | "decimal" | "percent" | "fraction" | "mixed" | "numeral" | "word"


@dataclass(frozen=True, slots=True)
class Token:
    """One symbol of the encoder's input; `form` is what the vocabulary sees, the span is in the original text."""

    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What the solver sees of a text: its tokens, its quantities, and the token at which each quantity stands."""

    text: str
    tokens: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One row of a data set: a text with its gold equations and answers, as far as the set gives them."""

    id: str
    text: str
    equations: tuple[str, ...] = ()
    answers: tuple[Fraction, ...] = ()
    words: tuple[str, ...] = ()  # the data set's own segmentation of the text


class Reason(StrEnum):
    """Why there is no answer."""

    DIVISION_BY_ZERO = "division by zero"
    NO_UNKNOWN = "no unknown in the equation"
    INCONSISTENT = "the equations contradict each other"
    UNDERDETERMINED = "the equations leave an unknown open"
    NO_REAL_ROOT = "no real solution"
    TOO_HARD = "the equations are beyond the solver"
    ACTION_LIMIT = "action limit reached"
    ILLEGAL_ACTION = "illegal action"
    INCOMPLETE = "the program ends before the equations are complete"
    NOT_EXPRESSIBLE = "the equation needs what the text does not give"
    UNREADABLE = "the text cannot be read"
    NO_QUANTITY = "no quantity in the text"
    NO_MODEL = "no model reads this text"
    UNSURE = "the solver is not sure enough"


@dataclass(frozen=True, slots=True)
class Failure:
    """The absence of an answer, with its reason; never 0.0, never None."""

    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)
