"""The error for families that make no acyclic network."""

from collections.abc import Sequence

from noisyor.core.errors import ConstraintError


class NoNetworkError(ConstraintError):
    """The families make no acyclic network; `variables` are those that cannot have a family."""

    def __init__(self, variables: list[int]) -> None:
        super().__init__(_no_network([f"number {variable}" for variable in variables]))
        self.variables = tuple(variables)

    def message(self, names: Sequence[str]) -> str:
        """Return the error message with the names of the variables."""
        return _no_network([repr(names[variable]) for variable in self.variables])


def _no_network(variables: list[str]) -> str:
    return (
        "no acyclic network can be made of the families that are left: each family of "
        f"{', '.join(variables)} has one of these variables as a parent"
    )
