"""What a data file is worth: how many rows can be read, parsed and confirmed, and why the others cannot."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from saligned.data.readers import Rejection, read_rows
from saligned.errors import NotationError
from saligned.problem import Failure, Problem
from saligned.symbolic.expression import Equation
from saligned.symbolic.notation import parse_equation
from saligned.symbolic.solving import exact_string, matches, solve


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of a file's rows, each a part of the one before, and the findings row by row.

    `confirmed` problems have equations whose value is the gold answer.
    """

    rows: int
    readable: int
    parsable: int
    confirmed: int
    findings: tuple[Rejection, ...]

    @property
    def reasons(self) -> dict[str, int]:
        """How often each category of finding occurs, the most frequent first."""
        return dict(Counter(finding.reason.partition(":")[0] for finding in self.findings).most_common())


def check(path: str | Path, format: str) -> Report:  # noqa: A002
    """Read a file and try every equation in it."""
    rows = read_rows(path, format)
    problems = [(line, outcome) for line, outcome in rows if isinstance(outcome, Problem)]
    parsed = [(line, problem, _parse(problem)) for line, problem in problems]
    findings = [outcome for _, outcome in rows if isinstance(outcome, Rejection)]
    confirmed = 0
    for line, problem, equations in parsed:
        reason = equations if isinstance(equations, str) else _contradiction(problem, equations)
        if reason:
            findings.append(Rejection(problem.id, line, reason))
        else:
            confirmed += 1
    findings.sort(key=lambda finding: finding.line)
    parsable = sum(not isinstance(equations, str) for _, _, equations in parsed)
    return Report(len(rows), len(problems), parsable, confirmed, tuple(findings))


def confirmed(problem: Problem) -> bool:
    """Whether the problem's equations give its answer."""
    equations = _parse(problem)
    return not isinstance(equations, str) and not _contradiction(problem, equations)


def _parse(problem: Problem) -> list[Equation] | str:
    """The problem's equations, or why there are none."""
    if not problem.equations:
        return "no equation"
    try:
        return [parse_equation(text) for text in problem.equations]
    except NotationError as error:
        return f"equation unparsable: {error}"


def _contradiction(problem: Problem, equations: list[Equation]) -> str:
    """Why the equations do not confirm the gold answer; empty if they do."""
    if not problem.answers:
        return "no readable answer"
    answers = solve(equations)
    if isinstance(answers, Failure):
        return f"equation without solution: {answers}"
    if matches(answers, problem.answers):
        return ""
    values = ", ".join(exact_string(answer) for answer in answers)
    gold = ", ".join(exact_string(answer) for answer in problem.answers)
    if any(matches(chosen, problem.answers) for chosen in combinations(answers, len(problem.answers))):
        return f"more unknowns than answers: {values} where {gold} is asked for"
    return f"another value: {values} instead of {gold}"
