"""Stated and used memory: reading it from a run, and writing it on the pages."""

import numpy as np
import pytest

from benchmarks.harness.measuring import Results
from benchmarks.timings import memory, million_rows
from benchmarks.timings.stated_memory import off_by, stated_mib
from noisyor.networks.sampling import sample_records


def test_what_a_run_states_is_read_in_mib() -> None:
    errors = "warning: x\nmemory: about {} at the peak (1 MiB table)\nwrote y\n"
    assert stated_mib(errors.format("191 MiB")) == 191
    assert stated_mib(errors.format("2.5 GiB")) == 2560
    assert stated_mib(errors.format("1,010 GiB")) == 1010 * 1024
    with pytest.raises(ValueError, match="no memory was stated"):
        stated_mib("wrote y\n")


def test_off_is_a_factor_whichever_is_larger() -> None:
    assert off_by(50, 100) == off_by(100, 50) == 2


def measured(stated: float, peak: float, *, complete: bool = True) -> Results:
    """Return a run as it is stored."""
    return {
        "variables": 5,
        "records": 1000,
        "distinct": 20,
        "stated_mib": stated,
        "peak_mib": peak,
        "complete": complete,
    }


def test_the_page_counts_who_is_within_a_factor_of_two_and_names_the_others() -> None:
    said = memory.page(
        {
            "zoo/table/2": measured(200, 100),
            "zoo/price/2": measured(49, 100, complete=False),
            "wdbc/stored": measured(300, 200),
        }
    )
    assert "| zoo/price/2 | 5 | 1,000 | 20 | 49 | 100 | 0.49 | cut |" in said
    assert "Of 2 runs, 1 are within a factor of 2; the ratios are from 0.49 to 2.00." in said
    assert "The others: zoo/price/2." in said
    assert "| wdbc | 5 | 1,000 | 20 | 300 | 200 | 1.50 |  |" in said
    assert "Of 1 runs, 1 are within" in said


def test_every_run_has_a_name_of_its_own() -> None:
    for runs in (memory.cases(), million_rows.RUNS):
        assert len({run.name for run in runs}) == len(runs)


def test_the_tables_of_a_million_rows_have_sixty_variables_of_which_few_are_present() -> None:
    shares = {}
    for table in ("sparse", "dense"):
        network = million_rows.million_network(table)
        assert len(network.names) == 60
        drawn = sample_records(network, 2000, seed=0)
        assert np.array_equal(drawn, sample_records(network, 2000, seed=0))
        shares[table] = float(drawn.mean())
    assert shares["sparse"] < 0.2 < shares["dense"]
