"""One family with its parameters, as JSON types.

The `parameters` of a full table are

    {"kind": "table", "configurations": [...], "chances": [...], "records": [...], "left_out": 0}

with an entry in each list per configuration of the parents, numbered in mixed radix with the first
parent fastest: the chances of the child's states but the first, and the number of records. Where no
record has the configuration, the chances have no meaning. A large table shows the configurations
with the most records, and `left_out` counts the others. The parameters of a relation with causes
are

    {"kind": "causes", "parents": [...], "states": [...], "effects": [...], "strengths": [...],
     "unseen": [...], "left_out": 0, "explained": ...}

with an entry in each list per cause and level: the parent, null for the leak, and its state that
acts; the state of the child that it brings about; and its strength. Idle states are not listed.
`unseen` has the places whose strengths have no meaning, since no record says anything about them.
Of very many causes the strongest are listed, and `left_out` counts the others.
`explained` is null, or has the intervals (`lower`, `upper`, `determined`, with an entry per listed
cause) at a `level`, the costs of the relation and the full table (`own`, `table`: fit and penalty
in nats), the saving, and `sentences`. The parameters of any other relation are

    {"kind": "parameters", "values": [...]}

in the relation's own order.
"""

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Dataset,
    Distribution,
    Family,
    MismatchError,
    NumericalError,
    Prior,
    Relation,
    Score,
)
from noisyor.core.configurations import configuration_count, configuration_index
from noisyor.core.credible_set import FamilyUse
from noisyor.core.tolerance import tolerance_at
from noisyor.fitting import fit
from noisyor.fitting.causes import CauseColumns
from noisyor.networks.explanation import CostParts, Explanation, explain
from noisyor.reporting.content_shape import (
    CauseParameters,
    Explained,
    FamilyShare,
    FitAndPenalty,
    OtherParameters,
    Parameters,
    TableParameters,
)

MOST_CONFIGURATIONS = 32
"""The most rows of a full table that are shown."""

MOST_CAUSES = 256
"""The most causes, counted once for each level, that are shown and have intervals."""

LEVEL = 0.95
"""The level of the intervals."""


def rounded_share(value: float) -> float:
    """Return a share or probability with six digits, enough for a page."""
    return float(f"{value:.6g}")


def rounded_cost(value: float) -> float:
    """Return a cost in nats with four decimals, far finer than any difference that matters."""
    return round(value, 4)


def kind_of(relation: Relation) -> Literal["table", "causes", "parameters"]:
    """Return how the parameters of a relation are shown."""
    if relation.causes is not None:
        return "causes"
    return "table" if relation.closed_form else "parameters"


def with_parameters(  # noqa: PLR0913  (each option is one that a user names)
    data: Dataset,
    use: FamilyUse,
    score: Score,
    structure_prior: Prior | None = None,
    *,
    explained: bool,
    relations: Iterable[Relation] = (),
) -> FamilyShare:
    """Return a family of a credible set with its share and its parameters.

    An explanation compares it with the `relations` on the same parents.

    If intervals are wanted but cannot be proven, the family's `note` says so. Raises MismatchError
    if the family has another cost on these records.
    """
    fitted = fit(data, use.family, score=score, structure_prior=structure_prior)
    if abs(fitted.cost - use.cost) > tolerance_at(use.cost):
        raise MismatchError(
            f"the family of {data.names[use.family.child]!r} costs {fitted.cost:.6f} on these "
            f"records and {use.cost:.6f} in the credible set, which comes from other records"
        )
    note = None
    parameters: Parameters
    match kind_of(use.family.relation):
        case "table":
            parameters = _table(data, use.family, fitted.distribution)
        case "parameters":
            parameters = other_parameters(fitted.distribution)
        case "causes":
            causes = _causes(data, use.family, fitted.distribution)
            parameters = strongest(causes)
            count = len(causes["parents"])
            if explained and count > MOST_CAUSES:
                note = f"there are no intervals: {count:,} causes are too many"
            elif explained:
                try:
                    explanation = explain(
                        data,
                        use.family,
                        LEVEL,
                        score=score,
                        structure_prior=structure_prior,
                        relations=relations,
                    )
                    causes["explained"] = _explained(explanation)
                except NumericalError as error:
                    note = f"there are no intervals: {error}"
    return {
        "child": use.family.child,
        "parents": list(use.family.parent_indices()),
        "relation": use.family.relation.name,
        "cost": rounded_cost(use.cost),
        "networks": use.networks,
        "weight": rounded_share(use.weight),
        "parameters": parameters,
        "note": note,
    }


