"""The content of a report is that of the credible set and the records, in JSON types."""

import json
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from noisyor.core import (
    AIC,
    BIC,
    LEAKY_NOISY_OR,
    Dataset,
    Family,
    Knowledge,
    MismatchError,
    NumericalError,
    SettingsError,
    Variable,
)
from noisyor.core.credible_set import FamilyUse
from noisyor.data.examples import load_example
from noisyor.fitting import fit
from noisyor.learning import learn
from noisyor.reporting import content, family_content, report_content, report_html
from noisyor.reporting.content import families_per_node
from noisyor.reporting.family_content import with_parameters
from noisyor.reporting.picture import picture_of
from tests.reporting.credible_sets import (
    NAMES,
    clinic_data,
    clinic_set,
    large_set,
    sampled_set,
    small_data,
    small_set,
)


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    return report_content(small_set(small_data()), small_data(), {"seconds": {"total": 1.5}})


def test_the_format_has_a_version(small: dict[str, Any]) -> None:
    assert (small["format"], small["version"]) == ("noisyor report", 4)


def test_variables_come_with_states_and_how_often_they_are_present(small: dict[str, Any]) -> None:
    assert small["records"] == 16
    assert small["variables"] == [
        {"name": "flu", "states": ["no", "yes"], "presence": 1, "records": [12, 4]},
        {"name": "cold", "states": ["no", "yes"], "presence": 1, "records": [12, 4]},
        {"name": "cough", "states": ["quiet", "loud"], "presence": None, "records": [11, 5]},
    ]


def test_arcs_are_those_of_the_set_the_heaviest_first(small: dict[str, Any]) -> None:
    assert [
        (a["parent"], a["child"], a["networks"], a["fraction"], a["weight"], a["in_best"])
        for a in small["arcs"]
    ] == [
        (0, 2, 4, 1.0, 1.0, True),
        (1, 2, 4, 1.0, 1.0, True),
        (0, 1, 2, 0.5, 0.25, False),
    ]


def test_nodes_have_their_families_by_weight_and_their_relations(small: dict[str, Any]) -> None:
    assert small["nodes"] == [
        {"relations": {"cpt": 1.0}, "no_parents": 1.0, "families": [0], "others": None},
        {"relations": {"cpt": 1.0}, "no_parents": 0.75, "families": [1, 2], "others": None},
        {
            "relations": {"noisy-or": 0.9, "cpt": 0.1},
            "no_parents": 0.0,
            "families": [3, 4],
            "others": None,
        },
    ]


def test_the_best_and_the_members_are_places_of_families(small: dict[str, Any]) -> None:
    assert small["best"] == [0, 1, 3]
    assert [one["families"] for one in small["members"]] == [
        [0, 1, 3],
        [0, 2, 3],
        [0, 1, 4],
        [0, 2, 4],
    ]
    first = small["members"][0]["cost"]
    assert first == pytest.approx(small_set(small_data()).optimum, abs=1e-4)
    family = small["families"][2]
    assert (family["child"], family["parents"], family["relation"]) == (1, [0], "cpt")
    assert (family["networks"], family["weight"]) == (2, 0.25)


def test_no_more_members_are_listed_than_asked_for() -> None:
    said = report_content(small_set(small_data()), small_data(), {}, members=2)
    assert [one["families"] for one in said["members"]] == [[0, 1, 3], [0, 2, 3]]
    assert said["set"]["networks"] == 4
    with pytest.raises(SettingsError, match="most members to show is 0; it must be at least 1"):
        report_content(small_set(small_data()), small_data(), {}, members=0)


def test_a_full_table_has_a_row_per_configuration_and_marks_nobody_as_seen(
    small: dict[str, Any],
) -> None:
    table = small["families"][4]["parameters"]
    assert table == {
        "kind": "table",
        "configurations": [0, 1, 2, 3],  # neither, flu, cold, both
        "chances": [[0.0], [0.75], [0.5], [0.5]],
        "records": [8, 4, 4, 0],
        "left_out": 0,
    }


