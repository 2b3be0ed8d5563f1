"""Our JSON of a credible set round-trips, and malformed documents are refused."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    Cpt,
    Family,
    FamilyParameters,
    FormatError,
    Labels,
    NetworkSet,
    NoisyOr,
    Provenance,
)
from noisyor.core.variable import variables_of
from noisyor.core.variable_sets import set_of
from noisyor.formats.network_json import network_json, parse_json, parse_network_json
from noisyor.formats.network_set_json import network_set_json, parse_network_set_json
from tests.formats.networks import _distributions, networks, state_pairs, texts, visible_texts
from tests.formats.small_networks import clinic
from tests.support.effort import scaled

NAMES = ("flu", "cold", "cough")
FAMILIES = (
    FamilyParameters(Family(0, 0), Cpt.binary([0.25]), 4.0),
    FamilyParameters(Family(0, 0b010), Cpt.binary([0.25, 0.5]), 4.5),
    FamilyParameters(Family(1, 0), Cpt.binary([0.125]), 3.0),
    FamilyParameters(Family(1, 0b001), Cpt.binary([0.125, 0.75]), 3.25),
    FamilyParameters(Family(2, 0b011, NOISY_OR), NoisyOr(np.array([0.25, 0.5])), 2.0),
    FamilyParameters(Family(2, 0b011, CPT), Cpt.binary([0.0, 0.75, 0.5, 0.875]), 2.75),
)


def small_set() -> NetworkSet:
    """Return three networks that cost 9, 9.5 and 9.25; flu <- cold <- flu is not among them."""
    return NetworkSet(
        variables=variables_of(NAMES, (("no", "yes"), ("no", "yes"), ("0", "1"))),
        families=FAMILIES,
        members=np.array([[0, 2, 4], [1, 2, 4], [0, 3, 4]], dtype=np.uint32),
        optimum=9.0,
        count=3,
        bayes_factor=BayesFactor(20),
        labels=Labels.BEST,
        provenance=Provenance("0.1.0", "ab12", 40, (("bayes_factor", "20"),)),
    )


def drawn_set() -> NetworkSet:
    return replace(
        small_set(), count=10**40, draws=np.array([5, 2, 1]), shortfalls=("the time was up",)
    )


def assert_equal_sets(one: NetworkSet, other: NetworkSet) -> None:
    for part in ("names", "states", "optimum", "count", "bayes_factor", "labels", "provenance"):
        assert getattr(one, part) == getattr(other, part)
    assert one.shortfalls == other.shortfalls
    assert [(part.family, part.distribution, part.cost) for part in one.families] == [
        (part.family, part.distribution, part.cost) for part in other.families
    ]
    assert one.members.tolist() == other.members.tolist()
    assert (one.draws is None) == (other.draws is None)
    if one.draws is not None and other.draws is not None:
        assert one.draws.tolist() == other.draws.tolist()


@st.composite
def network_sets(draw: st.DrawFn) -> NetworkSet:
    """Draw a set of networks over the same variables, each with its own order."""
    names = draw(st.lists(visible_texts, min_size=1, max_size=4, unique=True))
    everyone = range(len(names))
    families: dict[Family, FamilyParameters] = {}
    rows: list[tuple[int, ...]] = []
    for _ in range(draw(st.integers(1, 5))):
        order = draw(st.permutations(everyone))
        chosen: dict[int, Family] = {}
        for place, child in enumerate(order):
            parents = set_of(above for above in order[:place] if draw(st.booleans()))
            distribution = draw(_distributions(parents.bit_count()))
            family = Family(child, parents, distribution.relation)
            cost = draw(st.floats(-5, 5))
            families.setdefault(family, FamilyParameters(family, distribution, cost))
            chosen[child] = family
        places = {family: place for place, family in enumerate(families)}
        rows.append(tuple(places[chosen[child]] for child in everyone))
    members = np.array(list(dict.fromkeys(rows)), dtype=np.uint32)
    costs = np.array([one.cost for one in families.values()])[members].sum(axis=1)
    draws = draw(
        st.none() | st.lists(st.integers(1, 2**40), min_size=len(members), max_size=len(members))
    )
    return NetworkSet(
        variables=variables_of(tuple(names), tuple(draw(state_pairs()) for _ in everyone)),
        families=tuple(families.values()),
        members=members,
        optimum=float(costs.min()) - draw(st.sampled_from([0.0, 0.0, 0.5])),
        count=len(members) if draws is None else draw(st.integers(len(members), 10**50)),
        bayes_factor=BayesFactor(math.exp(float(np.ptp(costs)) + 0.5) * draw(st.floats(1, 1e9))),
        labels=draw(st.sampled_from(Labels)),
        provenance=draw(networks(max_variables=1)).provenance,
        draws=None if draws is None else np.array(draws),
        shortfalls=tuple(draw(st.lists(texts, max_size=2))),
    )


@settings(max_examples=scaled(100))
@given(networks=network_sets())
def test_a_set_comes_back_as_it_was(networks: NetworkSet) -> None:
    text = network_set_json(networks)
    text.encode()
    assert_equal_sets(parse_network_set_json(text), networks)
    dispatched = parse_json(text)
    assert isinstance(dispatched, NetworkSet)
    assert list(dispatched) == list(networks)


def test_the_text_is_what_a_person_would_write() -> None:
    said = json.loads(network_set_json(small_set()))
    assert {key: said[key] for key in said if key not in {"families", "members"}} == {
        "format": "noisyor network set",
        "version": 1,
        "provenance": {
            "version": "0.1.0",
            "data": "ab12",
            "records": 40,
            "settings": [["bayes_factor", "20"]],
        },
        "bayes_factor": 20.0,
        "temperature": 1.0,
        "labels": "best",
        "optimum": 9.0,
        "count": 3,
        "shortfalls": [],
        "variables": [
            {"name": "flu", "states": {"absent": "no", "present": "yes"}},
            {"name": "cold", "states": {"absent": "no", "present": "yes"}},
            {"name": "cough", "states": {"absent": "0", "present": "1"}},
        ],
    }
    assert said["families"][4] == {
        "child": "cough",
        "parents": ["flu", "cold"],
        "cost": 2.0,
        "distribution": {"relation": "noisy-or", "q": {"flu": 0.25, "cold": 0.5}},
    }
    assert [member["families"] for member in said["members"]] == [[0, 2, 4], [1, 2, 4], [0, 3, 4]]
    # 1 / (1 + e**-0.5 + e**-0.25) and so on, by hand
    assert [member["weight"] for member in said["members"]] == pytest.approx(
        [0.419229, 0.254275, 0.326496], abs=1e-6
    )
    assert sum(member["weight"] for member in said["members"]) == pytest.approx(1)


def test_drawn_members_say_how_often() -> None:
    said = json.loads(network_set_json(drawn_set()))
    assert said["members"][1] == {"families": [1, 2, 4], "weight": 0.25, "draws": 2}
    assert said["count"] == 10**40
    assert said["shortfalls"] == ["the time was up"]
    assert_equal_sets(parse_network_set_json(json.dumps(said)), drawn_set())


def test_a_member_fits_on_a_line() -> None:
    lines = network_set_json(drawn_set()).splitlines()
    assert '    {"families": [1, 2, 4], "weight": 0.25, "draws": 2},' in lines


def test_a_weight_may_be_off_by_rounding() -> None:
    text = changed("members/1/weight", 0.25 + 1e-12, drawn_set())
    assert_equal_sets(parse_network_set_json(text), drawn_set())


def changed(path: str, value: object, networks: NetworkSet | None = None) -> str:
    """Return a set's text with one value replaced; `...` removes it."""
    document: Any = json.loads(network_set_json(networks or small_set()))
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    inner = document
    for step in steps:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(document)


