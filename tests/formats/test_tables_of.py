"""The table of any node, with the parents' axes in order and limits on size."""

import numpy as np
import pytest

from noisyor.core import (
    NOISY_OR,
    Cpt,
    Distribution,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    TableSizeError,
)
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats.tables_of import announce_tables, table_of


def with_parents(count: int, distribution: Distribution) -> Network:
    """Return `count` causes and an effect with this distribution."""
    families = [Family(v, 0) for v in range(count)]
    families.append(Family(count, 2**count - 1, distribution.relation))
    roots: list[Distribution] = [Cpt.binary([0.25])] * count
    return Network(
        Structure((*(f"cause{v}" for v in range(count)), "effect"), tuple(families)),
        variables_of(
            (*(f"cause{v}" for v in range(count)), "effect"), (("no", "yes"),) * (count + 1)
        ),
        (*roots, distribution),
        None,
        Provenance(""),
    )


def test_axes_are_parents_ascending_and_then_the_child() -> None:
    table = table_of(with_parents(2, Cpt.binary([0.125, 0.25, 0.5, 0.75])), 2)
    assert table.shape == (2, 2, 2)
    # Only the first cause present is configuration 1, only the second 2.
    assert table[1, 0].tolist() == [0.75, 0.25]
    assert table[0, 1].tolist() == [0.5, 0.5]
    assert table[0, 0].tolist() == [0.875, 0.125]
    assert table[1, 1].tolist() == [0.25, 0.75]


def test_a_noisy_or_is_written_out() -> None:
    network = with_parents(2, NoisyOr(np.array([0.5, 0.25]), 0.5))
    assert table_of(network, 2)[..., 1].tolist() == [[0.5, 0.875], [0.75, 0.9375]]
    with pytest.warns(ConversionWarning, match="BIF has no leaky noisy-OR: .* 'effect'$"):
        announce_tables(network, "BIF")


def test_tables_need_no_warning() -> None:
    network = with_parents(1, Cpt.binary([0.5, 0.5]))
    announce_tables(network, "BIF")  # a warning would be an error here
    assert table_of(network, 0).tolist() == [0.75, 0.25]


@pytest.mark.parametrize("count", [21, 100])
def test_more_than_twenty_parents_are_refused_by_name(count: int) -> None:
    network = with_parents(count, NoisyOr(np.full(count, 0.5)))
    assert network.structure.families[count].relation is NOISY_OR
    with pytest.raises(TableSizeError, match=f"'effect' has {count} parents.*at most 20"):
        announce_tables(network, "UAI")
