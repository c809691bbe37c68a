"""Shared by all tests: `problems` can be imported, and no property test fails because the machine is busy."""

from hypothesis import settings

settings.register_profile("saligned", deadline=None)
settings.load_profile("saligned")
