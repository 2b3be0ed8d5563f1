"""GeNIe's noisy-MAX: what its parameters mean, by hand and by drawing every effect."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import FormatError
from noisyor.formats.parsed_network import ParsedNoisyOr
from noisyor.formats.xdsl_noisymax import noisymax_distribution

Columns = list[list[float]]


def table(columns: Columns, strengths: list[list[int]]) -> npt.NDArray[np.float64]:
    made = noisymax_distribution(np.array(columns), strengths, leaky=False)
    assert not isinstance(made, ParsedNoisyOr)
    return made


def noisy_or(columns: Columns, strengths: list[list[int]], *, leaky: bool = False) -> ParsedNoisyOr:
    made = noisymax_distribution(np.array(columns), strengths, leaky=leaky)
    assert isinstance(made, ParsedNoisyOr)
    return made


def test_binary_states_make_a_noisy_or() -> None:
    columns: Columns = [[0.75, 0.25], [0, 1], [0.5, 0.5], [0, 1], [0.125, 0.875]]
    assert noisy_or(columns, [[0, 1], [0, 1]]) == ParsedNoisyOr((0.25, 0.5), 0.875, (0, 0), 0)


def test_the_strongest_state_is_the_one_that_acts() -> None:
    # Strengths 1 0: the first column is that of the parent's second state.
    columns: Columns = [[0.75, 0.25], [0, 1], [0.5, 0.5], [0, 1], [0.125, 0.875]]
    assert noisy_or(columns, [[1, 0], [0, 1]]).acting == (1, 0)


@pytest.mark.parametrize(("leaky", "leak_q"), [(False, None), (True, 1.0)])
def test_a_leak_that_never_acts_is_none_unless_noted(leaky: bool, leak_q: float | None) -> None:
    made = noisy_or([[0.75, 0.25], [0, 1], [0, 1]], [[0, 1]], leaky=leaky)
    assert made.leak_q == leak_q


def test_without_parents_the_leak_is_all() -> None:
    assert table([[0.25, 0.75]], []).tolist() == [0.25, 0.75]
    assert table([[0.25, 0.25, 0.5]], []).tolist() == [0.25, 0.25, 0.5]


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
    made = noisymax_distribution(np.array(columns), strengths, leaky=True)
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
        if isinstance(made, ParsedNoisyOr):
            acts = zip(made.q, made.acting, states, strict=True)
            absent = np.prod([q if state == acting else 1.0 for q, acting, state in acts])
            found = np.array([1 - absent * (made.leak_q or 0), absent * (made.leak_q or 0)])
        else:
            found = made[states]
        assert found == pytest.approx(expected, abs=1e-14)
        assert (found >= 0).all()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([[0.5, 0.5], [0, 1], [-0.5, 1.5]], "a parameter that is not between 0 and 1"),
        ([[0.5, float("nan")], [0, 1], [0, 1]], "a parameter that is not between 0 and 1"),
        ([[0.5, 0.5], [0, 1], [0.5, 0.25]], "column 3 sums to 0.75; it must be 1, within 0.0001"),
        ([[0.5, 0.5], [0.2, 0.8], [0, 1]], "the weakest state of parent 1 the column 0.2 0.8"),
    ],
)
def test_odd_parameters_are_refused(columns: Columns, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        noisymax_distribution(np.array(columns), [[0, 1]], leaky=False)


def test_a_table_beyond_any_machine_is_refused_before_it_is_made() -> None:
    columns = [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]] * 60 + [[0.0, 0.0, 1.0]]
    with pytest.raises(FormatError, match="whose table would have 3458764513820540928 entries"):
        noisymax_distribution(np.array(columns), [[0, 1]] * 60, leaky=False)
