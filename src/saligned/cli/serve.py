"""`saligned serve`: the web page and the API."""

import os

import click

from saligned.errors import ConfigError
from saligned.runtime.models import DEFAULT, available

# Each holds all models that are served.
WORKERS = min(4, os.cpu_count() or 1)


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Any other needs SALIGNED_API_KEY in the environment.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME|DIR",
    help="A model to serve; may be repeated. [default: all shipped]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=WORKERS,
    show_default="one a core, at most 4",
    help="Processes that solve.",
)
def serve(*, host: str, port: int, models: tuple[str, ...], workers: int) -> None:
    """Serve the web page and the JSON API until Ctrl-C."""
    try:
        from saligned.web.app import create_app
        from saligned.web.server import open_socket, require_key, run
        from saligned.web.workers import Processes
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is missing; install the web extra: pip install 'saligned[web]'") from error
    key = require_key(host, os.environ)
    cards = available()
    shipped = sorted((card["name"] for card in cards), key=lambda name: name != DEFAULT)
    listener = open_socket(host, port)
    processes = Processes(models or shipped or (DEFAULT,), workers)
    address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    app = create_app(processes.solvers, cards=cards, key=key, workers=processes)
    run(app, listener, ready=lambda: click.echo(f"saligned is at {address} (Ctrl-C stops it)"))
