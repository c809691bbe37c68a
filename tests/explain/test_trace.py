"""The trace keeps its documented shape, and tells what the solution says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from saligned.explain.trace import CHOICES, VERSION, WORDS, make_trace
from saligned.problem import Reason
from saligned.runtime.solution import Solution, failed
from tests.explain.scripted import BANANAS, ENGLISH, NOTEBOOKS, NUMBER, make_solver, solve_as

CHICKENS = "鸡和兔共有20只，脚共有56只，鸡有2只脚，兔有4只脚，鸡和兔各有多少只？"
SOLUTIONS = {
    "direct": lambda: solve_as(NOTEBOOKS, "x=(10-1*5)/0.5"),
    "equation": lambda: solve_as(NUMBER, "6.75-5*x=2.75"),
    "self-attention": lambda: solve_as(BANANAS, "x=58-6*9", operand_vectors="self-attention"),
    "english": lambda: solve_as(ENGLISH, "x=58-6*9", tokenizer="english"),
    "two unknowns": lambda: solve_as(CHICKENS, "x+y=20", "2*x+4*y=56", max_unknowns=2),
    "greedy": lambda: solve_as(BANANAS, "x=58-6*9", beam=1),
    "division by zero": lambda: solve_as("有7人，走了7人", "x=7/(7-7)", beam=1),
    "unreadable": lambda: failed("\x00", "scripted", Reason.UNREADABLE),
}
TABLES = ("The keys", "A step", "An element of the stack")


@pytest.fixture(params=SOLUTIONS)
def solution(request: pytest.FixtureRequest) -> Solution:
    return SOLUTIONS[request.param]()


@pytest.fixture
def trace(solution: Solution) -> dict[str, Any]:
    return make_trace(solution)


def documented() -> dict[str, set[str]]:
    """The keys in the first column of each table of docs/trace.md."""
    text = (Path(__file__).parents[2] / "docs" / "trace.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    rows = {name: re.findall(r"^\| (`[^|]+) \|", sections[name], re.MULTILINE) for name in TABLES}
    return {name: {key for row in found for key in re.findall(r"`(\w+)`", row)} for name, found in rows.items()}


def elements(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [element for step in trace["steps"] for element in (*step["stack_before"], *step["stack_after"])]


def test_is_json_of_the_documented_keys(trace: dict[str, Any]) -> None:
    assert json.loads(json.dumps(trace, allow_nan=False)) == trace
    keys = documented()
    assert trace["version"] == VERSION == 1
    assert set(trace) == keys["The keys"]
    assert all(set(step) == keys["A step"] for step in trace["steps"])
    assert all(set(element) == keys["An element of the stack"] for element in elements(trace))


def test_says_what_the_solution_says(solution: Solution, trace: dict[str, Any]) -> None:
    assert [equation["infix"] for equation in trace["equations"]] == solution.equations
    assert trace["answer"] == solution.answer
    assert (trace["status"] == "solved") == solution.solved == (trace["reason"] is None)
    completed = [step["equation"] for step in trace["steps"] if step["equation"]]
    assert completed == trace["equations"]
    assert len(trace["alternatives"]) == len(solution.alternatives)


def test_stacks_replay(trace: dict[str, Any]) -> None:
    stack: list[dict[str, Any]] = []
    for step in trace["steps"]:
        assert step["stack_before"] == stack
        stack = step["stack_after"]
        grown = {"generate": 0, "push": 1, "equal": -2}.get(step["action"], -1)
        assert len(stack) == len(step["stack_before"]) + grown
        if grown == -1:
            assert stack[-1]["from"] == [element["id"] for element in step["stack_before"][-2:]]
    assert stack == []
    symbols = {element["id"]: element["symbol"] for element in elements(trace)}
    assert all(symbols[element["id"]] == element["symbol"] for element in elements(trace))


def test_probabilities_are_probabilities(trace: dict[str, Any]) -> None:
    for step in trace["steps"]:
        chances = [choice["probability"] for choice in step["choices"]]
        assert 0 < len(chances) <= CHOICES
        assert chances == sorted(chances, reverse=True)
        assert 0 < sum(chances) <= 1.00001
        assert sum(step["attention"]) == pytest.approx(1, abs=1e-3)
        assert len(step["attention"]) == len(trace["tokens"])
        taken = [
            choice["probability"]
            for choice in step["choices"]
            if (choice["action"], choice["operand"]) == (step["action"], step["operand"])
        ]
        assert taken == [pytest.approx(step["probability"] * (step["operand_probability"] or 1), abs=1e-5)]


def test_words_are_tokens_with_falling_weights(trace: dict[str, Any]) -> None:
    for element in elements(trace):
        weights = [word["weight"] for word in element["words"]]
        assert len(weights) <= WORDS
        assert weights == sorted(weights, reverse=True)
        assert sum(weights) <= 1.00001
        assert all(0 <= word["token"] < len(trace["tokens"]) for word in element["words"])


def test_an_unlikely_action_is_shown_among_the_choices() -> None:
    """With a wide beam the answer may come from a choice that is not among the best six."""
    solution = solve_as(NOTEBOOKS, "x=(10-1*5)/0.5", beam=40)
    for candidate in (solution.best, *solution.alternatives):
        assert candidate is not None
        other = make_trace(Solution(**{**fields(solution), "best": candidate, "alternatives": ()}))
        for step in other["steps"]:
            shown = {(choice["action"], choice["operand"]) for choice in step["choices"]}
            assert (step["action"], step["operand"]) in shown


def fields(solution: Solution) -> dict[str, Any]:
    return {name: getattr(solution, name) for name in Solution.__dataclass_fields__}


def test_quantities_operands_and_tokens_point_at_each_other() -> None:
    trace = make_trace(solve_as(NOTEBOOKS, "x=(10-1*5)/0.5"))
    for quantity in trace["quantities"]:
        token = trace["tokens"][quantity["token"]]
        assert (token["start"], token["end"]) == (quantity["start"], quantity["end"])
        assert trace["text"][token["start"] : token["end"]] == quantity["form"]
    kinds = [operand["kind"] for operand in trace["operands"]]
    assert kinds == ["constant", "constant", "unknown", *["quantity"] * 4]
    assert [trace["operands"][step["operand"]]["symbol"] for step in trace["steps"] if step["operand"]] == [
        "x",
        "10",
        "1",
        "5",
        "0.5",
    ]


def test_values_are_exact_and_unknown_parts_have_none() -> None:
    trace = make_trace(solve_as(NUMBER, "6.75-5*x=2.75"))
    values = {element["symbol"]: element["value"] for element in elements(trace)}
    assert values == {
        "6.75": "6.75",
        "5": "5",
        "x": None,
        "5 × x": None,
        "6.75 − 5 × x": None,
        "2.75": "2.75",
    }


def test_self_attention_only_where_the_model_has_it() -> None:
    assert make_trace(solve_as(BANANAS, "x=58-6*9"))["self_attention"] is None
    trace = make_trace(solve_as(BANANAS, "x=58-6*9", operand_vectors="self-attention"))
    maps = trace["self_attention"]["quantities"]
    assert [len(row) for row in maps] == [len(trace["tokens"])] * len(trace["quantities"])


def test_in_a_batch_the_padding_is_left_out() -> None:
    """The attention of a batch is as long as its longest text."""
    solver = make_solver(BANANAS, "x=58-6*9")
    short, long = (make_trace(solution) for solution in solver.solve_many([BANANAS, NOTEBOOKS * 2]))
    assert len(short["tokens"]) < len(long["tokens"])
    for trace in (short, long):
        assert {len(step["attention"]) for step in trace["steps"]} == {len(trace["tokens"])}
    assert short["equations"] == make_trace(solver.solve(BANANAS))["equations"]
