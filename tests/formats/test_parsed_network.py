"""Conversion of a file's nodes: parents in any order, either state present, errors refused."""

from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import (
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Relation,
)
from noisyor.core.relations import (
    LEAKY_NOISY_AND,
    NOISY_AND,
    SIGNED_NOISY_AND,
    SIGNED_NOISY_OR,
)
from noisyor.core.variable import States
from noisyor.formats.parsed_network import (
    ParsedCauses,
    ParsedNetwork,
    ParsedNode,
    parsed_noisy_or,
    to_network,
)


def node(
    name: str,
    parents: tuple[str, ...] = (),
    distribution: npt.ArrayLike | ParsedCauses = (0.5, 0.5),
    **more: Any,  # noqa: ANN401 (the fields of ParsedNode)
) -> ParsedNode:
    values = (
        distribution
        if isinstance(distribution, ParsedCauses)
        else np.array(distribution, dtype=np.float64)
    )
    fields = {"states": (f"{name}0", f"{name}1"), "place": f"line {ord(name[0])}"} | more
    return ParsedNode(name=name, parents=parents, distribution=values, **fields)


def parsed(*nodes: ParsedNode) -> ParsedNetwork:
    return ParsedNetwork(nodes, Provenance("test", "data", 7), 12.5)


def network(*nodes: ParsedNode, **present: str) -> Network:
    return to_network(parsed(*nodes), present)


# The child comes first and lists its parents in descending order: a is variable 2, b variable 1.
TABLE = [[[0.125, 0.875], [0.25, 0.75]], [[0.375, 0.625], [0.5, 0.5]]]
CHILD = node("c", ("a", "b"), TABLE)
OTHERS = (node("b", (), (0.25, 0.75)), node("a", (), (0.0, 1.0)))


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        # Rows: neither, b alone, a alone, both; each is an entry of TABLE[a][b][c].
        ({"a": "a1", "b": "b1", "c": "c1"}, [0.875, 0.75, 0.625, 0.5]),
        ({"a": "a0", "b": "b0", "c": "c0"}, [0.5, 0.375, 0.25, 0.125]),
        ({"a": "a1", "b": "b0", "c": "c0"}, [0.25, 0.125, 0.5, 0.375]),
        ({"a": "a0", "b": "b1", "c": "c1"}, [0.625, 0.5, 0.875, 0.75]),
    ],
)
def test_a_table_by_hand(present: dict[str, str], expected: list[float]) -> None:
    made = network(CHILD, *OTHERS, **present)
    assert made.names == ("c", "b", "a")
    assert made.structure.families[0].parents == 0b110
    assert made.distributions[0] == Cpt.binary(expected)
    assert [states[1] for states in made.states] == [present[name] for name in "cba"]
    assert [states[0] for states in made.states] == [
        f"{name}{1 - int(present[name][1])}" for name in "cba"
    ]
    assert made.distributions[2] == Cpt.binary([float(present["a"] == "a1")])


def test_the_cost_and_the_origin_are_kept() -> None:
    made = network(CHILD, *OTHERS)
    assert (made.cost, made.provenance) == (12.5, Provenance("test", "data", 7))


@pytest.mark.parametrize("order", list(permutations("pqr")))
@pytest.mark.parametrize("listed", list(permutations("pqr")))
def test_parents_in_any_order_with_any_state_present(
    order: tuple[str, ...], listed: tuple[str, ...]
) -> None:
    # The probability of the child's state 0 encodes the states of all parents by name.
    def chance(states: dict[str, int]) -> float:
        return (1 + states["p"] + 2 * states["q"] + 4 * states["r"]) / 16

    table, unseen = np.zeros((2, 2, 2, 2)), np.zeros((2, 2, 2), dtype=np.bool_)
    for places in product((0, 1), repeat=3):
        own = chance(dict(zip(listed, places, strict=True)))
        table[places] = own, 1 - own
        unseen[places] = own in {3 / 16, 7 / 16}
    nodes = [node(name) for name in order]
    nodes.insert(1, node("c", listed, table, unseen=unseen))
    for present in product((0, 1), repeat=4):
        chosen = dict(zip("cpqr", present, strict=True))
        made = network(*nodes, **{name: f"{name}{place}" for name, place in chosen.items()})
        found = made.distributions[1]
        assert isinstance(found, Cpt)
        for row in range(8):
            # Ascending variables are the order of the nodes, without the child.
            states = {
                name: chosen[name] if row >> bit & 1 else 1 - chosen[name]
                for bit, name in enumerate(order)
            }
            own = chance(states)
            assert found.present[row] == (own if chosen["c"] == 0 else 1 - own)
            assert found.unseen[row] == (own in {3 / 16, 7 / 16})


