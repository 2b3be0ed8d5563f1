"""Parameters of a given network from records, its own numbers being the prior."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import noisyor
from noisyor.core import (
    CPT,
    Cpt,
    Dataset,
    Family,
    InfeasibleFitError,
    MismatchError,
    Network,
    NetworkError,
    NoisyOr,
    Provenance,
    SettingsError,
    Structure,
    TableSizeError,
    Variable,
)
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.relations import Acting, Effect, cause_relation
from noisyor.core.variable import variables_of
from noisyor.fitting.expert_prior import PriorRecords
from noisyor.fitting.relations import fit_with_prior
from noisyor.inference import Inference
from noisyor.networks.changes import changes
from noisyor.networks.refitting import with_leaks
from tests.inference.networks import any_network
from tests.oracles.joint import joint

CLINIC = noisyor.example_truth("clinic")


@pytest.fixture(scope="module")
def records() -> Dataset:
    return noisyor.sample_dataset(CLINIC, 40, seed=3)


def wet_grass() -> Network:
    """Return rain -> sprinkler, both -> wet: a table of dependent parents."""
    families = (Family(0, 0), Family(1, 0b1, CPT), Family(2, 0b11, CPT))
    tables = (Cpt.binary([0.2]), Cpt.binary([0.4, 0.01]), Cpt.binary([0.0, 0.8, 0.9, 0.99]))
    names = ("rain", "sprinkler", "wet")
    return Network(Structure(names, families), variables_of(names), tables, None, Provenance("0"))


def test_rows_weigh_as_much_as_the_network_expects_them() -> None:
    network = wet_grass()
    data = noisyor.read(np.array([[1, 1, 0], [0, 1, 1], [0, 1, 1], [0, 0, 0]]), names=network.names)
    fitted = noisyor.fit(network, data, prior_weight=10)
    chances = joint(network).sum(axis=2)
    table = fitted.distributions[2].expand().present
    for number, (sprinkler, rain) in enumerate(product((0, 1), repeat=2)):
        seen = sum(row[:2] == [rain, sprinkler] for row in [[1, 1], [0, 1], [0, 1], [0, 0]])
        wet = 2 if (rain, sprinkler) == (0, 1) else 0
        weight = 10 * chances[rain, sprinkler]
        before = network.distributions[2].expand().present[number]
        assert table[number] == pytest.approx((wet + weight * before) / (seen + weight), abs=1e-12)
    assert fitted.distributions[0].expand().present == pytest.approx((1 + 10 * 0.2) / 14)


def test_each_row_may_weigh_the_same() -> None:
    network = wet_grass()
    data = noisyor.read(np.array([[1, 1, 0], [0, 1, 1], [0, 1, 1], [0, 0, 0]]), names=network.names)
    fitted = noisyor.fit(network, data, prior_weight=10, spread="each")
    expected = [Fraction(0), Fraction(8, 10), Fraction(2 + 9, 12), Fraction(99, 110)]
    found = fitted.distributions[2].expand().present
    assert found == pytest.approx([float(one) for one in expected], abs=1e-12)


def test_causes_weigh_as_much_as_the_network_expects_them() -> None:
    """With one parent a noisy-OR is a binomial, whose posterior is known."""
    families = (Family(0, 0), Family(1, 0b1, cause_relation(leak=False)))
    network = Network(
        Structure(("fault", "alarm"), families),
        variables_of(("fault", "alarm")),
        (Cpt.binary([0.25]), NoisyOr([0.1])),
        None,
        Provenance("0"),
    )
    data = noisyor.read(np.array([[1, 0], [1, 1], [0, 0], [0, 0]]), names=network.names)
    fitted = noisyor.fit(network, data, prior_weight=8)
    assert fitted.distributions[1].causes()[0].q == pytest.approx((1 + 2 * 0.1) / (2 + 2), abs=1e-9)
    equally = noisyor.fit(network, data, prior_weight=8, spread="each")
    assert equally.distributions[1].causes()[0].q == pytest.approx((1 + 0.8) / (2 + 8), abs=1e-9)


class JointRecords(PriorRecords):
    """The imaginary records of a node by the joint distribution of the network."""

    def __init__(self, network: Network, node: int, weight: float) -> None:
        self.parents = network.structure.families[node].parent_indices()
        self.joint = weight * joint(network)
        self.weight = weight

    def of_configurations(self, parent_states: Sequence[int]) -> npt.NDArray[np.float64]:
        rows = np.zeros(int(np.prod(parent_states, dtype=int)))
        for values in np.ndindex(self.joint.shape):
            row, step = 0, 1
            for parent, states in zip(self.parents, parent_states, strict=True):
                row, step = row + values[parent] * step, step * states
            rows[row] += self.joint[values]
        return rows

    def of_states(self, parent_states: Sequence[int]) -> list[npt.NDArray[np.float64]]:
        found = [np.zeros(states) for states in parent_states]
        for values in np.ndindex(self.joint.shape):
            for own, parent in zip(found, self.parents, strict=True):
                own[values[parent]] += self.joint[values]
        return found

    @property
    def of_node(self) -> float:
        return self.weight


@pytest.mark.parametrize("seed", range(8))
def test_any_states_and_relations_weigh_as_in_the_joint_distribution(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = any_network(random, 5, most_parents=3, certain=0.0, states=(2, 3))
    data = noisyor.sample_dataset(network, 30, seed=seed)
    fitted = noisyor.fit(network, data, prior_weight=7)
    for node, family in enumerate(network.structure.families):
        wanted = fit_with_prior(
            data, family, network.distributions[node], JointRecords(network, node, 7.0)
        )
        found = fitted.distributions[node]
        assert found.relation is wanted.relation
        assert np.allclose(found.expand().table, wanted.expand().table, atol=1e-7)


def test_no_weight_gives_maximum_likelihood(records: Dataset) -> None:
    fitted = noisyor.fit(CLINIC, records, prior_weight=0)
    best = noisyor.fit_network(records, CLINIC.structure)
    assert fitted.cost is not None
    assert best.cost is not None
    assert fitted.cost == pytest.approx(best.cost, abs=1e-7)


def test_an_infinite_weight_keeps_a_node(records: Dataset) -> None:
    weights = dict.fromkeys(CLINIC.names, 20.0) | {"fever": float("inf")}
    fitted = noisyor.fit(CLINIC, records, prior_weight=weights)
    fever, cough = CLINIC.index("fever"), CLINIC.index("cough")
    assert fitted.distributions[fever] == CLINIC.distributions[fever]
    assert fitted.distributions[cough] != CLINIC.distributions[cough]
    assert fitted.provenance.setting("prior weight") == "20, fever=inf"


def test_a_node_may_have_a_weight_of_its_own(records: Dataset) -> None:
    alone = noisyor.fit(CLINIC, records, prior_weight=100)
    mixed = noisyor.fit(
        CLINIC, records, prior_weight=dict.fromkeys(CLINIC.names, 5.0) | {"fever": 100.0}
    )
    fever, cough = CLINIC.index("fever"), CLINIC.index("cough")
    assert mixed.distributions[fever] == alone.distributions[fever]
    assert mixed.distributions[cough] != alone.distributions[cough]


def test_graph_relations_and_provenance(records: Dataset) -> None:
    fitted = noisyor.fit(CLINIC, records, prior_weight=20)
    assert fitted.structure == CLINIC.structure
    assert fitted.provenance.data == records.fingerprint()
    assert fitted.provenance.records == 40
    assert fitted.provenance.setting("prior weight") == "20"
    assert fitted.provenance.setting("prior spread") == "expected"


def test_frames_are_taken_as_they_are() -> None:
    frame = pl.DataFrame({"alarm": ["1", "0"], "fault": ["1", "0"], "wet": ["0", "1"]})
    network = wet_grass()
    with pytest.raises(MismatchError, match="no column for rain, sprinkler; every variable"):
        noisyor.fit(network, frame, prior_weight=1)


def test_titles_name_columns_and_the_appearance_is_kept() -> None:
    network = wet_grass()
    adorned = replace(
        network, appearance=Appearance("Garden", nodes={"rain": NodeAppearance(title="Rain today")})
    )
    frame = pl.DataFrame({"Rain today": ["1", "0"], "wet": ["1", "0"], "sprinkler": ["0", "1"]})
    fitted = noisyor.fit(adorned, frame, prior_weight=2)
    assert fitted.appearance == adorned.appearance
    plain = frame.rename({"Rain today": "rain"})
    assert fitted == noisyor.fit(network, plain, prior_weight=2)


def test_a_record_without_a_cause_needs_a_leak() -> None:
    families = (Family(0, 0), Family(1, 0b1, cause_relation(leak=False)))
    names = ("fault", "alarm")
    network = Network(
        Structure(names, families),
        variables_of(names),
        (Cpt.binary([0.25]), NoisyOr([0.1])),
        None,
        Provenance("0"),
    )
    data = noisyor.read(np.array([[0, 1], [1, 1], [0, 0], [0, 0]]), names=names)
    with pytest.raises(InfeasibleFitError, match=r"'alarm' fits.*add_leaks=True adds a leak"):
        noisyor.fit(network, data, prior_weight=4)
    for leaks in (True, ["alarm"]):
        fitted = noisyor.fit(network, data, prior_weight=4, add_leaks=leaks)
        fault, leak = fitted.distributions[1].causes()
        assert leak.parent is None
        assert 0 < leak.strength < 1 / 3  # of three records without the fault, and four imaginary
        assert 0 < fault.strength < 1


def test_only_causes_can_have_a_leak() -> None:
    assert with_leaks(CLINIC, []) == CLINIC
    with pytest.raises(SettingsError, match="'flu' cannot have a leak: it has no causes"):
        with_leaks(CLINIC, ["flu"])
    leaky = with_leaks(CLINIC, ["fever"])
    assert with_leaks(leaky, ["fever"]) == leaky
    fever = CLINIC.index("fever")
    own = CLINIC.distributions[fever].marked([[True], [False], [False]])
    marked = replace(
        CLINIC,
        distributions=tuple(
            own if v == fever else one for v, one in enumerate(CLINIC.distributions)
        ),
    )
    marks = [one.is_seen(1) for one in with_leaks(marked, ["fever"]).distributions[fever].causes()]
    assert marks == [False, True, True, True]
    assert np.allclose(joint(leaky), joint(CLINIC), atol=1e-15)


@pytest.mark.parametrize("weight", [-1, float("nan"), 1e300])
def test_a_weight_that_is_none_is_refused(records: Dataset, weight: float) -> None:
    with pytest.raises(SettingsError, match="the prior weight of 'flu' is"):
        noisyor.fit(CLINIC, records, prior_weight=weight)


def test_weights_by_name_are_complete_and_known(records: Dataset) -> None:
    with pytest.raises(SettingsError, match="no weight for cold, allergy"):
        noisyor.fit(CLINIC, records, prior_weight={"flu": 3})
    with pytest.raises(NetworkError, match="no variable 'flue'"):
        noisyor.fit(CLINIC, records, prior_weight={"flue": 3})
    with pytest.raises(SettingsError, match="the spread of the prior is 'even'"):
        noisyor.fit(CLINIC, records, prior_weight=3, spread="even")


def test_changes_list_states_in_the_order_of_the_file() -> None:
    sky = Variable("sky", ("clear", "cloudy", "dark"))
    look = Appearance(nodes={"sky": NodeAppearance(order=(2, 0, 1))})
    network = replace(
        Network.from_tables([sky], [()], [[0.5, 0.25, 0.25]], Provenance("test")), appearance=look
    )
    records = noisyor.sample_dataset(network, 20, seed=1)
    (found,) = changes(network, noisyor.fit(network, records, prior_weight=20), records)
    assert [one.state for one in found.numbers] == ["dark", "clear", "cloudy"]
    assert [one.before for one in found.numbers] == [0.25, 0.5, 0.25]


def test_changes_tell_each_number_and_its_records(records: Dataset) -> None:
    fitted = noisyor.fit(CLINIC, records, prior_weight=20)
    found = {one.name: one for one in changes(CLINIC, fitted, records)}
    flu, fever = found["flu"], found["fever"]
    assert (flu.relation, fever.relation) == ("cpt", "noisy-or")
    (row,) = flu.numbers
    assert (row.where, row.state, row.before, row.records) == ("", "yes", 0.22, 40)
    assert [one.where for one in fever.numbers] == ["flu", "cold", "pneumonia"]
    ill = int(records.weights[records.present(records.index("flu"))].sum())
    assert fever.numbers[0].records == ill
    q = fitted.distributions[fitted.index("fever")].causes()[0].q
    assert fever.numbers[0].after == pytest.approx(1 - q, abs=1e-15)
    assert fever.moved == max(abs(one.after - one.before) for one in fever.numbers)
    with pytest.raises(MismatchError, match="different variables, edges or relations"):
        changes(wet_grass(), fitted, records)
    other = noisyor.sample_dataset(wet_grass(), 5, seed=0)
    with pytest.raises(MismatchError, match="other variables than the networks"):
        changes(CLINIC, fitted, other)


@pytest.mark.parametrize("network", [CLINIC, wet_grass()], ids=["causes", "tables"])
def test_a_network_too_dense_to_expect_records_names_the_other_spread(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisyor.expert_fit.Inference", partial(Inference, most_bytes=1))
    data = noisyor.sample_dataset(network, 40, seed=3)
    message = (
        r"^the records that the network expects cannot be counted: the network is too densely "
        r"connected for an exact answer: .*; the limit is 1 bytes. With the spread 'each' they "
        r"need not be$"
    )
    with pytest.raises(TableSizeError, match=message):
        noisyor.fit(network, data, prior_weight=20)
    assert noisyor.fit(network, data, prior_weight=20, spread="each").cost is not None


def test_parents_of_a_single_state_are_no_causes() -> None:
    """Such a noisy-OR without a leak has no parameters, and its effect never occurs."""
    relation = cause_relation(Effect.MAX, leak=False, acting=Acting.PRESENT)
    names = ("place", "effect")
    network = Network(
        Structure(names, (Family(0, 0), Family(1, 0b1, relation))),
        (Variable("place", ("here",)), Variable("effect", ("no", "yes"))),
        (Cpt.from_axes([1.0]), relation.distribution([], 2, [1])),
        None,
        Provenance("test"),
    )
    data = noisyor.sample_dataset(network, 5, seed=0)
    for weight in (0, 20):
        assert (
            noisyor.fit(network, data, prior_weight=weight).distributions == network.distributions
        )
