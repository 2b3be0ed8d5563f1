"""Binarised networks have the group probabilities of the original, or those of the weights."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import (
    LEAKY_NOISY_OR,
    Cpt,
    Family,
    Network,
    NetworkError,
    NoisyOr,
    Provenance,
    SettingsError,
    Structure,
    TableSizeError,
)
from noisyor.core.variable import variables_of
from noisyor.networks import binarizing
from noisyor.networks.binarizing import Weights, binarize_network
from tests.support.effort import scaled

SURVEY_GROUPS = {
    "A": ["young", "adult"],
    "S": ["M"],
    "E": ["high"],
    "O": ["emp"],
    "R": ["small"],
    "T": ["car", "other"],
}


def rows(*present: float) -> list[list[float]]:
    return [[value, 1 - value] for value in present]


def survey() -> Network:
    """Return the survey network of Scutari and Denis (2014), as published."""
    education = [rows(0.75, 0.64), rows(0.72, 0.70), rows(0.88, 0.90)]
    travel = [
        [[0.48, 0.42, 0.10], [0.58, 0.24, 0.18]],
        [[0.56, 0.36, 0.08], [0.70, 0.21, 0.09]],
    ]
    return Network.from_tables(
        variables_of(
            ("A", "S", "E", "O", "R", "T"),
            (
                ("young", "adult", "old"),
                ("M", "F"),
                ("high", "uni"),
                ("emp", "self"),
                ("small", "big"),
                ("car", "train", "other"),
            ),
        ),
        ((), (), (0, 1), (2,), (2,), (3, 4)),
        tuple(
            np.array(table)
            for table in (
                [0.3, 0.5, 0.2],
                [0.6, 0.4],
                education,
                rows(0.96, 0.92),
                rows(0.25, 0.20),
                travel,
            )
        ),
        Provenance("1", data="abc", records=7, settings=(("source", "survey"),)),
    )


def present(network: Network, name: str) -> list[float]:
    table = network.distributions[network.index(name)]
    assert isinstance(table, Cpt)
    values: list[float] = table.present.tolist()
    return values


def unseen(network: Network, name: str) -> list[bool]:
    table = network.distributions[network.index(name)]
    assert isinstance(table, Cpt)
    marks: list[bool] = table.unseen.tolist()
    return marks


def test_rows_are_averaged_with_the_parents_probabilities() -> None:
    made = binarize_network(survey(), SURVEY_GROUPS)
    assert present(made, "A") == pytest.approx([0.8])
    # Configurations (A, S): old F, young or adult F, old M, young or adult M. For M the average is
    # (0.3 * 0.75 + 0.5 * 0.72) / 0.8, for F (0.3 * 0.64 + 0.5 * 0.70) / 0.8.
    assert present(made, "E") == pytest.approx([0.90, 0.6775, 0.88, 0.73125])
    assert present(made, "O") == pytest.approx([0.92, 0.96])
    assert present(made, "R") == pytest.approx([0.20, 0.25])
    # (O, R): self big, emp big, self small, emp small; car and other together.
    assert present(made, "T") == pytest.approx([0.79, 0.76, 0.64, 0.58])
    assert not any(unseen(made, "E"))


def test_the_first_rows_are_those_of_the_paper() -> None:
    made = binarize_network(survey(), SURVEY_GROUPS, weights="first")
    assert present(made, "A") == pytest.approx([0.8])
    assert present(made, "E") == pytest.approx([0.90, 0.64, 0.88, 0.75])
    assert present(made, "T") == pytest.approx([0.79, 0.76, 0.64, 0.58])


def test_what_the_network_remembers() -> None:
    made = binarize_network(survey(), SURVEY_GROUPS, weights=Weights.INDEPENDENT)
    assert made.names == ("A", "S", "E", "O", "R", "T")
    assert made.states[0] == ("old", "young+adult")
    assert made.states[1] == ("F", "M")
    assert made.states[5] == ("train", "car+other")
    assert list(made.structure.edges()) == [
        ("A", "E"),
        ("S", "E"),
        ("E", "O"),
        ("E", "R"),
        ("O", "T"),
        ("R", "T"),
    ]
    assert made.cost is None
    assert made.provenance.data == "abc"
    assert made.provenance.records == 7
    assert made.provenance.settings == (("source", "survey"), ("binarized", "independent"))


def correlated() -> Network:
    """Return a (3 states) -> b (2 states), and c that depends on b and a, in this order."""
    return Network.from_tables(
        variables_of(("a", "b", "c"), (("x", "y", "z"), ("no", "yes"), ("no", "yes"))),
        ((), (0,), (1, 0)),
        (
            np.array([0.2, 0.3, 0.5]),
            np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]]),
            np.array([rows(0.1, 0.2, 0.3), rows(0.4, 0.5, 0.6)])[..., ::-1],
        ),
        Provenance("1"),
    )


def test_joint_weights_see_how_parents_depend_on_each_other() -> None:
    made = binarize_network(correlated(), {"a": ["x", "y"]})
    # b given a's group: (0.2 * 0.1 + 0.3 * 0.6) / 0.5. The joint of x and y with b = no is 0.18 and
    # 0.12, with b = yes 0.02 and 0.18. Configurations of c: bit 0 is a, bit 1 is b.
    assert present(made, "b") == pytest.approx([0.5, 0.4])
    expected = [0.3, (0.18 * 0.1 + 0.12 * 0.2) / 0.30, 0.6, (0.02 * 0.4 + 0.18 * 0.5) / 0.20]
    assert present(made, "c") == pytest.approx(expected)


def test_independent_weights_are_products_of_marginals() -> None:
    made = binarize_network(correlated(), {"a": ["x", "y"]}, weights="independent")
    # Whatever b is, x and y weigh 0.2 and 0.3.
    expected = [0.3, 0.4 * 0.1 + 0.6 * 0.2, 0.6, 0.4 * 0.4 + 0.6 * 0.5]
    assert present(made, "c") == pytest.approx(expected)


def with_zeros(first: Sequence[float], second: Sequence[Sequence[float]]) -> Network:
    return Network.from_tables(
        variables_of(("a", "b", "c"), (("x", "y", "z"), ("no", "yes"), ("no", "yes"))),
        ((), (0,), (0, 1)),
        (
            np.array(first),
            np.array(second),
            np.array([rows(0.1, 0.2), rows(0.3, 0.4), rows(0.5, 0.6)])[..., ::-1],
        ),
        Provenance("1"),
    )


def test_impossible_configurations_fall_back_to_the_marginals() -> None:
    # b is yes only with z. x or y with b = yes: weights 0.2 and 0.3 as in the marginal of a.
    made = binarize_network(
        with_zeros([0.2, 0.3, 0.5], [[1, 0], [1, 0], [0.5, 0.5]]), {"a": ["x", "y"]}
    )
    assert unseen(made, "c") == [False, False, False, True]
    assert present(made, "c") == pytest.approx([0.5, 0.4 * 0.1 + 0.6 * 0.3, 0.6, 0.4 * 0.2 + 0.24])


@pytest.mark.parametrize("weights", ["joint", "independent"])
def test_impossible_states_fall_back_to_equal_weights(weights: str) -> None:
    made = binarize_network(
        with_zeros([0, 0, 1], [[0.5, 0.5]] * 3), {"a": ["x", "y"]}, weights=weights
    )
    assert unseen(made, "b") == [False, True]
    assert unseen(made, "c") == [False, True, False, True]
    assert present(made, "c") == pytest.approx([0.5, 0.2, 0.6, 0.3])


def test_two_states_need_not_be_named() -> None:
    network = Network.from_tables(
        variables_of(
            ("word", "other", "named"), (("FALSE", "True"), ("left", "right"), ("left", "right"))
        ),
        ((), (), ()),
        (np.array([0.1, 0.9]),) * 3,
        Provenance("1"),
    )
    made = binarize_network(network, {"named": ["right"]})
    assert made.states == (("FALSE", "True"), ("right", "left"), ("left", "right"))
    assert [present(made, name) for name in made.names] == [[0.9], [0.1], [0.9]]


def single(*states: str) -> Network:
    count = len(states)
    variables = variables_of(("v",), (states,))
    return Network.from_tables(variables, ((),), (np.full(count, 1 / count),), Provenance("1"))


def test_groups_whose_labels_would_be_equal_are_joined_otherwise() -> None:
    made = binarize_network(single("a+b", "a", "b"), {"v": ["a+b"]})
    assert made.states == (("a|b", "a+b"),)
    made = binarize_network(single("a+b", "c", "a", "b+c"), {"v": ["a+b", "c"]})
    assert made.states == (("a|b+c", "a+b|c"),)


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ({}, SettingsError, r"'v' has 3 states \(a, b, c\); say which"),
        ({"v": []}, SettingsError, "none of the states of 'v' would become present"),
        ({"v": ["a", "b", "c"]}, SettingsError, "all of the states of 'v' would become present"),
        ({"v": ["d"]}, NetworkError, "'v' has no state 'd'; it has: a, b, c"),
        ({"v": ["a"], "w": ["a"]}, NetworkError, "there is no variable 'w'.* has: v"),
        ({"v": "a"}, TypeError, "must be a list, not 'a'"),
    ],
)
def test_groups_that_make_no_sense_are_refused(
    groups: Mapping[str, list[str]], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        binarize_network(single("a", "b", "c"), groups)


def test_other_refusals() -> None:
    with pytest.raises(SettingsError, match="'v' has only the state a"):
        binarize_network(single("a"), {"v": ["a"]})
    with pytest.raises(SettingsError, match="weights is 'even'; it must be one of: joint, ind"):
        binarize_network(single("a", "b"), {}, weights="even")


def test_a_joint_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binarizing, "MAX_JOINT_SIZE", 5)
    with pytest.raises(TableSizeError, match="needs a table of 6 entries; at most 5 are allowed"):
        binarize_network(survey(), SURVEY_GROUPS)
    made = binarize_network(survey(), SURVEY_GROUPS, weights="first")
    assert present(made, "A") == pytest.approx([0.8])


@st.composite
def networks(draw: st.DrawFn) -> tuple[Network, dict[str, list[str]]]:
    """Draw a network of up to five variables, some deterministic, and groups of its states."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 5))
    cards = draw(st.lists(st.integers(2, 4), min_size=count, max_size=count))
    order = draw(st.permutations(range(count)))
    parents: list[tuple[int, ...]] = [()] * count
    tables: list[npt.NDArray[np.float64]] = [np.ones(1)] * count
    for place, v in enumerate(order):
        above = draw(st.permutations([u for u in order[:place] if rng.random() < 0.6]))
        parents[v] = tuple(above)
        shape = tuple(cards[u] for u in above)
        table = rng.dirichlet(np.full(cards[v], 0.5), size=shape)
        if draw(st.booleans()):
            table = np.eye(cards[v])[rng.integers(0, cards[v], size=shape)]
        tables[v] = table
    states = tuple(tuple(f"s{state}" for state in range(card)) for card in cards)
    variables = variables_of([f"v{v}" for v in range(count)], states)
    network = Network.from_tables(variables, parents, tables, Provenance("1"))
    groups = {
        f"v{v}": draw(
            st.lists(st.sampled_from(states[v]), min_size=1, max_size=card - 1, unique=True)
        )
        for v, card in enumerate(cards)
    }
    return network, groups


