"""Credible sets at several temperatures: each counted, or sampled so that its weights can be used.

A set that could be neither has no weights to compare with those of the others: a list of the
networks that were met first says nothing about the rest.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from noisyor.anytime import NEAR_ONLY
from noisyor.core import BayesFactor, CredibleSet, ScoreTable, SettingsError
from noisyor.core.request import Request
from noisyor.pipeline import learn_request
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import Plan, run_settings
from noisyor.scoring import score_request
from noisyor.search import search
from noisyor.search.clock import Clock
from noisyor.search.sampling import SamplingEffort, is_reliable, sample_credible

_SCORING_SECONDS = 60.0  # of all families, or by price of those that are asked for, and the proof
_COUNTING_SECONDS = 5.0
_SAMPLING_SECONDS = 60.0
_LEAST_SECONDS = 0.01
_EXACT_SHARE = 0.6  # of the time that is left, before a sample
_EFFORT = SamplingEffort(draws=500, effective=200.0)


@dataclass(frozen=True, slots=True)
class NoWeights:
    """Why there are no weights at a temperature."""

    because: str


class CredibleSets:
    """The credible sets of one request at temperatures that are asked for in ascending order.

    `left` returns the seconds that are left, None without a limit.
    """

    def __init__(
        self, request: Request, plan: Plan, method: Method, left: Callable[[], float | None]
    ) -> None:
        self._request = request
        self._plan = replace(plan, progress=lambda _: None)
        self._method = method
        self._left = left
        self._proven: CredibleSet | None = None  # the last whose optimum is proven
        self._too_many_from = math.inf  # the temperature from which on networks are not counted

    def at(self, temperature: float) -> Learned | NoWeights:
        """Return the set at a temperature, counted or sampled; or why there is none."""
        try:
            factor = BayesFactor(self._request.factor.value, temperature)
        except SettingsError as error:
            return NoWeights(str(error))
        request = replace(self._request, factor=factor)
        by = self._by_table if self._method is Method.TABLE else self._by_price
        found = by(request)
        if isinstance(found, Learned) and found.credible.proven:
            self._proven = found.credible
        return found

    def _by_table(self, request: Request) -> Learned | NoWeights:
        """Score all families, then count the networks, unless there are known to be too many."""
        limits = replace(request.limits, seconds=self._seconds(_SCORING_SECONDS))
        scored = score_request(replace(request, limits=limits))
        if len(scored.children) < request.data.variable_count:
            return NoWeights(f"scoring the families takes more than {limits.seconds:.3g} s")
        known = self._proven
        if known is not None and request.factor.temperature >= self._too_many_from:
            line = "there are too many networks to count them"
            credible = replace(
                known, bayes_factor=request.factor, shortfalls=(line,), sampling=None
            )
            return self._sampled(self._learned(request, credible, scored.table))
        found = search(
            scored.table,
            request.factor,
            labels=self._plan.labels,
            bounds=self._plan.bounds,
            jobs=limits.jobs,
            time_limit=self._seconds(_COUNTING_SECONDS),
            memory_limit=limits.memory,
        )
        return self._sampled(self._learned(request, found.credible, scored.table))

    def _by_price(self, request: Request) -> Learned | NoWeights:
        """Learn; the families are all known if the search has ended with a proof."""
        seconds = self._seconds(_SCORING_SECONDS)
        limits = replace(request.limits, seconds=seconds)
        plan = replace(self._plan, method=self._method, began=time.monotonic())
        learned = learn_request(replace(request, limits=limits), plan)
        if not learned.complete and NEAR_ONLY in learned.credible.notes:
            return NoWeights(f"the search does not end within {seconds:.3g} s")
        return self._sampled(learned)

    def _learned(self, request: Request, credible: CredibleSet, table: ScoreTable) -> Learned:
        settings = run_settings(request, self._plan, self._method)
        return Learned(credible, settings, self._method, request.data, table)

    def _sampled(self, learned: Learned) -> Learned | NoWeights:
        """Return a result as it is if it was counted, or else with a sample of its networks."""
        credible, table = learned.credible, learned.table
        if learned.complete:
            return learned
        if not credible.proven or table is None:
            return NoWeights("the best network could not be proven in time")
        self._too_many_from = min(self._too_many_from, credible.bayes_factor.temperature)
        place = {family: at for at, (family, _) in enumerate(table.families())}
        left = self._left()
        seconds = _SAMPLING_SECONDS if left is None else min(_SAMPLING_SECONDS, left)
        drawn = sample_credible(
            table,
            credible.bayes_factor,
            best=np.array([place[family] for family in credible.best.families]),
            labels=credible.labels,
            lower_bound=credible.lower_bound,
            shortfalls=[] if credible.sampling is not None else credible.shortfalls,
            notes=credible.notes,
            clock=Clock(max(_LEAST_SECONDS, seconds)),
            jobs=self._request.limits.jobs,
            effort=_EFFORT,
        )
        if not is_reliable(drawn.sampling):
            return NoWeights("the networks could neither be counted nor sampled in time")
        return replace(learned, credible=drawn)

    def _seconds(self, most: float) -> float:
        """Return the time of an exact step; some of what is left is for a sample."""
        left = self._left()
        return most if left is None else max(_LEAST_SECONDS, min(most, _EXACT_SHARE * left))