NOISY = parsed_noisy_or(q=(0.25, 0.5), leak_q=0.75, acting=(1, 0), effect=1)


def test_a_noisy_or_stays_one_where_the_states_that_act_mean_present() -> None:
    made = network(node("c", ("a", "b"), NOISY), *OTHERS)
    assert made.distributions[0] == NoisyOr(np.array([0.5, 0.25]), 0.75)
    assert made.structure.families[0].relation is LEAKY_NOISY_OR
    assert made.states == (("c0", "c1"), ("b1", "b0"), ("a0", "a1"))
    # The parents' own tables follow: b is present in its state 0, a in its state 1.
    assert made.distributions[1:] == (Cpt.binary([0.25]), Cpt.binary([1.0]))


def test_a_noisy_or_without_a_leak() -> None:
    values = parsed_noisy_or(q=(0.25, 0.5), leak_q=None, acting=(0, 0), effect=0)
    made = network(node("c", ("b", "a"), values), *OTHERS)
    assert made.distributions[0] == NoisyOr(np.array([0.25, 0.5]), None)
    assert made.structure.families[0].relation is NOISY_OR


@pytest.mark.parametrize(
    ("present", "relation", "expected"),
    [
        # Absent (c0): leak alone 3/4; b acts in b0: 3/8; a acts in a1: 3/16; both: 3/32.
        ({"c": "c0"}, SIGNED_NOISY_AND, [0.75, 0.375, 0.1875, 0.09375]),
        ({"b": "b1"}, SIGNED_NOISY_OR, [0.625, 0.25, 0.90625, 0.8125]),
        ({"a": "a0"}, SIGNED_NOISY_OR, [0.8125, 0.90625, 0.25, 0.625]),
        (
            {"a": "a0", "b": "b1", "c": "c0"},
            LEAKY_NOISY_AND,
            [0.09375, 0.1875, 0.375, 0.75],
        ),
    ],
)
def test_a_noisy_or_that_acts_through_absence_is_signed_or_a_noisy_and(
    present: dict[str, str], relation: Relation, expected: list[float]
) -> None:
    made = network(node("c", ("a", "b"), NOISY), *OTHERS, **present)
    assert made.distributions[0].expand().present.tolist() == expected
    assert made.structure.families[0].relation is relation


def test_absences_that_bring_about_an_absence_without_a_leak_are_a_noisy_and() -> None:
    values = parsed_noisy_or(q=(0.25, 0.5), leak_q=None, acting=(0, 0), effect=0)
    present = {"a": "a1", "b": "b1", "c": "c1"}
    made = network(node("c", ("b", "a"), values), *OTHERS, **present)
    assert made.structure.families[0].relation is NOISY_AND
    assert made.distributions[0].expand().present.tolist() == [0.125, 0.5, 0.25, 1.0]


