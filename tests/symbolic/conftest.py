"""No deadline for a single example: a busy machine is no bug, and the first use of SymPy loads it."""

from hypothesis import settings

settings.register_profile("symbolic", deadline=None)
settings.load_profile("symbolic")
