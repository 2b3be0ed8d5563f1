"""A temperature for the weights of a credible set, from the user's own table.

The weights at a temperature predict, for each pair of variables, which arc joins them in the best
network of a resampled table, or that none does. The temperature with the least mean log loss is the
one. Calibration against the truth, which this stands for, was measured with networks that are known
(benchmarks/calibration): weights at this temperature come closer to it than weights at 1.

It is never below 1. Where arcs are too weak to be found in so few records, the best networks of
resamples agree on leaving them out, which is no reason to be surer that they are not there.

The loss has several minima, because the set grows in jumps: all temperatures of a grid are tried.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, CredibleSet, SettingsError
from noisyor.core.bootstrap import Edge, Resample
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.resampling.bootstrap import BootstrapStep, Recipe, Resampling
from noisyor.resampling.credible_sets import CredibleSets, NoWeights
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import MANY_VARIABLES, Plan, method_for

RESAMPLES = 100
"""The number of resampled tables by default."""

FLOOR = 0.01
"""The share of the log loss's predictions that goes to the three outcomes of a pair alike.

A pair that no credible network joins would otherwise cost infinitely much as soon as a resample
joins it.
"""

_STEP = math.sqrt(2)

GRID = tuple(round(_STEP**step, 2) for step in range(9))
"""The temperatures that are tried, from 1 to 16."""

_SPARE = 1.2  # times the seconds of a neighbour: the time for a set between two of the grid
_RESERVED = 3.0  # times the same, kept for it: a sample may end a little late
_BOOTSTRAP_SHARE = 0.5  # of a time limit
_REDRAWS = 200  # of the resamples, for the standard error
_NOTHING_LOSS = -math.log(1 - FLOOR + FLOOR / 3)  # of a pair that is not joined, as predicted

Losses = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TriedTemperature:
    """A temperature that was tried.

    `loss` is the mean log loss of the weights over the resamples, in nats for each pair of
    variables; `networks` is the number of credible networks, and `complete` whether they were all
    counted: if not, the weights come from a sample, and the networks are those drawn.
    """

    temperature: float
    loss: float
    networks: int
    complete: bool


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The temperature at which a credible set predicts the best networks of resampled tables.

    Parameters
    ----------
    temperature
        The temperature of least loss, at least 1.
    low, high
        A range of plus and minus one standard error, from redrawing the resamples.
    tried
        The temperatures that were compared, in ascending order. One whose credible networks could
        be neither counted nor sampled is left out, with those above it.
    resamples
        The number of resampled tables.
    asked
        The number that was asked for.
    seed
        Their seed.
    learned
        The result at the temperature, with its weights; if its networks were sampled, it says so.
    notes
        What was sampled, and what limits left open, one line each.
    """

    temperature: float
    low: float
    high: float
    tried: tuple[TriedTemperature, ...]
    resamples: int
    asked: int
    seed: int
    learned: Learned
    notes: tuple[str, ...] = ()

    def loss_at(self, temperature: float) -> float:
        """Return the loss at the temperature tried that is nearest."""
        nearest = min(self.tried, key=lambda one: abs(math.log(one.temperature / temperature)))
        return nearest.loss

    def summary(self) -> dict[str, object]:
        """Return the temperature and how it was found, as JSON types."""
        return {
            "temperature": self.temperature,
            "low": self.low,
            "high": self.high,
            "resamples": self.resamples,
            "resamples_asked": self.asked,
            "seed": self.seed,
            "tried": [asdict(one) for one in self.tried],
            "notes": list(self.notes),
            "networks": self.learned.count,
            "complete": self.learned.complete,
            "shortfalls": list(self.learned.shortfalls),
            "arcs": [asdict(arc) for arc in self.learned.arc_strength()],
        }


