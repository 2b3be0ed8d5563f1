"""Our JSON of one network round-trips, and malformed documents are refused."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import (
    Cpt,
    Family,
    FormatError,
    Network,
    NetworkSet,
    NoisyOr,
    Provenance,
    Structure,
)
from noisyor.core.variable import variables_of
from noisyor.formats.json_document import WIDTH
from noisyor.formats.network_json import network_json, parse_json, parse_network_json
from tests.formats.networks import networks
from tests.formats.small_networks import clinic, pair
from tests.support.effort import scaled


@settings(max_examples=scaled(150))
@given(network=networks())
def test_a_network_comes_back_as_it_was(network: Network) -> None:
    text = network_json(network)
    text.encode()
    back = parse_network_json(text)
    assert back == network
    for mine, theirs in zip(back.distributions, network.distributions, strict=True):
        assert hash(mine) == hash(theirs)  # bit for bit, where == would let 0.0 be -0.0
    assert parse_json(text) == network


def test_the_text_is_what_a_person_would_write() -> None:
    assert json.loads(network_json(clinic())) == {
        "format": "noisyor network",
        "version": 1,
        "provenance": {
            "version": "0.1.0",
            "data": "ab12",
            "records": 40,
            "settings": [["bayes_factor", "20"]],
        },
        "cost": 12.5,
        "variables": [
            {
                "name": "flu",
                "states": {"absent": "no", "present": "yes"},
                "parents": [],
                "distribution": {"relation": "cpt", "present": [0.125]},
            },
            {
                "name": "cold",
                "states": {"absent": "no", "present": "yes"},
                "parents": [],
                "distribution": {"relation": "cpt", "present": [0.25]},
            },
            {
                "name": "cough",
                "states": {"absent": "0", "present": "1"},
                "parents": ["flu", "cold"],
                "distribution": {"relation": "noisy-or", "q": {"flu": 0.25, "cold": 0.5}},
            },
            {
                "name": "fever",
                "states": {"absent": "absent", "present": "present"},
                "parents": ["flu"],
                "distribution": {
                    "relation": "leaky-noisy-or",
                    "q": {"flu": 0.125},
                    "leak_q": 0.875,
                },
            },
            {
                "name": "bed rest",
                "states": {"absent": "up", "present": "in bed"},
                "parents": ["flu", "cough"],
                "distribution": {
                    "relation": "cpt",
                    "present": [0.0625, 0.75, 0.25, 1.0],
                    "unseen": [1],
                },
            },
        ],
    }


def test_what_fits_on_a_line_is_on_one() -> None:
    lines = network_json(clinic()).splitlines()
    assert '      "states": {"absent": "up", "present": "in bed"},' in lines
    assert '      "parents": ["flu", "cough"],' in lines
    assert max(map(len, lines)) <= WIDTH


def test_a_large_table_fills_its_lines() -> None:
    names = tuple(f"v{number}" for number in range(11))
    rows = np.linspace(0, 1, 1024)
    network = Network(
        Structure(names, (*(Family(v, 0) for v in range(10)), Family(10, 0b1111111111))),
        variables_of(names, (("0", "1"),) * 11),
        (*(Cpt.binary([0.5]) for _ in range(10)), Cpt.binary(rows)),
        None,
        Provenance("0.1.0"),
    )
    text = network_json(network)
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert 200 < len(lines) < 400
    assert parse_network_json(text) == network


def test_letters_of_all_languages_stay_readable() -> None:
    text = network_json(pair("Fièvre 🌡", "咳嗽"))
    assert '"name": "Fièvre 🌡"' in text
    assert '"q": {"Fièvre 🌡": 0.25}' in text


def test_parents_may_be_listed_in_any_order() -> None:
    # bed rest given (cough, flu): neither, cough, flu, both; the second row was never seen.
    document = json.loads(network_json(clinic()))
    document["variables"][4]["parents"] = ["cough", "flu"]
    document["variables"][4]["distribution"] = {
        "relation": "cpt",
        "present": [0.0625, 0.25, 0.75, 1],
        "unseen": [2],
    }
    document["variables"][2]["parents"] = ["cold", "flu"]
    document["variables"][2]["distribution"]["q"] = {"cold": 0.5, "flu": 0.25}
    assert parse_network_json(json.dumps(document)) == clinic()


def test_three_parents_in_another_order() -> None:
    # Listed c, a, b: row 1 is c alone, row 2 a alone, row 4 b alone. Ascending, row 1 is a alone.
    document = json.loads(network_json(pair("a", "b")))
    root = document["variables"][0]
    document["variables"] = [
        root,
        root | {"name": "b"},
        root | {"name": "c"},
        root
        | {
            "name": "d",
            "parents": ["c", "a", "b"],
            "distribution": {
                "relation": "cpt",
                "present": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
            },
        },
    ]
    read = parse_network_json(json.dumps(document)).distributions[3]
    assert read == Cpt.binary([0.0, 0.2, 0.4, 0.6, 0.1, 0.3, 0.5, 0.7])


def test_whole_numbers_are_probabilities_too() -> None:
    document = json.loads(network_json(clinic()))
    document["variables"][0]["distribution"]["present"] = [1]
    document["variables"][3]["distribution"]["leak_q"] = 0
    document["cost"] = 3
    read = parse_network_json(json.dumps(document))
    assert read.distributions[0] == Cpt.binary([1.0])
    assert read.distributions[3] == NoisyOr(np.array([0.125]), 0.0)
    assert read.cost == 3.0


def changed(path: str, value: object) -> str:
    """Return the clinic's text with one value replaced; `...` removes it."""
    document: Any = json.loads(network_json(clinic()))
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
    assert parse_network_json(changed("cost", 12.5)) == clinic()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", ..., "the document lacks 'format', so it is not one of noisyor"),
        ("format", 3, "format is 3; expected: a text"),
        ("format", "noisyor network set", "it holds a 'noisyor network set'; expected: a "),
        ("version", ..., "the document lacks 'version'"),
        ("version", 2, "it is in version 2 of the format, written by a newer noisyor; this one"),
        ("version", 0, "version is 0; it must be at least 1"),
        ("version", True, "version is true; expected: a whole number"),
        ("version", 1.0, "version is 1.0; expected: a whole number"),
        ("cost", ..., "the document lacks 'cost'"),
        ("cost", "12", "cost is '12'; expected: a number"),
        ("cost", 10**400, "cost is a number of more than 60 digits; it must be finite"),
        ("extra", 1, "the document has the key 'extra'; allowed: format, version, provenance"),
        ("provenance", [], "provenance is a list; expected: an object"),
        ("provenance/records", -1, "provenance.records is -1; it must be at least 0"),
        ("provenance/data", None, "provenance.data is null; expected: a text"),
        ("provenance/settings/0", ["a"], "provenance: 'settings' in its metadata must be pairs"),
        ("provenance/settings/0/1", 20, r"provenance.settings\[0\]\[1\] is 20; expected: a text"),
        ("provenance/by", "me", "provenance has the key 'by'; allowed: version, data, records"),
        ("variables", {}, "variables is an object; expected: a list"),
        ("variables", [], "variables has 0 entries; allowed: 1 to 65536"),
        ("variables", [{}] * 65537, "variables has 65537 entries; allowed: 1 to 65536"),
        ("variables/1", [], r"variables\[1\] is a list; expected: an object"),
        ("variables/1/parents", ..., r"variables\[1\] lacks 'parents'"),
        ("variables/1/name", " ", r"variables\[1\].name is empty; every variable needs a name"),
        ("variables/1/name", "flu", r"variables\[1\].name is 'flu', which an earlier variable"),
        ("variables/1/name", 7, r"variables\[1\].name is 7; expected: a text"),
        ("variables/1/states", ["no", "yes"], r"variables\[1\].states is a list of two; "),
        ("variables/1/states/present", "no", r"variables\[1\].states has the same label 'no'"),
        ("variables/1/states/maybe", "x", r"variables\[1\].states has the key 'maybe'; allowed"),
        ("variables/1/parents", None, r"variables\[1\].parents is null; expected: a list"),
        ("variables/4/parents/1", "cof", r"variables\[4\].parents\[1\] is 'cof', which is not a"),
        ("variables/4/parents/1", "bed rest", "a variable cannot be its own parent"),
        ("variables/4/parents/1", "flu", r"variables\[4\].parents\[1\] is 'flu', which is listed"),
        ("variables/4/parents/1", ["flu"], r"variables\[4\].parents\[1\] is a list; expected"),
        ("variables/4/distribution", 0.5, r"variables\[4\].distribution is 0.5; expected: an"),
        ("variables/4/distribution/relation", "and", "is 'and'; allowed: cpt, noisy-or, leaky"),
        ("variables/4/distribution/relation", "noisy-or", r"variables\[4\].distribution lacks 'q'"),
        ("variables/2/distribution/relation", "cpt", "distribution lacks 'present'"),
        ("variables/2/distribution/leak", 0.5, "has the key 'leak'; allowed: relation, present"),
        (
            "variables/2/distribution/leak_q",
            0.5,
            "has the key 'leak_q'; allowed: relation, q, unseen$",
        ),
        ("variables/3/distribution/leak_q", ..., r"variables\[3\].distribution lacks 'leak_q'"),
        ("variables/3/distribution/leak_q", 1.5, r"variables\[3\].distribution.leak_q is 1.5; a"),
        ("variables/2/distribution/q", [0.25, 0.5], r"variables\[2\].distribution.q is a list"),
        ("variables/2/distribution/q/flu", ..., "distribution.q must have one entry for each of"),
        ("variables/2/distribution/q/fever", 1, "must have one entry for each of: flu, cold$"),
        ("variables/2/distribution/q/flu", -0.5, r"distribution.q.flu is -0.5; a probability"),
        ("variables/2/distribution/q/flu", None, r"distribution.q.flu is null; expected: a"),
        ("variables/4/distribution/present", [0.5] * 3, "has 3 rows; 2 parents need 4"),
        ("variables/4/distribution/present", [], "has 0 rows; 2 parents need 4"),
        ("variables/4/distribution/present/2", 2, r"distribution.present\[2\] is 2; a probability"),
        ("variables/4/distribution/present/2", True, r"present\[2\] is true; expected: a number"),
        ("variables/4/distribution/present/2", "0", r"present\[2\] is '0'; expected: a number"),
        ("variables/4/distribution/present/2", 10**400, r"present\[2\] is a number of more than"),
        ("variables/4/distribution/unseen", [4], r"unseen\[0\] is 4; it must be between 0 and 3"),
        ("variables/4/distribution/unseen", [True], r"unseen\[0\] is true; expected: a whole"),
        ("variables/0/parents", ["bed rest", "cold"], "present has 1 rows; 2 parents need 4"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(path: str, value: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_network_json(changed(path, value))


def test_a_node_without_parents_is_a_table() -> None:
    text = changed("variables/0/distribution", {"relation": "noisy-or", "q": {}})
    with pytest.raises(
        FormatError, match=r"variables\[0\].distribution.relation is 'noisy-or', bu"
    ):
        parse_network_json(text)


def test_a_cycle_is_refused() -> None:
    document = json.loads(network_json(clinic()))
    document["variables"][0]["parents"] = ["bed rest"]
    document["variables"][0]["distribution"]["present"] = [0.5, 0.5]
    with pytest.raises(FormatError, match=r"variables are not a network: .* directed cycle: .*flu"):
        parse_network_json(json.dumps(document))


def test_a_table_too_large_for_any_file_is_refused_at_once() -> None:
    document = json.loads(network_json(pair("a", "b")))
    root = document["variables"][0]
    document["variables"] = [root | {"name": f"v{number}"} for number in range(256)]
    document["variables"][255]["parents"] = [f"v{number}" for number in range(255)]
    with pytest.raises(FormatError, match=rf"has 1 rows; 255 parents need {2**255}"):
        parse_network_json(json.dumps(document))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("12.5", "NaN", "cost is NaN; expected: a number"),
        ("12.5", "-Infinity", "cost is -Infinity; expected: a number"),
        ("12.5", "1e999", "cost is inf; it must be finite"),
        ("12.5", "1" * 5000, "it is not JSON: .*4300 digits"),
        ("0.75", "NaN", r"variables\[4\].distribution.present\[1\] is NaN; expected: a number"),
        ('"cold": 0.5', '"cold": Infinity', r"q.cold is Infinity; expected: a number"),
        ('"cold": 0.5', '"flu": 0.5', r"distribution.q is an object that has the key 'flu' twice"),
        (
            '"cost":',
            '"version": 1, "cost":',
            "the document is an object that has the key 'version' twice",
        ),
        ('"data":', '"records": 1, "data":', "provenance is an object that has the key 'records'"),
        ('"fever"', '"f\\ud800"', r"variables\[3\].name holds half of a surrogate pair"),
        ('"fever"', '"f\ud800"', r"variables\[3\].name holds half of a surrogate pair"),
        ("[0.125]", "[0.125", "it is not JSON: .*line"),
        ("12.5", "[" * 100_000, "nested too deeply"),
        ("12.5", "[" * 800 + "]" * 800, "cost is a list; expected: a number"),
        ('"0.1.0"', "[" * 800 + "]" * 800, "provenance.version is a list; expected: a text"),
        ("12.5", "12.5 // nats", "it is not JSON"),
    ],
)
def test_text_that_json_does_not_allow_or_we_do_not_is_refused(
    old: str, new: str, message: str
) -> None:
    text = network_json(clinic())
    assert text.count(old) >= 1
    with pytest.raises(FormatError, match=message):
        parse_network_json(text.replace(old, new, 1))


def test_a_pair_of_surrogate_escapes_is_a_character() -> None:
    text = network_json(clinic()).replace('"fever"', '"\\ud83c\\udf21"')
    assert parse_network_json(text).names[3] == "🌡"


@pytest.mark.parametrize("text", ["", "7", "[]", "null", '"noisyor network"', "{}", "\ufeff{}"])
def test_other_json_is_refused(text: str) -> None:
    for parse in (parse_network_json, parse_json):
        with pytest.raises(FormatError, match=r"^(it is not JSON|the document (is|lacks))"):
            parse(text)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(FormatError, match="it holds a 'noisyor poem'; known: 'noisyor network', "):
        parse_json('{"format": "noisyor poem"}')


def test_a_set_is_not_a_network() -> None:
    assert not isinstance(parse_json(network_json(clinic())), NetworkSet)
