"""The warning about a table that can be read but may not be what the user meant."""


class DataWarning(UserWarning):
    """A table was read, but a column never changes or there is only one record."""
