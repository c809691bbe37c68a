"""The page that compares two systems: counts, then the problems that they solve differently.

saligned errors runs/seq2seq-sni runs/paper-char --out errors.md --counts results/errors/seq2seq-sni-paper-char.json
"""

from collections.abc import Mapping, Sequence
from typing import Any

from saligned.experiments.error_analysis import Pair, count, kinds_of

_NO_FAULT = "the gold equation, which does not give the gold answer"


def make_page(pairs: Sequence[Pair], names: tuple[str, str], *, limit: int = 50) -> str:
    """The page; at most `limit` problems of each group and kind."""
    groups = {
        f"Only {names[0]} solves": [p for p in pairs if p.first["correct"] and not p.second["correct"]],
        f"Only {names[1]} solves": [p for p in pairs if p.second["correct"] and not p.first["correct"]],
        "Neither solves": [p for p in pairs if not p.first["correct"] and not p.second["correct"]],
    }
    lines = [f"# {names[0]} and {names[1]}", "", *count_lines(count(pairs, names))]
    for title, group in groups.items():
        lines += [f"## {title} ({len(group)})", "", *_group(group, names, limit)]
    return "\n".join(lines) + "\n"


def count_lines(counts: Mapping[str, Any]) -> list[str]:
    """Who solves what, the kinds of error, and the accuracy by size, as tables."""
    names = counts["systems"]
    lines = [
        f"{counts['problems']:,} problems: both solve {counts['both']:,}, only {names[0]} {counts['only'][0]:,},"
        f" only {names[1]} {counts['only'][1]:,}, neither {counts['neither']:,}.",
        "",
        f"| kind | {names[0]} | {names[1]} |",
        "|---|---:|---:|",
        *(f"| {kind} | {first:,} | {second:,} |" for kind, (first, second) in counts["kinds"].items()),
        "",
    ]
    for title in ("operations", "quantities"):
        lines += [f"| {title} | problems | {names[0]} | {names[1]} |", "|---|---:|---:|---:|"]
        for size, (problems, *right) in counts[title].items():
            shares = " | ".join(f"{solved / problems:.1%}" for solved in right)
            lines.append(f"| {size} | {problems:,} | {shares} |")
        lines.append("")
    return lines


def _group(group: Sequence[Pair], names: tuple[str, str], limit: int) -> list[str]:
    """The problems of a group, sorted by what is wrong with the one that fails."""
    by_kind: dict[str, list[Pair]] = {}
    for pair in group:
        wrong = pair.second if pair.first["correct"] else pair.first
        by_kind.setdefault((kinds_of(wrong) or (_NO_FAULT,))[0], []).append(pair)
    lines = []
    for kind, members in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0])):
        lines += [f"### {kind} ({len(members)})", ""]
        for pair in members[:limit]:
            lines += [
                f"- **{pair.first['id']}** {pair.first['text']}",
                f"  - gold: `{'; '.join(pair.first['gold'])}` → {', '.join(pair.first['gold_answers'])}",
                *(f"  - {name}: {_made(row)}" for name, row in zip(names, (pair.first, pair.second), strict=True)),
            ]
        lines.append("")
    return lines


def _made(row: dict[str, Any]) -> str:
    if not row["equations"]:
        return f"no equation ({row['reason']})"
    outcome = row["answer"] if row["status"] == "solved" else row["reason"]
    return f"`{'; '.join(row['equations'])}` → {outcome}{' ✓' if row['correct'] else ''}"