def test_a_noisy_or_has_strengths_and_intervals_and_reasons(small: dict[str, Any]) -> None:
    parameters = small["families"][3]["parameters"]
    assert parameters["kind"] == "causes"
    assert parameters["strengths"] == pytest.approx([0.75, 0.5], abs=1e-5)
    assert parameters["parents"] == [0, 1]
    assert parameters["states"] == parameters["effects"] == [1, 1]
    said = parameters["explained"]
    assert said["level"] == 0.95
    for low, strength, high in zip(
        said["lower"], parameters["strengths"], said["upper"], strict=True
    ):
        assert 0 < low < strength < high < 1
    assert said["determined"] == [True, True]
    # The fits are equally good; two parameters instead of four save 2 ln(16) / 2.
    assert said["own"]["fit"] == pytest.approx(said["table"]["fit"], abs=1e-3)
    assert said["saving"] == pytest.approx(2.7726, abs=1e-3)
    assert said["preferred"] is True
    assert said["sentences"][1].startswith("flu brings about cough = loud with probability 0.75")


def test_a_leak_is_there_with_its_interval() -> None:
    said = report_content(small_set(small_data(), LEAKY_NOISY_OR), small_data(), {})
    parameters = said["families"][3]["parameters"]
    assert parameters["parents"] == [0, 1, None]
    assert parameters["strengths"][2] == pytest.approx(0, abs=1e-5)
    assert len(parameters["explained"]["lower"]) == 3


def test_intervals_that_cannot_be_proven_become_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise NumericalError("the end of an interval could not be found")

    monkeypatch.setattr(family_content, "explain", fails)
    family = report_content(small_set(small_data()), small_data(), {})["families"][3]
    assert family["note"] == "there are no intervals: the end of an interval could not be found"
    assert family["parameters"]["explained"] is None
    assert family["parameters"]["strengths"] == pytest.approx([0.75, 0.5], abs=1e-5)


def test_what_was_not_complete_is_said() -> None:
    data = small_data()
    bound = 0.9 * small_set(data).optimum
    known = report_content(
        small_set(data, shortfalls=("the time limit was reached",), lower_bound=bound), data, {}
    )["set"]
    assert (known["complete"], known["proven"]) == (False, False)
    assert known["lower_bound"] == pytest.approx(bound, abs=1e-3)
    assert known["shortfalls"] == ["the time limit was reached"]


@pytest.mark.parametrize("bound", [1.0, float("-inf")])
def test_a_bound_that_says_nothing_is_not_shown(bound: float) -> None:
    data = small_data()
    known = report_content(small_set(data, shortfalls=("at once",), lower_bound=bound), data, {})
    assert known["set"]["lower_bound"] is None


def test_other_records_are_refused() -> None:
    data = small_data()
    with pytest.raises(MismatchError, match="different variables"):
        report_content(small_set(data), small_data(("flu", "cough", "cold")), {})
    other = replace(data, weights=data.weights + 1)
    with pytest.raises(MismatchError, match=r"'flu' costs .* comes from other records"):
        report_content(small_set(data), other, {})


def test_the_run_is_kept_as_json() -> None:
    run: dict[str, object] = {"seconds": {"total": 2.5}, "notes": ("a",), "bound": float("-inf")}
    assert report_content(small_set(small_data()), small_data(), run)["run"] == {
        "seconds": {"total": 2.5},
        "notes": ["a"],
        "bound": None,
    }
    with pytest.raises(TypeError, match=r"run\.when is a set; a report holds JSON types"):
        report_content(small_set(small_data()), small_data(), {"when": {1}})


def test_families_beyond_the_first_twelve_are_summed_up() -> None:
    credible, data = large_set(count=8, each=14)
    said = report_content(credible, data, {}, members=1)
    node = said["nodes"][7]
    weights = sorted((u.weight for u in credible.families if u.family.child == 7), reverse=True)
    shown = [said["families"][place]["weight"] for place in node["families"]]
    assert shown == pytest.approx(weights[:12], rel=1e-5)
    assert node["others"]["families"] == 2
    assert node["others"]["weight"] == pytest.approx(sum(weights[12:]), rel=1e-5)


def test_few_noisy_ors_of_a_node_are_explained_and_all_have_strengths() -> None:
    credible, data = large_set(count=8, each=14)
    said = report_content(credible, data, {}, members=1)
    noisy = [one for one in said["families"] if one["parameters"]["kind"] == "causes"]
    for one in noisy:
        assert one["parameters"]["parents"] == [*one["parents"], None]  # the leak is last
        assert len(one["parameters"]["strengths"]) == len(one["parents"]) + 1
    for child in range(8):
        own = [o for o in noisy if o["child"] == child and o["parameters"]["explained"]]
        assert len(own) <= 3
    best = [said["families"][place] for place in said["best"]]
    assert all(o["parameters"]["explained"] for o in best if o["relation"] != "cpt")


