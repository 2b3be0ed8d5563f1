"""Which score and which relations predict held-out records best, on the user's own table.

K-fold cross-validation: each candidate learns from the records outside of a fold and predicts those
in it. All candidates have the same folds, so differences are taken record by record.
"""

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, Relation, Score, SettingsError
from noisyor.core.machine import core_count
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.networks.likelihood import SMOOTHING, row_log_likelihoods
from noisyor.pipeline import learn_request
from noisyor.resampling.prediction import averaged_log_likelihoods
from noisyor.resampling.stopping import UnwantedError, unless
from noisyor.resampling.tables import check_seed, folds
from noisyor.runs.learned import Method
from noisyor.runs.plan import MANY_VARIABLES, Plan, method_for

FOLDS = 10
TABLE_PRIOR = 0.5
"""Records of each state that are added to every configuration of a full table.

These are the posterior means of a Dirichlet prior (Krichevsky and Trofimov, 1981). Without them, a
configuration that few training records have would rule out what has not been seen in it. Causes
keep the parameters of maximum likelihood: with few records, a comparison of full tables with causes
depends on this number.
"""

MOST_MEMBERS = 200
"""The most credible networks that are averaged; of more, as many are drawn by weight."""

CLEAR = 2.0
"""A difference of so many standard errors is called clear."""

_POLL_SECONDS = 0.1

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What learns and predicts: relations, under a name, and a score."""

    name: str
    relations: tuple[Relation, ...]
    score: Score

    def __str__(self) -> str:
        return f"{self.name}, {self.score}"


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean paired difference of log-likelihood, in nats per record, and its standard error."""

    mean: float
    standard_error: float

    @property
    def clear(self) -> bool:
        """Whether the mean is more than two standard errors from 0."""
        return abs(self.mean) > CLEAR * self.standard_error

    @property
    def nothing(self) -> bool:
        """Whether no record is predicted differently."""
        return self.mean == 0 and self.standard_error == 0

    def __str__(self) -> str:
        error = self.standard_error
        digits = min(4, max(2, -math.floor(math.log10(error)))) if error else 2
        return f"{abs(self.mean):.{digits}f} ± {self.standard_error:.{digits}f} nats a record"


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """How well a candidate predicts the held-out records.

    `best` and `average` have the log-likelihood of each held-out record under the best network and
    under the average over the credible set, in nats, shape (rows,). `impossible` counts the records
    that the best network rules out before smoothing.
    """

    candidate: Candidate
    best: Values
    average: Values
    impossible: int


