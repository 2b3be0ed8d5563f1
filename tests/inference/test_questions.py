"""Answers of networks agree with brute force, other programs and closed forms."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log, prod
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import (
    CPT,
    Cpt,
    Distribution,
    ImpossibleEvidenceError,
    Network,
    NetworkError,
    NoisyOr,
    SettingsError,
    TableSizeError,
)
from noisyor.inference import Inference
from noisyor.inference.evidence import UNKNOWN
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.inference.networks import (
    network_of,
    noisy_or,
    random_evidence,
    random_network,
    root,
    table,
)
from tests.oracles.joint import exact_chances, joint
from tests.support.effort import chosen, scaled
from tests.toy.shared_strength import SharedNoisyOr

if TYPE_CHECKING:
    import pyagrum as gum
else:
    gum = load_pyagrum()

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", ".*StructureScore. is deprecated", FutureWarning)
    from pgmpy.factors.discrete import TabularCPD  # type: ignore[import-untyped]
    from pgmpy.inference import VariableElimination  # type: ignore[import-untyped]
    from pgmpy.models import DiscreteBayesianNetwork  # type: ignore[import-untyped]

CLOSE = 1e-10


def by_name(evidence: dict[int, int]) -> dict[str, int]:
    return {f"v{v}": state for v, state in evidence.items()}


def slice_of(whole: npt.NDArray[np.float64], evidence: dict[int, int]) -> npt.NDArray[np.float64]:
    """Return the part of a joint distribution with the evidence; the other axes stay."""
    index = tuple(evidence.get(v, slice(None)) for v in range(whole.ndim))
    return np.asarray(whole[index])


Question = tuple[Network, dict[int, int], npt.NDArray[np.float64]]


def questions(seed: int, networks: int = 30) -> Iterator[Question]:
    """Yield random networks, possible evidence, and the part of the joint that has it."""
    random = np.random.default_rng(seed)
    for _ in range(scaled(networks)):
        variables = int(random.integers(1, 13))
        certain = float(random.choice([0, 0.2, 0.4]))
        network = random_network(random, variables, int(random.integers(1, 8)), certain)
        whole = joint(network)
        for _ in range(4):
            evidence = random_evidence(random, variables)
            part = slice_of(whole, evidence)
            if part.sum() > 0:
                yield network, evidence, part


@pytest.mark.parametrize("seed", [1, 2])
def test_posteriors_are_those_of_brute_force(seed: int) -> None:
    asked = 0
    for network, evidence, part in questions(seed):
        answer = Inference(network).posteriors(given=by_name(evidence))
        left = [v for v in range(len(network.names)) if v not in evidence]
        assert answer.names == tuple(f"v{v}" for v in left)
        wanted = [part.take(1, axis).sum() / part.sum() for axis in range(len(left))]
        np.testing.assert_allclose(answer.present, wanted, rtol=0, atol=CLOSE)
        assert answer.evidence_probability == pytest.approx(part.sum(), rel=CLOSE, abs=0)
        assert Inference(network).log_evidence(by_name(evidence)) <= 0
        asked += 1
    assert asked > 20


def test_posteriors_of_some_variables_are_those_of_all() -> None:
    """Fewer variables matter then, and other clusters are made."""
    random = np.random.default_rng(3)
    for network, evidence, part in questions(3):
        left = [v for v in range(len(network.names)) if v not in evidence]
        chosen = random.permutation(len(left))[: random.integers(1, len(left) + 1)].tolist()
        names = [f"v{left[axis]}" for axis in chosen]
        answer = Inference(network).posteriors(names, by_name(evidence))
        assert list(answer) == names
        for name, axis in zip(names, chosen, strict=True):
            present = part.take(1, axis).sum() / part.sum()
            assert answer[name] == pytest.approx({"yes": present, "no": 1 - present}, abs=CLOSE)


def test_joint_distributions_are_those_of_brute_force() -> None:
    random = np.random.default_rng(4)
    for network, evidence, part in questions(4):
        left = [v for v in range(len(network.names)) if v not in evidence]
        chosen = random.permutation(len(left))[: random.integers(1, min(6, len(left)) + 1)].tolist()
        names = [f"v{left[axis]}" for axis in chosen]
        answer = Inference(network).joint(names, by_name(evidence))
        others = tuple(axis for axis in range(len(left)) if axis not in chosen)
        kept = sorted(chosen)
        wanted = part.sum(axis=others).transpose([kept.index(axis) for axis in chosen])
        np.testing.assert_allclose(answer.table, wanted / part.sum(), rtol=0, atol=CLOSE)
        assert exp(answer.log_evidence) == pytest.approx(part.sum(), rel=CLOSE, abs=0)


def test_the_likeliest_states_are_those_of_brute_force() -> None:
    for network, evidence, part in questions(5):
        answer = Inference(network).most_probable(by_name(evidence))
        states = [int(answer.states[name] == "yes") for name in network.names]
        assert all(states[v] == state for v, state in evidence.items())
        left = tuple(states[v] for v in range(len(states)) if v not in evidence)
        assert part[left] == pytest.approx(part.max(), rel=CLOSE, abs=0)
        assert exp(answer.log_probability) == pytest.approx(part.max(), rel=CLOSE, abs=0)
        assert answer.posterior == pytest.approx(part.max() / part.sum(), rel=CLOSE)


def test_evidence_is_impossible_exactly_if_brute_force_says_so() -> None:
    random = np.random.default_rng(6)
    impossible = 0
    for _ in range(chosen(quick=50, full=150)):
        variables = int(random.integers(1, 11))
        network = random_network(random, variables, certain=0.6)
        evidence = random_evidence(random, variables)
        part = slice_of(joint(network), evidence)
        if part.sum() > 0:
            assert Inference(network).posteriors(given=by_name(evidence)).log_evidence > -np.inf
            continue
        impossible += 1
        assert Inference(network).log_evidence(by_name(evidence)) == -np.inf
        with pytest.raises(ImpossibleEvidenceError):
            Inference(network).posteriors(given=by_name(evidence))
        with pytest.raises(ImpossibleEvidenceError):
            Inference(network).most_probable(by_name(evidence))
        target = next(v for v in range(variables) if v not in evidence)
        with pytest.raises(ImpossibleEvidenceError):
            Inference(network).joint([f"v{target}"], by_name(evidence))
    assert impossible > 20


def presence(network: Network, child: int) -> npt.NDArray[np.float64]:
    return network.distributions[child].expand().present


def pyagrum_network(network: Network) -> gum.BayesNet:
    """Return the network with every noisy-OR expanded, filled entry by entry."""
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    for name in network.names:
        bn.add(name, 2)
    for arc in network.structure.edges():
        bn.addArc(*arc)
    for child, family in enumerate(network.structure.families):
        names = [network.names[v] for v in family.parent_indices()]
        for index, present in enumerate(presence(network, child).tolist()):
            place = {name: index >> t & 1 for t, name in enumerate(names)}
            bn.cpt(network.names[child])[place] = [1 - present, present]
    return bn


def test_posteriors_are_those_of_pyagrum() -> None:
    random = np.random.default_rng(7)
    asked = 0
    while asked < 20:
        variables = int(random.integers(2, 26))
        network = random_network(random, variables, certain=0)
        evidence = by_name(dict(list(random_evidence(random, variables).items())[:4]))
        if Inference(network).log_evidence(evidence) == -np.inf:
            continue  # a noisy-OR without a leak is never present alone
        asked += 1
        engine = gum.LazyPropagation(pyagrum_network(network))  # type: ignore[no-untyped-call]
        engine.setEvidence(evidence)
        engine.makeInference()
        answer = Inference(network).posteriors(given=evidence)
        wanted = [engine.posterior(name)[1] for name in answer]
        np.testing.assert_allclose(answer.present, wanted, rtol=0, atol=CLOSE)
        assert answer.evidence_probability == pytest.approx(
            engine.evidenceProbability(), rel=1e-9, abs=0
        )


def test_posteriors_of_tables_are_those_of_pgmpy() -> None:
    random = np.random.default_rng(8)
    for _ in range(10):
        variables = int(random.integers(2, 11))
        network = random_network(random, variables, 4, certain=0, relations=[CPT])
        model = DiscreteBayesianNetwork()
        model.add_nodes_from(network.names)
        model.add_edges_from(network.structure.edges())
        for child, family in enumerate(network.structure.families):
            # In pgmpy the last parent varies fastest; in noisyor, the first.
            parents = [network.names[v] for v in reversed(family.parent_indices())]
            present = presence(network, child)
            values = [(1 - present).tolist(), present.tolist()]
            sizes = [2] * len(parents)
            model.add_cpds(TabularCPD(network.names[child], 2, values, parents, sizes))
        evidence = by_name(random_evidence(random, variables))
        answer = Inference(network).posteriors(given=evidence)
        engine = VariableElimination(model)
        for name, present in zip(answer, answer.present, strict=True):
            wanted = engine.query([name], evidence, show_progress=False).values[1]
            assert present == pytest.approx(wanted, abs=CLOSE)


CAUSES = 200
CHANCES = [(v % 7 + 1) / 100 for v in range(CAUSES)]
FAILURES = [(v % 10) / 10 for v in range(CAUSES)]
LEAK = 0.75


@pytest.fixture(scope="module")
def wide() -> Inference:
    """Return a noisy-OR of 200 causes; every tenth q is zero."""
    effect = noisy_or(range(CAUSES), *FAILURES, leak_q=LEAK)
    return Inference(network_of(*(root(p) for p in CHANCES), effect))


def test_a_noisy_or_of_200_causes_has_the_closed_forms_values(wide: Inference) -> None:
    absent = LEAK * prod(1 - p + p * q for p, q in zip(CHANCES, FAILURES, strict=True))
    effect = wide.posteriors([f"v{CAUSES}"])
    assert effect.present[0] == pytest.approx(1 - absent, rel=1e-12)
    given_absent = wide.posteriors(given={f"v{CAUSES}": "no"})
    assert given_absent.evidence_probability == pytest.approx(absent, rel=1e-11)
    given_present = wide.posteriors(given={f"v{CAUSES}": "yes"})
    for v, (p, q) in enumerate(zip(CHANCES, FAILURES, strict=True)):
        if_absent = p * q / (1 - p + p * q)
        assert given_absent.present[v] == pytest.approx(if_absent, rel=1e-12)
        if_present = (p - if_absent * absent) / (1 - absent)
        assert given_present.present[v] == pytest.approx(if_present, rel=1e-10)


def test_some_of_200_causes_can_be_observed(wide: Inference) -> None:
    """All others are absent or fail, so the product has only v1, v2 and the leak."""
    evidence: dict[str, str | bool] = {f"v{v}": False for v in range(3, CAUSES)}
    answer = wide.posteriors(given=evidence | {"v1": "yes", "v0": False})
    assert answer["v2"]["yes"] == pytest.approx(0.03, rel=1e-12)
    absent = LEAK * 0.1 * (1 - 0.03 + 0.03 * 0.2)
    assert answer[f"v{CAUSES}"]["no"] == pytest.approx(absent, rel=1e-12)


def exact_posterior(network: Network, target: int, evidence: dict[int, int]) -> float:
    """Return the chance of presence in exact fractions, from the definition."""
    sums = [Fraction(), Fraction()]
    for values in product((0, 1), repeat=len(network.names)):
        if any(values[v] != state for v, state in evidence.items()):
            continue
        term = Fraction(1)
        for family, one in zip(network.structure.families, network.distributions, strict=True):
            parents = [values[v] for v in range(len(values)) if family.parents >> v & 1]
            if isinstance(one, Cpt):
                present = Fraction(float(one.present[sum(x << t for t, x in enumerate(parents))]))
            else:
                assert isinstance(one, NoisyOr)
                acting = [Fraction(float(q)) for q, x in zip(one.q, parents, strict=True) if x]
                present = 1 - prod(acting, start=Fraction(1 if one.leak_q is None else one.leak_q))
            term *= present if values[family.child] else 1 - present
        sums[values[target]] += term
    return float(sums[1] / sum(sums))


def test_weak_causes_do_not_cancel() -> None:
    """The chance of presence is 1e-8: computed as 1 - p, it would lose half of its digits."""
    random = np.random.default_rng(9)
    for causes in (2, 3, 6) * 20:
        q = 1 - 1e-8 * random.random(causes)
        leak_q = 1 - 1e-9 * float(random.random()) if random.random() < 0.5 else None
        network = network_of(*[root(0.3)] * causes, (range(causes), NoisyOr(q, leak_q)))
        evidence = {causes: 1} | ({1: 1} if random.random() < 0.5 else {})
        answer = Inference(network).posteriors(["v0"], by_name(evidence))
        wanted = exact_posterior(network, 0, evidence)
        assert answer.present[0] == pytest.approx(wanted, rel=1e-13)


def test_probabilities_at_the_end_of_the_numbers_do_not_overflow() -> None:
    least = 5e-324
    network = network_of(root(least), table([0], least, 1), root(0.5), table([1], least, 0.5))
    answer = Inference(network).posteriors(given={"v3": 1})
    np.testing.assert_allclose(answer.present, [0.25, 0.5, 0.5], rtol=1e-12)


def test_absence_that_many_observed_causes_make_all_but_impossible_stays_possible() -> None:
    """The product of the 200 q's is 1e-400, and a descendant says that the effect is absent."""
    causes = [root(0.5)] * 201
    network = network_of(*causes, noisy_or(range(201), *[0.01] * 201), table([201], 1, 0))
    evidence: dict[str, str] = {f"v{v}": "yes" for v in range(200)} | {"v202": "yes"}
    answer = Inference(network).posteriors(given=evidence)
    assert answer["v201"] == {"yes": 0, "no": 1}
    assert answer["v200"]["yes"] == pytest.approx(0.005 / 0.505, rel=1e-11)
    wanted = 200 * log(0.005) + log(0.505)
    assert answer.log_evidence == pytest.approx(wanted, rel=1e-13)
    likeliest = Inference(network).most_probable(evidence)
    assert (likeliest.states["v200"], likeliest.states["v201"]) == ("no", "no")
    assert likeliest.log_probability == pytest.approx(200 * log(0.005) + log(0.5), rel=1e-13)


