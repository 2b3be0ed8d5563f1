"""Learning from tables of more than two states is measured and told as it is."""

from benchmarks.timings import states


def test_classes_are_states_and_numbers_are_binned() -> None:
    data = states.dataset_of("iris")
    assert data.record_count == 150
    by_name = {variable.name: variable for variable in data.variables}
    assert set(by_name["target"].states) == {"setosa", "versicolor", "virginica"}
    assert {one.state_count for one in data.variables} == {states.BINS}
    assert by_name["petal length (cm)"].ordered
    assert not by_name["target"].ordered


def test_a_number_to_predict_is_binned_as_well() -> None:
    target = states.dataset_of("diabetes").variables[-1]
    assert (target.name, target.state_count, target.ordered) == ("target", states.BINS, True)


def test_a_measured_table_is_a_row() -> None:
    one = states.measure("iris", 60.0, 1)
    assert one["complete"]
    assert sum(one["best_network"].values()) <= one["variables"] == 5
    text = states.page({"iris": one})
    assert f"| iris | 5 | 150 | 3 to 3 | yes | {one['optimum']:.4f} | {one['networks']:,} |" in text


def test_what_is_not_complete_is_told() -> None:
    one = states.measure("iris", 60.0, 1)
    unproven = one | {"complete": False, "proven": False, "shortfalls": ["it took too long"]}
    text = states.page({"iris": unproven, "wine": {"nothing_because": "it was killed"}})
    assert f"| no | <= {one['optimum']:.4f} | >= {one['networks']:,} |" in text
    bound = f"{one['lower_bound']:.4f}"
    assert f"- iris: it took too long ({bound})\n- wine: it was killed\n" in text
