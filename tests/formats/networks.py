"""Networks to write and read: arbitrary ones, for the formats' round trips."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from noisyor.core import (
    CPT,
    Cpt,
    Distribution,
    Family,
    Network,
    Provenance,
    Structure,
    Variable,
)
from noisyor.core.relations import all_relations
from noisyor.core.variable import BINARY, States, variables_of
from noisyor.core.variable_sets import set_of

AWKWARD_TEXTS = (
    "0",
    "1",
    "no",
    "yes",
    "a b",
    "a_b",
    "a-b",
    " a ",
    "A",
    "a",
    "_",
    "1a",
    "x,y;z",
    '"quoted"',
    "it's",
    "back\\slash",
    "line\nbreak",
    "tab\t",
    "carriage\rreturn",
    "nul\0",
    "bell\x07",
    "]]>",
    "<script>alert(1)</script>",
    "&amp;",
    "{}|()[]=:",
    "$(x)`y`%s#//",
    "é",
    "e\u0301",
    "ﬁ",
    "🫁",
    "\u202eright to left",
    "\ufeff",
    "\ufffe",
    "\x85next\u2028line",
    "node",
    "property",
    "network",
    "nan",
    "true",
    "x" * 200,
)
"""Names and labels that break files unless escaped; several collide once cleaned."""

texts = st.sampled_from(AWKWARD_TEXTS) | st.text(min_size=1, max_size=8)
"""Any text that is not empty."""

visible_texts = texts.filter(lambda text: text.strip() != "")
"""Any text that may name a variable."""

probabilities = (
    st.sampled_from([0.0, 1.0, 0.5, 0.1, 1 / 3, 5e-324, 1e-300, 1e-17, 1 - 2**-53, 2.0**-1074])
    | st.floats(0, 1)
    | st.floats(1e-300, 1e-6)
)
"""Any probability, often one that a format is tempted to round."""


def state_pairs(labels: st.SearchStrategy[str] = texts) -> st.SearchStrategy[States]:
    """Draw two different labels, the default ones and the words of GeNIe among them."""
    words: st.SearchStrategy[States] = st.sampled_from(
        [("0", "1"), ("no", "yes"), ("absent", "present"), ("yes", "no"), ("1", "0")]
    )
    pairs = st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1])
    return words | pairs


@st.composite
def networks(
    draw: st.DrawFn,
    max_variables: int = 6,
    names: st.SearchStrategy[str] = visible_texts,
    labels: st.SearchStrategy[str] = texts,
) -> Network:
    """Draw a network of up to `max_variables` variables: any graph, any relation, any parameters.

    The order of the variables is not that of the graph: a child often precedes its parents.
    """
    chosen = draw(st.lists(names, min_size=1, max_size=max_variables, unique=True))
    order = draw(st.permutations(range(len(chosen))))
    families, distributions = {}, {}
    for place, child in enumerate(order):
        parents = set_of(above for above in order[:place] if draw(st.booleans()))
        distribution = draw(_distributions(parents.bit_count()))
        families[child] = Family(child, parents, distribution.relation)
        distributions[child] = distribution
    in_order = range(len(chosen))
    return Network(
        Structure(tuple(chosen), tuple(families[v] for v in in_order)),
        variables_of(tuple(chosen), tuple(draw(state_pairs(labels)) for _ in in_order)),
        tuple(distributions[v] for v in in_order),
        draw(st.none() | st.floats(allow_nan=False, allow_infinity=False)),
        draw(_provenances()),
    )


@st.composite
def discrete_networks(
    draw: st.DrawFn,
    max_variables: int = 4,
    names: st.SearchStrategy[str] = visible_texts,
    labels: st.SearchStrategy[str] = texts,
    least_states: int = 1,
) -> Network:
    """Draw a network of any relations over variables of any states."""
    chosen = draw(st.lists(names, min_size=1, max_size=max_variables, unique=True))
    variables = []
    for name in chosen:
        states = draw(st.lists(labels, min_size=least_states, max_size=4, unique=True))
        variables.append(Variable(name, tuple(states), draw(st.booleans())))
    order = draw(st.permutations(range(len(chosen))))
    families, distributions = {}, {}
    for place, child in enumerate(order):
        above = sorted(v for v in order[:place] if draw(st.booleans()))
        family = [variables[v] for v in (*above, child)]
        if {one.state_count for one in family} == {BINARY}:
            distribution = draw(_distributions(len(above)))
        else:
            distribution = draw(_distributions_of(family))
        families[child] = Family(child, set_of(above), distribution.relation)
        distributions[child] = distribution
    return Network(
        Structure(tuple(chosen), tuple(families[v] for v in range(len(chosen)))),
        tuple(variables),
        tuple(distributions[v] for v in range(len(chosen))),
        draw(st.none() | st.floats(allow_nan=False, allow_infinity=False)),
        draw(_provenances()),
    )


@st.composite
def marked(draw: st.DrawFn, networks: st.SearchStrategy[Network]) -> Network:
    """Draw a network, some of whose causes no record has."""
    network = draw(networks)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    distributions = []
    for one in network.distributions:
        if one.relation.causes is not None:
            shape = (len(one.causes()), one.child_states - 1)
            distributions.append(one.marked(random.random(shape) < 1 / 3))
        else:
            distributions.append(one)
    return replace(network, distributions=tuple(distributions))


def fits_noisymax(one: Distribution) -> bool:
    """Return whether each parent has a state that never acts, as GeNIe's noisy-MAX requires."""
    if one.relation.causes is None:
        return False
    for place, states in enumerate(one.parent_states):
        own = [cause for cause in one.causes() if cause.parent == place]
        if len({cause.state for cause in own if min(cause.levels) < 1}) == states:
            return False
    return True


