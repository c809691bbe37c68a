"""A trace as one HTML file that needs nothing else: no script, no font, no other host."""

from html import escape
from typing import Any

from saligned.explain.figures import GATES, action_labels, element_kinds
from saligned.explain.text import answer_in_words, explain_in_words
from saligned.text.language import Language, language_of

__all__ = ["to_html"]

Dict = dict[str, Any]

_LABELS: dict[Language, dict[str, str]] = {
    "zh": {
        "title": "解题过程",
        "answer": "答案",
        "steps": "逐步推理",
        "attention": "词的注意力",
        "self": "数量的自注意力",
        "others": "其他候选",
        "confidence": "把握",
        "gates": "门",
        "failed": "没有解出",
    },
    "en": {
        "title": "How it was solved",
        "answer": "Answer",
        "steps": "Step by step",
        "attention": "Word attention",
        "self": "Self-attention of the quantities",
        "others": "What else was considered",
        "confidence": "confidence",
        "gates": "gates",
        "failed": "Not solved",
    },
}

_STYLE = """
:root{color-scheme:light dark;--ink:#1f2430;--faint:#667085;--paper:#fff;--card:#f6f7f9;--line:#d5d9e2;
--mark:#0b63c5;--heat:#84bbf5;--quantity:#dcebfb;--constant:#e6e9ef;--unknown:#d8f0dc;--result:#e8def8;--gate:#8a63c9}
@media(prefers-color-scheme:dark){:root{--ink:#e7eaf0;--faint:#9aa3b5;--paper:#14171d;--card:#1d212a;--line:#363c49;
--mark:#7ab8ff;--heat:#1d63b8;--quantity:#1d3a5c;--constant:#343a46;--unknown:#1f4429;--result:#3d2b60;--gate:#a98be0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.6 system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.35rem;font-weight:500;line-height:1.7;margin:0 0 1rem;white-space:pre-wrap}
math{font-family:"STIX Two Math","Latin Modern Math","Cambria Math",math}mfrac>*{padding:.12em .15em}
h2{font-size:1rem;margin:2rem 0 .6rem;color:var(--faint);font-weight:600}
mark{background:none;color:var(--mark);font-weight:600}
.answer{font-size:1.3rem;font-weight:600}
.equation{font-size:1.25rem;margin:.4rem 0}
.faint,figcaption{color:var(--faint);font-size:.85rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;
margin:.6rem 0;display:grid;gap:.4rem 1.2rem;grid-template-columns:minmax(9rem,14rem) minmax(0,1fr)}
.card header{grid-column:1/-1;display:flex;gap:1rem;justify-content:space-between}
.stack{display:flex;flex-direction:column-reverse;gap:.25rem;align-self:end}
.block{border-radius:.4rem;padding:.1rem .5rem;text-align:center}
.quantity{background:var(--quantity)}.constant{background:var(--constant)}
.unknown{background:var(--unknown)}.result{background:var(--result)}
.lit span,td.heat{background:color-mix(in srgb,var(--heat) calc(var(--w)*100%),transparent)}
.lit{margin:0;line-height:1.8;white-space:pre-wrap}.lit span{border-radius:.15rem}
.gates{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.8rem;color:var(--faint)}
.bar{display:inline-block;width:4rem;height:.55rem;border-radius:.2rem;background:var(--line);overflow:hidden}
.bar i{display:block;height:100%;width:calc(var(--w)*100%);background:var(--gate)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem}
th{font-weight:400;padding:.05rem .5rem;text-align:right;white-space:nowrap}
thead th{text-align:center}td{padding:.15rem .5rem}td.heat{min-width:3rem;border:1px solid var(--paper)}
@media(max-width:36rem){.card{grid-template-columns:1fr}}
"""


def to_html(trace: Dict, language: Language | None = None) -> str:
    """The whole page; what comes from the problem is escaped."""
    language = language or language_of(trace["text"]) or "en"
    labels = _LABELS[language]
    body = [
        f"<h1>{_marked_text(trace)}</h1>",
        _outcome(trace, language),
        _section(labels["title"], "".join(f"<p>{escape(line)}</p>" for line in explain_in_words(trace, language))),
    ]
    if trace["steps"]:
        body.append(_section(labels["steps"], "".join(_steps(trace, labels))))
        rows = [[step["attention"][i] for step in trace["steps"]] for i in range(len(trace["tokens"]))]
        body.append(_section(labels["attention"], _heat_table(_words(trace), action_labels(trace), rows)))
    if trace["self_attention"]:
        maps = trace["self_attention"]["quantities"]
        rows = [[row[i] for row in maps] for i in range(len(trace["tokens"]))]
        forms = [quantity["form"] for quantity in trace["quantities"]]
        body.append(_section(labels["self"], _heat_table(_words(trace), forms, rows)))
    if trace["alternatives"]:
        body.append(_section(labels["others"], _alternatives(trace)))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(trace['text'][:60])}</title>\n<style>{_STYLE}</style>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _marked_text(trace: Dict) -> str:
    text, place, out = trace["text"], 0, []
    for quantity in trace["quantities"]:
        out.append(escape(text[place : quantity["start"]]))
        out.append(f"<mark>{escape(text[quantity['start'] : quantity['end']])}</mark>")
        place = quantity["end"]
    return "".join(out) + escape(text[place:])


