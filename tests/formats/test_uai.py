"""UAI files: the order of parents and entries, by hand and by pyAgrum."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings

from noisyor.core import Cpt, Family, Network, NoisyOr, Provenance, Structure, TableSizeError
from noisyor.core.relations import NOISY_OR
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats.uai import uai_text
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import networks
from tests.oracles.joint import joint
from tests.support.effort import scaled


def cough() -> Network:
    """Return flu and cold, and a cough that they make likelier by different amounts."""
    return Network(
        Structure(("cough", "flu", "cold"), (Family(0, 0b110), Family(1, 0), Family(2, 0))),
        variables_of(("cough", "flu", "cold"), (("no", "yes"),) * 3),
        # Neither, flu only, cold only, both.
        (Cpt.binary([0.125, 0.75, 0.5, 0.875]), Cpt.binary([0.25]), Cpt.binary([0.375])),
        None,
        Provenance(""),
    )


def has_no_two_parents(network: Network) -> bool:
    return all(family.parent_count < 2 for family in network.structure.families)


def test_the_child_is_last_and_varies_fastest_and_absent_is_state_0() -> None:
    assert uai_text(cough()) == (
        "BAYES\n3\n2 2 2\n3\n3 1 2 0\n1 1\n1 2\n"
        "\n8\n 0.875 0.125\n 0.5 0.5\n 0.25 0.75\n 0.125 0.875\n"
        "\n2\n 0.75 0.25\n"
        "\n2\n 0.625 0.375\n"
    )


def read_by_the_book(text: str) -> list[tuple[list[int], npt.NDArray[np.float64]]]:
    """Return each table with its variables, as the format's description has it."""
    words = iter(text.split())
    assert next(words) == "BAYES"
    cardinalities = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = []
    for scope in scopes:
        entries = [float(next(words)) for _ in range(int(next(words)))]
        # The last variable is the least significant digit: numpy's own order.
        tables.append(np.array(entries).reshape([cardinalities[v] for v in scope]))
    assert not list(words)
    return list(zip(scopes, tables, strict=True))


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(networks())
def test_the_product_of_the_tables_is_the_joint_distribution(network: Network) -> None:
    count = len(network.names)
    product = np.ones((2,) * count)
    for scope, table in read_by_the_book(uai_text(network)):
        in_order = table.transpose(np.argsort(scope))
        product = product * in_order.reshape([2 if v in scope else 1 for v in range(count)])
    assert np.abs(product - joint(network)).max() < 1e-14


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(network=networks(max_variables=3).filter(has_no_two_parents))
@settings(
    max_examples=scaled(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
def test_pyagrum_reads_nodes_with_one_parent(network: Network, tmp_path: Path) -> None:
    # With several parents, it uses another order, so there the description decides.
    pyagrum = load_pyagrum()
    path = tmp_path / "any.uai"
    path.write_text(uai_text(network))
    read = pyagrum.loadBN(str(path))
    for variable, family in enumerate(network.structure.families):
        above = [str(parent) for parent in family.parent_indices()]
        for configuration, present in enumerate(network.distributions[variable].expand().present):
            given_state = dict.fromkeys(above, configuration)
            found = read.cpt(str(variable))[{**given_state, str(variable): 1}]
            assert found == pytest.approx(present, abs=1e-7)  # it reads 32-bit numbers


def test_noisy_ors_become_tables_and_the_warning_names_them() -> None:
    network = Network(
        Structure(("flu", "cough"), (Family(0, 0), Family(1, 1, NOISY_OR))),
        variables_of(("flu", "cough"), (("no", "yes"),) * 2),
        (Cpt.binary([0.5]), NoisyOr(np.array([0.25]))),
        None,
        Provenance(""),
    )
    with pytest.warns(ConversionWarning, match="UAI has no noisy-OR: .*'cough'") as caught:
        text = uai_text(network)
    assert text.endswith("\n4\n 1.0 0.0\n 0.25 0.75\n")
    assert caught[0].filename == __file__


def test_a_noisy_or_with_too_many_parents_is_refused_by_name() -> None:
    names = (*map(str, range(25)), "effect")
    families = (*(Family(v, 0) for v in range(25)), Family(25, 2**25 - 1, NOISY_OR))
    network = Network(
        Structure(names, families),
        variables_of(names, (("no", "yes"),) * 26),
        (*([Cpt.binary([0.5])] * 25), NoisyOr(np.full(25, 0.5))),
        None,
        Provenance(""),
    )
    with pytest.raises(TableSizeError, match="'effect' has 25 parents"):
        uai_text(network)
