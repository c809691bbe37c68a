"""Experiments: each file's header is the command that runs it."""
