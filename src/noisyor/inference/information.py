"""Which finding to ask for next: how informative each is about a target.

The value of a finding F for a target T, given the evidence e, is the expected drop of the entropy
of T when F becomes known. That is their mutual information given e, which is symmetric:

    H(T | e) - sum over f of P(f | e) H(T | f, e)
      =  sum over t of P(t | e) sum over f of P(f | t, e) ln(P(f | t, e) / P(f | e)).

By the second form, one query for each state of the target answers for all findings together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from noisyor.core import ImpossibleEvidenceError, Network, NetworkError, NetworkSet, SettingsError
from noisyor.core.arguments import checked_arguments
from noisyor.core.html_table import html_table
from noisyor.core.listing import expected_names
from noisyor.inference.evidence import Finding, Given, given_words
from noisyor.inference.questions import MOST_BYTES, Inference

Floats = npt.NDArray[np.float64]
Joints = dict[str, Floats]
"""By finding, the probability of each pair of states, shape (target, finding)."""

_NEAR = 1e-2  # nearer to 1, the difference of two almost equal numbers is computed as a series
_ROUNDING = 1e-12  # a drop of the entropy that is less is none


@dataclass(frozen=True, slots=True)
class FindingValue:
    """How informative a finding is about a target.

    Parameters
    ----------
    name
        The variable to be observed.
    drop
        The expected drop of the target's entropy, in nats.
    share
        The drop as a share of the target's entropy; 0 if that is 0.
    cost
        What it costs to observe the variable; None if no costs were given.
    """

    name: str
    drop: float
    share: float
    cost: float | None = None

    @property
    def per_cost(self) -> float:
        """The drop for each unit of cost; the drop itself where there are no costs."""
        return self.drop if self.cost is None else self.drop / self.cost


@dataclass(frozen=True, slots=True)
class ValueOfInformation:
    """The value of findings for a target, the most valuable first.

    Where costs were given, that is the drop per cost. `entropy` is the target's, in nats, given the
    evidence, and `chances` are those of its states.
    """

    target: str
    chances: Mapping[str, float]
    entropy: float
    findings: tuple[FindingValue, ...]
    given: Given

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        priced = any(one.cost is not None for one in self.findings)
        rows = [
            (one.name, *map(_unless_rounding, (one.drop, one.share)))
            + ((one.per_cost,) if priced else ())
            for one in self.findings
        ]
        columns = ("finding", "drop (nats)", "share", *(("drop per cost",) if priced else ()))
        about = f"what findings tell about {self.target}, of {self.entropy:.4f} nats"
        caption = ", ".join(filter(None, (about, given_words(self.given))))
        return html_table(columns, rows, caption)

    def __getitem__(self, name: str) -> FindingValue:
        for one in self.findings:
            if one.name == name:
                return one
        raise KeyError(name)


def _unless_rounding(value: float) -> float:
    """Return a value for a reader: what is only rounding is nothing."""
    return value if value >= _ROUNDING else 0.0


@checked_arguments
def value_of_information(  # noqa: PLR0913 (one option each)
    model: Network | NetworkSet | Inference,
    target: str,
    findings: Iterable[str] | None = None,
    given: Mapping[str, Finding] | None = None,
    costs: Mapping[str, float] | None = None,
    *,
    most_bytes: int = MOST_BYTES,
) -> ValueOfInformation:
    """Return how informative each finding is about a target, the most informative first.

    For a credible set the probabilities are averaged over the networks, as `average` does, and the
    values are those of the averaged probabilities.

    Parameters
    ----------
    model
        A network, a credible set, or an `Inference`.
    target
        The variable that is to become known.
    findings
        The variables that can be observed; by default all others that were not.
    given
        The evidence: the observed state of each variable, by name, or a likelihood for each of its
        states.
    costs
        What it costs to observe a variable, by name, above 0; a variable that is not listed
        costs 1. The findings are then ranked by the value per cost.
    most_bytes
        The most memory for the tables of a query to one network; an `Inference` has its own limit.

    Raises
    ------
    ImpossibleEvidenceError
        The evidence is impossible, in a credible set in every network.

    """
    names = model.network.names if isinstance(model, Inference) else model.names
    asked = _findings(names, target, findings, given or {})
    prices = _checked_costs(names, costs)
    joints, chances, labels = _averaged(model, target, asked, given or {}, most_bytes)
    entropy = _entropy(np.array(list(chances.values())))
    found = []
    for name in asked:
        drop = min(_information(joints[name]), entropy)  # above only by rounding
        share = drop / entropy if entropy > 0 else 0.0
        cost = None if prices is None else prices.get(name, 1.0)
        found.append(FindingValue(name, drop, share, cost))
    found.sort(key=lambda one: -one.per_cost)
    return ValueOfInformation(target, chances, entropy, tuple(found), labels)


def _findings(
    names: tuple[str, ...],
    target: str,
    findings: Iterable[str] | None,
    given: Mapping[str, Finding],
) -> tuple[str, ...]:
    """Return the findings, checked. A variable with soft evidence can still be observed."""
    observed = {name for name, one in given.items() if not isinstance(one, Mapping)}
    if findings is None:
        return tuple(name for name in names if name != target and name not in observed)
    if isinstance(findings, str):
        raise NetworkError(f"findings is the text {findings!r}; it must be a list of names")
    asked = tuple(dict.fromkeys(findings))
    for name in asked:
        if name == target:
            raise NetworkError(f"{name!r} is the target, so it cannot be a finding as well")
        if name in observed:
            raise NetworkError(f"{name!r} was observed, so it cannot be asked for")
    return asked


def _checked_costs(
    names: tuple[str, ...], costs: Mapping[str, float] | None
) -> Mapping[str, float] | None:
    for name, cost in (costs or {}).items():
        if name not in names:
            raise NetworkError(
                f"there is a cost of {name!r}, but no such variable; "
                f"{expected_names(name, names, 'the network')}"
            )
        if not (isfinite(cost) and cost > 0):
            raise SettingsError(f"the cost of {name!r} is {cost}; it must be a number above 0")
    return costs or None


def _averaged(
    model: Network | NetworkSet | Inference,
    target: str,
    findings: tuple[str, ...],
    given: Mapping[str, Finding],
    most_bytes: int,
) -> tuple[Joints, dict[str, float], Given]:
    """Return the joints with the target, its own chances, and the evidence."""
    if not isinstance(model, NetworkSet):
        asked = model if isinstance(model, Inference) else Inference(model, most_bytes=most_bytes)
        return _joints(asked, target, findings, given)
    answers, weights = [], []
    for network, weight in zip(model, model.weights().tolist(), strict=True):
        try:
            asked = Inference(network, most_bytes=most_bytes)
            answers.append(_joints(asked, target, findings, given))
        except ImpossibleEvidenceError as error:
            refusal = error
        else:
            weights.append(weight)
    if not answers:
        raise ImpossibleEvidenceError(
            f"the evidence is impossible in each of the {len(model)} networks; in the last one, "
            f"{refusal}"
        )
    shares = np.array(weights) / sum(weights)
    joints = {
        name: np.tensordot(shares, np.array([one[0][name] for one in answers]), 1)
        for name in findings
    }
    chances = {state: float(shares @ [one[1][state] for one in answers]) for state in answers[0][1]}
    return joints, chances, answers[0][2]


def _joints(
    inference: Inference, target: str, findings: tuple[str, ...], given: Mapping[str, Finding]
) -> tuple[Joints, dict[str, float], Given]:
    """Return the joints in one network, from one query for each state of the target."""
    network = inference.network
    answer = inference.posteriors([target], given)
    labels = network.variables[network.index(target)].states
    chances = {label: answer[target][label] for label in labels}
    states = {name: network.variables[network.index(name)].states for name in findings}
    joints = {name: np.zeros((len(labels), len(own))) for name, own in states.items()}
    for place, (label, chance) in enumerate(chances.items()):
        if chance == 0 or not findings:
            continue
        # Where the target is known, soft evidence on it changes nothing.
        others = inference.posteriors(findings, {**given, target: label})
        for name, own in states.items():
            joints[name][place] = chance * np.array([others[name][state] for state in own])
    return joints, chances, answer.given


def _entropy(chances: Floats) -> float:
    """Return -sum of p ln p."""
    positive = chances[chances > 0]
    return max(0.0, -float((positive * np.log(positive)).sum()))


def _information(joint: Floats) -> float:
    """Return the mutual information of two variables from their joint, as a sum of terms >= 0.

    With r = P(t, f) / (P(t) P(f)) it is the mean of r ln r - r + 1 under independence, since r has
    the mean 1. No term is negative, so independent variables have 0, not the rounding of a sum.
    """
    independent = np.multiply.outer(joint.sum(axis=1), joint.sum(axis=0))
    possible = independent > 0
    away = joint[possible] / independent[possible] - 1
    terms = np.empty_like(away)
    near = np.abs(away) < _NEAR
    small = away[near]
    # (1 + d) ln(1 + d) - d, as a series; the next term is below 1e-16 of the first
    terms[near] = small**2 * _series(small)
    far = 1 + away[~near]
    terms[~near] = np.where(far > 0, far * np.log(np.where(far > 0, far, 1)), 0) - away[~near]
    return float((independent[possible] * terms).sum())


def _series(small: Floats) -> Floats:
    """Return the sum of (-d)**k / ((k + 1) (k + 2)) for k = 0, 1, ..."""
    value = np.zeros_like(small)
    for power in reversed(range(9)):
        value = 1 / ((power + 1) * (power + 2)) - small * value
    return value
