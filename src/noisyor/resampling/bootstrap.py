"""Learning from resampled tables: how often the best network of a resample has an arc.

Resamples are independent of each other, so they run on several threads, or on a cluster, and each
one that is finished is kept. The result depends on the seed and the number of resamples alone.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from uuid import uuid4

from noisyor.cluster import Cluster, ClusterTasks, chosen_cluster, room_for_others
from noisyor.core import BayesFactor, CredibleSet, SettingsError
from noisyor.core.bootstrap import Bootstrap, Edge, Resample
from noisyor.core.credible_set import Labels, Use
from noisyor.core.machine import core_count
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.core.threads import wait_until
from noisyor.pipeline import learn_request
from noisyor.resampling.kept import KeptResamples
from noisyor.resampling.stopping import UnwantedError, unless
from noisyor.resampling.tables import check_seed, resampled
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import Plan, Remaining, method_for
from noisyor.scoring import score_request
from noisyor.search import BoundKind, search
from noisyor.search.clock import Clock

MOST_RESAMPLES = 1_000_000

_POLL_SECONDS = 0.1
_COUNTING_SHARE = 0.5  # of a resample's share of the time
_LEAST_SECONDS = 0.01  # for a resample that begins when time is nearly up


@dataclass(frozen=True, slots=True)
class BootstrapStep:
    """The step of a run that learns from resamples (see `runs.plan.FurtherStep`)."""

    resamples: int
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers of resamples that say nothing, and seeds that start nothing."""
        if not 2 <= self.resamples <= MOST_RESAMPLES:  # noqa: PLR2004
            raise SettingsError(
                f"{self.resamples} bootstrap resamples were asked for; allowed: 2 to "
                f"{MOST_RESAMPLES:,}"
            )
        check_seed(self.seed)

    def is_done(self, learned: Learned) -> bool:
        """Return whether a result has these resamples, all of them."""
        found = learned.bootstrap
        return found is not None and found.complete and self._matches(found)

    def _matches(self, found: Bootstrap) -> bool:
        return (found.asked, found.seed) == (self.resamples, self.seed)

    def carry_out(self, learned: Learned, remaining: Remaining) -> Learned:
        """Return the result with its bootstrap: as many resamples as the time is enough for."""
        started = time.monotonic()
        recipe = Recipe(
            remaining.request,
            learned.method,
            remaining.plan.labels,
            remaining.plan.bounds,
            self.seed,
        )
        kept = None if remaining.folder is None else KeptResamples(remaining.folder, self.seed)
        run = Resampling(recipe, self.resamples, kept, remaining.show)
        done = run.run(remaining.seconds())
        names = learned.credible.names
        return replace(
            learned,
            bootstrap=Bootstrap.of(names, self.resamples, self.seed, done),
            seconds={**learned.seconds, "bootstrap": time.monotonic() - started},
        )