def _outcome(trace: Dict, language: Language) -> str:
    labels = _LABELS[language]
    equations = "".join(f'<div class="equation">{equation["mathml"]}</div>' for equation in trace["equations"])
    if trace["status"] == "failed":
        return equations + f'<p class="answer">{labels["failed"]}</p>'
    sure = f"{labels['confidence']} {trace['confidence']:.0%} · {trace['model']}"
    answer = f"{labels['answer']}: {answer_in_words(trace, language)}"
    return f'{equations}<p class="answer">{escape(answer)} <span class="faint">{escape(sure)}</span></p>'


def _steps(trace: Dict, labels: dict[str, str]) -> list[str]:
    kinds = element_kinds(trace)
    cards = []
    for number, (name, step) in enumerate(zip(action_labels(trace), trace["steps"], strict=True), 1):
        probability = step["probability"] * (step["operand_probability"] or 1)
        blocks = [f'<div class="block {kinds[e["id"]]}">{e["mathml"]}</div>' for e in step["stack_after"]]
        if step["equation"]:
            blocks = [f'<div class="block unknown">{step["equation"]["mathml"]}</div>']
        cards.append(
            f'<div class="card"><header><b>{number}. {escape(name)}</b>'
            f'<span class="faint">{probability:.1%}</span></header>'
            f'<div class="stack">{"".join(blocks)}</div><div>{_lit_text(trace, step["attention"])}'
            f'<div class="gates">{_gates(step)}</div></div></div>'
        )
    return cards


def _gates(step: Dict) -> str:
    """The gate of the operands only where there is one to choose."""
    names = {"action": "g<sup>sa</sup>"} | ({"operand": "g<sup>opd</sup>"} if step["action"] == "push" else {})
    return "".join(
        f'<span>{names[gate]} {feature} <span class="bar"><i style="--w:{_share(value)}"></i></span> {value:.2f}</span>'
        for gate in names
        for feature, value in zip(GATES, step["gates"][gate], strict=False)
    )


def _lit_text(trace: Dict, attention: list[float]) -> str:
    """The problem with its words tinted; the strongest word of a step has the full colour."""
    text, place, out, most = trace["text"], 0, [], max(attention, default=0.0) or 1.0
    for token, weight in zip(trace["tokens"], attention, strict=True):
        out.append(escape(text[place : token["start"]]))
        word = escape(text[token["start"] : token["end"]])
        out.append(f'<span style="--w:{_share(weight / most)}">{word}</span>')
        place = token["end"]
    return f'<p class="lit">{"".join(out)}{escape(text[place:])}</p>'


def _heat_table(rows: list[str], columns: list[str], weights: list[list[float]]) -> str:
    most = max((weight for row in weights for weight in row), default=0.0) or 1.0
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr><th>{escape(word)}</th>"
        + "".join(f'<td class="heat" title="{w:.3f}" style="--w:{_share(w / most)}"></td>' for w in row)
        + "</tr>"
        for word, row in zip(rows, weights, strict=True)
    )
    table = f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="scroll"><table>{table}</table></div>'


def _alternatives(trace: Dict) -> str:
    rows = []
    for other in trace["alternatives"]:
        answer = other["answer"] or other["reason"]
        shown = ", ".join(answer) if isinstance(answer, list) else answer
        rows.append(
            f"<tr><td>{other['probability']:.1%}</td><td>{' '.join(other['mathml'])}</td><td>{escape(shown)}</td></tr>"
        )
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _words(trace: Dict) -> list[str]:
    return [trace["text"][token["start"] : token["end"]] for token in trace["tokens"]]


def _share(value: float) -> str:
    """A number from 0 to 1 for a style; gates of the affine kind may lie beyond."""
    return f"{min(1.0, max(0.0, value)):.3f}"
