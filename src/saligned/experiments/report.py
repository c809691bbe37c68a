"""`docs/results.md` from the committed results: the paper's numbers, ours, and how far apart they are.

saligned tables
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from saligned.errors import DataError
from saligned.experiments.comparison import make_sections
from saligned.experiments.error_page import count_lines
from saligned.runtime.evaluation import interval
from saligned.runtime.models import available

RESULTS, PAGE = Path("results"), Path("docs") / "results.md"
COMPARED = "errors"  # the folder of the counts that `saligned errors` makes
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: the paper's name and accuracy in percent, and our system."""

    label: str
    system: str
    paper: float | None


# The paper's numbers: Table "5-fold cross validation results on Math23K" and the table of its ablation tests.
TABLES: dict[str, tuple[Row, ...]] = {
    "Accuracy": (
        Row("Retrieval, Jaccard", "retrieval-jaccard", 47.2),
        Row("Retrieval, cosine", "retrieval-cosine", 23.8),
        Row("Classification, BLSTM", "classification-blstm", 57.9),
        Row("Classification, self-attention", "classification-self-attention", 56.8),
        Row("Generation, Seq2Seq with SNI", "seq2seq-sni", 58.1),
        Row("Generation, proposed, by words", "paper-word", 65.3),
        Row("Generation, proposed, by characters", "paper-char", 65.8),
        Row("Hybrid, retrieval + Seq2Seq", "hybrid", 64.7),
    ),
    "Ablations": (
        Row("By characters", "paper-char", 65.8),
        Row("By words", "paper-word", 65.3),
        Row("By words − gate", "no-gate", 64.1),
        Row("By words − gate − attention", "no-gate-attention", 62.5),
        Row("By words − gate − attention − stack", "no-gate-attention-stack", 60.1),
        Row("By words − semantic transformer", "no-semantic-transformer", 64.1),
        Row("By words − semantic representation", "no-semantic-representation", 61.7),
        Row("By words, gates without σ, as in the authors' code", "affine-gate", None),
        Row("By words, self-attention operands", "self-attention-operands", None),
    ),
}

HEADER = """# Results

Math23K, five-fold cross-validation, accuracy of the answer in percent. This page is written by `saligned tables` from
the files in `results/`, one for each system and fold; no number on it is typed by hand. "Ours" is the mean over the
folds with its 95 % interval (Student's t over the folds), on **all** problems of the folds. "Kept" counts only the
problems that the authors' code keeps (+ − × ÷ over the numbers of the text, 1 and 3.14). "Equation" is the share of
problems whose program is the gold one, action for action.
"""

PROTOCOL = """## How the protocol differs from the paper's

- The epoch is chosen on validation data: a tenth of the training part of each fold. The paper does not say how it
  chose; the test fold is read once here.
- Every problem of a fold counts, also one whose equation cannot be written over the numbers of its text.
- An answer is correct when it is within 1e-4 of the data set's, relative above 1.
- Decoding is greedy. Every system may only write what the stack machine allows.
- The rows of retrieval, classification, Seq2Seq and the hybrid are the paper's quotes of earlier work; ours are
  implementations of their descriptions. In all of them the numbers of a text are n_1, n_2, …, and those of a template
  are filled in that order.
- Retrieval takes the most similar training problem whose template fits, among those with as many numbers if there are
  any. Jaccard compares the sets of phrases of one to three words, cosine the TF-IDF vectors of words. These choices
  were made on a tenth of the first fold's training part, when an earlier variant's score on the first fold was known.
  The earlier work does not say how it weighted words, so we cannot tell why its cosine is ten points lower.
- Templates and the targets of Seq2Seq are normalised: equations that give the same answer for all numbers are one. Both
  classifiers choose among the templates seen at least twice. On the validation problems of the first fold this brings
  the one with self-attention about a fifth of what it is above the paper's quote; the rest stays unexplained.
- Seq2Seq has attention over the words. It trains 16 epochs: with 10 it was still learning on the validation data of the
  first fold, whose test score was known by then.
- Our Seq2Seq stands above the quoted one, which has neither attention nor targets normalised in this way; what each
  of the two brings was not measured.
- The hybrid trusts retrieval from a threshold on, chosen on validation data. There retrieval mostly gives what our
  Seq2Seq writes anyway (see the errors of the two below), so it gains little; the quoted hybrid stands far above its
  weaker Seq2Seq.
- Of the parts that the ablations take away, only the semantic representations matter clearly here: the model is no
  worse without gates, without attention or without semantic transformers. All rows train ten epochs, and more may
  tell them apart; that was not tried. The authors' gates have no σ, as the paper's text has it; they have a row of
  their own.
- Without semantic representations ours falls further than the paper's. To our encoder every number is the same word,
  so a placeholder is tied to its number by the order alone; the paper does not say what its encoder reads.
- Word vectors are fastText skip-gram trained on the training part of each fold.
"""

