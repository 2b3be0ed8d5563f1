"""A temperature for the weights of a credible set, from the user's own table.

The weights at a temperature predict, for each pair of variables, which arc joins them in the best
network of a resampled table, or that none does. The temperature with the least mean log loss is the
one. Calibration against the truth, which this stands for, was measured with networks that are known
(benchmarks/calibration): weights at this temperature come closer to it than weights at 1.

It is never below 1. Where arcs are too weak to be found in so few records, the best networks of
resamples agree on leaving them out, which is no reason to be surer that they are not there; on such
networks, temperatures below 1 made the weights worse.

Other criteria were tried, on samples of random networks. Predicting the best network of the other
half of the records does no better. Tables drawn from the credible networks themselves find too low
a temperature: their truth is a network that the score would choose.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, CredibleSet, ScoreTable, SettingsError
from noisyor.core.bootstrap import Edge, Resample
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.pipeline import MANY_VARIABLES, Plan, learn_request, method_for
from noisyor.resampling.bootstrap import BootstrapStep, Recipe, Resampling
from noisyor.runs.learned import Learned, Method
from noisyor.search.clock import Clock
from noisyor.search.sampling import sample_credible

RESAMPLES = 100
"""The number of resampled tables by default."""

FLOOR = 0.01
"""The share of the log loss's predictions that goes to the three outcomes of a pair alike.

A pair that no credible network joins would otherwise cost infinitely much as soon as a resample
joins it.
"""

_STEP = math.sqrt(2)  # between the temperatures that are tried
_HIGHEST = 16.0
_COUNTING_SECONDS = 5.0  # at a temperature; networks that take longer to count are sampled
_SAMPLING_SECONDS = 10.0
_BOOTSTRAP_SHARE = 0.5  # of a time limit
_REDRAWS = 200  # of the resamples, for the standard error

Losses = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TriedTemperature:
    """A temperature that was tried.

    `loss` is the mean log loss of the weights over the resamples, in nats for each pair of
    variables; `networks` is the number of credible networks, and `complete` whether they were all
    counted: if not, the weights come from a sample of them.
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
        The temperatures that were tried, in ascending order.
    resamples
        The number of resampled tables.
    asked
        The number that was asked for.
    seed
        Their seed.
    learned
        The result at the temperature, with its weights.
    notes
        What limits left open, one line each.
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
    method = method_for(request, plan)
    if method is Method.LAYERS:
        raise SettingsError(
            f"the table has {request.data.variable_count} variables; weights can be calibrated for "
            f"up to {MANY_VARIABLES}, where learning ends with a proof"
        )
    search = _Search(request, replace(plan, folder=None, further=None), method)
    found = search.resampled(step)
    if not found:
        raise SettingsError("no resampled table was done before the time was up; allow more time")
    search.descend(found)
    return search.calibration(found, step)


