"""`python -m saligned`."""

from saligned.cli.main import run

run()
