import ast
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.folders import ROOT
from benchmarks.harness.measuring import Results
from benchmarks.race import __main__ as race
from benchmarks.race import page as race_page
from benchmarks.race import statistics as race_statistics
from benchmarks.race.figures import figures
from benchmarks.race.jobs import (
    ALL_COSTS,
    BINNED_RECORDS,
    EXACT,
    LEARN,
    OWN,
    PRUNED,
    SUBSET_SIZES,
    Job,
    all_jobs,
    binned,
    sample_families,
    sampled,
)
from benchmarks.race.own import PROGRAMS as OWN_PROGRAMS
from benchmarks.race.own import cost_of
from benchmarks.race.running import Contestant, failure
from benchmarks.race.timing import warm_table

PEER = "pyAgrum tabu"
PEERS_PYTHON = Path(sys.executable)


def ran(seconds: list[float], **more: object) -> Results:
    usual = {"busy_seconds": 2 * min(seconds), "before_mib": 50.0, "peak_mib": 90.0}
    return {"seconds": seconds, **usual, "versions": {"numpy": "2.0"}, **more}


def job_of(programs: dict[str, Results], variables: int = 5, records: int = 1000) -> Results:
    return {
        "variables": variables,
        "records": records,
        "programs": programs,
        "provenance": {"machine": "x86_64, 2 cores", "commit": "abc"},
    }


OPTIMUM = ran([0.5, 0.4], arcs=4, cost=100.0, complete=True)
STOPPED: Results = {"nothing_because": "it took more than 60 s", "limit": 60.0}
FAILED: Results = {"nothing_because": "it failed: ValueError: no"}
MISSING: Results = {"nothing_because": "causallearn is not installed", "missing": True}
LEARNED = ran(
    [2.0],
    counts={"method": "table", "fits": 1234, "families": 56, "nodes": 0, "networks": 7.0},
)


class TestRatios:
    def test_the_best_times_are_compared(self) -> None:
        job = job_of({OWN[0]: OPTIMUM, PEER: ran([4.0, 2.0, 3.0], cost=101.5)})
        assert race_statistics.ratio(job, PEER) == pytest.approx(5.0)
        assert race_statistics.excess(job, PEER) == pytest.approx(1.5)
        assert not race_statistics.is_optimal(job, PEER)

    def test_a_peer_stopped_at_the_limit_takes_at_least_the_limit(self) -> None:
        job = job_of({OWN[0]: OPTIMUM, PEER: STOPPED})
        assert race_statistics.ratio(job, PEER) is None
        assert race_statistics.least_ratio(job, PEER) == pytest.approx(150.0)
        assert race_statistics.excess(job, PEER) is None

    def test_a_peer_that_failed_has_no_ratio_at_all(self) -> None:
        job = job_of({OWN[0]: OPTIMUM, PEER: FAILED})
        assert race_statistics.ratio(job, PEER) is None
        assert race_statistics.least_ratio(job, PEER) is None

    def test_without_a_proven_optimum_nothing_is_in_excess_of_it(self) -> None:
        job = job_of({OWN[0]: OPTIMUM | {"complete": False}, PEER: ran([1.0], cost=101.0)})
        assert race_statistics.excess(job, PEER) is None

    def test_a_cost_off_by_rounding_is_the_optimum(self) -> None:
        job = job_of({OWN[0]: OPTIMUM, PEER: ran([1.0], cost=100.0 + 1e-9)})
        assert race_statistics.is_optimal(job, PEER)

    def test_a_family_takes_its_share_of_the_best_time(self) -> None:
        assert race_statistics.microseconds_a_family(ran([0.3, 0.2], families=1000)) == 200.0
        assert race_statistics.microseconds_a_family(STOPPED) is None


