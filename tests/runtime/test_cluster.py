"""Ray gives the same lines as one process."""

import json
import subprocess
import sys
from pathlib import Path

from saligned.examples import EXAMPLES


def test_ray_writes_the_same_lines_in_the_same_order(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    rows = [json.dumps({"id": str(n), "text": text}) for n, text in enumerate(EXAMPLES)]
    source.write_text("\n".join([*rows[:5], "{broken", *rows[5:]]), encoding="utf-8")
    outputs = []
    for engine in ("local", "ray"):
        target = tmp_path / f"{engine}.jsonl"
        command = [sys.executable, "-m", "saligned", "solve", "--input", str(source), "--output", str(target)]
        done = subprocess.run([*command, "--engine", engine], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        outputs.append([json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()])
    local, ray = outputs
    assert [row["id"] for row in ray] == [row["id"] for row in local]
    assert [(row["status"], row["answer"]) for row in ray] == [(row["status"], row["answer"]) for row in local]
