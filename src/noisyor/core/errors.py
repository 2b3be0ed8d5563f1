"""Everything that noisyor raises on purpose.

    NoisyorError
    ├── DataError           a table cannot be read as binary records
    ├── FormatError         a file is not what its format demands
    ├── SettingsError       an option is out of range, or two contradict each other
    │   ├── ConstraintError knowledge about the network contradicts itself or the data
    │   └── TableSizeError  a full table would have too many parents
    ├── NetworkError        a network is asked about something that it does not have
    │   └── ImpossibleEvidenceError  what was observed has probability zero in the network
    ├── NumericalError      a result could not be proven to the accuracy that it needs
    ├── InfeasibleFitError  no parameters of a relation can have produced the records
    └── MismatchError       two things do not belong together (a table and a larger Bayes factor)

Values that are wrong in the code that calls noisyor, not in its input, are plain ValueError and
TypeError. A message says what was wrong, where, and what is allowed.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class NoisyorError(Exception):
    """Anything the person at the keyboard can mend; the command line prints it and exits 2."""


class DataError(NoisyorError):
    """A table cannot be read as binary records."""


class FormatError(NoisyorError):
    """A file is not what its format demands."""


class SettingsError(NoisyorError):
    """An option is out of range, or two options contradict each other."""


class UncountedError(SettingsError):
    """Networks were to be drawn from a set that was not counted to its end."""


class ConstraintError(SettingsError):
    """Knowledge about the network contradicts itself or the data."""


class TableSizeError(SettingsError):
    """A full table would have too many parents to be written down."""


class NetworkError(NoisyorError):
    """A network is asked about a variable or state that it does not have."""


class ImpossibleEvidenceError(NetworkError):
    """What was observed has probability zero in the network."""


class NumericalError(NoisyorError):
    """A result could not be proven to the accuracy that it needs, and so is not given."""


class InfeasibleFitError(NoisyorError):
    """No parameters of a relation can have produced the records: its likelihood is always zero."""


class MismatchError(NoisyorError):
    """Two things do not belong together, such as a table and a Bayes factor above its own."""


@contextmanager
def errors_at(
    place: object,
    *,
    caught: type[NoisyorError] = NoisyorError,
    raised: type[NoisyorError] | None = None,
) -> Iterator[None]:
    """Begin the message of an error with where it was: a file's name, a line, a field.

    Parameters
    ----------
    place
        Where it was, as the message shall say it.
    caught
        Which errors have to do with the place; others pass as they are.
    raised
        What such an error becomes; by default it stays what it was.
    """
    try:
        yield
    except caught as error:
        raise (raised or type(error))(f"{place}: {error}") from error
