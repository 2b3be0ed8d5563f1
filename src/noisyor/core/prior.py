"""Prior beliefs about the structure that a person can state: about arcs, and about relations."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log, log1p

from noisyor.core.errors import FormatError, SettingsError
from noisyor.core.listing import expected_names
from noisyor.core.relations import Relation, relation_named

ArcProbability = tuple[str, str, float]
"""A parent, a child, and the probability of the arc between them."""


@dataclass(frozen=True, slots=True)
class Prior:
    """How likely arcs and relations are before the records are seen.

    Arcs are taken as independent, as far as networks without cycles allow. An arc of probability p
    adds ln((1 - p) / p) nats to the cost of every family that has it: 2.2 nats for p = 0.1, nothing
    for p = 1/2, and -2.2 nats for p = 0.9. A relation of weight w adds -ln(w) nats to every family
    of parents that has it. A family without parents costs nothing more.

    Parameters
    ----------
    arcs
        Probabilities of single arcs: a mapping from (parent, child) to the probability, or triples
        (parent, child, probability). They lie between 0 and 1; what is certain is knowledge (see
        `Knowledge`), not a prior.
    arc
        The probability of every other arc: below 1/2 for sparse networks.
    relations
        Weights of relations, by name. A relation that is not listed has weight 1.

    Examples
    --------
    >>> Prior(arcs={("smoking", "cancer"): 0.9}, arc=0.1).weight("age", "cancer")
    2.1972245773362196
    """

    arcs: Mapping[tuple[str, str], float] | Iterable[ArcProbability] = ()
    arc: float = 0.5
    relations: Mapping[str, float] | Iterable[tuple[str, float]] = ()

    def __post_init__(self) -> None:
        """Refuse numbers that are no probabilities or weights, and arcs that are given twice."""
        arcs = _triples(self.arcs)
        for parent, child, probability in arcs:
            if parent == child:
                raise SettingsError(f"the prior has an arc from {parent!r} to itself")
            _check_probability(probability, f"the arc {parent!r} -> {child!r}", parent, child)
        counts = Counter(arc[:2] for arc in arcs)
        for (parent, child), count in counts.items():
            if count > 1:
                raise SettingsError(f"the arc {parent!r} -> {child!r} has {count} probabilities")
        _check_probability(self.arc, "every other arc")
        weights = tuple(sorted(dict(self.relations).items()))
        for name, weight in weights:
            relation_named(name)  # refuses a relation that does not exist
            if not (isfinite(weight) and weight > 0):
                raise SettingsError(
                    f"the weight of {name} is {weight}; it must be a number above 0. A relation "
                    "that is ruled out is left out of the relations that compete"
                )
        # What says nothing is left out, so that equal priors are equal.
        told = sorted(arc for arc in arcs if arc[2] != self.arc)
        weighed = tuple((name, float(weight)) for name, weight in weights if weight != 1)
        object.__setattr__(self, "arcs", tuple(told))
        object.__setattr__(self, "arc", float(self.arc))
        object.__setattr__(self, "relations", weighed)

    @classmethod
    def none(cls) -> "Prior":
        """Return the prior that prefers nothing."""
        return cls()

    @property
    def is_none(self) -> bool:
        """Whether the prior prefers nothing: it adds nothing to any cost."""
        return not self.weighs_arcs and not self.relations

    def probabilities(self) -> dict[tuple[str, str], float]:
        """Return the probabilities of single arcs, by parent and child."""
        return {(parent, child): own for parent, child, own in _triples(self.arcs)}

    def names(self) -> frozenset[str]:
        """Return the variables whose arcs the prior names."""
        return frozenset(name for arc in self.probabilities() for name in arc)

    def weight(self, parent: str, child: str) -> float:
        """Return what an arc adds to the cost of a family, in nats."""
        return _odds_against(self.probabilities().get((parent, child), self.arc))

    @property
    def weighs_arcs(self) -> bool:
        """Whether any arc costs something."""
        return self.arc != 1 / 2 or bool(self.arcs)

    def weights(self, names: Sequence[str], child: int) -> tuple[float, ...]:
        """Return what each variable adds to a family of the child, in nats; empty if nothing."""
        below = names[child]
        given = {above: own for (above, one), own in self.probabilities().items() if one == below}
        if self.arc == 1 / 2 and not given:
            return ()
        return tuple(_odds_against(given.get(above, self.arc)) for above in names)

    def relation_cost(self, relation: Relation) -> float:
        """Return what a relation adds to the cost of a family of parents, in nats."""
        return -log(dict(self.relations).get(relation.name, 1.0))

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse arcs between variables that a table does not have."""
        for parent, child in self.probabilities():
            for name in (parent, child):
                if name not in names:
                    raise SettingsError(
                        f"the prior has an arc {parent!r} -> {child!r}, but there is no variable "
                        f"{name!r}; {expected_names(name, names, 'the table')}"
                    )

    def __str__(self) -> str:
        """Return the prior as one line of JSON, which `Prior.parse` reads; `none` if there is none.

        It is how files and results record the prior.
        """
        if self.is_none:
            return "none"
        said: dict[str, object] = {"arc": self.arc}
        if self.arcs:
            said["arcs"] = [list(arc) for arc in _triples(self.arcs)]
        if self.relations:
            said["relations"] = dict(self.relations)
        return json.dumps(said, ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> "Prior":
        """Return the prior that `str` wrote."""
        if text == "none":
            return cls.none()
        try:
            said = json.loads(text)
            arcs = [(str(above), str(below), own) for above, below, own in said.get("arcs", ())]
            return cls(arcs, said["arc"], said.get("relations", {}))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FormatError(f"a prior is recorded as {text!r:.80}, which is no prior") from error

    def words(self) -> str:
        """Return the prior in a few words, for people."""
        if self.is_none:
            return "none"
        arcs = _triples(self.arcs)
        parts = []
        if arcs:
            parts.append(f"probabilities of {len(arcs)} arc{'s' if len(arcs) > 1 else ''}")
        if self.arc != 1 / 2:
            parts.append(f"{self.arc:g} for {'any other' if arcs else 'every'} arc")
        parts += [f"weight {own:g} for {name}" for name, own in dict(self.relations).items()]
        return ", ".join(parts)


def _triples(
    arcs: Mapping[tuple[str, str], float] | Iterable[ArcProbability],
) -> tuple[ArcProbability, ...]:
    if isinstance(arcs, Mapping):
        return tuple((*pair, float(probability)) for pair, probability in arcs.items())
    return tuple((parent, child, float(own)) for parent, child, own in arcs)


def _check_probability(probability: float, what: str, parent: str = "", child: str = "") -> None:
    if 0 < probability < 1:
        return
    message = f"the probability of {what} is {probability:g}; it must lie between 0 and 1"
    if parent and probability in {0, 1}:
        kind = "required" if probability else "forbidden"
        message += f". An arc that is certain is {kind} knowledge: {parent} -> {child}"
    raise SettingsError(message)


def _odds_against(probability: float) -> float:
    return log1p(-probability) - log(probability)  # finite also for the smallest numbers
