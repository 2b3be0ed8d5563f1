"""What a graph alone implies."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import Cpt, Family, Network, NetworkError, Provenance, Structure
from noisyor.core.variable import variables_of
from noisyor.networks import d_separated, markov_blanket
from tests.oracles.joint import joint

# The well-known network of a burglar alarm, and a bystander.
ALARM = Structure.from_edges(
    ["burglary", "earthquake", "alarm", "john", "mary", "weather"],
    [("burglary", "alarm"), ("earthquake", "alarm"), ("alarm", "john"), ("alarm", "mary")],
)


@pytest.mark.parametrize(
    ("name", "blanket"),
    [
        ("burglary", ("earthquake", "alarm")),
        ("alarm", ("burglary", "earthquake", "john", "mary")),
        ("john", ("alarm",)),
        ("weather", ()),
    ],
)
def test_the_blanket_is_parents_children_and_their_parents(
    name: str, blanket: tuple[str, ...]
) -> None:
    assert markov_blanket(ALARM, name) == blanket


@pytest.mark.parametrize(
    ("first", "second", "given", "expected"),
    [
        (["burglary"], ["earthquake"], [], True),
        (["burglary"], ["earthquake"], ["alarm"], False),
        (["burglary"], ["earthquake"], ["john"], False),
        (["john"], ["mary"], [], False),
        (["john"], ["mary"], ["alarm"], True),
        (["burglary", "earthquake"], ["john", "mary"], ["alarm"], True),
        (["weather"], ["alarm"], [], True),
    ],
)
def test_textbook_separations(
    first: list[str], second: list[str], given: list[str], expected: bool
) -> None:
    assert d_separated(ALARM, first, second, given) is expected


def test_separation_is_independence_for_almost_all_parameters() -> None:
    names = ("a", "b", "c", "d")
    structure = Structure(names, (Family(0, 0), Family(1, 1), Family(2, 0b0001), Family(3, 0b0110)))
    random = np.random.default_rng(4)
    tables = tuple(
        Cpt.binary(random.uniform(0.1, 0.9, 2**f.parent_count)) for f in structure.families
    )
    table = joint(Network(structure, variables_of(names), tables, None, Provenance("test")))
    for x, y in combinations(range(4), 2):
        others = [v for v in range(4) if v not in {x, y}]
        for size in range(3):
            for given in combinations(others, size):
                said = d_separated(structure, [names[x]], [names[y]], [names[v] for v in given])
                assert said is are_independent(table, x, y, given)


def are_independent(table: npt.NDArray[np.float64], x: int, y: int, given: tuple[int, ...]) -> bool:
    """Return whether P(x, y, given) P(given) = P(x, given) P(y, given) everywhere."""

    def kept(*axes: int) -> npt.NDArray[np.float64]:
        away = tuple(v for v in range(table.ndim) if v not in {*axes, *given})
        summed: npt.NDArray[np.float64] = table.sum(axis=away, keepdims=True)
        return summed

    return bool(np.allclose(kept(x, y) * kept(), kept(x) * kept(y), atol=1e-12))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(NetworkError, match="there is no variable 'fire'"):
        markov_blanket(ALARM, "fire")
    with pytest.raises(NetworkError, match="there is no variable 'fire'"):
        d_separated(ALARM, ["john"], ["fire"])


def test_sets_must_not_overlap() -> None:
    with pytest.raises(NetworkError, match="must not overlap; more than one has: john"):
        d_separated(ALARM, ["john"], ["mary"], ["alarm", "john"])


def test_one_name_is_not_a_list_of_names() -> None:
    with pytest.raises(NetworkError, match="'john' is a single name"):
        d_separated(ALARM, "john", ["mary"])
