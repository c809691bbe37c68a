"""The study of ingredients: a row changes what it says and nothing else, and is measured without test problems."""

import json
from pathlib import Path

import pytest

from saligned.config import Config
from saligned.experiments import study
from saligned.experiments.comparison import make_sections
from saligned.experiments.study import INGREDIENTS, Ingredient, configuration
from tests.baselines.corpus import small_config
from tests.experiments.corpus import write_data
from tests.problems import PROBLEMS


@pytest.mark.parametrize("name", INGREDIENTS)
def test_a_row_changes_what_it_says(name: str) -> None:
    base, changed = configuration(INGREDIENTS["base"]).to_dict(), configuration(INGREDIENTS[name]).to_dict()
    assert {field for field in base if base[field] != changed[field]} <= set(INGREDIENTS[name].fields)
    assert bool(INGREDIENTS[name].fields) == (base != changed)


def test_rows_are_measured_once_and_stand_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_data(tmp_path).rename(tmp_path / "math23k.json")
    (tmp_path / "public_valid_ids.txt").write_text(f"{PROBLEMS[0].id}\n{PROBLEMS[1].id}\n")
    (tmp_path / "public_test_ids.txt").write_text(f"{PROBLEMS[2].id}\n")
    extra = tmp_path / "extra.jsonl"
    rows = [{"id": f"{kind}-1", "text": "4袋大米重25千克，1袋重多少？", "ans": "6.25"} for kind in ("pair", "weak")]
    extra.write_text("".join(json.dumps(row | {"equation": "x=25/4"}) + "\n" for row in rows))

    def small(_: Ingredient) -> Config:
        return small_config("paper-char", epochs=1)

    monkeypatch.setattr(study, "configuration", small)
    results = tmp_path / "results" / "study"
    study.main(tmp_path, extra, tmp_path / "runs", results, ["base", "pairs", "weak"])
    counts = [json.loads((results / f"{name}.json").read_text())["problems"] for name in ("base", "pairs", "weak")]
    assert counts == [len(PROBLEMS) - 3, len(PROBLEMS) - 2, len(PROBLEMS) - 1]
    before = (results / "base.json").stat().st_mtime_ns
    study.main(tmp_path, extra, tmp_path / "runs", results, ["base"])
    assert (results / "base.json").stat().st_mtime_ns == before
    page = "\n".join(make_sections(tmp_path / "results", []))
    assert f"| more constants, more problems with equations | {counts[1]:,} |" in page
    assert "| pre-trained encoder | no results yet |" in page
