"""Any report file gives a page, or an error that says where it is wrong."""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest

from noisyor.core import LEAKY_NOISY_OR, FormatError
from noisyor.networks import fit_members
from noisyor.reporting import report_content, report_html
from noisyor.reporting.content_check import check_content
from tests.reporting.credible_sets import sampled_set, small_data, small_set

Place = tuple[str | int, ...]
OTHERS: list[object] = [None, True, -1, 2, 10**400, 1.5, float("nan"), 1e308]
OTHERS += ["x", "cpt", [], [0, 0], [1, 0], {}]
RUN = {"seconds": {"total": 1.5}, "x": [1, {"y": None}], "families": {"kept": {"cpt": 1}}}


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    data = small_data()
    credible = small_set(data, relation=LEAKY_NOISY_OR)
    return report_content(credible, data, RUN, networks=fit_members(data, credible))


def places_in(value: object, here: Place = ()) -> Iterator[Place]:
    """Yield the place of everything in a document but the document itself."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    for key, one in inner:
        yield (*here, key)
        if isinstance(one, dict | list):
            yield from places_in(one, (*here, key))


def changed(content: dict[str, Any], place: Place, *new: object) -> dict[str, Any]:
    """Return the content with another value at a place, or with none."""
    whole = copy.deepcopy(content)
    above: Any = whole
    for key in place[:-1]:
        above = above[key]
    if new:
        (above[place[-1]],) = new
    else:
        del above[place[-1]]
    return whole


def test_every_value_that_is_missing_or_another_gives_a_page_or_is_refused(
    content: dict[str, Any],
) -> None:
    places = list(places_in(content))
    values = cycle([(), *((one,) for one in OTHERS)])  # one at each place: a page takes a while
    outcomes = Counter(
        outcome(changed(content, place, *new)) for place, new in zip(places, values, strict=False)
    )
    assert len(places) > 200
    assert outcomes.keys() == {"a page", "refused"}
    assert min(outcomes.values()) > 10


def test_every_value_of_a_sample_that_is_another_gives_a_page_or_is_refused() -> None:
    data = small_data()
    content = report_content(sampled_set(data), data, {})
    places = [("set", "sampling", *one) for one in places_in(content["set"]["sampling"])]
    outcomes = Counter(
        outcome(changed(content, place, *new))
        for place in places
        for new in [(), *((one,) for one in OTHERS)]
    )
    assert outcomes.keys() == {"a page", "refused"}
    for key, what in (("arc_errors", "arc"), ("family_errors", "family")):
        errors = content["set"]["sampling"][key]
        expected = f"set.sampling.{key} has {len(errors) - 1} entries; it must have {len(errors)} "
        with pytest.raises(FormatError, match=f"{expected}numbers, one for each {what}"):
            report_html(changed(content, ("set", "sampling", key), errors[1:]))


def outcome(content: dict[str, Any]) -> str:
    try:
        page = report_html(content)
    except FormatError:
        return "refused"
    return "a page" if page.startswith("<!DOCTYPE html>") else page[:60]


@pytest.mark.parametrize(
    ("place", "new", "message"),
    [
        (("records",), "many", "records is 'many'; expected: a whole number"),
        (("variables",), [], r"variables has 0 entries; allowed: 1 to 65536"),
        (
            ("variables", 1, "states"),
            ["a"],
            r"variables\[1\].records has 2 entries; it must have 1",
        ),
        (("set", "optimum"), float("nan"), "set.optimum is nan; it must be finite"),
        (("set", "labels"), "some", r"set.labels: labels is 'some'; it must be one of: best, all"),
        (("set", "complete"), 1, "set.complete is neither true nor false"),
        (("arcs", 0, "weight"), 1.5, r"arcs\[0\].weight is 1.5; a probability lies between"),
        (("arcs", 0, "parent"), 3, r"arcs\[0\].parent is 3; it must be between 0 and 2"),
        (("arcs", 0, "parent"), 2, r"arcs\[0\] leads from a variable to itself"),
        (("arcs", 1, "parent"), 0, r"arcs\[1\] is repeated"),
        (("tiers",), [0, 1], "tiers has 2 entries; it must have 3 entries, one for each variable"),
        (("tiers",), [1, 1, 0], "tiers contradicts an arc, which leads to an earlier tier"),
        (("families", 0, "relation"), "xor", r"families\[0\].relation: there is no relation 'xor'"),
        (("families", 0, "parents"), [1, 1], r"families\[0\].parents must have each parent once"),
        (("families", 0, "parents"), [0], "is no family: variable 0 is among its own parents"),
        (("families", 0, "parameters", "kind"), "x", "kind is 'x'; allowed: table, causes"),
        (("families", 0, "parameters", "records"), [], "has 0 entries; it must have 1 as 'conf"),
        (("variables", 1, "states"), [], r"variables\[1\].states has 0 labels; allowed: 1 to 64"),
        (("variables", 1, "presence"), 2, r"presence is 2; it must be between 0 and 1"),
        (("families", 3, "parameters", "parents"), [0, 1, 1], r"parents\[2\] is no cause of"),
        (("families", 3, "parameters", "parents"), [0, 2, None], r"parents\[1\] is no cause"),
        (("families", 3, "parameters", "states"), [1, 0, 1], r"parents\[1\] is no cause of"),
        (("families", 3, "parameters", "effects"), [1, 2, 1], r"effects\[1\] is 2; it must be"),
        (("families", 3, "parameters", "unseen"), [3], r"unseen\[0\] is 3; it must be between"),
        (("families", 3, "parameters", "strengths"), [0.5], "it must have 3 values, one for"),
        (("nodes",), [], "nodes has 0 entries; it must have 3 entries, one for each variable"),
        (("nodes", 0, "relations"), {"xor": 1}, "a key of .*relations: there is no relation 'xor'"),
        (("nodes", 0, "families"), [1], r"nodes\[0\].families names a family of another variable"),
        (("best",), [0, 0, 0], "best is no network: a structure has one family per variable"),
        (("members", 0, "families"), [99], r"families\[0\] is 99; it must be between 0 and"),
        (("live", "families", 0, "effect"), "mean", "effect is 'mean'; allowed: table, max, min"),
        (("live", "families", 0, "values"), [1], "has 1 entries; it must have 2 numbers, the par"),
        (("live", "families", 3, "values"), [0.5] * 4, "has 4 entries; it must have 5 numbers"),
        (("live", "families", 2, "parents"), [0, 0], r"parents must have each parent once"),
        (("live", "families", 0, "parents"), [0], r"it must have 4 numbers, the parameters of"),
        (("live", "networks", 0, "families"), [0, 1], r"is no network: a structure has one family"),
        (
            ("live", "networks", 0, "families", 0),
            5,
            r"families\[0\] is 5; it must be between 0 and",
        ),
        (("live", "networks", 0, "weight"), -1, r"weight is -1; a probability lies between 0 and"),
        (("live", "share"), 2, "live.share is 2; a probability lies between 0 and 1"),
        (("run", "x"), [float("inf")], r"run.x\[0\] is inf; it must be finite"),
        (("run", "seconds", "total"), 10**400, "run.seconds.total is a number of more than 60"),
        (("more",), 1, "the document has the key 'more'; allowed: format, version, title, re"),
    ],
)
def test_an_error_says_where_and_what_is_allowed(
    content: dict[str, Any], place: Place, new: object, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        report_html(changed(content, place, new))


def test_networks_with_a_cycle_are_refused(content: dict[str, Any]) -> None:
    child = next(at for at, one in enumerate(content["families"]) if one["parents"] == [0])
    other = changed(content, ("families", 0, "parents"), [content["families"][child]["child"]])
    rows = {"configurations": [0, 1], "chances": [[0], [1]], "records": [1, 1]}
    other["families"][0]["parameters"] |= rows
    with pytest.raises(FormatError, match="the edges form a directed cycle: cold -> flu -> cold"):
        check_content(other)


def test_networks_without_any_weight_are_refused(
    content: dict[str, Any],
) -> None:
    other = copy.deepcopy(content)
    for network in other["live"]["networks"]:
        network["weight"] = 0
    with pytest.raises(FormatError, match=r"live.networks has no network with a weight above 0"):
        check_content(other)


def test_a_run_may_say_anything_but_not_without_end(content: dict[str, Any]) -> None:
    nested: object = 1
    for _ in range(19):
        nested = [nested]
    check_content(changed(content, ("run", "x"), nested))
    with pytest.raises(FormatError, match=r"run.x\[0\].* is nested too deeply; allowed are 20 lev"):
        check_content(changed(content, ("run", "x"), [nested]))


def test_what_noisyor_makes_is_accepted_also_from_a_file(content: dict[str, Any]) -> None:
    check_content(content)
    check_content(json.loads(json.dumps(content)))


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("records",), "records is missing, since there is a credible set"),
        (("variables", 1, "records"), r"variables\[1\] lacks its records"),
        (("families", 0, "cost"), r"families\[0\] lacks its cost or its records"),
        (("families", 0, "parameters", "records"), r"families\[0\] lacks its cost or its records"),
    ],
)
def test_a_credible_set_has_records_and_costs(
    content: dict[str, Any], place: Place, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        check_content(changed(content, place, None))


def test_a_credible_set_has_a_member(content: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="members must have the best network of the credible"):
        check_content(changed(content, ("members",), []))