@pytest.mark.parametrize(("causes", "q"), [(3, 1e-120), (20, 1e-20)])
def test_absence_that_unobserved_causes_make_all_but_impossible_stays_possible(
    causes: int, q: float
) -> None:
    """Causes and effect are known only by their copies: absent, with probability 1e-400."""
    effect = noisy_or(range(causes), *[q] * causes, leak_q=0.5)
    copies = [table([v], 0, 1) for v in range(causes + 1)]
    inference = Inference(network_of(*[root(0.5)] * causes, effect, *copies))
    evidence = {f"v{causes + 1 + v}": "yes" for v in range(causes)} | {f"v{2 * causes + 1}": "no"}
    wanted = causes * (log(0.5) + log(q)) + log(0.5)
    answer = inference.posteriors(given=evidence)
    assert answer.log_evidence == pytest.approx(wanted, rel=1e-13)
    assert answer.present.tolist() == [*[1.0] * causes, 0.0]
    likeliest = inference.most_probable(evidence)
    assert likeliest.states == {
        f"v{v}": "yes" if v < causes or causes < v <= 2 * causes else "no"
        for v in range(2 * causes + 2)
    }
    assert likeliest.log_probability == pytest.approx(wanted, rel=1e-13)


def test_200_findings_of_one_in_100000_are_still_possible() -> None:
    findings = [table([0], 1e-5, 2e-5)] * 200
    inference = Inference(network_of(root(0.5), *findings))
    evidence = {f"v{v}": "yes" for v in range(1, 201)}
    wanted = 200 * log(1e-5) + log(0.5) + np.log1p(2.0**200)
    answer = inference.posteriors(given=evidence)
    assert answer.log_evidence == pytest.approx(wanted, rel=1e-13)
    assert answer.evidence_probability == 0  # it underflows, without an error
    assert answer["v0"]["yes"] == pytest.approx(1, abs=1e-15)
    assert inference.joint(["v0"], evidence).table == pytest.approx([2.0**-200, 1], abs=1e-15)


