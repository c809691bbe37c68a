"""Problems made from templates can be written by the model that learns from them."""

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from saligned.config import Config
from saligned.data.programs import gold_program
from saligned.data.readers import read_problems
from saligned.errors import DataError
from saligned.experiments.made_problems import Template, main, make, make_problems, read_templates
from saligned.experiments.systems import CONFIGS
from saligned.problem import Failure, Problem
from saligned.symbolic.notation import parse_equation
from saligned.symbolic.solving import solve
from saligned.text.quantities import find_quantities

TEMPLATES = read_templates(CONFIGS / "zh-templates.txt")
SYSTEMS = read_templates(CONFIGS / "zh-algebra-templates.txt")
LAYOUTS = {1: Config.load(CONFIGS / "zh-best.json").layout, 2: Config.load(CONFIGS / "zh-algebra.json").layout}


def readings(problem: Problem) -> set[str]:
    """What the tokenizers read as quantities, as strings."""
    return {str(quantity.value) for quantity in find_quantities(problem.text)}


@pytest.mark.parametrize("template", TEMPLATES + SYSTEMS, ids=[template.text[:30] for template in TEMPLATES + SYSTEMS])
def test_every_template_makes_problems_over_its_numbers_and_the_constants(template: Template) -> None:
    random = Random(7)
    for _ in range(5):
        problem = make(template, random)
        assert not set("[]{}|") & set(problem.text)
        layout = LAYOUTS[len(problem.equations)]
        assert not isinstance(gold_program(problem, find_quantities(problem.text), layout), Failure), problem
        assert solve([parse_equation(equation) for equation in problem.equations]) == problem.answers
        assert all(answer > 0 for answer in problem.answers)  # type: ignore[operator]


def test_texts_are_made_once_and_the_same_each_time() -> None:
    first, second = (list(make_problems(TEMPLATES[:20], 15)) for _ in range(2))
    assert first == second
    assert len({problem.text for problem in first}) == len(first) > 200
    assert all(problem.id.startswith("made-") for problem in first)


def test_a_named_choice_is_kept_and_conditions_hold() -> None:
    template = Template("长{a:2-9}[u:米|厘米]，宽{b:2-9}[u]", ("x=a*b",), ("a>b", "whole a/b"))
    for seed in range(20):
        problem = make(template, Random(seed))
        assert problem.text.count("厘米") in {0, 2}
        a, b = (int(value) for value in sorted(readings(problem), reverse=True))
        assert a > b
        assert a % b == 0
        assert problem.answers == (Fraction(a * b),)


def test_conditions_that_cannot_be_met_are_named() -> None:
    with pytest.raises(DataError, match="no numbers meet"):
        make(Template("{a:2-3}和{b:4-5}", ("x=a+b",), ("a>b",)), Random(1))


def test_what_reads_like_a_tested_problem_is_left_out(tmp_path: Path) -> None:
    templates, tested, out = (tmp_path / name for name in ("templates.txt", "tested.jsonl", "made.jsonl"))
    templates.write_text(
        "# head\n甲有{a:2-99}个，用去{b:2-9}个，还剩几个？ => a-b\n乙走{a:2-9}米，合多少厘米？ => a*100\n"
    )
    tested.write_text(
        json.dumps({"id": "1", "text": "甲有12个，用去5个，还剩几个？", "equation": "x=12-5", "ans": "7"})
    )
    main(templates, out, 3, f"{tested}:jsonl")
    made, rejected = read_problems(out, "jsonl")
    assert not rejected
    assert {problem.text[0] for problem in made} == {"乙"}


def test_a_number_may_mean_another_value_than_it_is_written_with() -> None:
    problem = make(Template("原价{a:80-90}元，打{z:八五=0.85}折，现价多少元？", ("x=a*z",), ()), Random(2))
    price, part = (quantity.value for quantity in find_quantities(problem.text))
    assert part == Fraction("0.85")
    assert "打八五折" in problem.text
    assert problem.answers == (price * part,)
