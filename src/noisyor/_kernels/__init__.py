"""Choose, once, which build of the compiled kernels this process uses.

The kernels are compiled twice: for any machine of the architecture (`_plain`) and, on x86-64, for
machines with AVX2, BMI2 and POPCNT (`_x86_64_v3`). Both give the same results bit for bit. The
environment variable NOISYOR_KERNELS (`plain` or `x86-64-v3`) overrides the choice. `make demo`
compiles the first one only, with less optimization, to be ready sooner.
"""

import importlib
import importlib.util
import os
from typing import TYPE_CHECKING

import noisyor._kernels._plain as _plain  # noqa: PLR0402 (a package does not re-export itself)

if TYPE_CHECKING:
    from types import ModuleType

    import noisyor._kernels._plain as kernels

__all__ = ["available_builds", "build_name", "kernels"]

_MODULES = {"plain": "noisyor._kernels._plain", "x86-64-v3": "noisyor._kernels._x86_64_v3"}


def available_builds() -> tuple[str, ...]:
    """Return the builds that are installed and that this machine can run, the fastest last."""
    is_installed = importlib.util.find_spec(_MODULES["x86-64-v3"]) is not None
    has_both = is_installed and _plain.cpu_supports_x86_64_v3()
    return ("plain", "x86-64-v3") if has_both else ("plain",)


def load_build(name: str) -> "ModuleType":
    """Return the module of a build; raise ImportError if it cannot run here."""
    if name not in available_builds():
        raise ImportError(
            f"the kernel build {name!r} is not installed or cannot run on this machine; "
            f"available: {', '.join(available_builds())} (see NOISYOR_KERNELS)"
        )
    return importlib.import_module(_MODULES[name])


build_name = os.environ.get("NOISYOR_KERNELS") or available_builds()[-1]
if not TYPE_CHECKING:
    kernels = load_build(build_name)
