"""The error of a learned network's answers against those of the true network."""

from dataclasses import dataclass, field
from math import floor, inf

import numpy as np
import numpy.typing as npt

from noisyor.core import MismatchError, Network, NetworkError, SettingsError
from noisyor.core.arguments import checked_arguments
from noisyor.core.arrays import read_only
from noisyor.inference.evidence import UNKNOWN
from noisyor.inference.questions import Inference

TRIALS = 1000
EVIDENCE_SHARE = 0.1

_TRIALS_AT_ONCE = 256  # so that a keyboard interrupt soon takes effect


@dataclass(frozen=True, slots=True, eq=False)
class InferenceError:
    """Errors of a learned network's posteriors: one entry per state of a variable, in each trial.

    `relative` is the median over all entries of |learned - true| / true, `absolute` that of
    |learned - true|. `trial_means` has the mean relative error of each trial.

    An error can be infinite, and medians count it as such. Where the true value is 0, the relative
    error is 0 if the learned one is 0 too (`zero_entries`), and infinite otherwise
    (`infinite_entries`). Where the evidence of a trial is impossible in the learned network
    (`impossible_trials`), it has no answer, though the evidence did occur: both errors of all
    entries of the trial are infinite. Leaving these trials out would favour networks that are
    certain of false statements.
    """

    relative: float
    absolute: float
    trial_means: npt.NDArray[np.float64] = field(repr=False)
    trials: int
    evidence_size: int
    entries: int
    zero_entries: int
    infinite_entries: int
    impossible_trials: int

    def __post_init__(self) -> None:
        """Check the shape once."""
        object.__setattr__(self, "trial_means", read_only(self.trial_means, np.float64))
        if self.trial_means.shape != (self.trials,):
            raise ValueError("one mean per trial")

    @property
    def finite_mean(self) -> float | None:
        """The mean relative error over the trials without an infinite one; None if all have."""
        finite = self.trial_means[np.isfinite(self.trial_means)]
        return float(finite.mean()) if finite.size else None


@checked_arguments
def inference_error(
    truth: Network,
    learned: Network,
    *,
    trials: int = TRIALS,
    evidence_share: float = EVIDENCE_SHARE,
    seed: int = 0,
) -> InferenceError:
    """Return the error of a learned network's posteriors against the true ones.

    In each trial a share of the variables, chosen at random, is observed. The number is rounded
    to the nearest, half a variable up, with at least one variable observed and one not. Their
    states are drawn one after another from the posterior in the true network, given those before.
    Then both networks give the posterior of each state of each other variable. Variables and
    states are matched by name. The result is the same for the same seed.

    Parameters
    ----------
    truth
        The network that made the data.
    learned
        A network of the same variables and states.
    trials
        The number of trials.
    evidence_share
        The share of the variables that are observed, above 0 and below 1.
    seed
        The seed of the generator.

    """
    _check_settings(truth, trials, evidence_share)
    matched = _Matched.of(truth, learned)
    size = evidence_size(len(truth.names), evidence_share)
    true, other = Inference(truth), Inference(learned)
    random = np.random.default_rng(seed)
    relative, absolute, means = [], [], []
    impossible = zeros = infinite = 0
    for start in range(0, trials, _TRIALS_AT_ONCE):
        observed = draw_evidence(true, size, min(_TRIALS_AT_ONCE, trials - start), random)
        everything = np.ones(len(truth.names), dtype=np.uint8)
        wanted = true.marginals(observed, everything)[0]
        found, log_evidence = other.marginals(matched.to_learned(observed), everything)
        left = (observed == UNKNOWN)[:, matched.variables]  # an entry for each state
        difference = np.abs(matched.to_truth(found) - wanted)
        no_answer = np.isneginf(log_evidence)
        difference[no_answer] = inf
        errors = _relative(difference, wanted)
        absolute.append(difference[left])
        relative.append(errors[left])
        means.append(np.where(left, errors, 0).sum(axis=1) / left.sum(axis=1))
        impossible += int(no_answer.sum())
        zeros += int((left & (wanted == 0) & (difference == 0)).sum())
        infinite += int((left & np.isinf(errors))[~no_answer].sum())
    every_error = np.concatenate(relative)
    return InferenceError(
        relative=float(np.median(every_error)),
        absolute=float(np.median(np.concatenate(absolute))),
        trial_means=np.concatenate(means),
        trials=trials,
        evidence_size=size,
        entries=every_error.size,
        zero_entries=zeros,
        infinite_entries=infinite,
        impossible_trials=impossible,
    )


