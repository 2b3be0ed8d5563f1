"""One family with its parameters, as JSON's own types.

The `parameters` of a full table are

    {"kind": "table", "configurations": [...], "present": [...], "records": [...], "left_out": 0}

a place in each list per configuration of the parents, bit t of which is the t-th parent ascending:
how likely the child is present, and how many records have it. Where none has, the former means
nothing. Of a large table those with the most records are shown, and `left_out` counts the others.
Of a noisy-OR they are

    {"kind": "causes", "strengths": [...], "leak": strength or null, "explained": ...}

a strength per parent, ascending. `explained` is null, or has the intervals (`lower`, `upper`,
`determined`, a place per parent and a last one for a leak) at a `level`, what the noisy-OR and the
full table cost (`noisy_or`, `table`: fit and penalty in nats), what that saves, and `sentences`.
"""

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    BinaryDataset,
    Cpt,
    CredibleSet,
    Family,
    MismatchError,
    NoisyOr,
    NumericalError,
)
from noisyor.core.tolerance import tolerance_at
from noisyor.fitting import fit
from noisyor.networks.explanation import CostParts, Explanation, explain
from noisyor.reporting.content_shape import (
    CauseParameters,
    Explained,
    FamilyShare,
    FitAndPenalty,
    TableParameters,
)

MOST_CONFIGURATIONS = 32
"""So many rows of a full table are shown."""

LEVEL = 0.95
"""The level of the intervals."""


def rounded_share(value: float) -> float:
    """Return a share or probability with the six digits that a page has use for."""
    return float(f"{value:.6g}")


def rounded_cost(value: float) -> float:
    """Return a cost in nats with four decimals: far finer than any difference that matters."""
    return round(value, 4)


def with_parameters(
    data: BinaryDataset, credible: CredibleSet, place: int, *, explained: bool
) -> FamilyShare:
    """Return a family of a credible set with its share and its parameters.

    A noisy-OR that is to be explained, but whose intervals cannot be proven, says so in its
    `note`. MismatchError where the family costs something else on these records.
    """
    use = credible.families[place]
    fitted = fit(data, use.family)
    if abs(fitted.cost - use.cost) > tolerance_at(use.cost):
        raise MismatchError(
            f"the family of {data.names[use.family.child]!r} costs {fitted.cost:.6f} on these "
            f"records and {use.cost:.6f} in the credible set, which was learned from others"
        )
    note = None
    parameters: TableParameters | CauseParameters
    if isinstance(fitted.distribution, Cpt):
        parameters = _table(data, use.family, fitted.distribution)
    else:
        parameters = causes = _causes(fitted.distribution)
        if explained:
            try:
                causes["explained"] = _explained(explain(data, use.family, LEVEL))
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


def _table(data: BinaryDataset, family: Family, table: Cpt) -> TableParameters:
    counts = configuration_counts(data, family)
    # A stable sort, so that of configurations with as many records the first are shown.
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_CONFIGURATIONS])
    return {
        "kind": "table",
        "configurations": chosen.tolist(),
        "present": [rounded_share(value) for value in table.present[chosen].tolist()],
        "records": counts[chosen].tolist(),
        "left_out": len(counts) - len(chosen),
    }


def configuration_counts(data: BinaryDataset, family: Family) -> npt.NDArray[np.int64]:
    """Return how many records have each configuration of the parents, indexed as in Cpt."""
    place = np.zeros(len(data.weights), dtype=np.int64)
    for bit, parent in enumerate(family.parent_indices()):
        place |= data.column(parent).astype(np.int64) << bit
    counts = np.zeros(2**family.parent_count, dtype=np.int64)
    np.add.at(counts, place, data.weights)
    return counts


def _causes(distribution: NoisyOr) -> CauseParameters:
    return {
        "kind": "causes",
        "strengths": [rounded_share(value) for value in distribution.strengths.tolist()],
        "leak": None if distribution.leak_q is None else rounded_share(distribution.leak),
        "explained": None,
    }


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
