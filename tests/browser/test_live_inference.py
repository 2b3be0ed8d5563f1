"""The scripts that answer questions give the library's numbers, in a browser and without a page."""

from importlib.resources import files
from math import isinf
from typing import Any

import numpy as np
import pytest

from noisyor import Inference, Network, average, value_of_information
from noisyor.core import ImpossibleEvidenceError, NetworkSet
from noisyor.inference.evidence import Finding
from noisyor.reporting.live_content import live_network, live_set
from noisyor.reporting.page import INFERENCE_SCRIPTS
from tests.browser.report_page import ReportPage
from tests.inference.networks import any_network, network_of, noisy_or, random_network, root
from tests.inference.test_any_states import extreme
from tests.inference.test_averaging import set_of_members

EXACT = 1e-9
Observed = list[int | None]

_ASK = """
const [sizes, live, cases] = arguments;
const answered = (question) => {
  for (;;) {
    const step = question.next();
    if (step.done) return step.value;
  }
};
const plain = (rows) => rows.map((row) => [...row]);
const answers = makeAnswers(sizes, live);
return cases.map(({ observed, target }) => {
  try {
    const found = answered(answers.posteriors(observed));
    if (!found) return null;
    const { mean, least, most, impossible } = found;
    const said = { mean: plain(mean), least: plain(least), most: plain(most), impossible };
    const best = answers.mostProbable(observed);
    if (best) Object.assign(said, { states: best.states, logarithm: best.logarithm, posterior: best.posterior });
    if (target !== null) said.information = answered(answers.information(target, observed));
    return said;
  } catch (error) {
    if (error instanceof propagation.TooDense) return "too dense";
    throw error;
  }
});
"""  # noqa: E501


def scripts() -> str:
    folder = files("noisyor.reporting").joinpath("assets")
    return "".join(folder.joinpath(name).read_text("utf-8") for name in INFERENCE_SCRIPTS)


def asked(
    page: ReportPage,
    model: Network | NetworkSet,
    cases: list[tuple[Observed, int | None]],
) -> list[Any]:
    """Return the answers of the scripts to the cases: what is observed, and a target."""
    live = live_network(model) if isinstance(model, Network) else live_set(model)
    sizes = [variable.state_count for variable in model.variables]
    given = [{"observed": observed, "target": target} for observed, target in cases]
    return list(page.run(scripts() + _ASK, sizes, live, given))


def by_name(model: Network | NetworkSet, observed: Observed) -> dict[str, Finding]:
    return {
        variable.name: variable.states[state]
        for variable, state in zip(model.variables, observed, strict=True)
        if state is not None
    }


def findings(random: np.random.Generator, model: Network | NetworkSet) -> Observed:
    return [
        int(random.integers(variable.state_count)) if random.random() < 0.3 else None
        for variable in model.variables
    ]


def check_posteriors(network: Network, observed: Observed, said: Any) -> bool:  # noqa: ANN401
    """Compare the chances of all open variables; return whether the evidence is possible."""
    given = by_name(network, observed)
    inference = Inference(network)
    if isinf(inference.log_evidence(given)):
        assert said is None
        return False
    answer = inference.posteriors(None, given)
    for name, chances in zip(answer.names, answer.chances, strict=True):
        own = said["mean"][network.index(name)]
        np.testing.assert_allclose(own, chances, rtol=1e-9, atol=0)
    most_probable = inference.most_probable(given)
    assert said["logarithm"] == pytest.approx(most_probable.log_probability, abs=EXACT)
    assert said["posterior"] == pytest.approx(most_probable.posterior, rel=EXACT)
    states = {v.name: v.states[at] for v, at in zip(network.variables, said["states"], strict=True)}
    evident = inference.log_evidence(states)
    assert evident == pytest.approx(most_probable.log_probability, abs=EXACT)
    return True


@pytest.mark.parametrize("seed", range(4))
def test_networks_of_any_states_and_relations_answer_as_in_the_library(
    page: ReportPage, seed: int
) -> None:
    random = np.random.default_rng(seed)
    possible = 0
    for _ in range(12):
        certain = float(random.choice([0, 0.2]))
        network = any_network(random, int(random.integers(1, 13)), 6, certain)
        cases = [findings(random, network) for _ in range(4)]
        answers = asked(page, network, [(observed, None) for observed in cases])
        for observed, said in zip(cases, answers, strict=True):
            possible += check_posteriors(network, observed, said)
    assert possible > 24


