"""What the graph of a network alone implies: neighbours and independence."""

from collections.abc import Iterable

from noisyor.core import NetworkError, Structure
from noisyor.core.arguments import checked_arguments
from noisyor.core.listing import expected_names


@checked_arguments
def markov_blanket(structure: Structure, name: str) -> tuple[str, ...]:
    """Return the Markov blanket of a variable: its parents, children and co-parents.

    Given these, it is independent of all others. They come in the order of the variables.

    Parameters
    ----------
    structure
        The network's structure.
    name
        The variable.

    """
    (variable,) = _numbers(structure, [name])
    blanket = structure.families[variable].parents
    for family in structure.families:
        if family.parents >> variable & 1:
            blanket |= family.parents | 1 << family.child
    blanket &= ~(1 << variable)
    return tuple(other for v, other in enumerate(structure.names) if blanket >> v & 1)


@checked_arguments
def d_separated(
    structure: Structure, first: Iterable[str], second: Iterable[str], given: Iterable[str] = ()
) -> bool:
    """Return whether the graph makes two sets of variables independent, given a third.

    d-separation implies independence for all parameters; some parameters imply more of it.

    Parameters
    ----------
    structure
        The network's structure.
    first, second
        Names of variables.
    given
        Names of the variables that are given.

    """
    import networkx as nx  # noqa: PLC0415  (it takes a quarter of a second and is seldom needed)

    sets = [set(_numbers(structure, names)) for names in (first, second, given)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        shared = sets[one] & sets[other]
        if shared:
            raise NetworkError(
                "the three sets of variables must not overlap; more than one has: "
                f"{', '.join(structure.names[v] for v in sorted(shared))}"
            )
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(structure.names)))
    graph.add_edges_from(
        (parent, family.child)
        for family in structure.families
        for parent in family.parent_indices()
    )
    return bool(nx.is_d_separator(graph, *sets))


def _numbers(structure: Structure, names: Iterable[str]) -> list[int]:
    if isinstance(names, str):
        raise NetworkError(f"{names!r} is a single name; a list of names is needed")
    numbers = []
    for name in names:
        if name not in structure.names:
            raise NetworkError(
                f"there is no variable {name!r}; "
                f"{expected_names(name, structure.names, 'the network')}"
            )
        numbers.append(structure.names.index(name))
    return numbers