@dataclass(frozen=True, slots=True, eq=False)
class ScoreComparison:
    """Held-out log-likelihoods of several candidates on the same folds.

    Parameters
    ----------
    predicted
        The candidates, in the order in which they were given.
    weights
        How many held-out records each row stands for, shape (rows,).
    folds
        The number of folds that were done.
    asked
        The number of folds.
    seed
        The seed of the folds.
    table_prior, smoothing
        What makes held-out records possible: records of each state added to every configuration
        of a full table, and the share of a uniform distribution in every conditional probability.
    """

    predicted: tuple[Predicted, ...]
    weights: npt.NDArray[np.int64]
    folds: int
    asked: int
    seed: int
    table_prior: float
    smoothing: float

    @property
    def records(self) -> int:
        """The number of held-out records."""
        return int(self.weights.sum())

    def mean(self, values: Values) -> float:
        """Return the mean of a value per held-out record."""
        return float(values @ self.weights) / self.records

    def difference(self, one: Values, other: Values) -> Difference:
        """Return the mean difference of two values per record, with its standard error.

        The error is that of the mean over the records, as if the networks were given: training sets
        overlap, so it is somewhat too small (Bengio and Grandvalet, 2004).
        """
        gaps = one - other
        mean = self.mean(gaps)
        spread = float((gaps - mean) ** 2 @ self.weights) / max(1, self.records - 1)
        return Difference(mean, math.sqrt(spread / self.records))

    def best(self) -> Predicted:
        """Return the candidate whose average predicts best."""
        return max(self.predicted, key=lambda one: self.mean(one.average))

    def sentences(self) -> list[str]:
        """Return in plain words which relations and scores predict better."""
        said = []
        for score in dict.fromkeys(one.candidate.score for one in self.predicted):
            own = [one for one in self.predicted if one.candidate.score == score]
            said += [self._against(other, own[0], f", by {score}") for other in own[1:]]
        first = self.predicted[0].candidate
        for name in dict.fromkeys(one.candidate.name for one in self.predicted):
            own = [one for one in self.predicted if one.candidate.name == name]
            if own[0].candidate.score == first.score:
                said += [
                    self._against(other, own[0], f", with {name}", by_score=True)
                    for other in own[1:]
                ]
        best = self.best()
        gain = self.difference(best.average, best.best)
        clear = "" if gain.clear else ", which is not clear"
        how = f"{_better(gain)} than its best network by {gain}{clear}"
        if gain.nothing:
            how = "every record as its best network does"
        said.append(
            f"best of all: {best.candidate}; the average over its credible set predicts {how}"
        )
        return said

    def summary(self) -> dict[str, object]:
        """Return the comparison as JSON types; differences are to the first candidate."""
        first = self.predicted[0]

        def figures(one: Predicted) -> dict[str, object]:
            gap = self.difference(one.average, first.average)
            return {
                "relations": one.candidate.name,
                "score": str(one.candidate.score),
                "best": self.mean(one.best),
                "average": self.mean(one.average),
                "difference": gap.mean,
                "standard_error": gap.standard_error,
                "impossible": one.impossible,
            }

        return {
            "records": self.records,
            "folds": self.folds,
            "folds_asked": self.asked,
            "seed": self.seed,
            "table_prior": self.table_prior,
            "smoothing": self.smoothing,
            "candidates": [figures(one) for one in self.predicted],
            "sentences": self.sentences(),
        }

    def _against(
        self, one: Predicted, other: Predicted, where: str, *, by_score: bool = False
    ) -> str:
        gap = self.difference(one.average, other.average)
        names = [
            str(each.candidate.score) if by_score else each.candidate.name for each in (one, other)
        ]
        many = [" and " in name or (name.endswith("s") and not by_score) for name in names]
        verb, does = "predict" if many[0] else "predicts", "do" if many[1] else "does"
        if gap.nothing:
            return f"{names[0]} {verb} every record as {names[1]} {does}{where}"
        if not gap.clear:
            return (
                f"{names[0]} {verb} about as {names[1]} {does}{where}: {_better(gap)} by {gap}, "
                "which is not clear"
            )
        return f"{names[0]} {verb} {_better(gap)} than {names[1]} by {gap}{where}"


def _better(gap: Difference) -> str:
    return "better" if gap.mean > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Prediction:
    """How held-out records are predicted (see `ScoreComparison`)."""

    table_prior: float = TABLE_PRIOR
    smoothing: float = SMOOTHING

    def __post_init__(self) -> None:
        """Refuse what would leave some records impossible."""
        if not (math.isfinite(self.table_prior) and self.table_prior >= 0):
            raise SettingsError(f"the table prior is {self.table_prior}; it must be 0 or more")
        if not (math.isfinite(self.smoothing) and 0 < self.smoothing < 1):
            raise SettingsError(f"smoothing is {self.smoothing}; it must be between 0 and 1")


