"""Exact answers from one network."""

from collections.abc import Iterable, Mapping
from itertools import accumulate
from math import inf, log2, prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import (
    ImpossibleEvidenceError,
    Network,
    NetworkError,
    SettingsError,
    TableSizeError,
)
from noisyor.core.arrays import hand_over
from noisyor.inference.answers import Draws, JointPosterior, MostProbable, Posteriors
from noisyor.inference.evidence import UNKNOWN, Evidence, Finding, State
from noisyor.inference.flat_network import flat_network

if TYPE_CHECKING:
    from noisyor.inference.information import ValueOfInformation
    from noisyor.inference.parameter_sensitivity import Sensitivity

MOST_BYTES = 2**31
"""The most memory for the tables of one query."""

MOST_ENTRIES = 2.0**35
"""The most table entries that one query computes; so many take some minutes."""

MOST_JOINT_ENTRIES = 2**20
"""The most entries of a joint distribution."""


class Inference:
    """Exact inference in one network.

    Each query is answered exactly, by message passing in a cluster tree made for it: irrelevant
    variables are left out, the evidence is entered first, and independent causes become small
    tables (see docs/inference.md). Queries do not change the object.

    Evidence is the observed state of each variable, by name. Soft evidence is a likelihood for each
    state instead: `given={"fever": "high", "cough": {"no": 0.2, "yes": 1}}`. It says how probable
    the finding is in each state; only the ratios matter.

    Parameters
    ----------
    network
        The network. Its variables may have any numbers of states.
    most_bytes
        The most memory that the tables of one query may take. A query that needs more is refused
        before it starts.
    """

    def __init__(self, network: Network, *, most_bytes: int = MOST_BYTES) -> None:
        if most_bytes < 1:
            raise SettingsError(f"most_bytes is {most_bytes}; it must be at least 1")
        self.network = network
        self.most_bytes = most_bytes
        self._flat = flat_network(network)
        self._limits = (MOST_ENTRIES, float(most_bytes))
        sizes = [variable.state_count for variable in network.variables]
        self.state_offsets = (0, *accumulate(sizes))
        """Where the states of each variable begin in the rows of `marginals`."""

    def posteriors(
        self, targets: Iterable[str] | None = None, given: Mapping[str, Finding] | None = None
    ) -> Posteriors:
        """Return the distribution of each target, given the evidence.

        Parameters
        ----------
        targets
            Names of variables; by default all that were not observed.
        given
            The evidence: the observed state of each variable, by name, or a likelihood for each of
            its states.

        """
        evidence = Evidence.of(self.network, given)
        chosen = self._targets(targets, evidence)
        chances, log_evidence = self._marginals(evidence, self._marked(chosen))
        self._refuse_impossible(log_evidence, evidence)
        variables, offsets = self.network.variables, self.state_offsets
        return Posteriors(
            tuple([variables[v].name for v in chosen]),
            tuple([variables[v].states for v in chosen]),
            tuple([chances[offsets[v] : offsets[v + 1]] for v in chosen]),
            evidence.given(),
            log_evidence,
        )

    def joint(
        self, targets: Iterable[str], given: Mapping[str, Finding] | None = None
    ) -> JointPosterior:
        """Return the joint distribution of the targets, given the evidence.

        Parameters
        ----------
        targets
            Names of variables.
        given
            The evidence: the observed state of each variable, by name, or a likelihood for each of
            its states.

        """
        evidence = Evidence.of(self.network, given)
        chosen = self._targets(targets, evidence)
        if not chosen:
            raise TableSizeError("a joint distribution of no variables was asked for")
        states = tuple(self.network.variables[v].states for v in chosen)
        size = prod(map(len, states))
        if size > MOST_JOINT_ENTRIES:
            raise TableSizeError(
                f"a joint distribution of {len(chosen)} variables was asked for, with {size} "
                f"entries; allowed: {MOST_JOINT_ENTRIES}"
            )
        values, log_evidence, work = kernels.joint(
            self._flat,
            evidence.codes(),
            *evidence.soft(),
            # The kernel's first variable varies fastest; in an array, the last one does.
            np.array(chosen[::-1], dtype=np.int32),
            *self._limits,
        )
        self._refuse_large(*work)
        self._refuse_impossible(log_evidence, evidence)
        return JointPosterior(
            tuple(self.network.names[v] for v in chosen),
            states,
            values.reshape(tuple(map(len, states))),
            evidence.given(),
            log_evidence,
        )

    def log_evidence(self, given: Mapping[str, Finding]) -> float:
        """Return the logarithm of the probability of the evidence, -inf if it is impossible.

        With soft evidence, it is the logarithm of the expected likelihood.

        Parameters
        ----------
        given
            The evidence: the observed state of each variable, by name, or a likelihood for each of
            its states.

        """
        return self._log_evidence(Evidence.of(self.network, given))

    def most_probable(self, given: Mapping[str, Finding] | None = None) -> MostProbable:
        """Return the most probable states of all variables, given the evidence.

        Independent causes are expanded to full tables of their unobserved parents, unless the child
        is observed in its lowest state (of a minimum, its highest): auxiliary variables would have
        to be summed out, which does not commute with the maximum.

        Parameters
        ----------
        given
            The evidence: the observed state of each variable, by name, or a likelihood for each of
            its states.

        """
        evidence = Evidence.of(self.network, given)
        states, log_probability, work = kernels.most_probable(
            self._flat, evidence.codes(), *evidence.soft(), *self._limits
        )
        self._refuse_large(*work, widest=self._widest(evidence))
        self._refuse_impossible(log_probability, evidence)
        labels = {
            variable.name: variable.states[int(state)]
            for variable, state in zip(self.network.variables, states.tolist(), strict=True)
        }
        return MostProbable(labels, evidence.given(), log_probability, self._log_evidence(evidence))

    def value_of_information(
        self,
        target: str,
        findings: Iterable[str] | None = None,
        given: Mapping[str, Finding] | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> "ValueOfInformation":
        """Return how informative each finding is about a target.

        Parameters
        ----------
        target, findings, given, costs
            As for `noisyor.value_of_information`.

        """
        from noisyor.inference.information import value_of_information  # noqa: PLC0415  (a cycle)

        return value_of_information(self, target, findings, given, costs)

    def sensitivity(
        self,
        target: str,
        state: State,
        given: Mapping[str, Finding] | None = None,
        *,
        most: int | None = None,
    ) -> "Sensitivity":
        """Return how the posterior of a state depends on each parameter of the network.

        Parameters
        ----------
        target, state, given, most
            As for `noisyor.sensitivity`.

        """
        from noisyor.inference.parameter_sensitivity import sensitivity  # noqa: PLC0415  (a cycle)

        return sensitivity(self, target, state, given, most=most)

    def memory_needed(
        self, targets: Iterable[str] | None = None, given: Mapping[str, Finding] | None = None
    ) -> int:
        """Return about how many bytes the tables of a query for posteriors take, without asking it.

        Twice as many where products underflow and are computed with a wider exponent.

        Parameters
        ----------
        targets
            Names of variables; by default all that were not observed.
        given
            The evidence: the observed state of each variable, by name, or a likelihood for each of
            its states.

        """
        evidence = Evidence.of(self.network, given)
        wanted = self._marked(self._targets(targets, evidence))
        return int(
            kernels.marginals_size(
                self._flat, evidence.codes(), *evidence.soft(), wanted, *self._limits
            )[1]
        )

    def marginals(
        self, observed: npt.NDArray[np.uint8], targets: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Answer many queries at once, each a row of observations (a state, or UNKNOWN).

        Return the chances of the states of the marked targets, and 0 for the others, shape (rows,
        states of all variables), and the logarithm of the probability of each row's observations.
        The states of variable v begin at `state_offsets[v]`. Where the logarithm is -inf, the row's
        chances have no meaning.
        """
        self._check_states(observed)
        nothing = np.empty(0, dtype=np.int32), np.empty(0)
        chances, log_evidence, work = kernels.marginals(
            self._flat, observed, *nothing, targets, *self._limits
        )
        self._refuse_large(*work)
        return chances, log_evidence

    def draws(
        self,
        observed: npt.NDArray[np.uint8],
        points: npt.NDArray[np.int64],
        keys: npt.NDArray[np.uint64],
    ) -> Draws:
        """Draw the states of all variables given each row of observations (a state, or UNKNOWN).

        Each row has as many draws as points. They are systematic: of a completion with the
        conditional probability p there are points * p, rounded up or down so that this is their
        expected number. The random numbers are a function of the row's key. Where the logarithm of
        a row's probability is -inf, it has no draws.
        """
        self._check_states(observed)
        codes, counts, ends, log_evidence, work = kernels.draws(
            self._flat, observed, points, keys, *self._limits
        )
        self._refuse_large(*work)
        return Draws(codes, counts, ends, log_evidence)

    def _check_states(self, observed: npt.NDArray[np.uint8]) -> None:
        """Refuse codes that are no states: the kernels would read beyond their tables."""
        sizes = np.diff(self.state_offsets)
        if observed.ndim != 2 or observed.shape[1] != len(sizes):  # noqa: PLR2004  (rows, columns)
            raise ValueError(
                f"observations have shape {observed.shape}; the network has {len(sizes)} variables"
            )
        wrong = ((observed >= sizes) & (observed != UNKNOWN)).any(axis=0)
        if wrong.any():
            name = self.network.names[int(wrong.argmax())]
            raise ValueError(f"an observation of {name!r} has a code beyond its states")

    def _marginals(
        self, evidence: Evidence, wanted: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.float64], float]:
        """Return the chances of the states of the marked targets, and the evidence's logarithm."""
        chances, log_evidence, work = kernels.marginals(
            self._flat, evidence.codes()[None], *evidence.soft(), wanted, *self._limits
        )
        self._refuse_large(*work)
        return hand_over(chances)[0], float(log_evidence[0])

    def _log_evidence(self, evidence: Evidence) -> float:
        return self._marginals(evidence, self._marked([]))[1]

    def _marked(self, chosen: list[int]) -> npt.NDArray[np.uint8]:
        """Return 1 for these variables and 0 for the others."""
        marks = np.zeros(len(self.network.names), dtype=np.uint8)
        marks[chosen] = 1
        return marks

    def _targets(self, targets: Iterable[str] | None, evidence: Evidence) -> list[int]:
        if targets is None:
            everyone = range(len(self.network.names))
            codes = evidence.codes().tolist()
            return [v for v in everyone if codes[v] == UNKNOWN]
        if isinstance(targets, str):
            raise NetworkError(f"targets is the text {targets!r}; it must be a list of names")
        names = tuple(targets)
        chosen = [self.network.index(name) for name in names]
        for v in chosen:
            if evidence.is_observed(v):
                raise NetworkError(
                    f"{self.network.names[v]!r} is both a target and observed; a target must not "
                    "be in the evidence"
                )
        if len(set(chosen)) != len(chosen):
            raise NetworkError(f"a target is named twice: {', '.join(names)}")
        return chosen

    def _refuse_large(self, refused: bool, entries: float, needed: float, widest: str = "") -> None:
        if not refused:
            return
        most_entries, most_bytes = self._limits
        size = (
            f"need about {_in_bytes(needed)}; the limit is {_in_bytes(most_bytes)}"
            if needed > most_bytes
            else f"have {entries:.1e} entries to compute; at most {most_entries:.1e} are allowed"
        )
        raise TableSizeError(
            f"the network is too densely connected for an exact answer: its tables {size}."
            f"{widest} Ask for fewer variables, observe more of them, or allow more memory "
            "(most_bytes)"
        )

    def _widest(self, evidence: Evidence) -> str:
        """Return which causes give the largest table, for the refusal of the most probable."""
        sizes = {}
        for child, family in enumerate(self.network.structure.families):
            if family.relation.causes is not None:
                left = [v for v in family.parent_indices() if not evidence.is_observed(v)]
                sizes[child] = prod(self.network.variables[v].state_count for v in (child, *left))
        if not sizes:
            return ""
        child = max(sizes, key=sizes.__getitem__)
        return (
            f" The most probable states need a table for the causes of "
            f"{self.network.names[child]!r}; posteriors do not."
        )

    def _refuse_impossible(self, log_evidence: float, evidence: Evidence) -> None:
        """Raise an error that names the first finding that contradicts those before it."""
        if log_evidence > -inf:
            return
        possible, impossible = 0, len(evidence.findings)
        texts = evidence.texts()
        while impossible - possible > 1:  # more findings never make the impossible possible
            middle = (possible + impossible) // 2
            try:
                found = self._log_evidence(evidence.first(middle))
            except TableSizeError:  # fewer findings may need larger tables
                raise ImpossibleEvidenceError(
                    f"{', '.join(texts)} have probability zero together in this network"
                ) from None
            if found > -inf:
                possible = middle
            else:
                impossible = middle
        before = ", ".join(texts[:possible])
        raise ImpossibleEvidenceError(
            f"{texts[possible]} has probability zero in this network"
            + (f" together with {before}" if before else "")
        )


def _in_bytes(size: float) -> str:
    """Return a size as text, in the unit that suits it."""
    units = ("bytes", "KiB", "MiB", "GiB")
    place = min(int(log2(max(size, 1))) // 10, len(units) - 1)
    return f"{size / 1024**place:.3g} {units[place]}"
