"""What a file says beyond the distribution: kept by copies, ignored by equality, checked once."""

import pickle
from dataclasses import replace

import pytest

from noisyor.core import Cpt, Network, NetworkError, Provenance, Variable
from noisyor.core.appearance import (
    UNADORNED,
    Appearance,
    NodeAppearance,
    SourceDocument,
)

COIN = Network.from_tables([Variable("coin")], [()], [[0.5, 0.5]], Provenance("test"))
LOOK = Appearance(
    "Coins", "of all sizes", {"coin": NodeAppearance("A coin", (1, 0), (0, 0, 10, 5))}
)


def test_a_network_has_none_by_default_and_copies_keep_it() -> None:
    assert COIN.appearance is UNADORNED
    assert COIN.appearance.is_plain
    adorned = replace(COIN, appearance=LOOK)
    fair = replace(adorned, distributions=(Cpt.binary([0.25]),))
    assert fair.appearance is LOOK
    assert pickle.loads(pickle.dumps(fair)).appearance == LOOK  # noqa: S301 (our own)


def test_it_makes_no_difference_between_networks() -> None:
    adorned = replace(COIN, appearance=LOOK)
    assert adorned == COIN
    assert hash(adorned) == hash(COIN)


def test_a_variable_that_no_file_describes_is_plain() -> None:
    assert LOOK.of("coin").title == "A coin"
    assert LOOK.of("dice") == NodeAppearance()
    assert not LOOK.is_plain


def test_an_order_is_of_the_states_that_a_variable_has() -> None:
    look = NodeAppearance(order=(2, 0, 1))
    assert look.order_for(Variable("sky", ("clear", "cloudy", "dark"))) == (2, 0, 1)
    assert look.order_for(Variable("coin")) is None
    assert NodeAppearance().order_for(Variable("coin")) is None
    with pytest.raises(ValueError, match=r"\(0, 2\) is not an order of states"):
        NodeAppearance(order=(0, 2))


def test_a_box_is_somewhere() -> None:
    with pytest.raises(ValueError, match="is not a place in a drawing"):
        NodeAppearance(box=(0, 0, float("inf"), 1))


def test_the_text_of_a_document_is_not_shown() -> None:
    assert repr(SourceDocument("xdsl", "<smile/>" * 1000)) == "SourceDocument(format='xdsl')"


def test_a_title_in_place_of_a_name_is_told_with_the_name() -> None:
    with pytest.raises(NetworkError, match="no variable 'A coin'; it is the title of coin"):
        replace(COIN, appearance=LOOK).index("A coin")
