"""How a request is carried out: the options of a run, and the method that they lead to."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from noisyor.core import Network, SettingsError
from noisyor.core.credible_set import Labels
from noisyor.core.left_out_columns import LeftOutColumn
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.data.binning import Binning
from noisyor.runs.folder import MOST_MEMBERS
from noisyor.runs.identity import request_identity
from noisyor.runs.learned import Learned, Method
from noisyor.runs.missing_cells import MissingCells
from noisyor.runs.preflight import Estimate
from noisyor.search import BoundKind

FEW_VARIABLES = 25
"""Up to this many variables, a table of all families is quick to make and to search."""

MANY_VARIABLES = 48
"""Above this number of variables, a search without a limit of parents is not expected to end."""


class FurtherStep(Protocol):
    """A step of a run between learning and writing, such as a bootstrap."""

    def is_done(self, learned: Learned) -> bool:
        """Return whether a finished run has the result of this step."""

    def carry_out(self, learned: Learned, remaining: "Remaining") -> Learned:
        """Return the result with that of this step."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a request is carried out and where the result goes; see `learning.learn`.

    The time of the run counts from `began`, on the clock of time.monotonic(). `expecting` is called
    with the estimate, after a brief trial and before the work (see `runs.preflight`). `binning` has
    the bins that the records were read in, for the result. `missing` returns what was done about
    missing cells, given the best network; `columns_left_out` has the columns that are not learned
    from, and `notes` what else the result says. `identity` has what a resumed run must share
    besides, or instead of, the data and settings of the request. A `further` step follows the
    learning, which then gets half of a time limit at most. With `patience`, a run without a time
    limit gets so many seconds if it is not expected to end soon, and its notes say so.
    """

    method: Method = Method.AUTO
    labels: Labels = Labels.BEST
    bounds: BoundKind = BoundKind.AUTO
    folder: Path | None = None
    max_networks: int = MOST_MEMBERS
    progress: Callable[[Progress], None] | None = None
    quiet: bool = False
    began: float = field(default_factory=time.monotonic)
    expecting: Callable[[Estimate], None] | None = None
    binning: Binning = field(default_factory=Binning)
    missing: Callable[[Network], MissingCells] | None = None
    columns_left_out: tuple[LeftOutColumn, ...] = ()
    identity: Mapping[str, object] = field(default_factory=dict)
    further: FurtherStep | None = None
    patience: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a folder without networks."""
        if self.max_networks < 1:
            raise SettingsError(f"max_networks is {self.max_networks}; it must be at least 1")


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left of a run for a further step.

    `seconds` returns the time that is left, None without a limit; `folder` is that of the run, if
    it has one; `show` takes the progress.
    """

    request: Request
    plan: Plan
    seconds: Callable[[], float | None]
    folder: Path | None
    show: Callable[[Progress], None]


def run_settings(request: Request, plan: Plan, method: Method) -> tuple[tuple[str, str], ...]:
    """Return the settings as a result records them."""
    return (
        ("bayes_factor", repr(request.factor.value)),
        ("temperature", repr(request.factor.temperature)),
        ("score", str(request.score)),
        ("relations", ",".join(relation.name for relation in request.relations)),
        ("labels", str(plan.labels)),
        ("method", str(method)),
        ("constraints", "none" if request.constraints.is_trivial else "some"),
        ("structure_prior", str(request.prior)),
    )


def run_identity(request: Request, plan: Plan) -> dict[str, object]:
    """Return the data and settings that a resumed run must share."""
    return {
        **request_identity(request),
        "labels": str(plan.labels),
        "method": str(method_for(request, plan)),
        **plan.identity,
    }


def method_for(request: Request, plan: Plan) -> Method:
    """Return the method to use; without a linear program there are no prices."""
    if plan.bounds is BoundKind.NONE:
        if plan.method in {Method.PRICE, Method.LAYERS}:
            raise SettingsError(
                f"method is '{plan.method}', whose prices come from bounds; bounds is 'none'"
            )
        return Method.TABLE
    if plan.method is not Method.AUTO:
        return plan.method
    variables = request.data.variable_count
    if variables > MANY_VARIABLES:
        return Method.LAYERS
    few = variables <= FEW_VARIABLES
    all_counted = all(relation.closed_form for relation in request.relations)
    return Method.TABLE if few or all_counted else Method.PRICE
