"""What a page of a report must show, from the credible set that it was made from."""

from noisyor import CPT, Family, fit_network
from noisyor.core import Distribution, Structure
from noisyor.core.credible_set import FamilyUse
from tests.browser.conftest import Report
from tests.browser.report_page import Arc

ROUNDING = 1e-6  # the page holds six digits of a share


def arcs_of(structure: Structure) -> set[Arc]:
    return {(p, family.child) for family in structure.families for p in family.parent_indices()}


def weights(report: Report) -> dict[Arc, float]:
    number = {name: place for place, name in enumerate(report.credible.names)}
    return {
        (number[parent], number[child]): use.weight
        for (parent, child), use in report.credible.edges().items()
    }


def heaviest(report: Report, child: int) -> FamilyUse:
    own = [use for use in report.credible.families if use.family.child == child]
    return max(own, key=lambda use: use.weight)


def with_family(report: Report, family: Family) -> Distribution:
    """Return a family's parameters, fitted in a network in which nothing else has parents."""
    families = [Family(child, 0) for child in range(len(report.credible.names))]
    families[family.child] = family
    structure = Structure(report.credible.names, tuple(families))
    return fit_network(report.data, structure).distributions[family.child]


def node_whose_heaviest_family(report: Report, *, is_table: bool) -> int:
    for child in range(len(report.credible.names)):
        family = heaviest(report, child).family
        if family.parents and (family.relation is CPT) == is_table:
            return child
    raise AssertionError("the report has no such node")