def evidence_size(variables: int, share: float) -> int:
    """Return how many of the variables are observed: at least one, and not all.

    The share is rounded to the nearest number, half a variable up.
    """
    return min(max(floor(share * variables + 0.5), 1), variables - 1)


def draw_evidence(
    true: Inference, size: int, trials: int, random: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Return observations of `size` variables per trial: a state, or UNKNOWN, shape (trials, n).

    Trials use the generator one after another, so one call with many trials equals several calls.
    """
    count = len(true.network.names)
    numbers = random.random((trials, count + size))
    chosen = np.argsort(numbers[:, :count], axis=1, kind="stable")[:, :size]
    observed = np.full((trials, count), UNKNOWN, dtype=np.uint8)
    for step in range(size):
        states = np.empty(trials, dtype=np.uint8)
        # A query is cheaper with one target, and those of many trials are answered together.
        for variable in np.unique(chosen[:, step]).tolist():
            rows = np.flatnonzero(chosen[:, step] == variable)
            target = np.zeros(count, dtype=np.uint8)
            target[variable] = 1
            own = slice(*true.state_offsets[variable : variable + 2])
            chances = true.marginals(observed[rows], target)[0][:, own]
            at_least = chances[:, ::-1].cumsum(axis=1)[:, -2::-1]  # each state but the first
            states[rows] = (numbers[rows, count + step, None] < at_least).sum(axis=1)
        observed[np.arange(trials), chosen[:, step]] = states
    return observed


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """Where the learned network has the true variables and their states.

    `places` has the variables, and `orders` for each of them the states. `entries` has the place of
    each state of the true network in the rows of the learned one's chances, and `variables` its
    variable.
    """

    places: npt.NDArray[np.intp]
    orders: tuple[npt.NDArray[np.uint8], ...]
    entries: npt.NDArray[np.intp]
    variables: npt.NDArray[np.intp]

    @classmethod
    def of(cls, truth: Network, learned: Network) -> "_Matched":
        """Refuse networks over different variables or states."""
        if set(truth.names) != set(learned.names):
            missing = sorted(set(truth.names) - set(learned.names))
            extra = sorted(set(learned.names) - set(truth.names))
            raise MismatchError(
                "the networks have different variables; only in the true one: "
                f"{', '.join(missing) or 'none'}; only in the learned one: "
                f"{', '.join(extra) or 'none'}"
            )
        places = [learned.index(name) for name in truth.names]
        starts = np.cumsum([0, *(len(states) for states in learned.states)])
        orders, entries = [], []
        for name, own, place in zip(truth.names, truth.states, places, strict=True):
            others = learned.states[place]
            if set(own) != set(others):
                raise MismatchError(
                    f"the states of {name!r} are {' and '.join(own)} in the true network, and "
                    f"{' and '.join(others)} in the learned one; they must be the same"
                )
            orders.append(np.array([others.index(label) for label in own], dtype=np.uint8))
            entries.append(starts[place] + orders[-1].astype(np.intp))
        variables = np.repeat(np.arange(len(orders)), [len(order) for order in orders])
        return cls(np.array(places), tuple(orders), np.concatenate(entries), variables)

    def to_learned(self, observed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return the true network's observations in the learned one's order and states."""
        result = np.full_like(observed, UNKNOWN)
        for variable, (place, order) in enumerate(zip(self.places, self.orders, strict=True)):
            rows = observed[:, variable] != UNKNOWN
            result[rows, place] = order[observed[rows, variable]]
        return result

    def to_truth(self, chances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the learned network's chances in the true one's order and states."""
        return chances[:, self.entries]


def _check_settings(truth: Network, trials: int, evidence_share: float) -> None:
    if trials < 1:
        raise SettingsError(f"the number of trials is {trials}; it must be at least 1")
    if not 0 < evidence_share < 1:
        raise SettingsError(f"the share of evidence is {evidence_share}; allowed: above 0, below 1")
    if len(truth.names) == 1:
        raise NetworkError(
            f"the network has only the variable {truth.names[0]!r}; with evidence on it no query "
            "is left. At least two variables are needed"
        )


def _relative(
    difference: npt.NDArray[np.float64], true: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return difference / true, with 0 / 0 as 0 and any other division by 0 as infinite."""
    result = np.where(difference > 0, inf, 0.0)
    with np.errstate(over="ignore"):  # an overflow is infinite, too
        np.divide(difference, true, out=result, where=true > 0)
    return result
