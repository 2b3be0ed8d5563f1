"""How a posterior depends on each parameter of a network.

With all other parameters fixed, the probability of any evidence is linear in a parameter x: an
entry of a row of a table, or of what a cause by itself brings about, whose other entries vary in
proportion. So a posterior is

    p(x) = P(target and evidence) / P(evidence) = (a x + b) / (c x + d)

(Castillo, Gutierrez and Hadi, 1997; Coupe and van der Gaag, 2002). Both lines are found from their
values at x = 0 and x = 1, which are sums of probabilities, so that nothing cancels:

- All entries of a table take two queries in the network in which that table is uniform, for the
  joint distribution of the family with the evidence, without and with the target. Divided by the
  entry, 1/r, these are the derivatives of both probabilities by all entries, also those that are 0.
- What a cause brings about takes one query for each level of the child, in the network in which
  the cause always brings about that level. Both probabilities are their averages.

Only parameters of the ancestors of the target and of the evidence matter (Shachter, 1986).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import nlargest
from math import exp, log

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Cpt,
    Distribution,
    Family,
    ImpossibleEvidenceError,
    Network,
    NumericalError,
    SettingsError,
    Structure,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.configurations import configuration_codes
from noisyor.core.html_table import html_table
from noisyor.core.number_states import in_state
from noisyor.core.variable import BINARY
from noisyor.inference.evidence import Finding, Given, State, given_words
from noisyor.inference.questions import Inference

Floats = npt.NDArray[np.float64]


_ROUNDING = 1e-12  # relative: a difference of two probabilities that is less is none
_MOST_TIMES_MORE = 700.0  # as a logarithm; products with the states of a table stay finite


@dataclass(frozen=True, slots=True)
class ParameterSensitivity:
    """A posterior as a function of one parameter x: (a x + b) / (c x + d).

    Parameters
    ----------
    node
        The variable whose parameter it is.
    parents
        The states of the parents: all of them for the entry of a table, the one that acts for a
        cause, none for a leak.
    state
        The state of the node whose probability it is, or that the cause by itself brings about.
    value
        The parameter's value in the network.
    joint
        The probability of target and evidence where the parameter is 0, and where it is 1.
    evidence
        That of the evidence. Both are divided by the probability of the evidence in the network.
    """

    node: str
    parents: tuple[tuple[str, str], ...]
    state: str
    value: float
    joint: tuple[float, float]
    evidence: tuple[float, float]

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """The coefficients a, b, c and d."""
        (low, high), (first, last) = self.joint, self.evidence
        return high - low, low, last - first, first

    @property
    def derivative(self) -> float:
        """The derivative of the posterior by the parameter, at the parameter's value.

        It is (a d - b c) / (c x + d)**2, and the probability of the evidence, c x + d, is 1 here.
        """
        rising, falling = self.joint[1] * self.evidence[0], self.joint[0] * self.evidence[1]
        slope = rising - falling
        return slope if abs(slope) > _ROUNDING * (rising + falling) else 0.0

    def posterior_at(self, value: float) -> float | None:
        """Return the posterior if the parameter had this value.

        None if the evidence would then be impossible.
        """
        joint, evidence = (
            (1 - value) * low + value * high for low, high in (self.joint, self.evidence)
        )
        return min(1.0, joint / evidence) if evidence > 0 else None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a posterior depends on the parameters, those with the steepest slope first.

    Parameters
    ----------
    target, state
        What the posterior is the probability of.
    posterior
        The posterior.
    parameters
        Parameters on which it depends, each as if the others stayed as they are.
    given
        The evidence.
    """

    target: str
    state: str
    posterior: float
    parameters: tuple[ParameterSensitivity, ...]
    given: Given

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        rows = [
            (
                in_state(one.node, one.state),
                ", ".join(in_state(name, label) for name, label in one.parents),
                one.value,
                one.derivative,
            )
            for one in self.parameters
        ]
        asked = in_state(self.target, self.state)
        about = f"what {asked}, {self.posterior:.4f}, depends on"
        caption = ", ".join(filter(None, (about, given_words(self.given))))
        return html_table(("parameter of", "parents", "value", "slope"), rows, caption)


