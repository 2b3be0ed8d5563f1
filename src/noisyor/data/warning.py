"""The warning about a table that can be read but may not be what the user meant."""


class DataWarning(UserWarning):
    """A table was read but may not be what was meant: a column never changes, for example."""
