"""What was done about missing cells, as a result records it."""

from dataclasses import asdict, dataclass

Settings = tuple[tuple[str, str], ...]

APPROXIMATE = "approximate: completed by EM"
"""The label of a credible set that was learned from completed records."""


@dataclass(frozen=True, slots=True)
class EmStep:
    """One step of structural EM.

    `expected_cost` is the cost of the step's best network on the completions that it was learned
    from, `observed_cost` that on the observed cells alone: -ln of their probability, exact, plus
    the penalty. `changed` counts the families that differ from the step before. `exact` is whether
    the network is proven to be the best for its completions.
    """

    expected_cost: float
    observed_cost: float
    arcs: int
    changed: int
    exact: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class EmStart:
    """One start of structural EM: where it began, its steps, and how it ended.

    `chosen` is the step, from 1, whose network it stands for: the last one if it settled, else the
    one of the lowest observed cost. `different_arcs` counts the arcs that only one of its network
    and the best start's has.
    """

    begins_with: str
    steps: tuple[EmStep, ...]
    settled: bool
    ended: str
    chosen: int
    different_arcs: int

    @property
    def observed_cost(self) -> float:
        """The cost of its network on the observed cells, in nats."""
        return self.steps[self.chosen - 1].observed_cost


@dataclass(frozen=True, slots=True)
class EmRecord:
    """How structural EM went: its settings, and the starts, of which `best` was taken.

    `asked` is the number of starts that were asked for, of which `starts` has those that made a
    step. `stopped` says what stopped EM before all had ended; it is empty if nothing did.
    `log_likelihood` is that of the observed cells in the best network, exact, in nats.
    """

    completions: int
    seed: int
    starts: tuple[EmStart, ...]
    best: int
    log_likelihood: float
    asked: int
    stopped: str = ""

    @property
    def spread(self) -> float:
        """By how much the starts differ in observed cost, in nats."""
        costs = [start.observed_cost for start in self.starts]
        return max(costs) - min(costs)

    @property
    def note(self) -> str:
        """The label of the result, with how far to trust it."""
        own = self.starts[self.best]
        others = (
            f"; {self._starts_made} starts differ by up to {self.spread:.2f} nats and "
            f"{max(start.different_arcs for start in self.starts)} arcs"
            if len(self.starts) > 1
            else ""
        )
        return (
            f"{APPROXIMATE}, {self.completions} completion{'s' if self.completions > 1 else ''} of "
            "each record, "
            f"{own.ended} (step {own.chosen} of {len(own.steps)}){others}"
        )

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What EM did not do that was asked for, and why, one line each."""
        said = []
        if self.stopped:
            cut_off = sum(start.ended == self.stopped for start in self.starts)
            said.append(
                f"EM was {self.stopped}: of {self.asked} starts, {cut_off} cut off and "
                f"{self.asked - len(self.starts)} without a step; they might have found a better "
                "network"
            )
        steps = self.starts[self.best].steps
        inexact = sum(not step.exact for step in steps)
        if inexact:
            said.append(
                f"in the start of EM that was taken, the networks of {inexact} of {len(steps)} "
                "steps are not proven to be the best for their completions"
            )
        return tuple(said)

    @property
    def _starts_made(self) -> str:
        made = len(self.starts)
        return str(made) if made == self.asked else f"{made} of {self.asked}"


@dataclass(frozen=True, slots=True)
class MissingCells:
    """What was done about missing cells: the policy, and what came of it.

    `cells` and `incomplete_records` are None where they were not counted.
    """

    policy: str
    cells: int | None = None
    incomplete_records: int | None = None
    left_out: int = 0
    em: EmRecord | None = None

    def settings(self) -> Settings:
        """Return what the settings of a result say about it."""
        said = [("missing", self.policy)]
        if self.left_out:
            said.append(("left_out", str(self.left_out)))
        if self.em is not None:
            said.append(("completions", str(self.em.completions)))
            said.append(("starts", str(self.em.asked)))
            said.append(("seed", str(self.em.seed)))
        return tuple(said)

    def notes(self) -> tuple[str, ...]:
        """Return what the result says about it, one line each."""
        return () if self.em is None else (self.em.note,)

    def shortfalls(self) -> tuple[str, ...]:
        """Return what makes the result incomplete, one line each."""
        return () if self.em is None else self.em.shortfalls

    def summary(self) -> dict[str, object]:
        """Return everything as JSON types."""
        said: dict[str, object] = {
            "policy": self.policy,
            "cells": self.cells,
            "incomplete_records": self.incomplete_records,
            "left_out": self.left_out,
        }
        if self.em is None:
            return said
        em = self.em
        starts = [
            {
                **asdict(start),
                "steps": [asdict(step) for step in start.steps],
                "observed_cost": start.observed_cost,
            }
            for start in em.starts
        ]
        return said | {
            "label": APPROXIMATE,
            "completions": em.completions,
            "seed": em.seed,
            "starts_asked": em.asked,
            "stopped": em.stopped or None,
            "observed_log_likelihood": em.log_likelihood,
            "best_start": em.best + 1,
            "spread": em.spread,
            "starts": starts,
        }
