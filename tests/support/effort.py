"""How much work a test does: little in `make test`, all of it in `make test-all`.

The Hypothesis profile that is loaded tells which. `tests/conftest.py` registers the two and loads
`quick`; `make test-all` asks for the other by `--hypothesis-profile=full`. The functions are for
module level too: pytest loads the profile before it imports a test module.
"""

from typing import TypeVar

from hypothesis import settings

FEW = 10
"""The examples of a property in `make test`."""

HANGS_AFTER = 300.0
"""Seconds that no single step of a test takes, on any machine: what takes longer hangs."""

T = TypeVar("T")


def is_quick() -> bool:
    """Whether the tests are to be quick."""
    return settings.get_current_profile_name() == "quick"


def scaled(examples: int) -> int:
    """Give the number of examples to try of a property that deserves so many."""
    return min(examples, FEW) if is_quick() else examples


def chosen(*, quick: T, full: T) -> T:
    """Give what suits the effort, such as the size of a problem or the seeds of random ones."""
    return quick if is_quick() else full
