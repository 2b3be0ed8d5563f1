"""The warning about losses in a conversion."""


class ConversionWarning(UserWarning):
    """A file format or library cannot represent part of a network, such as a noisy-OR."""
