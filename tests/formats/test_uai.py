"""UAI files: the order of parents and entries, by hand and by pyAgrum."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings

from noisyor.core import (
    Cpt,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    TableSizeError,
)
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.relations import NOISY_OR
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats.parsed_network import to_network
from noisyor.formats.uai import parse_uai, uai_text
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import discrete_networks, networks, written_out
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


WARD = """BAYES
3
3 3 2
3
1 0
3 0 2 1
2 0 2

3
 0.5 0.25 0.25
18
 0.125 0.375 0.5
 0.75 0.125 0.125
 0.25 0.25 0.5
 0.875 0.125 0
 0.25 0.5 0.25
 1 0 0
6
 0.5 0.5  0.75 0.25
 0.125 0.875
"""


def test_a_file_by_hand() -> None:
    network = to_network(parse_uai(WARD))
    assert network.names == ("x0", "x1", "x2")
    assert network.states == (("0", "1", "2"), ("0", "1", "2"), ("0", "1"))
    assert network.distributions[2].expand().axes().tolist() == [
        [0.5, 0.5],
        [0.75, 0.25],
        [0.125, 0.875],
    ]
    # The parents of x1 are x0 and x2, in the file as in the network.
    assert network.distributions[1].expand().axes()[1].tolist() == [
        [0.25, 0.25, 0.5],
        [0.875, 0.125, 0],
    ]


def test_the_parents_may_be_in_any_order() -> None:
    turned = WARD.replace("3 0 2 1", "3 2 0 1")
    table = to_network(parse_uai(turned)).distributions[1].expand().axes()
    # Now x2 varies slowest, then x0: the second row is that of x2 = 0 and x0 = 1.
    assert table.shape == (3, 2, 3)
    assert table[1, 0].tolist() == [0.75, 0.125, 0.125]
    assert table[0, 1].tolist() == [0.875, 0.125, 0]


def test_comments_of_pyagrum_are_skipped() -> None:
    assert to_network(parse_uai(WARD.replace("3\n1 0", "3 # tables\n1 0"))).names[2] == "x2"


def test_rows_off_by_rounding() -> None:
    text = WARD.replace("0.75 0.125 0.125", "0.75 0.125 0.12")
    with pytest.raises(FormatError, match=r"line 13: .* 'x1' sum to 0.995; .* forgiving=True"):
        parse_uai(text)
    with pytest.warns(ConversionWarning, match="'x1' sum to 0.995"):
        parse_uai(text, forgiving=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("BAYES", "MARKOV", "line 1: .* 'MARKOV'; only .* BAYES .*: a Markov network has no"),
        ("BAYES", "", "line 2: the file begins with '3'"),
        ("3 3 2", "3 3 x", "line 3: there is 'x' where a number of states should be"),
        ("3 3 2", "3 3 0", "line 3: a number of states is 0; allowed are 1 to 250"),
        ("3 3 2\n3", "3 3 2\n2", "line 4: the number of tables must be that of the variables, 3"),
        ("1 0\n3", "1 7\n3", "line 5: a variable is 7; allowed are 0 to 2"),
        ("3 0 2 1", "3 0 0 1", "line 6: a table has the same variable twice"),
        ("3 0 2 1", "3 0 1 2", "line 7: variable 2 is the last of two tables"),
        ("\n18\n", "\n12\n", "line 11: the table of variable 1 needs 18 entries"),
        ("1 0 0", "1 0 zero", "line 17: 'zero' is not a number"),
        ("0.125 0.875\n", "0.125", "line 20: the file ends where an entry of a table"),
        ("0.125 0.875\n", "0.125 0.875 1", "line 20: there is more text after the last table"),
        ("0.25 0.5 0.25", "0.25 0.5 0.5", "line 16: .* sum to 1.25; .* varies fastest"),
    ],
)
def test_odd_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    assert old in WARD
    with pytest.raises(FormatError, match=message):
        parse_uai(WARD.replace(old, new, 1))


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(discrete_networks())
@settings(max_examples=scaled(60))
def test_every_distribution_comes_back(network: Network) -> None:
    back = to_network(parse_uai(uai_text(network)))
    expected = written_out(network)
    assert [one.parents for one in back.structure.families] == [
        one.parents for one in expected.structure.families
    ]
    for one, other in zip(back.distributions, expected.distributions, strict=True):
        assert np.abs(one.expand().table - other.expand().table).max() < 1e-15


def test_pgmpy_writes_another_order_which_is_refused_where_it_shows() -> None:
    # pgmpy 1.1 lets the child vary slowest: a known difference, as in the module's description.
    text = WARD.replace(" 0.5 0.5  0.75 0.25\n 0.125 0.875", " 0.5 0.75 0.125 0.5 0.25 0.875")
    with pytest.raises(FormatError, match="the last variable of a table, and varies fastest"):
        parse_uai(text)


def test_pyagrum_writes_the_same_tables_where_there_is_one_parent(tmp_path: Path) -> None:
    bn = load_pyagrum().fastBN("a{x|y|z}->b{u|v|w|q}")
    path = tmp_path / "bn.uai"
    bn.saveUAI(str(path))
    network = to_network(parse_uai(path.read_text()))
    table = network.distributions[1].expand().axes()
    for place in np.ndindex(3, 4):
        assert table[place] == pytest.approx(bn.cpt("b")[{"a": place[0], "b": place[1]}], abs=1e-6)


def test_pyagrum_lists_several_parents_in_another_order(tmp_path: Path) -> None:
    # A known difference: if this fails, pyAgrum follows the format's description now.
    pyagrum = load_pyagrum()
    pyagrum.initRandom(1)
    bn = pyagrum.fastBN("a[2]->c[2]<-b[3]")
    path = tmp_path / "bn.uai"
    bn.saveUAI(str(path))
    network = to_network(parse_uai(path.read_text()))
    child = next(v for v, family in enumerate(network.structure.families) if family.parents)
    sizes = {network.variables[v].state_count: v for v in range(3) if v != child}
    names = ("a", "b") if sizes[2] < sizes[3] else ("b", "a")
    ours = network.distributions[child].expand().axes()
    truth = np.empty(ours.shape)
    for place in np.ndindex(ours.shape):
        truth[place] = bn.cpt("c")[dict(zip((*names, "c"), place, strict=True))]
    assert np.abs(ours - truth).max() > 1e-3
    # The numbers are those of the table with the first parent varying faster than the second.
    turned = ours.reshape(ours.shape[1], ours.shape[0], 2).swapaxes(0, 1)
    assert np.abs(turned - truth).max() < 1e-5


def test_a_state_0_that_is_not_the_first_of_a_file_is_named() -> None:
    look = Appearance(
        nodes={"flu": NodeAppearance(order=(1, 0)), "cold": NodeAppearance(order=(0, 1))}
    )
    with pytest.warns(ConversionWarning, match=r"it is not the first .* read for 'flu' \(no\)$"):
        text = uai_text(replace(cough(), appearance=look))
    assert text == uai_text(cough())
