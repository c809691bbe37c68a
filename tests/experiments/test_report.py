"""The page of results: made of the results, and up to date."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from saligned.errors import DataError
from saligned.experiments.benchmark_sets import BENCHMARKS
from saligned.experiments.comparison import SETS, make_sections
from saligned.experiments.report import FOLDS, PAGE, RESULTS, TABLES, make_page
from saligned.experiments.study import INGREDIENTS
from saligned.experiments.systems import SYSTEMS
from saligned.runtime.evaluation import interval

ROOT = Path(__file__).parents[2]


def write_result(directory: Path, system: str, fold: int, accuracy: float) -> None:
    result: dict[str, Any] = {
        "system": system,
        "fold": fold,
        "accuracy": accuracy,
        "accuracy_kept": accuracy + 0.01,
        "equation_accuracy": accuracy - 0.1,
        "seconds": 7200.0,
        "core_seconds": 3600.0,
        "data": {"sha256": "0123456789abcdef"},
        "seed": 1,
        "revision": "abc",
    }
    path = directory / system / f"fold{fold}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result))


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == make_page(ROOT / RESULTS), "run: saligned tables"


def test_every_system_has_a_row_and_every_row_a_system() -> None:
    assert {row.system for rows in TABLES.values() for row in rows} == set(SYSTEMS)


def test_without_results_every_row_says_so(tmp_path: Path) -> None:
    rows = sum(len(rows) for rows in TABLES.values()) + len(SETS) + len(INGREDIENTS)
    assert make_page(tmp_path).count("| no results yet |") == rows


def test_a_row(tmp_path: Path) -> None:
    for fold, accuracy in enumerate([0.64, 0.65, 0.66, 0.65, 0.65]):
        write_result(tmp_path, "paper-word", fold, accuracy)
    page = make_page(tmp_path)
    row = f"| `paper-word` | 65.3 | 65.0 ± 0.9 | -0.3 | 66.0 | 55.0 | {FOLDS} |"
    assert page.count(row) == 2  # in both tables
    assert "10.0 hours one after the other, 5.0 of them at work" in page


def test_one_fold_has_no_interval(tmp_path: Path) -> None:
    write_result(tmp_path, "hybrid", 0, 0.5)
    assert "| 64.7 | 50.0 | -14.7 | 51.0 | 40.0 | 1 |" in make_page(tmp_path)
    assert math.isinf(interval([0.5]))


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "hybrid").mkdir()
    (tmp_path / "hybrid" / "fold0.json").write_text("{")
    with pytest.raises(DataError, match=r"fold0\.json"):
        make_page(tmp_path)


def test_the_errors_of_two_systems(tmp_path: Path) -> None:
    (tmp_path / "errors").mkdir()
    counts = {"systems": ["a", "b"], "problems": 1200, "both": 1000, "only": [80, 60], "neither": 60}
    sizes = {"operations": {"2": [1200, 1080, 1060]}, "quantities": {}}
    (tmp_path / "errors" / "a-b.json").write_text(json.dumps(counts | sizes | {"kinds": {"wrong operator": [9, 8]}}))
    page = make_page(tmp_path)
    assert "## Errors of a and b" in page
    assert "1,200 problems: both solve 1,000, only a 80, only b 60, neither 60." in page
    assert "| wrong operator | 9 | 8 |" in page
    assert "| 2 | 1,200 | 90.0% | 88.3% |" in page


def test_every_benchmark_has_a_row() -> None:
    assert {row.name for row in SETS} == set(BENCHMARKS)


def test_the_rows_of_the_benchmarks(tmp_path: Path) -> None:
    for name, accuracies in {"draw": [0.5], "alg514": [0.48, 0.5, 0.52]}.items():
        for fold, accuracy in enumerate(accuracies):
            path = tmp_path / "benchmarks" / name / f"fold{fold}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"accuracy": accuracy, "accuracy_exact": 0.25, "interval": [0.4, 0.6]}))
    page = "\n".join(make_sections(tmp_path, []))
    assert "| DRAW | the published split | 42.3 | – | 50.0 (40.0–60.0) | 25.0 | 1 |" in page
    assert "| ALG514 | the published five folds | 48.5 | – | 50.0 ± 5.0 | 25.0 | 3 |" in page


def test_a_shipped_model_stands_beside_its_peers(tmp_path: Path) -> None:
    test = {"accuracy_beam_5": 0.8, "interval_beam_5": [0.77, 0.83]}
    card = {"name": "ours", "description": "Made here", "bytes": 5_000_000, "data": {"set": "Math23K"}, "test": test}
    page = "\n".join(make_sections(tmp_path, [card, card | {"name": "other", "data": {"set": "svamp"}}]))
    assert "| **`ours`** | **80.0** (77.0–83.0) | – | 5.0 MB | Made here; its card |" in page
    assert "`other`" not in page


def test_a_damaged_benchmark_result_is_named(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks" / "draw" / "fold0.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(DataError, match="draw"):
        make_sections(tmp_path, [])