@pytest.mark.parametrize("more", [0, 1])
def test_opposing_findings_weigh_up(more: int) -> None:
    """100 findings say 1e5 to 1 for, 100 against: each side alone would underflow."""
    for_it, against = table([0], 1e-5, 1), table([0], 1, 1e-5)
    findings = [*[for_it] * 100, *[against] * 100, *[table([0], 0.25, 0.75)] * more]
    inference = Inference(network_of(root(0.2), *findings))
    evidence = {f"v{v}": "yes" for v in range(1, len(findings) + 1)}
    odds = 0.2 / 0.8 * 3**more
    answer = inference.posteriors(given=evidence)
    assert answer.present[0] == pytest.approx(odds / (1 + odds), rel=1e-11)
    joint_answer = inference.joint(["v0"], evidence)
    assert joint_answer.table[1] == pytest.approx(odds / (1 + odds), rel=1e-11)
    likeliest = inference.most_probable(evidence)
    assert likeliest.states["v0"] == "no"
    wanted = 100 * log(1e-5) + log(0.8) + more * log(0.25)
    assert likeliest.log_probability == pytest.approx(wanted, rel=1e-13)


FLU = network_of(
    root(0.25),
    root(0),
    noisy_or([0, 1], 0.5, 0.25),
    names=("flu", "plague", "cough"),
)


