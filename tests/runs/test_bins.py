"""A result keeps the bins of its records, so that new data can be read the same way."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import noisyor
from noisyor import Binning, SettingsError, learn, load
from noisyor.data.binning import Bins
from noisyor.runs.folder import BINS
from tests.cli.test_cli import run


def sheet(records: int) -> pl.DataFrame:
    generator = np.random.default_rng(7)
    age = generator.uniform(20, 80, records)
    return pl.DataFrame(
        {"age": age, "ill": (age + generator.normal(0, 5, records) > 50).astype(int)}
    )


def test_a_result_reads_new_data_as_its_own(tmp_path: Path) -> None:
    table = sheet(200)
    learned = learn(table, bins=2, folder=tmp_path / "run", quiet=True)
    assert [rule.column for rule in learned.binning.rules] == ["age"]
    assert noisyor.read(table, bins=learned.binning) == learned.data
    loaded = load(tmp_path / "run")
    assert loaded.binning == learned.binning == Binning.load(tmp_path / "run" / BINS)
    assert loaded.best.variables[0].states == learned.binning.rules[0].states
    other = noisyor.read(sheet(50), bins=loaded.binning)
    assert other.states == loaded.best.states


def test_a_run_that_is_there_already_is_loaded_with_its_bins(tmp_path: Path) -> None:
    first = learn(sheet(200), bins=2, folder=tmp_path / "run", quiet=True)
    again = learn(sheet(200), bins=2, folder=tmp_path / "run", quiet=True)
    assert again.saved is not None
    assert again.binning == first.binning
    with pytest.raises(noisyor.MismatchError, match="differs in"):
        learn(sheet(200), bins="age=33", folder=tmp_path / "run", quiet=True)


def test_a_saved_result_keeps_its_bins_and_no_others(tmp_path: Path) -> None:
    binned = learn(sheet(200), bins=2, quiet=True)
    plain = learn(binned.data, quiet=True)
    assert plain.binning == Binning()
    binned.save(tmp_path / "saved")
    load(tmp_path / "saved").save(tmp_path / "copy")
    assert load(tmp_path / "copy").binning == binned.binning
    plain.save(tmp_path / "saved")
    assert not (tmp_path / "saved" / BINS).exists()
    assert load(tmp_path / "saved").binning == Binning()


def test_damaged_bins_are_refused(tmp_path: Path) -> None:
    learn(sheet(200), bins=2, folder=tmp_path / "run", quiet=True)
    (tmp_path / "run" / BINS).write_text("{}")
    with pytest.raises(noisyor.FormatError, match=r"bins.json has the format None"):
        load(tmp_path / "run")


def test_bins_are_for_tables_that_are_read() -> None:
    dataset = noisyor.read(sheet(20), bins=2)
    with pytest.raises(SettingsError, match="a Dataset has states already"):
        learn(dataset, bins=3)


def test_a_query_takes_a_number_for_the_bin_that_holds_it(tmp_path: Path) -> None:
    learned = learn(sheet(200), bins="age=30,50", folder=tmp_path / "run", quiet=True)
    for number, label in ((50, "30 to 50"), (50.1, "> 50"), (-3, "<= 30")):
        expected = learned.query(["ill"], {"age": label})
        assert expected.given == (("age", label),)
        assert learned.query(["ill"], {"age": number}).given == expected.given
        assert noisyor.Inference(learned.best).posteriors(["ill"], {"age": number}).given == (
            expected.given
        )
    model = tmp_path / "run" / "networks.json"
    said = run("query", model, "ill", "--given", "age=50.1").stdout
    assert said == run("query", model, "ill", "--given", "age=> 50").stdout
    assert "no state 'old'; it has: <= 30, 30 to 50, > 50" in (
        run("query", model, "ill", "--given", "age=old").stderr
    )


def test_bins_with_labels_of_their_own_are_known_to_the_result() -> None:
    binning = Binning((Bins("age", (30.0, 50.0), ("young", "middle", "old"), "given"),))
    learned = learn(sheet(200), bins=binning, quiet=True)
    assert learned.query(["ill"], {"age": 50}).given == (("age", "middle"),)
    assert learned.query(["ill"], {"age": "old"}).given == (("age", "old"),)
