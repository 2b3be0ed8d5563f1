"""Random networks are what their names say, the same every time, and worth learning."""

import hashlib

import numpy as np
import pytest

from benchmarks.harness.random_networks import (
    ARCS_PER_VARIABLE,
    FAILURES,
    FREQUENCIES,
    LEAKS,
    MOST_PARENTS,
    ROOT_CHANCES,
    Kind,
    is_random,
    network_name,
    parts_of,
    random_network,
)
from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, Cpt, NoisyOr, Relation
from noisyor.networks.sampling import sample_records

SIZES = (4, 8, 30)
RELATIONS: dict[Kind, set[Relation]] = {
    Kind.NOISY_OR: {NOISY_OR},
    Kind.MIXED: {NOISY_OR, CPT},
    Kind.LEAKY: {LEAKY_NOISY_OR},
    Kind.TABLES: {CPT},
}
NAMES = [network_name(kind, size, one) for kind in Kind for size in SIZES for one in range(3)]


def test_a_name_says_kind_variables_and_instance() -> None:
    assert network_name(Kind.NOISY_OR, 16, 3) == "noisy-or-16-3"
    assert parts_of("noisy-or-16-3") == (Kind.NOISY_OR, 16, 3)
    assert parts_of("mixed-8-0") == (Kind.MIXED, 8, 0)
    assert parts_of("leaky-noisy-or-8-0") == (Kind.LEAKY, 8, 0)
    assert is_random("mixed-8-0")
    assert not is_random("alarm")


@pytest.mark.parametrize("name", ["alarm", "mixed-16", "mixed-3-0", "other-8-0", "mixed-8-0-1"])
def test_other_names_are_refused_with_what_is_allowed(name: str) -> None:
    with pytest.raises(ValueError, match=r"KIND-VARIABLES-INSTANCE.*noisy-or, mixed"):
        random_network(name)


def test_the_same_name_gives_the_same_network_and_another_another() -> None:
    assert random_network("mixed-16-3") == random_network("mixed-16-3")
    structures = {random_network(name).structure for name in NAMES}
    assert len(structures) == len(NAMES)


def test_results_are_of_networks_that_stay_as_they_were() -> None:
    # Stored results name their network only: another network of that name would make them wrong.
    network = random_network("mixed-8-1")
    text = "\n".join(
        f"{family.child} {family.parents} {family.relation} "
        + " ".join(
            f"{value:.9f}"
            for value in (one.present if isinstance(one, Cpt) else one.parameters()).tolist()
        )
        for family, one in zip(network.structure.families, network.distributions, strict=True)
    )
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "d99bb7558aa92e47"


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_is_sparse(name: str) -> None:
    variables = parts_of(name)[1]
    structure = random_network(name).structure
    assert len(structure.names) == variables
    assert len(list(structure.edges())) == round(ARCS_PER_VARIABLE * variables)
    assert max(family.parent_count for family in structure.families) <= MOST_PARENTS


@pytest.mark.parametrize("name", NAMES)
def test_relations_are_those_of_the_kind_and_parameters_in_their_ranges(name: str) -> None:
    network = random_network(name)
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        several = family.parent_count >= 2
        assert family.relation in (RELATIONS[parts_of(name)[0]] if several else {CPT})
        if isinstance(distribution, NoisyOr):
            assert (distribution.q >= FAILURES[0]).all()
            assert (distribution.q <= FAILURES[1]).all()
            leaks = LEAKS if family.relation is LEAKY_NOISY_OR else (0, 0)
            assert leaks[0] <= distribution.leak <= leaks[1]
        elif not family.parents:
            assert ROOT_CHANCES[0] <= distribution.expand().present[0] <= ROOT_CHANCES[1]


def test_about_half_of_the_families_that_may_be_are_noisy_ors_in_mixed_networks() -> None:
    families = [
        family
        for instance in range(30)
        for family in random_network(network_name(Kind.MIXED, 20, instance)).structure.families
        if family.parent_count >= 2
    ]
    share = sum(family.relation is NOISY_OR for family in families) / len(families)
    # Four standard deviations of a fair coin on either side.
    assert abs(share - 0.5) < 4 * 0.5 / len(families) ** 0.5


@pytest.mark.parametrize("name", NAMES)
def test_every_variable_varies_in_new_records(name: str) -> None:
    frequencies = sample_records(random_network(name), 20_000, seed=5).mean(axis=0)
    # The share among the trial records is off by at most four standard errors, 0.02.
    assert frequencies.min() > FREQUENCIES[0] - 0.025
    assert frequencies.max() < FREQUENCIES[1] + 0.025


def test_the_order_of_the_variables_does_not_tell_the_directions() -> None:
    # Otherwise a search that breaks ties by the variables' order would be helped or hindered.
    forward = []
    for instance in range(20):
        structure = random_network(network_name(Kind.MIXED, 16, instance)).structure
        number = {name: place for place, name in enumerate(structure.names)}
        forward += [number[parent] < number[child] for parent, child in structure.edges()]
    assert abs(np.mean(forward) - 0.5) < 4 * 0.5 / len(forward) ** 0.5