def compare_requests(
    requests: Sequence[tuple[Candidate, Request]],
    plan: Plan,
    *,
    count: int = FOLDS,
    seed: int = 0,
    how: Prediction | None = None,
) -> ScoreComparison:
    """Compare candidates, each with its request, on the same folds of the same records."""
    check_seed(seed)
    first = requests[0][1]
    if method_for(first, plan) is Method.LAYERS:
        raise SettingsError(
            f"the table has {first.data.variable_count} variables; scores can be compared on up to "
            f"{MANY_VARIABLES}, where learning ends with a proof"
        )
    how = how or Prediction()
    run = _Run(requests, plan, folds(first.data, count, seed), how)
    done = run.run()
    if not done:
        raise SettingsError("no fold was done before the time was up; allow more time")
    return ScoreComparison(
        tuple(
            Predicted(
                candidate,
                np.concatenate([fold[place].best for fold in done]),
                np.concatenate([fold[place].average for fold in done]),
                sum(fold[place].impossible for fold in done),
            )
            for place, (candidate, _) in enumerate(requests)
        ),
        np.concatenate([run.held_out(fold).weights for fold in range(len(done))]),
        len(done),
        count,
        seed,
        how.table_prior,
        how.smoothing,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    best: Values
    average: Values
    impossible: int


class _Run:
    """The learning of all candidates on all folds; those of a fold come together."""

    def __init__(
        self,
        requests: Sequence[tuple[Candidate, Request]],
        plan: Plan,
        pairs: Sequence[tuple[Dataset, Dataset]],
        how: Prediction,
    ) -> None:
        self._requests = requests
        self._plan = plan
        self._pairs = pairs
        self._how = how
        self._stop = threading.Event()
        limit = requests[0][1].limits.seconds
        self._end = None if limit is None else plan.began + limit

    def held_out(self, fold: int) -> Dataset:
        """Return the records of a fold."""
        return self._pairs[fold][1]

    def run(self) -> list[list[_Held]]:
        """Return the results of the folds that were done, in their order, one per candidate."""
        threads = self._requests[0][1].limits.jobs or core_count()
        done: list[list[_Held]] = []
        with ThreadPoolExecutor(threads, "noisyor-fold") as pool:
            every = [
                [
                    pool.submit(partial(self._learned, request, fold))
                    for _, request in self._requests
                ]
                for fold in range(len(self._pairs))
            ]
            try:
                for fold, futures in enumerate(every):
                    self._tell(fold)
                    held = self._wait(futures)
                    if held is None:
                        break
                    done.append(held)
            finally:
                self._stop.set()
                for futures in every:
                    for future in futures:
                        future.cancel()
        return done

    def _wait(self, futures: Sequence[Future[_Held | None]]) -> list[_Held] | None:
        """Return the results of a fold; None if one of them was not done in time."""
        while wait(futures, _POLL_SECONDS).not_done:
            pass
        found = [future.result() for future in futures]
        held = [one for one in found if one is not None]
        return held if len(held) == len(found) else None

    def _tell(self, fold: int) -> None:
        if self._plan.progress is not None:
            count = len(self._pairs)
            seconds = time.monotonic() - self._plan.began
            detail = f"{fold} of {count} folds"
            self._plan.progress(Progress("folds", detail, seconds, share=fold / count))

    def _left(self) -> float | None:
        """Return the seconds that are left; None without a limit."""
        return None if self._end is None else self._end - time.monotonic()

    def _learned(self, request: Request, fold: int) -> _Held | None:
        left = self._left()
        if self._stop.is_set() or (left is not None and left <= 0):
            return None
        outside, inside = self._pairs[fold]
        own = replace(request, data=outside, limits=replace(request.limits, jobs=1, seconds=left))
        look = unless(self._stop.is_set)
        plan = replace(self._plan, progress=look, quiet=True, folder=None, began=time.monotonic())
        try:
            learned = learn_request(own, plan)
        except UnwantedError:
            return None
        if not learned.credible.proven:
            return None
        prior, smoothing = self._how.table_prior, self._how.smoothing
        best = learned.best_network(prior=prior)
        networks = learned.networks(most=MOST_MEMBERS, prior=prior)
        plain = row_log_likelihoods(learned.best, inside)
        return _Held(
            row_log_likelihoods(best, inside, smoothing=smoothing),
            averaged_log_likelihoods(networks, inside, smoothing),
            int(inside.weights[~np.isfinite(plain)].sum()),
        )
