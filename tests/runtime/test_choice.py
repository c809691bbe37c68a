"""Which model a text gets."""

from collections.abc import Sequence
from typing import Any

import pytest

import saligned
from saligned.config import Config
from saligned.errors import InputError, ModelError
from saligned.problem import Reason
from saligned.runtime.choice import AutoSolver, choose_model, specialty
from saligned.runtime.models import DEFAULT, PREFERRED, available
from saligned.runtime.solution import Solution

CARDS = [
    {"name": "zh-best", "language": "zh", "kind": "one"},
    {"name": "zh-char", "language": "zh", "kind": "one"},
    {"name": "zh-algebra", "language": "zh", "kind": "several"},
    {"name": "en", "language": "en", "kind": "one"},
]
CHINESE, SYSTEM, ENGLISH = (
    "有5只鸡，又来3只，一共几只？",
    "鸡兔共8只，22只脚，鸡兔各几只？",
    "Tom had 5 pens and lost 3.",
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CHINESE, "zh-best"),
        (SYSTEM, "zh-algebra"),
        (ENGLISH, "en"),
        ("3+5=?", "zh-best"),
        ("Find the numbers 2.", "en"),
    ],
)
def test_language_first_then_kind_then_order(text: str, name: str) -> None:
    assert choose_model(text, CARDS) == name


def test_a_language_without_a_model_is_named_with_what_there_is() -> None:
    with pytest.raises(ModelError, match=r"English.*zh-best \(Chinese, one unknown\)"):
        choose_model(ENGLISH, CARDS[:3])


def test_a_card_that_says_nothing_fits_every_text() -> None:
    assert choose_model(ENGLISH, [{"name": "mine"}]) == "mine"


class Loaded:
    """Stands for a solver; remembers what it was given."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.batches: list[list[str]] = []

    def solve_many(self, texts: Sequence[str], **_: Any) -> list[Solution]:
        self.batches.append(list(texts))
        return [Solution(text, self.name) for text in texts]


def test_batches_mix_languages_and_models_are_loaded_when_needed() -> None:
    asked: list[str] = []

    def load(name: str) -> Any:
        asked.append(name)
        return Loaded(name)

    solver = AutoSolver(CARDS, load)
    texts = [ENGLISH, CHINESE, SYSTEM, ENGLISH]
    for _ in range(2):
        solutions = solver.solve_many(texts)
        assert [solution.text for solution in solutions] == texts
        assert [solution.model for solution in solutions] == ["en", "zh-best", "zh-algebra", "en"]
    assert sorted(asked) == ["en", "zh-algebra", "zh-best"]
    loaded: Any = solver.loaded["en"]
    assert loaded.batches == [[ENGLISH, ENGLISH]] * 2


def test_a_text_that_no_model_reads_fails_alone() -> None:
    solver = AutoSolver([card for card in available() if card["language"] == "zh"], saligned.load)
    chinese, english = solver.solve_many([CHINESE, ENGLISH])
    assert chinese.solved
    assert english.failure is not None
    assert english.failure.reason is Reason.NO_MODEL
    with pytest.raises(ModelError, match="English"):
        solver.solve(ENGLISH)
    with pytest.raises(InputError):
        solver.solve("")


def test_the_default_is_the_first_shipped_of_the_preferred() -> None:
    names = [card["name"] for card in available()]
    assert names[0] == DEFAULT == next(name for name in PREFERRED if name in names)
    assert saligned.load().solve(CHINESE).model == DEFAULT


@pytest.mark.parametrize("card", available(), ids=lambda card: card["name"])
def test_cards_name_language_and_kind(card: dict[str, Any]) -> None:
    assert {"language": card["language"], "kind": card["kind"]} == specialty(saligned.load(card["name"]).config)


def test_what_a_config_is_for() -> None:
    assert specialty(Config(tokenizer="english", max_unknowns=2)) == {"language": "en", "kind": "several"}
