# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.interop.jgum import jgum_bytes
from noisyor.interop.networkx_graph import to_networkx
from noisyor.interop.pgmpy_network import from_pgmpy, to_pgmpy
from noisyor.interop.pyagrum_network import from_pyagrum, to_pyagrum

__all__ = ["from_pgmpy", "from_pyagrum", "jgum_bytes", "to_networkx", "to_pgmpy", "to_pyagrum"]
