"""The shipped models through the public API."""

import shutil
from pathlib import Path

import pytest

import saligned
from saligned.config import Config
from saligned.errors import InputError, ModelError
from saligned.examples import EXAMPLES
from saligned.problem import Reason
from saligned.runtime.choice import specialty
from saligned.runtime.models import CONFIG, PRETRAINED, available, find, load

NAMES = [card["name"] for card in available()]


@pytest.fixture(scope="module", params=NAMES)
def solver(request: pytest.FixtureRequest) -> saligned.Solver:
    return load(request.param)


def test_the_paper_s_models_are_shipped() -> None:
    assert {"zh-char", "zh-word"} <= set(NAMES)


@pytest.mark.parametrize("card", available(), ids=lambda card: card["name"])
def test_cards_say_what_a_model_is(card: dict) -> None:
    encoder = Config.load(find(card["name"]) / CONFIG).encoder
    assert card["bytes"] <= {"blstm": 20e6, "transformer": 40e6}[encoder]
    assert card["data"]["sha256"]
    assert 0.3 < card["test"]["accuracy"] <= 1
    assert card["revision"] not in {"", "unknown"}


SIMPLE = {
    "zh": "食堂有大米80千克，吃了35千克，还剩多少千克？",
    "en": "A kitchen had 80 pounds of rice and used 35 pounds. How many pounds are left?",
}


def test_a_simple_problem_is_answered(solver: saligned.Solver) -> None:
    solution = solver.solve(SIMPLE[specialty(solver.config)["language"]])
    assert solution.answer == "45"
    assert solution.equations == ["x=80-35"]
    assert solution.value == 45
    assert 0 < solution.confidence <= 1


def test_examples_never_crash(solver: saligned.Solver) -> None:
    for beam in (1, 5):
        for text in EXAMPLES:
            solution = solver.solve(text, beam=beam)
            assert solution.solved == (solution.answer is not None)


def test_alone_equals_in_a_batch(solver: saligned.Solver) -> None:
    together = solver.solve_many(EXAMPLES)
    for text, solution in zip(EXAMPLES, together, strict=True):
        alone = solver.solve(text)
        assert alone.equations == solution.equations
        assert alone.confidence == pytest.approx(solution.confidence, abs=1e-3)


def test_a_wider_beam_is_at_least_as_likely(solver: saligned.Solver) -> None:
    for text in EXAMPLES:
        greedy, beam = solver.solve(text, beam=1), solver.solve(text, beam=5)
        if greedy.best and beam.best and greedy.solved:
            best = max(candidate.score for candidate in (beam.best, *beam.alternatives))
            assert best >= greedy.best.score - 1e-3


def test_order_is_kept_around_bad_texts() -> None:
    solver = load()
    texts = [EXAMPLES[0], "", "没有数字的题目", EXAMPLES[1], "一\x00二"]
    solutions = solver.solve_many(texts)
    assert [solution.text for solution in solutions] == texts
    assert solutions[1].failure is not None
    assert solutions[1].failure.reason is Reason.UNREADABLE
    assert solutions[2].failure is not None
    assert solutions[2].failure.reason is Reason.NO_QUANTITY
    assert solutions[4].to_dict()["status"] == "failed"


@pytest.mark.parametrize("text", ["", "  \n", "一" * 100_000, "3+5\x07=?", "\ud800"])
def test_unreadable_texts_raise(text: str) -> None:
    with pytest.raises(InputError):
        load().solve(text)


def test_a_missing_model_names_the_shipped_ones() -> None:
    with pytest.raises(ModelError, match="zh-char"):
        load("no-such-model")


@pytest.mark.parametrize("name", ["encode.onnx", "step.onnx", "add.onnx", "vocabulary.txt", "config.json", "card.json"])
def test_damage_is_noticed(name: str, tmp_path: Path) -> None:
    shutil.copytree(PRETRAINED / "zh-char", tmp_path / "model")
    path = tmp_path / "model" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(ModelError):
        load(tmp_path / "model")


def test_a_missing_file_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(PRETRAINED / "zh-char", tmp_path / "model")
    (tmp_path / "model" / "step.onnx").unlink()
    with pytest.raises(ModelError, match=r"step\.onnx"):
        load(tmp_path / "model")
