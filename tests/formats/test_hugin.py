"""Hugin's .net files: the order of parents and entries, by hand and by pyAgrum."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from noisyor.core import (
    LEAKY_NOISY_OR,
    Cpt,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    TableSizeError,
)
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats.hugin import hugin_text
from noisyor.formats.legal_names import unescaped
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import networks
from tests.support.effort import scaled


def cough() -> Network:
    """Return flu and cold, and a cough that they make likelier by different amounts."""
    return Network(
        Structure(("cough", "flu", "cold"), (Family(0, 0b110), Family(1, 0), Family(2, 0))),
        variables_of(
            ("cough", "flu", "cold"), (("no", "yes"), ("no", "yes"), ("none", "some kind"))
        ),
        # Neither, flu only, cold only, both.
        (Cpt.binary([0.125, 0.75, 0.5, 0.875]), Cpt.binary([0.25]), Cpt.binary([0.375])),
        None,
        Provenance(""),
    )


def has_two_parents(network: Network) -> bool:
    return any(family.parent_count > 1 for family in network.structure.families)


def test_the_first_parent_varies_slowest_and_present_comes_first() -> None:
    assert hugin_text(cough()) == (
        "net\n{\n}\n"
        '\nnode cough\n{\n  states = ( "yes" "no" );\n}\n'
        '\nnode flu\n{\n  states = ( "yes" "no" );\n}\n'
        '\nnode cold\n{\n  states = ( "some kind" "none" );\n}\n'
        "\npotential ( cough | flu cold )\n{\n"
        "  data = ((( 0.875 0.125 )\n"
        "           ( 0.75 0.25 ))\n"
        "          (( 0.5 0.5 )\n"
        "           ( 0.125 0.875 )));\n}\n"
        "\npotential ( flu )\n{\n  data = ( 0.25 0.75 );\n}\n"
        "\npotential ( cold )\n{\n  data = ( 0.375 0.625 );\n}\n"
    )


def test_pyagrum_reads_the_same_table(tmp_path: Path) -> None:
    pyagrum = load_pyagrum()
    path = tmp_path / "cough.net"
    path.write_text(hugin_text(cough()))
    read = pyagrum.loadBN(str(path))
    assert read.variable("cold").labels() == ("some kind", "none")
    table = read.cpt("cough")
    assert table[{"flu": "yes", "cold": "none"}].tolist() == [0.75, 0.25]
    assert table[{"flu": "no", "cold": "some kind"}].tolist() == [0.5, 0.5]
    assert table[{"flu": "yes", "cold": "some kind"}].tolist() == [0.875, 0.125]


def test_what_is_no_identifier_is_replaced_and_kept() -> None:
    network = Network(
        Structure(
            ("body temp. > 38", "body_temp_38", "node"), tuple(Family(v, 0) for v in range(3))
        ),
        variables_of(
            ("body temp. > 38", "body_temp_38", "node"),
            (('"no"', "yes (%)"), ("a b", "A B"), ("0", "1")),
        ),
        (Cpt.binary([0.5]),) * 3,
        None,
        Provenance(""),
    )
    text = hugin_text(network)
    assert (
        'node body_temp_38_2\n{\n  states = ( "yes" "no" );\n  label = "body temp. > 38";\n'
        '  noisyor_name = "body~20temp.~20~3E~2038";\n'
        '  noisyor_state_0 = "yes~20~28~25~29";\n  noisyor_state_1 = "~22no~22";\n}\n'
    ) in text
    assert (
        'node body_temp_38\n{\n  states = ( "A B" "a b_2" );\n  noisyor_state_1 = "a~20b";\n}\n'
    ) in text
    # A label with a keyword in it could be taken for a node.
    assert ('node x_node\n{\n  states = ( "1" "0" );\n  noisyor_name = "node";\n}\n') in text


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(network=networks(max_variables=4).filter(has_two_parents) | networks())
@settings(
    max_examples=scaled(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
def test_pyagrum_reads_every_entry_of_any_network(network: Network, tmp_path: Path) -> None:
    pyagrum = load_pyagrum()
    text = hugin_text(network)
    path = tmp_path / "any.net"
    path.write_text(text)
    read = pyagrum.loadBN(str(path))
    written = re.findall(r"^node (\w+)$", text, re.MULTILINE)
    assert sorted(read.names()) == sorted(written)
    for name, block in zip(network.names, text.split("\nnode ")[1:], strict=True):
        kept = re.search(r'noisyor_name = "(.*)"', block.split("}")[0])
        assert name == (unescaped(kept[1]) if kept else block.split("\n")[0])
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        table = read.cpt(written[family.child])
        for configuration, present in enumerate(distribution.expand().present):
            at = {
                written[parent]: 1 - (configuration >> place & 1)
                for place, parent in enumerate(family.parent_indices())
            }
            found = table[{**at, written[family.child]: 0}]
            assert found == pytest.approx(present, abs=1e-7)  # it reads 32-bit numbers


def test_noisy_ors_become_tables_and_the_warning_names_them() -> None:
    plain = cough()
    families = (Family(0, 0b110, LEAKY_NOISY_OR), Family(1, 0), Family(2, 0))
    network = replace(
        plain,
        structure=Structure(plain.names, families),
        distributions=(NoisyOr(np.array([0.5, 0.25]), 0.5), *plain.distributions[1:]),
    )
    with pytest.warns(ConversionWarning, match="Hugin.*noisy-OR: .*'cough'"):
        text = hugin_text(network)
    # With the leak alone 1 - 0.5, flu 1 - 0.25, cold 1 - 0.125, both 1 - 0.0625.
    numbers = re.findall(r"\( (0\.\d+) ", text.split("potential ( cough")[1].split(";")[0])
    assert numbers == ["0.9375", "0.75", "0.875", "0.5"]


def test_a_noisy_or_with_too_many_parents_is_refused_by_name() -> None:
    names = (*(f"cause{v}" for v in range(21)), "effect")
    families = (*(Family(v, 0) for v in range(21)), Family(21, 2**21 - 1, LEAKY_NOISY_OR))
    network = Network(
        Structure(names, families),
        variables_of(names, (("no", "yes"),) * 22),
        (*([Cpt.binary([0.5])] * 21), NoisyOr(np.full(21, 0.5), 0.5)),
        None,
        Provenance(""),
    )
    with pytest.raises(TableSizeError, match="'effect' has 21 parents"):
        hugin_text(network)