def test_large_tables_show_the_rows_with_the_most_records() -> None:
    # Configuration c of six parents has c + 1 records with the child absent, 40 to 63 none at all.
    data = Dataset.from_bits(
        tuple("abcdefg"),
        np.arange(40, dtype=np.uint64).reshape(-1, 1),
        np.arange(1, 41, dtype=np.int64),
    )
    family = Family(6, 0b111111)
    use = FamilyUse(family, fit(data, family).cost, 1, 1.0, 0.0)
    content = with_parameters(data, use, BIC, explained=False)
    parameters = cast("dict[str, object]", content["parameters"])
    assert parameters["configurations"] == list(range(8, 40))
    assert parameters["records"] == list(range(9, 41))
    assert parameters["chances"] == [[0.0]] * 32
    assert parameters["left_out"] == 32


def test_a_count_beyond_any_machine_number_stays_exact() -> None:
    credible = replace(small_set(small_data()), count=4 * 10**40)
    said = report_content(credible, small_data(), {})
    assert said["set"]["networks"] == 4 * 10**40
    assert said["arcs"][0]["fraction"] == 1e-40
    assert json.loads(json.dumps(said)) == said


def test_a_learned_set_is_reported_as_it_is() -> None:
    data = load_example("clinic")
    credible = learn(data, 20, jobs=1).credible
    said = report_content(credible, data, {})
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert len(said["members"]) == credible.count == said["set"]["networks"]
    edges = credible.edges()
    assert len(said["arcs"]) == len(edges)
    for arc in said["arcs"]:
        use = edges[data.names[arc["parent"]], data.names[arc["child"]]]
        assert arc["weight"] == pytest.approx(use.weight, rel=1e-5)
    for child, place in enumerate(said["best"]):
        family = credible.best.families[child]
        assert said["families"][place]["parents"] == list(family.parent_indices())
        assert said["families"][place]["relation"] == family.relation.name


@pytest.fixture(scope="module")
def clinic() -> dict[str, Any]:
    data = clinic_data()
    return report_content(clinic_set(data), data, {})


def test_tables_have_the_chances_of_all_states_but_the_first(clinic: dict[str, Any]) -> None:
    data = clinic_data()
    ward = clinic["variables"][4]
    assert ward["states"] == list(data.variables[4].states)
    assert ward["records"] == data.state_counts(4).tolist()
    table = next(one for one in clinic["families"] if one["child"] == 4)["parameters"]
    assert table["configurations"] == [0, 1, 2]
    found = fit(data, Family(4, 0b00001)).distribution.expand().table
    for row, expected in zip(table["chances"], found.tolist(), strict=True):
        assert row == pytest.approx(expected[1:], abs=1e-5)


def test_causes_are_listed_by_state_and_level_without_the_idle_ones(
    clinic: dict[str, Any],
) -> None:
    by_relation = {
        one["relation"]: one["parameters"] for one in clinic["families"] if one["child"] == 2
    }
    plain = by_relation["leaky-noisy-or"]
    assert plain["parents"] == [0, 0, 0, 0, 1, 1, None, None]
    assert plain["states"] == [1, 1, 2, 2, 1, 1, 1, 1]
    assert plain["effects"] == [1, 2] * 4
    down = by_relation["leaky-noisy-and"]
    assert down["states"] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert down["effects"] == [1, 0] * 4
    signed = by_relation["signed-noisy-or"]
    assert signed["parents"] == plain["parents"]
    assert (1, 0) in zip(signed["parents"], signed["states"], strict=True)  # no vaccine acts


def test_a_strength_that_no_record_tells_is_marked() -> None:
    data = clinic_data()
    family = Family(3, 0b10100, LEAKY_NOISY_OR)  # of the severity and the ward
    use = FamilyUse(family, fit(data, family).cost, 1, 1.0, 0.0)
    content = with_parameters(data, use, BIC, explained=True)
    parameters = cast("dict[str, Any]", content["parameters"])
    # Nobody is in the last ward.
    assert [parameters["states"][at] for at in parameters["unseen"]] == [11]
    said = parameters["explained"]
    unknown = [at for at, known in enumerate(said["determined"]) if not known]
    assert set(parameters["unseen"]) <= set(unknown)
    assert any("ward = w11" in one and "no record says" in one for one in said["sentences"])


