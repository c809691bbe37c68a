"""What the benchmarks beside Math23K are made of, and what each fold trains on, selects on and tests."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from saligned.data.readers import read_problems
from saligned.data.splits import split_validation
from saligned.errors import DataError, NotationError
from saligned.experiments.extra_data import unseen, wording
from saligned.experiments.made_problems import make_problems, read_templates
from saligned.experiments.systems import CONFIGS
from saligned.problem import Problem
from saligned.symbolic.notation import parse_equation
from saligned.symbolic.solving import covers

VALIDATION = 0.1
FOLD_SEED = 1
# ParaMAWPS numbers the paraphrases of its problem 24 by 10024, 20024, …
FAMILY = 10_000
PER_TEMPLATE = 40


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a benchmark; `{fold}` stands for the number of the fold."""

    path: str
    format: str
    families: bool = False  # whether ids say which problems are paraphrases of each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """What is trained on and what is measured. Without a test file the folds are drawn from the training files."""

    title: str
    config: str
    folds: int = 1
    train: tuple[Source, ...]
    valid: tuple[Source, ...] = ()
    test: tuple[Source, ...] = ()
    extra: tuple[Source, ...] = ()
    templates: str = ""  # a file in configs/ of which further problems are made
    model: str = ""  # the name under which the model is shipped
    description: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """The problems of one fold."""

    train: list[Problem]
    extra: list[Problem]
    valid: list[Problem]
    test: list[Problem]


def _files(directory: str, format_name: str, *names: str) -> tuple[Source, ...]:
    return tuple(Source(f"{directory}/{name}.json", format_name) for name in names)


_MAWPS = _files("mawps-single", "kushman", "trainset", "validset", "testset")
_ASDIV = tuple(Source(f"asdiv-a/testset_fold{fold}.json", "asdiv-json") for fold in range(5))
_ALLARITH = Source("allarith/allarith_questions.json", "kushman")
_PARAPHRASES = Source("paramawps/paramawps-id-corrected.csv", "mwptoolkit-csv", families=True)
_DOLPHIN = (
    Source("dolphin_t2/dolphin_t2_final.json", "kushman"),
    *_files("dolphin1878", "dolphin", "trainset", "validset", "testset"),
    *_files("dolphin18k", "dolphin", "dev_cleaned", "eval_cleaned"),
)
_ALG514 = tuple(Source(f"alg514/testset_fold{fold}.json", "mwptoolkit") for fold in range(5))

BENCHMARKS: dict[str, Benchmark] = {
    "mawps-single": Benchmark(
        title="MAWPS-single", config="en-folds", folds=5, train=_MAWPS, extra=(*_ASDIV, _ALLARITH)
    ),
    "asdiv-a": Benchmark(
        title="ASDiv-A",
        config="en-folds",
        folds=5,
        train=_files("asdiv-a", "asdiv-json", "trainset_fold{fold}"),
        test=_files("asdiv-a", "asdiv-json", "testset_fold{fold}"),
        extra=(*_MAWPS, _ALLARITH),
    ),
    "svamp": Benchmark(
        title="SVAMP",
        config="en",
        train=_files("mawps_asdiv-a_svamp", "svamp-mawps", "trainset"),
        test=_files("mawps_asdiv-a_svamp", "svamp-mawps", "testset"),
        extra=(*_MAWPS, *_ASDIV, _ALLARITH, _PARAPHRASES),
        model="en",
        description="English, one unknown; pre-trained encoder",
    ),
    "alg514": Benchmark(
        title="ALG514",
        config="en-algebra-folds",
        folds=5,
        train=_files("alg514", "mwptoolkit", "trainset_fold{fold}"),
        test=_files("alg514", "mwptoolkit", "testset_fold{fold}"),
        extra=(*_files("draw", "mwptoolkit", "trainset", "validset"), *_DOLPHIN),
    ),
    "draw": Benchmark(
        title="DRAW",
        config="en-algebra",
        train=_files("draw", "mwptoolkit", "trainset"),
        valid=_files("draw", "mwptoolkit", "validset"),
        test=_files("draw", "mwptoolkit", "testset"),
        extra=(*_ALG514, *_DOLPHIN),
        model="en-algebra",
        description="English, up to three unknowns and equations; pre-trained encoder",
    ),
    "hmwp": Benchmark(
        title="HMWP",
        config="zh-algebra",
        train=_files("hmwp", "mwptoolkit", "trainset"),
        valid=_files("hmwp", "mwptoolkit", "validset"),
        test=_files("hmwp", "mwptoolkit", "testset"),
        extra=(Source("zh_extra/cm17k.jsonl", "jsonl"),),
        templates="zh-algebra-templates.txt",
        model="zh-algebra",
        description="Chinese, up to two unknowns and equations, also not linear; pre-trained encoder",
    ),
    "ape210k": Benchmark(
        title="Ape210K", config="zh-ape-folds", folds=5, train=(Source("ape210k/valid.ape.json", "ape210k"),)
    ),
}