class TestStandings:
    def test_all_outcomes_are_counted_once(self) -> None:
        given_up = {"nothing_because": "not tried: ...", "gave_up_at": 12}
        outcomes = [
            ran([4.0], cost=100.0),
            ran([0.8], cost=103.0),
            ran([40.0], cost=102.0),
            STOPPED,
            FAILED,
            given_up,
        ]
        jobs = [job_of({OWN[0]: OPTIMUM, PEER: one}) for one in outcomes]
        found = race_statistics.standing(jobs, PEER)
        assert (found.jobs, found.finished, found.stopped, found.optimal) == (5, 3, 1, 1)
        assert found.ratios == pytest.approx((2.0, 10.0, 100.0))
        assert found.median_ratio == pytest.approx(10.0)
        assert found.largest_excess == pytest.approx(3.0)
        assert found.cores == pytest.approx(2.0)

    def test_a_program_that_never_finished_has_no_ratios(self) -> None:
        found = race_statistics.standing([job_of({OWN[0]: OPTIMUM, PEER: STOPPED})], PEER)
        assert (found.median_ratio, found.largest_excess, found.cores) == (None, None, None)


RESULTS = {
    "optimum/tiny": job_of(
        {
            OWN[0]: OPTIMUM,
            PEER: ran([2.0], arcs=5, cost=101.25),
            "pgmpy hill climbing": FAILED,
            EXACT[0]: STOPPED,
            EXACT[1]: MISSING,
        }
    ),
    "scoring/tiny": job_of(
        {
            "noisyor, all sets": ran([0.001], families=500, counted=500),
            "noisyor, all sets, pruned": ran([0.0005], families=500, counted=40),
            "pgmpy scores": ran([1.0], families=100, largest_difference=1e-13),
        }
    ),
    "states/tiny": job_of(
        {
            ALL_COSTS: ran([0.001], families=500, returned=450, largest_difference=1e-12),
            PRUNED: ran([0.0005], families=500, counted=40, returned=9),
            "pgmpy scores": ran([1.0], families=100, largest_difference=1e-13),
            "GOBNILP, all sets": STOPPED,
            "pyAgrum, all sets": FAILED,
        }
    )
    | {"states": [2, 3, 3, 4, 2]},
    "variables/10": job_of({OWN[0]: OPTIMUM, LEARN: LEARNED, EXACT[0]: STOPPED}, 10),
    "variables/12": job_of(
        {
            OWN[0]: OPTIMUM,
            LEARN: STOPPED | {"limit": 300.0},
            EXACT[0]: {"nothing_because": "not tried: ...", "gave_up_at": 10},
        },
        12,
    ),
    "records/100": job_of({OWN[0]: OPTIMUM, LEARN: LEARNED}, 20, 100),
    "bins/3": job_of({OWN[0]: OPTIMUM, LEARN: LEARNED}, 20, 100),
    "factor/tiny/1": job_of({LEARN: LEARNED}),
    "factor/tiny/20": job_of({LEARN: LEARNED}),
}


@pytest.fixture
def page() -> str:
    return race_page.section(RESULTS)