def test_of_very_many_causes_the_strongest_are_shown() -> None:
    random = np.random.default_rng(3)
    codes = random.integers(0, 20, (500, 3))
    codes[:, 2] = np.maximum(codes[:, 0], codes[:, 1] // 2)
    rows, weights = np.unique(codes[:, ::-1], axis=0, return_counts=True)
    states = tuple(map(str, range(20)))
    data = Dataset(
        tuple(Variable(name, states, ordered=True) for name in "abc"),
        np.ascontiguousarray(rows[:, ::-1]).astype(np.uint8),
        weights.astype(np.int64),
    )
    family = Family(2, 0b011, LEAKY_NOISY_OR)
    found = fit(data, family)
    use = FamilyUse(family, found.cost, 1, 1.0, 0.0)
    content = with_parameters(data, use, BIC, explained=True)
    assert content["note"] == "there are no intervals: 741 causes are too many"
    parameters = cast("dict[str, Any]", content["parameters"])
    assert parameters["left_out"] == 741 - 256
    assert parameters["parents"].count(None) == 19  # each level of the leak
    strengths = [1 - q for cause in found.distribution.causes()[:-1] for q in cause.levels]
    weakest_shown = min(parameters["strengths"][: 256 - 19])
    assert weakest_shown == pytest.approx(sorted(strengths)[-(256 - 19)], abs=1e-5)


def test_costs_are_compared_under_the_score_of_the_run() -> None:
    data = small_data()
    with pytest.raises(MismatchError, match="which comes from other records"):
        report_content(small_set(data), data, {}, score=AIC)


def test_fewer_families_of_very_many_nodes_are_shown() -> None:
    assert [families_per_node(count) for count in (1, 40, 250, 500, 1000, 5000)] == [
        12,
        12,
        12,
        6,
        3,
        3,
    ]


def test_fewer_members_are_listed_if_their_families_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    credible, data = large_set(30, each=24)
    every = report_content(credible, data, {})
    monkeypatch.setattr(content, "MOST_SHOWN", 500)
    some = report_content(credible, data, {})
    assert 1 < len(some["members"]) < len(every["members"]) == 50
    assert [one["cost"] for one in some["members"]] == [
        one["cost"] for one in every["members"][: len(some["members"])]
    ]
    assert len(some["families"]) <= 500
    monkeypatch.setattr(content, "MOST_SHOWN", 1)
    least = report_content(credible, data, {})
    assert len(least["members"]) == 1
    assert {len(node["families"]) for node in least["nodes"][10:]} == {content.LEAST_FAMILIES}
    others = [node["others"]["families"] for node in least["nodes"][10:]]
    assert others == [24 - content.LEAST_FAMILIES] * 20


def test_shares_of_a_sample_have_standard_errors(small: dict[str, Any]) -> None:
    data = small_data()
    credible = sampled_set(data)
    assert credible.sampling is not None
    sampled = report_content(credible, data, {})
    known = sampled["set"]["sampling"]
    facts = {key: known[key] for key in ("draws", "chains", "r_hat", "effective")}
    assert facts == {"draws": 40, "chains": 2, "r_hat": 1.0123, "effective": 31.4}
    uses = credible.edges()
    errors = [uses[NAMES[a["parent"]], NAMES[a["child"]]].standard_error for a in sampled["arcs"]]
    assert known["arc_errors"] == pytest.approx(errors, rel=1e-5)
    assert len(set(errors)) > 1
    assert known["family_errors"] == pytest.approx(
        [credible.sampling.standard_error([at]) for at in range(5)], rel=1e-5
    )
    assert small["set"]["sampling"] is None


def test_tiers_of_background_knowledge_are_columns_of_the_picture() -> None:
    faults = ["worn_bearing", "clogged_filter", "leaking_valve", "sensor_drift"]
    known = Knowledge(
        roots=[*faults, "automatic_mode"],
        tiers=[["vibration", "low_pressure", "overheating"], ["standby_starts", "water_delivered"]],
    )
    learned = learn(load_example("pump"), relations="paper", constraints=known)
    shown: dict[str, Any] = learned.report_content()
    tiers = shown["tiers"]
    assert tiers == [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
    picture = picture_of(shown)
    places = [float(node["x"]) for node in picture["nodes"]]
    assert len({at for at, tier in zip(places, tiers, strict=True) if tier == 0}) == 1
    assert max(places[:5]) < min(places[5:8]) <= max(places[5:8]) < min(places[8:])
    assert [tier["title"] for tier in picture["tiers"]] == ["Tier 1", "Tier 2", "Tier 3"]
    page = report_html(shown)
    assert all(f">Tier {number}</text>" in page for number in (1, 2, 3))
    assert "Tiers follow from background knowledge" in page
