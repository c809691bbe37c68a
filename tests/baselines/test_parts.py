"""What the baselines do differently from each other."""

import json
from pathlib import Path

import pytest
import torch

from saligned.baselines.contract import gold_pairs, quantities_needed
from saligned.baselines.hybrid import GRID, THRESHOLD, Hybrid
from saligned.baselines.retrieval import Retrieval
from saligned.baselines.seq2seq import action_of, legal_symbols, restore, symbol_of
from saligned.baselines.significance import gold_significance
from saligned.baselines.templates import map_numbers, normalise
from saligned.problem import Problem, Reason
from saligned.symbolic.actions import Action, Kind, Program
from saligned.symbolic.machine import StackMachine
from saligned.text.tokenizers import read
from tests.baselines.corpus import small_config, small_system
from tests.problems import PROBLEMS

CONFIG = small_config("paper-word")
LAYOUT = CONFIG.layout


def retrieval(similarity: str, problems: list[Problem]) -> Retrieval:
    system = Retrieval("retrieval", CONFIG, similarity)  # type: ignore[arg-type]
    system.index(problems)
    return system


@pytest.mark.parametrize("similarity", ["jaccard", "cosine"])
def test_a_known_problem_with_other_numbers_is_solved(similarity: str) -> None:
    system = retrieval(similarity, PROBLEMS)
    asked = Problem("new", "食堂有面粉300千克，每天吃40千克，吃了5天，还剩多少千克？")
    solution = system.solve([asked])[0]
    assert solution.answer == "100"
    _, likeness = system.nearest([read(asked.text, "char")])
    assert likeness[0] == pytest.approx(1)


def test_jaccard_by_hand() -> None:
    system = retrieval("jaccard", [Problem("a", "甲有3个", ("x=3+3",)), Problem("b", "乙丙丁3", ("x=3*3",))])
    place, likeness = system.nearest([read("甲有5只", "char")])
    # Of nine phrases each, six are without the last character, and so shared: 甲 有 n_1 甲有 有n_1 甲有n_1.
    assert (place[0], likeness[0]) == (0, pytest.approx(6 / 12))


def test_as_many_quantities_are_more_similar() -> None:
    three = Problem("three", "甲有3个，乙有4个，丙有5个", ("x=3+4",))
    two = Problem("two", "丁买8本书用9元", ("x=8*9",))
    place, likeness = retrieval("jaccard", [three, two]).nearest([read("甲有6个，乙有7个", "char")])
    assert place[0] == 1
    assert 0 < likeness[0] < 0.5


@pytest.mark.parametrize("similarity", ["jaccard", "cosine"])
def test_a_template_that_needs_more_quantities(similarity: str) -> None:
    solution = retrieval(similarity, PROBLEMS[:2]).solve([Problem("one", "小明有12个苹果，吃了一些，还有多少个？")])[0]
    assert solution.failure is not None
    assert solution.failure.reason is Reason.NOT_EXPRESSIBLE
    assert "2 quantities" in solution.failure.detail


def test_the_nearest_template_that_fits_is_taken() -> None:
    three = Problem("three", "甲有3个，乙有4个，丙有5个，一共多少个？", ("x=3+4+5",))
    two = Problem("two", "买8本书用去9元，问几元？", ("x=8*9",))
    solution = retrieval("jaccard", [three, two]).solve([Problem("asked", "甲有6个，乙有7个，一共多少个？")])[0]
    assert solution.equations == ["x=6*7"]


def test_quantities_needed() -> None:
    needed = [quantities_needed(program, LAYOUT) for _, _, program in gold_pairs(PROBLEMS, CONFIG)]
    assert needed[:4] == [2, 2, 2, 2]
    assert needed[12] == 1  # 10 * 3.14


def test_significance() -> None:
    problem = Problem("p", "3年级有12人，又来了5人，现在有多少人？", ("x=12+5",))
    reading = read(problem.text, "char")
    assert gold_significance(problem, reading) == [False, True, True]
    mapped, kept = map_numbers(reading, [False, True, True])
    assert kept == [1, 2]
    assert [quantity.value for quantity in mapped.quantities] == [12, 5]
    assert [token.form for token in mapped.tokens if token.form.startswith("n_")] == ["n_1", "n_2"]
    program = (Action(Kind.GENERATE), Action(Kind.PUSH, LAYOUT.unknown(0)), Action(Kind.PUSH, LAYOUT.quantity(1)))
    assert restore(program, kept, LAYOUT)[1:] == (program[1], Action(Kind.PUSH, LAYOUT.quantity(2)))


def test_a_text_keeps_its_numbers_when_none_is_significant() -> None:
    mapped, kept = map_numbers(read("甲有12个，乙有5个，一共？", "char"), [False, False])
    assert (kept, len(mapped.quantities)) == ([0, 1], 2)


def templates(*equations: str) -> list[Program]:
    problems = [Problem("p", "甲有12个，乙有5个，丙有7个", (equation,)) for equation in equations]
    return [program for _, _, program in gold_pairs(problems, CONFIG)]


def test_equal_formulas_are_one_template() -> None:
    product, other, third, quotient, swapped = templates("x=12*5", "x=5*12", "x=12+5", "x=12/5*7", "x=12*7/5")
    found = normalise([other, product, product, third, quotient, swapped], LAYOUT)
    assert found == [product, product, product, third, quotient, quotient]


def test_different_formulas_stay_apart() -> None:
    programs = templates("x=12-5", "x=5-12", "x=12/5", "x=12*1", "x=12+5*7", "x=(12+5)*7")
    assert normalise(programs, LAYOUT) == programs


def test_a_template_without_an_answer_stands_for_itself() -> None:
    programs = templates("x=12/(5-5)", "x=5/(7-7)")
    assert normalise(programs, LAYOUT) == programs


def test_symbols() -> None:
    actions = [Action(kind) for kind in Kind if kind is not Kind.PUSH] + [Action(Kind.PUSH, i) for i in range(4)]
    assert [action_of(symbol_of(action)) for action in actions] == actions


def test_only_legal_symbols() -> None:
    fresh: StackMachine[int] = StackMachine()
    machines = [fresh, fresh.generate(), fresh.generate().push(0).push(1)]
    allowed = legal_symbols(machines, [2, 1, 0], len(Kind) + LAYOUT.quantity(2), LAYOUT)
    found = [{action_of(int(symbol)) for symbol in torch.nonzero(row)} for row in allowed]
    pushes = [{action.operand for action in row if action.kind is Kind.PUSH} for row in found]
    assert found[0] == {Action(Kind.GENERATE)}
    assert pushes[1] == set(range(LAYOUT.quantity(1)))  # a text with one quantity
    assert pushes[2] == set(range(LAYOUT.quantity(0)))
    assert Action(Kind.EQUAL) in found[2]
    assert Action(Kind.EQUAL) not in found[1]


def test_the_threshold_is_chosen_on_validation_problems(tmp_path: Path) -> None:
    near = [
        Problem(f"v{i}", problem.text.replace("小", "大"), problem.equations, problem.answers)
        for i, problem in enumerate(PROBLEMS)
    ]
    system = small_system("hybrid", epochs=1)
    assert isinstance(system, Hybrid)
    system.fit(PROBLEMS, near, tmp_path, lambda *_: None)
    # An untrained Seq2Seq solves next to nothing, retrieval nearly everything.
    assert system.threshold == GRID[0]
    assert json.loads((tmp_path / THRESHOLD).read_text())["threshold"] == GRID[0]