@checked_arguments
def sensitivity(
    model: Network | Inference,
    target: str,
    state: State,
    given: Mapping[str, Finding] | None = None,
    *,
    most: int | None = None,
) -> Sensitivity:
    """Return how the posterior of a state depends on each parameter of the network.

    Parameters
    ----------
    model
        A network, or an `Inference`.
    target
        The variable.
    state
        The state of it whose posterior is meant.
    given
        The evidence: the observed state of each variable, by name, or a likelihood for each of its
        states.
    most
        The most parameters to return; all by default.

    """
    if most is not None and most < 1:
        raise SettingsError(f"the most parameters to return is {most}; it must be at least 1")
    inference = model if isinstance(model, Inference) else Inference(model)
    return _Question.of(inference, target, state, given or {}).answer(most)


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """The posterior of a state of a target, and the probability of the evidence to divide by."""

    inference: Inference
    target: str
    label: str
    evidence: Mapping[str, Finding]
    posterior: float
    log_evidence: float
    given: Given

    @classmethod
    def of(
        cls, inference: Inference, target: str, state: State, given: Mapping[str, Finding]
    ) -> "_Question":
        network = inference.network
        answer = inference.posteriors([target], given)
        label = network.variables[network.index(target)].states[network.state_index(target, state)]
        posterior = answer[target][label]
        return cls(inference, target, label, given, posterior, answer.log_evidence, answer.given)

    @property
    def network(self) -> Network:
        return self.inference.network

    def answer(self, most: int | None) -> Sensitivity:
        """Return the parameters by the slope of the posterior, leaving out those without any."""
        found = (one for node in self._relevant() for one in self._of_node(node))
        sloped = (one for one in found if one.derivative != 0)
        if most is None:
            ranked = sorted(sloped, key=lambda one: -abs(one.derivative))
        else:
            ranked = nlargest(most, sloped, key=lambda one: abs(one.derivative))
        return Sensitivity(self.target, self.label, self.posterior, tuple(ranked), self.given)

    def _relevant(self) -> list[int]:
        """Return the target, the evidence, and all their ancestors."""
        waiting = [self.network.index(name) for name in (self.target, *self.evidence)]
        found: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting += self.network.structure.families[node].parent_indices()
        return sorted(found)

    def _of_node(self, node: int) -> Iterator[ParameterSensitivity]:
        if self.network.distributions[node].relation.causes is None:
            return self._of_table(node)
        return self._of_causes(node)

    def _of_table(self, node: int) -> Iterator[ParameterSensitivity]:
        """Yield the entries of a table."""
        table = self.network.distributions[node].expand()
        slopes = self._slopes(node, table)
        rest = _sums_of_others((table.table * slopes).sum(axis=2))
        for row in np.flatnonzero((slopes != 0).any(axis=(0, 2))).tolist():
            yield from self._of_row(
                node,
                self._configuration(node, row),
                table.table[row],
                slopes[:, row],
                rest[:, row],
            )

    def _of_row(
        self,
        node: int,
        parents: tuple[tuple[str, str], ...],
        row: Floats,
        slopes: Floats,
        rest: Floats,
    ) -> Iterator[ParameterSensitivity]:
        """Yield the entries of a distribution of a node's states; if there are two, the last.

        `slopes`, shape (2, states), are the derivatives of both probabilities by the entries, and
        `rest` is what does not depend on them.
        """
        variable = self.network.variables[node]
        for state in self._shown_states(node):
            at_zero = rest + slopes @ _others_in_proportion(row, state)
            at_one = rest + slopes[:, state]
            joint, evidence = zip(at_zero.tolist(), at_one.tolist(), strict=True)
            yield ParameterSensitivity(
                variable.name, parents, variable.states[state], float(row[state]), joint, evidence
            )

    def _shown_states(self, node: int) -> range:
        """Return the states whose probabilities are parameters; of two, that which is caused."""
        states = self.network.variables[node].state_count
        model = self.network.distributions[node].relation.causes
        if states > BINARY:
            return range(states)
        return range(1, states) if model is None else model.level_states(states)[1:]

    def _slopes(self, node: int, table: Cpt) -> Floats:
        """Return the derivatives of both probabilities by the entries, shape (2, rows, states)."""
        uniform = np.full(table.table.shape, 1 / table.child_states)
        changed = self._changed(node, replace(table, table=uniform))
        known = {**self.evidence, self.target: self.label}
        soft = self.evidence.get(self.target)
        likelihood = soft[self.label] if isinstance(soft, Mapping) else 1.0
        with_target = likelihood * self._family_joint(changed, node, known)
        evidence = self._family_joint(changed, node, self.evidence)
        return np.stack([with_target, evidence]) * table.child_states

    def _family_joint(
        self, inference: Inference, node: int, given: Mapping[str, Finding]
    ) -> Floats:
        """Return the probability of each configuration and state with the evidence, as a table."""
        network = inference.network
        members = [*network.structure.families[node].parent_indices(), node]
        sizes = [network.variables[v].state_count for v in members]
        joint = np.zeros(sizes)
        names = [network.names[v] for v in members]
        observed = {name: one for name, one in given.items() if not isinstance(one, Mapping)}
        left = [name for name in names if name not in observed]
        places = tuple(
            network.state_index(name, observed[name]) if name in observed else slice(None)
            for name in names
        )
        try:
            if left:
                answer = inference.joint(left, given)
                joint[places] = answer.table * self._relative(answer.log_evidence, node)
            else:
                joint[places] = self._relative(inference.log_evidence(given), node)
        except ImpossibleEvidenceError:
            joint[:] = 0  # nothing is possible with it
        first_fastest = (*reversed(range(len(sizes) - 1)), len(sizes) - 1)
        return joint.transpose(first_fastest).reshape(-1, sizes[-1])

    def _of_causes(self, node: int) -> Iterator[ParameterSensitivity]:
        """Yield the entries of what each cause by itself brings about."""
        distribution = self.network.distributions[node]
        model, variable = distribution.relation.causes, self.network.variables[node]
        if model is None:
            raise TypeError(f"{variable.name!r} has no causes")
        states = list(model.level_states(variable.state_count))
        parents = self.network.structure.families[node].parent_indices()
        for number, cause in enumerate(distribution.causes()):
            acting: tuple[tuple[str, str], ...] = ()
            if cause.parent is not None:
                parent = self.network.variables[parents[cause.parent]]
                acting = ((parent.name, parent.states[cause.state]),)
            row, slopes = np.empty(len(states)), np.empty((2, len(states)))
            row[states] = cause.brings_about()
            for level, state in enumerate(states):
                slopes[:, state] = self._always(node, distribution, number, level)
            yield from self._of_row(node, acting, row, slopes, np.zeros(2))

    def _always(
        self, node: int, distribution: Distribution, cause: int, level: int
    ) -> tuple[float, float]:
        """Return both probabilities where a cause by itself always brings about one level."""
        q = distribution.parameters().reshape(-1, distribution.child_states - 1).copy()
        q[cause] = 1
        if level:
            q[cause, level - 1] = 0
        other = distribution.relation.distribution(
            q, distribution.child_states, distribution.parent_states
        )
        try:
            answer = self._changed(node, other).posteriors([self.target], self.evidence)
        except ImpossibleEvidenceError:
            return 0.0, 0.0
        chance = self._relative(answer.log_evidence, node)
        return chance * answer[self.target][self.label], chance

    def _relative(self, log_evidence: float, node: int) -> float:
        """Return a probability of evidence divided by that in the network."""
        more = log_evidence - self.log_evidence
        if more > _MOST_TIMES_MORE:
            raise NumericalError(
                f"with other numbers of {self.network.names[node]!r} the evidence would be "
                f"10^{more / log(10):.0f} times as likely: the slope is too large for doubles. "
                "Leave out what makes the evidence so unlikely"
            )
        return exp(more)

    def _changed(self, node: int, distribution: Distribution) -> Inference:
        """Return the network with another distribution at a node, ready to be asked."""
        network = self.network
        families, distributions = list(network.structure.families), list(network.distributions)
        families[node] = Family(node, families[node].parents, distribution.relation)
        distributions[node] = distribution
        changed = replace(
            network,
            structure=Structure(network.names, tuple(families)),
            distributions=tuple(distributions),
        )
        return Inference(changed, most_bytes=self.inference.most_bytes)

    def _configuration(self, node: int, row: int) -> tuple[tuple[str, str], ...]:
        parents = [
            self.network.variables[v]
            for v in self.network.structure.families[node].parent_indices()
        ]
        codes = configuration_codes(row, [parent.state_count for parent in parents])
        return tuple(
            (parent.name, parent.states[code]) for parent, code in zip(parents, codes, strict=True)
        )


def _sums_of_others(values: Floats) -> Floats:
    """Return for each place along the last axis the sum of all others, without a subtraction."""
    before = np.zeros_like(values)
    after = np.zeros_like(values)
    before[..., 1:] = np.cumsum(values[..., :-1], axis=-1)
    after[..., :-1] = np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1]
    return before + after


def _others_in_proportion(row: Floats, state: int) -> Floats:
    """Return the row in which one state is impossible, and the others are as likely as before.

    If it was certain, so that they have no proportion, they are equally likely.
    """
    others = row.copy()
    others[state] = 0
    if not others.any():
        others[:] = 1
        others[state] = 0
    return np.asarray(others / others.sum())