def test_the_unchanged_text_is_read() -> None:
    assert_equal_sets(parse_network_set_json(changed("count", 3)), small_set())


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "noisyor network", "it holds a 'noisyor network'; expected: a 'noisyor network"),
        ("version", 3, "it is in version 3 of the format, written by a newer noisyor"),
        ("labels", "some", "labels: labels is 'some'; it must be one of: best, all"),
        ("labels", None, "labels is null; expected: a text"),
        ("bayes_factor", 0.5, "bayes_factor: the Bayes factor is 0.5; it must be"),
        ("bayes_factor", 10**400, "bayes_factor is a number of more than 60 digits; it must be"),
        ("optimum", "9", "optimum is '9'; expected: a number"),
        ("optimum", 9.125, r"members\[0\] costs 9, which is less than the optimum"),
        ("optimum", -1e6, "which is too much for the Bayes factor of 20 and the opt"),
        ("count", 2, "count is 2; it must be at least 3"),
        ("count", 4, "count is 4, but there are 3 members, and they do not say how often"),
        ("count", 3.0, "count is 3.0; expected: a whole number"),
        ("shortfalls", "time", "shortfalls is 'time'; expected: a list"),
        ("shortfalls", [1], r"shortfalls\[0\] is 1; expected: a text"),
        ("provenance/settings", {}, "provenance.settings is an object; expected: a list"),
        ("variables/0/parents", [], r"variables\[0\] has the key 'parents'; allowed: name, states"),
        ("variables/0/name", "cold", r"variables\[1\].name is 'cold', which an earlier variable"),
        ("variables", [], "variables has 0 entries"),
        ("families", [], "families is empty"),
        ("families/1", 4, r"families\[1\] is 4; expected: an object"),
        ("families/1/child", "ague", r"families\[1\].child is 'ague', which is not a variable"),
        ("families/1/cost", None, r"families\[1\].cost is null; expected: a number"),
        ("families/1/parents", ["ague"], r"families\[1\].parents\[0\] is 'ague', which is not"),
        ("families/1/parents", ["flu"], "a variable cannot be its own parent"),
        ("families/1/parents", [], r"families\[1\].distribution.present has 2 rows; 0 parents"),
        ("families/4/distribution/q/flu", 2, r"families\[4\].distribution.q.flu is 2; a probab"),
        ("members", [], "members is empty; a set has at least one network"),
        ("members", {}, "members is an object; expected: a list"),
        ("members/1", [1, 2, 4], r"members\[1\] is a list; expected: an object"),
        ("members/1/families/0", 6, r"members\[1\].families\[0\] is 6; it must be between 0 and 5"),
        ("members/1/families/0", -1, r"members\[1\].families\[0\] is -1; it must be between"),
        ("members/1/families/0", 2**70, r"families\[0\] is 1180591620717411303424; it must be"),
        ("members/1/families/0", True, r"members\[1\].families\[0\] is true; expected: a whole"),
        ("members/1/families", [1, 2], r"members\[1\].families has 2 entries; a network has one"),
        ("members/1/families", [4, 2, 1], r"members\[1\] has another variable's family"),
        ("members/1/families", [0, 3, 4], r"members\[2\] is the same network as members\[1\]"),
        ("members/1/families", [1, 3, 4], r"members\[1\] has edges that form a directed cycle"),
        ("members/1/weight", 0.5, r"members\[1\] has a weight of 0.5; its share of the set is 0.2"),
        ("members/1/weight", -0.5, r"members\[1\].weight is -0.5; a probability lies between"),
        ("members/1/draws", 2, "members has 'draws' for some networks but not for all"),
        ("members/1/draws", 0, r"members\[1\].draws is 0; it must be between 1 and"),
        ("members/1/cost", 9.5, r"members\[1\] has the key 'cost'; allowed: families, weight"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(path: str, value: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_network_set_json(changed(path, value))


def test_costs_beyond_any_number_are_refused() -> None:
    document = json.loads(network_set_json(small_set()))
    for family in document["families"]:
        family["cost"] = 1e308
    with pytest.raises(FormatError, match=r"members\[0\] costs more than any number"):
        parse_network_set_json(json.dumps(document))


def test_a_family_is_there_only_once() -> None:
    document = json.loads(network_set_json(small_set()))
    document["families"].append(document["families"][4])
    with pytest.raises(FormatError, match=r"families\[6\] is the same family as families\[4\]"):
        parse_network_set_json(json.dumps(document))


def test_draws_beyond_exact_numbers_are_refused() -> None:
    text = changed("members/0/draws", 2**53, drawn_set())
    with pytest.raises(FormatError, match=f"has {2**53 + 3} draws in all; at most {2**53}"):
        parse_network_set_json(text)


def test_a_cycle_far_down_is_found() -> None:
    # 40 variables: member m adds to a chain the edge from its end to its m-th variable, or not.
    names = tuple(f"v{number}" for number in range(40))
    chain = [Family(0, 0), *(Family(child, 1 << (child - 1)) for child in range(1, 40))]
    closing = Family(17, 1 << 16 | 1 << 39)
    families = [*chain, Family(39, 0), closing]
    rows = [list(range(40)), [*range(39), 40], [*range(17), 41, *range(18, 39), 40]]
    good = NetworkSet(
        variables=variables_of(names, (("0", "1"),) * 40),
        families=tuple(
            FamilyParameters(one, Cpt.binary([0.5] * 2**one.parent_count), 1.0) for one in families
        ),
        members=np.array(rows, dtype=np.uint32),
        optimum=40.0,
        count=3,
        bayes_factor=BayesFactor(3),
        labels=Labels.ALL,
        provenance=Provenance("0.1.0"),
    )
    text = network_set_json(good)
    assert len(parse_network_set_json(text)) == 3
    rows[1] = [*range(17), 41, *range(18, 40)]
    document = json.loads(text)
    document["members"][1]["families"] = rows[1]
    with pytest.raises(FormatError, match=r"members\[1\] has edges that form a directed cycle"):
        parse_network_set_json(json.dumps(document))


def test_a_network_is_not_a_set() -> None:
    with pytest.raises(FormatError, match="it holds a 'noisyor network'; expected"):
        parse_network_set_json(network_json(clinic()))
    with pytest.raises(FormatError, match="it holds a 'noisyor network set'; expected"):
        parse_network_json(network_set_json(small_set()))


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(FormatError, match="nested too deeply"):
        parse_network_set_json('{"members": ' + "[" * 100_000)
