"""Answers of networks with any states and relations agree with brute force and closed forms."""

import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from math import exp, log, prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import (
    Cpt,
    Distribution,
    Family,
    ImpossibleEvidenceError,
    Network,
    NetworkError,
    Provenance,
    Structure,
    TableSizeError,
    Variable,
)
from noisyor.core.relations import CAUSE_RELATIONS, LEAKY_NOISY_OR, NOISY_OR, CauseRelation
from noisyor.inference import Finding, Inference, inference_error
from noisyor.inference.evidence import UNKNOWN
from noisyor.inference.trials import draw_evidence
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.inference.networks import any_network
from tests.oracles.joint import exact_chances, joint
from tests.support.effort import scaled

if TYPE_CHECKING:
    import pyagrum as gum
else:
    gum = load_pyagrum()

Floats = npt.NDArray[np.float64]
Question = tuple[Network, dict[str, Finding], Floats]


def questions(seed: int, networks: int) -> Iterator[Question]:
    """Yield random networks, possible evidence, and the joint weighted by its likelihood."""
    random = np.random.default_rng(seed)
    for _ in range(networks):
        variables = int(random.integers(1, 8))
        certain = float(random.choice([0, 0.2, 0.4]))
        network = any_network(random, variables, int(random.integers(1, 7)), certain)
        whole = joint(network)
        for _ in range(4):
            given, weights = random_findings(random, network)
            part = whole * weights
            if part.sum() > 1e-12:
                yield network, given, part


def random_findings(
    random: np.random.Generator, network: Network
) -> tuple[dict[str, Finding], Floats]:
    """Return states of some variables, likelihoods of others, and the weight of each entry."""
    given: dict[str, Finding] = {}
    weights = np.ones([variable.state_count for variable in network.variables])
    for axis, variable in enumerate(network.variables):
        kind = random.random()
        likelihood = np.ones(variable.state_count)
        if kind < 0.3:
            state = int(random.integers(variable.state_count))
            given[variable.name] = variable.states[state]
            likelihood = np.eye(variable.state_count)[state]
        elif kind < 0.45:
            likelihood = 3 * random.random(variable.state_count)
            likelihood[1:][random.random(variable.state_count - 1) < 0.3] = 0
            given[variable.name] = dict(zip(variable.states, likelihood.tolist(), strict=True))
        weights = weights * likelihood.reshape(
            [-1 if v == axis else 1 for v in range(weights.ndim)]
        )
    return given, weights


def summed(part: Floats, *axes: int) -> Floats:
    """Return the distribution of some variables, in the order given."""
    others = tuple(axis for axis in range(part.ndim) if axis not in axes)
    left = part.sum(axis=others) / part.sum()
    return np.transpose(left, np.argsort(np.argsort(axes)))


@pytest.mark.parametrize("seed", range(3))
def test_posteriors_are_sums_over_the_joint(seed: int) -> None:
    for network, given, part in questions(seed, scaled(40)):
        answer = Inference(network).posteriors(given=given)
        assert exp(answer.log_evidence) == pytest.approx(part.sum(), rel=1e-11)
        for name, chances in zip(answer.names, answer.chances, strict=True):
            wanted = summed(part, network.index(name))
            np.testing.assert_allclose(chances, wanted, rtol=1e-10, atol=1e-14)
            labels = network.variables[network.index(name)].states
            assert answer[name] == dict(zip(labels, chances.tolist(), strict=True))


def test_joint_distributions_are_sums_over_the_joint() -> None:
    random = np.random.default_rng(10)
    for network, given, part in questions(11, scaled(40)):
        free = [v for v, name in enumerate(network.names) if not isinstance(given.get(name), str)]
        if not free:
            continue
        asked = random.permutation(free)[:3].tolist()
        answer = Inference(network).joint([network.names[v] for v in asked], given)
        np.testing.assert_allclose(answer.table, summed(part, *asked), rtol=1e-10, atol=1e-14)
        assert exp(answer.log_evidence) == pytest.approx(part.sum(), rel=1e-11)
        first = {network.names[v]: network.variables[v].states[0] for v in asked}
        assert answer.probability(first) == answer.table.flat[0]


