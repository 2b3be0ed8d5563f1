"""The section on the run shows whatever is given, and requires nothing."""

from collections.abc import Mapping

from noisyor.reporting.run_section import gap_words, run_section

KNOWN = {
    "optimum": 12.5,
    "lower_bound": 10.0,
    "proven": False,
    "complete": False,
    "networks": 3,
    "most": None,
    "bayes_factor": 20.0,
    "temperature": 1.0,
    "slack": 2.9957,
    "labels": "best",
    "sampling": None,
}
SAMPLING = {"draws": 4000, "chains": 4, "r_hat": None, "effective": 1234.5}


def test_the_gap_is_said_as_it_is() -> None:
    assert gap_words(KNOWN) == "at most 2.50 nats"
    assert gap_words({**KNOWN, "lower_bound": None}) == "not known"
    assert gap_words({**KNOWN, "lower_bound": 12.5, "proven": True}) == "none: proven optimal"


def test_a_run_of_which_nothing_is_told_still_has_its_proof() -> None:
    said = run_section({}, KNOWN)
    assert said["facts"][0] == {"label": "Cost of the best network", "value": "12.5000 nats"}
    assert (said["seconds"], said["memory"], said["rest"]) == ([], [], [])
    assert said["families"] == {"columns": [], "rows": []}


def test_families_are_a_table_by_relation_however_they_are_nested() -> None:
    by_relation = {
        "relations": {
            "cpt": {"considered": 1000, "cut": {"penalty": 900}},
            "noisy-or": {"considered": 999, "cut": {"penalty": 0}},
        },
        "considered": 1999,
    }
    said = run_section({"families": by_relation}, KNOWN)["families"]
    assert said["columns"] == ["full table", "noisy-OR", "all"]
    assert said["rows"] == [
        {"label": "Considered", "values": ["1,000", "999", "1,999"]},
        {"label": "Cut: penalty", "values": ["900", "0", ""]},
    ]
    turned = run_section({"families": {"kept": {"cpt": 5, "noisy-or": 6}}}, KNOWN)["families"]
    assert turned["rows"] == [{"label": "Kept", "values": ["5", "6"]}]


def test_times_have_their_share_of_the_whole_and_the_total_comes_last() -> None:
    run = {"seconds": {"total": 200.0, "score": 50.0, "search": 3.456}}
    assert run_section(run, KNOWN)["seconds"] == [
        {"label": "Score", "value": "50.00 s", "share": 0.25},
        {"label": "Search", "value": "3.46 s", "share": 3.456 / 200},
        {"label": "Total", "value": "3 min 20 s", "share": 1.0},
    ]


def test_whatever_else_is_told_is_shown() -> None:
    run = {"memory_mib": 123.4, "method": "table", "search": {"cuts": 5}, "seconds": "many"}
    said = run_section(run, KNOWN)
    assert said["memory"] == [{"label": "Memory (MiB)", "value": "123.4"}]
    assert said["rest"] == [
        {"label": "Method", "value": "table"},
        {"label": "Search: cuts", "value": "5"},
        {"label": "Seconds", "value": "many"},
    ]


def test_a_sample_has_its_draws_and_how_well_its_chains_agree() -> None:
    def said(sampling: Mapping[str, object] | None) -> dict[str, str]:
        facts = run_section({}, {**KNOWN, "sampling": sampling})["facts"]
        return {fact["label"]: fact["value"] for fact in facts}

    known = said(SAMPLING)
    assert known["Sample"] == "4,000 draws of 4 Markov chains"
    assert known["Effective draws"] == "at least 1,234"
    assert known["R-hat (near 1 if the chains agree)"] == "not known"
    agreed = said({**SAMPLING, "r_hat": 1.0049})
    assert agreed["R-hat (near 1 if the chains agree)"] == "1.005"
    assert "Sample" not in said(None)


def test_settings_are_said_in_words_and_nothing_is_said_twice() -> None:
    run = {
        "noisyor": "9.9",
        "method": "table",
        "records": 5,
        "layers": [{"max_parents": 1, "optimum": 9.0, "lower_bound": 9.0}],
        "climbing": {"turns": 3},
        "noisy_or": {"nodes": 1},
        "search": {"lp": {"cuts": 5}, "odd": 1},
        "settings": {
            "bayes_factor": "20.0",
            "score": "bic",
            "relations": "cpt,leaky-noisy-or,mine",
            "labels": "best",
            "method": "price",
            "constraints": "none",
            "new_option": "3",
        },
    }
    said = run_section(run, KNOWN)
    assert [(fact["label"], fact["value"]) for fact in said["settings"]] == [
        ("Bayes factor", "20"),
        ("Score", "BIC"),
        ("Relations that compete", "full table, leaky noisy-OR, mine"),
        ("What counts as a network", "graphs"),
        ("Method", "families are scored as the search asks for them"),
        ("Constraints", "none"),
        ("New option", "3"),
    ]
    assert [(fact["label"], fact["value"]) for fact in said["rest"]] == [
        ("Version of noisyor", "9.9"),
        ("Climbs of the local search", "3"),
        ("Cuts of linear programming", "5"),
        ("Search: odd", "1"),
    ]
