"""The paper's figures, for any problem: drawn from a trace, never from a model.

| name             | paper              | what it shows                                                      |
|------------------|--------------------|--------------------------------------------------------------------|
| `solving`        | fig:solving        | how the quantities, each with its meaning, become the answer       |
| `inference`      | fig:infer          | the stack after every action                                       |
| `attention`      | fig:attention      | word attention and the gates g^sa, g^opd at every step             |
| `self-attention` | fig:self-attention | the words that each quantity attends to (self-attention variant)   |
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any

from saligned.errors import SalignedError
from saligned.explain.sheet import MARGIN, Sheet
from saligned.explain.text import SIGNS, answer_in_words, quantity_words

__all__ = ["FIGURES", "draw"]

Dict = dict[str, Any]
# Left edge, width, action, probability, and the blocks from bottom to top with their kinds.
Snapshot = tuple[float, float, str, str, list[tuple[str, str]]]

INK, FAINT, MARK = "#1f2430", "#7a8194", "#0b63c5"
# The paper's colours: green for what the variable generator made, purple for what an operator transformed.
FILLS = {"quantity": "#dcebfb", "constant": "#eceef2", "unknown": "#d8f0dc", "result": "#e8def8"}
EDGES = {"quantity": "#5b9bd5", "constant": "#a5abba", "unknown": "#57a869", "result": "#8a63c9"}
WIDTH = 760.0  # the line length of texts
GATES = ("h", "s", "q")


def draw(trace: Dict, name: str, path: Path) -> None:
    """Write one figure to a .png or .svg file."""
    if not trace["steps"]:
        raise SalignedError(f"there is nothing to draw: {trace['reason']}")
    sheet = Sheet(trace["text"])
    below = _problem(sheet, trace)
    FIGURES[name](sheet, trace, below)
    sheet.save(path)


def element_kinds(trace: Dict) -> dict[int, str]:
    """For each element of the stack whether it is a quantity, a constant, an unknown or a result."""
    kinds = {}
    for step in trace["steps"]:
        for element in step["stack_after"][-1:]:
            if step["action"] == "push":
                kinds[element["id"]] = trace["operands"][step["operand"]]["kind"]
            elif step["action"] in SIGNS:
                kinds[element["id"]] = "result"
    return kinds


def action_labels(trace: Dict) -> list[str]:
    """The actions as the figures name them: `new x`, `push 10`, `×`, `=`."""
    unknowns = iter([operand["symbol"] for operand in trace["operands"] if operand["kind"] == "unknown"])
    labels = []
    for step in trace["steps"]:
        if step["action"] == "push":
            labels.append(f"push {trace['operands'][step['operand']]['symbol']}")
        elif step["action"] == "generate":
            labels.append(f"new {next(unknowns)}")
        else:
            labels.append(SIGNS.get(step["action"], "="))
    return labels


def _problem(sheet: Sheet, trace: Dict) -> float:
    """The text with its quantities marked, broken into lines; where the figure may begin."""
    size, line = 11.0, 19.0
    x, y = MARGIN, MARGIN + 8
    marks = {place for q in trace["quantities"] for place in range(q["start"], q["end"])}
    for start, end in _pieces(trace):
        piece = trace["text"][start:end].replace("\n", " ")
        width = sheet.measure(piece, size) if piece.strip() else size / 3
        if x + width > MARGIN + WIDTH and x > MARGIN:
            x, y = MARGIN, y + line
        if piece.strip():
            style = {"color": MARK} if start in marks else {"color": INK}
            sheet.text(x, y, piece, size, **style)
        x += width
    return y + line + 6


def _pieces(trace: Dict) -> list[tuple[int, int]]:
    """Where a line of the text may be broken: around tokens and the spaces between them."""
    edges = {0, len(trace["text"])}
    for token in trace["tokens"]:
        edges |= {token["start"], token["end"]}
    ordered = sorted(edges)
    return list(pairwise(ordered))


def _solving(sheet: Sheet, trace: Dict, top: float) -> None:
    """Leaves with their own words above, each operation below what it takes, the answer at the bottom."""
    kinds = element_kinds(trace)
    nodes = _nodes(trace)
    places = _layout(sheet, nodes, top + 30)
    for node in nodes:
        centre, y = places[node["id"]]
        for part in node["from"]:
            sheet.line(*places[part], centre, y, color="#b7bdca", linewidth=1, zorder=1)
        if node["caption"]:
            sheet.text(centre, y - 23, node["caption"], 8.5, ha="center", color=FAINT)
        _block(sheet, (centre, y), node["label"], kinds.get(node["id"], "unknown"))


def _layout(sheet: Sheet, nodes: Sequence[Dict], top: float) -> dict[int, tuple[float, float]]:
    """Leaves side by side; a result midway below its parts, a row lower where another block is in its way."""
    places: dict[int, tuple[float, float]] = {}
    taken: list[tuple[float, float, float]] = []  # left, right and row of the blocks
    x = MARGIN
    for node in nodes:  # in program order, so that a result comes after its parts
        width = max(34.0, sheet.measure(node["label"], 10) + 22)
        parts = [places[part] for part in node["from"]]
        if parts:
            centre = max(MARGIN + width / 2, sum(place[0] for place in parts) / len(parts))
            y = max(place[1] for place in parts) + 58
        else:
            column = max(width, sheet.measure(node["caption"], 8.5))
            centre, y = x + column / 2, top
            x += column + 16
        left, right = centre - width / 2, centre + width / 2
        while any(row == y and left < other[1] and other[0] < right for *other, row in taken):
            y += 58
        places[node["id"]] = centre, y
        taken.append((left, right, y))
    return places


def _nodes(trace: Dict) -> list[Dict]:
    """The tree of the calculation: operands with captions, results with what they come to, the answer."""
    nodes: list[Dict] = []
    for step in trace["steps"]:
        if step["action"] == "push":
            element, operand = step["stack_after"][-1], trace["operands"][step["operand"]]
            own = quantity_words(trace, operand["quantity"]) if operand["kind"] == "quantity" else ""
            caption = "" if own == element["symbol"] else own
            nodes.append({"id": element["id"], "from": [], "label": element["symbol"], "caption": caption})
        elif step["action"] in SIGNS:
            element = step["stack_after"][-1]
            label = element["symbol"]
            if element["value"] is not None:
                label += f" = {element['value'].replace('-', '−')}"
            nodes.append({"id": element["id"], "from": element["from"], "label": label, "caption": ""})
        elif step["action"] == "equal":
            parts = [element["id"] for element in step["stack_before"][-2:]]
            nodes.append({"id": -len(nodes), "from": parts, "label": step["equation"]["pretty"], "caption": ""})
    ends = [node["id"] for node in nodes if node["id"] <= 0]
    answer = answer_in_words(trace) if trace["status"] == "solved" else trace["reason"]
    return [*nodes, {"id": -len(nodes), "from": ends, "label": f"→ {answer}", "caption": ""}]


def _block(sheet: Sheet, centre: tuple[float, float], label: str, kind: str, width: float = 0.0) -> None:
    """A rounded block with its label in the middle."""
    x, y = centre
    width = width or max(26.0, sheet.measure(label, 10) + 14)
    style = {"facecolor": FILLS[kind], "edgecolor": EDGES[kind], "linewidth": 1.0, "round": 6.0, "zorder": 2}
    sheet.box(x - width / 2, y - 12, width, 24, **style)
    sheet.text(x, y, label, 10, ha="center", color=INK, zorder=3)


def _inference(sheet: Sheet, trace: Dict, top: float) -> None:
    """The stack after every action, in as many rows as the steps need."""
    kinds = element_kinds(trace)
    x = MARGIN
    row: list[Snapshot] = []
    for number, (title, step) in enumerate(zip(action_labels(trace), trace["steps"], strict=True), 1):
        blocks = [(element["symbol"], kinds[element["id"]]) for element in step["stack_after"]]
        if step["equation"]:
            blocks = [(step["equation"]["pretty"], "unknown")]
        texts = [title, *(label for label, _ in blocks)]
        width = max(58.0, 22 + max(sheet.measure(text, 10) for text in texts))
        if x + width > MARGIN + WIDTH and row:
            top = _snapshots(sheet, row, top)
            x, row = MARGIN, []
        sure = step["probability"] * (step["operand_probability"] or 1)
        row.append((x, width, f"{number}. {title}", f"{sure:.0%}", blocks))
        x += width + 10
    _snapshots(sheet, row, top)


def _snapshots(sheet: Sheet, row: Sequence[Snapshot], top: float) -> float:
    """Stacks side by side on one ground line, each action below its stack; where the next row begins."""
    ground = top + 10 + 28 * max(1, *(len(blocks) for *_, blocks in row))
    for x, width, title, probability, blocks in row:
        sheet.line(x, ground, x + width, ground, color=FAINT, linewidth=1.2)
        for height, (label, kind) in enumerate(blocks):
            _block(sheet, (x + width / 2, ground - 15 - 27 * height), label, kind, width - 8)
        sheet.text(x + width / 2, ground + 13, title, 9, ha="center", color=INK)
        sheet.text(x + width / 2, ground + 26, probability, 8, ha="center", color=FAINT)
    return ground + 46


def _attention(sheet: Sheet, trace: Dict, top: float) -> None:
    """Words down, steps across; the gates below, on the same columns."""
    labels = action_labels(trace)
    words = [trace["text"][token["start"] : token["end"]] for token in trace["tokens"]]
    weights = [[step["attention"][index] for step in trace["steps"]] for index in range(len(words))]
    cell = max(34.0, 8 + max(sheet.measure(label, 9) for label in labels))
    widest = sheet.measure(r"$g^{opd}$  h", 9, math=True)
    left = MARGIN + 12 + max(widest, *(sheet.measure(word, 9) for word in words))
    heat_map(sheet, weights, words, labels, (left, top + 18, cell, 13.0))
    y = top + 18 + 13.0 * len(words) + 14
    for title, name in ((r"$g^{sa}$", "action"), (r"$g^{opd}$", "operand")):
        gates = [step["gates"][name] for step in trace["steps"]]
        rows = [[gate[feature] for gate in gates] for feature in range(len(gates[0]))]
        if name == "operand":  # it only matters where something is pushed
            pushes = [step["action"] == "push" for step in trace["steps"]]
            rows = [[v if push else nan for v, push in zip(r, pushes, strict=True)] for r in rows]
        features = [f"{title}  {feature}" for feature in GATES[: len(rows)]]
        _gate_bars(sheet, rows, features, (left, y, cell, 20.0))
        y += 20.0 * len(rows) + 10


def heat_map(
    sheet: Sheet,
    weights: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    grid: tuple[float, float, float, float],
) -> None:
    """Weights as colours; `grid` is the left, the top, and the width and height of a cell."""
    left, top, width, height = grid
    largest = max((value for row in weights for value in row), default=0.0) or 1.0
    sheet.image(
        left,
        top,
        width * len(columns),
        height * len(rows),
        values=weights,
        cmap="Blues",
        vmin=0,
        vmax=largest,
    )
    frame = {"fill": False, "edgecolor": FAINT, "linewidth": 0.6}
    sheet.box(left, top, width * len(columns), height * len(rows), **frame)
    for number, label in enumerate(rows):
        sheet.text(left - 6, top + height * (number + 0.5), label, min(9, height - 3), ha="right", color=INK)
    for number, label in enumerate(columns):
        sheet.text(left + width * (number + 0.5), top - 10, label, 9, ha="center", color=INK)


def _gate_bars(
    sheet: Sheet,
    rows: Sequence[Sequence[float]],
    labels: Sequence[str],
    grid: tuple[float, float, float, float],
) -> None:
    """A bar from 0 to 1 in each cell; empty where the gate has no part in the step."""
    left, top, width, height = grid
    for number, (row, label) in enumerate(zip(rows, labels, strict=True)):
        y = top + height * number
        sheet.text(left - 6, y + height / 2, label, 9, ha="right", color=INK, parse_math=True)
        for column, value in enumerate(row):
            x, room = left + width * column + 2, width - 4
            if isnan(value):
                continue
            share = min(1.0, max(0.0, value))
            sheet.box(x, y + 3, room, height - 6, facecolor="#eef0f4", edgecolor="none")
            sheet.box(x, y + 3, room * share, height - 6, facecolor="#cdb9ee", edgecolor="none")
            sheet.text(x + room / 2, y + height / 2, f"{value:.2f}", 7.5, ha="center", color=INK)


def _self_attention(sheet: Sheet, trace: Dict, top: float) -> None:
    """Words down, quantities across."""
    if trace["self_attention"] is None:
        raise SalignedError(
            f"the model {trace['model']} has no self-attention of operands; "
            'name one that was trained with operand_vectors = "self-attention"'
        )
    words = [trace["text"][token["start"] : token["end"]] for token in trace["tokens"]]
    maps = trace["self_attention"]["quantities"]
    weights = [[row[index] for row in maps] for index in range(len(words))]
    labels = [quantity["form"] for quantity in trace["quantities"]]
    cell = max(40.0, 10 + max(sheet.measure(label, 9) for label in labels))
    left = MARGIN + 12 + max(sheet.measure(word, 9) for word in words)
    heat_map(sheet, weights, words, labels, (left, top + 18, cell, 13.0))


FIGURES: dict[str, Callable[[Sheet, Dict, float], None]] = {
    "solving": _solving,
    "inference": _inference,
    "attention": _attention,
    "self-attention": _self_attention,
}
