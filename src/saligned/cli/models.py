"""`saligned models`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from saligned.runtime.models import DEFAULT, available

COLUMNS = ("model", "description", "test", "greedy", "beam 5", "calibration error", "size")
DETAILS = (
    "model",
    "data",
    "split",
    "train / valid / test",
    "seed",
    "epoch",
    "valid",
    "beam 5",
    "parameters",
    "revision",
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the cards as JSON.")
@click.option("--markdown", is_flag=True, help="Print the page docs/models.md.")
def models(*, as_json: bool, markdown: bool) -> None:
    """List the shipped models: what they were trained on and how well they do."""
    cards = available()
    if as_json:
        click.echo(json.dumps(cards, ensure_ascii=False, indent=1))
        return
    if markdown:
        click.echo(to_markdown(cards), nl=False)
        return
    console = Console(highlight=False, soft_wrap=True)
    for card in cards:
        name, description, test, greedy, beam, error, size = _summary(card)
        figures = f"{beam} with a beam of 5, {greedy} greedy, calibration error {error}"
        console.print(Text.assemble((name, "bold"), f"  {size}"))
        console.print(f"  {description}", f"  {test}: {figures}", sep="\n", end="\n\n")


def to_markdown(cards: Sequence[Mapping[str, Any]]) -> str:
    """The page about the shipped models, from nothing but their cards."""
    lines = [
        "# The shipped models",
        "",
        "Written by `saligned models --markdown` from the models' cards. Accuracy is answer accuracy on all problems",
        "of the test set, also those whose equation the model cannot write; the interval is 95 % (Wilson). The epoch",
        "was chosen on the validation problems. The test problems were solved with the shipped files, and nothing was",
        "chosen on them. The calibration error is that of the confidence, with a beam of 5, in ten bins.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
        *(f"| {' | '.join(_summary(card))} |" for card in cards),
        "",
        f"| {' | '.join(DETAILS)} |",
        f"|{'---|' * len(DETAILS)}",
        *(f"| {' | '.join(_details(card))} |" for card in cards),
    ]
    return "\n".join(lines) + "\n"


def _summary(card: Mapping[str, Any]) -> tuple[str, ...]:
    name, test = str(card["name"]), card["test"]
    error = test.get("calibration_error_beam_5")
    return (
        f"{name} (default)" if name == DEFAULT else name,
        str(card["description"]),
        str(test["problems"]),
        *(f"{test[key]:.1%}" if key in test else "–" for key in ("accuracy", "accuracy_beam_5")),
        "–" if error is None else f"{error:.3f}",
        f"{card['bytes'] / 1e6:.1f} MB",
    )


def _details(card: Mapping[str, Any]) -> tuple[str, ...]:
    data, test = card["data"], card["test"]
    low, high = test["interval_beam_5"]
    digest = data["sha256"]  # of one file, or of each
    return (
        str(card["name"]),
        f"{data['set']}, " + (f"sha256 {digest[:12]}…" if isinstance(digest, str) else f"{len(digest)} files"),
        str(data.get("split", "–")),
        f"{data['train'] + data.get('extra', 0):,} / {data['valid']:,} / {data['test']:,}",
        str(card["seed"]),
        f"{card['epoch']} of {card['epochs']}",
        f"{card['valid']['accuracy']:.1%}",
        f"{test['accuracy_beam_5']:.1%} ({low:.1%}–{high:.1%})",
        f"{card['parameters']:,}",
        str(card["revision"]),
    )
