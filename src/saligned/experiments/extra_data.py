"""Training problems beyond a benchmark: question–equation pairs, and problems of which only the answer is known.

    python -m saligned.experiments.extra_data OUT.jsonl MODEL HELD_OUT FILE.jsonl …

FILEs are JSON lines of `text`, `equation`, `ans`. A problem without an equation is labelled by a trained model: the
likeliest program of its beam that gives the answer is kept (weak supervision). Whatever reads like a problem of
HELD_OUT, numbers and punctuation aside, is left out, and so is an equation that misses its answer. HELD_OUT names what
will be tested on as FILE:FORMAT, several with commas between: math23k.json:math23k,valid.ape.json:ape210k
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from saligned.data.check import confirmed
from saligned.data.readers import read_problems
from saligned.problem import Failure, Problem
from saligned.runtime.evaluation import evaluate
from saligned.runtime.models import load
from saligned.runtime.solution import Solution
from saligned.runtime.solver import Solver
from saligned.symbolic.notation import to_infix
from saligned.symbolic.solving import exact_string, matches
from saligned.text.numerals import NUMBER_WORD

BEAM = 5
# How the ids of problems begin: with an equation of their own, and with one that a model found.
PAIR, WEAK = "pair-", "weak-"
_NOT_WORDS = re.compile(r"[\W\d_]+")


def wording(text: str) -> str:
    """A text without numbers, punctuation and capitals: what two versions of one problem share.

    >>> wording("Two boats leave at 9 a.m.") == wording("2 boats leave at 10 a. m.")
    True
    """
    return _NOT_WORDS.sub("", NUMBER_WORD.sub("", text)).casefold()


def unseen(problems: Sequence[Problem], held_out: Sequence[Problem]) -> list[Problem]:
    """The problems whose wording is not that of a held-out problem, each wording with its numbers once."""
    known = {wording(problem.text) for problem in held_out}
    return [problem for problem in problems if wording(problem.text) not in known]


def read_held_out(argument: str) -> list[Problem]:
    """The problems of FILE:FORMAT,FILE:FORMAT,…"""
    pairs = (part.rpartition(":") for part in argument.split(","))
    return [problem for path, _, name in pairs for problem in read_problems(Path(path), name)[0]]


def weakly_labelled(problems: Sequence[Problem], solver: Solver) -> Iterator[Problem]:
    """The problems for which some program of the solver's beam gives the known answer, with its equation."""
    for outcome in evaluate(solver, problems, beam=BEAM):
        equations = _confirmed_equations(outcome.solution, outcome.problem)
        if equations:
            yield Problem(outcome.problem.id, outcome.problem.text, equations, outcome.problem.answers)


def _confirmed_equations(solution: Solution, problem: Problem) -> tuple[str, ...]:
    candidates = [solution.best, *solution.alternatives] if solution.best else []
    right = (
        candidate
        for candidate in candidates
        if candidate and not isinstance(candidate.answers, Failure) and matches(candidate.answers, problem.answers)
    )
    best = max(right, key=lambda candidate: candidate.score, default=None)
    return tuple(to_infix(equation) for equation in best.equations) if best else ()


def main(out: Path, model: str, held_out: str, files: Sequence[Path]) -> None:
    """Write the usable problems of the files as one file."""
    problems = [problem for file in files for problem in read_problems(file, "jsonl")[0]]
    problems = unseen(problems, read_held_out(held_out))
    pairs = [problem for problem in problems if problem.equations and confirmed(problem)]
    answered = [problem for problem in problems if not problem.equations and len(problem.answers) == 1]
    labelled = list(weakly_labelled(answered, load(model)))
    with out.open("x", encoding="utf-8") as lines:
        kinds = [PAIR] * len(pairs) + [WEAK] * len(labelled)
        for number, (kind, problem) in enumerate(zip(kinds, [*pairs, *labelled], strict=True)):
            answers = [exact_string(answer) for answer in problem.answers]
            row = {
                "id": f"{kind}{number}",
                "text": problem.text,
                "equation": ";".join(problem.equations),
                "ans": answers[0] if len(answers) == 1 else answers,
            }
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stderr.write(
        f"{len(problems):,} problems unlike those held out: {len(pairs):,} with a confirmed equation, "
        f"{len(labelled):,} of {len(answered):,} answers explained\n"
    )


if __name__ == "__main__":
    _out, _model, _held_out, *_files = sys.argv[1:]
    main(Path(_out), _model, _held_out, [Path(file) for file in _files])