ERRORS = """Counted by `saligned errors` from the predictions of the folds. The kinds are computed from the equations;
an equation may be wrong in more than one way. Numbers that are not in the text, and 1, are constants. Operations are
those of the gold equation, quantities the numbers of the text.
"""


def make_page(results: Path) -> str:
    """The whole page."""
    found = read_results(results)
    tables = [_table(title, rows, found) for title, rows in TABLES.items()]
    parts = [HEADER, *tables, _cost(found), PROTOCOL, *_errors(results / COMPARED)]
    return "\n".join([*parts, *make_sections(results, available())])


def read_results(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """The results of each system, by fold."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(directory.glob("*/fold*.json")):
        try:
            result = json.loads(path.read_text(encoding="utf-8"))
            found.setdefault(result["system"], []).append(result)
        except (OSError, ValueError, KeyError) as error:
            raise DataError(f"{path} is no result: {error}; measure that fold again") from error
    return {system: sorted(rows, key=lambda row: int(row["fold"])) for system, rows in found.items()}


def _table(title: str, rows: Sequence[Row], found: dict[str, list[dict[str, Any]]]) -> str:
    lines = [
        f"## {title}",
        "",
        "| model | system | paper | ours | difference | kept | equation | folds |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
        *(_line(row, found.get(row.system, [])) for row in rows),
        "",
    ]
    return "\n".join(lines)


def _line(row: Row, results: Sequence[dict[str, Any]]) -> str:
    paper = "–" if row.paper is None else f"{row.paper:.1f}"
    name = f"| {row.label} | `{row.system}` | {paper} |"
    if not results:
        return f"{name} no results yet | | | | 0 |"
    values = [100 * float(result["accuracy"]) for result in results]
    ours = fmean(values)
    spread = f" ± {interval(values):.1f}" if len(values) > 1 else ""
    difference = "–" if row.paper is None else f"{ours - row.paper:+.1f}"
    kept, equation = (_mean(results, key) for key in ("accuracy_kept", "equation_accuracy"))
    return f"{name} {ours:.1f}{spread} | {difference} | {kept:.1f} | {equation:.1f} | {len(results)} |"


def _errors(directory: Path) -> list[str]:
    """Where pairs of systems differ, on all folds."""
    lines = []
    for path in sorted(directory.glob("*.json")):
        counts = json.loads(path.read_text(encoding="utf-8"))
        first, second = counts["systems"]
        lines += [f"## Errors of {first} and {second}", "", ERRORS, *count_lines(counts)]
    return lines


def _mean(results: Sequence[dict[str, Any]], key: str) -> float:
    return 100 * fmean(float(result[key]) for result in results)


def _cost(found: dict[str, list[dict[str, Any]]]) -> str:
    """What all of it took."""
    results = [result for rows in found.values() for result in rows]
    if not results:
        return "## Cost\n\nNo results yet.\n"
    hours, core_hours = (sum(float(r[key]) for r in results) / 3600 for key in ("seconds", "core_seconds"))
    hashes = sorted({result["data"]["sha256"][:12] for result in results})
    seeds = sorted({str(result["seed"]) for result in results})
    revisions = sorted({result["revision"] for result in results})
    return (
        f"## Cost\n\n{len(results)} tasks of one thread each took {hours:.1f} hours one after the other,"
        f" {core_hours:.1f} of them at work on a core (the rest waited for other programs)."
        f" Data: SHA-256 {', '.join(hashes)}…;"
        f" seeds: {', '.join(seeds)}; revisions: {', '.join(revisions)}.\n"
    )
