"""GeNIe's noisy-MAX: what its parameters mean, by hand and by drawing every effect."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning
from noisyor.formats.parsed_network import ParsedCauses
from noisyor.formats.xdsl_noisymax import (
    columns_of_levels,
    levels_of_columns,
    noisymax_distribution,
)

Columns = list[list[float]]


def causes(columns: Columns, strengths: list[list[int]], *, leaky: bool = False) -> ParsedCauses:
    made = noisymax_distribution(np.array(columns), strengths, place="here", leaky=leaky)
    assert isinstance(made, ParsedCauses)
    return made


def table(columns: Columns, strengths: list[list[int]]) -> npt.NDArray[np.float64]:
    """Return the table that the causes make, by the product of their distribution functions."""
    made = causes(columns, strengths)
    at_most = np.ones(len(made.weakest_first))
    if made.leak_q is not None:
        at_most = distribution_function(made.leak_q)
    for q in made.q:
        at_most = at_most[..., None, :] * distribution_function(q)
    return np.diff(at_most, axis=-1, prepend=0)[..., ::-1]  # the strongest state is the first


def distribution_function(q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    upper = np.ones((*q.shape[:-1], 1))
    return np.concatenate([np.cumprod(q[..., ::-1], axis=-1)[..., ::-1], upper], axis=-1)


def test_binary_states_make_a_noisy_or() -> None:
    columns: Columns = [[0.75, 0.25], [0, 1], [0.5, 0.5], [0, 1], [0.125, 0.875]]
    made = causes(columns, [[0, 1], [0, 1]])
    assert made.weakest_first == (1, 0)
    assert [q.tolist() for q in made.q] == [[[0.25], [1.0]], [[0.5], [1.0]]]
    assert made.leak_q is not None
    assert made.leak_q.tolist() == [0.875]
    assert made.idle == (1, 1)


def test_the_strongest_state_is_the_one_that_acts() -> None:
    # Strengths 1 0: the first column is that of the parent's second state.
    columns: Columns = [[0.75, 0.25], [0, 1], [0.5, 0.5], [0, 1], [0.125, 0.875]]
    made = causes(columns, [[1, 0], [0, 1]])
    assert made.idle == (0, 1)
    assert made.q[0].tolist() == [[1.0], [0.25]]


@pytest.mark.parametrize(("leaky", "leak_q"), [(False, None), (True, [1.0])])
def test_a_leak_that_never_acts_is_none_unless_noted(
    leaky: bool, leak_q: list[float] | None
) -> None:
    made = causes([[0.75, 0.25], [0, 1], [0, 1]], [[0, 1]], leaky=leaky)
    assert (made.leak_q if made.leak_q is None else made.leak_q.tolist()) == leak_q


def test_without_parents_the_leak_is_all() -> None:
    for leak in ([0.25, 0.75], [0.25, 0.25, 0.5]):
        made = noisymax_distribution(np.array([leak]), [], place="here")
        assert not isinstance(made, ParsedCauses)
        assert made.tolist() == leak


# The node: high, low, none. One parent: much, little, no; the other: yes, no.
THREE: Columns = [
    [0.5, 0.25, 0.25],  # much
    [0.25, 0.25, 0.5],  # little
    [0, 0, 1],  # no
    [0.25, 0.5, 0.25],  # yes
    [0, 0, 1],  # no
    [0, 0.5, 0.5],  # leak
]


def test_three_states_by_hand() -> None:
    made = table(THREE, [[0, 1, 2], [0, 1]])
    assert made.shape == (3, 2, 3)
    # Much and yes: at most none 1/4 1/4 1/2 = 1/32; at most low 1/2 3/4 1 = 3/8.
    assert made[0, 0].tolist() == [1 - 3 / 8, 3 / 8 - 1 / 32, 1 / 32]
    # Little and no: at most none 1/2 1 1/2 = 1/4; at most low 3/4 1 1 = 3/4.
    assert made[1, 1].tolist() == [1 / 4, 1 / 2, 1 / 4]
    # Neither: the leak.
    assert made[2, 1].tolist() == [0, 0.5, 0.5]


def test_strengths_tell_which_state_a_column_is_of() -> None:
    made = table(THREE, [[2, 0, 1], [1, 0]])
    straight = table(THREE, [[0, 1, 2], [0, 1]])
    for place, state in enumerate([2, 0, 1]):
        assert made[state, 1].tolist() == straight[place, 0].tolist()
        assert made[state, 0].tolist() == straight[place, 1].tolist()


def test_a_binary_node_of_a_parent_with_three_states() -> None:
    columns: Columns = [[0.5, 0.5], [0.25, 0.75], [0, 1], [0.5, 0.5]]
    made = table(columns, [[1, 2, 0]])
    # State 1 is the strongest: absent 1/2 1/2; state 2: 3/4 1/2; state 0: 1/2.
    assert made.tolist() == [[0.5, 0.5], [0.75, 0.25], [0.625, 0.375]]


@st.composite
def gates(draw: st.DrawFn) -> tuple[Columns, list[list[int]]]:
    own = draw(st.integers(2, 3))
    strengths = draw(st.lists(st.sampled_from([2, 3]), min_size=1, max_size=3)).copy()
    weights = st.lists(st.integers(0, 4), min_size=own, max_size=own).filter(any)

    def column() -> list[float]:
        drawn = draw(weights)
        return [weight / sum(drawn) for weight in drawn]

    nothing = [0.0] * (own - 1) + [1.0]
    columns = []
    for states in strengths:
        columns += [column() for _ in range(states - 1)] + [nothing]
    return [*columns, column()], [draw(st.permutations(range(n))) for n in strengths]


@given(gates())
def test_the_node_takes_the_strongest_effect_that_is_drawn(
    gate: tuple[Columns, list[list[int]]],
) -> None:
    columns, strengths = gate
    made = table(columns, strengths)
    own = len(columns[0])
    starts = np.cumsum([0, *map(len, strengths)])
    for states in product(*(range(len(order)) for order in strengths)):
        drawn_from = [columns[-1]] + [
            columns[start + order.index(state)]
            for start, order, state in zip(starts[:-1], strengths, states, strict=True)
        ]
        expected = [0.0] * own
        for effects in product(range(own), repeat=len(drawn_from)):
            chance = 1.0
            for effect, column in zip(effects, drawn_from, strict=True):
                chance *= column[effect]
            expected[min(effects)] += chance
        found = made[states]
        assert found == pytest.approx(expected, abs=1e-14)
        assert (found >= -1e-15).all()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([[0.5, 0.5], [0, 1], [-0.5, 1.5]], "a parameter that is not between 0 and 1"),
        ([[0.5, float("nan")], [0, 1], [0, 1]], "a parameter that is not between 0 and 1"),
        ([[0.5, 0.5], [0, 1], [0.5, 0.25]], "column 3 sums to 0.75; it must be 1, within 0.0001"),
    ],
)
def test_odd_parameters_are_refused(columns: Columns, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        noisymax_distribution(np.array(columns), [[0, 1]], place="here")


def test_a_weakest_state_that_acts_is_a_cause_like_the_others() -> None:
    columns: Columns = [[0.5, 0.5], [0.25, 0.75], [0, 1]]
    with pytest.warns(ConversionWarning, match=r"here has .* parent 1 the column 0\.25 0\.75"):
        made = causes(columns, [[0, 1]])
    assert made.q[0].tolist() == [[0.5], [0.75]]
    # What GeNIe's rounding may leave is none.
    rounded = causes([[0.5, 0.5], [1e-12, 1 - 1e-12], [0, 1]], [[0, 1]])
    assert rounded.q[0].tolist() == [[0.5], [1.0]]


def test_a_noisy_max_of_many_parents_needs_no_table() -> None:
    columns = [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]] * 60 + [[0.0, 0.0, 1.0]]
    made = causes(columns, [[0, 1]] * 60)
    assert made.q[59].tolist() == [[0.5, 0.5], [1.0, 1.0]]


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=1))
def test_columns_are_levels_and_levels_are_columns(drawn: list[list[int]]) -> None:
    columns = np.array(drawn) / np.sum(drawn, axis=1, keepdims=True)
    levels = levels_of_columns(columns)
    assert ((levels >= 0) & (levels <= 1)).all()
    assert columns_of_levels(levels) == pytest.approx(columns, abs=1e-15)