class _Search:
    """Learning at one temperature after the other, until the loss does not fall any more."""

    def __init__(self, request: Request, plan: Plan, method: Method) -> None:
        self._request = request
        self._plan = plan
        self._method = method
        limit = request.limits.seconds
        self._end = None if limit is None else plan.began + limit
        self._losses: dict[int, Losses] = {}  # by step: of each resample
        self._learned: dict[int, Learned] = {}

    def resampled(self, step: BootstrapStep) -> list[Resample]:
        """Return the resamples, learned for their best networks alone."""
        best_only = replace(self._request, factor=BayesFactor(1))
        recipe = Recipe(best_only, self._method, self._plan.labels, self._plan.bounds, step.seed)
        left = self._left()
        seconds = None if left is None else _BOOTSTRAP_SHARE * left
        return Resampling(recipe, step.resamples, None, self._show).run(seconds)

    def descend(self, found: Sequence[Resample]) -> None:
        """Try temperatures from 1 on, as long as the loss falls."""
        step, loss = 0, self._loss(0, found)
        while _STEP ** (step + 1) <= _HIGHEST and not self._is_late():
            beyond = self._loss(step + 1, found)
            if beyond >= loss:
                return
            step, loss = step + 1, beyond

    def _loss(self, step: int, found: Sequence[Resample]) -> float:
        if step not in self._losses:
            learned = self.learn_at(_STEP**step)
            self._learned[step] = learned
            self._losses[step] = losses_of(learned.credible, found)
        return float(self._losses[step].mean())

    def learn_at(self, temperature: float) -> Learned:
        """Learn at a temperature; networks that are too many to count soon are sampled."""
        left = self._left()
        seconds = _COUNTING_SECONDS if left is None else max(0.1, min(_COUNTING_SECONDS, left))
        request = replace(
            self._request,
            factor=BayesFactor(self._request.factor.value, temperature),
            limits=replace(self._request.limits, seconds=seconds),
        )
        self._show(Progress("calibration", f"weights at temperature {temperature:.3g}"))
        quiet = replace(self._plan, progress=lambda _: None, began=time.monotonic())
        learned = learn_request(request, quiet)
        if learned.complete or learned.credible.sampling is not None or learned.table is None:
            return learned
        return replace(learned, credible=_sampled(learned.credible, learned.table, request))

    def calibration(self, found: Sequence[Resample], step: BootstrapStep) -> Calibration:
        """Return the temperature of least loss between those tried, and the result at it."""
        steps = sorted(self._losses)
        losses = np.array([self._losses[one] for one in steps])
        random = np.random.default_rng(step.seed)
        redrawn = [
            _lowest(steps, losses[:, random.integers(len(found), size=len(found))].mean(axis=1))
            for _ in range(_REDRAWS)
        ]
        spread = float(np.std(redrawn)) * math.log(_STEP)
        temperature = round(_STEP ** _lowest(steps, losses.mean(axis=1)), 2)
        pairs = max(1, math.comb(self._request.data.variable_count, 2))
        return Calibration(
            temperature,
            max(1.0, temperature * math.exp(-spread)),
            temperature * math.exp(spread),
            tuple(
                TriedTemperature(
                    _STEP**one,
                    float(self._losses[one].mean()) / pairs,
                    self._learned[one].count,
                    self._learned[one].complete,
                )
                for one in steps
            ),
            len(found),
            step.resamples,
            step.seed,
            self.learn_at(temperature),
            self._notes(found, step, steps),
        )

    def _notes(
        self, found: Sequence[Resample], step: BootstrapStep, steps: list[int]
    ) -> tuple[str, ...]:
        notes = []
        if len(found) < step.resamples:
            notes.append(f"{len(found):,} of {step.resamples:,} resampled tables were done in time")
        if self._is_late():
            notes.append("the time was up before the loss had risen again")
        sampled = [one for one in steps if not self._learned[one].complete]
        if sampled:
            said = ", ".join(f"{_STEP**one:.3g}" for one in sampled)
            notes.append(
                f"the credible networks at temperature {said} are too many: a sample is used"
            )
        return tuple(notes)

    def _left(self) -> float | None:
        return None if self._end is None else self._end - time.monotonic()

    def _is_late(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end

    def _show(self, now: Progress) -> None:
        if self._plan.progress is not None:
            self._plan.progress(replace(now, seconds=time.monotonic() - self._plan.began))


def _sampled(credible: CredibleSet, table: ScoreTable, request: Request) -> CredibleSet:
    """Return a sample of a set that was counted in part, and not by weight."""
    place = {family: at for at, (family, _) in enumerate(table.families())}
    return sample_credible(
        table,
        credible.bayes_factor,
        best=np.array([place[family] for family in credible.best.families]),
        labels=credible.labels,
        lower_bound=credible.lower_bound,
        shortfalls=credible.shortfalls,
        notes=credible.notes,
        clock=Clock(_SAMPLING_SECONDS),
        jobs=request.limits.jobs,
    )


def _lowest(steps: Sequence[int], losses: Losses) -> float:
    """Return where a parabola through the lowest loss and its neighbours is lowest, in steps."""
    at = int(losses.argmin())
    if not 0 < at < len(steps) - 1:
        return float(steps[at])
    left, middle, right = losses[at - 1 : at + 2].tolist()
    curvature = left - 2 * middle + right
    return steps[at] + ((left - right) / (2 * curvature) if curvature > 0 else 0.0)


def losses_of(credible: CredibleSet, found: Sequence[Resample]) -> Losses:
    """Return the log loss of a set's weights for each resample, over all pairs, in nats."""
    place = {name: at for at, name in enumerate(credible.names)}
    weights = {
        (place[parent], place[child]): use.weight
        for (parent, child), use in credible.edges().items()
    }
    return np.array([log_loss(weights, one.best) for one in found])


def log_loss(weights: Mapping[Edge, float], shares: Mapping[Edge, float]) -> float:
    """Return the log loss of weights as predictions of arcs, summed over all pairs, in nats.

    A pair has three outcomes: either arc, or none. `shares` are those of the outcomes: 0 or 1 for
    a single network, and between them for networks that tie.
    """
    loss = 0.0
    for one, other in {tuple(sorted(edge)) for edge in (*weights, *shares)}:
        forth, back = ((one, other), (other, one))
        predicted = [weights.get(forth, 0.0), weights.get(back, 0.0)]
        true = [shares.get(forth, 0.0), shares.get(back, 0.0)]
        for chance, share in zip(_with_none(predicted), _with_none(true), strict=True):
            loss -= share * math.log((1 - FLOOR) * chance + FLOOR / 3)
    return loss


def _with_none(arcs: list[float]) -> list[float]:
    return [*arcs, max(0.0, 1.0 - sum(arcs))]