class TestPage:
    def test_it_is_a_section_with_its_command(self, page: str) -> None:
        assert page.startswith("## The race\n")
        assert "`make race`" in page

    def test_each_outcome_is_shown_as_what_it_is(self, page: str) -> None:
        assert "| tiny | 5 | 1,000 | 400 ms | 2 s | failed | > 60 s | not installed |" in page
        assert "| tiny | 5 | 1,000 | 1 | 5 | - | > 150 | - |" in page
        assert "| tiny | 5 | 1,000 | 0.000 | 1.250 | - | - | - |" in page
        assert "- tiny: pgmpy hill climbing: it failed: ValueError: no" in page
        assert "- tiny: causal-learn exact: causallearn is not installed" in page
        assert "| 12 | 12 | 1,000 | 400 ms | not tried |" in page

    def test_scoring_is_told_by_the_family(self, page: str) -> None:
        assert "| tiny | 1,000 | pgmpy scores | 100 | 1 s | 10,000.00 | 5,000 | 1e-13 |" in page
        assert "| 40 of 500 | 0.5 ms | 1.00 | 0.5 | - |" in page

    def test_scoring_of_more_states_is_told_by_processor_time(self, page: str) -> None:
        start = "| tiny | 5 | 2.8 | 1,000 |"
        assert f"{start} {ALL_COSTS} | 500 | 450 | 2 ms | 4.00 | 1 | 2 | 1e-12 |" in page
        assert f"{start} {PRUNED} | 40 of 500 | 9 | 1 ms | 2.00 | 0.5 | 1 | - |" in page
        assert f"Closest to `{PRUNED}`: pgmpy scores, 10,000 times as long, on tiny." in page
        pgmpy = "pgmpy scores | 100 | 100 | 2 s | 20,000.00 | 5,000 | 10,000 | 1e-13 |"
        assert f"{start} {pgmpy}" in page
        assert f"{start} GOBNILP, all sets | - | - | > 60 s | - | - | - | - |" in page
        assert f"{start} pyAgrum, all sets | - | - | failed | - | - | - | - |" in page

    def test_growth_tells_the_work_or_the_limit(self, page: str) -> None:
        assert "| 10 | 2 s | 90 | 1,234 | 56 | 0 | 7 |" in page
        assert "| 12 | > 300 s | - | - | - | - | - |" in page
        assert "| tiny, 20 | 2 s |" in page
        assert "| states | processor time |" in page
        assert "| 3 | 4 s | 90 | 1,234 | 56 | 0 | 7 |" in page
        assert "From 3 to 3 states, with both relations the processor time goes from 4 s to" in page

    def test_nothing_stored_makes_no_tables_of_peers(self) -> None:
        assert "### All jobs together" not in race_page.section({})


def test_the_figures_are_small_and_the_same_again(tmp_path: Path) -> None:
    assert [path.name for path in figures(RESULTS, tmp_path)] == [
        "race-variables.svg",
        "race-records.svg",
        "race-bins.svg",
        "race-factor.svg",
    ]
    assert all(path.stat().st_size < 150_000 for path in tmp_path.iterdir())
    some = {key: one for key, one in RESULTS.items() if key.startswith("factor/")}
    earlier = (tmp_path / "race-factor.svg").read_bytes()
    assert [path.read_bytes() for path in figures(some, tmp_path)] == [earlier]