def test_nothing_observed_is_certain() -> None:
    answer = Inference(FLU).posteriors()
    assert answer.evidence_probability == 1
    assert dict(answer) == {
        "flu": {"yes": 0.25, "no": 0.75},
        "plague": {"yes": 0.0, "no": 1.0},
        "cough": {"yes": 0.125, "no": 0.875},
    }


def test_the_first_contradiction_is_named_with_what_was_observed_before() -> None:
    evidence: dict[str, str | bool] = {"flu": "no", "cough": True, "plague": "no"}
    wanted = r"^cough=yes has probability zero in this network together with flu=no$"
    with pytest.raises(ImpossibleEvidenceError, match=wanted):
        Inference(FLU).posteriors(given=evidence)
    with pytest.raises(ImpossibleEvidenceError, match=wanted):
        Inference(FLU).most_probable(evidence)
    with pytest.raises(
        ImpossibleEvidenceError, match=r"^plague=yes has probability zero in this network$"
    ):
        Inference(FLU).joint(["flu"], {"plague": 1})


@pytest.mark.parametrize(
    ("targets", "given", "message"),
    [
        (None, {"fever": 1}, "no variable 'fever'; the network has: flu, plague, cough"),
        (["fever"], {}, "no variable 'fever'; the network has: flu, plague, cough"),
        (None, {"flu": "maybe"}, r"'flu' has no state 'maybe'; it has: yes \(present\), no"),
        (None, {"flu": 2}, "'flu' has no state 2; it has"),
        (["cough", "flu"], {"flu": "no"}, "'flu' is both a target and observed"),
        (["flu", "flu"], {}, "a target is named twice: flu, flu"),
        ("flu", {}, "targets is the text 'flu'; it must be a list of names"),
    ],
)
def test_odd_questions_are_refused(
    targets: list[str] | None, given: dict[str, str | int], message: str
) -> None:
    with pytest.raises(NetworkError, match=message):
        Inference(FLU).posteriors(targets, given)
    with pytest.raises(NetworkError, match=message):
        Inference(FLU).joint(["cough"] if targets is None else targets, given)