def test_the_likeliest_states_are_the_largest_entry_of_the_joint() -> None:
    for network, given, part in questions(12, scaled(40)):
        answer = Inference(network).most_probable(given)
        place = tuple(network.state_index(name, answer.states[name]) for name in network.names)
        assert part[place] == pytest.approx(part.max(), rel=1e-10)
        assert exp(answer.log_probability) == pytest.approx(part.max(), rel=1e-10)
        assert answer.posterior == pytest.approx(part.max() / part.sum(), rel=1e-10)


def one_effect(
    relation: CauseRelation, parents: list[list[float]], states: int, q: npt.ArrayLike
) -> Network:
    """Return a node of independent causes with these distributions of its parents."""
    names = tuple(f"v{v}" for v in range(len(parents) + 1))
    roots = [Family(v, 0) for v in range(len(parents))]
    sizes = [len(chances) for chances in parents]
    variables = [
        Variable(name, tuple(f"s{s}" for s in range(size)), ordered=True)
        for name, size in zip(names, [*sizes, states], strict=True)
    ]
    return Network(
        Structure(names, (*roots, Family(len(parents), (1 << len(parents)) - 1, relation))),
        tuple(variables),
        (
            *(Cpt.from_axes(chances) for chances in parents),
            relation.distribution(q, states, sizes),
        ),
        None,
        Provenance("test"),
    )