def test_rare_states_have_full_relative_precision(page: ReportPage) -> None:
    random = np.random.default_rng(5)
    possible = 0
    for _ in range(12):
        network = extreme(any_network(random, 7, 5, 0, (2, 3)), random, -18)
        observed = findings(random, network)
        (said,) = asked(page, network, [(observed, None)])
        possible += check_posteriors(network, observed, said)
    assert possible > 8


def test_the_unlikely_is_not_called_impossible(page: ReportPage) -> None:
    """Plain products of these 80 findings are zero, so the answer needs logarithms."""
    effects = [noisy_or([0, 1], 1 - 1e-7, 1 - 1e-9) for _ in range(80)]
    network = network_of(root(0.2), root(0.4), *effects)
    observed: Observed = [None, None, *[1] * 80]
    (said,) = asked(page, network, [(observed, None)])
    assert Inference(network).log_evidence(by_name(network, observed)) < -1000
    assert check_posteriors(network, observed, said)


def test_forty_causes_of_one_effect_are_no_large_table(page: ReportPage) -> None:
    roots = [root(0.1) for _ in range(40)]
    network = network_of(*roots, noisy_or(list(range(40)), *np.linspace(0.1, 0.9, 40).tolist()))
    cases: list[Observed] = [[None] * 41, [*[None] * 40, 1], [1, *[None] * 39, 1]]
    inference = Inference(network)
    for observed in cases:
        (said,) = page.run(
            scripts()
            + "const network = propagation.makeNetwork(arguments[0], arguments[1], 2 ** 16);"
            "return [network.posteriors(arguments[2]).chances.map((one) => [...one])]",
            [2] * 41,
            live_network(network)["families"],
            observed,
        )
        answer = inference.posteriors(None, by_name(network, observed))
        for name, chances in zip(answer.names, answer.chances, strict=True):
            np.testing.assert_allclose(said[network.index(name)], chances, rtol=EXACT)


def test_a_network_that_is_too_dense_is_refused_and_does_not_hang(page: ReportPage) -> None:
    random = np.random.default_rng(0)
    network = random_network(random, 60, 9)
    assert asked(page, network, [([None] * 60, None)]) == ["too dense"]


def members(random: np.random.Generator, variables: int) -> NetworkSet:
    """Return five networks of the same variables, with weights that differ."""
    first = any_network(random, variables, 3, 0.15, (2, 3))
    sizes = [variable.state_count for variable in first.variables]
    found = [(first, 3.0)]
    while len(found) < 5:
        other = any_network(random, variables, 3, 0.15, (2, 3))
        if [variable.state_count for variable in other.variables] == sizes:
            found.append((other, 3.0 + float(random.random())))
    return set_of_members(*found)


def test_averages_and_values_of_findings_are_the_librarys(page: ReportPage) -> None:
    random = np.random.default_rng(1)
    partly = 0
    for _ in range(18):
        networks = members(random, 5)
        observed = findings(random, networks)
        target = int(random.integers(5))
        observed[target] = None
        (said,) = asked(page, networks, [(observed, target)])
        given = by_name(networks, observed)
        try:
            expected = average(networks, None, given)
        except ImpossibleEvidenceError:
            assert said is None
            continue
        partly += expected.impossible_members > 0
        assert said["impossible"] == pytest.approx(expected.impossible_weight, abs=EXACT)
        for place, name in enumerate(expected.names):
            number = networks.names.index(name)
            for key, values in (
                ("mean", expected.chances),
                ("least", expected.lowest),
                ("most", expected.highest),
            ):
                np.testing.assert_allclose(said[key][number], values[place], atol=EXACT)
        value = value_of_information(networks, networks.names[target], given=given)
        assert said["information"]["entropy"] == pytest.approx(value.entropy, abs=EXACT)
        drops = {
            networks.names[one["variable"]]: (one["drop"], one["share"])
            for one in said["information"]["findings"]
        }
        assert drops.keys() == {one.name for one in value.findings}
        for one in value.findings:
            assert drops[one.name] == pytest.approx((one.drop, one.share), abs=EXACT)
        ranked = [one["drop"] for one in said["information"]["findings"]]
        assert ranked == sorted(ranked, reverse=True)
    assert partly > 0
