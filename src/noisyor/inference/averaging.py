"""Answers averaged over the members of a credible set, and how much the members differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import ImpossibleEvidenceError, NetworkSet, SettingsError
from noisyor.core.arguments import checked_arguments
from noisyor.core.html_table import html_table
from noisyor.core.listing import counted
from noisyor.core.variable import States
from noisyor.inference.answers import (
    ByVariable,
    ChancesByState,
    Posteriors,
    by_variable,
    shown_order,
)
from noisyor.inference.evidence import Finding, Given, given_words
from noisyor.inference.questions import MOST_BYTES, Inference

QUANTILES = (0.05, 0.5, 0.95)

_ROUNDING = 1e-12
"""Sums of weights may fall short of a level that they reach by this much, through rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class AveragedPosteriors(ChancesByState):
    """Posterior probabilities of states, averaged over networks, given the evidence.

    A mapping from a variable to the mean probability of each of its states, by label. `chances` has
    an array of the mean chances of its states for each of `names`. For binary variables, `absent`
    and `present` are the mean chances of one state each. `lowest`, `highest` and `quantiles` show
    the spread over the members; `quantiles` has for each of `names` an array of shape (levels,
    states). The quantile at a level is the smallest chance such that the members with no larger
    one have at least that share of the weight; no value is interpolated.

    `standard_error` is that of `chances` as an estimate over the whole credible set, where the
    members were drawn from it; it is infinite after a single draw. It is None where all members
    are known: then nothing is estimated.

    `members` of the `count` networks of the credible set were queried. In `impossible_members` of
    them, with `impossible_weight` of the weight, the evidence is impossible: they have no answer
    and are left out of everything above. `shortfalls` say why the credible set may be larger
    than `count`.
    """

    names: tuple[str, ...]
    states: tuple[States, ...]
    chances: ByVariable
    lowest: ByVariable
    highest: ByVariable
    levels: tuple[float, ...]
    quantiles: ByVariable
    standard_error: ByVariable | None
    given: Given
    members: int
    count: int
    impossible_members: int
    impossible_weight: float
    shortfalls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the shapes once."""
        if len(self.names) != len(self.states):
            raise ValueError("one name and one list of states per variable")
        for field in ("chances", "lowest", "highest", "standard_error"):
            values = getattr(self, field)
            if values is not None:
                object.__setattr__(self, field, by_variable(values, self.states))
        quantiles = by_variable(self.quantiles, self.states, len(self.levels))
        object.__setattr__(self, "quantiles", quantiles)

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        columns = {"mean": self.chances, "least": self.lowest, "most": self.highest}
        if self.standard_error is not None:
            columns["standard error"] = self.standard_error
        rows = [
            (name, labels[state], *(float(own[place][state]) for own in columns.values()))
            for place, (name, labels) in enumerate(zip(self.names, self.states, strict=True))
            for state in shown_order(labels)
        ]
        caption = ", ".join(filter(None, (self.over, given_words(self.given))))
        return html_table(("variable", "state", *columns), rows, caption, grouped=True)

    @property
    def over(self) -> str:
        """What the answer is averaged over, in words."""
        if not self.complete:
            which = "known" if self.standard_error is None else "drawn"
            what = counted(self.members, f"{which} network")
            return f"averaged over {what} of a credible set that is not known completely"
        drawn = "" if self.standard_error is None else " drawn"
        return f"averaged over {self.members:,}{drawn} of {counted(self.count, 'credible network')}"

    @property
    def complete(self) -> bool:
        """Whether the credible set is known to be no larger than `count`."""
        return not self.shortfalls


@checked_arguments
def average(
    networks: NetworkSet,
    targets: Iterable[str] | None = None,
    given: Mapping[str, Finding] | None = None,
    quantiles: Iterable[float] = QUANTILES,
    *,
    most_bytes: int = MOST_BYTES,
) -> AveragedPosteriors:
    """Return the mean of the members' posteriors, by weight (see `NetworkSet`).

    The weights come from the data, and the evidence does not change them: it is a case that the
    members are queried about. If it were one more record to learn from, it would multiply each
    member's weight by that member's probability of the evidence. Here it only removes the members
    in which it is impossible.

    Parameters
    ----------
    networks
        The members.
    targets
        Names of variables; by default all that were not observed.
    given
        The evidence: the observed state of each variable, by name, or a likelihood for each of its
        states.
    quantiles
        The levels of the quantiles over members, from 0 to 1.
    most_bytes
        The most memory for the tables of a query to one member.

    Raises
    ------
    ImpossibleEvidenceError
        The evidence is impossible in every member.

    """
    levels = _checked(quantiles)
    if targets is not None and not isinstance(targets, str):
        targets = tuple(targets)  # iterated for each member; the first one refuses a string
    answers: list[Posteriors] = []
    possible = np.zeros(len(networks), dtype=np.bool_)
    for row, network in enumerate(networks):
        try:
            answers.append(Inference(network, most_bytes=most_bytes).posteriors(targets, given))
        except ImpossibleEvidenceError as error:
            refusal = error
        else:
            possible[row] = True
    if not answers:
        raise ImpossibleEvidenceError(
            f"the evidence is impossible in each of the {len(networks)} networks; in the last "
            f"one, {refusal}"
        )
    shares = networks.weights()
    draws = None if networks.draws is None else networks.draws[possible]
    weights = shares[possible] / shares[possible].sum()
    chances = np.array([np.concatenate([[], *answer.chances]) for answer in answers])
    states = answers[0].states
    cuts = np.cumsum([len(labels) for labels in states])[:-1]

    def split(values: npt.NDArray[np.float64]) -> ByVariable:
        return tuple(np.split(values, cuts, axis=-1)) if states else ()

    # A mean of equal numbers may differ from them by rounding.
    mean = np.clip(np.tensordot(weights, chances, 1), chances.min(axis=0), chances.max(axis=0))
    return AveragedPosteriors(
        names=answers[0].names,
        states=states,
        chances=split(mean),
        lowest=split(chances.min(axis=0)),
        highest=split(chances.max(axis=0)),
        levels=levels,
        quantiles=split(_quantiles(chances, weights, levels)),
        standard_error=None if draws is None else split(_standard_error(chances, draws, mean)),
        given=answers[0].given,
        members=len(networks),
        count=networks.count,
        impossible_members=len(networks) - len(answers),
        impossible_weight=float(shares[~possible].sum()),
        shortfalls=networks.shortfalls,
    )


def _checked(quantiles: Iterable[float]) -> tuple[float, ...]:
    levels = tuple(float(level) for level in quantiles)
    for level in levels:
        if not 0 <= level <= 1:
            raise SettingsError(f"a quantile at {level} was asked for; allowed: 0 to 1")
    return levels


def _quantiles(
    chances: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], levels: Sequence[float]
) -> npt.NDArray[np.float64]:
    """Return the quantiles at the levels, shape (levels, states); see AveragedPosteriors."""
    order = np.argsort(chances, axis=0, kind="stable")
    ascending = np.take_along_axis(chances, order, axis=0)
    reached = np.cumsum(weights[order], axis=0)
    reached[-1] = 1  # exactly, despite rounding
    places = np.empty((len(levels), *chances.shape[1:]), dtype=np.intp)
    for row, level in enumerate(levels):
        places[row] = (reached >= level - _ROUNDING).argmax(axis=0)
    return np.take_along_axis(ascending, places, axis=0)


def _standard_error(
    chances: npt.NDArray[np.float64],
    draws: npt.NDArray[np.int64],
    mean: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the standard error of the mean of independent draws, for each state."""
    size = int(draws.sum())
    if size == 1:
        return np.full(mean.shape, np.inf)
    variance = np.tensordot(draws, (chances - mean) ** 2, 1) / (size - 1)
    return np.asarray(np.sqrt(variance / size))
