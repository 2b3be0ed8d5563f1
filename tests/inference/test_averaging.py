"""Answers averaged over a credible set are the members' answers, weighted."""

from dataclasses import replace
from math import exp, log

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import (
    BayesFactor,
    FamilyParameters,
    ImpossibleEvidenceError,
    Network,
    NetworkError,
    NetworkSet,
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.inference.averaging import average
from tests.inference.networks import network_of, noisy_or, random_network, root, table
from tests.oracles.joint import joint, marginals


def set_of_members(
    *members: tuple[Network, float],
    draws: npt.NDArray[np.int64] | None = None,
    count: int | None = None,
) -> NetworkSet:
    """Return the networks as a set; the cost of each is that of its first family."""
    first = members[0][0]
    families: list[FamilyParameters] = []
    rows = []
    for network, cost in members:
        row = []
        for v, family in enumerate(network.structure.families):
            row.append(len(families))
            own = cost if v == 0 else 0.0
            families.append(FamilyParameters(family, network.distributions[v], own))
        rows.append(row)
    return NetworkSet(
        variables=first.variables,
        families=tuple(families),
        members=np.array(rows, dtype=np.uint32),
        optimum=min(cost for _, cost in members),
        count=count or len(members),
        bayes_factor=BayesFactor(20),
        labels=Labels.of("best"),
        provenance=first.provenance,
        draws=draws,
    )


APART = network_of(root(0.5), root(0.25), names=("flu", "cough"))
TABLE = network_of(root(0.5), table([0], 0.25, 0.75), names=("flu", "cough"))
NOISY_OR = network_of(root(0.5), noisy_or([0], 0.5), names=("flu", "cough"))
THREE = set_of_members((APART, 7), (TABLE, 7 + log(2)), (NOISY_OR, 7 + log(4)))
"""Their weights are 4/7, 2/7 and 1/7."""


def test_the_mean_of_three_members_is_as_worked_by_hand() -> None:
    answer = average(THREE, given={"cough": "yes"}, quantiles=(0, 0.5, 4 / 7, 0.58, 6 / 7, 0.9, 1))
    # Given a cough, the chance of flu is 1/2, 3/4 and 1.
    mean = (4 * 0.5 + 2 * 0.75 + 1) / 7
    assert answer["flu"] == pytest.approx({"yes": mean, "no": 1 - mean}, abs=1e-15)
    assert list(answer) == ["flu"]
    assert len(answer) == 1
    assert (*answer.lowest[0], *answer.highest[0]) == (0, 0.5, 0.5, 1)
    assert answer.quantiles[0][:, 1].tolist() == [0.5, 0.5, 0.5, 0.75, 0.75, 1, 1]
    assert answer.quantiles[0][:, 0].tolist() == [0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert answer.levels == (0, 0.5, 4 / 7, 0.58, 6 / 7, 0.9, 1)
    assert answer.standard_error is None
    assert answer.given == (("cough", "yes"),)
    assert (answer.members, answer.count) == (3, 3)
    assert (answer.impossible_members, answer.impossible_weight) == (0, 0)
    assert answer.complete


def test_the_evidence_does_not_change_the_weights() -> None:
    """A member in which the cough is unlikely keeps its weight."""
    unlikely = network_of(root(0.5), table([0], 0.0, 1e-9), names=("flu", "cough"))
    answer = average(set_of_members((APART, 1), (unlikely, 1)), given={"cough": 1})
    assert answer["flu"]["yes"] == pytest.approx((0.5 + 1) / 2)


def test_one_member_has_no_spread() -> None:
    answer = average(set_of_members((TABLE, 3)))
    assert answer.names == ("flu", "cough")
    for values in (answer.chances, answer.lowest, answer.highest):
        assert [one.tolist() for one in values] == [[0.5, 0.5], [0.5, 0.5]]
    assert [one.tolist() for one in answer.quantiles] == [[[0.5, 0.5]] * 3] * 2


def test_a_variable_that_was_not_asked_for_is_not_there() -> None:
    answer = average(THREE, ["cough"])
    assert "flu" not in answer
    with pytest.raises(KeyError, match="flu"):
        answer["flu"]


def test_no_targets_give_an_empty_answer() -> None:
    answer = average(THREE, given={"flu": 1, "cough": 1})
    assert dict(answer) == {}
    assert answer.quantiles == ()


def test_the_targets_may_be_given_once() -> None:
    answer = average(THREE, iter(["cough", "flu"]))
    assert answer.names == ("cough", "flu")
    assert answer.present == pytest.approx([(4 * 0.25 + 2 * 0.5 + 0.25) / 7, 0.5])


def naive_quantile(values: list[float], weights: list[float], level: float) -> float:
    """Return the smallest value with enough weight at and below it."""
    return min(
        value
        for value in values
        if sum(w for v, w in zip(values, weights, strict=True) if v <= value) >= level - 1e-9
    )


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_random_members_average_as_brute_force_says(seed: int, drawn: bool) -> None:
    random = np.random.default_rng(seed)
    members = [
        (random_network(random, 6, 3, certain=0), float(cost))
        for cost in 100 + 3 * random.random(9)
    ]
    draws = random.integers(1, 6, len(members)) if drawn else None
    count = 12_345 if drawn else len(members)
    networks = set_of_members(*members, draws=draws, count=count)
    evidence = {1: 0, 4: 0}  # a noisy-OR can always be absent
    answer = average(
        networks, given={f"v{v}": x for v, x in evidence.items()}, quantiles=(0.1, 0.6)
    )
    chances = np.array([marginals(network, evidence) for network, _ in members])[:, [0, 2, 3, 5]]
    raw = [exp(100 - cost) for _, cost in members] if draws is None else draws.tolist()
    weights = [weight / sum(raw) for weight in raw]
    for place, name in enumerate(("v0", "v2", "v3", "v5")):
        values = chances[:, place].tolist()
        mean = sum(w * x for w, x in zip(weights, values, strict=True))
        assert answer[name]["yes"] == pytest.approx(mean, abs=1e-12)
        assert answer.lowest[place][1] == pytest.approx(min(values), abs=1e-12)
        assert answer.highest[place][1] == pytest.approx(max(values), abs=1e-12)
        wanted = [naive_quantile(values, weights, level) for level in (0.1, 0.6)]
        assert answer.quantiles[place][:, 1] == pytest.approx(wanted, abs=1e-12)
        if draws is None:
            assert answer.standard_error is None
        else:
            each = np.repeat(values, draws)
            assert answer.standard_error is not None
            error = each.std(ddof=1) / np.sqrt(len(each))
            assert answer.standard_error[place] == pytest.approx([error, error], rel=1e-9)
    assert (answer.members, answer.count) == (9, count)


def test_sums_of_weights_reach_a_level_in_spite_of_rounding() -> None:
    """Eight times 0.1 added up is less than 0.8."""
    members = [(network_of(root(v / 10)), 1.0) for v in range(1, 11)]
    answer = average(set_of_members(*members), quantiles=[v / 10 for v in range(11)])
    wanted = [0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    assert answer.quantiles[0][:, 1] == pytest.approx(wanted)


def test_one_draw_says_nothing_about_the_error() -> None:
    answer = average(set_of_members((TABLE, 3), draws=np.array([1]), count=50))
    assert answer.standard_error is not None
    assert [one.tolist() for one in answer.standard_error] == [[np.inf, np.inf]] * 2
    assert (answer.members, answer.count) == (1, 50)


def test_shortfalls_are_passed_on() -> None:
    answer = average(replace(THREE, shortfalls=("time was up",)))
    assert answer.shortfalls == ("time was up",)
    assert not answer.complete


def test_members_in_which_the_evidence_is_impossible_are_left_out() -> None:
    """Without the flu there is no cough in the noisy-OR, which weighs one seventh."""
    answer = average(THREE, [], {"cough": "yes", "flu": "no"})
    assert answer.impossible_members == 1
    assert answer.impossible_weight == pytest.approx(1 / 7)
    assert answer.members == 3
    never = network_of(root(0.9), root(0), names=("flu", "cough"))
    answer = average(
        set_of_members((never, 1), (APART, 1), (TABLE, 1 + log(3))), given={"cough": 1}
    )
    assert answer["flu"]["yes"] == pytest.approx(0.75 * 0.5 + 0.25 * 0.75)
    assert (*answer.lowest[0], *answer.highest[0]) == (0.25, 0.5, 0.5, 0.75)
    assert answer.quantiles[0][:, 1].tolist() == [0.5, 0.5, 0.75]
    assert answer.impossible_weight == pytest.approx(3 / 7)


def test_draws_of_impossible_members_do_not_count_in_the_error() -> None:
    never = network_of(root(0.9), root(0), names=("flu", "cough"))
    networks = set_of_members((never, 1), (APART, 1), (TABLE, 1), draws=np.array([5, 3, 1]))
    answer = average(networks, given={"cough": 1})
    each = np.array([0.5, 0.5, 0.5, 0.75])
    assert answer.present[0] == pytest.approx(each.mean())
    assert answer.standard_error is not None
    assert answer.standard_error[0] == pytest.approx([each.std(ddof=1) / 2] * 2)
    assert answer.impossible_weight == pytest.approx(5 / 9)


def test_evidence_that_is_impossible_in_all_members_is_refused() -> None:
    never = network_of(root(0.5), root(0), names=("flu", "cough"))
    message = (
        "impossible in each of the 2 networks; in the last one, cough=yes has probability zero in "
        "this network together with flu=no"
    )
    with pytest.raises(ImpossibleEvidenceError, match=message):
        average(set_of_members((never, 1), (NOISY_OR, 1)), None, {"flu": "no", "cough": "yes"})


@pytest.mark.parametrize(
    ("targets", "given", "message"),
    [
        (["fever"], {}, "no variable 'fever'"),
        (None, {"flu": "maybe"}, "'flu' has no state 'maybe'"),
        (["flu"], {"flu": 1}, "both a target and observed"),
        ("flu", {}, "targets is the text 'flu'"),
    ],
)
def test_odd_questions_are_refused(
    targets: list[str] | None, given: dict[str, str | int], message: str
) -> None:
    with pytest.raises(NetworkError, match=message):
        average(THREE, targets, given)


@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan")])
def test_a_quantile_outside_0_to_1_is_refused(level: float) -> None:
    with pytest.raises(
        SettingsError, match=f"a quantile at {level} was asked for; allowed: 0 to 1"
    ):
        average(THREE, quantiles=[0.5, level])


def test_answers_cannot_be_changed_and_their_shapes_are_checked() -> None:
    answer = average(THREE)
    arrays = [*answer.chances, *answer.lowest, *answer.quantiles]
    assert [array.flags.writeable for array in arrays] == [False] * 6
    with pytest.raises(ValueError, match=r"shape \(3,\) for 2 states"):
        replace(answer, highest=(np.zeros(3), np.zeros(2)))
    with pytest.raises(ValueError, match=r"shape \(3, 2\) for 2 states"):
        replace(answer, levels=(0.5,))
    with pytest.raises(ValueError, match="one array of chances"):
        replace(answer, lowest=answer.lowest[:1])
    with pytest.raises(ValueError, match="one name and one list of states"):
        replace(answer, names=("flu",))


def test_set_of_members_gives_members_their_weights() -> None:
    assert THREE.weights() == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert [joint(network)[1, 1] for network in THREE] == [0.125, 0.375, 0.25]


def test_a_rare_absence_is_averaged_without_loss() -> None:
    """One minus the mean presence would be 0."""
    rare, rarer = (network_of(root(0.5), noisy_or([0], q)) for q in (2e-18, 4e-20))
    answer = average(set_of_members((rare, 1), (rarer, 1)), ["v1"], {"v0": 1})
    assert answer["v1"]["no"] == pytest.approx((2e-18 + 4e-20) / 2, rel=1e-14)
    assert answer.absent.tolist() == [answer["v1"]["no"]]
    assert answer.lowest[0] == pytest.approx([4e-20, 1], rel=1e-14)
    assert answer.highest[0] == pytest.approx([2e-18, 1], rel=1e-14)
    assert answer.quantiles[0][:, 0] == pytest.approx([4e-20, 4e-20, 2e-18], rel=1e-14)