def test_a_joint_distribution_has_1_to_20_variables() -> None:
    inference = Inference(network_of(*[root(0.5)] * 21))
    names = inference.network.names
    answer = inference.joint(names[:20])
    np.testing.assert_allclose(answer.table, 2.0**-20, rtol=1e-12)
    with pytest.raises(
        TableSizeError, match=r"of 21 variables .* 2097152 entries; allowed: 1048576"
    ):
        inference.joint(names)
    with pytest.raises(TableSizeError, match="of no variables"):
        inference.joint([])


def test_a_network_that_is_too_densely_connected_is_refused() -> None:
    """Each pair of the causes has an effect in common: observed, they make one cluster of all."""
    causes = 10
    pairs = [(a, b) for a in range(causes) for b in range(a)]
    effects = [table([b, a], 0.1, 0.2, 0.3, 0.4) for a, b in pairs]
    network = network_of(*[root(0.5)] * causes, *effects)
    evidence = {f"v{v}": 1 for v in range(causes, causes + len(pairs))}
    # Messages from clusters of 10, 9, ..., 1 variables, both ways: 2 * (2**10 - 1) numbers. The
    # tables of the causes have 2 each, those of the observed effects 4.
    needed = 8 * (2 * (2**10 - 1) + 2 * causes + 4 * len(pairs))
    fits = Inference(network, most_bytes=needed).posteriors(given=evidence)
    assert fits.names == network.names[:causes]
    small = Inference(network, most_bytes=needed - 1)
    assert small.posteriors(["v0"]).present[0] == 0.5
    message = "too densely connected .* need about 17.5 KiB; the limit is 17.5 KiB"
    with pytest.raises(TableSizeError, match=message):
        small.posteriors(given=evidence)
    with pytest.raises(TableSizeError, match=message):
        small.joint(["v0"], evidence)
    with pytest.raises(TableSizeError, match=message):
        small.most_probable(evidence)