def test_more_than_two_states_keep_the_order_of_the_file() -> None:
    three = node("a", (), (0.25, 0.25, 0.5), states=("low", "mid", "high"))
    below = node("c", ("a",), [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    made = network(below, three)
    # Of two states, the first means present; it comes second here.
    assert made.states == (("c1", "c0"), ("low", "mid", "high"))
    assert made.distributions[0].expand().axes().tolist() == [[0, 1], [0.5, 0.5], [1, 0]]
    assert made.appearance.of("c").order == (1, 0)
    assert made.appearance.of("a").order == (0, 1, 2)
    with pytest.raises(FormatError, match="'a' has 3 states; only where there are two, one of"):
        network(below, three, a="mid")


LEVELS = ParsedCauses(
    weakest_first=(2, 1, 0),
    q=(np.array([[0.5, 0.25], [0.75, 0.5], [1.0, 1.0]]), np.array([[1.0, 1.0], [0.125, 0.5]])),
    leak_q=None,
    idle=(2, 0),
)
"""Levels of c: c2 < c1 < c0. Its parent a is idle in its last state, b in its first."""
GRADES = (
    node("c", ("a", "b"), LEVELS, states=("c0", "c1", "c2")),
    node("b", (), (0.25, 0.75), states=("no", "yes")),
    node("a", (), (0.25, 0.25, 0.5), states=("much", "little", "none")),
)


def test_causes_of_any_states_are_a_noisy_max_whose_idle_states_come_first() -> None:
    made = network(*GRADES)
    assert made.states == (("c2", "c1", "c0"), ("no", "yes"), ("none", "little", "much"))
    assert [variable.ordered for variable in made.variables] == [True, False, False]
    assert made.distributions[0].relation is NOISY_OR
    # By parent, b before a, then by state: b yes, a little, a much.
    assert made.distributions[0].parameters().tolist() == [0.125, 0.5, 0.75, 0.5, 0.5, 0.25]
    assert made.distributions[2].expand().table.tolist() == [[0.5, 0.25, 0.25]]
    assert made.appearance.of("a").order == (2, 1, 0)
    # Much and yes: at most c2 1/2 1/4 1/8 1/2, at most c1 1/4 1/2.
    table = made.distributions[0].expand().axes()
    assert table[1, 2].tolist() == [1 / 128, 15 / 128, 7 / 8]


def test_causes_whose_levels_the_file_orders_the_other_way_are_a_noisy_min() -> None:
    first = node("c", ("a", "b"), LEVELS, states=("c0", "c1", "c2"), order=(0, 1, 2))
    made = network(first, *GRADES[1:], b="no")
    assert made.states[:2] == (("c0", "c1", "c2"), ("yes", "no"))
    # Were a not turned round, its idle state would be the last, as a minimum has it.
    assert made.distributions[0].relation is SIGNED_NOISY_AND
    straight = node("a", (), (0.25, 0.25, 0.5), states=("much", "little", "none"), order=(0, 1, 2))
    least = network(first, GRADES[1], straight, b="no")
    assert least.distributions[0].relation is NOISY_AND
    expected = network(*GRADES).distributions[0].expand().axes()
    assert made.distributions[0].expand().axes().tolist() == expected[::-1, :, ::-1].tolist()
    assert least.distributions[0].expand().axes().tolist() == expected[::-1, ::-1, ::-1].tolist()


def test_a_cause_that_is_idle_between_its_other_states_is_signed() -> None:
    middle = ParsedCauses((0, 1), (np.array([[0.5], [1.0], [0.25]]),), np.array([0.75]), (1,))
    made = network(node("c", ("a",), middle), node("a", (), (0.25, 0.5, 0.25), states=tuple("xyz")))
    assert made.states[1] == ("x", "y", "z")
    assert made.distributions[0].relation is SIGNED_NOISY_OR
    assert made.distributions[0].expand().table[:, 0].tolist() == [0.375, 0.75, 0.1875]


def test_an_order_that_the_causes_cannot_have_is_not_taken() -> None:
    odd = node("c", ("a", "b"), LEVELS, states=("c0", "c1", "c2"), order=(1, 0, 2))
    assert network(odd, *GRADES[1:]).states[0] == ("c2", "c1", "c0")


def test_what_says_which_state_is_present() -> None:
    def states_of(asked: dict[str, str], **fields: Any) -> States:  # noqa: ANN401
        return network(node("c"), node("a", **fields), **asked).states[1]

    words: dict[str, Any] = {"states": ("no", "yes")}
    assert states_of({}) == ("a1", "a0")  # the first, as in GeNIe
    assert states_of({}, **words) == ("no", "yes")
    assert states_of({}, states=("Present", "Absent")) == ("Absent", "Present")
    assert states_of({}, order=(1, 0), **words) == ("yes", "no")
    assert states_of({"a": "yes"}, order=(1, 0), **words) == ("no", "yes")


def test_what_acts_is_present_before_any_word_but_not_before_what_the_file_says() -> None:
    acting = parsed_noisy_or(q=(0.5,), leak_q=None, acting=(0,), effect=0)
    words: dict[str, Any] = {"states": ("no", "yes")}
    below = node("c", ("a",), acting, **words)
    made = network(below, node("a", **words))
    assert made.states == (("yes", "no"), ("yes", "no"))
    assert made.distributions[0] == NoisyOr(np.array([0.5]), None)
    made = network(below, node("a", order=(0, 1), **words))
    assert made.states[1] == ("no", "yes")
    assert made.structure.families[0].relation is SIGNED_NOISY_OR
    assert made.distributions[0].expand().present.tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ({"d": "a1"}, "there is no variable 'd'"),
        ({"a": "a2"}, "'a' has no state 'a2' to mean present; it has: a0, a1"),
    ],
)
def test_a_present_state_that_is_not_there(present: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        network(CHILD, *OTHERS, **present)


def wide(count: int) -> list[ParsedNode]:
    names = tuple(f"n{place}" for place in range(count))
    values = parsed_noisy_or((0.5,) * count, None, (1,) * count, 1)
    return [node("c", names, values), *(node(name) for name in names)]


def test_a_wide_noisy_or_is_no_trouble() -> None:
    made = network(*wide(200))
    assert made.distributions[0] == NoisyOr(np.full(200, 0.5))
    signed = network(*wide(200), c="c0")
    assert signed.structure.families[0].relation is SIGNED_NOISY_AND


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "it has 0 variables"),
        ([node(f"n{v}") for v in range(65537)], "it has 65537 variables; 1 to 65536"),
        ([node("a"), node("a")], "line 97: the variable 'a' occurs twice"),
        ([node(" ")], "line 32: a variable has an empty name"),
        ([node("a", states=("x", "x"))], "line 97: the states of 'a' must differ"),
        ([node("c", ("z",), TABLE[0])], "line 99: 'c' has the parent 'z', which is not"),
        ([node("c", ("a", "a"), TABLE), node("a")], "line 99: 'c' has the same parent twice"),
        ([node("c", ("c",), TABLE[0])], "line 99: 'c' is its own parent"),
        (
            [node("c", ("a",), TABLE[0]), node("a", ("b",), TABLE[0]), node("b", ("c",), TABLE[0])],
            "the edges form a directed cycle: .*c -> b",
        ),
        ([node("a", (), (-0.5, 1.5))], "line 97: the table of 'a' has a probability that is not"),
        ([node("a", (), (float("nan"), 1))], "line 97: the table of 'a' has a probability"),
        ([node("a", (), (0.5, 0.4))], "line 97: a row of the table of 'a' sums to 0.9"),
        (
            [node("c", ("a",), [[0.5, 0.5], [0.5, 0.6]]), node("a")],
            "line 99: a row of the table of 'c' sums to 1.1; it must be 1, within 0.0001",
        ),
        (
            [node("c", ("a",), parsed_noisy_or((1.5,), None, (0,), 0)), node("a")],
            "line 99: a cause of 'c' has a probability that is not",
        ),
        (
            [node("c", ("a",), parsed_noisy_or((0.5,), float("nan"), (0,), 0)), node("a")],
            "line 99: a cause of 'c' has a probability that is not",
        ),
    ],
)
def test_what_is_no_network_is_refused(nodes: list[ParsedNode], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        network(*nodes)
