"""The page of results: made of the results, and up to date."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from saligned.errors import DataError
from saligned.experiments.report import FOLDS, PAGE, RESULTS, TABLES, interval, make_page
from saligned.experiments.systems import SYSTEMS

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
    rows = sum(len(rows) for rows in TABLES.values())
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
