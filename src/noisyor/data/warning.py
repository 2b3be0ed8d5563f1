"""What noisyor says about a table that it can read but that may not be what was meant."""


class DataWarning(UserWarning):
    """A table was read, but a column never changes or there is only one record."""