def written_out(
    network: Network, kept: Callable[[int, Distribution], bool] = lambda *_: False
) -> Network:
    """Return the network with tables for all but the distributions that a format keeps."""
    families, distributions = [], []
    for family, one in zip(network.structure.families, network.distributions, strict=True):
        if one.relation is CPT or kept(family.child, one):
            families.append(family)
            distributions.append(one)
            continue
        table = one.expand()
        if {one.child_states, *one.parent_states} == {BINARY}:
            table = Cpt.binary(table.present)
        families.append(Family(family.child, family.parents, CPT))
        distributions.append(table)
    return replace(
        network,
        structure=Structure(network.names, tuple(families)),
        distributions=tuple(distributions),
    )


@st.composite
def _distributions_of(draw: st.DrawFn, family: list[Variable]) -> Distribution:
    """Draw any relation that is defined for these variables, the child last."""
    *parents, child = family
    sizes = [one.state_count for one in family]
    relation = draw(
        st.sampled_from([one for one in all_relations() if one.supports(child, parents)])
    )
    if relation.causes is None:
        return draw(_tables(sizes))
    causes = sum(len(relation.causes.acting_states(one)) for one in sizes[:-1])
    counts = (causes + relation.causes.leak) * (child.state_count - 1)
    values = draw(st.lists(probabilities, min_size=counts, max_size=counts))
    return relation.distribution(values, child.state_count, sizes[:-1])


@st.composite
def _tables(draw: st.DrawFn, sizes: list[int]) -> Cpt:
    """Draw a table of any numbers of states, the child's last, by a seed for its entries."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    weights = random.choice([0.0, 1.0, 1e-9, 0.25, 0.125], sizes) * random.random(sizes)
    weights[..., 0] += weights.sum(axis=-1) == 0
    return Cpt.from_axes(
        weights / weights.sum(axis=-1, keepdims=True),
        random.random(sizes[:-1]) < draw(st.sampled_from([0, 0.5])),
    )


@st.composite
def _distributions(draw: st.DrawFn, parent_count: int) -> Distribution:
    relation = draw(st.sampled_from(all_relations())) if parent_count else CPT
    if relation is CPT:
        size = 2**parent_count
        present = draw(st.lists(probabilities, min_size=size, max_size=size))
        unseen = draw(st.integers(0, 2**size - 1) | st.just(0))
        return Cpt.binary(
            np.array(present), np.array([bool(unseen >> row & 1) for row in range(size)])
        )
    states = (BINARY,) * parent_count
    assert relation.causes is not None
    counts = parent_count * len(relation.causes.acting_states(BINARY)) + relation.causes.leak
    values = draw(st.lists(probabilities, min_size=counts, max_size=counts))
    return relation.distribution(values, BINARY, states)


@st.composite
def _provenances(draw: st.DrawFn) -> Provenance:
    word = st.sampled_from(AWKWARD_TEXTS) | st.text(max_size=6)
    return Provenance(
        draw(word),
        draw(word),
        draw(st.integers(0, 2**53)),
        tuple(draw(st.lists(st.tuples(word, word), max_size=3))),
    )


def check_tables_came_back(back: Network, network: Network) -> None:
    """Check that a file of tables gave a network back, with its numbers up to rounding."""
    expected = written_out(network)
    assert back.names == expected.names
    assert back.states == expected.states
    assert back.structure == expected.structure
    for one, other in zip(back.distributions, expected.distributions, strict=True):
        assert np.abs(one.expand().table - other.expand().table).max() < 1e-15
