"""Which of two states means present, where a file must say so."""

from noisyor.core import Network
from noisyor.core.state_words import place_of_present
from noisyor.formats.tables_of import labels_in_file, states_in_file


def mark_of_present(network: Network, variable: int) -> int | None:
    """Return the position in a file of the state that means present, unless a reader finds it.

    Without a mark, a reader takes the first of two states for present unless a word says so
    (see `state_orders`). More states need no mark.
    """
    if not network.variables[variable].is_binary:
        return None
    first, second = labels_in_file(network, variable)
    by_word = place_of_present((first, second))
    present = states_in_file(network, variable).index(1)
    return None if present == (by_word or 0) else present
