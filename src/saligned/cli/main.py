"""The command `saligned`: a bare text is solved; everything else is a command of its own."""

import sys
from importlib import import_module

import click

from saligned import __version__
from saligned.errors import SalignedError

# Each command is imported when it is called: `saligned solve` must not pay for training or serving.
COMMANDS = {
    "solve": "Solve a problem, or a file of problems.",
    "serve": "Serve the web page and the JSON API.",
    "explain": "Show how a problem is solved, as a page or a picture.",
    "models": "List the models that can solve.",
    "evaluate": "Measure a model on a data set.",
    "train": "Train a model on a data set.",
    "crossval": "Measure the paper's systems by cross-validation.",
    "tables": "Write the page of the paper's tables.",
    "errors": "Compare the errors of two systems.",
    "data": "Look at data sets.",
    "bench": "Measure speed and memory.",
}


class Commands(click.Group):
    """Commands that are imported when needed; an unknown word is a problem text."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"saligned.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """`saligned TEXT` is `saligned solve TEXT`."""
        if args and args[0] not in COMMANDS:
            args = ["solve", *args]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help page without importing every command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="saligned")
def main() -> None:
    """Solve math word problems: the equation, the exact answer and every step.

    \b
    saligned "小红前面5人，后面7人，一共有多少人？"
    """


def run() -> None:
    """The entry point: 0 solved, 1 not solvable, 2 wrong usage or unreadable input."""
    try:
        code = main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except SalignedError as error:
        click.echo(f"saligned: {_printable(str(error))}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("saligned: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    sys.exit(code if isinstance(code, int) else 0)


def _printable(text: str) -> str:
    """Undecodable bytes of the command line, which Python keeps as surrogates, shown as �."""
    return text.encode("utf-8", "replace").decode("utf-8", "replace")