def split(benchmark: Benchmark, data_dir: Path, fold: int, seed: int) -> Parts:
    """The problems of a fold, none of which is in two parts."""
    if not 0 <= fold < benchmark.folds:
        raise DataError(f"there is no fold {fold}; the folds are 0 to {benchmark.folds - 1}")
    training = _read(benchmark.train, data_dir, fold)
    test = _read(benchmark.test, data_dir, fold)
    if not benchmark.test:
        training, test = draw_fold(training, fold, benchmark.folds)
    valid = _read(benchmark.valid, data_dir, fold)
    if not benchmark.valid:
        training, valid = split_validation(training, VALIDATION, seed)
    known = {letters(problem.text) for problem in training}
    extra: dict[str, Problem] = {}
    for source in benchmark.extra:
        problems = _read([source], data_dir, fold)
        kept = without_families(problems, [*valid, *test]) if source.families else unseen(problems, [*valid, *test])
        fresh = (problem for problem in kept if letters(problem.text) not in known)
        extra |= {letters(problem.text): problem for problem in fresh if is_confirmed(problem)}
    if benchmark.templates:
        made = list(make_problems(read_templates(CONFIGS / benchmark.templates), PER_TEMPLATE))
        extra |= {problem.text: problem for problem in unseen(made, [*valid, *test])}
    return Parts(training, list(extra.values()), valid, test)


def letters(text: str) -> str:
    """What two sets that print the same problem agree on.

    >>> letters("Ann's 3 pens ?") == letters("ann 's 3 pens?")
    True
    """
    return "".join(filter(str.isalnum, text)).casefold()


def draw_fold(problems: Sequence[Problem], fold: int, folds: int) -> tuple[list[Problem], list[Problem]]:
    """Training and test problems of a fold; the same folds for every seed of the configuration."""
    order = list(range(len(problems)))
    random.Random(FOLD_SEED).shuffle(order)
    chosen = set(order[fold::folds])
    return [p for i, p in enumerate(problems) if i not in chosen], [p for i, p in enumerate(problems) if i in chosen]


def without_families(problems: Sequence[Problem], held_out: Sequence[Problem]) -> list[Problem]:
    """The problems of which no paraphrase reads like a held-out one."""
    known = {wording(problem.text) for problem in held_out}
    families = {_family(problem) for problem in problems if wording(problem.text) in known}
    return [problem for problem in problems if _family(problem) not in families]


def is_confirmed(problem: Problem) -> bool:
    """Whether the equations of a problem give its answers."""
    try:
        return covers([parse_equation(equation) for equation in problem.equations], problem.answers)
    except NotationError:
        return False


def _family(problem: Problem) -> int:
    return int(problem.id) % FAMILY


def _read(sources: Iterable[Source], data_dir: Path, fold: int) -> list[Problem]:
    located = [replace(source, path=source.path.format(fold=fold)) for source in sources]
    return [problem for source in located for problem in read_problems(data_dir / source.path, source.format)[0]]


def sources(benchmark: Benchmark, fold: int) -> list[Source]:
    """The files of a fold."""
    found = (*benchmark.train, *benchmark.valid, *benchmark.test, *benchmark.extra)
    return list(dict.fromkeys(replace(source, path=source.path.format(fold=fold)) for source in found))