class TestJobs:
    def test_bins_have_equal_shares_and_more_of_them_tell_the_same_numbers_apart(self) -> None:
        two, four = binned(2), binned(4)
        assert all((np.bincount(column) == BINNED_RECORDS // 4).all() for column in four.T)
        np.testing.assert_array_equal(four // 2, two)

    def test_keys_are_different_and_what_a_job_comes_after_was_before_it(self) -> None:
        jobs = all_jobs(Path("nowhere"))
        keys = [job.key for job in jobs]
        assert len(set(keys)) == len(keys)
        assert all(job.after in keys[:place] for place, job in enumerate(jobs) if job.after)
        assert sum(job.after is None for job in jobs if job.key.startswith("subset/")) == 1
        assert len([key for key in keys if key.startswith("subset/")]) == len(SUBSET_SIZES)

    def test_each_program_is_on_one_side(self) -> None:
        theirs = names_in_peers()
        for job in all_jobs(Path("nowhere")):
            for name in job.programs:
                assert (name in OWN_PROGRAMS) != (name in theirs)

    def test_fewer_variables_and_records_are_a_part_of_more(self) -> None:
        many = sampled(12, 200)
        assert np.array_equal(sampled(5, 100), many[:100, :5])
        assert many.shape == (200, 12)
        assert set(np.unique(many)) == {0, 1}

    def test_the_families_to_score_are_different_and_small(self) -> None:
        families = sample_families(6)
        assert len({(child, tuple(above)) for child, above in families}) == len(families)
        assert len(families) == 6 * (1 + 5 + 10 + 10)
        assert all(child not in above and len(above) <= 3 for child, above in families)

    def test_a_name_stands_for_itself_and_what_is_below_it(self) -> None:
        assert race.is_asked_for("factor/autos/10", None)
        assert race.is_asked_for("factor/autos/10", ["records", "factor/autos"])
        assert not race.is_asked_for("factor/autos/10", ["factor/autos/1"])


def names_in_peers() -> set[str]:
    """Read the names of the peers' programs without importing what only they have."""
    tree = ast.parse((ROOT / "benchmarks" / "race" / "peers.py").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "PROGRAMS":
            assert isinstance(node.value, ast.Dict)
            return {ast.literal_eval(key) for key in node.value.keys if key is not None}
    raise AssertionError("there is no PROGRAMS")


def test_the_peers_do_not_import_noisyor() -> None:
    for name in (
        *("race/__init__.py", "race/peers.py", "race/timing.py"),
        *("__init__.py", "harness/__init__.py", "harness/resources.py"),
    ):
        text = (ROOT / "benchmarks" / name).read_text()
        imported = {
            alias.name if isinstance(node, ast.Import) else str(node.module)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        own = {one for one in imported if one.startswith(("noisyor", "benchmarks"))}
        assert own <= {"benchmarks.race.timing", "benchmarks.harness.resources"}


def test_all_costs_are_those_of_families_fitted_alone() -> None:
    table = np.random.default_rng(5).integers(0, 3, (60, 4), dtype=np.uint8)
    families = sample_families(4)
    options = {"families": families, "max_parents": 3}
    found = OWN_PROGRAMS["noisyor, all costs"](table, options)()
    alone = OWN_PROGRAMS["noisyor, a family a call"](table, options)()
    assert found["families"] == found["returned"] == len(families) == 4 * 8
    assert found["costs"]() == pytest.approx(alone["costs"], abs=1e-9)


class TestNotTried:
    def test_after_a_success_a_program_is_tried(self) -> None:
        assert race.not_tried(PEER, job_of({PEER: ran([1.0])})) is None
        assert race.not_tried(PEER, None) is None

    def test_after_a_limit_it_is_not_and_it_is_said_where_it_ended(self) -> None:
        first = race.not_tried(PEER, job_of({PEER: STOPPED}, 14))
        assert first == {
            "nothing_because": "not tried: with 14 variables it took more than 60 s",
            "gave_up_at": 14,
        }
        assert race.not_tried(PEER, job_of({PEER: first}, 16)) == first

    def test_what_was_not_installed_is_tried_again(self) -> None:
        assert race.not_tried(PEER, job_of({PEER: MISSING})) is None


class TestSummary:
    def test_the_network_is_priced_by_noisyor(self) -> None:
        table = np.array([[0, 0]] * 4 + [[1, 1]] * 4, dtype=np.uint8)
        data = race.dataset_of(table)
        run = {
            "seconds": 0.25,
            "busy_seconds": 0.5,
            "before_mib": 10.0,
            "peak_mib": 20.0,
            "versions": {},
            "found": {"arcs": [[0, 1]]},
        }
        slower = run | {"seconds": 0.5, "peak_mib": 30.0}
        found = race.summary([slower, run], data, {})
        assert found["seconds"] == [0.5, 0.25]
        assert found["peak_mib"] == 30.0
        assert found["arcs"] == 1
        # The root: 8 ln 2 and one parameter; the child: certain, and two.
        assert found["cost"] == pytest.approx(8 * np.log(2) + 3 * np.log(8) / 2)
        assert cost_of(data, []) == pytest.approx(2 * (8 * np.log(2) + np.log(8) / 2))

    def test_scores_are_compared_with_noisyors(self) -> None:
        data = race.dataset_of(np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=np.uint8))
        exact = 4 * np.log(2) + np.log(4) / 2
        run = {
            "seconds": 1.0,
            "busy_seconds": 1.0,
            "before_mib": 1.0,
            "peak_mib": 1.0,
            "versions": {},
            "found": {"costs": [exact, exact + 0.5]},
        }
        found = race.summary([run], data, {"families": [[0, []], [1, []]]})
        assert found["families"] == 2
        assert found["largest_difference"] == pytest.approx(0.5)

    def test_a_cost_that_was_not_returned_is_not_compared(self) -> None:
        data = race.dataset_of(np.array([[0, 0], [1, 1], [0, 2], [1, 0]], dtype=np.uint8))
        exact = 4 * np.log(2) + np.log(4) / 2
        run = {
            "seconds": 1.0,
            "busy_seconds": 1.0,
            "before_mib": 1.0,
            "peak_mib": 1.0,
            "versions": {},
            "found": {"costs": [exact + 0.25, None], "families": 7},
        }
        found = race.summary([run], data, {"families": [[0, []], [1, []]]})
        assert found["families"] == 7
        assert found["largest_difference"] == pytest.approx(0.25)

    def test_one_failure_is_the_result(self) -> None:
        data = race.dataset_of(warm_table())
        assert race.summary([{"seconds": 1.0}, STOPPED], data, {}) == STOPPED

    def test_only_short_runs_are_repeated(self) -> None:
        assert race.is_short([])
        assert race.is_short([{"seconds": 4.9}])
        assert not race.is_short([{"seconds": 5.1}])
        assert not race.is_short([STOPPED])


class TestContestant:
    def contestant(self, tmp_path: Path, body: str) -> Contestant:
        """Return one whose program is a script with this body instead of the peers' Python."""
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\n{body}\n")
        python.chmod(0o755)
        return Contestant("some peer", tmp_path / "no table", {}, 0.5, python)

    def test_each_run_gives_a_line(self, tmp_path: Path) -> None:
        body = "while read line; do echo '{\"seconds\": 1.5}'; done"
        with self.contestant(tmp_path, body) as one:
            assert [one.run(), one.run()] == [{"seconds": 1.5}, {"seconds": 1.5}]

    def test_a_missing_package_is_told(self, tmp_path: Path) -> None:
        with self.contestant(tmp_path, 'read line; echo \'{"missing": "x"}\'; read line') as one:
            assert one.run() == {"nothing_because": "x is not installed", "missing": True}

    def test_the_alarm_is_the_limit(self, tmp_path: Path) -> None:
        with self.contestant(tmp_path, "read line; kill -ALRM $$") as one:
            assert one.run() == {"nothing_because": "it took more than 0.5 s", "limit": 0.5}

    def test_a_failure_tells_the_last_line(self, tmp_path: Path) -> None:
        with self.contestant(tmp_path, "read line; echo 'Error: bad' >&2; exit 1") as one:
            assert one.run() == {"nothing_because": "it failed: Error: bad"}

    def test_a_signal_is_named(self) -> None:
        assert failure(-9, "") == "it was ended by SIGKILL"

    def test_noisyor_itself_runs_and_is_stopped(self, tmp_path: Path) -> None:
        file = tmp_path / "table.npy"
        np.save(file, sampled(5, 300))
        job = Job("optimum/tiny", warm_table, OWN[:1])
        runs = race.run_in_turns(job, file, {}, None, Path("no peers"))
        assert len(runs[OWN[0]]) == race.REPEATS
        assert all(one["found"]["complete"] for one in runs[OWN[0]])
        with Contestant(LEARN, file, {}, 1e-3, Path("no peers")) as one:
            assert one.run() == {"nothing_because": "it took more than 0.001 s", "limit": 1e-3}


def test_a_stored_job_is_done_unless_a_program_is_new_or_missing() -> None:
    job = Job("optimum/tiny", warm_table, (OWN[0], PEER))
    assert not race.is_done(None, job)
    assert race.is_done(job_of({OWN[0]: OPTIMUM, PEER: STOPPED}), job)
    assert not race.is_done(job_of({OWN[0]: OPTIMUM}), job)
    assert not race.is_done(job_of({OWN[0]: OPTIMUM, PEER: MISSING}), job)


def test_the_race_without_peers_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments = ["race.py", "--peers", str(tmp_path / "python"), "--results", str(tmp_path / "r")]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit, match="'make race' makes it"):
        race.main()


def test_only_the_page_is_written_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored = tmp_path / "race.json"
    stored.write_text(json.dumps(RESULTS))
    monkeypatch.setattr(sys, "argv", ["race.py", "--page-only", "--results", str(stored)])
    race.main()
    assert stored.with_suffix(".md").read_text() == race_page.section(RESULTS)
    assert json.loads(stored.read_text()) == RESULTS
