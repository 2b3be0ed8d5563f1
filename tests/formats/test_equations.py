"""Equations for Netica and BayesiaLab: they mean the same noisy-OR, and names are legal."""

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import (
    LEAKY_NOISY_OR,
    Cpt,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    Variable,
)
from noisyor.formats.equations import bayesialab_equations, netica_equations
from tests.formats.networks import networks
from tests.formats.small_networks import clinic, pair
from tests.support.effort import scaled


def statements(text: str) -> list[str]:
    """Return the lines that are neither empty nor comments."""
    return [line for line in text.split("\n") if line and not line.startswith("//")]


def test_netica_has_one_equation_per_noisy_or() -> None:
    text = netica_equations(clinic())
    assert statements(text) == [
        "P (cough | flu, cold) = NoisyOrDist (cough, 0.0, flu, 0.75, cold, 0.5)",
        "P (fever | flu) = NoisyOrDist (fever, 0.125, flu, 0.875)",
    ]
    assert "// flu is a full table, not a noisy-OR: it has no equation\n" in text
    assert (
        "// bed_rest given flu, cough is a full table, not a noisy-OR: it has no equation" in text
    )
    assert "// bed_rest stands for 'bed rest'\n" in text


def test_a_noisy_or_of_other_than_two_states_says_so() -> None:
    wind, noise = Variable("wind", ("calm", "breeze", "gale")), Variable("noise")
    noisy_or = LEAKY_NOISY_OR.distribution([[0.5], [0.25], [0.75]], 2, (3,))
    network = Network(
        Structure(("wind", "noise"), (Family(0, 0), Family(1, 1, LEAKY_NOISY_OR))),
        (wind, noise),
        (Cpt.from_axes([0.5, 0.25, 0.25]), noisy_or),
        None,
        Provenance("test"),
    )
    text = netica_equations(network)
    assert "// wind is a full table, not a noisy-OR: it has no equation\n" in text
    assert "// noise given wind is a leaky noisy-OR, but not all of its variables have two" in text


def test_bayesialab_has_one_formula_per_noisy_or() -> None:
    text = bayesialab_equations(clinic())
    assert statements(text) == [
        "NoisyOr(?cough?, 0.0, ?flu?, 0.75, ?cold?, 0.5)",
        "NoisyOr(?fever?, 0.125, ?flu?, 0.875)",
    ]
    assert "// P(?cough? | ?flu?, ?cold?) =\nNoisyOr(?cough?" in text
    assert "// ?bed rest? given ?flu?, ?cough? is a full table" in text
    assert "stands for" not in text


def test_the_manuals_own_example_has_its_table() -> None:
    # BayesiaLab's guide: NoisyOr(?N3?, 0.1, ?N1?, 0.8, ?N2?, 0.6) gives 0.1, 0.64, 0.82, 0.928.
    expanded = NoisyOr(np.array([1 - 0.8, 1 - 0.6]), 1 - 0.1).expand().present
    assert expanded == pytest.approx([0.1, 0.82, 0.64, 0.928])
    read = probabilities("NoisyOr(?N3?, 0.1, ?N1?, 0.8, ?N2?, 0.6)")
    assert read == pytest.approx([0.1, 0.82, 0.64, 0.928])


def probabilities(statement: str) -> list[float]:
    """Return the table that an equation means, the first cause varying fastest."""
    arguments = statement[statement.rindex("(") + 1 : -1].split(", ")
    leak, strengths = float(arguments[1]), [float(one) for one in arguments[3::2]]
    table = []
    for causes in product([False, True], repeat=len(strengths)):
        absent = 1 - leak
        for strength, present in zip(strengths, reversed(causes), strict=True):
            absent *= 1 - strength if present else 1
        table.append(1 - absent)
    return table


@settings(max_examples=scaled(60))
@given(network=networks(max_variables=5))
def test_each_equation_means_its_noisy_or(network: Network) -> None:
    noisy_ors = [one for one in network.distributions if isinstance(one, NoisyOr)]
    for equations in (netica_equations, bayesialab_equations):
        lines = statements(equations(network))
        assert len(lines) == len(noisy_ors)
        for line, distribution in zip(lines, noisy_ors, strict=True):
            assert not re.search(r"\de[-+]?\d+[,)]", line)
            if not re.search(r"[(),]", "".join(network.names)):
                assert probabilities(line) == pytest.approx(
                    distribution.expand().present, abs=1e-12
                )


@settings(max_examples=scaled(100))
@given(network=networks(max_variables=6))
def test_netica_names_are_legal_and_different(network: Network) -> None:
    text = netica_equations(network)
    legal = r"[A-Za-z][A-Za-z0-9_]{0,29}"
    named = re.findall(rf"^// ({legal})(?: given .*)? is an? ", text, re.MULTILINE)
    named += re.findall(rf"^P \(({legal}) \|", text, re.MULTILINE)
    assert len(named) == len({name.lower() for name in named}) == len(network.names)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("a b", "a_b"), ("a_b_2", "a_b")),
        (("A", "a"), ("A", "a_2")),
        (("1st", "_x"), ("x_1st", "x_x")),
        (("é", "🫁"), ("e", "x")),
        (("x" * 200, "x" * 30), ("x" * 26, "x" * 26 + "_2")),
    ],
)
def test_netica_names_by_hand(names: tuple[str, str], expected: tuple[str, str]) -> None:
    text = netica_equations(pair(*names))
    first, second = expected
    assert statements(text) == [
        f"P ({second} | {first}) = NoisyOrDist ({second}, 0.0, {first}, 0.75)"
    ]
    for name, legal in zip(names, expected, strict=True):
        assert (f"// {legal} stands for {name!r}\n" in text) == (name != legal)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("sick?", "sick_"), ("sick__2", "sick_")),
        (("line\nbreak", "\u202e!"), ("line_break", "_!")),
        (("a b", "ä/b (c)"), ("a b", "ä/b (c)")),
    ],
)
def test_bayesialab_names_by_hand(names: tuple[str, str], expected: tuple[str, str]) -> None:
    first, second = expected
    assert statements(bayesialab_equations(pair(*names))) == [
        f"NoisyOr(?{second}?, 0.0, ?{first}?, 0.75)"
    ]


def test_a_small_strength_has_no_exponent() -> None:
    network = pair("a", "b")
    weak = Network(
        network.structure,
        network.variables,
        (network.distributions[0], NoisyOr(np.array([1 - 2.0**-53]))),
        None,
        network.provenance,
    )
    assert statements(netica_equations(weak)) == [
        "P (b | a) = NoisyOrDist (b, 0.0, a, 0.00000000000000011102230246251565)"
    ]
