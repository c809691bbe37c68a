"""Training problems made from templates: kinds that schools teach and data sets hardly have.

    python -m saligned.experiments.made_problems configs/zh-templates.txt OUT.jsonl PER_TEMPLATE HELD_OUT

The head of the templates' file says how one is written. Whatever reads like a problem of HELD_OUT, numbers and
punctuation aside, is left out; what will be tested on is named as for `extra_data`.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from saligned.errors import DataError
from saligned.experiments.extra_data import read_held_out, unseen
from saligned.problem import Failure, Problem
from saligned.symbolic.expression import evaluate
from saligned.symbolic.notation import parse_equation, parse_expression
from saligned.symbolic.numbers import format_number, read_number
from saligned.symbolic.solving import exact_string, solve

# How the ids begin, as those of `extra_data` do.
MADE = "made-"
SEED = 1
# A template whose conditions are met this rarely is a mistake.
MAX_TRIES = 20_000
_NUMBER = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_CHOICE = re.compile(r"\[(?:(\w+):)?([^\[\]]*)\]")
_VARIABLE = re.compile(r"[a-z](?![a-z])")
_CONSTANT = re.compile(r"[0-9.]+")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with gaps, the equations of its answer, and what must hold between the numbers."""

    text: str
    equations: tuple[str, ...]
    conditions: tuple[str, ...]


def read_templates(path: Path) -> list[Template]:
    """The templates of a file, without its comments."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [_parse(line) for line in lines if line and not line.startswith("#")]


def make(template: Template, random: Random) -> Problem:
    """A problem whose numbers meet the conditions and can be told apart.

    >>> make(_parse("[甲|甲数]是{a:6-6}，乙是{b:2-9}，和是多少？ => a+b, a>b, whole a/b"), Random(2)).text
    '甲是6，乙是3，和是多少？'
    """
    for _ in range(MAX_TRIES):
        written: dict[str, str] = {}
        values: dict[str, str] = {}
        text = _NUMBER.sub(lambda match: _write_number(match, written, values, random), template.text)  # noqa: B023
        if not _are_clear(values, template) or not all(_holds(_fill(c, values)) for c in template.conditions):
            continue
        equations = tuple(_fill(equation, values) for equation in template.equations)
        answers = _good_answers(equations, "any" in template.conditions)
        if answers:
            return Problem("", _choose(text, random), equations, answers)
    raise DataError(f"no numbers meet the conditions of {template.text}")


def _parse(line: str) -> Template:
    text, arrow, rest = line.partition(" => ")
    if not arrow:
        raise DataError(f"a template wants ' => ' between text and equations: {line}")
    right, *conditions = rest.split(", ")
    equations = right.split("; ") if "=" in right else [f"x={right}"]
    return Template(text, tuple(equations), tuple(conditions))


def _write_number(match: re.Match[str], written: dict[str, str], values: dict[str, str], random: Random) -> str:
    """What stands in the text for a gap; its value is noted as the expression wants it."""
    name, kind = match[1], match[2]
    if name not in written:
        written[name], values[name] = _draw(kind, random)
    return written[name]


def _draw(kind: str, random: Random) -> tuple[str, str]:
    if kind == "fraction":
        below = random.randint(2, 10)
        fraction = Fraction(random.randint(1, below - 1), below)
        return f"{fraction}", f"({fraction})"
    if "=" in kind:
        form, _, value = random.choice(kind.split("|")).partition("=")
        return form, value
    span, _, step = kind.partition(":")
    low, _, high = span.partition("-")
    width = Fraction(step) if step else Fraction(1, 10 ** len(low.partition(".")[2]))
    steps = int((Fraction(high) - Fraction(low)) / width)
    number = format_number(Fraction(low) + width * random.randint(0, steps))
    return number, number


def _fill(expression: str, values: dict[str, str]) -> str:
    """With the numbers in place; x and y, the unknowns, have none."""
    return _VARIABLE.sub(lambda match: values.get(match[0], match[0]), expression)


def _are_clear(values: dict[str, str], template: Template) -> bool:
    """Whether no number stands twice, and none is 1 or a constant of the equations."""
    numbers = [read_number(value) for value in values.values()]
    constants = {Fraction(constant) for equation in template.equations for constant in _CONSTANT.findall(equation)}
    return len({*numbers}) == len(numbers) and not {Fraction(1), *constants} & {*numbers}


def _holds(condition: str) -> bool:
    """Whether a condition is met by the numbers filled in."""
    if condition == "any":
        return True
    if condition.startswith("whole "):
        value = _value(condition.removeprefix("whole "))
        return value is not None and value.denominator == 1
    left, right = map(_value, condition.split(">"))
    return left is not None and right is not None and left > right


def _value(expression: str) -> Fraction | None:
    """None where something is divided by zero."""
    value = evaluate(parse_expression(expression))
    return value if isinstance(value, Fraction) else None


def _good_answers(equations: Sequence[str], any_fraction: bool) -> tuple[Fraction, ...]:
    """The answers if all are above 0, and no longer than four decimals unless any fraction will do."""
    answers = solve([parse_equation(equation) for equation in equations])
    if isinstance(answers, Failure):
        return ()
    good = tuple(answer for answer in answers if isinstance(answer, Fraction) and answer > 0)
    short = any_fraction or all((answer * 10_000).denominator == 1 for answer in good)
    return good if short and len(good) == len(answers) else ()


def _choose(text: str, random: Random) -> str:
    """The choices made, inner ones first, from left to right."""
    named: dict[str, str] = {}
    while match := _CHOICE.search(text):
        name, options = match[1], match[2]
        chosen = named.get(options) or random.choice(options.split("|"))
        if name:
            named[name] = chosen
        text = text[: match.start()] + chosen + text[match.end() :]
    return text


def make_problems(templates: Sequence[Template], count: int) -> Iterator[Problem]:
    """So many of each template, each text once."""
    random, known = Random(SEED), set[str]()
    for template in templates:
        for _ in range(count):
            problem = make(template, random)
            if problem.text not in known:
                known.add(problem.text)
                yield Problem(f"{MADE}{len(known)}", problem.text, problem.equations, problem.answers)


def main(templates: Path, out: Path, count: int, held_out: str) -> None:
    """Write the problems as JSON lines."""
    made = list(make_problems(read_templates(templates), count))
    kept = unseen(made, read_held_out(held_out))
    with out.open("x", encoding="utf-8") as lines:
        for p in kept:
            row = {"id": p.id, "text": p.text, "equation": p.equations[0], "ans": exact_string(p.answers[0])}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stderr.write(f"{len(kept):,} of {len(made):,} problems read like none held out\n")


if __name__ == "__main__":
    _templates, _out, _count, _held_out = sys.argv[1:]
    main(Path(_templates), Path(_out), int(_count), _held_out)