def calibrate_request(
    request: Request,
    plan: Plan | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Calibration:
    """Fit the temperature of a request's credible set; its own temperature does not matter."""
    plan = plan or Plan()
    step = BootstrapStep(resamples, seed)
    if not request.factor.slack:
        raise SettingsError(
            "the Bayes factor is 1: at every temperature, the credible networks are those that tie "
            "for the best; calibrating needs a larger one"
        )
    method = method_for(request, plan)
    if method is Method.LAYERS:
        raise SettingsError(
            f"the table has {request.data.variable_count} variables; weights can be calibrated for "
            f"up to {MANY_VARIABLES}"
        )
    search = _Search(request, replace(plan, folder=None, further=None), method)
    found = search.resampled(step)
    if not found:
        raise SettingsError("no resampled table was done before the time was up; allow more time")
    search.scan(found)
    return search.calibration(found, step)


class _Search:
    """Credible sets at one temperature of the grid after the other, and their losses."""

    def __init__(self, request: Request, plan: Plan, method: Method) -> None:
        self._request = request
        self._plan = plan
        self._method = method
        limit = request.limits.seconds
        self._end = None if limit is None else plan.began + limit
        self._reserve = 0.0  # seconds that are kept for a set between two of the grid
        self._sets = CredibleSets(request, plan, method, self._left)
        self._losses: list[Losses] = []  # at each temperature of the grid, of each resample
        self._learned: list[Learned] = []
        self._seconds: list[float] = []
        self._without: NoWeights | None = None  # why the rest of the grid was left out

    def resampled(self, step: BootstrapStep) -> list[Resample]:
        """Return the resamples, learned for their best networks alone."""
        best_only = replace(self._request, factor=BayesFactor(1))
        recipe = Recipe(best_only, self._method, self._plan.labels, self._plan.bounds, step.seed)
        left = self._left()
        seconds = None if left is None else _BOOTSTRAP_SHARE * left
        return Resampling(recipe, step.resamples, None, self._show).run(seconds)

    def scan(self, found: Sequence[Resample]) -> None:
        """Try the temperatures of the grid, up to the first whose set gives no weights.

        Sets only grow with the temperature, so those after it would not give any either.
        """
        for temperature in GRID:
            began = time.monotonic()
            learned = self._learn_at(temperature)
            if isinstance(learned, NoWeights):
                self._without = learned
                break
            self._seconds.append(time.monotonic() - began)
            self._learned.append(learned)
            self._losses.append(losses_of(learned.credible, found))
            self._reserve = _RESERVED * self._seconds[int(np.mean(self._losses, axis=1).argmin())]
        self._reserve = 0.0
        if len(self._learned) < 2 and self._without is not None:  # noqa: PLR2004
            advice = "take" if self._end is None else "allow more time, or take"
            raise SettingsError(
                f"the credible networks at temperature {GRID[len(self._learned)]:g} give no "
                f"weights to compare: {self._without.because}; {advice} a smaller Bayes factor"
            )

    def _learn_at(self, temperature: float) -> Learned | NoWeights:
        if self._learned and self._is_late():
            return NoWeights("the time was up")
        self._show(Progress("calibration", f"weights at temperature {temperature:.3g}"))
        return self._sets.at(temperature)

    def calibration(self, found: Sequence[Resample], step: BootstrapStep) -> Calibration:
        """Return the temperature of least loss between those tried, and the result at it."""
        losses = np.array(self._losses)
        random = np.random.default_rng(step.seed)
        redrawn = [
            _lowest(losses[:, random.integers(len(found), size=len(found))].mean(axis=1))
            for _ in range(_REDRAWS)
        ]
        spread = float(np.std(redrawn)) * math.log(_STEP)
        means = losses.mean(axis=1)
        temperature, learned, notes = self._between(means)
        pairs = max(1, math.comb(self._request.data.variable_count, 2))
        return Calibration(
            temperature,
            max(1.0, temperature * math.exp(-spread)),
            temperature * math.exp(spread),
            tuple(
                TriedTemperature(GRID[at], float(mean) / pairs, one.count, one.complete)
                for at, (mean, one) in enumerate(zip(means, self._learned, strict=True))
            ),
            len(found),
            step.resamples,
            step.seed,
            learned,
            (*self._notes(found, step, int(means.argmin())), *notes),
        )

    def _between(self, means: Losses) -> tuple[float, Learned, list[str]]:
        """Return the temperature of least loss with its result, and what is to be noted."""
        nearest = int(means.argmin())
        wanted = round(_STEP ** _lowest(means), 2)
        learned: Learned | NoWeights = NoWeights("the time was up")
        left = self._left()
        if wanted == GRID[nearest]:
            learned = self._learned[nearest]
        elif left is None or left > _SPARE * self._seconds[nearest + (wanted > GRID[nearest])]:
            learned = self._learn_at(wanted)
        if isinstance(learned, Learned):
            notes = [] if learned.complete else [f"the weights at temperature {wanted} are sampled"]
            return wanted, learned, notes
        note = (
            f"the loss is expected to be least at temperature {wanted}, but there are no weights "
            f"at it ({learned.because}): the nearest temperature tried is taken"
        )
        return GRID[nearest], self._learned[nearest], [note]

    def _notes(self, found: Sequence[Resample], step: BootstrapStep, lowest: int) -> list[str]:
        notes = []
        if len(found) < step.resamples:
            notes.append(f"{len(found):,} of {step.resamples:,} resampled tables were done in time")
        drawn = [GRID[at] for at, one in enumerate(self._learned) if not one.complete]
        if drawn:
            said = ", ".join(f"{one:.3g}" for one in drawn)
            notes.append(
                f"there are too many credible networks at temperature {said} to count them: the "
                "loss there is that of a sample"
            )
        if self._without is not None:
            notes.append(
                f"temperatures from {GRID[len(self._learned)]:.3g} on are left out of the "
                f"comparison: {self._without.because}"
            )
        if lowest == len(self._learned) - 1:
            notes.append(
                f"the loss is least at the highest temperature compared, {GRID[lowest]:.3g}: a "
                "higher one may be better"
            )
        return notes

    def _left(self) -> float | None:
        return None if self._end is None else self._end - self._reserve - time.monotonic()

    def _is_late(self) -> bool:
        left = self._left()
        return left is not None and left <= 0

    def _show(self, now: Progress) -> None:
        if self._plan.progress is not None:
            self._plan.progress(replace(now, seconds=time.monotonic() - self._plan.began))


def _lowest(losses: Losses) -> float:
    """Return where a parabola through the lowest loss and its neighbours is lowest, in steps."""
    at = int(losses.argmin())
    if not 0 < at < len(losses) - 1:
        return float(at)
    left, middle, right = losses[at - 1 : at + 2].tolist()
    curvature = left - 2 * middle + right
    return at + ((left - right) / (2 * curvature) if curvature > 0 else 0.0)


def losses_of(credible: CredibleSet, found: Sequence[Resample]) -> Losses:
    """Return the log loss of a set's weights for each resample, over all pairs, in nats."""
    place = {name: at for at, name in enumerate(credible.names)}
    weights = {
        (place[parent], place[child]): use.weight
        for (parent, child), use in credible.edges().items()
    }
    variables = len(credible.names)
    return np.array([log_loss(weights, one.best, variables) for one in found])


def log_loss(weights: Mapping[Edge, float], shares: Mapping[Edge, float], variables: int) -> float:
    """Return the log loss of weights as predictions of arcs, summed over all pairs, in nats.

    A pair has three outcomes: either arc, or none. `shares` are those of the outcomes: 0 or 1 for
    a single network, and between them for networks that tie. A pair without a weight is one of
    weight 0: an arc that enters the set with hardly any weight changes the loss by hardly anything.
    """
    joined = {tuple(sorted(edge)) for edge in (*weights, *shares)}
    loss = (math.comb(variables, 2) - len(joined)) * _NOTHING_LOSS
    for one, other in joined:
        forth, back = ((one, other), (other, one))
        predicted = [weights.get(forth, 0.0), weights.get(back, 0.0)]
        true = [shares.get(forth, 0.0), shares.get(back, 0.0)]
        for chance, share in zip(_with_none(predicted), _with_none(true), strict=True):
            loss -= share * math.log((1 - FLOOR) * chance + FLOOR / 3)
    return loss


def _with_none(arcs: list[float]) -> list[float]:
    return [*arcs, max(0.0, 1.0 - sum(arcs))]
