"""
Compiled kernels. They take arrays, give arrays, hold no state, release the GIL.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


def cpu_supports_x86_64_v3() -> bool:
    """Whether this machine runs the build for AVX2, BMI2 and POPCNT."""

def count_records(columns: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], word_count: int, places: Sequence[int] | None = None) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Count equal records of columns of codes: rows (distinct, words) ascending, counts. The code of column v is packed into the bits from places[v] on; by default, it is bit v.
    """

def merge_records(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Add up the counts of equal rows: rows (distinct, words) ascending, counts.
    """

class Cancellation:
    """A flag that ends the work of kernels early."""

    def __init__(self) -> None: ...

    def cancel(self) -> None:
        """Ask all work under this flag to end."""

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""

class Watchdog:
    """Ends the process if it goes on after SIGINT or SIGTERM, whatever runs."""

    def __init__(self, descriptor: int, grace: float, last_grace: float) -> None:
        """
        Read numbers of signals, as bytes, and wait so many seconds; after a second signal, at most `last_grace`.
        """

    def extend(self, seconds: float) -> None:
        """
        Give the process so many seconds from now, once, because a signal has come.
        """

    def mute(self) -> None:
        """The message has been printed."""

class FitEnd(enum.IntEnum):
    """How a fit ended."""

    CONVERGED = 0
    """The gap is closed."""

    REJECTED = 1
    """The optimum is known to be too high."""

    ACCEPTED = 2
    """The optimum is known to be low enough."""

    INFEASIBLE = 3
    """A record has the child present and no cause."""

    STALLED = 4
    """No progress in double precision, or no steps left."""

    CANCELLED = 5
    """Cancelled by the caller."""

class NoisyOrFits:
    """The fits of one child's parent sets, in their order."""

    @property
    def upper(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Attained values of -ln L."""

    @property
    def lower(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """What -ln L cannot be less than."""

    @property
    def q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Of the parents, ascending; the leak's last."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Where the q's of each fit begin."""

    @property
    def ends(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Values of FitEnd."""

    @property
    def steps(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Newton steps, or iterations."""

class FitWithBase:
    """Where minus the log-likelihood is least."""

    @property
    def rates(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """-ln q of each cause."""

    @property
    def gap(self) -> float:
        """What it is above the minimum, at most."""

    @property
    def steps(self) -> int:
        """Newton steps."""

def fit_with_base(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], absent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], near: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gap: float, max_steps: int) -> FitWithBase:
    """
    Minimise absent . rates - counts . ln(1 - exp(-(base + rows rates))) over rates >= 0, rows being of 0 and 1. `near` is where to start, or nothing.
    """

def fit_noisy_or(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leak: bool, gap: float, relative_gap: float, max_steps: int) -> NoisyOrFits:
    """Fit a noisy-OR to each parent set (sets, words)."""

def fit_noisy_or_by_gradient(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leak: bool, threshold: float, max_iterations: int, gap: float, relative_gap: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NoisyOrFits:
    """
    The same by Algorithm 1. `start` has a q per variable, the leak's last, NaN where not known; or nothing.
    """

def fit_noisy_or_by_em(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leak: bool, threshold: float, max_iterations: int, gap: float, relative_gap: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NoisyOrFits:
    """The same by expectation-maximisation."""

def evaluate_lanes(x: float) -> tuple[float, float, float, float]:
    """
    For tests: 1 - exp(-x), exp(-x), ln x and ln(1 - exp(-x)) as the fits compute them, for normal x > 0.
    """

class Penalty:
    """What families cost besides their fit."""

    @staticmethod
    def of_parameters(price: float, constant: float, per_state: float, per_configuration: float) -> Penalty:
        """
        The price of each of constant + per_state * (sum of r - 1) + per_configuration * (product of r) parameters, r being the numbers of states of the parents.
        """

    @staticmethod
    def by(function: Callable[[list[int]], float]) -> Penalty:
        """
        What a function of the parents, ascending, returns. It must not fall as parents are added.
        """

    @staticmethod
    def by_configurations(function: Callable[[float], float]) -> Penalty:
        """
        What a function of the number of the parents' configurations returns. It must not fall as the number grows.
        """

    def adding(self, by_size: Sequence[float], weights: Sequence[float]) -> Penalty:
        """
        The same, and what the number of parents costs, concave from one parent on, and each variable as a parent. Both may be negative, and empty for nothing.
        """

class DividedBy(enum.Enum):
    """How the size of a Dirichlet prior is divided."""

    NOTHING = 0

    CONFIGURATIONS = 1

    OBSERVED = 2

class DirichletPrior:
    """A symmetric prior of a table's rows."""

    def __init__(self, size: float, divided_by: DividedBy) -> None:
        """
        Each state has a pseudo-count: the size, or its share of the size in each possible or observed configuration of the parents.
        """

class RelationSpec:
    """How a relation is to be searched."""

    @staticmethod
    def full_table(code: int, penalty: Penalty, prior: DirichletPrior | None = None) -> RelationSpec:
        """
        A full table, by its largest likelihood or by its marginal likelihood under a prior.
        """

    @staticmethod
    def causes(code: int, penalty: Penalty, least_parents: int, leak: bool, minimum: bool, any_state: bool, narrower: int | None) -> RelationSpec:
        """
        Independent causes, and with a leak one more that is always there. The highest of their effects decides, or the minimum. All states of a parent act but its first, or its last for the minimum; or any but one. `narrower`: the code of the same causes without `any_state`, if they compete, too.
        """

    @staticmethod
    def evaluated(code: int, penalty: Penalty, evaluate: Callable[[list[int]], tuple[float, float, list[float]]]) -> RelationSpec:
        """
        A relation of which only a function is known: it takes the parents, ascending, at least one, and returns bounds on the least -ln L, the upper one attained, and the parameters: (lower, upper, parameters). No -ln L is below that of the full table.
        """

    @property
    def code(self) -> int:
        """What it is called in the families found."""

class PriceCut:
    """A cut of which a family earns the weight times its coefficient."""

    @staticmethod
    def cluster(variables: Sequence[int], need: int, weight: float, own: Sequence[int], classes: Sequence[Sequence[int]]) -> PriceCut:
        """
        The coefficient is 1 while none of the parents is in the child's own class, and fewer than `need` classes of the variables have one; classes of one are not listed.
        """

    @staticmethod
    def rounded(parts: Sequence[int], up: bool, weight: float) -> PriceCut:
        """
        The coefficient is half the sum of those of the parts, numbers of earlier cuts.
        """

class Price:
    """
    What a family may cost at most that has the required parents, none of the excluded, and from `least` to `most` parents, any number if `most` is None: the base plus what it earns in the cuts.
    """

    def __init__(self, base: float, required: Sequence[int], excluded: Sequence[int], cuts: Sequence[PriceCut], least: int = 0, most: int | None = None) -> None: ...

    @property
    def base(self) -> float: ...

    @property
    def required(self) -> list[int]: ...

    @property
    def excluded(self) -> list[int]: ...

    @property
    def cuts(self) -> list[PriceCut]: ...

class FamilyColumns:
    """Families of one child, column by column."""

    def __init__(self, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lowers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def parents(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None), writable=False)]:
        """Sets in words (families, words)."""

    @property
    def relations(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]:
        """Codes of the relations."""

    @property
    def costs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """Attained costs."""

    @property
    def lowers(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """What no fit can cost less than."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Where the parameters of each family begin, and the end."""

    @property
    def parameters(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

class CountsBy(enum.Enum):
    """How the records of a full table are counted."""

    BIT_COLUMNS = 0

    CONFIGURATIONS = 1

class SearchSettings:
    """What stays the same over all passes."""

    def __init__(self) -> None: ...

    @property
    def tolerance(self) -> float:
        """Costs within it are equal."""

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def candidates(self) -> list[int]:
        """Parents other than the required ones."""

    @candidates.setter
    def candidates(self, arg: Sequence[int], /) -> None: ...

    @property
    def required(self) -> list[int]:
        """Parents that each family has."""

    @required.setter
    def required(self, arg: Sequence[int], /) -> None: ...

    @property
    def order(self) -> list[int]:
        """The candidates from the least to the most useful; empty: by their use."""

    @order.setter
    def order(self, arg: Sequence[int], /) -> None: ...

    @property
    def max_parents(self) -> int: ...

    @max_parents.setter
    def max_parents(self, arg: int, /) -> None: ...

    @property
    def relations(self) -> list[RelationSpec]:
        """Those in use; on a tie the earlier one is preferred."""

    @relations.setter
    def relations(self, arg: Sequence[RelationSpec], /) -> None: ...

    @property
    def rules(self) -> int:
        """Bits of the pruning rules."""

    @rules.setter
    def rules(self, arg: int, /) -> None: ...

    @property
    def gap(self) -> float:
        """Of a final fit, in nats."""

    @gap.setter
    def gap(self, arg: float, /) -> None: ...

    @property
    def relative_gap(self) -> float:
        """The same, relative to its cost."""

    @relative_gap.setter
    def relative_gap(self, arg: float, /) -> None: ...

    @property
    def counts(self) -> CountsBy: ...

    @counts.setter
    def counts(self, arg: CountsBy, /) -> None: ...

    @property
    def memory(self) -> int:
        """Bytes for what fits have shown."""

    @memory.setter
    def memory(self, arg: int, /) -> None: ...

class PassSettings:
    """What one pass searches for."""

    def __init__(self) -> None: ...

    @property
    def slack(self) -> float: ...

    @slack.setter
    def slack(self, arg: float, /) -> None: ...

    @property
    def relations(self) -> list[int]:
        """Codes of those wanted."""

    @relations.setter
    def relations(self, arg: Sequence[int], /) -> None: ...

    @property
    def prices(self) -> list[Price]: ...

    @prices.setter
    def prices(self, arg: Sequence[Price], /) -> None: ...

    @property
    def most(self) -> int | None:
        """
        At most this many families, those furthest below their price; None: all.
        """

    @most.setter
    def most(self, most: int | None) -> None: ...

    @property
    def quick(self) -> bool:
        """Whether the families that the quick heuristic finds are enough."""

    @quick.setter
    def quick(self, arg: bool, /) -> None: ...

    @property
    def known(self) -> FamilyColumns:
        """Families whose costs count for m(P)."""

    @known.setter
    def known(self, arg: FamilyColumns, /) -> None: ...

    @property
    def first(self) -> list[int]:
        """Words of the first set of the range, numbered by the search's order."""

    @first.setter
    def first(self, arg: Sequence[int], /) -> None: ...

    @property
    def end(self) -> list[int]:
        """Words of the first set after the range."""

    @end.setter
    def end(self, arg: Sequence[int], /) -> None: ...

    @property
    def found(self) -> FamilyColumns:
        """By searches of other sets."""

    @found.setter
    def found(self, arg: FamilyColumns, /) -> None: ...

    @property
    def fits(self) -> bool:
        """Whether it ends with the final fits."""

    @fits.setter
    def fits(self, arg: bool, /) -> None: ...

class SearchCounters:
    """How much work a pass has done so far."""

    @property
    def cuts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        Subtrees cut, a row each: relation in use, rule, number of parents, size of the tail, and how many.
        """

    @property
    def evaluated(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Families counted or fitted, by relation in use."""

    @property
    def bounds(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Fits and counts that only bounded a subtree, by relation in use."""

    @property
    def order_fits(self) -> int:
        """Fits to find the order."""

    @property
    def fits(self) -> int:
        """Fits of the search."""

    @property
    def remembered(self) -> int:
        """Fits that the memory saved."""

    @property
    def newton_steps(self) -> int:
        """Of the search."""

    @property
    def refits(self) -> int:
        """Final fits."""

    @property
    def unconverged(self) -> int:
        """Final fits that did not close their gap."""

def are_few_sets(candidates: int, room: int) -> bool:
    """
    Whether sets of at most `room` candidates are few enough to look at each one's table.
    """

class ChildSearch:
    """The search for one child's families."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], states: Sequence[int], child: int, settings: SearchSettings) -> None: ...

    def begin(self, settings: PassSettings) -> None:
        """Start a pass; no thread may be at work."""

    def work(self, cancellation: Cancellation) -> None:
        """
        Work on pieces of the pass until none is available; threads may share the work.
        """

    def result(self) -> FamilyColumns:
        """
        The families of a finished pass, ascending by cost; can be called once.
        """

    def found(self) -> FamilyColumns:
        """
        What a pass without final fits has found so far, excluding what it was given.
        """

    @property
    def counters(self) -> SearchCounters:
        """The work of the pass so far."""

    @property
    def reached(self) -> list[int]:
        """The first set that may not have been visited, in words."""

    @property
    def order(self) -> list[int]:
        """
        The candidates from the least to the most useful; empty until some work has found it.
        """

    @property
    def finished(self) -> bool:
        """Whether the pass has finished."""

    @property
    def waiting(self) -> int:
        """Pieces that no thread has taken."""

    @property
    def share_done(self) -> float:
        """The share of pieces done."""

    @property
    def decided(self) -> int:
        """Families decided so far."""

    @property
    def memory_bytes(self) -> int:
        """Bytes taken by what fits have shown."""

class Climber:
    """A heuristic search for a good network."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], states: Sequence[int], relations: Sequence[Sequence[RelationSpec]], candidates: Sequence[Sequence[int]], required: Sequence[Sequence[int]], max_parents: int, seed: int) -> None:
        """Relations, candidates and required parents are lists by child."""

    def climb(self, turns: int, cancellation: Cancellation) -> None:
        """Improve the best network for so many turns, or until cancelled."""

    def adopt(self, parents: Sequence[Sequence[int]]) -> None:
        """Go on from this acyclic network if it is better."""

    def families_of(self, child: int) -> tuple[list[list[int]], list[int], list[float]]:
        """
        Return the good families of a child that were met: parents, relations, costs.
        """

    def families_over(self, child: int, sets: Sequence[Sequence[int]]) -> tuple[list[int], list[float]]:
        """
        Return the cheapest family over each set of parents, ascending: relations, costs.
        """

    @property
    def cost(self) -> float: ...

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def relations(self) -> list[int]: ...

    @property
    def steps(self) -> int: ...

    @property
    def turns(self) -> int: ...

    @property
    def evaluated(self) -> int: ...

def reduced_costs(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """What weighted cuts leave of the families' ticks: pi (n,), rc (m,)."""

def greedy_network(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], list[int]]:
    """
    Place one by one the variable whose family costs least more than its cheapest: the families (n,), and the variables that could not be placed.
    """

def undominated(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    Marks (m,): 0 where a family over a subset of the parents is not costlier.
    """

def separate(children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, starts: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_need: int, tries: int, wander: int, least_violation: float, limit: int, seed: int, classes: bool, cancellation: Cancellation) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Clusters that a fractional solution violates, with or without classes: members (c, words), needs, the first class of each (c + 1,), classes, violations.
    """

def cut_coefficients(children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_part: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Coefficients of families in the wanted cuts of a system, shape (wanted, families).
    """

def system_reduced_costs(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_part: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    What weights on the cuts of a system leave of the families' ticks: pi (n,), rc (m,).
    """

def halve(coefficients: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, tries: int, most_rows: int, least_violation: float, limit: int, seed: int, cancellation: Cancellation) -> tuple[list[list[int]], list[list[int]]]:
    """
    Violated cuts, each half a sum: the rows in it, and the children subtracted.
    """

class OrderSearch:
    """Local search over orders of the variables."""

    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def stuck(self) -> list[int]:
        """
        Variables that have no family in any acyclic network; search only if none.
        """

    def improve(self, starts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], perturbations: int, most_looks: int, seed: int, cancellation: Cancellation) -> None:
        """
        Search from each start (a row, an order of all variables) and its perturbations.
        """

    def best(self) -> tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]] | None:
        """Ticks, the family of each variable, an order; None before a search."""

class LatticeStatus(enum.Enum):
    """How the shortest path search ended."""

    DONE = 0

    NO_PATH = 1

    TOO_MANY_SUBSETS = 2

    TOO_MUCH_MEMORY = 3

    CANCELLED = 4

class LatticeResult:
    """What the shortest path search found."""

    @property
    def status(self) -> LatticeStatus: ...

    @property
    def shortest(self) -> int:
        """The length of the shortest path; a lower bound if it is not done."""

    @property
    def best(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The family of each child."""

    @property
    def has_network(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """Whether a network in the limit has each family."""

    @property
    def best_with(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The length of the best path with each family, where there is one."""

    @property
    def subsets(self) -> int:
        """Subsets reached."""

    @property
    def kept_subsets(self) -> int:
        """Subsets on a path in the limit."""

def lattice_path(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pi: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rc: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], length_limit: int, slack: int, max_subsets: int, max_bytes: int, jobs: int, strengthen: bool, persistent: bool, whole: bool, cancellation: Cancellation) -> LatticeResult:
    """Find the shortest path, and per family the shortest path that has it."""

class DiagramStatus(enum.Enum):
    """How the making of a diagram ended."""

    DONE = 0

    TOO_MUCH_MEMORY = 1

    CANCELLED = 2

class DiagramCounts:
    """What the members of a diagram have."""

    @property
    def complete(self) -> bool:
        """Whether all were counted."""

    @property
    def total(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """The number of members, as words."""

    @property
    def weight(self) -> float: ...

    @property
    def counts(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """Per family, the members with it, as words."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Per family, their weight."""

    @property
    def has_member(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """Whether a member has each family."""

    @property
    def least(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Per family, the ticks of the best member with it."""

    @property
    def listed(self) -> int:
        """Paths that were listed."""

class OrderDiagram:
    """The acyclic choices of a family per child in a limit, as paths."""

    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cut_weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pi: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rc: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int, lower_bound: int, max_bytes: int, threads: int, strengthen: bool, cancellation: Cancellation) -> None: ...

    @property
    def status(self) -> DiagramStatus: ...

    @property
    def reached(self) -> int:
        """States, on a path in the limit or not."""

    @property
    def empty(self) -> bool:
        """Whether there is no member."""

    @property
    def optimum(self) -> int:
        """The ticks of the best member."""

    @property
    def expected(self) -> float:
        """About how many paths counting will list."""

    def count(self, decay: float, threads: int, cancellation: Cancellation) -> DiagramCounts:
        """Count the members; the weight of one falls by `decay` with each tick."""

    def at_ranks(self, counts: DiagramCounts, ranks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """The members of these ascending ranks."""

    def at_weights(self, counts: DiagramCounts, decay: float, places: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """The members at ascending places below the weight of all."""

    def costliest(self, counts: DiagramCounts) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """A member of most ticks."""

    def best(self, most: int) -> BestMembers:
        """The members of least ticks."""

    def first(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The best member whose families come first, child by child."""

    def stream(self, batch_size: int, most_waiting: int) -> MemberStream:
        """All members, each once, unordered."""

class MemberMarks:
    """How much lies below the larger parts of a walk."""

    def total(self, by_weight: bool) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """How many ranks there are."""

    @property
    def size(self) -> int:
        """The number of marks."""

class MemberCounts:
    """What all subtrees of a walk have together."""

    @property
    def total(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """The number of members, in words."""

    @property
    def weight(self) -> float: ...

    @property
    def counts(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """The members that have each family, in words."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The weight of each family."""

    @property
    def has_member(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """Whether a member has each family."""

    @property
    def least(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The least ticks of a member with each family, where there is one."""

    @property
    def histogram(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """Choices that fit with the first i sums outside, in words."""

    @property
    def weight_histogram(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def marks(self) -> MemberMarks:
        """For at_ranks."""

    @property
    def costliest_choice(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The families of a costliest member."""

    @property
    def costliest_outside(self) -> int:
        """The place of its sum outside."""

    @property
    def nodes(self) -> int: ...

class CountedSubtrees:
    """What subtrees of a walk have."""

    def take(self, others: CountedSubtrees) -> None:
        """Take other subtrees of the same walk."""

    def complete(self, expected: int) -> bool:
        """Whether all the expected subtrees are there, each complete."""

    def add_up(self) -> MemberCounts:
        """What the subtrees have together."""

    def apart(self) -> dict[str, object]:
        """The subtrees as named arrays."""

    @staticmethod
    def of(apart: dict[str, object]) -> CountedSubtrees:
        """Subtrees that were taken apart."""

class MemberTicks:
    """The ticks of members."""

    @property
    def ticks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def complete(self) -> bool:
        """Whether these are all members."""

class BestMembers:
    """The members of least ticks, in their order."""

    @property
    def choices(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """Families (members, variables)."""

    @property
    def ticks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def complete(self) -> bool: ...

class RankedMembers:
    """Members of given ranks."""

    @property
    def choices(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """Families (members, variables)."""

    @property
    def outside(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """Their ranks outside, in words."""

class MemberStream:
    """Members in batches, made ahead by a thread."""

    def next(self, variables: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Families (members, variables) and ticks of the next batch; empty at the end.
        """

    def close(self) -> None:
        """End the stream and its thread."""

class Members:
    """The acyclic choices of a family per child in a limit."""

    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rc: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], needs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_part: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int, lower_bound: int, groups: bool, merges: bool) -> None: ...

    @property
    def subtrees(self) -> int:
        """How many subtrees the walk is divided into, always the same."""

    def count(self, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], optimum: int, tick: float, large: int, most_nodes: int, begin: int, end: int, threads: int, cancellation: Cancellation) -> CountedSubtrees:
        """
        What the subtrees from `begin` to before `end` have, not complete above so many nodes.
        """

    def all_ticks(self, most: int, threads: int, cancellation: Cancellation) -> MemberTicks:
        """The ticks of every member."""

    def best(self, most: int, threads: int, cancellation: Cancellation) -> BestMembers:
        """The members of least ticks."""

    def first(self, cancellation: Cancellation) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The member whose families come first, child by child; empty if none."""

    def used(self, known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], most_nodes: int, threads: int, cancellation: Cancellation) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Per family whether some member has it: 0 no, 1 yes, 2 not known (yet)."""

    def at_ranks(self, ranks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], by_weight: bool, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], optimum: int, tick: float, marks: MemberMarks, threads: int) -> RankedMembers:
        """
        The members of these ascending ranks; by weight, ranks are below marks.total(True), and `outside` gives the place of the sum outside.
        """

    def stream(self, batch_size: int, most_waiting: int) -> MemberStream:
        """All members, each once, unordered."""

class ChainDraws:
    """The networks that one chain drew."""

    @property
    def choices(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """Families (draws, variables)."""

    @property
    def ticks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def visits(self) -> int:
        """Networks looked at, inside and outside the limit."""

class NetworkChains:
    """Independent Markov chains over acyclic networks."""

    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def ticks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Ticks of each chain's network."""

    @property
    def slopes(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Each chain's slope outside the limit, per tick."""

    @property
    def choices(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """Each chain's network: families (chains, variables)."""

    def best(self) -> tuple[int, Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        The fewest ticks that any chain has met, and the families of that network.
        """

    def put(self, chain: int, choice: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Continue a chain from this acyclic network."""

    def anneal(self, begin: int, slopes: Sequence[float], threads: int, cancellation: Cancellation) -> None:
        """
        Run all chains from `begin` on through slopes, a sweep each, without a limit.
        """

    def warm_up(self, limit: int, inner: float, most: float, sweeps: int, threads: int, cancellation: Cancellation) -> None:
        """
        Run all chains, and adapt their slopes outside the limit, up to `most`.
        """

    def draw(self, limit: int, inner: float, stop_below: int, wanted: int, spacing: int, most_visits: int, threads: int, cancellation: Cancellation) -> list[ChainDraws]:
        """
        Draw networks inside the limit, one after every `spacing` sweeps that end there.
        """

class FlatNetwork:
    """A network with parameters, as arrays."""

    def __init__(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], parameter_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def marginals(network: FlatNetwork, observed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], soft: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], likelihoods: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], most_entries: float, most_bytes: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], tuple[bool, float, float]]:
    """
    Find the chances of each state of the targets, a row for each row of observations (a state, or 255 for unknown); the logarithm of each row's probability; and whether a row was refused, with its tables' entries and bytes.
    """

def marginals_size(network: FlatNetwork, observed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], soft: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], likelihoods: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], most_entries: float, most_bytes: float) -> tuple[float, float]:
    """
    Find the entries and bytes of the tables that `marginals` needs for one row.
    """

def joint(network: FlatNetwork, observed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], soft: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], likelihoods: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], most_entries: float, most_bytes: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, tuple[bool, float, float]]:
    """
    Find the joint distribution of some variables, the first of which varies fastest; the logarithm of the probability of the findings; and whether it was refused, with the tables' entries and bytes.
    """

def most_probable(network: FlatNetwork, observed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], soft: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], likelihoods: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_entries: float, most_bytes: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, tuple[bool, float, float]]:
    """
    Find the likeliest states of all variables; the logarithm of their probability; and whether it was refused, with the tables' entries and bytes.
    """

def draws(network: FlatNetwork, observed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_entries: float, most_bytes: float) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], tuple[bool, float, float]]:
    """
    Draw the states of all variables given each row of observations, as many times as it has points; return the distinct draws, their counts, where those of each row end, the logarithm of each row's probability, and whether a row was refused, with its tables' entries and bytes.
    """
