"""A variable has a name and distinct states."""

import dataclasses

import pytest

from noisyor.core import DataError, Variable
from noisyor.core.variable import MAX_NODE_STATES, check_names, check_node_names, variables_of


def test_by_default_a_variable_is_absent_or_present() -> None:
    variable = Variable("rain")
    assert variable.states == ("0", "1")
    assert variable.state_count == 2
    assert variable.is_binary


def test_states_are_kept_in_their_order() -> None:
    labels = ["low", "high", "medium"]
    variable = Variable("dose", labels)  # type: ignore[arg-type]
    labels.clear()
    assert variable.states == ("low", "high", "medium")
    assert not variable.is_binary


@pytest.mark.parametrize(
    ("count", "ordered", "expected"),
    [(1, False, True), (2, False, True), (3, False, False), (3, True, True)],
)
def test_more_than_two_states_ascend_only_if_that_was_said(
    count: int, ordered: bool, expected: bool
) -> None:
    labels = tuple(f"s{number}" for number in range(count))
    assert Variable("a", labels, ordered=ordered).has_order is expected


def test_the_order_is_part_of_the_value() -> None:
    labels = ("low", "medium", "high")
    assert Variable("a", labels) == Variable("a", labels)
    assert Variable("a", labels) != Variable("a", labels, ordered=True)
    assert Variable("a", labels) != Variable("a", labels[::-1])
    assert len({Variable("a", labels), Variable("a", labels)}) == 1


def test_the_limit_of_states_is_inclusive() -> None:
    labels = tuple(f"s{number}" for number in range(MAX_NODE_STATES + 1))
    assert Variable("a", labels[:250]).state_count == 250
    with pytest.raises(DataError, match="'a' has 251 states; at most 250 are supported"):
        Variable("a", labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((), "'a' has no states; at least one is needed"),
        (("x", "x"), "both states of 'a' are labelled 'x'; they must differ"),
        (("x", "y", "z", "y"), "two states of 'a' are labelled 'y'; they must differ"),
        (("x", "\udc00"), "a state of 'a' is .* half of a surrogate pair"),
    ],
)
def test_labels_that_cannot_be_told_apart_or_written_are_refused(
    labels: tuple[str, ...], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        Variable("a", labels)


def test_a_name_is_made_of_whole_characters() -> None:
    with pytest.raises(DataError, match=r"the name of a variable is .* half of a surrogate pair"):
        Variable("a\ud800")


def test_it_is_frozen_and_slotted() -> None:
    variable = Variable("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        variable.name = "b"  # type: ignore[misc]
    assert not hasattr(variable, "__dict__")


def test_variables_of_names_and_states() -> None:
    assert variables_of(("a", "b")) == (Variable("a"), Variable("b"))
    made = variables_of(("a", "b"), (("no", "yes"), ("x", "y", "z")))
    assert [variable.states for variable in made] == [("no", "yes"), ("x", "y", "z")]
    with pytest.raises(ValueError, match="1 lists of states for 2 variables"):
        variables_of(("a", "b"), (("no", "yes"),))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "the table has no columns"),
        (("a", " ", "c"), "column 2 has an empty name"),
        (("a", "b", "a"), "columns 1 and 3 are both named 'a'"),
        (tuple(f"v{number}" for number in range(1025)), "1025 columns; at most 1024 are supported"),
        (("a", "\ud800"), "the name of column 2 is .* half of a surrogate pair"),
    ],
)
def test_bad_lists_of_names_are_refused(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_names(names)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "the network has no variables"),
        (("a", " "), "variable 2 has an empty name"),
        (("a", "a"), "variables 1 and 2 are both named 'a'"),
        (tuple(map(str, range(65_537))), "65537 variables; at most 65536 are supported"),
    ],
)
def test_bad_lists_of_a_networks_names_are_refused(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_node_names(names)
