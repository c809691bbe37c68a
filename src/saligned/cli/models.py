"""`saligned models`."""

import json

import click
from rich.console import Console
from rich.table import Table

from saligned.runtime.models import DEFAULT, available


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the cards as JSON.")
def models(*, as_json: bool) -> None:
    """List the shipped models: what they were trained on and how well they do."""
    cards = available()
    if as_json:
        click.echo(json.dumps(cards, ensure_ascii=False, indent=1))
        return
    table = Table(box=None, header_style="dim", pad_edge=False)
    for column in ("model", "description", "accuracy", "measured on", "size"):
        table.add_column(column)
    for card in cards:
        name = f"{card['name']} (default)" if card["name"] == DEFAULT else card["name"]
        test = card.get("test") or {}
        accuracy = f"{test['accuracy']:.1%}" if "accuracy" in test else "–"
        size = f"{card.get('bytes', 0) / 1e6:.1f} MB"
        table.add_row(name, card.get("description", ""), accuracy, test.get("problems", "–"), size)
    Console(highlight=False).print(table)
