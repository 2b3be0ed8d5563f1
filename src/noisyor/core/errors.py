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