def _table(data: Dataset, family: Family, distribution: Distribution) -> TableParameters:
    table = distribution.expand().table
    counts = configuration_counts(data, family)
    # A stable sort, so that among configurations with equal records the first are shown.
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_CONFIGURATIONS])
    return {
        "kind": "table",
        "configurations": chosen.tolist(),
        "chances": [[rounded_share(one) for one in row] for row in table[chosen, 1:].tolist()],
        "records": counts[chosen].tolist(),
        "left_out": len(counts) - len(chosen),
    }


def configuration_counts(data: Dataset, family: Family) -> npt.NDArray[np.int64]:
    """Return how many records have each numbered configuration of the parents.

    Of completed records it is the expected number, rounded.
    """
    parents = family.parent_indices()
    sizes = [data.variables[parent].state_count for parent in parents]
    columns = [data.column(parent) for parent in parents]
    place = configuration_index(columns, sizes, len(data.weights))
    counts = np.bincount(place, data.weights, minlength=configuration_count(sizes))
    return np.rint(counts / data.copies).astype(np.int64)


def _causes(data: Dataset, family: Family, distribution: Distribution) -> CauseParameters:
    columns = CauseColumns.of(data, family)
    causes = distribution.causes()
    idle, seen = columns.idle(np.array([cause.levels for cause in causes])), columns.seen()
    effects = columns.relation.model.level_states(data.variables[family.child].state_count)[1:]
    parents = family.parent_indices()
    listed: CauseParameters = {
        "kind": "causes",
        "parents": [],
        "states": [],
        "effects": [],
        "strengths": [],
        "unseen": [],
        "left_out": 0,
        "explained": None,
    }
    for number, cause in enumerate(causes):
        for at, (effect, q) in enumerate(zip(effects, cause.levels, strict=True)):
            if cause.parent is None:
                parent, there = None, bool((columns.levels <= at + 1).any())
            elif idle[number, at]:
                continue
            else:
                parent, there = parents[cause.parent], bool(seen[number, at])
            if not there:
                listed["unseen"].append(len(listed["parents"]))
            listed["parents"].append(parent)
            listed["states"].append(cause.state)
            listed["effects"].append(effect)
            listed["strengths"].append(rounded_share(1 - q))
    return listed


def strongest(causes: CauseParameters) -> CauseParameters:
    """Return the causes themselves or, of too many, the leak and the strongest others."""
    count = len(causes["parents"])
    if count <= MOST_CAUSES:
        return causes
    parents, strengths = causes["parents"], causes["strengths"]
    order = sorted(range(count), key=lambda at: (parents[at] is not None, -strengths[at]))
    chosen = sorted(order[:MOST_CAUSES])
    place_of = {at: place for place, at in enumerate(chosen)}
    return {
        "kind": "causes",
        "parents": [parents[at] for at in chosen],
        "states": [causes["states"][at] for at in chosen],
        "effects": [causes["effects"][at] for at in chosen],
        "strengths": [strengths[at] for at in chosen],
        "unseen": [place_of[at] for at in causes["unseen"] if at in place_of],
        "left_out": count - len(chosen),
        "explained": None,
    }


def other_parameters(distribution: Distribution) -> OtherParameters:
    """Return the parameters of a relation that is no table and has no causes."""
    values = distribution.parameters().tolist()
    return {"kind": "parameters", "values": [rounded_share(value) for value in values]}


def _explained(explanation: Explanation) -> Explained:
    intervals = [one.interval for one in (*explanation.causes, *explanation.leak)]
    return {
        "level": explanation.level,
        "lower": [rounded_share(one.lower) for one in intervals],
        "upper": [rounded_share(one.upper) for one in intervals],
        "determined": [one.determined for one in intervals],
        "own": _parts(explanation.own),
        "table": None if explanation.table is None else _parts(explanation.table),
        "table_penalty": rounded_cost(explanation.table_penalty),
        "saving": rounded_cost(explanation.saving),
        "preferred": explanation.is_preferred,
        "sentences": list(explanation.sentences()),
    }


def _parts(parts: CostParts) -> FitAndPenalty:
    return {
        "fit": rounded_cost(parts.fit),
        "penalty": rounded_cost(parts.penalty),
        "prior": rounded_cost(parts.prior),
    }