def grouped_joint(
    network: Network, groups: Mapping[str, list[str]]
) -> dict[tuple[bool, ...], float]:
    """Return the probability of each combination of groups by listing every configuration."""
    joint: dict[tuple[bool, ...], float] = {}
    for states in itertools.product(*(range(len(own)) for own in network.states)):
        chance = 1.0
        for v, state in enumerate(states):
            parents = [
                u for u in range(len(states)) if network.structure.families[v].parents >> u & 1
            ]
            table = network.distributions[v].expand().axes()
            chance *= float(table[(*(states[u] for u in parents), state)])
        key = tuple(
            network.states[v][state] in groups[name]
            for (v, state), name in zip(enumerate(states), network.names, strict=True)
        )
        joint[key] = joint.get(key, 0.0) + chance
    return joint


@given(networks())
@settings(max_examples=scaled(60))
def test_joint_weights_give_the_original_conditional_probabilities(
    drawn: tuple[Network, dict[str, list[str]]],
) -> None:
    network, groups = drawn
    made = binarize_network(network, groups)
    joint = grouped_joint(network, groups)
    for family, table in zip(made.structure.families, made.distributions, strict=True):
        assert isinstance(table, Cpt)
        above = family.parent_indices()
        for configuration, (value, zero) in enumerate(
            zip(table.present.tolist(), table.unseen.tolist(), strict=True)
        ):
            matching = {
                key: chance
                for key, chance in joint.items()
                if all(key[u] == bool(configuration >> t & 1) for t, u in enumerate(above))
            }
            total = sum(matching.values())
            assert zero == (total == 0)
            if total:
                with_child = sum(chance for key, chance in matching.items() if key[family.child])
                assert value == pytest.approx(with_child / total, abs=1e-10)


def test_any_relation_can_be_binarized() -> None:
    variables = variables_of(("a", "b", "c"), (("no", "yes"),) * 3)
    families = (Family(0, 0), Family(1, 0), Family(2, 0b011, LEAKY_NOISY_OR))
    given_ = (Cpt.binary([0.3]), Cpt.binary([0.6]), NoisyOr(np.array([0.2, 0.5]), 0.9))
    structure = Structure(("a", "b", "c"), families)
    network = Network(structure, variables, given_, None, Provenance("1"))
    made = binarize_network(network, {})
    assert present(made, "c") == pytest.approx([0.1, 1 - 0.9 * 0.2, 1 - 0.9 * 0.5, 1 - 0.9 * 0.1])
    assert made.variables == variables
