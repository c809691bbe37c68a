"""What can go wrong, as exceptions whose message says what to do next.

    SalignedError
    ├── InputError      a problem text that cannot be read (empty, too long, control characters, no quantity)
    ├── NotationError   an equation or number that cannot be parsed
    ├── DataError       a data file that cannot be read in the format named
    ├── ConfigError     a configuration with unknown or impossible fields
    └── ModelError      a model that is missing, damaged or of another version

A problem that was read but could not be *solved* is no exception: it is a `Failure`, a value with a reason.
"""

__all__ = ["ConfigError", "DataError", "InputError", "ModelError", "NotationError", "SalignedError"]


class SalignedError(Exception):
    """The root of every error raised on purpose."""


class InputError(SalignedError):
    """A problem text that cannot be read."""


class NotationError(SalignedError):
    """An equation or a number that cannot be parsed."""


class DataError(SalignedError):
    """A data file that cannot be read in the format named."""


class ConfigError(SalignedError):
    """A configuration with unknown or impossible fields."""


class ModelError(SalignedError):
    """A model that is missing, damaged or of another version."""
