"""Options that several commands share."""

import click

from saligned.data.readers import READERS

data_format = click.option(
    "--format",
    "format_name",
    type=click.Choice(sorted(READERS)),
    required=True,
    help="How the file is written.",
)