def wide_network(random: np.random.Generator, variables: int, most_parents: int) -> Network:
    parents = [
        sorted(random.choice(v, min(v, most_parents), replace=False).tolist())
        for v in range(1, variables)
    ]
    return network_of(root(0.3), *[noisy_or(above, *[0.9] * len(above)) for above in parents])


def test_a_dense_network_of_wide_noisy_ors_is_refused_at_once() -> None:
    """Its chains have 30,000 variables; eliminating them up to the limit would take minutes."""
    inference = Inference(wide_network(np.random.default_rng(0), 250, 249))
    started = process_time()
    with pytest.raises(TableSizeError, match="too densely connected"):
        inference.posteriors()
    assert process_time() - started < 60


def test_the_bound_refuses_nothing_that_could_be_answered() -> None:
    """150 noisy-ORs of 9 causes among 12: their chains have 1,200 variables, and the tree fits."""
    random = np.random.default_rng(1)
    causes, effects = 12, 150
    nodes = [
        noisy_or(sorted(random.choice(causes, 9, replace=False).tolist()), *random.random(9))
        for _ in range(effects)
    ]
    network = network_of(*[root(0.5)] * causes, *nodes)
    answer = Inference(network).posteriors([f"v{v}" for v in range(causes, causes + effects)])
    for (parents, one), chance in zip(nodes, answer.present, strict=True):
        assert isinstance(one, NoisyOr)
        assert len(parents) == 9
        assert chance == pytest.approx(1 - ((1 + one.q) / 2).prod(), rel=1e-12)


def test_the_likeliest_states_need_tables_of_the_causes() -> None:
    q = [0.5] * 21
    network = network_of(*[root(0.75)] * 21, noisy_or(range(21), *q))
    inference = Inference(network, most_bytes=100_000_000)
    message = "need about 96 MiB; .* need a table for the causes of 'v21'; posteriors do not"
    with pytest.raises(TableSizeError, match=message):
        inference.most_probable()
    with pytest.raises(TableSizeError, match="the causes of 'v21'"):
        Inference(network, most_bytes=40_000_000).most_probable({"v21": "yes"})
    assert inference.posteriors(["v21"]).present[0] == pytest.approx(1 - 0.625**21)
    # Absent, it is a product: each cause present has 0.75 / 2, absent 0.25.
    absent = inference.most_probable({"v21": "no"})
    assert set(absent.states.values()) == {"yes", "no"}
    assert [absent.states[f"v{v}"] for v in range(21)] == ["yes"] * 21
    assert absent.log_probability == pytest.approx(21 * log(0.375))
    assert absent.posterior == pytest.approx((0.375 / 0.625) ** 21)
    one_observed = inference.most_probable({"v0": "no"})
    assert one_observed.log_probability == pytest.approx(
        log(0.25) + 20 * log(0.75) + np.log1p(-(2.0**-20))
    )


def test_many_wide_noisy_ors_are_refused_before_they_fill_the_memory() -> None:
    """60 tables of 21 variables have 120 million entries, and need as many twice more."""
    effect = noisy_or(range(20), *[0.5] * 20)
    inference = Inference(network_of(*[root(0.5)] * 20, *[effect] * 60))
    with pytest.raises(TableSizeError, match="too densely connected"):
        inference.most_probable()
    assert inference.posteriors(["v20"]).present[0] == pytest.approx(1 - 0.75**20)


def test_on_a_tie_the_likeliest_states_are_one_of_the_likeliest() -> None:
    network = network_of(root(0.5), table([0], 0.5, 0.5), table([0, 1], 1, 0, 0, 1))
    answer = Inference(network).most_probable()
    states = tuple(answer.states[name] == "yes" for name in network.names)
    assert states in {(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 1)}
    assert answer.log_probability == pytest.approx(log(0.25))
    assert answer.posterior == pytest.approx(0.25)


