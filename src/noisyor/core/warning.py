"""What a conversion could not keep."""


class ConversionWarning(UserWarning):
    """A file or library cannot hold part of a network, such as a noisy-OR as one."""
