"""One family with its parameters, as JSON types.

The `parameters` of a full table are

    {"kind": "table", "configurations": [...], "present": [...], "records": [...], "left_out": 0}

with an entry in each list per configuration of the parents, bit t of which is the t-th parent
ascending: the chance that the child is present, and the number of records. Where no record has the
configuration, the chance has no meaning. A large table shows the configurations with the most
records, and `left_out` counts the others. The parameters of a relation with causes are

    {"kind": "causes", "strengths": [...], "leak": strength or null, "explained": ...}

with a strength per parent, ascending. `explained` is null, or has the intervals (`lower`, `upper`,
`determined`, with an entry per parent and a last one for a leak) at a `level`, the costs of the
noisy-OR and the full table (`noisy_or`, `table`: fit and penalty in nats), the saving, and
`sentences`. The parameters of any other relation are

    {"kind": "parameters", "values": [...]}

in the relation's own order.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Dataset,
    Distribution,
    Family,
    MismatchError,
    NumericalError,
    Relation,
    Score,
)
from noisyor.core.configurations import configuration_count, configuration_index
from noisyor.core.credible_set import FamilyUse
from noisyor.core.tolerance import tolerance_at
from noisyor.fitting import fit
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
    if relation.is_noisy_or:
        return "causes"
    return "table" if relation.closed_form else "parameters"


def with_parameters(data: Dataset, use: FamilyUse, score: Score, *, explained: bool) -> FamilyShare:
    """Return a family of a credible set with its share and its parameters.

    If intervals are wanted but cannot be proven, the family's `note` says so. Raises MismatchError
    if the family has another cost on these records.
    """
    fitted = fit(data, use.family, score=score)
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
            parameters = _parameters(fitted.distribution)
        case "causes":
            parameters = causes = _causes(fitted.distribution)
            if explained:
                try:
                    explanation = explain(data, use.family, LEVEL, score=score)
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
    present = distribution.expand().present
    counts = configuration_counts(data, family)
    # A stable sort, so that among configurations with equal records the first are shown.
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_CONFIGURATIONS])
    return {
        "kind": "table",
        "configurations": chosen.tolist(),
        "present": [rounded_share(value) for value in present[chosen].tolist()],
        "records": counts[chosen].tolist(),
        "left_out": len(counts) - len(chosen),
    }


def configuration_counts(data: Dataset, family: Family) -> npt.NDArray[np.int64]:
    """Return how many records have each numbered configuration of the parents."""
    parents = family.parent_indices()
    sizes = [data.variables[parent].state_count for parent in parents]
    columns = [data.column(parent) for parent in parents]
    place = configuration_index(columns, sizes, len(data.weights))
    counts = np.zeros(configuration_count(sizes), dtype=np.int64)
    np.add.at(counts, place, data.weights)
    return counts


def _causes(distribution: Distribution) -> CauseParameters:
    leak = next((one for one in distribution.causes() if one.parent is None), None)
    return {
        "kind": "causes",
        "strengths": [
            rounded_share(one.strength) for one in distribution.causes() if one.parent is not None
        ],
        "leak": None if leak is None else rounded_share(leak.strength),
        "explained": None,
    }


def _parameters(distribution: Distribution) -> OtherParameters:
    values = distribution.parameters().tolist()
    return {"kind": "parameters", "values": [rounded_share(value) for value in values]}


def _explained(explanation: Explanation) -> Explained:
    leak = () if explanation.leak is None else (explanation.leak,)
    intervals = [one.interval for one in (*explanation.causes, *leak)]
    return {
        "level": explanation.level,
        "lower": [rounded_share(one.lower) for one in intervals],
        "upper": [rounded_share(one.upper) for one in intervals],
        "determined": [one.determined for one in intervals],
        "noisy_or": _parts(explanation.noisy_or),
        "table": None if explanation.table is None else _parts(explanation.table),
        "table_penalty": rounded_cost(explanation.table_penalty),
        "saving": rounded_cost(explanation.saving),
        "preferred": explanation.is_preferred,
        "sentences": list(explanation.sentences()),
    }


def _parts(parts: CostParts) -> FitAndPenalty:
    return {"fit": rounded_cost(parts.fit), "penalty": rounded_cost(parts.penalty)}
