"""Everything that noisyor raises on purpose.

    NoisyorError
    ├── DataError           a table cannot be read as records of states
    │   └── TooManyStatesError  a column has more values than a variable may have states
    ├── FormatError         a file does not conform to its format
    ├── SettingsError       an option is out of range, or two contradict each other
    │   ├── UncountedError  the members of a credible set were not fully enumerated
    │   ├── ConstraintError knowledge about the network contradicts itself or the data
    │   └── TableSizeError  a full table would have too many parents
    ├── NetworkError        a network lacks a variable or state
    │   └── ImpossibleEvidenceError  the evidence has probability zero in the network
    ├── NumericalError      a result could not be proven to the required accuracy
    ├── InfeasibleFitError  no parameters of a relation can have produced the records
    └── MismatchError       two things do not belong together (a table and a larger Bayes factor)

Mistakes in the calling code, not in its input, raise plain ValueError and TypeError. A message says
what was wrong, where, and what is allowed.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class NoisyorError(Exception):
    """An error the user can fix; the command line prints it and exits with status 2."""


class DataError(NoisyorError):
    """A table cannot be read as records of states."""


class TooManyStatesError(DataError):
    """A column has more values than a variable may have states."""


class FormatError(NoisyorError):
    """A file does not conform to its format."""


class SettingsError(NoisyorError):
    """An option is out of range, or two options contradict each other."""


class UncountedError(SettingsError):
    """Members were requested from a credible set whose members were not fully enumerated."""


class ConstraintError(SettingsError):
    """Knowledge about the network contradicts itself or the data."""


class TableSizeError(SettingsError):
    """A full table would have too many parents."""


class NetworkError(NoisyorError):
    """A network does not have the requested variable or state."""


class ImpossibleEvidenceError(NetworkError):
    """The evidence has probability zero in the network."""


class NumericalError(NoisyorError):
    """A result could not be proven to the required accuracy, so it is not returned."""


class InfeasibleFitError(NoisyorError):
    """No parameters of a relation can have produced the records: its likelihood is always zero."""


class MismatchError(NoisyorError):
    """Two inputs do not belong together, such as a table and a Bayes factor above its own."""


@contextmanager
def errors_at(
    place: object,
    *,
    caught: type[NoisyorError] = NoisyorError,
    raised: type[NoisyorError] | None = None,
) -> Iterator[None]:
    """Prefix the message of an error with its location: a file name, a line, a field.

    Parameters
    ----------
    place
        The location, as the message shows it.
    caught
        The type of the errors to prefix; others pass unchanged.
    raised
        The type to raise instead; by default the type of the error itself.
    """
    try:
        yield
    except caught as error:
        raise (raised or type(error))(f"{place}: {error}") from error
