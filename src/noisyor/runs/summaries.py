"""Results as JSON types: what `--json` prints and a folder keeps."""

from collections.abc import Mapping
from dataclasses import asdict

from noisyor.core import CredibleSet, Family, ScoreTable
from noisyor.core.credible_set import Use
from noisyor.core.sampling import Sampling
from noisyor.networks.relation_shares import relation_shares
from noisyor.scoring.statistics import ScoringStatistics, count_sets
from noisyor.search import PricingStatistics, SearchStatistics

_SCORING_STEPS = ("scoring", "seed", "pricing", "collecting")
"""The steps in which families are scored: all at once, or by price."""


def credible_summary(credible: CredibleSet) -> dict[str, object]:
    """Return the summary of a credible set."""
    return {
        "variables": len(credible.names),
        "bayes_factor": credible.bayes_factor.value,
        "temperature": credible.bayes_factor.temperature,
        "slack": credible.bayes_factor.slack,
        "labels": str(credible.labels),
        "optimum": credible.optimum,
        "lower_bound": credible.lower_bound,
        "proven": credible.proven,
        "networks": credible.count,
        "networks_at_most": credible.count if credible.complete else credible.most,
        "complete": credible.complete,
        "shortfalls": list(credible.shortfalls),
        "notes": list(credible.notes),
        "layers": [asdict(layer) for layer in credible.layers],
        "sampling": _sampling_summary(credible.sampling),
        "noisy_or": _noisy_or_summary(credible),
        "causes_percent": _causes_summary(credible),
        "best": [
            {
                "node": credible.names[family.child],
                "parents": parents_of(credible, family),
                "relation": family.relation.name,
                "cost": cost,
            }
            for family, cost in best_families(credible)
        ],
        "costliest": credible.costliest().cost if credible.complete else None,
        "edges": [
            {
                "parent": parent,
                "child": child,
                "networks": use.networks,
                "fraction": use.fraction,
                "weight": use.weight,
                "standard_error": use.standard_error,
                "best_with": use.best_with,
                "best_without": use.best_without,
            }
            for (parent, child), use in strongest_edges(credible)
        ],
    }


def _sampling_summary(sampling: Sampling | None) -> dict[str, object] | None:
    """Return how a set was sampled, if it was."""
    if sampling is None:
        return None
    return {
        "draws": sampling.draws,
        "chains": sampling.chains,
        "spacing": sampling.spacing,
        "seed": sampling.seed,
        "r_hat": sampling.r_hat,
        "effective": sampling.effective,
    }


def _noisy_or_summary(credible: CredibleSet) -> dict[str, object]:
    """Return the columns of table 2 in Sharma et al. (2020), and the percentages behind them."""
    shares = relation_shares(credible)
    return {
        "nodes": shares.nodes,
        "average_percent": shares.average_percent,
        "maximum_percent": shares.maximum_percent,
        "percent_by_node": {name: 100 * share for name, share in shares.fractions.items()},
    }


def _causes_summary(credible: CredibleSet) -> dict[str, dict[str, float]]:
    """Return the percentage of networks in which each relation explains a node by causes."""
    return {
        name: {relation.name: 100 * share for relation, share in own.items()}
        for name, own in relation_shares(credible).by_relation.items()
    }


def search_work(statistics: SearchStatistics) -> dict[str, object]:
    """Return how the networks were found."""
    return {
        "given": statistics.families_given,
        "reduced": statistics.families_reduced,
        "used": statistics.families_used,
        "lp": {
            "bound": statistics.lower_bound,
            "gap": statistics.lp_gap,
            "rounds": statistics.lp_rounds,
            "cuts": statistics.cuts,
        },
        "branches": statistics.branches,
        "subsets": statistics.subsets,
        "nodes": statistics.nodes,
    }


def pricing_work(statistics: PricingStatistics) -> dict[str, object]:
    """Return how families were found by price."""
    return asdict(statistics)


def scored_families(statistics: ScoringStatistics) -> dict[str, object]:
    """Return how many families were considered, cut, evaluated and kept, in all and by relation."""
    by_relation = {
        relation.name: {
            "considered": one.considered,
            "cut": {rule_name(rule): count for rule, count in one.cut.items()},
            "fitted": one.evaluated,
            "bounds": one.bounds,
            "kept": one.kept,
            "pruned_percent": one.pruned_percent,
        }
        for relation, one in statistics.relations.items()
    }
    relations = statistics.relations.values()
    return {
        "considered": sum(one.considered for one in relations),
        "fitted": sum(one.evaluated for one in relations),
        "kept": sum(one.kept for one in relations),
        "by_relation": by_relation,
    }


def priced_families(table: ScoreTable, evaluated: int) -> dict[str, object]:
    """Return how many families a run by price considered, evaluated and kept.

    Every family that the constraints allow counts as considered; those that no price allows are
    never evaluated.
    """
    constraints, relations = table.scope.constraints, table.scope.relations or ()
    most = len(table.names) if constraints.max_parents is None else constraints.max_parents
    by_relation = {}
    for relation in relations:
        sets = sum(
            count_sets((allowed & ~required).bit_count(), most - required.bit_count())
            - (relation.needs_parents and not required)
            for allowed, required in zip(constraints.allowed, constraints.required, strict=True)
        )
        kept = int((table.relations == relation.code).sum())
        by_relation[relation.name] = {"considered": sets, "kept": kept}
    return {
        "considered": sum(one["considered"] for one in by_relation.values()),
        "fitted": evaluated,
        "kept": len(table),
        "by_relation": by_relation,
    }


def best_families(credible: CredibleSet) -> list[tuple[Family, float]]:
    """Return the families of the best network with their costs."""
    costs = {use.family: use.cost for use in credible.families}
    return [(family, costs[family]) for family in credible.best.families]


def parents_of(credible: CredibleSet, family: Family) -> list[str]:
    """Return the names of a family's parents."""
    return [credible.names[parent] for parent in family.parent_indices()]


def strongest_edges(credible: CredibleSet) -> list[tuple[tuple[str, str], Use]]:
    """Return the edges of greatest weight first."""
    return sorted(credible.edges().items(), key=lambda item: (-item[1].weight, item[0]))


def rule_name(rule: object) -> str:
    """Return the readable name of a pruning rule."""
    return (getattr(rule, "name", None) or "").lower().replace("_", "-")


def step_seconds(seconds: Mapping[str, float]) -> dict[str, object]:
    """Return the time of reading, scoring, search and writing, the total, and that of each step."""
    total = seconds.get("total", sum(seconds.values()))
    load = seconds.get("load", 0.0)
    score = sum(seconds.get(step, 0.0) for step in _SCORING_STEPS)
    write = seconds.get("write", 0.0)
    whole = {"load", "write", "total"}
    steps = {step: took for step, took in seconds.items() if step not in whole}
    return {
        "load": load,
        "score": score,
        "search": max(0.0, total - load - score - write),
        "write": write,
        "total": total,
        "steps": steps,
    }