@pytest.mark.parametrize("relation", CAUSE_RELATIONS, ids=str)
def test_a_wide_effect_has_the_distribution_of_a_product(relation: CauseRelation) -> None:
    """With independent causes, P(Y <= y) is a product of one mean per cause: no table is needed."""
    random = np.random.default_rng(4)
    causes, states = 100, 4
    parents = [random.dirichlet([3, 1, 1]).tolist() for _ in range(causes)]
    count = len(relation.columns([3] * causes)) + relation.model.leak
    q = 1 - 0.03 * random.random((count, states - 1))
    network = one_effect(relation, parents, states, q)
    answer = Inference(network).posteriors([f"v{causes}"])
    distribution = network.distributions[causes]
    below = []
    for level in range(states):
        by_parent = [[Fraction(1)] * 3 for _ in parents]
        leak = Fraction(1)
        for cause in distribution.causes():
            stays = prod(map(Fraction, cause.levels[level:]), start=Fraction(1))
            if cause.parent is None:
                leak = stays
            else:
                by_parent[cause.parent][cause.state] = stays
        means = [
            sum(Fraction(p) * f for p, f in zip(own, stays, strict=True)) / sum(map(Fraction, own))
            for own, stays in zip(parents, by_parent, strict=True)
        ]
        below.append(prod(means, start=leak))
    wanted = [float(high - low) for low, high in pairwise([Fraction(0), *below])]
    if relation.model.effect == "min":
        wanted.reverse()
    np.testing.assert_allclose(answer.chances[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("relation", CAUSE_RELATIONS, ids=str)
def test_many_observed_causes_do_not_lose_what_is_rare(relation: CauseRelation) -> None:
    """The product of 400 failures of 1e-3 each is below any double; the odds of levels are not."""
    observed, free, states = 400, 5, 3
    parents = [[0.3, 0.7]] * (observed + free)
    per_parent = 2 if relation.signed else 1
    q = np.full(((observed + free) * per_parent + relation.model.leak, states - 1), 1e-3)
    network = one_effect(relation, parents, states, q)
    acting = relation.model.acting_states(2)[0]
    given: dict[str, Finding] = {f"v{v}": f"s{acting}" for v in range(observed)}
    effect = f"v{observed + free}"
    lowest = 0 if relation.model.effect == "max" else states - 1
    # A likelihood that makes up for what is rare: without it, the lowest level would be 0.
    inference = Inference(network)
    alone = inference.log_evidence(given)
    low = inference.log_evidence({**given, effect: f"s{lowest}"})
    idle = 0 if relation.signed else 1 - parents[0][acting]
    each = log(idle + (1 - idle) * 1e-6)
    wanted = (observed + relation.model.leak) * log(1e-6) + free * each
    assert low - alone == pytest.approx(wanted, rel=1e-12)
    middle = inference.log_evidence({**given, effect: "s1"}) - alone
    each = log(idle + (1 - idle) * 1e-3)
    wanted = (observed + relation.model.leak) * log(1e-3) + free * each
    assert middle == pytest.approx(wanted, rel=1e-12)
    assert inference.posteriors([effect], given).chances[0][2 - lowest] == 1


def extreme(network: Network, random: np.random.Generator, least: float) -> Network:
    """Return the network with causes whose q's are often very close to 0 or 1."""
    distributions = []
    for one in network.distributions:
        if one.relation.causes is None:
            distributions.append(one)
            continue
        q = one.parameters()
        small = 10.0 ** random.uniform(least, -1, q.shape)
        drawn = np.choose(random.integers(0, 3, q.shape), [q, small, 1 - small])
        distributions.append(one.relation.distribution(drawn, one.child_states, one.parent_states))
    return Network(
        network.structure, network.variables, tuple(distributions), None, network.provenance
    )


@pytest.mark.parametrize(("seed", "least"), [(1, -18), (2, -18), (3, -90)])
def test_every_state_has_full_relative_precision(seed: int, least: float) -> None:
    """All terms are positive: a chance of 1e-30 is as accurate as one of 0.3."""
    random = np.random.default_rng(seed)
    tiny = 0
    for _ in range(15):
        network = extreme(any_network(random, 6, 5, 0, (1, 3)), random, least)
        sizes = [variable.state_count for variable in network.variables]
        evidence = {v: int(random.integers(sizes[v])) for v in random.permutation(6)[:2].tolist()}
        given: dict[str, Finding] = {f"v{v}": f"s{state}" for v, state in evidence.items()}
        inference = Inference(network)
        if inference.log_evidence(given) == -np.inf:
            continue
        wanted = exact_chances(network, evidence)
        answer = inference.posteriors(given=given)
        for name, chances in zip(answer, answer.chances, strict=True):
            exact = [float(chance) for chance in wanted[network.index(name)]]
            if len(exact) > 2 or network.structure.families[network.index(name)].parents:
                assert chances.tolist() == pytest.approx(exact, rel=1e-11, abs=1e-300)
            tiny += sum(1e-300 < chance < 1e-17 for chance in exact)
    assert tiny


@pytest.mark.parametrize("least", [1e-5, 1e-200, 1e-290])
@pytest.mark.parametrize("causes", [3, 5])
def test_a_leak_and_causes_that_hardly_ever_fail_do_not_underflow(
    causes: int, least: float
) -> None:
    """Their q's alone are numbers, and only their products are too small for one."""
    sizes = [3] * causes
    levels = np.column_stack([np.full(2 * causes + 1, 0.7), np.full(2 * causes + 1, least)])
    levels[-1, 0] = 1
    names = tuple(f"v{v}" for v in range(causes + 2))
    network = Network(
        Structure(
            names,
            (
                *(Family(v, 0) for v in range(causes)),
                Family(causes, (1 << causes) - 1, LEAKY_NOISY_OR),
                Family(causes + 1, 1 << causes),
            ),
        ),
        tuple(Variable(name, ("low", "mid", "high"), ordered=True) for name in names),
        (
            *[Cpt.from_axes([0.0, 0.5, 0.5])] * causes,
            LEAKY_NOISY_OR.distribution(levels, 3, sizes),
            Cpt.from_axes(np.eye(3)),
        ),
        None,
        Provenance("test"),
    )
    wanted = (causes + 1) * log(least) + log(1 - 0.7**causes)
    found = Inference(network).log_evidence({names[-1]: "mid"})  # a copy of the effect
    assert found == pytest.approx(wanted, rel=1e-12)


def test_small_products_keep_their_digits() -> None:
    """Of a cause that almost never fails at one level, and almost always at the other."""
    q = [[1 - 2.0**-53, 1e-300], [1.0, 1.0]]
    names = ("cause", "effect")
    network = Network(
        Structure(names, (Family(0, 0), Family(1, 1, LEAKY_NOISY_OR))),
        (
            Variable("cause", ("no", "yes")),
            Variable("effect", ("low", "mid", "high"), ordered=True),
        ),
        (Cpt.from_axes([0.0, 1.0]), LEAKY_NOISY_OR.distribution(q, 3, [2])),
        None,
        Provenance("test"),
    )
    given = {"effect": {"low": 1.0, "mid": 1.0, "high": 0.0}}
    found = Inference(network).posteriors(["effect"], given)["effect"]
    assert found["mid"] == pytest.approx(2.0**-53, rel=1e-12, abs=0)


def test_pyagrum_gives_the_same_answers() -> None:
    random = np.random.default_rng(5)
    for _ in range(10):
        network = any_network(random, 9, 3, certain=0.1, states=(2, 4))
        bn = gum.BayesNet()  # type: ignore[no-untyped-call]
        for variable in network.variables:
            labels = list(variable.states)
            one = gum.LabelizedVariable(variable.name, "", labels)  # type: ignore[no-untyped-call]
            bn.add(one)
        for family in network.structure.families:
            for parent in family.parent_indices():
                bn.addArc(network.names[parent], network.names[family.child])
        for family, own in zip(network.structure.families, network.distributions, strict=True):
            # With parents ascending and the child last, a table's axes are those of an array.
            above = [network.names[parent] for parent in family.parent_indices()]
            axes = own.expand().axes()
            table = bn.cpt(network.names[family.child])
            order = [above.index(name) for name in list(reversed(table.names))[:-1]]
            table[:] = axes.transpose((*order, len(above)))
        record = [f"s{random.integers(variable.state_count)}" for variable in network.variables]
        chosen = random.permutation(9)[:2].tolist()
        given: dict[str, Finding] = {network.names[v]: record[v] for v in chosen}
        inference = Inference(network)
        if inference.log_evidence(given) == -np.inf:
            continue
        engine = gum.LazyPropagation(bn)  # type: ignore[no-untyped-call]
        engine.setEvidence(given)
        engine.makeInference()
        answer = inference.posteriors(given=given)
        for name, chances in zip(answer, answer.chances, strict=True):
            wanted = [engine.posterior(name)[state] for state in range(len(chances))]
            np.testing.assert_allclose(chances, np.ravel(wanted), rtol=0, atol=1e-10)
        assert answer.log_evidence == pytest.approx(log(engine.evidenceProbability()), abs=1e-9)


FEVER = Network.from_tables(
    [Variable("flu", ("no", "yes")), Variable("fever", ("none", "low", "high"), ordered=True)],
    [[], [0]],
    [[0.9, 0.1], [[0.8, 0.15, 0.05], [0.2, 0.3, 0.5]]],
    Provenance("test"),
)


def test_soft_evidence_weighs_the_states() -> None:
    given = {"fever": {"none": 0.1, "low": 1.0, "high": 0.5}}
    answer = Inference(FEVER).posteriors(["flu"], given)
    well, ill = 0.9 * (0.08 + 0.15 + 0.025), 0.1 * (0.02 + 0.3 + 0.25)
    assert answer["flu"]["yes"] == pytest.approx(ill / (well + ill))
    assert answer.evidence_probability == pytest.approx(well + ill)
    assert answer.given == (("fever", {"none": 0.1, "low": 1.0, "high": 0.5}),)
    # What is uncertain remains a target; only the ratios of the likelihoods matter to it.
    doubled = {"fever": {"none": 0.2, "low": 2.0, "high": 1.0}}
    both = [Inference(FEVER).posteriors(given=one) for one in (given, doubled)]
    assert both[0].names == ("flu", "fever")
    for one, other in zip(both[0].chances, both[1].chances, strict=True):
        assert one.tolist() == pytest.approx(other.tolist())
    certain = {"fever": {"none": 0.0, "low": 0.0, "high": 1.0}}
    observed = Inference(FEVER).posteriors(["flu"], {"fever": "high"})
    assert Inference(FEVER).posteriors(["flu"], certain)["flu"] == pytest.approx(observed["flu"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fever": {"none": 1.0}}, "'fever' has no likelihood for: low, high; it needs one for"),
        ({"fever": {"warm": 1.0}}, "'fever' has no state 'warm'; it has: none, low, high"),
        (
            {"flu": {"no": -1.0, "yes": 1.0}},
            "the likelihood of flu=no is -1; it must be a number, 0 or more",
        ),
        ({"flu": {"no": float("inf"), "yes": 1.0}}, "the likelihood of flu=no is inf"),
        ({"flu": {"no": 0.0, "yes": 0.0}}, "all likelihoods of 'flu' are 0"),
        ({"fever": True}, "'fever' has no state True; it has: none, low, high"),
    ],
)
def test_odd_findings_are_refused(given: dict[str, Finding], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        Inference(FEVER).posteriors(given=given)


def test_the_first_finding_that_contradicts_the_others_is_named() -> None:
    random = np.random.default_rng(0)
    names = [f"v{v}" for v in range(9)]
    copies: list[npt.ArrayLike] = [[0.5, 0.5], *[[[1.0, 0.0], [0.0, 1.0]]] * 8]
    network = Network.from_tables(
        [Variable(name, ("no", "yes")) for name in names],
        [[], *[[0]] * 8],
        copies,
        Provenance("test"),
    )
    for first in range(1, 9):
        order = random.permutation(9).tolist()
        given: dict[str, Finding] = {names[v]: "yes" for v in order[:first]}
        given |= {names[order[first]]: {"no": 1.0, "yes": 0.0}}
        given |= {names[v]: "no" for v in order[first + 1 :]}
        before = ", ".join(f"{names[v]}=yes" for v in order[:first])
        message = rf"^{names[order[first]]}=no:1\|yes:0 has probability zero .* with {before}$"
        with pytest.raises(ImpossibleEvidenceError, match=message):
            Inference(network).posteriors([], given)


def test_impossible_evidence_is_told_where_a_part_of_it_is_too_large_to_ask() -> None:
    """Effects of all pairs of eight causes connect these; once they are known, no table is left."""
    causes = 8
    pairs = list(combinations(range(causes), 2))
    either = [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]]
    network = Network.from_tables(
        [Variable(f"v{v}", ("no", "yes")) for v in range(causes + len(pairs))],
        [*[[]] * causes, *map(list, pairs)],
        [*[[0.5, 0.5]] * causes, *[either] * len(pairs)],
        Provenance("test"),
    )
    given: dict[str, Finding] = {f"v{v}": "yes" for v in range(causes, len(network.names))}
    given |= {f"v{v}": "no" for v in range(causes)}
    limited = Inference(network, most_bytes=1000)
    with pytest.raises(TableSizeError):
        limited.log_evidence(dict(list(given.items())[:-causes]))
    with pytest.raises(ImpossibleEvidenceError, match=r"v6=no, v7=no have probability zero toget"):
        limited.posteriors([], given)
    with pytest.raises(ImpossibleEvidenceError, match=r"^v1=no has probability zero in this net"):
        Inference(network).posteriors([], given)


_WIDE = """
import resource
import numpy as np
from noisyor.core import *
from noisyor.core.relations import NOISY_OR
from noisyor.inference import Inference

causes, size = 8, 100
names = (*(f"v{v}" for v in range(causes)), "effect")
labels = tuple(f"s{state}" for state in range(size))
q = np.full((causes * (size - 1), size - 1), 0.9)
network = Network(
    Structure(names, (*(Family(v, 0) for v in range(causes)), Family(causes, 255, NOISY_OR))),
    tuple(Variable(name, labels, ordered=True) for name in names),
    (
        *[Cpt.from_axes(np.full(size, 1 / size))] * causes,
        NOISY_OR.distribution(q, size, [size] * causes),
    ),
    None,
    Provenance("test"),
)
limited = Inference(network, most_bytes=2**20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    limited.posteriors()
except TableSizeError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_tables_above_the_limit_are_not_made_before_they_are_refused() -> None:
    """Those of eight causes of a hundred states take 55 MiB."""
    ran = subprocess.run(
        [sys.executable, "-c", _WIDE], capture_output=True, text=True, check=True, timeout=300
    )
    assert int(ran.stdout) < 2**14  # KiB


def test_a_query_is_allowed_the_memory_that_it_needs() -> None:
    """No bound on the tables of causes is above what they take."""
    random = np.random.default_rng(12)
    for _ in range(scaled(60)):
        network = any_network(random, int(random.integers(2, 12)), 8, 0, (1, 6))
        needed = Inference(network).memory_needed()
        if not needed:
            continue
        answer = Inference(network, most_bytes=needed).posteriors()
        assert answer.log_evidence == pytest.approx(0, abs=1e-12)
        with pytest.raises(TableSizeError):
            Inference(network, most_bytes=max(1, needed // 2)).posteriors()


def test_only_binary_variables_are_absent_or_present() -> None:
    answer = Inference(FEVER).posteriors()
    with pytest.raises(NetworkError, match=r"'fever' has 3 states \(none, low, high\); only var"):
        _ = answer.present
    assert Inference(FEVER).posteriors(["flu"]).absent.tolist() == [0.9]


def test_a_thousand_variables_are_asked() -> None:
    """A chain of 1,200 variables, and one effect of 300 of them."""
    count, causes = 1200, 300
    names = [f"v{v}" for v in range(count + 1)]
    step = np.array([[0.9, 0.08, 0.02], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]])
    relation = LEAKY_NOISY_OR
    above = range(0, count, count // causes)
    q = np.full((2 * causes + 1, 1), 0.99)
    network = Network(
        Structure(
            tuple(names),
            (
                Family(0, 0),
                *(Family(v, 1 << v - 1) for v in range(1, count)),
                Family(count, sum(1 << v for v in above), relation),
            ),
        ),
        (
            *(Variable(name, ("a", "b", "c")) for name in names[:-1]),
            Variable(names[-1], ("no", "yes")),
        ),
        (
            Cpt.from_axes([0.2, 0.3, 0.5]),
            *[Cpt.from_axes(step)] * (count - 1),
            relation.distribution(q, 2, [3] * causes),
        ),
        None,
        Provenance("test"),
    )
    answer = Inference(network).posteriors(given={names[-1]: "no"})
    # Forwards and backwards along the chain, with the failures as weights.
    weights = np.ones((count, 3))
    weights[list(above)] = [1, 0.99, 0.99]
    forwards = [np.array([0.2, 0.3, 0.5]) * weights[0]]
    for v in range(1, count):
        forwards.append(forwards[-1] @ step * weights[v])
    backwards = [np.ones(3)]
    for v in range(count - 1, 0, -1):
        backwards.append(step @ (weights[v] * backwards[-1]))
    for v in (0, 1, 600, count - 1):
        wanted = forwards[v] * backwards[count - 1 - v]
        np.testing.assert_allclose(answer.chances[v], wanted / wanted.sum(), rtol=1e-11)
    assert answer.log_evidence == pytest.approx(log(forwards[-1].sum() * 0.99), rel=1e-11)


def test_errors_of_answers_are_found_with_any_states() -> None:
    random = np.random.default_rng(8)
    truth = any_network(random, 6, 3, 0)
    same = inference_error(truth, truth, trials=50)
    assert (same.relative, same.absolute, same.impossible_trials) == (0, 0, 0)
    other = any_network(np.random.default_rng(8), 6, 3, 0)
    reversed_states = Network.from_tables(
        [Variable(one.name, one.states[::-1]) for one in other.variables],
        [family.parent_indices() for family in other.structure.families],
        [np.flip(one.expand().axes()) for one in other.distributions],
        Provenance("test"),
    )
    found = inference_error(truth, reversed_states, trials=50)
    assert found.relative < 1e-12
    assert found.entries > 0
    assert found.entries == same.entries


def test_evidence_is_drawn_from_the_joint_with_any_states() -> None:
    """Pearson's chi-square over the six states of two variables."""
    random = np.random.default_rng(3)
    observed = draw_evidence(Inference(FEVER), 1, 30_000, random)
    whole = joint(FEVER)
    statistic = 0.0
    for variable, states in ((0, 2), (1, 3)):
        seen = observed[observed[:, variable] != UNKNOWN, variable]
        counts = np.bincount(seen, minlength=states)
        wanted = whole.sum(axis=1 - variable) * len(seen)
        statistic += float(((counts - wanted) ** 2 / wanted).sum())
    assert statistic < 16.3  # three degrees of freedom: above in one of 1,000 seeds


def test_a_plain_maximum_of_no_acting_cause_is_at_its_lowest_level() -> None:
    network = one_effect(NOISY_OR, [[1.0, 0.0, 0.0]] * 5, 3, np.full((10, 2), 0.5))
    assert Inference(network).posteriors(["v5"])["v5"] == {"s0": 1, "s1": 0, "s2": 0}
    with pytest.raises(ImpossibleEvidenceError, match="v5=s1 has probability zero"):
        Inference(network).posteriors(given={"v5": "s1"})


def two_levels(
    random: np.random.Generator,
    causes: int,
    effects: int,
    width: int,
    relations: tuple[CauseRelation, ...] = CAUSE_RELATIONS,
) -> Network:
    """Return effects of these relations, each of several of the same causes."""
    sizes = random.integers(2, 4, causes).tolist()
    names = tuple(f"v{v}" for v in range(causes + effects))
    families = [Family(v, 0) for v in range(causes)]
    distributions: list[Distribution] = [Cpt.from_axes(random.dirichlet([1] * r)) for r in sizes]
    for child in range(causes, causes + effects):
        parents = sorted(random.choice(causes, width, replace=False).tolist())
        relation = relations[int(random.integers(len(relations)))]
        own = [sizes[parent] for parent in parents]
        states = int(random.integers(2, 4))
        sizes.append(states)
        q = random.random(relation.parameter_size(states, own))
        families.append(Family(child, sum(1 << parent for parent in parents), relation))
        distributions.append(relation.distribution(q, states, own))
    variables = [
        Variable(name, tuple(f"s{s}" for s in range(size)), ordered=True)
        for name, size in zip(names, sizes, strict=True)
    ]
    structure = Structure(names, tuple(families))
    return Network(structure, tuple(variables), tuple(distributions), None, Provenance("test"))


def as_tables(network: Network) -> Network:
    return Network.from_tables(
        network.variables,
        [family.parent_indices() for family in network.structure.families],
        [one.expand().axes() for one in network.distributions],
        network.provenance,
    )


@pytest.mark.parametrize("seed", range(8))
def test_effects_that_share_causes_answer_as_their_tables(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = two_levels(random, 9, 5, 5)
    whole, tables = Inference(network), Inference(as_tables(network))
    for count in range(4):
        chosen = random.permutation(14)[:count].tolist()
        given: dict[str, Finding] = {
            f"v{v}": f"s{random.integers(network.variables[v].state_count)}" for v in chosen
        }
        if tables.log_evidence(given) == -np.inf:
            continue
        one, other = whole.posteriors(given=given), tables.posteriors(given=given)
        assert one.log_evidence == pytest.approx(other.log_evidence, rel=1e-10)
        for mine, wanted in zip(one.chances, other.chances, strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-14)
        free = [f"v{v}" for v in range(14) if v not in chosen][::4]
        np.testing.assert_allclose(
            whole.joint(free, given).table, tables.joint(free, given).table, rtol=1e-9, atol=1e-14
        )


def test_the_memory_of_a_query_is_told_before_it() -> None:
    network = two_levels(np.random.default_rng(0), 20, 4, 9)
    whole, tables = Inference(network), Inference(as_tables(network))
    assert whole.memory_needed() < tables.memory_needed() / 10
    assert whole.memory_needed([], {}) == 0
    enough = whole.memory_needed(["v3"], {"v21": "s1"})
    small = Inference(network, most_bytes=enough - 1)
    with pytest.raises(TableSizeError, match="too densely connected"):
        small.posteriors(["v3"], {"v21": "s1"})
    answer = Inference(network, most_bytes=enough).posteriors(["v3"], {"v21": "s1"})
    assert answer["v3"] == pytest.approx(tables.posteriors(["v3"], {"v21": "s1"})["v3"])


def test_variables_are_asked_one_by_one_where_that_is_less_work() -> None:
    """Each pair of five causes has an effect; all together make one cluster of 20**5 entries."""
    random = np.random.default_rng(6)
    causes = random.dirichlet([1] * 20, 5)
    pairs = [(a, b) for b in range(5) for a in range(b)]
    tables = random.dirichlet([1, 1], (len(pairs), 20, 20))
    names = [f"v{v}" for v in range(5 + len(pairs))]
    labels = [tuple(map(str, range(20)))] * 5 + [("no", "yes")] * len(pairs)
    network = Network.from_tables(
        [Variable(name, own) for name, own in zip(names, labels, strict=True)],
        [*[()] * 5, *pairs],
        [*causes, *tables],
        Provenance("test"),
    )
    inference = Inference(network, most_bytes=100_000)
    kept = 8 * tables.size  # those of all questions
    assert kept < inference.memory_needed() < 1.5 * kept
    with pytest.raises(TableSizeError):
        Inference(network, most_bytes=kept).posteriors()
    answer = inference.posteriors()
    wanted = [
        np.einsum("a,b,abs->s", causes[a], causes[b], table)
        for (a, b), table in zip(pairs, tables, strict=True)
    ]
    for chances, right in zip(answer.chances, [*causes, *wanted], strict=True):
        np.testing.assert_allclose(chances, right, rtol=1e-12)
    assert answer.log_evidence == pytest.approx(0, abs=1e-12)
    # With all effects observed, nothing is left out for any target.
    given: dict[str, Finding] = dict.fromkeys(names[5:], "yes")
    with pytest.raises(TableSizeError, match=r"need about 2\.\d+ MiB; the limit is 97.7 KiB"):
        inference.posteriors(given=given)
    found = Inference(network).posteriors(given=given)
    joint_chances = np.einsum("a,b,c,d,e->abcde", *causes)
    for (a, b), table in zip(pairs, tables, strict=True):
        axes = [20 if v in {a, b} else 1 for v in range(5)]
        joint_chances = joint_chances * table[:, :, 1].reshape(axes)
    assert exp(found.log_evidence) == pytest.approx(joint_chances.sum(), rel=1e-10)
    for v in range(5):
        np.testing.assert_allclose(found.chances[v], summed(joint_chances, v), rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_many_shared_causes_answer_as_their_tables(seed: int) -> None:
    """Trees of these would be large, and a sequence of all causes takes their place."""
    random = np.random.default_rng(seed)
    network = two_levels(random, 12, 9, 7, (LEAKY_NOISY_OR,))
    given: dict[str, Finding] = {f"v{v}": network.states[v][-1] for v in range(12, 21)}
    one, other = (
        Inference(model).posteriors(given=given) for model in (network, as_tables(network))
    )
    assert one.log_evidence == pytest.approx(other.log_evidence, rel=1e-10)
    for mine, wanted in zip(one.chances, other.chances, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-9)


def test_many_shared_causes_need_little_memory() -> None:
    network = two_levels(np.random.default_rng(1), 40, 12, 8, (LEAKY_NOISY_OR,))
    given: dict[str, Finding] = {f"v{v}": network.states[v][-1] for v in range(40, 52)}
    inference = Inference(network)
    assert inference.memory_needed(["v0"], given) < 2**25
    answer = inference.posteriors(["v0"], given)
    # The probabilities of the evidence with each state of a variable add up to that without it.
    parts = [inference.log_evidence({**given, "v0": state}) for state in network.states[0]]
    assert answer.log_evidence == pytest.approx(np.logaddexp.reduce(parts), rel=1e-12)
    chances = np.exp(np.array(parts) - answer.log_evidence)
    np.testing.assert_allclose(answer.chances[0], chances, rtol=1e-10)