def with_bootstrap(request: Request, plan: Plan, step: BootstrapStep) -> Plan:
    """Return the plan with a bootstrap; refuse runs that do not end.

    One that the plan's patience ends does: the resamples share its time as they share a limit.
    """
    endless = request.limits.seconds is None and plan.patience is None
    if endless and method_for(request, plan) is Method.LAYERS:
        raise SettingsError(
            "a bootstrap of learning by layers needs a time limit, which the resamples share: "
            "without one, each of them would go on until it is stopped"
        )
    return replace(plan, further=step)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How each resample is learned; the same on a worker of a cluster.

    `counting` has the seconds that the credible networks of a resample are counted for, None
    without a limit.
    """

    request: Request
    method: Method
    labels: Labels
    bounds: BoundKind
    seed: int
    counting: float | None = None


class Resampling:
    """The resamples of one bootstrap, those that are done and those to do."""

    def __init__(
        self,
        recipe: Recipe,
        count: int,
        kept: KeptResamples | None = None,
        show: Callable[[Progress], None] | None = None,
    ) -> None:
        """Take how to learn, how many resamples, and where finished ones are kept."""
        self._recipe = recipe
        self._count = count
        self._kept = kept
        self._show = show or (lambda _: None)
        variables = recipe.request.data.variable_count
        self._done = {} if kept is None else kept.finished(count, variables)
        self._began = time.monotonic()

    def run(self, seconds: float | None) -> list[Resample]:
        """Return the resamples that are done after these seconds, or at Ctrl-C."""
        cluster = chosen_cluster() if self._recipe.request.limits.jobs is None else None
        todo = [number for number in range(self._count) if number not in self._done]
        end = None if seconds is None else self._began + seconds
        self._tell()
        if todo and (end is None or time.monotonic() < end):
            self._share_counting(len(todo), cluster, end)
            if cluster is None:
                self._on_threads(todo, end)
            else:
                self._on_cluster(cluster, todo, end)
        return [self._done[number] for number in sorted(self._done)]

    def _share_counting(self, todo: int, cluster: Cluster | None, end: float | None) -> None:
        """Give each resample time to count its networks: one must not take that of all.

        Workers of a cluster may come and go, so only one is relied on.
        """
        if end is None:
            return
        at_once = (self._recipe.request.limits.jobs or core_count()) if cluster is None else 1
        share = _COUNTING_SHARE * (end - time.monotonic()) * min(1.0, at_once / todo)
        self._recipe = replace(self._recipe, counting=max(_LEAST_SECONDS, share))

    def _each(self, todo: int, threads: int, end: float | None) -> float | None:
        """Return the seconds of a resample: all that are left, or its share by layers."""
        if end is None:
            return None
        left = max(_LEAST_SECONDS, end - time.monotonic())
        if self._recipe.method is not Method.LAYERS:
            return left
        return max(_LEAST_SECONDS, left * min(1.0, threads / todo))

    def _on_threads(self, todo: list[int], end: float | None) -> None:
        stop = threading.Event()
        threads = min(len(todo), self._recipe.request.limits.jobs or core_count())
        waiting = iter(todo)
        running: set[Future[Resample | None]] = set()
        left = len(todo)
        with ThreadPoolExecutor(threads, "noisyor-resample") as pool:

            def begin() -> None:
                number = next(waiting, None)
                if number is not None and (end is None or time.monotonic() < end):
                    each = self._each(left, threads, end)
                    running.add(
                        pool.submit(learn_resample, self._recipe, stop.is_set, number, each)
                    )

            try:
                for _ in range(threads):
                    begin()
                while running:
                    finished, running = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
                    for future in finished:
                        left -= 1
                        self._take(future.result())
                        begin()
            except KeyboardInterrupt:
                stop.set()
                wait_until(lambda: all(future.done() for future in running))
                for future in running:
                    self._take(future.result())
            finally:
                stop.set()  # for an error: the others need not end

    def _on_cluster(self, cluster: Cluster, todo: list[int], end: float | None) -> None:
        with room_for_others(cluster):
            tasks: ClusterTasks[int, Resample | None] = ClusterTasks(
                cluster, learn_resample, self._recipe, f"bootstrap-{uuid4().hex}"
            )
            each = self._each(len(todo), max(1, tasks.threads()), end)
            for number in todo:
                tasks.submit(number, number, each)
            try:
                tasks.run(
                    lambda: end is not None and time.monotonic() >= end,
                    lambda _, found: self._take(found),
                )
            except KeyboardInterrupt:
                return

    def _take(self, found: Resample | None) -> None:
        """Enter and keep a finished resample; None is one that was stopped."""
        if found is None:
            return
        self._done[found.number] = found
        if self._kept is not None:
            self._kept.keep(found)
        self._tell()

    def _tell(self) -> None:
        done = len(self._done)
        self._show(
            Progress(
                "bootstrap", f"{done:,} of {self._count:,} resamples", share=done / self._count
            )
        )


def learn_resample(
    recipe: Recipe, stop: Callable[[], bool], number: int, seconds: float | None
) -> Resample | None:
    """Learn from a resample in one thread; None if it was stopped, or time was up before its proof.

    By table, the families scored for the run's Bayes factor give both the best networks and the
    weights of the credible set; a resample whose set takes too long to count has no weights. By
    price, only the best networks are asked for.
    """
    request = replace(
        recipe.request,
        data=resampled(recipe.request.data, recipe.seed, number),
        limits=replace(recipe.request.limits, jobs=1, seconds=seconds),
    )
    look = unless(stop)
    try:
        if recipe.method is Method.TABLE:
            return _by_table(recipe, request, number, look)
        plan = Plan(recipe.method, recipe.labels, recipe.bounds, progress=look)
        best = learn_request(replace(request, factor=BayesFactor(1)), plan).credible
    except UnwantedError:
        return None
    if not best.complete and recipe.method is not Method.LAYERS:
        return None
    return Resample(number, _best_arcs(best), None, best.proven)


def _by_table(
    recipe: Recipe, request: Request, number: int, look: Callable[[Progress], None]
) -> Resample | None:
    """Score, find the best networks, and then count the credible ones."""
    clock = Clock(request.limits.seconds)
    scored = score_request(request, progress=look)
    if len(scored.children) < request.data.variable_count:
        return None

    def searched(factor: BayesFactor, most: float | None) -> CredibleSet:
        limits = [one for one in (most, clock.left) if one is not None]
        return search(
            scored.table,
            factor,
            labels=recipe.labels,
            bounds=recipe.bounds,
            jobs=1,
            time_limit=max(_LEAST_SECONDS, min(limits)) if limits else None,
            memory_limit=request.limits.memory,
            progress=look,
        ).credible

    best = searched(BayesFactor(1), None)
    if not best.complete:
        return None
    credible = searched(request.factor, recipe.counting) if request.factor.slack else best
    weights = _shares(credible, lambda use: use.weight) if credible.complete else None
    return Resample(number, _best_arcs(best), weights, best.proven)


def _best_arcs(credible: CredibleSet) -> dict[Edge, float]:
    """Return the share of the networks that tie for the best that have each arc."""
    if credible.complete:
        return _shares(credible, lambda use: use.fraction)
    place = {name: at for at, name in enumerate(credible.names)}
    return {(place[parent], place[child]): 1.0 for parent, child in credible.best.edges()}


def _shares(credible: CredibleSet, share: Callable[[Use], float]) -> dict[Edge, float]:
    place = {name: at for at, name in enumerate(credible.names)}
    return {
        (place[parent], place[child]): min(1.0, share(use))
        for (parent, child), use in credible.edges().items()
    }
