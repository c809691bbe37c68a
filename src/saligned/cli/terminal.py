"""What the terminal shows: solutions, tables, progress."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from saligned.problem import Failure
from saligned.runtime.solution import Candidate, Solution
from saligned.symbolic.expression import Operator
from saligned.symbolic.notation import to_infix
from saligned.symbolic.numbers import format_number
from saligned.symbolic.solving import Answer, exact_string

SIGNS = {
    Operator.ADD: "+",
    Operator.SUBTRACT: "−",
    Operator.MULTIPLY: "×",
    Operator.DIVIDE: "÷",
    Operator.POWER: "^",
}


def print_solution(solution: Solution, *, explain: bool = False) -> None:
    """The text with its quantities marked, the equation, the steps and the answer."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(_marked(solution), end="\n\n")
    if solution.best is None or not solution.solved:
        console.print(Text.assemble(("not solved: ", "bold red"), str(solution.failure)))
        return
    grid = Table.grid(padding=(0, 2))
    for equation in solution.best.equations:
        grid.add_row(Text("equation", "dim"), Text(to_infix(equation, pretty=True), "bold"))
    for number, step in enumerate(solution.steps, 1):
        left, right, value = (format_number(part) for part in (step.left, step.right, step.value))
        sign = SIGNS[step.operator]
        grid.add_row(Text(f"step {number}", "dim"), f"{left} {sign} {right} = {value}")
    names = ("x", "y", "z", "u", "v", "w")
    shown = [f"{name} = {exact_string(a)}" for name, a in zip(names, solution.answers, strict=False)]
    answer = exact_string(solution.answers[0]) if len(shown) == 1 else ", ".join(shown)
    grid.add_row(Text("answer", "dim"), Text(answer, "bold green"))
    grid.add_row(Text("confidence", "dim"), _sure(solution.confidence))
    for warning in solution.warnings:
        grid.add_row(Text("beware", "bold yellow"), str(warning))
    console.print(grid)
    if explain:
        from saligned.explain.text import explain_in_words
        from saligned.explain.trace import make_trace

        console.print()
        for sentence in explain_in_words(make_trace(solution)):
            console.print(Text(sentence))
        _print_alternatives(console, solution)


def _sure(confidence: float) -> Text:
    """It is calibrated, so below a half the answer is more often wrong than right."""
    return Text(f"{confidence:.0%}") if confidence >= 0.5 else Text(f"{confidence:.0%}: more likely wrong", "yellow")


def _marked(solution: Solution) -> Text:
    text = Text(solution.text.encode("utf-8", "replace").decode())
    if solution.reading is not None:
        for quantity in solution.reading.quantities:
            text.stylize("bold cyan", quantity.start, quantity.end)
    return text


def _print_alternatives(console: Console, solution: Solution) -> None:
    table = Table(title="what the model considered", title_justify="left", title_style="dim", box=None)
    table.add_column("probability", justify="right")
    table.add_column("equation")
    table.add_column("answer")
    assert solution.best is not None
    for candidate in (solution.best, *solution.alternatives):
        table.add_row(f"{candidate.probability:.1%}", _equations(candidate), _outcome(candidate.answers))
    console.print()
    console.print(table)


def _equations(candidate: Candidate) -> str:
    return ";  ".join(to_infix(equation, pretty=True) for equation in candidate.equations)


def _outcome(answers: tuple[Answer, ...] | Failure) -> str:
    return str(answers) if isinstance(answers, Failure) else ", ".join(exact_string(answer) for answer in answers)


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar with rate and time left, on standard error."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda count: bar.advance(task, count)
