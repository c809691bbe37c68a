"""Shipped models on Ape210K: what reads like a training problem is counted apart, and nothing is measured twice."""

import json
from pathlib import Path

import pytest

from saligned.experiments import ape210k
from saligned.experiments.comparison import HARDER, make_sections
from saligned.runtime.models import available
from tests.experiments.corpus import write_data
from tests.problems import PROBLEMS

FRESH = [
    {"id": "1", "original_text": "仓库有化肥64吨，运走18吨，还剩多少吨？", "equation": "x=64-18", "ans": "46"},
    {"id": "2", "original_text": "笼子里有13只白兔和8只灰兔，一共有几只兔？", "equation": "x=13+8", "ans": "1000"},
]


def test_models_are_measured_once_and_stand_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "math23k").mkdir()
    write_data(tmp_path).rename(tmp_path / "math23k" / "math23k.json")
    (tmp_path / "ape210k").mkdir()
    known = {"id": "3", "original_text": PROBLEMS[0].text.replace("12", "13"), "equation": "x=13+5", "ans": "18"}
    rows = (json.dumps(row | {"segmented_text": ""}, ensure_ascii=False) + "\n" for row in (*FRESH, known))
    (tmp_path / "ape210k" / "valid.ape.json").write_text("".join(rows), encoding="utf-8")
    small = [card for card in available() if card["name"] == "zh-char"]
    monkeypatch.setattr(ape210k, "available", lambda: small)

    results = tmp_path / "results" / HARDER
    ape210k.main(tmp_path, results)
    result = json.loads((results / "zh-char.json").read_text())
    assert (result["problems"], result["correct"]) == (3, 2)
    assert (result["unseen"]["problems"], result["unseen"]["correct"]) == (2, 1)
    page = "\n".join(make_sections(tmp_path / "results", []))
    assert "| `zh-char` | 66.7 (" in page

    (results / "zh-char.json").write_text("kept")
    ape210k.main(tmp_path, results)
    assert (results / "zh-char.json").read_text() == "kept"
