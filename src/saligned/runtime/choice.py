"""Which model solves which text: the one of its language, and of the number of unknowns that it asks for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saligned.config import Config
from saligned.errors import ModelError
from saligned.problem import Reason
from saligned.runtime.solution import Solution, failed
from saligned.runtime.solver import BEAM, Solver
from saligned.text.language import KINDS, LANGUAGES, Kind, Language, kind_of, language_of
from saligned.text.tokenizers import check

__all__ = ["AUTO", "AutoSolver", "choose_model", "specialty"]

AUTO = "auto"


def specialty(config: Config) -> dict[str, str]:
    """What a card says of the texts that a model is for."""
    language: Language = "en" if config.tokenizer == "english" else "zh"
    kind: Kind = "one" if config.max_unknowns == 1 else "several"
    return {"language": language, "kind": kind}


def choose_model(text: str, cards: Sequence[Mapping[str, Any]]) -> str:
    """The name of the first model that reads the text's language, rather one for its kind of question.

    A card without `language` or `kind` fits every text; a text without words, such as 3+5=?, fits every language.

    >>> cards = [{"name": "zh", "language": "zh"}, {"name": "systems", "language": "zh", "kind": "several"}]
    >>> choose_model("还剩几个？", cards), choose_model("鸡兔各几只？", [cards[1], cards[0]])
    ('zh', 'systems')
    """
    language, kind = language_of(text), kind_of(text)
    readers = [card for card in cards if language is None or card.get("language", language) == language]
    if not readers:
        there = "; ".join(map(_describe, cards)) or "none"
        raise ModelError(f"the text is {LANGUAGES[language or 'en']}, and no model here reads it; there is {there}")
    fitting = [card for card in readers if card.get("kind", kind) == kind]
    return str((fitting or readers)[0]["name"])


def _describe(card: Mapping[str, Any]) -> str:
    """A model with what it reads, for people."""
    language, kind = LANGUAGES.get(card.get("language", ""), "any language"), KINDS.get(card.get("kind", ""), "")
    return f"{card['name']} ({', '.join(filter(None, (language, kind)))})"


@dataclass(frozen=True, slots=True)
class AutoSolver:
    """Solves each text with the model that fits it; a model is loaded when its first text comes."""

    cards: Sequence[Mapping[str, Any]]
    load: Callable[[str], Solver]
    loaded: dict[str, Solver] = field(default_factory=dict)
    name: str = AUTO

    def solver(self, name: str) -> Solver:
        """One of the models."""
        if name not in self.loaded:
            self.loaded[name] = self.load(name)
        return self.loaded[name]

    def solve(self, text: str, *, beam: int = BEAM, min_confidence: float = 0.0) -> Solution:
        """Solve one problem, as `Solver.solve`; ModelError when no model reads its language."""
        check(text)
        solver = self.solver(choose_model(text, self.cards))
        return solver.solve(text, beam=beam, min_confidence=min_confidence)

    def solve_many(self, texts: Sequence[str], *, beam: int = BEAM, min_confidence: float = 0.0) -> list[Solution]:
        """Solve texts together, order kept; a text that no model reads becomes a failed solution."""
        solutions: dict[int, Solution] = {}
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            try:
                places.setdefault(choose_model(text, self.cards), []).append(place)
            except ModelError as error:
                solutions[place] = failed(text, self.name, Reason.NO_MODEL, str(error))
        for name, group in places.items():
            together = [texts[place] for place in group]
            found = self.solver(name).solve_many(together, beam=beam, min_confidence=min_confidence)
            solutions.update(zip(group, found, strict=True))
        return [solutions[place] for place in range(len(texts))]