def test_asking_many_rows_at_once_is_asking_each() -> None:
    network = random_network(np.random.default_rng(10), 12, certain=0.1)
    inference = Inference(network)
    drawn = np.random.default_rng(11).integers(0, 3, (200, 12)).astype(np.uint8)
    rows = np.where(drawn == 2, np.uint8(UNKNOWN), drawn)
    targets = np.array([1, 0] * 6, dtype=np.uint8)
    found, log_evidence = inference.marginals(rows, targets)
    assert inference.state_offsets == tuple(range(0, 25, 2))
    both = found.reshape(200, 12, 2)
    assert np.isneginf(log_evidence).any()
    assert not np.isneginf(log_evidence).all()
    assert (both[:, 1::2] == 0).all()
    for row, chances, log_one in zip(rows, both, log_evidence, strict=True):
        evidence = {f"v{v}": int(state) for v, state in enumerate(row) if state < 2}
        assert inference.log_evidence(evidence) == pytest.approx(log_one, rel=1e-13)
        if log_one == -np.inf:
            continue
        asked = [f"v{v}" for v in range(0, 12, 2) if row[v] == UNKNOWN]
        alone = np.array(inference.posteriors(asked, evidence).chances).reshape(-1, 2)
        assert chances[0::2][row[0::2] == UNKNOWN] == pytest.approx(alone, abs=1e-14)
        assert (chances[0::2, 1] == row[0::2])[row[0::2] < 2].all()
        assert (chances[0::2, 0] == 1 - row[0::2])[row[0::2] < 2].all()


def test_a_limit_without_any_memory_is_refused() -> None:
    with pytest.raises(SettingsError, match="most_bytes is 0; it must be at least 1"):
        Inference(FLU, most_bytes=0)


def extreme_network(random: np.random.Generator, variables: int, least: float) -> Network:
    """Return a network of which many parameters are very close to 0 or, if they can be, to 1."""
    drawn = random_network(random, variables, certain=0)

    def extreme(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        small = 10.0 ** random.uniform(least, -1, values.shape)
        kind = random.integers(0, 3, values.shape)
        return np.asarray(np.choose(kind, [values, small, 1 - small]))

    def extremes(one: Distribution) -> Distribution:
        if isinstance(one, Cpt):
            return Cpt.binary(extreme(one.present))
        assert isinstance(one, NoisyOr)
        q = extreme(one.q)
        leak_q = None if one.leak_q is None else float(extreme(np.array([one.leak_q]))[0])
        return NoisyOr(q, leak_q)

    return replace(drawn, distributions=tuple(map(extremes, drawn.distributions)))


@pytest.mark.parametrize(("seed", "least"), [(1, -18), (2, -18), (3, -90)])
def test_both_states_have_full_relative_precision(seed: int, least: float) -> None:
    """Neither is 1 minus the other; the last networks underflow in plain numbers."""
    random = np.random.default_rng(seed)
    tiny = 0
    for _ in range(12):
        network = extreme_network(random, int(random.integers(1, 8)), least)
        evidence = random_evidence(random, len(network.names))
        inference = Inference(network)
        if np.isneginf(inference.log_evidence(by_name(evidence))):
            continue
        wanted = exact_chances(network, evidence)
        answer = inference.posteriors(given=by_name(evidence))
        for name, array in zip(answer, answer.chances, strict=True):
            chances = array.tolist()
            exact = [float(chance) for chance in wanted[network.index(name)]]
            assert chances == pytest.approx(exact, rel=1e-11, abs=1e-300)
            assert answer[name] == {"yes": chances[1], "no": chances[0]}
            joint_table = inference.joint([name], by_name(evidence)).table
            assert joint_table.tolist() == pytest.approx(exact, rel=1e-11, abs=1e-300)
            tiny += 1e-300 < exact[0] < 1e-17
    assert tiny


def test_an_absent_state_that_is_rare_is_not_lost() -> None:
    network = network_of(root(0.5), noisy_or([0], 1e-18, leak_q=1e-9))
    answer = Inference(network).posteriors(["v1"], {"v0": 1})
    assert answer["v1"]["no"] == pytest.approx(1e-27, rel=1e-14)
    assert answer["v1"]["yes"] == 1


def test_a_relation_without_causes_is_asked_as_its_table() -> None:
    shared = network_of(root(0.3), root(0.6), ((0, 1), SharedNoisyOr(0.4, (2, 2))))
    tables = network_of(root(0.3), root(0.6), table([0, 1], 0, 0.6, 0.6, 1 - 0.4**2))
    for given in ({"v2": "yes"}, {"v2": "no", "v0": "yes"}):
        one, other = (Inference(network).posteriors(given=given) for network in (shared, tables))
        assert one.present.tolist() == pytest.approx(other.present.tolist())
        assert one.log_evidence == pytest.approx(other.log_evidence)
        likeliest = [Inference(network).most_probable(given) for network in (shared, tables)]
        assert likeliest[0].states == likeliest[1].states
