"""The benchmark runner on invented sets: parts that do not leak, a result a fold, answers as lists."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from saligned.config import Config
from saligned.errors import DataError
from saligned.experiments import benchmarks
from saligned.experiments.benchmark_sets import Benchmark, Source, draw_fold, is_confirmed, split
from saligned.experiments.benchmarks import main
from saligned.problem import Problem
from saligned.runtime.models import load, read_card
from tests.problems import PROBLEMS, SYSTEMS

NAMES = ("Ann", "Bea", "Cleo", "Dora", "Eve", "Fay", "Gwen", "Hana", "Ida", "Jo")


def pair(number: int, **fields: object) -> dict[str, object]:
    text = f"{NAMES[number % 10]} has {number + 3} {'red' if number < 10 else 'blue'} beads and finds 5 more."
    return {"id": str(number), "text": text, "equation": f"x={number + 3}+5", "ans": number + 8} | fields


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "own.jsonl", [pair(number) for number in range(20)])
    families = [pair(number) for number in range(20)]
    families += [pair(number, id=str(10_000 + number), text=f"A paraphrase of {number}: 1 + 5") for number in range(20)]
    write(tmp_path / "paraphrases.jsonl", families)
    more = [pair(number, text=f"{pair(number)['text']!s}".upper().replace("5", "five")) for number in range(20)]
    more += [pair(30, text="Kay had 33 pens and got 5."), pair(31, text="Lea had 34 pens and got 5.", ans=1)]
    write(tmp_path / "more.jsonl", more)
    return tmp_path


DRAWN = Benchmark(
    title="Drawn",
    config="tiny",
    folds=5,
    train=(Source("own.jsonl", "jsonl"),),
    extra=(Source("more.jsonl", "jsonl"), Source("paraphrases.jsonl", "jsonl", families=True)),
)


def test_the_folds_share_no_test_problem_and_have_all() -> None:
    problems = [Problem(str(number), f"{number} birds") for number in range(23)]
    parts = [draw_fold(problems, fold, 5) for fold in range(5)]
    assert sorted(int(problem.id) for _, test in parts for problem in test) == list(range(23))
    assert all(len(train) + len(test) == 23 for train, test in parts)


def test_nothing_that_reads_like_a_held_out_problem_is_trained_on(data: Path) -> None:
    parts = split(DRAWN, data, 2, seed=1)
    assert (len(parts.train), len(parts.valid), len(parts.test)) == (14, 2, 4)
    held_out = {problem.id for problem in (*parts.valid, *parts.test)}
    assert not held_out & {problem.id for problem in parts.train}
    extra = {int(problem.id) for problem in parts.extra}
    assert 30 in extra
    assert 31 not in extra  # its equation does not give its answer
    assert not {int(number) for number in held_out} & {number % 10_000 for number in extra}
    assert {number % 10_000 for number in extra if number >= 10_000} == {int(problem.id) for problem in parts.train}


def test_problems_are_made_of_templates(data: Path) -> None:
    templates = replace(DRAWN, templates="zh-algebra-templates.txt")
    made = [problem for problem in split(templates, data, 0, seed=1).extra if problem.id.startswith("made-")]
    assert len(made) > 1000
    assert all(len(problem.equations) == len(problem.answers) == 2 for problem in made)


def test_a_problem_is_confirmed_by_one_of_its_unknowns() -> None:
    assert is_confirmed(Problem("", "", ("x+y=10", "x-y=4"), SYSTEMS[2].answers))  # 7
    assert not is_confirmed(Problem("", "", ("x+=10",), SYSTEMS[2].answers))
    assert not is_confirmed(Problem("", "", (), SYSTEMS[2].answers))


def test_an_unknown_benchmark_or_fold_is_named(data: Path) -> None:
    with pytest.raises(DataError, match="no benchmark 'svamp2'"):
        main("svamp2", data, data)
    with pytest.raises(DataError, match="no fold 7"):
        split(DRAWN, data, 7, seed=1)


def test_a_system_is_trained_measured_and_solved_with_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"id": p.id, "text": p.text, "equation": ";".join(p.equations), "ans": [str(a) for a in p.answers]}
        for p in [SYSTEMS[0], *PROBLEMS[:3]]
    ]
    write(tmp_path / "own.jsonl", rows)
    own = (Source("own.jsonl", "jsonl"),)
    benchmark = Benchmark(title="Own", config="tiny", train=own, valid=own, test=own, model="tiny")
    monkeypatch.setitem(benchmarks.BENCHMARKS, "own", benchmark)
    monkeypatch.setattr(benchmarks, "CONFIGS", tmp_path)
    monkeypatch.setattr(benchmarks, "PRETRAINED", tmp_path / "shipped")
    fields = {"max_unknowns": 2, "hidden": 48, "embedding": 24, "min_count": 1, "dropout": 0.0, "epochs": 60}
    fields |= {"learning_rate": 1e-2, "schedule": "constant", "batch_size": 4}
    (tmp_path / "tiny.json").write_text(json.dumps(fields), encoding="utf-8")
    main("own", tmp_path, tmp_path / "run")
    result = json.loads((tmp_path / "run" / "fold0.json").read_text(encoding="utf-8"))
    assert result["accuracy"] == result["accuracy_exact"] == 1.0
    assert result["interval"][0] < 1.0
    assert result["config"] == json.loads(json.dumps(Config.from_dict(fields).to_dict()))
    assert result["data"]["train"] == 4
    assert set(result["data"]["sha256"]) == {"own.jsonl"}
    test = read_card(tmp_path / "shipped" / "tiny")["test"]
    assert (test["problems"], test["accuracy"], test["accuracy_beam_5"]) == ("Own test, all 4", 1.0, 1.0)
    assert 0 <= test["calibration_error_beam_5"] <= 1
    solution = load(tmp_path / "shipped" / "tiny").solve(SYSTEMS[0].text)
    assert solution.answer == ["12", "8"]
    assert len(solution.equations) == 2
    written = (tmp_path / "run" / "fold0.json").stat().st_mtime_ns
    main("own", tmp_path, tmp_path / "run", [0])  # has its result
    assert (tmp_path / "run" / "fold0.json").stat().st_mtime_ns == written
