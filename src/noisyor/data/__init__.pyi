# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_reading import read_raw
from noisyor.data.reading import read, read_incomplete
from noisyor.data.warning import DataWarning

__all__ = ["DataWarning", "MissingPolicy", "read", "read_incomplete", "read_raw"]
